"""Passes and back ends from other packages: how they are found, and what tells them apart.

Nothing here imports xDSL, nor the package that a pass comes from: a cache key needs only what lies
on disk.
"""
