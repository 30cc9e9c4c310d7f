"""From a call to the driver.

- ``dispatch``: which kernel a call runs; ``loaded``: an artifact on a device, ready to launch.
- ``launch_cache``: calls like an earlier one, which are launched by a lookup; ``alias_check``: how
  the tensors of such calls may share memory.
- ``driver``: binaries on a device, and their launches through the vendor's library.
- ``device``: what is asked of torch about devices.
"""
