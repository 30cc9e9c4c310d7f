"""Kernels, one a file: each runs (``python -m examples.add``); tests and benchmarks use it."""
