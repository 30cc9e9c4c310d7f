"""Passes and back ends from other packages: how they are found, and what tells them apart.

Nothing here imports xDSL. A cache key needs only what lies on disk: the package that a pass comes
from is imported where its class is asked for.
"""
