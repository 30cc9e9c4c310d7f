"""Allocation of a kernel's outputs, which its calls leave out and return.

A call is completed by a function that is generated for its form: how many arguments it has, and
which keywords. It looks up the class of the call, element types and constants, and calls the
function that was generated for that (see ``allocate_function``), which torch's compiler traces.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ninetoothed import dtype as dtypes
from ninetoothed.artifacts.interface import Interface
from ninetoothed.cache.entries import EqualSizes, OutputFacts
from ninetoothed.calls.arguments import bind, checked_order
from ninetoothed.calls.generated import defined
from ninetoothed.calls.numbers import (
    element_type_of,
    is_tensor_like,
    member_value,
    number_value,
    shown_value,
    type_class,
)
from ninetoothed.calls.positions import MOST_ORDERS, CallOrder
from ninetoothed.definition.outputs import Output, Outputs
from ninetoothed.errors import ArgumentError, NineToothedError, collect_warnings, counted
from ninetoothed.pytorch.allocate_function import Allocate, allocate_function, refuse
from ninetoothed.pytorch.constant_results import Made, constant_result
from ninetoothed.pytorch.dtensors import are_sharded

Facts = Callable[[Mapping[str, Any], Mapping[str, Any]], OutputFacts]
"""What is known of outputs, from element types and constants by name."""

MOST_CLASSES = 4096
"""Classes that are kept of one kernel: constants that never come back must not fill the memory."""


Completed = tuple[tuple[Any, ...], dict[str, Any], Any]
"""A completed call: the values of all parameters, the other keywords, and what is returned."""


class ShardedError(ArgumentError):
    """A call's inputs, ``values``, have DTensors among them: nothing is allocated for it here."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        super().__init__("DTensors are taken by calls alone; pass a rank's own ones, .to_local()")
        self.values = values


class Plan(NamedTuple):
    """Positions among a call's arguments, its keywords' values and ``defaults``; of an output, its
    number, inverted (``~number``).

    ``parameters``: of the values of all parameters. ``inputs``: of what allocation depends on, the
    inputs, each tensor once, and the values of the kernel's keywords.
    """

    parameters: tuple[int, ...]
    inputs: tuple[int, ...]
    others: tuple[tuple[str, int], ...]
    defaults: tuple[Any, ...]


class Allocation:
    """Allocation of the outputs of one kernel; several threads may use it at once.

    ``facts`` are asked of each class of calls once. ``resolved`` gives the outputs for the sizes
    that are equal in a class of calls: those of ``outputs`` are assumed. ``are_traced`` tells of
    arguments whether torch traces them.
    """

    def __init__(
        self,
        interface: Interface,
        outputs: Outputs,
        resolved: Callable[[EqualSizes], Outputs],
        facts: Facts,
        are_traced: Callable[[Sequence[Any]], bool],
    ) -> None:
        self._interface = interface
        self.outputs = outputs
        self.resolved = resolved
        self.facts = facts
        self._are_traced = are_traced
        self._numbers = {output.position: number for number, output in enumerate(outputs.each)}
        self._inputs = _without(interface, self._numbers)
        self._ordered = CallOrder(self._inputs)
        self.names = tuple(output.name for output in outputs.each)
        self._firsts = [place for place in interface.firsts if place not in self._numbers]
        self._parameters = [interface.parameters[place] for place in self._firsts]
        self._forms: dict[Hashable, Callable[..., Completed]] = {}
        # By what quickly tells a call's class, and by the class.
        self._known: dict[Hashable, Allocate] = {}
        self._classes: dict[Hashable, Allocate] = {}
        self.made = Made()
        self.sizes_from = {
            output.name: tuple(
                None if one is None else (interface.names[one[0]], one[1])
                for one in outputs.sizes_from(output)
            )
            for output in outputs.each
        }
        """Of each dim of an output, the input and its dim that have the same size, where it is
        told.
        """
        # The names and kinds of a plan's inputs.
        self.inputs = (
            *((one.name, one.kind) for one in self._parameters),
            *((name, "constexpr") for name in interface.keywords),
        )

    def completed(self, args: Sequence[Any], keywords: dict[str, Any]) -> Completed:
        """Complete a call; of ``keywords``, ``out=None`` is taken away.

        Raises:
            ArgumentError: arguments are missing, too many, or do not fit; or nothing says an
                output's element type.
            ShardedError: there are DTensors among the inputs.
        """
        key: Hashable = len(args)
        if keywords:
            if "out" in keywords and keywords["out"] is None:
                del keywords["out"]
            key = (key, *keywords)
        form = self._forms.get(key)
        if form is None:
            form = self._form(len(args), tuple(keywords))
            if len(self._forms) < MOST_ORDERS:
                self._forms[key] = form
        return form(*args, *keywords.values())

    @constant_result
    def plan(self, count: int, keywords: tuple[str, ...]) -> Plan | str:
        """The plan of calls with ``count`` arguments and these keywords; a text, what is wrong."""
        try:
            return self._plan(count, keywords)
        except NineToothedError as error:
            return error.message

    @constant_result
    def name(self, types: tuple[Any, ...], constants: tuple[Any, ...]) -> tuple[str, str]:
        """The attribute of ``made`` that allocates for calls of a class, or "", and what is wrong.

        ``types``: element types of the plan's inputs; ``constants``: what is compiled in, in order.
        """
        try:
            allocate = self._allocate(types[: len(self._parameters)], constants)
        except NineToothedError as error:
            return "", error.message
        return self.made.keep(allocate), ""

    def given_outputs(self, out: Any) -> tuple[Any, ...]:
        """The outputs that ``out=`` gives.

        Raises:
            ArgumentError: they are not as many tensors.
        """
        names = self.names
        given = cast("Sequence[Any] | None", out if isinstance(out, tuple | list) else None)
        if len(names) == 1 and given is None:
            return (cast("Any", out),)
        if len(names) > 1 and given is not None and len(given) == len(names):
            return (*given,)
        wanted = (
            f"the tensor {names[0]} itself"
            if len(names) == 1
            else f"a tuple of {len(names)} tensors, {', '.join(names)}"
        )
        found = shown_value(out) if given is None else f"a tuple of {len(given)}"
        refuse(f"out must be {wanted}, not {found}")

    def _plan(self, count: int, keywords: tuple[str, ...]) -> Plan:
        """See :meth:`plan`.

        Raises:
            ArgumentError: the kernel takes other arguments.
        """
        self._check_no_outputs(count, keywords)
        order = checked_order(self._ordered, self._inputs, count, keywords)
        found = iter(order.parameters)
        places: list[int] = []
        for parameter in self._interface.parameters:
            number = self._numbers.get(parameter.first)
            places.append(next(found) if number is None else ~number)
        others = dict(order.others)
        inputs = [places[first] for first in self._firsts]
        inputs += [others[name] for name in self._interface.keywords]
        return Plan(tuple(places), tuple(inputs), order.others, order.defaults)

    def _check_no_outputs(self, count: int, keywords: tuple[str, ...]) -> None:
        """Check that a call does not give outputs like other arguments.

        Raises:
            ArgumentError: it does.
        """
        names = self.names
        given = ", ".join(names)
        if len(names) == 1:
            hint = f"{given} is allocated and returned; leave it out, or pass out={given}"
        else:
            hint = f"{given} are allocated and returned; leave them out, or pass out=({given})"
        inputs = self._inputs.names
        call = f"{self._interface.name}({', '.join(inputs)})"
        named = next((name for name in keywords if name in names), None)
        if named is not None:
            raise ArgumentError(f"{call} does not take {named}: {hint}")
        if len(inputs) < count <= len(self._interface.names):
            raise ArgumentError(
                f"{call} takes {counted(len(inputs), 'argument')}, but {count} were given: {hint}"
            )

    def _form(self, count: int, keywords: tuple[str, ...]) -> Callable[..., Completed]:
        """A function of arguments and keywords' values that completes a call.

        Raises:
            ArgumentError: such a call is wrong.
        """
        others = tuple(name for name in keywords if name != "out")
        plan = self._plan(count, others)
        taken = [f"g{place}" for place in range(count + len(others))]
        texts = [*taken, *(f"default{place}" for place in range(len(plan.defaults)))]
        given = [texts[place] for place in plan.inputs]
        key = [
            f"{text}.__class__, {text}.dtype" if one.kind == "tensor" else f"class{place}({text})"
            for place, (one, text) in enumerate(zip(self._parameters, given, strict=False))
        ]
        # A bool is equal to a number.
        key += [f"({text}.__class__, {text})" for text in given[len(key) :]]
        values = [texts[place] if place >= 0 else f"results[{~place}]" for place in plan.parameters]
        rest = ", ".join(f"{name!r}: {texts[place]}" for name, place in plan.others)
        result = "results[0]" if len(self.outputs.each) == 1 else "results"
        listed = ", ".join(given)
        if "out" in keywords:
            taken.insert(count + keywords.index("out"), "out")
            allocated = ["    results = given_outputs(out)"]
        else:
            allocated = [
                "    try:",
                f"        results = known[{', '.join(key)},]({listed})",
                "    except Exception:",
                # It is new, or unusual, or wrong.
                f"        results = unusual({listed})",
            ]
        lines = [
            f"def complete({', '.join(taken)}):",
            *allocated,
            f"    return ({', '.join(values)},), {{{rest}}}, {result}",
        ]
        known = {
            **{f"default{place}": value for place, value in enumerate(plan.defaults)},
            **{
                f"class{place}": functools.partial(type_class, one)
                for place, one in enumerate(self._parameters)
            },
            "known": self._known,
            "unusual": self._unusual,
            "given_outputs": self.given_outputs,
        }
        (complete,) = defined(("complete",), "\n".join(lines), known)
        return complete

    def _unusual(self, *values: Any) -> tuple[Any, ...]:
        """Allocate the outputs of a call of a new class, or of one that is wrong.

        Raises:
            ArgumentError: arguments do not fit, or nothing says an element type.
            ShardedError: there are DTensors.
        """
        if are_sharded(values):
            raise ShardedError(values)
        count = len(self._parameters)
        is_traced = self._are_traced(values)
        if not is_traced:
            given = dict(zip(self._interface.keywords, values[count:], strict=True))
            # The call warns itself.
            with collect_warnings():
                bind(self._inputs, values[:count], given)
        types: list[Any] = []
        constants: list[Any] = []
        for parameter, value in zip(self._parameters, values, strict=False):
            # What torch traces has no value.
            if parameter.kind == "tensor" or (is_traced and is_tensor_like(value)):
                types.append(value.dtype)
                continue
            number = number_value(parameter, value)
            types.append(dtypes.own_type(member_value(value)) or dtypes.literal(number))
            if parameter.kind == "constexpr":
                constants.append(number)
        constants += map(dtypes.number, values[count:])
        allocate = self._allocate(tuple(types), tuple(constants))
        try:
            key: list[Hashable] = []
            for one, value in zip(self._parameters, values, strict=False):
                if one.kind == "tensor":
                    key += (value.__class__, value.dtype)
                else:
                    key.append(type_class(one, value))
        except TypeError:
            # It has a number of another class than Python's.
            return allocate(*values)
        if len(self._known) >= MOST_CLASSES:
            self._known.clear()
        self._known[(*key, *((one.__class__, one) for one in values[count:]))] = allocate
        return allocate(*values)

    def _allocate(self, types: tuple[Any, ...], constants: tuple[Any, ...]) -> Allocate:
        """The function that allocates for calls of a class (see :meth:`name`).

        Raises:
            ArgumentError: an output is not written, or nothing says its element type.
        """
        key = (types, *((one.__class__, repr(one)) for one in constants))
        found = self._classes.get(key)
        if found is None:
            if len(self._classes) >= MOST_CLASSES:
                self._classes.clear()
            found = self._classes[key] = self._generated(types, constants)
        return found

    def _generated(self, types: tuple[Any, ...], constants: tuple[Any, ...]) -> Allocate:
        pairs = zip(self._parameters, types, strict=True)
        named = {
            parameter.name: element_type_of(one) if parameter.kind == "tensor" else one
            for parameter, one in pairs
        }
        found = [self._type(output, named) for output in self.outputs.each]
        chosen = [one.name for one in self._parameters if one.kind == "constexpr"]
        known = {name: one for name, one in named.items() if name not in chosen}
        for output, dtype in zip(self.outputs.each, found, strict=True):
            if isinstance(dtype, str):
                known[output.name] = dtype
        chosen += self._interface.keywords
        facts = self.facts(known, dict(zip(chosen, constants, strict=True)))
        for output in self.outputs.each:
            if output.name not in facts.written:
                raise ArgumentError(
                    f"{output.name} is an output, and the application does not write it in calls "
                    "like this one; leave it out of outputs="
                )
        outputs = self.outputs
        if outputs.needs_checks:
            outputs = self.resolved(facts.equal_sizes)
        return allocate_function(self._interface, outputs, found, facts.full)

    def _type(self, output: Output, inputs: Mapping[str, Any]) -> str | ArgumentError:
        """The element type of an output, from those of the inputs; an error, where its function may
        tell it.

        Raises:
            ArgumentError: nothing tells it.
        """
        if output.dtype is not None:
            return output.dtype
        if output.like is not None:
            return inputs[self._interface.names[output.like]]
        tensors = [one.name for one in self._parameters if one.kind == "tensor"]
        common = {inputs[name] for name in tensors}
        if len(common) == 1:
            return common.pop()
        listed = ", ".join(f"{name} has {inputs[name]}" for name in tensors)
        way = (
            f"say what it is like, as in outputs={{{output.name!r}: {tensors[0]!r}}}"
            if output.function is None
            else "return (shape, dtype) from its function"
        )
        error = ArgumentError(
            f"nothing tells the element type of {output.name}, for those of the inputs differ "
            f"({listed}); declare it, as in Tensor({output.ndim}, dtype=ninetoothed.float32), or "
            f"{way}"
        )
        if output.function is None:
            raise error
        return error


def assembled(plan: Plan, given: Sequence[Any], outputs: Sequence[Any]) -> Completed:
    """The call of a plan, with its outputs."""
    values = [given[place] if place >= 0 else outputs[~place] for place in plan.parameters]
    others = {name: given[place] for name, place in plan.others}
    return tuple(values), others, outputs[0] if len(outputs) == 1 else tuple(outputs)


def _without(interface: Interface, outputs: Mapping[int, int]) -> Interface:
    """What calls give: an interface without outputs, and without what launches alone need."""
    kept = [place for place, one in enumerate(interface.parameters) if one.first not in outputs]
    numbers = {place: number for number, place in enumerate(kept)}
    parameters = [interface.parameters[place] for place in kept]
    return Interface(
        interface.name,
        tuple(one._replace(first=numbers[one.first]) for one in parameters),
        interface.meta,
        interface.constexprs,
        (),
        (),
        (),
    )
