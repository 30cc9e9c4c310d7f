"""The tests. A package, so that the folder ``tests`` in xDSL's wheel is not taken for it."""
