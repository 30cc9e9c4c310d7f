"""Kernels as operators of torch: what its compiler, its exporters and fake tensors see of a call.

``kernel`` imports ``operators``, which does without torch until an operator is registered.
"""
