"""Other compilers and libraries, each imported where it is installed only.

A file has ``FUNCTIONS``: by name of an operation, a function of the same inputs.
"""
