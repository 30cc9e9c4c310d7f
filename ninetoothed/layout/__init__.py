"""Layout of arranged tensors: meta-operations, accesses, inverses, evaluation; no IR."""
