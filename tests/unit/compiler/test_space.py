"""Which configurations there are."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples.add import add_kernel
from examples.addmm import addmm_kernel
from examples.attention import query_kernel
from examples.fused_linear import fused_linear_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.occupancy import Buffer, Footprint
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.defaults import assumed_signature
from ninetoothed.compiler.space import (
    MAX_BLOCK,
    MAX_CONFIGS,
    interpreted_values,
    largest_block,
    space,
)
from ninetoothed.errors import CompilerError
from ninetoothed.kernel.kernel import Kernel


def flat(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = Symbol("SIZE", meta=True, lower_bound=1, upper_bound=1 << 20)
    return x.tile((size,)), y.tile((size,))


def copy(x: Any, y: Any) -> None:
    y = x  # pyright: ignore[reportUnusedVariable]


def choices(kernel: Kernel, *values: Any, target: str = "sm_90", **options: Any) -> Space:
    signature = bind(kernel.definition.interface, values, {}).signature
    return space(kernel.composed(signature), signature, target=Target.parse(target), **options)


def halves(*shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.float16, device="meta")


def block_sizes(kernel: Kernel) -> list[int]:
    """The values of a kernel's one block size, the best guess first."""
    return list(dict.fromkeys(config.values[0][1] for config in kernel.configs))


def test_a_vector_kernel_tries_each_block_size() -> None:
    sizes = block_sizes(add_kernel)
    assert sorted(sizes) == [32, 64, 128, 256, 512, 1024]
    assert sizes[0] == 1024


def test_blocks_are_bounded() -> None:
    kernel = ninetoothed.make(flat, copy, (Tensor(1), Tensor(1)))
    sizes = block_sizes(kernel)
    assert max(sizes) == MAX_BLOCK
    # A block near 2048 lanes is the first guess, and four warps; large blocks have eight first.
    assert sizes[0] == 2048
    first = {config.values[0][1]: config.num_warps for config in reversed(kernel.configs)}
    assert (first[2048], first[MAX_BLOCK]) == (4, 8)


def rows(x: Tensor, y: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    size = Symbol("SIZE", meta=True, lower_bound=16, upper_bound=256)
    x, out = x.tile((size, 256)).squeeze(1), out.tile((size, 64)).squeeze(1)
    return x, y.tile((64, 256)).squeeze(1).tile((-1,)).expand(x.shape), out


def products(x: Any, y: Any, out: Any) -> None:
    block = ntl.cast(x, x.dtype)
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for i in range(y.shape[0]):
        total += ntl.dot(block, ntl.trans(y[i]))
    for i in range(y.shape[0]):
        total += ntl.dot(block, ntl.trans(y[i])) + ntl.dot(block, 2 * ntl.trans(y[i]))
    out = total  # pyright: ignore[reportUnusedVariable]


def test_what_lies_in_shared_memory_counts_once() -> None:
    """A block of ``y``, 32 KiB in fp16, in whichever loop and for whichever product; ``x`` is not
    fetched ahead.
    """
    kernel = ninetoothed.make(rows, products, tuple(Tensor(2) for _ in range(3)))
    functions: dict[str, Any] = {}
    exec(choices(kernel, halves(512, 256), halves(512, 256), halves(512, 64)).cost, functions)
    _, *loops = Footprint.of(functions["footprint"](128)).scopes
    buffers = [Buffer(1 << 16, False), Buffer(1 << 15, True)]
    assert [loop.buffers for loop in loops] == [buffers, buffers]


def test_without_block_sizes_warps_are_what_is_chosen() -> None:
    configs = softmax_kernel.configs
    assert configs[0] == Config((), 4, 3)
    assert {config.num_warps for config in configs} == {1, 2, 4, 8, 16, 32}
    assert {(config.values, config.num_stages) for config in configs} == {((), 3)}


def test_warps_and_stages_of_the_user() -> None:
    kernel = ninetoothed.make(flat, copy, (Tensor(1), Tensor(1)), num_warps=(2, 4), num_stages=5)
    configs = kernel.configs
    assert [config.num_warps for config in configs[:2]] == [4, 2]
    assert {config.num_warps for config in configs} == {2, 4}
    assert {config.num_stages for config in configs} == {5}


def test_evaluation_takes_the_fewest_programs() -> None:
    def values(kernel: Kernel, lanes: int) -> list[int]:
        signature = assumed_signature(kernel.definition, {}, {})
        return list(interpreted_values(kernel.composed(signature), signature, lanes).values())

    assert values(add_kernel, 1 << 22) == [1024]
    assert values(matmul_kernel, 1 << 22) == [1024, 1024, 1024]
    assert max(values(matmul_kernel, 1 << 12)) <= 128
    # Not even the smallest fits: it is taken all the same.
    assert values(add_kernel, 1) == [32]


def column_sums(x: Any, out: Any) -> None:
    out = ntl.sum(x, axis=0)  # pyright: ignore[reportUnusedVariable]


def test_sizes_of_a_call_count_as_their_extent() -> None:
    def arrangement(x: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
        size = Symbol("N", meta=True)
        out = out.tile((size,)).unsqueeze(0)
        return x.tile((-1, size)), out

    kernel = ninetoothed.make(arrangement, column_sums, (Tensor(2), Tensor(1)))
    # The assumed padded_size is 1024, so that 32 columns fill the largest block.
    assert block_sizes(kernel) == [32]
    x, out = torch.ones(7, 40), torch.empty(40)
    kernel(x, out)
    assert out.eq(7).all()


def test_a_block_that_no_gpu_can_hold() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((-1, -1)), y.tile((-1, -1))

    def application(x: Any, y: Any) -> None:
        y = x + 1  # pyright: ignore[reportUnusedVariable]

    kernel = ninetoothed.make(arrangement, application, (Tensor(2), Tensor(2)))
    arguments = torch.empty(2048, 1025, device="meta"), torch.empty(2048, 1025, device="meta")
    signature = bind(kernel.definition.interface, arguments, {}).signature
    message = "a block has 4194304 lanes, and on a GPU at most 1048576 can be one block; tile it"
    with pytest.raises(ninetoothed.NineToothedError, match=message):
        space(kernel.composed(signature), signature)


def halved(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Blocks of a size that a call and a constant give."""
    size, parts = ninetoothed.block_size(), Symbol("PARTS", constexpr=True)
    return x.tile((size, x.shape[1] // parts)), y.tile((size, y.shape[1] // parts))


def test_a_size_with_a_constant_in_it_counts_as_its_extent() -> None:
    kernel = ninetoothed.make(halved, copy, (Tensor(2), Tensor(2)))
    tensors = [torch.zeros(8, 512)] * 2
    signature = bind(kernel.definition.interface, tensors, {"PARTS": 2}).signature
    module = kernel.composed(signature)
    configs = space(module, signature).configs
    assert {config.values[0][1] for config in configs} == {32, 64, 128}
    for config in configs:
        assert largest_block(module, signature, config) == config.values[0][1] * 256


def test_the_space_of_a_matrix_product() -> None:
    matrices = [halves(512, 512) for _ in range(3)]
    found = choices(matmul_kernel, *matrices)
    assert 500 < len(found.configs) <= MAX_CONFIGS
    assert len(set(found.configs)) == len(found.configs)
    assert {config.num_warps for config in found.configs} == {1, 2, 4, 8, 16}
    assert {config.num_stages for config in found.configs} == {2, 3, 4, 5}
    # A wide tile that is read often, in two stages ahead.
    sizes = tuple(
        zip(("BLOCK_SIZE_0", "BLOCK_SIZE_1", "BLOCK_SIZE_2"), (128, 32, 256), strict=True)
    )
    assert found.configs[0] == Config(sizes, 8, 3)
    for config in found.configs:
        m, k, n = (value for _, value in config.values)
        assert 2 * k * (m + n) * (config.num_stages - 1) <= 227 << 10
        assert m * n // (config.num_warps * 32) <= 256 * 1.25
    reasons = dict(found.pruned)
    assert reasons["over 227 KiB of shared memory"] > 100
    assert reasons["blocks that are live at once take far more registers than there are"] > 100
    assert reasons["more warps than a dot's blocks have parts"] > 10
    assert Space.from_json(found.to_json()) == found
    # Less shared memory leaves fewer.
    smaller = choices(matmul_kernel, *matrices, target="sm_86")
    assert len(smaller.configs) < len(found.configs)
    assert dict(smaller.pruned)["over 99 KiB of shared memory"] > 100


def tiles(found: Space, order: str) -> set[tuple[int, ...]]:
    """Rows, columns and depth of the blocks, warps and stages; ``order``: of the block sizes."""
    return {
        (
            *(config.values[order.index(dim)][1] for dim in "mnk"),
            config.num_warps,
            config.num_stages,
        )
        for config in found.configs
    }


def test_an_epilogue_does_not_prune_the_blocks_of_its_product() -> None:
    """What is added behind the loop is not in registers beside the sum, in fp32."""
    one, other, out, row = *(halves(512, 512) for _ in range(3)), halves(512)
    product = tiles(choices(matmul_kernel, one, other, out), "mkn")
    scaled = choices(addmm_kernel, row.expand(512, 512), one, other, 1.0, 1.0, out)
    assert tiles(scaled, "mnk") == product
    fused = choices(fused_linear_kernel, one, other, row, out, out)
    assert tiles(fused, "mkn") == product
    assert {(128, 256, 64, 8, 3), (256, 128, 64, 8, 3)} <= product


def test_accumulators_fit_the_tensor_memory() -> None:
    query, key = halves(2, 2, 2, 512, 64), halves(2, 2, 512, 64)
    numbers = torch.empty(2, 2, 2, 512, device="meta")
    values = (query, key, key, query, numbers, numbers, True, 0.1, query)
    reason = "accumulators over 512 columns of tensor memory"
    assert dict(choices(query_kernel, *values, target="sm_100").pruned)[reason] > 0
    assert reason not in dict(choices(query_kernel, *values).pruned)


def test_stages_count_where_products_read_what_is_aligned() -> None:
    found = choices(matmul_kernel, *[halves(511, 511) for _ in range(3)])
    assert {config.num_stages for config in found.configs} == {3}
    found = choices(add_kernel, *[halves(512) for _ in range(3)])
    assert {config.num_stages for config in found.configs} == {3}
    assert dict(found.pruned)["more threads than the largest block has lanes"] == 15


def test_rows_have_a_choice_of_warps() -> None:
    def warps(columns: int) -> list[int]:
        rows = halves(64, columns), halves(64, columns)
        return sorted(config.num_warps for config in choices(softmax_kernel, *rows).configs)

    assert warps(1024) == [1, 2, 4, 8, 16, 32]
    # 32768 lanes of fp32 are far more than the registers of 64 threads.
    assert warps(32768) == [4, 8, 16, 32]


def test_what_the_user_chose_is_the_space() -> None:
    rows = halves(64, 1024), halves(64, 1024)
    found = choices(softmax_kernel, *rows, num_warps=(2, 4, 2), num_stages=(5, 6))
    assert set(found.configs) == {Config((), 2, 5), Config((), 4, 5)}
    # Even where it is hopeless.
    found = choices(softmax_kernel, halves(64, 32768), halves(64, 32768), num_warps=(1,))
    assert found.configs == (Config((), 1, 3),)


def test_one_configuration_may_have_choices() -> None:
    """Of 32 lanes there is one warp, and the tuner says how many rows it takes; not where the user
    has fixed the warps.
    """
    rows = halves(64, 32), halves(64, 32)
    found = choices(softmax_kernel, *rows)
    assert found.configs == (Config((), 1, 3),)
    assert found.legal == ((("coarsened_programs", (2, 4, 8, 16, 32)),),)
    assert not found.is_single
    assert Space.from_json(found.to_json()) == found
    fixed = choices(softmax_kernel, *rows, num_warps=(4,))
    # More threads than lanes: the only one, all the same.
    assert fixed.configs == (Config((), 4, 3),)
    assert fixed.legal == found.legal
    assert fixed.is_single
    # With enough to do, there is nothing to merge; long rows may be read again.
    long = choices(softmax_kernel, halves(64, 8192), halves(64, 8192))
    assert {*long.legal} == {(("reread_rows", (1,)),)}


def test_a_space_of_which_no_times_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = halves(64, 1024), halves(64, 1024)
    expected = choices(softmax_kernel, *rows)

    def unknown(*_: object) -> str:
        raise CompilerError("no size, stride or scalar of a call gives the symbol 'n'")

    monkeypatch.setattr("ninetoothed.compiler.space.cost_source", unknown)
    found = choices(softmax_kernel, *rows)
    assert (found.configs, found.pruned) == (expected.configs, expected.pruned)
    assert found.cost == ""


def test_a_large_space_is_thinned_out() -> None:
    def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        sizes = tuple(Symbol(f"S{i}", meta=True, lower_bound=1, upper_bound=64) for i in range(4))
        return x.tile(sizes), y.tile(sizes)

    kernel = ninetoothed.make(arrangement, copy, (Tensor(4), Tensor(4)))
    found = choices(kernel, halves(9, 9, 9, 9), halves(9, 9, 9, 9))
    assert MAX_CONFIGS // 2 < len(found.configs) <= MAX_CONFIGS
    assert any(reason.startswith("one of over") for reason, _ in found.pruned)


def test_numbers_that_are_named_twice_count_once() -> None:
    found = choices(
        add_kernel, *(halves(512) for _ in range(3)), num_warps=(4, 4), num_stages=(2, 2)
    )
    assert len(found.configs) == len({*found.configs}) > 1


def rows_of(x: Any, y: Any) -> tuple[Any, Any]:
    """A program adds up all rows of a matrix, in blocks of columns."""
    size = Symbol("SIZE", meta=True, lower_bound=64, upper_bound=1 << 15)
    x = x.tile((1, size)).permute((1, 0)).tile((1, -1)).squeeze(1)
    x.dtype = x.dtype.squeeze(0)
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    return x, y.tile((size,))


def total_of_rows(x: Any, y: Any) -> None:
    total = ntl.zeros(y.shape, dtype=ntl.float32)
    for row in range(x.shape[0]):
        total += x[row]
    y = total  # pyright: ignore[reportUnusedVariable]


def running_total(x: Any, y: Any) -> None:
    for row in range(x.shape[0]):
        y = y + x[row]


def stages_of(kernel: Kernel, *values: Any) -> dict[int, tuple[int, ...]]:
    """Legal stages of loops beside the default, by block size."""
    found = choices(kernel, *values)
    return {
        config.values[0][1]: dict(legal).get("loop_stages", ())
        for config, legal in zip(found.configs, found.legal or [()] * 1000, strict=False)
    }


def test_stages_of_loops_are_a_choice_as_far_as_their_buffers_fit() -> None:
    kernel = ninetoothed.make(rows_of, total_of_rows, (Tensor(2), Tensor(1)))
    x, y = (torch.empty(shape, device="meta") for shape in ((4096, 1 << 15), (1 << 15,)))
    found = stages_of(kernel, x, y)
    # 228 KiB of shared memory; a block of 32,768 lanes has 128 KiB.
    assert (found[1024], found[1 << 14], found[1 << 15]) == ((2, 3), (2, 3), (2,))


def test_loads_of_two_bytes_are_not_copied_ahead() -> None:
    kernel = ninetoothed.make(rows_of, total_of_rows, (Tensor(2), Tensor(1)))
    aligned = halves(4096, 1024), halves(1024)
    assert stages_of(kernel, *aligned)[64] == (2, 3)
    assert not stages_of(kernel, halves(4096, 1023), halves(1023))[64]


def test_loops_that_read_what_they_write_have_no_stages() -> None:
    kernel = ninetoothed.make(rows_of, running_total, (Tensor(2), Tensor(1)))
    x, y = (torch.empty(shape, device="meta") for shape in ((64, 1024), (1024,)))
    assert not any(stages_of(kernel, x, y).values())


def test_parts_groups_of_programs_and_pointers_and_bounds_in_loops_are_choices() -> None:
    found = choices(matmul_kernel, *(halves(500, 500) for _ in range(3)))
    grid = (("split_reductions", (2, 4, 8, 16, 32, 64)), ("grouped_programs", (8, 16)))
    loops = (("persistent_programs", (1,)), ("pointer_blocks", (1,)), ("moving_bounds", (1,)))
    assert {*found.legal[: len(found.configs)]} == {(*grid, *loops)}


def test_packed_operands_are_read_ahead_and_may_be_boxes() -> None:
    """Without, loads of rows that begin anywhere are not asynchronous, and stages do not matter."""
    found = choices(matmul_kernel, *(halves(500, 500) for _ in range(3)))
    assert {config.num_stages for config in found.configs} == {3}
    assert {config.num_stages for config in found.packed} == {2, 3, 4, 5}
    assert {config.choices for config in found.packed} == {(("packed_operands", 1),)}
    assert len(found.legal) == len(found.configs) + len(found.packed)
    rows = [dict(row) for row in found.legal[len(found.configs) :]]
    assert {row["descriptors"] for row in rows} == {(1,)}
    assert not any("packed_operands" in row for row in rows)
    config = found.configs[0]
    packed = config.choosing("packed_operands", 1)
    assert packed in found.varied(config)
    assert config in found.varied(packed)
    assert found.has(packed.choosing("descriptors", 1))
    assert not found.has(config.choosing("descriptors", 1))
    assert not found.has(packed.choosing("packed_operands", 2))
    assert Space.from_json(found.to_json()) == found


def test_descriptors_are_a_choice_where_rows_are_aligned() -> None:
    found = choices(matmul_kernel, *(halves(512, 512) for _ in range(3)))
    assert {dict(row).get("descriptors") for row in found.legal} == {(1, 2)}
    found = choices(matmul_kernel, halves(512, 512), halves(512, 500), halves(512, 500))
    assert {dict(row).get("descriptors") for row in found.legal} == {(1,)}


def test_programs_share_no_iterations_where_one_thread_cannot_release_what_all_wrote() -> None:
    found = choices(matmul_kernel, *(halves(512, 512) for _ in range(3)), target="gfx942")
    assert found.legal
    assert not any("split_reductions" in dict(row) for row in found.legal)


def test_bounds_that_no_loop_moves_are_no_choice() -> None:
    """Each iteration reads a row, of which all lanes are."""
    kernel = ninetoothed.make(rows_of, running_total, (Tensor(2), Tensor(1)))
    found = choices(kernel, halves(64, 1024), halves(1024))
    assert {*found.legal} == {(("pointer_blocks", (1,)),)}


def test_kernels_without_a_choice_have_none() -> None:
    assert not choices(add_kernel, *(halves(512) for _ in range(3))).legal
