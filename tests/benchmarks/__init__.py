"""The benchmarks: their Triton kernels and their programs, on the CPU."""
