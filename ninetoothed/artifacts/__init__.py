"""Frozen data that passes from the compiler to the runtime: targets, signatures, artifacts."""
