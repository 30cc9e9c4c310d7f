"""Attention without a mask, of the pieces of the example."""

import ninetoothed
from examples.attention import attend, key, keys_of, output, queries, query, scale, value


def arrangement(query, key, value, scale, output):
    query_arranged = queries(query)
    operands = (query_arranged, keys_of(key, query_arranged), keys_of(value, query_arranged))
    return *operands, scale, queries(output)


def application(query, key, value, scale, output):
    output, _ = attend(query, key, value, False, scale)


def tuned():
    """``output = softmax(query @ keyᵀ * scale) @ value``, whose blocks the compiler chooses."""
    return ninetoothed.make(arrangement, application, (query, key, value, scale, output))
