"""What passes and the verifier ask of a kernel: pure functions of its IR."""
