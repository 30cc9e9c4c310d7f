"""Benchmarks that anyone can run; ``make bench`` runs what needs no GPU."""
