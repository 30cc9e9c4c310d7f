"""Outputs of a kernel: tensors that its calls allocate and return, and what says their shapes.

``outputs=`` of ``make``, checked and resolved against a kernel's definition: what is left to a call
is Python source over sizes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeAlias, cast

from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.errors import ArgumentError, counted, did_you_mean, shown
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.layout.solved_sizes import equalities, solved_sizes
from ninetoothed.symbolic.expr import IndexExpr, python_text, substitution, sym, symbol_names

ShapeFunction: TypeAlias = Callable[..., Any]
Rule: TypeAlias = str | ShapeFunction | None
OutputsLike: TypeAlias = Iterable[str] | Mapping[str, Rule] | ShapeFunction | None
"""What ``make`` and ``jit`` take as ``outputs=``."""

_WITHOUT = "leave outputs out, and pass a tensor to write into"


@dataclass(frozen=True)
class Output:
    """Output: its name and the position of its first parameter, and what says its shape.

    ``shape``: Python source of each size (see :class:`Outputs`). ``like``: the position of the
    input that it is like. ``function`` returns the shape, or the shape and the element type; it
    takes the inputs and symbols that ``takes`` names.

    ``batches``: how many dims in front are those of batches of calls. With some, an output that is
    like an input has a ``shape``, too, and what it is like is that input in one call.
    """

    name: str
    position: int
    ndim: int
    dtype: str | None
    shape: tuple[str, ...] | None = None
    like: int | None = None
    function: ShapeFunction | None = None
    takes: tuple[str, ...] = ()
    batches: int = 0


@dataclass(frozen=True)
class Outputs:
    """Outputs of a kernel, in order.

    In Python source, ``s0``, ``s1``, … are ``sizes``, each the position of a parameter and the dim,
    and ``c0``, ``c1``, … the values of the kernel's keywords. ``conditions``: pairs of source;
    where each pair is equal, all outermost levels have one shape, as proofs of coverage assume it.
    None where no sizes tell.

    ``needs_checks``: a shape follows only with sizes that calls check to be equal.

    ``is_shared``: they are several, and one function returns a tuple of what each is.
    """

    each: tuple[Output, ...]
    sizes: tuple[tuple[int, int], ...]
    conditions: tuple[tuple[str, str], ...] | None
    needs_checks: bool = False
    is_shared: bool = False

    def sizes_from(self, output: Output) -> tuple[tuple[int, int] | None, ...]:
        """Of each dim of an output, the position and the dim of an input that has its size; None
        where it is computed, or a function tells it.
        """
        if output.shape is None:
            if output.like is None:
                return (None,) * output.ndim
            return tuple((output.like, dim) for dim in range(output.ndim))
        hidden = {one.position for one in self.each}
        found = {
            f"s{number}": size for number, size in enumerate(self.sizes) if size[0] not in hidden
        }
        return tuple(map(found.get, output.shape))


def resolve(
    definition: Definition, given: OutputsLike, equal_sizes: Iterable[tuple[str, str]] | None = ()
) -> Outputs:
    """Resolve what ``make`` was given as ``outputs=``. ``equal_sizes``: pairs of names of sizes; a
    call in which they differ is refused. None where only calls tell: what they are to decide has no
    shape yet.

    Raises:
        ArgumentError: it names no tensor of the kernel, or nothing decides a shape.
    """
    tensors = _tensors(definition)
    rules = _rules(definition, given, tensors)
    inputs = {name: one for name, one in tensors.items() if name not in rules}
    if not inputs:
        raise ArgumentError(
            f"outputs: {definition.name} has no tensor besides {', '.join(rules)}, so that nothing "
            f"says where to allocate; {_WITHOUT}"
        )
    taken = {*definition.interface.names, *definition.interface.keywords} - rules.keys()
    if "out" in taken:
        raise ArgumentError(
            "outputs: a call takes tensors to write into as out=, and out is a parameter or a "
            "symbol of the kernel; rename it"
        )
    for name, rule in rules.items():
        if isinstance(rule, str):
            _check_like(definition, tensors[name], rule, inputs)
        elif callable(rule) and tensors[name].jagged is not None:
            raise ArgumentError(
                f"outputs: no shape tells the sequences of {name}, which is jagged; name a jagged "
                f"input that it is like, or {_WITHOUT}"
            )
    found = _Resolver(definition, rules, tensors).resolved(equal_sizes)
    return replace(found, is_shared=callable(given) and len(rules) > 1)


def resolve_like(definition: Definition, likes: Mapping[str, int]) -> Outputs:
    """Outputs of these names, each like the tensor at a position, which may lie behind those of the
    kernel's parameters: what sizes that one has, only a call knows.
    """
    # As if a function told the sizes.
    rules: dict[str, Rule] = {name: lambda: () for name in likes}
    found = _Resolver(definition, rules, _tensors(definition)).resolved(())
    places = {one.position: likes[one.name] for one in found.each}
    each = tuple(replace(one, like=likes[one.name], function=None) for one in found.each)
    sizes = tuple((places.get(place, place), dim) for place, dim in found.sizes)
    return replace(found, each=each, sizes=sizes)


def _tensors(definition: Definition) -> dict[str, ArrangedParameter]:
    """The tensors that calls take, by the names of their first parameters."""
    parameters = [definition.parameters[place] for place in definition.firsts.values()]
    return {one.name: one for one in parameters if one.kind == "tensor"}


def _rules(
    definition: Definition, given: OutputsLike, tensors: Mapping[str, ArrangedParameter]
) -> dict[str, Rule]:
    """What says the shape of each output, by name.

    Raises:
        ArgumentError: ``given`` has another form, or names something else than tensors.
    """
    if callable(given):
        # It takes all tensors that are inputs.
        known = (*definition.interface.names, *definition.interface.keywords)
        takes = _parameters_of(given, "outputs", known)
        rules: dict[str, Rule] = {name: given for name in tensors if name not in takes}
        if not rules:
            raise ArgumentError(
                "outputs: the function takes every tensor, so that no output is left; a tensor is "
                "an output if the function does not take it"
            )
        return rules
    try:
        names: list[object] = [] if isinstance(given, str) else [*cast("Iterable[object]", given)]
    except TypeError:
        names = []
    if not names:
        raise ArgumentError(
            "outputs must be a tuple of parameters' names, a dict of them, or a function, not "
            f"{shown(given)}; write for example outputs=({([*tensors] or ['z'])[-1]!r},)"
        )
    for name in names:
        if not isinstance(name, str) or name not in tensors:
            near = did_you_mean(name, tensors) if isinstance(name, str) else ""
            known = f"tensors are {', '.join(tensors)}"
            raise ArgumentError(
                f"outputs: {shown(name)} is no tensor of {definition.name}; {near or known}"
            )
        if names.count(name) > 1:
            raise ArgumentError(f"outputs: {name} is named twice; name it once")
    if not isinstance(given, Mapping):
        return dict.fromkeys(cast("list[str]", names))
    for name, rule in cast("Mapping[str, object]", given).items():
        if not (rule is None or isinstance(rule, str) or callable(rule)):
            raise ArgumentError(
                f"outputs: {name} must be given the name of an input, a function of the inputs, or "
                f"None, not {shown(rule)}; for a shape that is always the same, write "
                f"outputs={{{name!r}: lambda: (64, 64)}}"
            )
    return dict(cast("Mapping[str, Rule]", given))


def _parameters_of(function: ShapeFunction, what: str, known: Sequence[str]) -> tuple[str, ...]:
    """The names of inputs and symbols that a function takes.

    Raises:
        ArgumentError: it takes something else.
    """
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{what}: {shown(function)} does not tell its parameters; write a Python function"
        ) from None
    found: list[str] = []
    for one in parameters:
        named = one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        if named and one.name in known:
            found.append(one.name)
        elif one.default is one.empty:
            raise ArgumentError(
                f"{what}: the function takes {one}, which is no input that a call gives; it is "
                f"given by name what it takes of {', '.join(known)}"
            )
    return tuple(found)


def _check_like(
    definition: Definition,
    output: ArrangedParameter,
    like: str,
    inputs: Mapping[str, ArrangedParameter],
) -> None:
    """Check that an output can be like an input.

    Raises:
        ArgumentError: there is no such input, or its dims are others.
    """
    if like not in inputs:
        known = f"inputs are {', '.join(inputs)}"
        near = did_you_mean(like, inputs) or known
        raise ArgumentError(
            f"outputs: {output.name} is to be like {like}, which is no input of "
            f"{definition.name} that is a tensor; {near}"
        )
    jagged_dims = [None if one.jagged is None else one.jagged.dim for one in (output, inputs[like])]
    counts = [len(one.source.shape) for one in (output, inputs[like])]
    if counts[0] != counts[1] or jagged_dims[0] != jagged_dims[1]:
        texts = [
            counted(count, "dim") if dim is None else f"{counted(count, 'dim')}, dim {dim} jagged"
            for count, dim in zip(counts, jagged_dims, strict=True)
        ]
        raise ArgumentError(
            f"outputs: {output.name} has {texts[0]}, and {like}, which it is to be like, has "
            f"{texts[1]}; give it a function of the inputs that returns its shape"
        )


class _Resolver:
    """What is known of sizes while outputs are resolved.

    ``values``: sizes of outputs, by those of inputs. ``places``: positions and dims of sizes.
    """

    def __init__(
        self,
        definition: Definition,
        rules: Mapping[str, Rule],
        tensors: Mapping[str, ArrangedParameter],
    ) -> None:
        self._definition = definition
        self._rules = rules
        self._tensors = tensors
        self._inputs = [one for name, one in tensors.items() if name not in rules]
        self._values: dict[str, IndexExpr] = {}
        self._places: dict[str, tuple[int, int]] = {}
        # Names of what is read, in the source.
        self._names = {name: sym(f"c{place}") for place, name in enumerate(definition.constexprs)}
        self._used: list[tuple[int, int]] = []

    def resolved(self, equal_sizes: Iterable[tuple[str, str]] | None) -> Outputs:
        """The outputs.

        Raises:
            ArgumentError: nothing decides a shape.
        """
        for one in self._inputs:
            self._add_sizes(one)
        for name, rule in self._rules.items():
            if isinstance(rule, str):
                self._be_like(self._tensors[name], self._tensors[rule])
        derived = [self._tensors[name] for name, rule in self._rules.items() if rule is None]
        for name, rule in self._rules.items():
            if callable(rule):
                # The call knows what the function returned.
                self._add_sizes(self._tensors[name])
        # Inputs say sizes before functions do.
        parameters = [one for one in self._definition.parameters if one.kind == "tensor"]
        parameters.sort(key=lambda one: callable(self._rules.get(one.name)))
        levels = [one.levels[0] for one in parameters]
        names = {name for one in derived for name in symbol_names(*one.source.shape)}
        unknown = names - self._known
        solved = solved_sizes(self._renamed(levels), unknown, self._known)
        needs_checks = len(solved) < len(unknown)
        if needs_checks and equal_sizes is not None:
            rename = substitution(self._values)
            equal = [(rename(sym(one)), rename(sym(other))) for one, other in equal_sizes]
            solved = solved_sizes(self._renamed(levels), unknown, self._known, equal)
        self._values.update(solved)
        shapes = {one.name: self._shape(one, equal_sizes is None) for one in derived}
        pairs = equalities(self._renamed(levels), self._known)
        conditions = None
        if pairs is not None:
            conditions = tuple((self._source(one), self._source(other)) for one, other in pairs)
        each = tuple(self._output(name, rule, shapes) for name, rule in self._rules.items())
        return Outputs(each, tuple(self._used), conditions, needs_checks)

    @property
    def _known(self) -> set[str]:
        return {*self._places, *self._definition.constexprs}

    def _add_sizes(self, parameter: ArrangedParameter) -> None:
        """Know the sizes of a tensor that a call has."""
        jagged_dim = None if parameter.jagged is None else parameter.jagged.dim
        place = self._definition.firsts[parameter.origin]
        for dim, size in enumerate(parameter.source.shape):
            if size.op == "sym" and dim != jagged_dim and size.args[0] not in self._values:
                self._places.setdefault(size.args[0], (place, dim))

    def _be_like(self, output: ArrangedParameter, like: ArrangedParameter) -> None:
        for one, other in zip(output.source.shape, like.source.shape, strict=True):
            if one.op == "sym" and one.args[0] not in self._known:
                self._values[one.args[0]] = other

    def _renamed(self, levels: Iterable[Sizes]) -> list[Sizes]:
        rename = substitution(self._values)
        return [tuple(map(rename, sizes)) for sizes in levels]

    def _shape(self, output: ArrangedParameter, may_be_open: bool) -> tuple[str, ...] | None:
        """Source of the shape of an output that was derived; None where calls may tell it.

        Raises:
            ArgumentError: nothing decides a size.
        """
        if output.jagged is not None:
            self._refuse(output, f"the sequences of {output.name}, which is jagged")
        (shape,) = self._renamed([output.source.shape])
        for dim, size in enumerate(shape):
            if not self._known.issuperset(symbol_names(size)):
                if may_be_open:
                    return None
                what = (
                    f"dim {dim} of {output.name}, whose size follows neither from outermost levels "
                    "nor from sizes that calls check to be equal"
                )
                self._refuse(output, what)
        return tuple(map(self._source, shape))

    def _refuse(self, output: ArrangedParameter, what: str) -> NoReturn:
        name, ndim = output.name, len(output.source.shape)
        dims = [None if one.jagged is None else one.jagged.dim for one in (output, *self._inputs)]
        alike = [
            one.name
            for one, dim in zip(self._inputs, dims[1:], strict=True)
            if len(one.source.shape) == ndim and dim == dims[0]
        ]
        ways = [f"outputs={{{name!r}: {alike[0]!r}}} if it is like {alike[0]}"] if alike else []
        if output.jagged is None:
            names = ", ".join(one.name for one in self._inputs)
            shape = f"({'…, ' * (ndim - 1)}…{',' * (ndim == 1)})"
            ways.append(f"outputs={{{name!r}: lambda {names}: {shape}}} with its shape")
        way = f"write {', or '.join(ways)}" if ways else _WITHOUT
        raise ArgumentError(f"outputs: nothing decides {what}; {way}")

    def _source(self, expr: IndexExpr) -> str:
        """Python source of an expression of known symbols."""
        for name in symbol_names(expr):
            if name not in self._names:
                self._names[name] = sym(f"s{len(self._used)}")
                self._used.append(self._places[name])
        return python_text(substitution(self._names)(expr))

    def _output(
        self, name: str, rule: Rule, shapes: Mapping[str, tuple[str, ...] | None]
    ) -> Output:
        source = self._tensors[name].source
        firsts = self._definition.firsts
        takes: tuple[str, ...] = ()
        if callable(rule):
            takes = _parameters_of(rule, f"outputs: {name}", self._inputs_of_calls())
        return Output(
            name,
            firsts[self._tensors[name].origin],
            len(source.shape),
            source.dtype,
            shapes.get(name),
            firsts[self._tensors[rule].origin] if isinstance(rule, str) else None,
            rule if callable(rule) else None,
            takes,
        )

    def _inputs_of_calls(self) -> list[str]:
        """The names of what a call gives."""
        interface = self._definition.interface
        names = [interface.names[place] for place in interface.firsts]
        return [*(name for name in names if name not in self._rules), *interface.keywords]
