"""Random small kernels as Python source, of a few families of arrangements: :func:`programs`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from ninetoothed.testing.program_writer import Program, Writer
from ninetoothed.testing.terms import ALL, UNSIGNED, Dims, Expr, spelled


def _body(
    w: Writer, outputs: Sequence[tuple[Sequence[int], str, Dims]], statements: int = 3
) -> None:
    """Numbers, statements, and outputs: each its shape, its arrangement and its dims."""
    for index in range(w.draw(st.integers(0, 2))):
        w.scalar(f"s{index}")
    for _ in range(w.draw(st.integers(0, statements))):
        w.statement(2)
    for index, (shape, arranged, dims) in enumerate(outputs):
        name = f"y{index}"
        stored = w.store(name, dims)
        w.tensor(name, shape, w.output_dtype, arranged, other=False)
        if dims == w.dims and w.chance(40):
            # A later read sees what was stored.
            w.leaves.append(stored)


def _count(w: Writer, most: int = 3) -> range:
    return range(w.draw(st.integers(1, most)))


def _vectors(w: Writer) -> None:
    m, b = w.size("m", 20, low=0), w.tile("B0")
    w.dims, w.block = ("a",), "x0.shape"
    plain = ((m,), f"{{0}}.tile(({b},))")
    forms = (
        plain,
        plain,
        plain,
        ((m,), f"{{0}}[::-1].tile(({b},))"),
        ((2 * m,), f"{{0}}[::2].tile(({b},))"),
        ((m + 2,), f"{{0}}[1:-1].tile(({b},))"),
        ((m, 3), f"{{0}}[..., -2].tile(({b},))"),
        ((m + 3,), f"{{0}}.pad(((-1, -2),)).tile(({b},))"),
    )
    for index in _count(w):
        dtype = w.dtype()
        shape, arranged = w.pick(*forms)
        if m > 2 and w.chance(20):
            # Elements outside the guard.
            shape, arranged = (m - 2,), f"{{0}}.pad(((1, 1),)).tile(({b},))"
        other = w.tensor(f"x{index}", shape, dtype, arranged)
        w.read(f"x{index}", dtype, w.dims, valid=other or shape != (m - 2,))
        w.sparse = w.sparse or shape == (m - 2,)
    _body(w, [(*w.pick(*forms), w.dims) for _ in _count(w, 2)])


def _inputs_and_body(w: Writer, forms: Sequence[tuple[Sequence[int], str]]) -> None:
    """Up to three inputs and two outputs, each of one of the forms: a shape and an arrangement."""
    for index in _count(w):
        dtype = w.dtype()
        shape, arranged = w.pick(*forms)
        w.tensor(f"x{index}", shape, dtype, arranged)
        w.read(f"x{index}", dtype, w.dims)
    _body(w, [(*w.pick(*forms), w.dims) for _ in _count(w, 2)])


def _matrices(w: Writer) -> None:
    m, n, a, b = w.size("m"), w.size("n"), w.tile("B0"), w.tile("B1")
    w.dims, w.block = ("a", "b"), "x0.shape"
    forms = (
        ((m, n), f"{{0}}.tile(({a}, {b}))"),
        ((n, m), f"{{0}}.permute((1, 0)).tile(({a}, {b}))"),
        (
            (n, m),
            f"{{0}}.tile(({b}, {a})).permute((1, 0)); {{0}}.dtype = {{0}}.dtype.permute((-1, 0))",
        ),
        ((m, 1, n), f"{{0}}.squeeze(1).tile(({a}, {b}))"),
        ((n, m), f"{{0}}[::-1].permute((1, 0))[::-1].tile(({a}, {b}))"),
        ((m, 2, n), f"{{0}}[:, None, 1, ...].squeeze(1).tile(({a}, {b}))"),
        ((m + 1, n + 2), f"{{0}}.pad(((-1, 0), (-2, 0))).tile(({a}, {b}))"),
    )
    _inputs_and_body(w, forms)


def _rows(w: Writer) -> None:
    m, n, a = w.size("m"), w.size("n"), w.tile("B0")
    w.dims, w.block = ("a", "b"), "x0.shape"
    for index in _count(w, 2):
        dtype = w.dtype()
        w.tensor(f"x{index}", (m, n), dtype, f"{{0}}.tile(({a}, -1))")
        w.read(f"x{index}", dtype, w.dims)
    if w.chance(50):
        dtype = w.dtype()
        arranged, dims = w.pick(
            ("{0}.tile((-1,)).unsqueeze(0)", ("b",)),
            ("{0}[None].tile((1, -1), strides=(0, 0))", ("1", "b")),
            (
                "{0}.tile((-1,), strides=(0,)).ravel().tile((1, -1)); "
                "{0}.dtype = {0}.dtype.ravel()",
                ("1", "b"),
            ),
        )
        first, *rest = arranged.split("; ")
        w.tensor("v", (n,), dtype, "; ".join([f"{first}.expand((x0.shape[0], -1))", *rest]))
        w.read("v", dtype, dims)
    outputs = (
        ((m, n), f"{{0}}.tile(({a}, -1))", w.dims),
        ((m, 1), f"{{0}}.tile(({a}, 1))", ("a", "1")),
    )
    _body(w, [w.pick(*outputs) for _ in _count(w, 2)])


def _whole(w: Writer) -> None:
    """One program holds all: the application on whole tensors is the reference."""
    m, n = w.size("m"), w.size("n")
    w.dims, w.block = ("a", "b"), "x0.shape"
    # The reference is torch, which does little with unsigned integers.
    w.types = tuple(dtype for dtype in ALL if dtype not in UNSIGNED)
    for index in _count(w):
        dtype = w.dtype()
        w.tensor(f"x{index}", (m, n), dtype, "{0}.tile((-1, -1))")
        w.read(f"x{index}", dtype, w.dims)
    outputs = (((m, n), "{0}.tile((-1, -1))", w.dims), ((m, 1), "{0}.tile((-1, 1))", ("a", "1")))
    _body(w, [w.pick(*outputs) for _ in _count(w, 2)])


def _flat(w: Writer) -> None:
    m, n, k, b = w.size("m", 5, low=0), w.size("n", 5), w.size("k", 3), w.tile("B0")
    w.dims, w.block = ("a",), "x0.shape"
    forms = (
        ((m, n, k), f"{{0}}.flatten().tile(({b},))"),
        ((m, k, n), f"{{0}}.permute((0, 2, 1)).flatten().tile(({b},))"),
        ((m, n, k), f"{{0}}.flatten(1).flatten(0, 2).tile(({b},))"),
        ((m, n, k), f"{{0}}.tile((1, -1, -1)).ravel().flatten().tile(({b},))"),
        ((k, n, m), f"{{0}}[::-1].permute((2, 1, 0)).flatten().tile(({b},))"),
    )
    _inputs_and_body(w, forms)


def _windows(w: Writer) -> None:
    size, stride, step = (
        w.draw(st.integers(1, 5)),
        w.draw(st.integers(1, 4)),
        w.draw(st.integers(1, 3)),
    )
    floor = w.chance(50)
    m = w.draw(st.integers(step * (size - 1) + 1, 20))
    edge = w.pick(0, 0, 1)
    span = m + 2 * edge - step * (size - 1) - 1
    count = (span // stride if floor else -(-span // stride)) + 1
    w.header += [f"W = {size}"]
    w.dims, w.block, w.sparse = ("1", "w"), "x0.shape", True
    for index in _count(w, 2):
        dtype = w.dtype()
        arranged = (
            f"{{0}}.pad((({edge}, {edge}),))"
            f".tile((W,), strides=({stride},), dilation=({step},), floor_mode={floor})"
            ".unsqueeze(1); {0}.dtype = {0}.dtype.unsqueeze(0)"
        )
        chosen = w.tensor(f"x{index}", (m,), dtype, arranged)
        w.read(f"x{index}", dtype, w.dims, valid=(floor and not edge) or chosen)
    outputs = (
        ((count, size), "{0}.tile((1, W))", w.dims),
        ((count,), "{0}.tile((1,)).unsqueeze(1)", ("1",)),
    )
    _body(w, [w.pick(*outputs) for _ in _count(w, 2)])


def _products(w: Writer) -> None:
    """Dots of a row of blocks and a column of blocks, and something elementwise behind them."""
    m, n, k = w.size("m"), w.size("n"), w.size("k")
    a, b, c = w.tile("BM"), w.tile("BN"), w.tile("BK", deep=True)
    dtype = w.pick("fp16", "fp32")
    w.dims, w.block = ("a", "b"), "z.shape"
    w.tensor("z", (m, n), "fp32", f"{{0}}.tile(({a}, {b}))")
    w.read("z", "fp32", w.dims)
    columns = "expand((-1, z.shape[1])); {0}.dtype = {0}.dtype.squeeze(0)"
    rows = "expand((z.shape[0], -1)); {0}.dtype = {0}.dtype.squeeze(1)"
    w.tensor("p", (m, k), dtype, f"{{0}}.tile(({a}, {c})).tile((1, -1)).{columns}")
    w.tensor("q", (k, n), dtype, f"{{0}}.tile(({c}, {b})).tile((-1, 1)).{rows}")
    w.line("t = ntl.zeros(z.shape, dtype=ntl.float32)")
    with w.inside("for i in range(p.shape[0]):"):
        left, right = "p[i]", "q[i]"
        if w.chance(30):
            left = f"ntl.where({left} > {w.pick(0, 1, -2)}, {left}, {left} + 1)"
            left = f"{left}.to({spelled(dtype)})"
        w.line(
            w.pick(
                f"t += ntl.dot({left}, {right})",
                f"t = ntl.dot({left}, {right}, t)",
                f"t += ntl.sum(ntl.cast({left}, ntl.float32), axis=1)[:, None]",
                f"t = ntl.maximum(t, ntl.max({left}, axis=1, keep_dims=True))",
                f"t -= ntl.min({right}, axis=0)[None, :]",
            )
        )
    # At most nine products of numbers below 5, of six places.
    w.leaves.append(Expr("t", "fp32", w.dims, 300.0, 6))
    _body(w, [((m, n), f"{{0}}.tile(({a}, {b}))", w.dims)], statements=1)


def _columns(w: Writer) -> None:
    """A row in several blocks, gone through twice."""
    m, n, b = w.size("m", 4), w.size("n", 12), w.tile("B0")
    arranged = f"{{0}}.tile((1, {b})).tile((1, -1)); {{0}}.dtype = {{0}}.dtype.squeeze(0)"
    dtype = w.pick("i32", "fp32", "fp16")
    w.dims, w.block = ("1", "b"), "x.dtype.shape"
    w.tensor("x", (m, n), dtype, arranged)
    kind = "i32" if dtype == "i32" else "fp32"
    init, update = w.pick(
        ("0", "t + ntl.sum({})"),
        ("-100", "ntl.maximum(t, ntl.max({}))"),
        ("100", "ntl.minimum(t, ntl.min({}))"),
    )
    w.line(f"t = ntl.full((1, 1), {init}, dtype={spelled(kind)})")
    with w.inside("for i in range(x.shape[0]):"):
        read = w.pick(
            "x[i]", "x[i] * 2", "ntl.where(x[i] > 0, x[i], 1)", "ntl.abs(x[i])", "x[i] + i"
        )
        w.line(f"t = {update.format(f'ntl.cast({read}, {spelled(kind)})')}")
    w.leaves.append(Expr("t", kind, ("1", "1"), 2000.0, 3 if kind == "fp32" else 0))
    w.store("y0", ("1", "1"))
    w.tensor("y0", (m, 1), w.output_dtype, "{0}.tile((1, 1))", other=False)
    with w.inside("for j in range(x.shape[0]):"):
        w.read("x[j]", dtype, w.dims)
        w.leaves.append(Expr("j", "i32", (), 12.0))
        w.store("y1", w.dims, "y1[j]")
    w.tensor("y1", (m, n), w.output_dtype, arranged, other=False)


FAMILIES: dict[str, Callable[[Writer], None]] = {
    "vectors": _vectors,
    "matrices": _matrices,
    "rows": _rows,
    "whole": _whole,
    "flat": _flat,
    "windows": _windows,
    "products": _products,
    "columns": _columns,
}


@st.composite
def programs(draw: st.DrawFn, *families: str) -> Program:
    """A program of one of the families, by default of any."""
    writer = Writer(draw)
    FAMILIES[draw(st.sampled_from(families or tuple(FAMILIES)))](writer)
    return writer.program()
