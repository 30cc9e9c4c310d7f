"""Reductions that several programs share: the last of them combines what one alone finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import grouped_matmul, paged_attention, topk
from examples.cumsum import rows_in_tiles
from ninetoothed import Tensor, block_size
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import SPLIT, Config
from ninetoothed.artifacts.sample import Sample
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import build, compile_kernel
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.compiler.optimizations import legalities_of
from ninetoothed.compiler.space import space
from ninetoothed.errors import AssertionFailedError
from ninetoothed.ir import nt
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing import check_kernel
from ninetoothed.verification.translation import validate
from tests.support.remarks import remarks_of
from tests.support.targets import TARGETS

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false

PASS = "nt-split-reductions"
LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
NAN, INFINITE = float("nan"), float("inf")
BLOCK = block_size(lower_bound=16, upper_bound=16)
POSSIBLE = (
    "analysis: iterations kept together: split_reductions is 1, and may be more where programs are "
    "few"
)


def rows(x: Any, *others: Any) -> tuple[Any, ...]:
    return rows_in_tiles(x, BLOCK), *others


def made(application: Callable[..., None], *dtypes: str) -> Kernel:
    tensors = [Tensor(2), *(Tensor(1, dtype=dtype) for dtype in dtypes)]
    return ninetoothed.make(rows, application, tensors, num_warps=4)


def split(ran: list[Config]) -> bool:
    """True if configurations ran that split by each number, and others that do not."""
    return {config.parts for config in ran} == {1, 2, 4, 8, 16, 32, 64}


def three(x: Any, total: Any, largest: Any, least: Any) -> None:
    a, b, c = 0.0, float("-inf"), float("inf")
    for i in range(x.shape[0]):
        a += ntl.sum(x[i] * 2.0)
        b = ntl.maximum(ntl.max(x[i]), b)
        c = ntl.minimum(c, ntl.min(x[i]))
    total = a
    largest = b
    least = c


def until(x: Any, begin: Any, end: Any, total: Any, largest: Any) -> None:
    """Two loops, of which data say where they begin and end."""
    a, b = 0.0, float("-inf")
    for i in range(begin):
        a += ntl.sum(x[i])
        b = ntl.maximum(b, ntl.max(x[i]))
    for i in range(begin, end + 1):
        a += ntl.sum(x[i])
        b = ntl.maximum(b, ntl.max(x[i]))
    ntl.device_assert(begin < 100)
    total = a
    largest = b


def test_data_say_how_often_loops_iterate(device: str) -> None:
    """Also never, or from below 0: there, a tile is as empty as behind the last one."""
    x = torch.randint(-9, 9, (7, 67), device=device).float()
    begin, end = (
        torch.tensor(numbers, dtype=torch.int32, device=device)
        for numbers in ([2, 0, 4, -3, 1, 5, -5], [3, 4, 3, 1, -7, 0, -2])
    )
    outputs = [torch.zeros(7, device=device) for _ in range(2)]
    kernel = made(until, "i32", "i32", "fp32", "fp32")
    rows = [
        [*range(first), *range(first, last + 1)]
        for first, last in zip(begin.tolist(), end.tolist(), strict=True)
    ]
    tiles = [[x[at, 16 * i : 16 * i + 16] for i in row if i >= 0] for at, row in enumerate(rows)]
    found = [torch.cat([*row, x.new_empty(0)]) for row in tiles]
    expected = {
        "total": torch.stack([one.sum() for one in found]),
        "largest": torch.stack(
            [one.max() if one.numel() else one.new_tensor(-INFINITE) for one in found]
        ),
    }
    assert split(check_kernel(kernel, [x, begin, end, *outputs], expected, levels=LEVELS[device]))


def test_pages_of_a_sequence(device: str) -> None:
    """What an iteration finds of pages is asserted behind the loops, once all parts have ended."""
    lengths = torch.tensor([0, 17, 20, 3], dtype=torch.int32, device=device)
    query = torch.randn(4, 2, 3, 16, device=device)
    key, value = (torch.randn(12, 4, 2, 16, device=device) for _ in range(2))
    table = torch.randint(0, 12, (4, 5), dtype=torch.int32, device=device)
    expected = torch.zeros_like(query)
    for at, length in enumerate(lengths.tolist()):
        pages = table[at, : -(-length // 4)].long()
        if length:
            keys, values = (one[pages].flatten(0, 1)[:length] for one in (key, value))
            scores = torch.einsum("hgd,nhd->hgn", query[at], keys) * 0.25
            expected[at] = torch.einsum("hgn,nhd->hgd", scores.softmax(-1), values)
    arguments = [query, key, value, table, lengths, 0.25, torch.empty_like(query)]
    kernel = paged_attention.paged_attention_kernel
    options = {"levels": LEVELS[device], "configs": 4, "rtol": 1e-4, "atol": 1e-5}
    ran = check_kernel(kernel, arguments, {"output": expected}, **options)
    assert any(config.parts > 1 for config in ran)
    if device == "cpu":
        table[1, 2] = 12
        with pytest.raises(AssertionFailedError, match="a sequence needs a page that is none"):
            check_kernel(kernel, arguments, {"output": expected}, configs="random:3", levels="nt")


@pytest.mark.parametrize("width", [0, 1, 16, 17, 67, 1021])
def test_several_carried_numbers(device: str, width: int) -> None:
    """Also of fewer iterations than parts."""
    x = torch.randn(3, width, device=device)
    kernel = made(three, *["fp32"] * 3)
    outputs = [torch.zeros(3, device=device) for _ in range(3)]
    expected = {"total": 2 * x.sum(1)}
    if width:
        expected |= {"largest": x.amax(1), "least": x.amin(1)}
    assert split(check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-3))
    assert remarks_of(kernel, PASS, x, *outputs) == [POSSIBLE]


def integers(x: Any, y: Any) -> None:
    total, most = 7, -100
    for i in range(x.shape[0]):
        total -= ntl.sum(x[i])
        most = ntl.maximum(most, ntl.max(x[i]))
    y = total * 100 + most


@pytest.mark.parametrize("width", [16, 65, 127])
def test_integers_are_exact(device: str, width: int) -> None:
    x = torch.randint(-9, 9, (5, width), dtype=torch.int32, device=device)
    kernel, y = made(integers, "i32"), torch.zeros(5, dtype=torch.int32, device=device)
    expected = (7 - x.sum(1)) * 100 + x.amax(1)
    assert split(check_kernel(kernel, (x, y), {"y": expected.int()}, levels=LEVELS[device]))


def from_given(x: Any, first: Any, count: Any, total: Any, largest: Any) -> None:
    a, b = first, first
    for i in range(count, x.shape[0]):
        a = a + ntl.sum(x[i])
        b = ntl.maximum(b, ntl.max(x[i]))
    total = a
    largest = b


def of_every_second(x: Any, first: Any, total: Any, largest: Any) -> None:
    a, b = first, first
    for i in range(1, x.shape[0], 2):
        a = a + ntl.sum(x[i])
        b = ntl.maximum(b, ntl.max(x[i]))
    total = a
    largest = b


@pytest.mark.parametrize("width", [0, 16, 112, 320])
def test_what_a_loop_begins_with_counts_once(device: str, width: int) -> None:
    """Its sign, too, where it is zero; and if nothing follows, whatever it is."""
    kernel = made(of_every_second, *["fp32"] * 3)
    x = torch.zeros(5, width, device=device)
    first = torch.tensor([-0.0, 0.0, NAN, INFINITE, 2.0], device=device)
    tiles = x.reshape(5, -1, 16)[:, 1::2].reshape(5, -1)
    found = torch.cat([first[:, None], tiles], 1)
    largest = torch.where(found.isnan(), -INFINITE, found).amax(1)
    largest = torch.where(found.isnan().all(1), NAN, largest)
    expected = {"total": first + 0.0 if tiles.numel() else first, "largest": largest}
    outputs = [torch.ones(5, device=device) for _ in range(2)]
    ran = check_kernel(kernel, (x, first, *outputs), expected, levels=LEVELS[device])
    assert split(ran)


def test_a_count_that_the_call_gives_is_not_known() -> None:
    tensors = (Tensor(2), Tensor(1), Tensor(0, dtype=ninetoothed.int32), Tensor(1), Tensor(1))
    kernel = ninetoothed.make(rows, from_given, tensors, num_warps=4)
    found = remarks_of(kernel, PASS, torch.zeros(5, 64), torch.zeros(5), 1, *[torch.zeros(5)] * 2)
    assert found == [
        "missed: iterations kept together: how often the loop iterates is not known at the launch"
    ]


def extremes(x: Any, plain: Any, propagated: Any) -> None:
    a = ntl.full((x.dtype.shape[0],), INFINITE, dtype=ntl.float32)
    b = ntl.full((x.dtype.shape[0],), INFINITE, dtype=ntl.float32)
    for i in range(x.shape[0]):
        a = ntl.minimum(a, x[i])
        b = ntl.minimum(b, x[i], propagate_nan=ntl.PropagateNan.ALL)
    plain = ntl.min(a)
    propagated = ntl.sum(b)


def test_nans_are_kept_or_left_out(device: str) -> None:
    x = torch.randn(3, 160, device=device)
    x[0, 100] = x[1, :] = NAN
    tiles = x.reshape(3, 10, 16)
    plain = torch.where(tiles.isnan(), INFINITE, tiles).amin((1, 2))
    expected = {"plain": plain, "propagated": tiles.amin(1).sum(1)}
    kernel = made(extremes, "fp32", "fp32")
    outputs = [torch.zeros(3, device=device) for _ in range(2)]
    ran = check_kernel(kernel, (x, *outputs), expected, levels=LEVELS[device], atol=1e-5)
    assert split(ran)


def blocks(x: Any, y: Any, scale: Any, sums: Any, scaled: Any) -> tuple[Any, ...]:
    """A program takes three rows of each matrix, tile by tile."""

    def tiles(one: Any) -> Any:
        found = one.tile((3, BLOCK)).tile((1, -1)).squeeze(1)
        found.dtype = found.dtype.squeeze(0)
        return found

    return tiles(x), tiles(y), *(one.tile((3,)) for one in (scale, sums, scaled))


def row_products(x: Any, y: Any, scale: Any, sums: Any, scaled: Any) -> None:
    weight = scale + 1.0
    total = ntl.zeros((x.dtype.shape[0], x.dtype.shape[1]), dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    found = ntl.sum(total, axis=1)
    sums = found
    scaled = found * weight + scale


@pytest.mark.parametrize("size", [(0, 40), (1, 1), (3, 16), (7, 67), (5, 513)])
def test_blocks_of_odd_sizes(device: str, size: tuple[int, int]) -> None:
    """Loads stand before the loop and behind it, and several stores."""
    x, y = (torch.randn(size, device=device) for _ in range(2))
    tensors = (*(Tensor(2, other=0) for _ in "xy"), *(Tensor(1) for _ in range(3)))
    kernel = ninetoothed.make(blocks, row_products, tensors, num_warps=4)
    scale, *outputs = (torch.randn(size[0], device=device) for _ in range(3))
    sums = (x * y).sum(1)
    expected = {"sums": sums, "scaled": sums * (scale + 1) + scale}
    arguments = (x, y, scale, *outputs)
    assert split(check_kernel(kernel, arguments, expected, levels=LEVELS[device], atol=1e-4))


def numbered(x: Any, y: Any) -> None:
    total = ntl.program_id(0) * 1000 + ntl.num_programs(0)
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    y = total


def test_numbers_of_programs_are_those_of_unsplit_ones(device: str) -> None:
    x = torch.randint(-9, 9, (5, 100), dtype=torch.int32, device=device)
    kernel, y = made(numbered, "i32"), torch.zeros(5, dtype=torch.int32, device=device)
    expected = torch.arange(5, device=device) * 1000 + 5 + x.sum(1)
    assert split(check_kernel(kernel, (x, y), {"y": expected.int()}, levels=LEVELS[device]))


def halves(x: Any, y: Any) -> None:
    most = ntl.full((x.dtype.shape[0],), -INFINITE, dtype=ntl.float16)
    for i in range(x.shape[0]):
        most = ntl.maximum(most, x[i])
    y = ntl.max(most)


def test_extremes_of_halves(device: str) -> None:
    x = torch.randn(5, 160, device=device).half()
    kernel, y = made(halves, "fp16"), torch.zeros(5, device=device).half()
    assert split(check_kernel(kernel, (x, y), {"y": x.amax(1)}, levels=LEVELS[device]))


def test_one_program(device: str) -> None:
    """A grid without dims gets one."""

    def whole(x: Any, y: Any) -> tuple[Any, ...]:
        tiles = x.tile((BLOCK,)).tile((-1,))
        return tiles.squeeze(0), y.tile((1,)).squeeze(0)

    def total(x: Any, y: Any) -> None:
        found = ntl.zeros((1,), dtype=ntl.float32)
        for i in range(x.shape[0]):
            found += ntl.sum(x[i], keep_dims=True)
        y = found

    tensors = (Tensor(1, other=0), Tensor(1))
    kernel = ninetoothed.make(whole, total, tensors, num_warps=4)
    x, y = torch.randn(500, device=device), torch.zeros(1, device=device)
    expected = {"y": x.sum(0, keepdim=True)}
    assert split(check_kernel(kernel, (x, y), expected, levels=LEVELS[device], atol=1e-4))


def normalized(x: Any, y: Any) -> None:
    total = 0.0
    for i in range(x.shape[0]):
        total += ntl.sum(x[i])
    for i in range(x.shape[0]):
        y[i] = x[i] / total


def test_what_is_kept() -> None:
    """The last part would do alone what the second loop does."""

    def tiles(x: Any, y: Any) -> tuple[Any, ...]:
        return rows_in_tiles(x, BLOCK), rows_in_tiles(y, BLOCK)

    kernel = ninetoothed.make(tiles, normalized, (Tensor(2), Tensor(2)), num_warps=4)
    x = torch.rand(3, 40)
    assert remarks_of(kernel, PASS, x, torch.zeros_like(x)) == [
        "missed: iterations kept together: it is not the only loop"
    ]


def from_one(x: Any, y: Any) -> None:
    total = 0.0
    for i in range(1, 3):
        total += ntl.sum(x[i])
    for i in range(3, x.shape[0]):
        total += ntl.sum(x[i]) * 2
    y = total


def whole_tiles(x: Any, y: Any) -> None:
    total = 0.0
    count = x.source.shape[1] // 16
    for i in range(count):
        total += ntl.sum(x[i])
    for i in range(count, x.shape[0]):
        total += ntl.sum(x[i]) * 2
    y = total


def back_and_forth(x: Any, y: Any) -> None:
    """The second loop begins below 0 where there are fewer than three tiles."""
    total = 0
    for i in range(x.shape[0] - 3):
        total += i + 5
    for i in range(x.shape[0] - 3, x.shape[0]):
        total += i + 5
    y = total


ONE_LOOP_ENDS = (
    "missed: iterations kept together: it may end before it begins, and another loop goes on there"
)


@pytest.mark.parametrize(
    ("application", "width", "is_split"),
    [
        (from_one, 144, False),
        (whole_tiles, 144, True),
        (whole_tiles, 137, True),
        (back_and_forth, 32, False),
    ],
)
def test_loops_that_go_on(
    device: str, application: Callable[..., None], width: int, is_split: bool
) -> None:
    """Several loops are one, if none of them may end before it begins."""
    x = torch.randn(2, width, device=device)
    tiles = torch.nn.functional.pad(x, (0, -width % 16)).unflatten(1, (-1, 16)).sum(2)
    whole = {from_one: 3, whole_tiles: width // 16}.get(application, 0)
    expected = tiles[:, application is from_one : whole].sum(1) + 2 * tiles[:, whole:].sum(1)
    if application is back_and_forth:
        expected = torch.full((2,), 4.0 + 5 + 6, device=device)
    kernel, y = made(application, "fp32"), torch.zeros(2, device=device)
    ran = check_kernel(kernel, (x, y), {"y": expected}, levels=LEVELS[device], atol=1e-3)
    assert split(ran) == is_split
    found = remarks_of(kernel, PASS, x, y)
    assert found == [POSSIBLE if is_split else ONE_LOOP_ENDS]


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (grouped_matmul.grouped_matmul_kernel, "sequences of `input` differ in length"),
        (topk.topk_kernel(8), "what it carries is more than a sum or an extreme"),
    ],
)
def test_examples_that_are_kept(kernel: Kernel, reason: str) -> None:
    signature = assumed_signature(kernel.definition, {}, {})
    module = build(kernel.definition, signature, remarks=True)
    assert not any(name == SPLIT for name, _ in legalities_of(nt.kernel_of(module)))
    found = [remark.message for remark in nt.remarks_of(module) if remark.pass_name == PASS]
    assert found == [f"iterations kept together: {reason}"]


def products(input: Any, other: Any, output: Any) -> tuple[Any, ...]:
    """As matmul's, by small blocks."""
    result = output.tile((BLOCK, BLOCK))
    left = input.tile((BLOCK, BLOCK)).tile((1, -1)).expand((-1, result.shape[1]))
    right = other.tile((BLOCK, BLOCK)).tile((-1, 1)).expand((result.shape[0], -1))
    left.dtype, right.dtype = left.dtype.squeeze(0), right.dtype.squeeze(1)
    return left, right, result


def of_halves(input: Any, other: Any, output: Any) -> None:
    total = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        total += ntl.dot(input[k], other[k])
    output = total * 2


def of_bytes(input: Any, other: Any, output: Any) -> None:
    total = ntl.zeros(output.shape, dtype=ntl.int32)
    for k in range(input.shape[0]):
        total = ntl.dot(input[k], other[k], total)
    output = total * 2


def product(application: Callable[..., None]) -> Kernel:
    tensors = (Tensor(2, other=0), Tensor(2, other=0), Tensor(2))
    return ninetoothed.make(products, application, tensors, num_warps=4, num_stages=2)


@pytest.mark.parametrize("size", [(16, 64, 16), (1, 1, 1), (7, 0, 5), (17, 151, 31)])
def test_products(device: str, size: tuple[int, int, int]) -> None:
    m, k, n = size
    x, y = torch.randn(m, k, device=device).half(), torch.randn(k, n, device=device).half()
    expected = {"output": 2 * (x.float() @ y.float())}
    arguments = (x, y, torch.zeros(m, n, device=device))
    kernel = product(of_halves)
    assert split(
        check_kernel(kernel, arguments, expected, levels=LEVELS[device], rtol=1e-3, atol=1e-3)
    )


def test_products_of_integers_are_exact(device: str) -> None:
    x, y = (torch.randint(-128, 128, size, device=device) for size in ((17, 151), (151, 31)))
    expected = (2 * (x.cpu() @ y.cpu())).int().to(device)
    arguments = (x.to(torch.int8), y.to(torch.int8), torch.zeros_like(expected))
    kernel = product(of_bytes)
    assert split(check_kernel(kernel, arguments, {"output": expected}, levels=LEVELS[device]))


@pytest.mark.gpu
def test_results_are_the_same_in_every_run() -> None:
    """Bit by bit, with each number of parts, whichever of them ends last."""
    x = torch.randn(3, 1021, device="cuda")
    kernel = made(three, *["fp32"] * 3)
    arguments = (x, *(torch.zeros(3, device="cuda") for _ in range(3)))
    every = Sample.parse("configs", "all")
    runs = [
        {
            (run.config, run.full): [value.clone() for value in run.values[1:]]
            for run, _ in kernel.runs(arguments, {}, every, ("nt",))
        }
        for _ in range(5)
    ]
    assert {config.parts for config, _ in runs[0]} == {1, 2, 4, 8, 16, 32, 64}
    for again in runs[1:]:
        for key, values in runs[0].items():
            assert all(map(torch.equal, values, again[key]))


def artifact(kernel: Kernel, values: Any, parts: int, target: str, language: str) -> Artifact:
    """The kernel of a call by its first configuration, with so many parts."""
    signature = bind(kernel.definition.interface, values, {}).signature
    module, parsed = kernel.composed(signature), Target.parse(target)
    config = space(module, signature, target=parsed).configs[0].choosing(SPLIT, parts)
    return compile_kernel(module, signature, config, parsed, language)


CASES = {
    "until": (
        made(until, "i32", "i32", "fp32", "fp32"),
        (
            torch.zeros(2, 67),
            *(torch.ones(2, dtype=torch.int32) for _ in range(2)),
            *(torch.zeros(2) for _ in range(2)),
        ),
    ),
    "numbers": (made(three, *["fp32"] * 3), (torch.zeros(3, 1000), *[torch.zeros(3)] * 3)),
    "product": (
        product(of_halves),
        (torch.zeros(16, 512).half(), torch.zeros(512, 16).half(), torch.zeros(16, 16)),
    ),
}


@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_compiles_them(case: str, target: str, language: str) -> None:
    found = artifact(*CASES[case], 8, target, language)
    assert Artifact.from_json(found.to_json()) == found
    assert found.scratch[-1].zeroed
    assert compat.compile_binary(found).code


def test_guards_fold_as_in_one_program() -> None:
    """What is known of the loop's indices is known of those of a part."""
    values = (torch.zeros(16, 512).half(), torch.zeros(512, 16).half(), torch.zeros(16, 16))
    kernel = product(of_halves)
    whole, parts = (artifact(kernel, values, count, "sm_90", "triton-python") for count in (1, 8))
    asked = [one.launch.split("def is_full")[1] for one in (whole, parts)]
    assert asked[0] == asked[1]
    assert "uint32" not in parts.text.split("for k in")[1].split("partials0")[0]


@pytest.mark.parametrize("case", CASES)
def test_no_pass_changes_an_address(case: str) -> None:
    kernel, values = CASES[case]
    signature = bind(kernel.definition.interface, values, {}).signature
    config = space(kernel.composed(signature), signature).configs[0].choosing(SPLIT, 4)
    report = validate(kernel.definition, signature, config)
    assert report.cases > 0
    assert report.evaluated[PASS] == report.cases


@pytest.mark.gpu
def test_graphs_and_streams() -> None:
    """Launches of one kernel that run at once have counters of their own."""
    kernel = made(three, *["fp32"] * 3)
    x = torch.randn(8, 1 << 20, device="cuda")
    calls = [(x, *(torch.zeros(8, device="cuda") for _ in range(3))) for _ in range(4)]
    target = str(toolchain.active().active_target())
    found = artifact(kernel, calls[0], 16, target, "ttir")
    loaded = LoadedKernel(Host(found), toolchain.active_driver().load(compat.compile_binary(found)))
    loaded.launch(calls[0])
    torch.cuda.synchronize()
    expected = [value.clone() for value in calls[0][1:]]
    torch.testing.assert_close(expected[0], 2 * x.sum(1), rtol=1e-3, atol=0.1)
    assert torch.equal(expected[1], x.amax(1))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loaded.launch(calls[1])
    streams = [torch.cuda.Stream() for _ in range(2)]
    for _ in range(20):
        graph.replay()
        for stream, call in zip(streams, calls[2:], strict=True):
            with torch.cuda.stream(stream):
                loaded.launch(call)
    torch.cuda.synchronize()
    for call in calls[1:]:
        assert all(map(torch.equal, expected, call[1:]))
