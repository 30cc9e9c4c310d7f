"""The operations in Triton, by hand: what ours are compared with."""
