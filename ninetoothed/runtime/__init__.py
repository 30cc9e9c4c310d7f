"""From artifacts to launches: what is compiled, kept, tuned and passed to the driver.

The runtime knows artifacts and signatures, never IR, so a warm start imports neither the frontend
nor xDSL. Each part imports those below it only, and ``cache`` keeps artifacts and tuning results:

- ``synchronization``: the same choices on all ranks of a process group, over ``dispatch``.
- ``dispatch``: from a call to a kernel and its launch, with the three below.
- ``tuning``: which configuration a call uses.
- ``toolchain``: from an artifact to a binary: one folder for each back end, and the processes in
  which all of them compile.
- ``launch``: binaries on a device, and their launches.
"""
