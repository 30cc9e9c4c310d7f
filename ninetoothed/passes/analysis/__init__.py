"""Analyses of kernels, for passes and the verifier: pure functions of the IR."""
