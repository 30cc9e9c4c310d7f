"""The operations in Triton, by hand: what ours are compared with."""

COMPILE_ONLY = "BENCHMARKS_COMPILE_ONLY"
"""Set to ``1``, an environment variable under which configurations are compiled and not timed: many
processes fill Triton's cache before one of them measures.
"""
