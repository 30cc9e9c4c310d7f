"""Small kernels, ours and Triton's, whose launches and starts are measured.

A file imports one of the two, and makes a kernel only when it is asked for one: ``fixed()`` with
given blocks, ``tuned()`` with several to choose from.
"""
