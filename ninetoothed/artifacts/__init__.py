"""Frozen data that the compiler hands to the runtime: target, signature, configuration, artifact."""
