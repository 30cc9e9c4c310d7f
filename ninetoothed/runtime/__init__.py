"""From artifacts to launches: what is compiled, kept, tuned and handed to the driver.

The runtime knows artifacts and signatures, never IR, so a warm start imports neither the frontend
nor xDSL.

- ``launch``: from a call to the driver.
- ``tuning``: which configuration a call uses.
- ``toolchain``: from an artifact to a binary: one folder for each back end, and the processes in
  which all of them compile.
- ``artifact_cache`` and ``cache_folder``: artifacts and tuning results on disk, within a bound;
  ``generated``: functions from source; ``guards``: torch's comparison of tensors; ``occupancy``:
  how many programs a device runs at once.
"""
