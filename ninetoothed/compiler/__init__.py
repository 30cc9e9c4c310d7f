"""Compilation driver, the configuration space and its costs."""
