"""Helpers of the tests: RUN lines in process, golden files, profiles, targets, imports."""
