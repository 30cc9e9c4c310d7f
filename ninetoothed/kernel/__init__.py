"""Kernels: made from two functions, called with tensors."""
