"""Kernels as operators of torch: what its compiler, its exporters and fake tensors see of a call.

``kernel`` imports ``kernel_operators``, which does without torch until an operator is registered.
"""
