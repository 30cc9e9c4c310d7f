"""``ninetoothed.tuning.synchronize`` on ranks that are processes, whose GPUs are made up."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
import torch.distributed as dist

from ninetoothed import tuning
from ninetoothed.errors import ArgumentError, NineToothedError
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.tuning import results
from tests.support.dispatching import (
    SIGNATURE,
    World,
    blocks,
    blocks_launched,
    constant,
    values,
)
from tests.support.rank_processes import Ranks, ranks


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ranks]:
    with ranks(3, tmp_path_factory.mktemp("ranks")) as found:
        yield found


def choose_apart(world: World, rank: int) -> tuple[list[int], int, str, list[float | None]]:
    """Ranks 0 and 1 have timed otherwise, and rank 2 calls the kernel later."""
    times: list[dict[int, float | str]] = [{128: 1.0, 256: 2.0}, {128: 3.0, 256: 0.5}, {}]
    world.times = times[rank]
    dispatcher = world.dispatcher(blocks(128, 256))
    if rank < 2:
        dispatcher.launch(SIGNATURE, values())
    count = tuning.synchronize()
    dispatcher.launch(SIGNATURE, values(1001))
    report = dispatcher.report(SIGNATURE, values())
    return blocks_launched(world), count, report.origin, [row.measured for row in report.rows]


def test_ranks_that_have_chosen_differently(three: Ranks) -> None:
    times = [0.5, 3.0]
    assert three.run(choose_apart) == [
        ([128, 256], 1, "synchronized", times),
        ([256, 256], 1, "synchronized", times),
        ([256], 1, "synchronized", times),
    ]


def tune_together(world: World, rank: int) -> tuple[list[list[int]], list[int], Any]:
    """Rank 2 does not call the kernel."""
    group: Any = dist.new_group([0, 1])
    world.predicted = {size: float(size) for size in (16, 32, 64, 128)}
    world.times = {64: 1.0 + rank, 128: 1.5}
    dispatcher = world.dispatcher(blocks(16, 32, 64, 128))

    def warm_up() -> None:
        dispatcher.launch(SIGNATURE, values())
        dispatcher.launch(SIGNATURE, values(100_000))

    if rank == 2:
        with pytest.raises(ArgumentError) as caught:
            tuning.synchronize(group, warm_up)
        return [], [], caught.value.message
    count = tuning.synchronize(group, warm_up)
    dispatcher.launch(SIGNATURE, values())
    kept = [results.load(*slot) for slot in sorted(results.agreed)]
    first = [None if one is None else one.rows[0].milliseconds for one in kept]
    return world.races, blocks_launched(world), (count, first)


def test_candidates_are_split_over_ranks(three: Ranks) -> None:
    first, second, third = three.run(tune_together)
    # Two buckets, each with the share of a rank, and then with the three best of both.
    assert [sorted(race) for race in first[0]] == [[16, 64]] * 2 + [[16, 64, 128]] * 2
    assert [sorted(race) for race in second[0]] == [[32, 128]] * 2 + [[16, 64, 128]] * 2
    assert first[1:] == second[1:] == ([16, 16, 64], (2, [1.5, 1.5]))
    assert third == (
        [],
        [],
        "this process is not of the group; call ninetoothed.tuning.synchronize on the ranks of the "
        "group alone",
    )


def fail(world: World, rank: int) -> tuple[str, list[int]]:
    """Rank 1 fails in the warm-up, or is stuck in timing, or has another GPU."""
    dispatcher = world.dispatcher(blocks(128, 256, 512))
    texts: list[str] = []

    def warm_up() -> None:
        if rank == 1 and not texts:
            raise ValueError("no such batch")
        dispatcher.launch(SIGNATURE, values())

    def synchronized() -> None:
        try:
            tuning.synchronize(None, warm_up)
        except (NineToothedError, ValueError) as error:
            texts.append(str(getattr(error, "message", error)))

    synchronized()
    world.stuck = 256 if rank == 1 else None
    synchronized()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(device, "name", constant("fake device" if rank != 1 else "another one"))
        synchronized()
    world.stuck = None
    # They go on as before, and may synchronize again.
    tuning.synchronize()
    dispatcher.launch(SIGNATURE, values())
    return "\n".join(texts), blocks_launched(world)


def test_an_error_of_one_rank_reaches_all(three: Ranks) -> None:
    first, second, third = three.run(fail)
    config = blocks(256)[0]
    stuck = (
        f"kernel 'add' did not end within 30 s (NINETOOTHED_TUNE_TIMEOUT) when it was timed with "
        f"{config}, and the device cannot stop it: end this process. Later ones leave this "
        "configuration out, until `python -m ninetoothed cache clear --kind tuning`"
    )
    failed = "the ranks cannot use the same choices, as rank 1 has failed"
    gpus = (
        "the GPU of rank 0 is fake device, and of rank 1 it is another one; a choice is for one "
        "product: synchronize a group for each (torch.distributed.new_group)"
    )
    assert first[0] == f"{failed}: ValueError: no such batch\n{failed}: {stuck}\n{gpus}"
    assert second[0] == f"no such batch\n{stuck}\n{gpus}"
    assert third == first
    assert {*first[1], *second[1]} == {128}


def call_of_one_name(world: World, rank: int, called: list[list[int]]) -> int | str:
    """Kernels of one name, of which each rank calls some."""
    kernels = [world.dispatcher(blocks(one, 512), version=f"{one}") for one in called[rank]]
    for kernel in kernels:
        kernel.launch(SIGNATURE, values())
    try:
        return tuning.synchronize()
    except NineToothedError as error:
        return error.message


def test_kernels_of_one_name(three: Ranks) -> None:
    assert three.run(call_of_one_name, [[128], [128, 256], [256]]) == [2, 2, 2]
    message = (
        "kernel 'add' has other configurations or costs on rank 2 than on rank 0; run the same "
        "sources and plugins on all ranks, and give kernels that are different ones a kernel_name "
        "each"
    )
    assert three.run(call_of_one_name, [[128], [], [256]]) == [message] * 3


def refuse(world: World, rank: int) -> list[str]:
    texts: list[str] = []
    for group in (dist.GroupMember.NON_GROUP_MEMBER, "model"):
        with pytest.raises(ArgumentError) as caught:
            tuning.synchronize(group)  # pyright: ignore[reportArgumentType]
        texts.append(caught.value.message)
    return texts


def test_groups_that_are_none(three: Ranks) -> None:
    assert three.run(refuse)[0] == [
        "this process is not of the group; call ninetoothed.tuning.synchronize on the ranks of the "
        "group alone",
        "group must be a process group or None, not 'model'; a DeviceMesh has one for each dim, "
        "mesh.get_group(dim)",
    ]


def test_without_a_process_group() -> None:
    with pytest.raises(ArgumentError) as caught:
        tuning.synchronize()
    assert caught.value.message == (
        "ninetoothed.tuning.synchronize needs a process group; call "
        "torch.distributed.init_process_group() before, in processes that torchrun starts"
    )
