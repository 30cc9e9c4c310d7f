"""A kernel's call while torch traces it: a call of its operator.

torch's compiler traces :func:`call`, so that it is written in what the compiler knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import torch
from torch.fx.experimental.symbolic_shapes import guard_scalar

from ninetoothed.calls.numbers import member_value
from ninetoothed.calls.sequences import Jagged
from ninetoothed.dtype import number
from ninetoothed.pytorch.allocation import Allocation, Completed, assembled
from ninetoothed.pytorch.dtensors import are_sharded
from ninetoothed.pytorch.functional_operators import FunctionalOperators
from ninetoothed.pytorch.kernel_operators import NUMBERS, KernelOperators
from ninetoothed.pytorch.refusal import refuse


def call(operators: KernelOperators, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Call the operator of a call's form.

    Raises:
        NineToothedError: the arguments do not fit the kernel.
    """
    order = operators.order(len(args), tuple(keywords))
    if isinstance(order, str):
        refuse(order)
    # torch 2.11's compiler does not unpack a named tuple that is a constant.
    names, constants = order.names, order.constants
    given = (*args, *keywords.values(), *order.defaults)
    for one, two, message in order.repeats:
        if given[one] is not given[two]:
            refuse(message)
    values = [given[place] for place in order.places]
    letters = "".join([letter_of(value) for value in values])
    if len(letters) < len(values):
        refuse(f"one of {', '.join(names)} is neither a tensor nor a number")
    tensors = [
        value if letter in "rj" else None for letter, value in zip(letters, values, strict=True)
    ]
    dtypes = tuple([None if tensor is None else tensor.dtype for tensor in tensors])
    for place in constants:
        values[place] = constant(values[place])
    known = tuple([values[place] if letters[place] in "ifb" else None for place in constants])
    if torch.is_grad_enabled():
        requiring = [
            name
            for name, tensor in zip(names, tensors, strict=True)
            if tensor is not None and tensor.requires_grad
        ]
        if requiring:
            operators.warn_of_gradients(tuple(requiring))
    same = tuple([[one is value for one in values].index(True) for value in values])
    parts, sequences = _parts(letters, values)
    overload = operators.overload(letters, same, dtypes, known, _waits(sequences))
    if isinstance(overload, str):
        refuse(overload)
    operator = getattr(getattr(torch.ops.ninetoothed, overload[0]), overload[1])
    operator(*parts)


def functional_operator(
    operators: FunctionalOperators, values: Sequence[Any]
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """The operator of a call's form, which allocates and returns the outputs; its arguments.

    Raises:
        NineToothedError: the arguments do not fit the kernel.
    """
    letters = "".join([letter_of(value) for value in values])
    if len(letters) < len(values):
        refuse(f"one of {', '.join(operators.inputs)} is neither a tensor nor a number")
    given = [
        value if letter == "r" else number(member_value(value))
        for letter, value in zip(letters, values, strict=True)
    ]
    for place in operators.constants:
        given[place] = constant(given[place])
    dtypes = tuple(
        [
            value.dtype if letter == "r" else None
            for letter, value in zip(letters, given, strict=True)
        ]
    )
    if torch.is_grad_enabled():
        requiring = [
            name
            for name, letter, value in zip(operators.inputs, letters, given, strict=True)
            if letter == "r" and value.requires_grad
        ]
        if requiring:
            operators.mutating.warn_of_gradients(tuple(requiring))
    known = tuple([given[place] for place in operators.constants])
    overload = operators.overload(letters, dtypes, known)
    if isinstance(overload, str):
        refuse(overload)
    return getattr(getattr(torch.ops.ninetoothed, overload[0]), overload[1]), given


def complete(
    allocation: Allocation,
    operators: FunctionalOperators,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
) -> Completed | tuple[None, None, Any]:
    """Complete a call by the outputs that it leaves out; a call with DTensors is made, and its
    result alone returned.

    Raises:
        NineToothedError: the arguments do not fit the kernel.
    """
    rest = {name: value for name, value in keywords.items() if name != "out"}
    plan = allocation.plan(len(args), tuple(rest))
    if isinstance(plan, str):
        refuse(plan)
    given = (*args, *rest.values(), *plan.defaults)
    out = keywords.get("out")
    if out is not None:
        return assembled(plan, given, allocation.given_outputs(out))
    values = [given[place] for place in plan.inputs]
    if are_sharded(values):
        operator, numbered = functional_operator(operators, values)
        with torch.no_grad():
            return None, None, operator(*numbered)
    types: list[Any] = []
    constants: list[Any] = []
    for place, (name, kind) in enumerate(allocation.inputs):
        letter = letter_of(values[place])
        if not letter or (kind == "tensor" and letter not in "rj"):
            refuse(f"{name} must be a {'tensor' if kind == 'tensor' else 'number'}")
        if kind == "constexpr":
            values[place] = constant(values[place])
            constants.append(number(member_value(values[place])))
        types.append(values[place].dtype if letter in "rj" else NUMBERS[letter])
    name, message = allocation.name(tuple(types), tuple(constants))
    if message:
        refuse(message)
    return assembled(plan, given, getattr(allocation.made, name)(*values))


def constant(value: Any) -> Any:
    """A number, or a tuple with numbers, of which none stands for others any more: what torch
    compiles is compiled anew for others.
    """
    if isinstance(value, tuple):
        return tuple([constant(one) for one in cast("tuple[Any, ...]", value)])
    if isinstance(value, int | float | torch.SymInt | torch.SymFloat):
        return guard_scalar(value)
    return value


def letter_of(value: Any) -> str:
    """The letter of an argument, if it is only read (see ``forms``); none if it is no argument."""
    if isinstance(value, Jagged):
        return "j"
    if isinstance(value, torch.Tensor):
        return "j" if value.is_nested else "r"
    value = number(member_value(value))
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int | torch.SymInt):
        return "i"
    return "f" if isinstance(value, float | torch.SymFloat) else ""


def _parts(letters: str, values: Sequence[Any]) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """A call's arguments as the operator takes them; of those that are jagged tensors, the offsets
    and the longest length.
    """
    found: list[Any] = []
    sequences: list[tuple[Any, Any]] = []
    for letter, value in zip(letters, values, strict=True):
        if letter == "r":
            found.append(value)
        elif letter != "j":
            found.append(number(member_value(value)))
        else:
            if isinstance(value, Jagged):
                elements, offsets = value.elements, value.offsets.tensor
                longest = value.shape[value.jagged_dim]
            else:
                elements, offsets, cached = value._values, value._offsets, value._max_seqlen_tensor
                # torch keeps it as the size of a tensor, for which a symbol may stand.
                longest = None if cached is None else cached.shape[0]
            found += [elements, offsets, longest]
            sequences.append((offsets, longest))
    return found, sequences


def _waits(sequences: Sequence[tuple[Any, Any]]) -> bool:
    """True if a call with these offsets and longest lengths waits for the device: offsets of their
    own are compared, and a length that torch does not know is found in them.
    """
    return any(
        [longest is None or offsets is not sequences[0][0] for offsets, longest in sequences]
    )
