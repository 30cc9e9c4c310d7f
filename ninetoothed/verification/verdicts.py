"""Static verification of a kernel for all sizes: ``check`` and ``Kernel.report``.

Six questions are asked of every kernel:

- *agreement*: do all parameters have as many elements as there are programs?
- *in bounds*: does every access without a guard lie inside its tensor?
- *coverage*: is every element of an output written?
- *races*: can two programs write one element?
- *defined*: is every element that is stored computed from elements that exist?
- *index width*: how large can an offset be?

An answer is ``proved``, ``checked`` (at the call, which has the sizes), ``disproved``, with an
example, ``benign`` (programs race to write the same value) or ``undecided``. It is never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ninetoothed.artifacts.signature import NARROW, Agreement, Signature
from ninetoothed.cache.entries import OutputFacts
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.defaults import (
    describe_assumed,
    fitted,
    for_fewest_sizes,
    plain_values,
    require_names,
)
from ninetoothed.definition.define import define, run_arrangement
from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.errors import (
    ArgumentError,
    Loc,
    RaceError,
    RaceWarning,
    user_facing,
    warn,
)
from ninetoothed.ir import nt
from ninetoothed.ir.nt import kernel_of
from ninetoothed.layout.emptiness import emptied
from ninetoothed.layout.inverse import Placement, Site
from ninetoothed.layout.joint import Store, apart, covered
from ninetoothed.layout.meta_op import NOTHING, Guard, MetaOp, elements, shape_text
from ninetoothed.layout.numbering import renumbering
from ninetoothed.passes.analysis.checked_sizes import sizes_of_every_call
from ninetoothed.passes.analysis.definedness import NO_PROOF
from ninetoothed.passes.analysis.program_numbering import numberings, use_of
from ninetoothed.passes.analysis.writes import Write, writes
from ninetoothed.symbolic.expr import IndexExpr, ir_text, sym
from ninetoothed.symbolic.intervals import Assumptions, bounds
from ninetoothed.symbolic.normal_form import equal, normalize
from ninetoothed.verification.counterexamples import Example, race, samples, unwritten
from ninetoothed.verification.stored_lanes import StoredLanes

PROVED, CHECKED, DISPROVED = "proved", "checked", "disproved"
BENIGN, UNDECIDED = "benign", "undecided"
_NARROW = "2**31 - 2**20"
COMPUTED = "some addresses are computed"
"""The reason why a verdict on stores through pointers is undecided."""


@dataclass(frozen=True)
class Verdict:
    """Answer to a ``question`` about a parameter, the ``subject``, or several.

    ``text`` states it in words; ``example`` is a counterexample; ``loc`` is the line in question.
    """

    question: str
    subject: str
    answer: str
    text: str
    example: Example | None = None
    loc: Loc | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.text if self.example is None else f"{self.text}: {self.example}"


@dataclass(frozen=True)
class Report:
    """The verdicts on one kernel. ``str(report)`` is a table."""

    kernel: str
    verdicts: tuple[Verdict, ...]
    assumed: str = ""
    """The assumptions about a call, as comments."""

    @property
    def undecided(self) -> tuple[Verdict, ...]:
        """Verdicts without an answer."""
        return tuple(verdict for verdict in self.verdicts if verdict.answer == UNDECIDED)

    def of(self, question: str, subject: str) -> Verdict:
        """The verdict on a parameter.

        Raises:
            KeyError: the question was not asked of it.
        """
        for verdict in self.verdicts:
            if (verdict.question, verdict.subject) == (question, subject):
                return verdict
        raise KeyError(f"{question} of {subject}")

    def __str__(self) -> str:
        rows = [(v.question, v.subject, v.answer, str(v)) for v in self.verdicts]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True))
            for row in rows
        ]
        return "\n".join([f"{self.kernel}", *(f"  {line.rstrip()}" for line in lines)])


@user_facing
def check(
    arrangement: Callable[..., object],
    application: Callable[..., object],
    tensors: Iterable[object],
    dtypes: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
) -> Report:
    """Verify a kernel for all sizes, without compiling it.

    Args:
        arrangement: As in :func:`ninetoothed.make`.
        application: As in :func:`ninetoothed.make`.
        tensors: As in :func:`ninetoothed.make`.
        dtypes: Element types by parameter; others are fp32, or integers where that does not fit.
        values: Values of constexprs by name; others are a number within their bounds.

    Raises:
        NineToothedError: the arrangement or the application is wrong; at its place.

    Example:
        >>> def arrangement(x, y, size=block_size()):
        ...     return x.tile((size,)), y.tile((size,))
        >>> def application(x, y):
        ...     y = 2 * x
        >>> found = ninetoothed.check(arrangement, application, (Tensor(1), Tensor(1)))
        >>> {one.answer for one in found.verdicts if one.question == "races"}
        {'proved'}
    """
    arranged = run_arrangement(arrangement, tensors)
    definition = define(None, arranged.tensors, application, decisions=arranged.decisions)
    return report(definition, dtypes or {}, values or {})


def report(definition: Definition, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> Report:
    """Verdicts on a kernel where no call has fixed its types.

    Raises:
        NineToothedError: the application is wrong, or a constexpr number has no value.
    """
    require_names(dtypes, values)
    # Proofs are for all block sizes, so no configuration is chosen; and for all constexpr sizes,
    # unless the application is specialized on one.
    signature, module, lanes = fitted(
        definition,
        dtypes,
        {**plain_values(definition), **values},
        lambda signature: _built(definition, signature, values),
    )
    assumed = describe_assumed(definition, signature, dtypes)
    verifier = _Verifier(definition, module)
    tensors = verifier.tensors
    outputs = [parameter for parameter in tensors if verifier.stores(parameter)]
    verdicts = [
        *verifier.agreement(),
        *map(verifier.in_bounds, tensors),
        *map(verifier.coverage, outputs),
        *map(verifier.races, outputs),
        *(verifier.defined(parameter, lanes) for parameter in outputs),
        *map(verifier.index_width, tensors),
    ]
    return Report(definition.name, tuple(verdicts), assumed)


def output_facts(
    definition: Definition, dtypes: Mapping[str, Any], values: Mapping[str, Any]
) -> OutputFacts:
    """Names of the parameters that may be written, of those of which every element is written and
    none is read, whatever the sizes, where all outermost levels have one shape, and of sizes that
    are equal in every call.

    Raises:
        NineToothedError: the application is wrong for these element types.
    """

    def built(signature: Signature) -> tuple[ModuleOp, bool]:
        found, module = for_fewest_sizes(
            definition, signature, values, lambda one: build(definition, one)
        )
        # With other blocks, other code may run.
        return module, found is not signature and not kernel_of(module).specialized

    module, is_for_all = fitted(definition, dtypes, values, built)
    verifier = _Verifier(definition, module)
    if not is_for_all:
        every = frozenset(parameter.name for parameter in verifier.tensors)
        return OutputFacts(every, frozenset(), ())
    arguments = kernel_of(module).apply.block.args
    read = {
        parameter.origin
        for parameter, argument in zip(definition.parameters, arguments, strict=True)
        if use_of(argument) in ("read", "update") or _has_address(argument)
    }
    written = [parameter for parameter in verifier.tensors if verifier.stores(parameter)]
    full = (
        parameter.name
        for parameter in written
        if parameter.origin not in read and verifier.coverage(parameter).answer == PROVED
    )
    names = frozenset(parameter.name for parameter in written)
    return OutputFacts(names, frozenset(full), sizes_of_every_call(kernel_of(module)))


def _has_address(argument: SSAValue) -> bool:
    """True if pointers are made of a parameter, through which it may be read."""
    kinds = (nt.AddressOp, nt.PointerOp, nt.SequencesOp)
    return any(isinstance(use.operation, kinds) for use in argument.uses)


def _built(
    definition: Definition, signature: Signature, values: Mapping[str, Any]
) -> tuple[Signature, ModuleOp, StoredLanes]:
    """Build the module for as few assumed constexpr sizes as possible; returns it with its
    signature and what its stores hold.
    """
    lanes = StoredLanes()
    # The verdicts say more than the warnings.
    found, module = for_fewest_sizes(
        definition, signature, values, lambda one: build(definition, one, [lanes])
    )
    return found, module, lanes


def warn_of_races(
    definition: Definition, module: ModuleOp, strict: bool, agreement: Agreement = "shapes"
) -> None:
    """Warn of races: programs that write one element. ``agreement``: that of the module's
    signature.

    Raises:
        RaceError: there are such, and ``strict`` is set.
    """
    verifier = _Verifier(definition, module, agreement)
    for parameter in verifier.tensors:
        if parameter.source.allow_races or not verifier.stores(parameter):
            continue
        verdict = verifier.races(parameter)
        if verdict.answer != DISPROVED:
            continue
        message = (
            f"two programs write one element of {parameter.name}: {verdict.example}; give each its "
            "own elements, add with ntl.atomic_add, or declare "
            "Tensor(..., allow_races=True)"
        )
        if strict:
            raise RaceError(message, verdict.loc)
        warn(RaceWarning(message, verdict.loc))


def check_outputs(definition: Definition, module: ModuleOp, signature: Signature) -> None:
    """Check that no two indices of a tensor that is written are one place in memory.

    Raises:
        ArgumentError: two are, as in a tensor that ``expand`` or ``unfold`` made.
    """
    repeated = [
        parameter
        for parameter, param in zip(definition.parameters, signature.params, strict=True)
        if param.repeated and not parameter.source.allow_races
    ]
    if not repeated:
        return
    verifier = _Verifier(definition, module, signature.agreement)
    for parameter in repeated:
        if any(not write.atomic for _, write in verifier.stores(parameter)):
            raise ArgumentError(
                f"{parameter.name} is written, but several of its indices are one place in "
                "memory, as of what .expand() and .unfold() return; pass a tensor with memory for "
                "each, for example a .clone() of it"
            )


_Find = Callable[[Sequence[Store], Mapping[str, int]], Example | None]


class _Verifier:
    """Verification of one kernel, in stage ``composed``."""

    def __init__(
        self, definition: Definition, module: ModuleOp, agreement: Agreement = "shapes"
    ) -> None:
        kernel = kernel_of(module)
        self._definition = definition
        self._assumptions: Assumptions = kernel.assumptions
        self.tensors = [
            parameter for parameter in definition.parameters if parameter.kind == "tensor"
        ]
        shapes = [parameter.levels[0] for parameter in definition.parameters]
        self._numberings = {
            parameter.name: found
            for parameter, found in zip(
                definition.parameters, numberings(kernel, shapes, agreement), strict=True
            )
        }
        self._placements = {
            parameter.name: self._placement(parameter, arranged)
            for parameter, arranged in zip(
                definition.parameters, kernel.arranged.values, strict=True
            )
        }
        self._writes = writes(kernel, [parameter.origin for parameter in definition.parameters])
        # What is stored says nothing about where: other sizes of what is read change no example.
        self._checks = [
            pair
            for check in kernel.checks.data
            if not check.data.defined
            for pair in zip(check.data.left, check.data.right, strict=True)
        ]
        # In counterexamples, all sequences have one length.
        self._checks += [
            (sym(parameter.source.jagged[0]), parameter.source.jagged[1])
            for parameter in definition.parameters
            if parameter.source.jagged is not None
        ]
        self._powers = frozenset(
            name for name, info in definition.meta.items() if info.power_of_two
        )

    def stores(self, parameter: ArrangedParameter) -> list[tuple[Placement, Write]]:
        """Stores of the application to the tensor of a parameter, through this parameter or another
        of the same tensor; none for a tensor that it does not write itself.
        """
        parameters = self._definition.parameters
        found = [
            (self._placements[parameters[write.param].name], write)
            for write in self._writes
            if parameters[write.param].origin == parameter.origin
        ]
        written = any(parameters[write.param] is parameter for _, write in found)
        return found if written else []

    def _placement(self, parameter: ArrangedParameter, arranged: SSAValue) -> Placement:
        # The module may be that of calls in which none of the tensor's elements exists.
        access = nt.access_of(arranged, self._assumptions)[1].data
        ops = emptied(parameter.ops) if NOTHING in access.guards else parameter.ops
        return Placement(
            parameter.source.shape,
            (*ops, *self._renumbering(parameter)),
            self._assumptions,
            parameter.source.jagged,
        )

    def _renumbering(self, parameter: ArrangedParameter) -> tuple[MetaOp, ...]:
        """The operations that give the programs a parameter's elements."""
        found = self._numberings[parameter.name]
        if found is None:
            return ()
        return renumbering(found, self.tensors[0].levels[0], parameter.levels[0])

    def agreement(self) -> list[Verdict]:
        """Verdicts on agreement of the outermost levels, each compared with the first."""
        found: list[Verdict] = []
        for parameter in self.tensors[1:]:
            subject = f"{self.tensors[0].name}, {parameter.name}"
            answer, text = self._agrees(parameter)
            found.append(Verdict("agreement", subject, answer, text))
        return found

    def _agrees(self, parameter: ArrangedParameter) -> tuple[str, str]:
        one, two = self.tensors[0].levels[0], parameter.levels[0]
        found = self._numberings[parameter.name]
        shapes = f"{_shape(two)} for programs {_shape(one)}"
        if found is None or found.rule == "shapes":
            ranges = self._assumptions
            same = all(
                equal(elements(a, ranges), elements(b, ranges))
                for a, b in zip(one, two, strict=True)
            )
            text = f"both are {_shape(one)}" if same else f"{_shape(one)} = {_shape(two)}"
            return PROVED if same else CHECKED, text
        if found.rule is None:
            return PROVED, "nothing to agree on: no element is read or written"
        if found.rule == "counts":
            counts = f"{ir_text(found.programs)} = {ir_text(found.own)}"
            proved = found.proved == "="
            return (PROVED, f"as many elements: {shapes}") if proved else (CHECKED, counts)
        if found.use == "offsets":
            return PROVED, f"only asked for offsets: {shapes}"
        effects = ["elements without a program are not reached"] if found.unreached else []
        if found.surplus:
            lost = ["read other or 0"] if found.use != "write" else []
            lost += ["write nothing"] if found.is_written else []
            effects.append(f"programs without an element {' and '.join(lost)}")
        return DISPROVED, f"{shapes}: {', and '.join(effects)}"

    def in_bounds(self, parameter: ArrangedParameter) -> Verdict:
        """Verdict on accesses in bounds: those that no guard excludes are inside."""
        placement = self._placements[parameter.name]
        if not all(placement.inside()):
            return Verdict("in bounds", parameter.name, UNDECIDED, NO_PROOF)
        never = placement.never()
        if never:
            guard = never[0]
            text = f"no element exists: never {_condition(guard)}"
        elif placement.access.guards:
            text = f"where {' and '.join(map(_condition, placement.access.guards))}"
        else:
            text = "every lane is an element, without a guard"
        return Verdict("in bounds", parameter.name, PROVED, text)

    def coverage(self, parameter: ArrangedParameter) -> Verdict:
        """Verdict on coverage: every element is written."""
        found = self.stores(parameter)
        stores = [(placement, write.site) for placement, write in found if not write.pointer]

        def verdict(answer: str, text: str, example: Example | None = None) -> Verdict:
            loc = found[0][1].site.loc
            return Verdict("coverage", parameter.name, answer, text, example, loc)

        if stores and covered(stores):
            return verdict(PROVED, "every element is written")
        if len(stores) < len(found):
            return verdict(UNDECIDED, COMPUTED)
        open_ = _open([site for _, site in stores])
        if open_ is not None:
            return verdict(UNDECIDED, open_)
        example = self._example(stores, unwritten)
        if example is None:
            return verdict(UNDECIDED, "no proof and no example was found")
        return verdict(DISPROVED, "an element is never written", example)

    def races(self, parameter: ArrangedParameter) -> Verdict:
        """Verdict on races: two programs write one element."""
        found = [(place, write) for place, write in self.stores(parameter) if not write.atomic]
        sites = [write.site for _, write in found]

        def verdict(answer: str, text: str, example: Example | None = None) -> Verdict:
            loc = sites[0].loc if sites else None
            return Verdict("races", parameter.name, answer, text, example, loc)

        if not found:
            return verdict(PROVED, "only atomics write")
        if any(write.pointer for _, write in found):
            return verdict(UNDECIDED, COMPUTED)
        placement = found[0][0]
        if apart([(place, write.site) for place, write in found]):
            return verdict(PROVED, "no two programs write one element")
        certain = [
            (place, write.site)
            for place, write in found
            if write.site.known and not write.site.conditional
        ]
        example = self._example(certain, race) if certain else None
        if example is None:
            return verdict(UNDECIDED, _open(sites) or "no proof and no example was found")
        # The lane and the loops are those of the element, so racing programs store one value.
        open_names = frozenset(placement.racing(sites[0]))
        alone = len(found) == 1 and open_names <= frozenset(placement.program_names)
        if alone and not found[0][1].depends & open_names:
            text = f"programs that differ in {_dims(open_names)} write the same value"
            return verdict(BENIGN, text, example)
        return verdict(DISPROVED, "two programs write one element", example)

    def defined(self, parameter: ArrangedParameter, lanes: StoredLanes) -> Verdict:
        """Verdict on definedness: what is stored was read, or has a value."""
        found = self.stores(parameter)
        if any(write.pointer for _, write in found):
            loc = found[0][1].site.loc
            return Verdict("defined", parameter.name, UNDECIDED, COMPUTED, loc=loc)
        params = sorted({write.param for _, write in found})
        answer, text, loc = lanes.of(params)
        return Verdict("defined", parameter.name, answer, text, loc=loc)

    def index_width(self, parameter: ArrangedParameter) -> Verdict:
        """Verdict on the index width: the largest offset, in elements."""
        placement = self._placements[parameter.name]
        if placement.jagged is not None:
            text = f"32 bits where all sequences together have fewer than {_NARROW} elements"
            return Verdict("index width", parameter.name, CHECKED, f"{text}, else 64")
        largest = placement.largest_offset(parameter.source.strides)
        text = f"at most {ir_text(largest)}"
        upper = bounds(largest, self._assumptions)[1]
        if upper is None or upper >= NARROW:
            # A call has one width for all of its tensors.
            text += f"; 32 bits where that of every tensor is below {_NARROW}, else 64"
        return Verdict("index width", parameter.name, PROVED, text)

    def _example(self, stores: Sequence[Store], find: _Find) -> Example | None:
        for values in samples(stores, self._checks, self._assumptions, self._powers):
            try:
                example = find(stores, values)
            except (OverflowError, ZeroDivisionError):
                continue
            if example is not None:
                return example
        return None


def _shape(sizes: Iterable[IndexExpr]) -> str:
    return shape_text(ir_text(normalize(size)) for size in sizes)


def _condition(guard: Guard) -> str:
    return f"{ir_text(guard.index)} < {ir_text(guard.size)}"


def _open(sites: Sequence[Site]) -> str | None:
    """Reason why stores cannot be followed, or None."""
    if any(not site.known for site in sites):
        return "an index is known at run time only"
    if any(site.conditional for site in sites):
        return "whether a store is executed is known at run time only"
    return None


def _dims(names: Iterable[str]) -> str:
    dims = sorted(int(name[1:]) for name in names)
    return f"dim {dims[0]}" if len(dims) == 1 else f"dims {', '.join(map(str, dims))}"
