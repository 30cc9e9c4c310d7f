"""The element types that Triton itself gives to expressions: its own operators and functions,
called on values of a module that is built and thrown away.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ninetoothed.dtype import DTYPES

_REFUSALS = ("TypeError", "ValueError", "AssertionError", "IncompatibleTypeErrorImpl")
# Triton 3.6 has no constants of floats of eight bits.
_LACKS = "AttributeError"

OPERATORS: dict[str, str] = {
    **{name: f"r{name}" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod")},
    **{name: f"r{name}" for name in ("and", "or", "xor", "lshift", "rshift")},
    **{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"},
}
"""Python's binary operators by the names of their methods, and the methods of the right operand."""

_SHAPES: dict[str, tuple[int, ...]] = {
    **{"scalar": (), "block": (16,)},
    **{"left": (16, 32), "right": (32, 16), "acc": (16, 16)},
}


def _least(left: Any, right: Any) -> tuple[int, int, int]:
    return (1, 1, 1)


class TritonTypes:
    """Triton on values of every element type, in a few shapes."""

    def __init__(self) -> None:
        ir, core, math, semantic = (
            importlib.import_module(f"triton.{name}")
            for name in ("_C.libtriton", "language.core", "language.math", "language.semantic")
        )
        ir = ir.ir
        self._core, self._math = core, math
        self._context = ir.context()
        ir.load_dialects(self._context)
        builder: Any = ir.builder(self._context)
        builder.options = SimpleNamespace(
            sanitize_overflow=False,
            supported_fp8_dtypes=("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"),
            deprecated_fp8_dot_operand_dtypes=(),
            default_dot_input_precision="ieee",
            allowed_dot_input_precisions=("ieee", "tf32"),
            max_num_imprecise_acc_default=0,
        )
        builder.codegen_fns = {"min_dot_size": _least}
        self._semantic: Any = semantic.TritonSemantic(builder)
        self._dtypes = {name: getattr(core, row.triton) for name, row in DTYPES.items()}
        self._names = {dtype.name: name for name, dtype in self._dtypes.items()}
        types = {
            (name, form): core.block_type(dtype, list(shape)) if shape else dtype
            for name, dtype in self._dtypes.items()
            for form, shape in _SHAPES.items()
        }
        arguments = [type.to_ir(builder) for type in types.values()]
        self._module = builder.create_module()
        signature = builder.get_function_ty(arguments, [])
        function = builder.get_or_insert_function(self._module, "f", signature, "public", False)
        self._module.push_back(function)
        builder.set_insertion_point_to_start(function.add_entry_block())
        self._values = {
            key: core.tensor(function.args(index), type)
            for index, (key, type) in enumerate(types.items())
        }

    def value(self, dtype: str, form: str = "block") -> Any:
        """A value that is known at run time only."""
        return self._values[dtype, form]

    def dtype(self, name: str) -> Any:
        """Triton's own element type."""
        return self._dtypes[name]

    def operator(self, name: str, left: Any, right: Any) -> str | None:
        """The element type of ``left`` and ``right`` joined; None where Triton refuses. One of them
        may be a Python number.
        """
        if isinstance(left, self._core.tensor):
            return self._of(getattr(left, f"__{name}__"), right)
        return self._of(getattr(right, f"__{OPERATORS[name]}__"), left)

    def method(self, name: str, value: Any) -> str | None:
        """The element type of a unary operator's result; None where Triton refuses."""
        return self._of(getattr(value, f"__{name}__"))

    def function(self, name: str, *arguments: Any, **options: Any) -> str | None:
        """The element type of what a function gives; None where Triton refuses."""
        found = getattr(self._core, name, None) or getattr(self._math, name)
        return self._of(found, *arguments, **options)

    def _of(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> str | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = function(*arguments, _semantic=self._semantic, **options)
            except Exception as error:
                if type(error).__name__ not in (*_REFUSALS, _LACKS):
                    raise
                return None
        return self._names[found.dtype.name]


@functools.cache
def triton_types() -> TritonTypes:
    """The one that all tests share."""
    return TritonTypes()
