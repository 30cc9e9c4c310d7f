"""The IR: the dialects ``nt`` and ``tt``, and the stages of a module."""
