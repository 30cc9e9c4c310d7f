"""Integer algebra: expressions, intervals, polynomials, the normal form and its prover; no IR."""
