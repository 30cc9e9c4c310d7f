"""Verdicts that hold for all sizes, counterexamples, and translation validation."""
