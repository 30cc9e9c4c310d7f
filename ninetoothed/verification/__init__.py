"""Verification: verdicts for all sizes, counterexamples, and translation validation."""
