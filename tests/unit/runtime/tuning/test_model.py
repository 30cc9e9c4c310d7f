"""The performance model ranks configurations as a person would."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from examples.add import add_kernel
from examples.attention import attention_kernel
from examples.fused_linear import fused_linear_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from examples.varlen_attention import varlen_attention_kernel
from examples.w4a16_matmul import w4a16_matmul_kernel
from ninetoothed.artifacts.configuration import DESCRIPTORS, PERSISTENT, SPLIT, Config, Space
from ninetoothed.artifacts.occupancy import (
    Buffer,
    Dot,
    Footprint,
    Scope,
    Stream,
    registers,
    resident,
    scope_registers,
    shared_bytes,
)
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.triton.targets import ARCHITECTURES, architecture
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.tuning import model
from ninetoothed.runtime.tuning.model import Properties, Ranked

HOPPER = architecture(Target.parse("sm_90"))
H200 = Properties(HOPPER, 132, 1.98e9, 4.9e12, 50 << 20)


def meta(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def ranked(kernel: Kernel, *values: Any, device: Properties = H200) -> list[Ranked]:
    arguments = bind(kernel.definition.interface, values, {})
    found = space(kernel.composed(arguments.signature), arguments.signature)
    return model.rank(found, arguments.values, device)


def product(m: int, n: int, k: int) -> tuple[dict[str, int], Config]:
    """The block sizes that are chosen, by what they are of, and the whole choice."""
    best = ranked(matmul_kernel, meta(m, k), meta(k, n), meta(m, n))[0].config
    return dict(zip("mkn", (value for _, value in best.values), strict=True)), best


def test_blocks_of_lengths_that_data_tell() -> None:
    """A loop over them has the fewer iterations, the larger they are: 16 keys are too few."""
    query, key = meta(8192, 32, 1, 64), meta(8192, 32, 64)
    positions, offsets = (meta(*shape, dtype=torch.int32) for shape in ((16, 1024), (17,)))
    best = ranked(
        varlen_attention_kernel,
        *(query, key, key, positions, offsets, offsets, True, 0.125, query),
    )
    assert {dict(row.config.values)["BLOCK_SIZE_1"] for row in best[:4]} == {64}


def test_large_products_take_large_blocks_and_small_ones_small() -> None:
    large, config = product(4096, 4096, 4096)
    small, _ = product(256, 256, 256)
    narrow, _ = product(64, 4096, 4096)
    assert large["m"] * large["n"] >= 128 * 128
    assert config.num_warps >= 4
    assert small["m"] * small["n"] <= 64 * 64
    assert narrow["m"] <= 64, "there are no more rows"


def test_an_epilogue_that_spills_costs_less_than_smaller_blocks() -> None:
    """What it adds does not fit beside the sum of 128 by 256 lanes, but it comes once."""
    size = 8192
    weight, added = meta(size, size), meta(size, size)
    values = (meta(size, size), weight, meta(size), added, meta(size, size))
    rows = ranked(fused_linear_kernel, *values)
    m, _, n = (value for _, value in rows[0].config.values)
    assert m * n == 128 * 256


def test_registers_are_counted_by_scope() -> None:
    lanes, config = 128 * 256, Config((), 8, 3)
    loop = footprint(128, 256, 64).scopes[0]
    around = Scope(
        [], [], [Stream("load", lanes, 2, 256, True, 0, (), False, True)], 0, 0, 0, 6 * lanes, False
    )
    both = Footprint(lanes, [around, loop])
    # A lane of the sum is a register, two of what is added are another; 18 are for all else.
    assert list(scope_registers(both, config, HOPPER)) == [192 + 18, 128 + 18]
    assert registers(both, config, HOPPER) == 192 + 18
    assert (both.is_main(around), both.is_main(loop)) == (False, True)
    # Without a loop, addresses of rows count, three registers for 16 bytes.
    (alone,) = scope_registers(Footprint(lanes, [around]), config, HOPPER)
    assert alone == 192 + 18 + 3 * lanes * 2 / 16 / 256


def test_long_rows_take_more_warps_than_short_ones() -> None:
    short = ranked(softmax_kernel, meta(10000, 512), meta(10000, 512))[0].config
    long = ranked(softmax_kernel, meta(10000, 16384), meta(10000, 16384))[0].config
    assert short.num_warps < long.num_warps


def test_memory_bounds_a_sum_of_vectors() -> None:
    count = 1 << 26
    best = ranked(add_kernel, *[meta(count) for _ in range(3)])[0]
    least = 3 * 2 * count / H200.bandwidth * 1e3
    assert best.milliseconds is not None
    assert least < best.milliseconds < 1.3 * least


def test_all_are_ranked_by_time_and_each_time_anew() -> None:
    tensors = [meta(1024, 1024) for _ in range(3)]
    first, second = ranked(matmul_kernel, *tensors), ranked(matmul_kernel, *tensors)
    assert first == second
    times = [row.milliseconds for row in first]
    assert None not in times
    assert times == sorted(time for time in times if time is not None)


def test_a_slower_device_takes_longer() -> None:
    tensors = [meta(2048, 2048) for _ in range(3)]
    slower = replace(H200, multiprocessors=40, bandwidth=0.8e12)
    fast, slow = (ranked(matmul_kernel, *tensors, device=one)[0] for one in (H200, slower))
    assert fast.milliseconds is not None
    assert slow.milliseconds is not None
    assert slow.milliseconds > 2 * fast.milliseconds


def test_an_iteration_waits_for_what_no_dot_reads() -> None:
    """The scales of ``w4a16_matmul``: as long as memory takes, where a multiprocessor has a program
    alone.
    """
    m, n, k = 16, 8192, 8192
    values = (meta(m, k), meta(n, k // 2, dtype=torch.uint8), meta(k // 128, n), meta(m, n))
    arguments = bind(w4a16_matmul_kernel.definition.interface, values, {})
    found = space(w4a16_matmul_kernel.composed(arguments.signature), arguments.signature)
    # A stream's last field but one, behind a tuple.
    prefetched = replace(found, cost=found.cost.replace("), True, True)", "), False, True)"))
    assert prefetched.cost != found.cost
    config = Config((("BLOCK_SIZE_0", 16), ("BLOCK_SIZE_1", 64)), 4, 4)

    def milliseconds(choices: Space) -> float:
        rows = {row.config: row.milliseconds for row in model.rank(choices, values, H200)}
        return rows[config] or 0

    waited = 32 * model.FITTED.latency / H200.clock * 1e3
    assert milliseconds(found) - milliseconds(prefetched) == pytest.approx(waited, rel=0.2)


def parts(m: int, n: int, k: int, device: Properties = H200) -> dict[int, Ranked]:
    """The times of a product by how many programs share the iterations of one, of the blocks that
    are best without.
    """
    values = (meta(m, k), meta(k, n), meta(m, n))
    arguments = bind(matmul_kernel.definition.interface, values, {})
    found = space(matmul_kernel.composed(arguments.signature), arguments.signature)
    best = model.rank(found, arguments.values, device)[0].config
    alone = replace(found, configs=(best, *(one for one in found.varied(best) if one.parts > 1)))
    return {row.config.parts: row for row in model.rank(alone, arguments.values, device)}


def test_few_long_programs_share_their_iterations() -> None:
    times = {count: row.milliseconds for count, row in parts(64, 64, 1 << 16).items()}
    assert None not in times.values()
    best = min(times, key=lambda count: times[count] or 0.0)
    assert best >= 16
    assert (times[1] or 0.0) > 4 * (times[best] or 0.0)


def test_short_ones_do_not() -> None:
    found = parts(64, 64, 256)
    least = min(found, key=lambda count: found[count].milliseconds or 1.0)
    assert least == 1
    assert found[64].reason.endswith("iterations, which are too few for 64 programs")


def test_many_do_not() -> None:
    found = parts(4096, 4096, 4096)
    assert {count for count, row in found.items() if row.milliseconds is not None} == {1}
    assert found[2].reason.endswith("programs, which need not share their iterations")


def persistent(m: int, n: int, **choices: int) -> Ranked:
    """What is predicted for persistent programs of a product."""
    values = (meta(m, 1024), meta(1024, n), meta(m, n))
    arguments = bind(matmul_kernel.definition.interface, values, {})
    found = space(matmul_kernel.composed(arguments.signature), arguments.signature)
    best = model.rank(found, arguments.values, H200)[0].config.choosing("persistent_programs", 1)
    for name, value in choices.items():
        best = best.choosing(name, value)
    (row,) = model.rank(replace(found, configs=(best,)), arguments.values, H200)
    return row


def test_few_queries_are_split_over_all_multiprocessors() -> None:
    """64 parts are combined group by group, which takes less long than to read them one by one."""
    query, keys = meta(1, 2, 1, 8, 128), meta(1, 2, 32768, 128)
    logsumexp = meta(1, 2, 1, 8, dtype=torch.float32)
    values = (query, keys, keys, False, 1.0, query, logsumexp)
    arguments = bind(attention_kernel.definition.interface, values, {})
    found = space(attention_kernel.composed(arguments.signature), arguments.signature)
    configs = [one for one in found.configs if dict(one.values)["BLOCK_SIZE_0"] == 16]
    split = tuple(one.choosing(SPLIT, parts) for one in configs for parts in (8, 16, 32, 64))
    best = model.rank(replace(found, configs=split, legal=()), arguments.values, H200)[0]
    assert best.config.parts == 64


def test_programs_that_all_run_at_once_do_not_persist() -> None:
    assert persistent(64, 64).reason.endswith("programs, which all run at once")
    assert persistent(8192, 8192).milliseconds is not None
    shared = persistent(8192, 8192, split_reductions=2)
    assert shared.milliseconds is None


@pytest.mark.parametrize(
    ("stages", "descriptors", "fits"), [(3, 2, True), (4, 2, False), (4, 1, True)]
)
def test_persistent_programs_store_beside_what_they_read(
    stages: int, descriptors: int, fits: bool
) -> None:
    values = (meta(8192, 8192), meta(8192, 8192), meta(8192, 8192))
    arguments = bind(matmul_kernel.definition.interface, values, {})
    found = space(matmul_kernel.composed(arguments.signature), arguments.signature)
    sizes = (128, 64, 256)
    (plain,) = (
        one
        for one in found.configs
        if tuple(size for _, size in one.values) == sizes
        and (one.num_warps, one.num_stages) == (8, stages)
    )
    config = plain.choosing(PERSISTENT, 1).choosing(DESCRIPTORS, descriptors)
    (row,) = model.rank(replace(found, configs=(config,)), arguments.values, H200)
    assert (row.milliseconds is not None) == fits
    if not fits:
        assert row.reason.endswith("no room for what it stores beside what it reads")


def test_a_device_of_few_multiprocessors() -> None:
    found = parts(64, 64, 1 << 16, replace(H200, multiprocessors=2))
    assert found[1].milliseconds is not None


def test_without_a_model_the_order_stays() -> None:
    configs = (Config((("B", 64),)), Config((("B", 32),)))
    assert model.rank(Space(configs, ""), [], H200) == [Ranked(one, 0.0) for one in configs]
    broken = "def footprint(b):\n    return 1, ()\n\ndef cost(x):\n    return 1 // x\n"
    assert model.rank(Space(configs, broken), [0], H200) == [Ranked(one, 0.0) for one in configs]


def test_no_programs_take_no_time() -> None:
    assert ranked(add_kernel, *[meta(0) for _ in range(3)])[0].milliseconds == 0


def test_more_programs_than_a_device_counts_are_refused() -> None:
    source = (
        "def footprint(b):\n    return b, (((), (), (), 0, 0, 0, 4 * b, False),)\n\n"
        "def cost():\n    return lambda b: (((1 << 40) // b,), ((1, ()),))\n"
    )
    configs = tuple(Config((("B", size),)) for size in (32, 1024))
    rows = model.rank(Space(configs, source), [], H200)
    assert [row.config for row in rows] == [configs[1], configs[0]]
    assert rows[0].milliseconds is not None
    assert rows[1].milliseconds is None
    assert "programs" in rows[1].reason


def test_what_torch_does_not_tell_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = SimpleNamespace(
        multi_processor_count=132,
        clock_rate=1_980_000,
        memory_clock_rate=3_201_000,
        memory_bus_width=6144,
        L2_cache_size=50 << 20,
    )
    devices = [known, SimpleNamespace(multi_processor_count=100)]
    monkeypatch.setattr(torch.cuda, "get_device_properties", devices.__getitem__)
    target = Target.parse("sm_90")
    assert Properties.of(0, target) == Properties(HOPPER, 132, 1.98e9, 4.916736e12, 50 << 20)
    assert Properties.of(1, target) == Properties(HOPPER, 100, 1.5e9, 1.5e12, 4 << 20)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        *(("sm_90", "sm_90"), ("sm_87", "sm_86"), ("sm_60", "sm_70"), ("sm_103", "sm_100")),
        *(("gfx942", "gfx942"), ("gfx90a", "gfx9"), ("gfx1100", "gfx")),
    ],
)
def test_a_device_that_is_not_in_the_table_is_like_the_one_below(target: str, name: str) -> None:
    assert architecture(Target.parse(target)) is ARCHITECTURES[name]


def footprint(m: int, n: int, k: int) -> Footprint:
    buffers = [Buffer(2 * m * k, True), Buffer(2 * k * n, True)]
    loop = Scope([Dot("fp16", m, n, k, 1)], buffers, [], 0, 0, 0, 4 * m * n, True)
    return Footprint(m * n, [loop])


@pytest.mark.parametrize(
    ("sizes", "warps", "stages", "expected"),
    # As Triton 3.6 and 3.9 compile them for sm_90.
    [
        ((128, 128, 64), 4, 1, 32768),
        ((128, 128, 64), 4, 2, 65536),
        ((128, 128, 64), 4, 4, 131072),
        ((64, 32, 32), 4, 3, 18432),
        # Products of one warp: what is multiplied has left shared memory.
        ((32, 32, 32), 4, 2, 4096),
        ((32, 32, 32), 4, 4, 12288),
        ((16, 16, 32), 2, 3, 4096),
        ((64, 32, 32), 2, 2, 6144),
    ],
)
def test_shared_memory(sizes: tuple[int, int, int], warps: int, stages: int, expected: int) -> None:
    assert shared_bytes(footprint(*sizes), Config((), warps, stages), HOPPER) == expected


def test_how_many_programs_are_resident() -> None:
    assert resident(HOPPER, 128, 32, 0) == 16, "threads"
    assert resident(HOPPER, 128, 128, 0) == 4, "registers"
    assert resident(HOPPER, 128, 32, 100 << 10) == 2, "shared memory"
    assert resident(HOPPER, 32, 16, 0) == 32, "programs"
    assert resident(HOPPER, 1024, 255, 0) == 1, "one, whatever it takes"


def packed(m: int, n: int, k: int) -> dict[bool, Ranked]:
    """The times of a product by whether its operands are packed, of the blocks that are best
    without.
    """
    values = (meta(m, k), meta(k, n), meta(m, n))
    arguments = bind(matmul_kernel.definition.interface, values, {})
    found = space(matmul_kernel.composed(arguments.signature), arguments.signature)
    best = next(
        row.config for row in model.rank(found, arguments.values, H200) if not row.config.is_packed
    )
    packed = [one for one in found.varied(best) if one.is_packed]
    both = replace(found, configs=(best,), packed=tuple(packed))
    return {row.config.is_packed: row for row in model.rank(both, arguments.values, H200)}


def test_large_odd_operands_are_packed() -> None:
    found = packed(4093, 4099, 2053)
    least = 2 * 2 * (4093 * 2053 + 2053 * 4099) / H200.bandwidth * 1e3
    without, with_copies = found[False].milliseconds, found[True].milliseconds
    assert without is not None
    assert with_copies is not None
    assert least < with_copies < without


def test_what_takes_longer_to_pack_than_to_read_is_not() -> None:
    found = packed(33, 35, 37)
    assert found[True].milliseconds is None
    assert found[True].reason == "packing its operands takes longer than all else"


def test_what_exceeds_scratch_memory_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies would be of 256 MiB and a little more."""
    refused = packed(8193, 8195, 8199)[True]
    assert refused.milliseconds is None
    assert refused.reason == "packed operands over NINETOOTHED_SCRATCH_SIZE"
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", "1G")
    assert packed(8193, 8195, 8199)[True].milliseconds is not None


def test_what_is_aligned_has_no_such_choice() -> None:
    assert [*packed(1024, 1024, 1024)] == [False]
