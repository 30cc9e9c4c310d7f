"""Triton's compile half: ``targets`` are NVIDIA's and AMD's GPUs, ``emitter`` writes TTIR and
Triton-Python.
"""
