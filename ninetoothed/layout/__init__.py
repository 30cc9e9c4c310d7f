"""What arranged tensors mean: meta-operations, accesses, inverses, evaluation; no IR."""
