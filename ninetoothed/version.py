"""The package's version, which is part of every cache key."""

__version__ = "0.1.0"
