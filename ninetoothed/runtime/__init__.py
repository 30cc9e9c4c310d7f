"""From artifacts to launches: what is compiled, kept, tuned and handed to the driver.

The runtime knows artifacts and signatures, never IR, so a warm start imports neither the frontend
nor xDSL. In the order of a first call:

- ``dispatch``: finds or makes the kernel of a signature, and launches it;
- ``artifact_cache`` and ``cache_folder``: artifacts and tuning results on disk, within a bound;
- ``compile_pool`` and ``compile_worker``: several configurations compiled in processes of their
  own;
- ``triton_compat``: the one module that knows Triton's internals;
- ``tuner``: times configurations without touching the caller's data;
- ``device``: what is asked of torch about the current device.
"""
