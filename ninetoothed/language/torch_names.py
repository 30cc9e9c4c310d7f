"""Names of torch's functions and methods that the language does not have, and what to write."""

from __future__ import annotations

_FUNCTIONS = {
    "relu": "ntl.maximum(x, 0)",
    "gelu": "0.5 * x * (1 + ntl.erf(x * 0.7071067811865476))",
    "silu": "x * ntl.sigmoid(x)",
    "leaky_relu": "ntl.where(x > 0, x, 0.01 * x)",
    "softplus": "ntl.maximum(x, 0) + ntl.log(1 + ntl.exp(-ntl.abs(x)))",
    "neg": "-x",
    "square": "x * x",
    "reciprocal": "1 / x",
    "div": "x / y",
    "matmul": "ntl.dot(x, y)",
    "mm": "ntl.dot(x, y)",
    "mean": "ntl.sum(x, 0) / n for n elements; x.shape[0] counts lanes outside the tensor, too",
    "amax": "ntl.max(x, 0)",
    "amin": "ntl.min(x, 0)",
    "prod": "ntl.reduce(x, 0, ntl.mul)",
    "transpose": "ntl.trans(x)",
    "t": "ntl.trans(x)",
    "flatten": "ntl.ravel(x)",
    "expand": "ntl.broadcast_to(x, shape)",
}
_METHODS = {
    "size": "x.shape[0]",
    "dim": "x.ndim",
    "type": "ntl.cast(x, dtype)",
    "float": "ntl.cast(x, ntl.float32)",
    "half": "ntl.cast(x, ntl.float16)",
    "double": "ntl.cast(x, ntl.float64)",
    "int": "ntl.cast(x, ntl.int32)",
    "long": "ntl.cast(x, ntl.int64)",
}


def instead_of_function(name: str) -> str:
    """What to write instead of ``ntl.name(x)``; empty where a line does not do it."""
    found = _FUNCTIONS.get(name)
    return f"write {found}" if found else ""


def instead_of_method(name: str) -> str:
    """What to write instead of ``x.name()``; empty where a line does not do it."""
    found = _METHODS.get(name)
    return f"write {found}" if found else instead_of_function(name)
