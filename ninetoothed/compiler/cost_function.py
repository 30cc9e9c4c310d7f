"""Cost functions of a kernel as Python source, which runs without the compiler.

They return what ``compiler.cost`` counts. ``footprint`` takes the block sizes and returns what no
call changes; ``cost``, which follows it, takes a call's arguments and returns a function of the
block sizes, so that what they do not change is computed once a call. ``artifacts.occupancy`` names
the tuples' fields: ``Footprint`` and ``Amounts``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.signature import Signature
from ninetoothed.backend.launch_source import Binding
from ninetoothed.compiler.cost import Counted, Lanes, Scope, Stream, blocks_of, fixed_sizes
from ninetoothed.ir import nt
from ninetoothed.passes.specialize import dynamic_block_sizes
from ninetoothed.symbolic.choices import powers_between
from ninetoothed.symbolic.expr import IndexExpr, product, substitute, symbol_names
from ninetoothed.symbolic.normal_form import normalize

_ROUNDED = """\
def rounded(size):
    return 1 << (max(size, 1) - 1).bit_length()
"""


def lanes_source(module: ModuleOp, signature: Signature) -> str:
    """Source of ``lanes``, for a module in stage ``composed``: the lanes of the largest block, by
    block sizes. It takes less to write than a ``footprint``.
    """
    kernel = nt.kernel_of(module)
    blocks = blocks_of(kernel, fixed_sizes(kernel, signature))
    return f"{_ROUNDED}\n\n{_Footprint(kernel, signature).lanes_text(blocks)}"


def footprint_source(module: ModuleOp, signature: Signature, counted: Counted) -> str:
    """Source of ``footprint``, for a module in stage ``composed``."""
    return f"{_ROUNDED}\n\n{_Footprint(nt.kernel_of(module), signature).text(counted)}"


def cost_source(module: ModuleOp, counted: Counted) -> str:
    """Source of ``cost``, for a module in stage ``composed``.

    Raises:
        CompilerError: it depends on a size that no argument of a call gives.
    """
    return _Cost(nt.kernel_of(module)).text(counted)


class _Rounding:
    """Padding of block sizes to powers of two."""

    def __init__(self, kernel: nt.KernelOp, signature: Signature) -> None:
        fixed = fixed_sizes(kernel, signature)
        sizes = zip(dynamic_block_sizes(kernel), signature.padded_sizes, strict=False)
        self._known = {
            str(normalize(substitute(size, fixed))): padded_size for size, (_, padded_size) in sizes
        }
        self._powers = {
            decl.name
            for decl in kernel.declarations
            if decl.kind == "meta" and powers_between(decl.lower, decl.upper)
        }

    def of(self, size: IndexExpr) -> tuple[int, IndexExpr | None]:
        """Padded size as a number; or 1, and the size to be padded in the source."""
        size = normalize(size)
        number = self._known.get(str(size), size.value)
        if number is not None:
            return 1 << (max(number, 1) - 1).bit_length(), None
        return 1, size

    def is_power(self, size: IndexExpr) -> bool:
        """True if a size is a power of two already."""
        return size.op == "sym" and size.args[0] in self._powers


class _Lines:
    """Assignments of generated source, each expression computed once."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._names: dict[str, str] = {}
        self.lines: list[str] = []

    def name(self, text: str) -> str:
        """Variable that holds the value of the expression ``text``."""
        found = self._names.get(text)
        if found is None:
            found = f"{self._prefix}{len(self._names)}"
            self._names[text] = found
            self.lines.append(f"{found} = {text}")
        return found


def _indented(lines: Iterable[str], depth: int) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in lines)


def _tuple(texts: Sequence[str]) -> str:
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


class _Footprint:
    """Generator of ``footprint`` and ``lanes``."""

    def __init__(self, kernel: nt.KernelOp, signature: Signature) -> None:
        self._names = placeholders(kernel)
        self._rounding = _Rounding(kernel, signature)
        self._lines = _Lines("v")

    def lanes_text(self, blocks: Sequence[Lanes]) -> str:
        """``lanes`` as text."""
        return self._function("lanes", self._most_lanes(blocks))

    def text(self, counted: Counted) -> str:
        """``footprint`` as text."""
        lanes = self._most_lanes(counted.blocks)
        scopes = _tuple([self._scope(scope) for scope in counted.scopes])
        return self._function("footprint", _tuple([lanes, scopes]))

    def _function(self, name: str, result: str) -> str:
        head = f"def {name}({', '.join(self._names.values())}):\n"
        return head + _indented([*self._lines.lines, f"return {result}"], 1)

    def _most_lanes(self, blocks: Iterable[Lanes]) -> str:
        return _most([self._product(block.sizes) for block in blocks])

    def _scope(self, scope: Scope) -> str:
        dots = [
            _tuple(
                [
                    repr(one.kind),
                    *(self._size(size) for size in (one.m, one.n, one.k)),
                    self._product(one.batch),
                ]
            )
            for one in scope.dots
        ]
        buffers = [
            _tuple([self._product(one.lanes.sizes, one.lanes.bytes), repr(one.is_ahead)])
            for one in scope.buffers
        ]
        streams = [self._stream(stream) for stream in scope.streams]
        live = [
            " + ".join(self._product(lanes.sizes, lanes.bytes) for lanes in blocks) or "0"
            for blocks in scope.live
        ]
        return _tuple(
            [
                *(_tuple(part) if part else "()" for part in (dots, buffers, streams)),
                *(self._sum(counts) for counts in (scope.operations, scope.special)),
                repr(scope.exchanges),
                _most(live),
                repr(bool(scope.iterations)),
            ]
        )

    def _stream(self, stream: Stream) -> str:
        lanes = stream.lanes
        run = "1" if stream.unit is None else self._size(lanes.sizes[stream.unit])
        parts = [repr(stream.kind), self._product(lanes.sizes), repr(lanes.bytes), run]
        is_tile = stream.param is not None
        flags = (stream.is_wide, stream.lane_guards, stream.dims, stream.is_awaited, is_tile)
        return _tuple([*parts, *map(repr, flags)])

    def _sum(self, counts: Iterable[tuple[Sequence[IndexExpr], int]]) -> str:
        texts = [self._product(sizes, times) for sizes, times in counts]
        return " + ".join(texts) or "0"

    def _product(self, sizes: Iterable[IndexExpr], factor: int = 1) -> str:
        """Product of padded sizes, as a variable or a number."""
        texts: list[str] = []
        for size in sizes:
            number, rest = self._rounding.of(size)
            factor *= number
            if rest is not None:
                texts.append(self._rounded(rest))
        if not texts:
            return str(factor)
        text = texts[0] if len(texts) == 1 else self._lines.name(" * ".join(sorted(texts)))
        return text if factor == 1 else f"{text} * {factor}"

    def _size(self, size: IndexExpr) -> str:
        return self._product((size,))

    def _rounded(self, size: IndexExpr) -> str:
        if any(name not in self._names for name in symbol_names(size)):
            return "1"
        text = str(substitute(size, {name: _symbol(new) for name, new in self._names.items()}))
        return text if self._rounding.is_power(size) else self._lines.name(f"rounded({text})")


def placeholders(kernel: nt.KernelOp) -> dict[str, str]:
    """Names of a kernel's block sizes in generated source."""
    metas = [decl.name for decl in kernel.declarations if decl.kind == "meta"]
    return {name: f"size_{number}" for number, name in enumerate(metas)}


def _symbol(name: str) -> IndexExpr:
    return IndexExpr("sym", name, None)


def _most(texts: Sequence[str]) -> str:
    found = list(dict.fromkeys(texts))
    if len(found) < 2:
        return found[0] if found else "1"
    return f"max({', '.join(found)})"


class _Cost:
    """Generator of ``cost``."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self._kernel = kernel
        self._metas = placeholders(kernel)
        taken = ("rounded", "choice", *self._metas.values())
        self._binding = Binding([source.decl for source in kernel.sources], taken)
        self._used: dict[str, IndexExpr] = {}
        self._call = _Lines("__c")
        self._choice = _Lines("__v")

    def text(self, counted: Counted) -> str:
        grid = _tuple([self._value(size)[0] for size in counted.grid]) if counted.grid else "()"
        scopes = [self._scope(scope) for scope in counted.scopes]
        result = _tuple([grid, _tuple(scopes)])
        binds = self._binding.bind(self._used.values())
        return (
            f"def cost({', '.join(self._binding.names)}):\n"
            + _indented([*binds, *self._call.lines], 1)
            + f"    def choice({', '.join(self._metas.values())}):\n"
            + _indented([*self._choice.lines, f"return {result}"], 2)
            + "    return choice\n"
        )

    def _scope(self, scope: Scope) -> str:
        iterations = [
            f"max({self._value(iteration)[0]}, 0)"
            for iteration in scope.iterations
            if iteration.value != 1
        ]
        if scope.probability != 1 or not iterations:
            iterations.append(repr(scope.probability))
        streams = [self._stream(stream) for stream in scope.streams]
        return _tuple([" * ".join(iterations), _tuple(streams) if streams else "()"])

    def _stream(self, stream: Stream) -> str:
        """Valid lanes of a stream, and the bytes of the whole parameter."""
        lanes, _ = self._value(product(stream.lanes.sizes))
        for guard in stream.guard_ranges:
            ends = [self._value(end) for end in (guard.lower, guard.upper, guard.size)]
            (lower, _), (upper, _), (size, _) = ends
            is_choice = any(level for _, level in ends)
            reach = upper if lower == "0" else f"({upper} - {lower})"
            part = (self._choice if is_choice else self._call).name(
                f"min(max({size}, 0) / max({reach} + 1, 1), 1)"
            )
            lanes = f"{lanes} * {part}"
        whole = "0"
        if stream.param is not None:
            sizes = product(self._kernel.sources[stream.param].sizes)
            whole = self._value(sizes)[0]
        return _tuple([lanes, f"{whole} * {stream.lanes.bytes}"])

    def _value(self, expr: IndexExpr) -> tuple[str, bool]:
        """Number or variable of an expression, and whether block sizes change it."""
        return self._visit(normalize(expr))

    def _visit(self, expr: IndexExpr) -> tuple[str, bool]:
        if expr.op == "const":
            return str(expr.args[0]), False
        if expr.op == "sym":
            if expr.args[0] in self._metas:
                return self._metas[expr.args[0]], True
            self._used[expr.args[0]] = expr
            return self._binding.text(expr), False
        operands = [self._visit(operand) for operand in expr.args]
        is_choice = any(choice for _, choice in operands)
        texts = [text for text, _ in operands]
        lines = self._choice if is_choice else self._call
        return lines.name(_SPELLED[expr.op].format(*texts)), is_choice


_SPELLED: Mapping[str, str] = {
    "neg": "-{}",
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    # A quotient by the size of an empty tensor is for lanes that are not valid.
    "floordiv": "{} // ({} or 1)",
    "ceildiv": "-(-{} // ({} or 1))",
    "mod": "{} % ({} or 1)",
    "min": "min({}, {})",
    "max": "max({}, {})",
    **{op: f"({{}} {text} {{}})" for op, text in (("lt", "<"), ("le", "<="), ("eq", "=="))},
    **{op: f"({{}} {text} {{}})" for op, text in (("ne", "!="), ("gt", ">"), ("ge", ">="))},
    "and": "({} and {})",
}
