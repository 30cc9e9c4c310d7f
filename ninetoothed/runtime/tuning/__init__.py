"""Autotuning: which configuration calls of a kernel use. Imports ``launch`` and ``toolchain``.

- ``candidates``: the configurations of one signature on one device, up to a kernel that is loaded.
- ``model``: how long each runs, predicted; ``timing``: how long it ran; ``isolation``: timing does
  not change what the user's tensors hold.
- ``search``: puts these together; ``joint_search``: on several ranks at once.
- ``results``: what was found, kept on disk; ``progress`` and ``report`` tell the user.
"""
