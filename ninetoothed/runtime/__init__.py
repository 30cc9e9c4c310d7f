"""From artifacts to launches: what is compiled, kept, tuned and handed to the driver.

The runtime knows artifacts and signatures, never IR, so a warm start imports neither the frontend
nor xDSL. In the order of a first call:

- ``dispatch``: finds or makes the kernel of a signature and sizes, and launches it;
- ``candidates``: the configurations of a signature, compiled and loaded;
- ``choosing``: which of them runs, by ``choices`` (what was tuned before), ``model`` (what is to be
  expected of the device) or ``tuner`` (the clock, behind a ``shield`` for the caller's data);
  ``progress`` and ``tuning_report`` tell of it;
- ``artifact_cache`` and ``cache_folder``: artifacts and tuning results on disk, within a bound;
- ``compile_pool``, ``compile_process`` and ``compile_worker``: artifacts compiled in processes of
  their own;
- ``triton_compat``: the one module that knows Triton's internals;
- ``loaded`` and ``driver``: binaries on a device, and their launches through the vendor's driver;
- ``repeated``: calls like earlier ones, launched without being bound (``placement``: which tensors
  share memory; ``guards``: torch's comparison of tensors; ``generated``: functions from source);
- ``device``: what is asked of torch about the current device.
"""
