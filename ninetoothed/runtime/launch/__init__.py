"""Binaries on a device, and their launches; imports no other part of the runtime.

- ``launch_cache``: calls like an earlier one, which are launched by a lookup; ``alias_check``: the
  condition under which the tensors of such calls share memory alike.
- ``loaded``: an artifact on a device, ready to launch.
- ``driver``: binaries and launches through the vendor's library.
- ``device``: what is asked of torch about devices.
"""
