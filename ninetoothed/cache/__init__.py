"""On-disk cache: atomic files, entries, artifacts, and eviction."""
