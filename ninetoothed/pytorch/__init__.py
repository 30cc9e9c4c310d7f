"""Kernels as operators of torch: what ``torch.compile``, export and fake tensors see of a call.

torch is imported where an operator is registered, not before.
"""
