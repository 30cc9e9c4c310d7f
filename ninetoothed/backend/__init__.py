"""Emitters: from a module of the stage ``tt`` to text that Triton takes, and to the host's side.

- ``emit``: the :class:`~ninetoothed.artifact.Artifact` of a module.
- ``ttir``: MLIR's generic form, with the user's lines as locations.
- ``triton_python``: readable source. ``spelling`` says how each op is written, ``expression`` what
  the texts are; ``layout`` breaks lines, ``names`` names.
- ``launch``: Python source that checks a call, counts its programs and lists the arguments.
- ``device_function``: what all of these read of a module.
"""
