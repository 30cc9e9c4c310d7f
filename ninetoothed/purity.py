"""What a digest takes by its name: functions, classes and modules that mean the same everywhere.

Others of Python's, torch's and NumPy's may ask the machine, the clock or a file, and what they give
nothing that is hashed decides.
"""

from __future__ import annotations

import sys

_MODULES = """
__future__ _operator abc bisect builtins cmath collections contextlib copy dataclasses enum
fractions functools heapq itertools math numbers operator reprlib string textwrap types typing
typing_extensions
"""
_IMPURE = """
builtins.__import__ builtins.breakpoint builtins.compile builtins.delattr builtins.dir builtins.eval
builtins.exec builtins.globals builtins.help builtins.id builtins.input builtins.locals
builtins.open builtins.setattr builtins.vars dataclasses.fields typing.get_type_hints
typing_extensions.get_type_hints
"""
_REFLECTION = """
__annotate__ __annotations__ __builtins__ __closure__ __code__ __dataclass_fields__ __dict__ __doc__
__globals__ __module__ __subclasses__
"""
_CLASS_ATTRIBUTES = """
__abstractmethods__ __annotate__ __annotate_func__ __annotations__ __annotations_cache__
__dataclass_fields__ __dataclass_params__ __dict__ __doc__ __firstlineno__ __match_args__ __module__
__orig_bases__ __parameters__ __qualname__ __static_attributes__ __weakref__ _abc_impl
"""

PURE = frozenset(_MODULES.split())
"""Modules whose functions give the same in every process."""
IMPURE = frozenset(_IMPURE.split())
"""The exceptions: they see what is not hashed, or change it."""
REFLECTION = frozenset(_REFLECTION.split())
"""Attributes that show what is not hashed."""
CLASS_ATTRIBUTES = frozenset(_CLASS_ATTRIBUTES.split())
"""What Python adds to the attributes of a class."""
NAMED = {
    "torch": frozenset(("finfo", "iinfo", "Size", "Tensor", "dtype")),
    "numpy": frozenset(("prod",)),
}
"""Of large packages, the classes and functions that compute with numbers and types only."""


class UnhashableError(Exception):
    """Something that cannot be hashed soundly."""


def is_pure_module(name: str) -> bool:
    """Whether a module's attributes mean the same in every process of these versions."""
    if name == "builtins":
        # Not all of them, so each is looked at.
        return False
    root = name.partition(".")[0]
    return root == "ninetoothed" or name in PURE or f"{name}.".startswith("triton.language.")


def is_named(module: str, name: str) -> bool:
    """Whether a function or a class is known by its name; a user's is not.

    Raises:
        UnhashableError: it is one that may ask the machine.
    """
    root = module.partition(".")[0]
    if f"{module}.{name}" in IMPURE:
        raise UnhashableError(f"{module}.{name}")
    if root in ("ninetoothed", "triton") or module in PURE:
        return True
    if root not in NAMED and root not in sys.stdlib_module_names:
        return False
    if name not in NAMED.get(root, ()):
        raise UnhashableError(f"{module}.{name}")
    return True
