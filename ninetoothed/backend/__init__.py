"""Emitters: from a module of the stage ``tt`` to text for a toolchain, and to the host's side.

- ``emit``: the :class:`~ninetoothed.artifacts.artifact.Artifact` of a module.
- ``protocol``: what a back end says of its targets, and that it emits; ``triton`` is one.
- ``ttir``: MLIR's generic form, with the user's lines as locations.
- ``triton_python``: readable source. ``spelling`` says how each op is written, ``expression`` what
  the texts are; ``line_breaks`` breaks lines, ``names`` names.
- ``launch_source``: Python source that checks a call, counts its programs and lists the arguments.
- ``device_function``: what all of these read of a module.
"""
