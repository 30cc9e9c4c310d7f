"""Loops that wait for other programs: no program goes on in the interpreter while others wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import NineToothedError
from ninetoothed.interpreters import interpret
from tests.support.everywhere import everywhere, lowered

WAITING = (
    "programs wait in this loop for what another program must do, which never happens here: an "
    "iteration changes neither a variable nor memory, and the interpreter runs each operation for "
    "all programs at once, so that none goes on while others wait; release a lock in the iteration "
    "that takes it, use atomics that need no lock, such as ntl.atomic_add, make two kernels of it, "
    "or run it on a GPU"
)
ENDLESS = (
    "this loop never ends: an iteration changes neither a variable nor memory; write a condition "
    "that the loop's body changes"
)


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not recognized ends soon."""
    monkeypatch.setenv("NINETOOTHED_INTERPRET_MAX_STEPS", "6000")


def each(x, state, out):
    """A program for each element of ``x``."""
    x = x.tile((1,))
    x.dtype = x.dtype.squeeze(0)
    return x, *(tensor.tile((-1,)).expand(x.shape) for tensor in (state, out))


def add(pointer, number):
    ntl.store(pointer, ntl.load(pointer) + number)


def compared_and_swapped(x, state, out):
    lock = state.source.data_ptr()
    while ntl.atomic_cas(lock, 0, 1) != 0:
        pass
    add(out.source.data_ptr(), x)
    ntl.atomic_xchg(lock, 0)


def exchanged(x, state, out):
    lock = state.source.data_ptr()
    while ntl.atomic_xchg(lock, 1) == 1:
        pass
    add(out.source.data_ptr(), x)
    ntl.atomic_xchg(lock, 0)


def flagged(x, state, out):
    """The program that would set the flag comes behind the loop."""
    flag = state.source.data_ptr()
    turns = 0
    while ntl.load(flag, volatile=True) < x:
        turns = 1
    ntl.atomic_add(flag, 1)
    ntl.store(out.source.data_ptr() + x, turns)


def met(x, state, out):
    """A barrier that one program never comes to."""
    count = state.source.data_ptr()
    if x != 2:
        ntl.atomic_add(count, 1)
    while ntl.atomic_add(count, 0) != x.source.shape[0]:
        pass
    ntl.store(out.source.data_ptr() + x, 1)


def locked_meanwhile(x, state, out):
    """What is waited for is read under a lock, which is given back."""
    lock = state.source.data_ptr()
    done = False
    while not done:
        if ntl.atomic_cas(lock, 0, 1) == 0:
            done = ntl.load(lock + 1) == 1
            ntl.atomic_xchg(lock, 0)
    ntl.atomic_xchg(lock + 1, 1)


def under_a_branch(x, state, out):
    """Programs that do not wait have other values, NaN among them."""
    lock = state.source.data_ptr()
    if x > 1:
        number = 0.0 / ntl.cast(x - 2, ntl.float32)
        while ntl.atomic_cas(lock + 1, 1, 1) != 1:
            number = -ntl.abs(number)
        ntl.store(out.source.data_ptr(), number)


LOCKS = (compared_and_swapped, exchanged, flagged, met, locked_meanwhile, under_a_branch)


def values(programs: int = 4, dtype: torch.dtype = torch.int32) -> list[torch.Tensor]:
    return [
        torch.arange(programs, dtype=torch.int32),
        torch.zeros(2, dtype=torch.int32),
        torch.zeros(programs, dtype=dtype),
    ]


def raised(call: Callable[[], object]) -> str:
    with pytest.raises(NineToothedError) as error:
        call()
    assert error.value.loc is not None
    assert error.value.loc.file == __file__
    return error.value.message


@pytest.mark.parametrize("lanes", [1, 1 << 22])
@pytest.mark.parametrize("application", LOCKS, ids=lambda one: one.__name__)
def test_programs_that_wait_are_named(
    application: Callable[..., Any], lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one chunk, and of programs that come one by one, which meet a lock that is free."""
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", str(lanes))
    dtype = torch.float32 if application is under_a_branch else torch.int32
    kernel = ninetoothed.make(each, application, tuple(Tensor(1) for _ in range(3)))
    module, bound = lowered(kernel, values(dtype=dtype))
    if lanes == 1 and application in (compared_and_swapped, exchanged, flagged):
        kernel(*values())
        interpret(module, bound)
        return
    assert raised(lambda: kernel(*values(dtype=dtype))) == WAITING
    assert raised(lambda: interpret(module, bound)) == WAITING


def unchanged(x, state, out):
    n = x
    while n != 1:
        n = n // 1
    ntl.store(out.source.data_ptr() + x, n)


@pytest.mark.parametrize(
    ("application", "programs"), [(unchanged, 4), (compared_and_swapped, 1)], ids=["reads", "one"]
)
def test_a_loop_that_nobody_can_end(application: Callable[..., Any], programs: int) -> None:
    """It reads no memory, or there is no other program."""
    kernel = ninetoothed.make(
        each, application, (Tensor(1), Tensor(1), Tensor(1, allow_races=True))
    )
    arguments = values(programs)
    arguments[1][:] = 1
    module, bound = lowered(kernel, arguments)
    assert raised(lambda: kernel(*arguments)) == ENDLESS
    assert raised(lambda: interpret(module, bound)) == ENDLESS


# Loops that end, after iterations that differ in nothing but what a check must see.


def released_in_the_iteration(x, state, out):
    lock = state.source.data_ptr()
    done = False
    while not done:
        if ntl.atomic_cas(lock, 0, 1) == 0:
            add(out.source.data_ptr(), x)
            ntl.atomic_xchg(lock, 0)
            done = True


def counted_in_memory(x, state, out):
    """No variable changes."""
    counter = out.source.data_ptr() + x
    while ntl.load(counter) < 1500:
        add(counter, 1)


def counted_by_the_first(x, state, out):
    """The others' iterations change nothing at all."""
    counter = state.source.data_ptr()
    while ntl.load(counter, volatile=True) < 1500:
        if x == 0:
            add(counter, 1)
    ntl.store(out.source.data_ptr() + x, ntl.load(counter))


def counted_by_a_ticket(x, state, out):
    """An atomic that is not stored changes memory, and that is all."""
    while ntl.atomic_add(state.source.data_ptr(), 1) < 5000:
        pass
    ntl.store(out.source.data_ptr() + x, 1500)


def counted(x, state, out):
    """Memory does not change."""
    i = 0
    while i < 1500:
        i += 1
    ntl.store(out.source.data_ptr() + x, i)


def counted_within(x, state, out):
    """The outer loop's effects are those of the inner one."""
    counter = out.source.data_ptr() + x
    while ntl.load(counter) < 1500:
        j = 0
        while j < 300:
            j += 1
        ntl.store(counter, ntl.load(counter) + j)


def turned(x, state, out):
    """Where the loop is observed, all that changes is the sign of a zero."""
    v = ntl.cast(x, ntl.float32) * 0 + 256
    while 1 / v >= 0:
        v = v - 1 if v > 0 else -v
    ntl.store(out.source.data_ptr() + x, ntl.where(v == 0, 1500, 0))


ENDING = (
    *(counted_in_memory, counted_by_the_first, counted_by_a_ticket, counted, counted_within),
    turned,
)


@pytest.mark.parametrize("application", ENDING, ids=lambda one: one.__name__)
def test_long_loops_end(device: str, application: Callable[..., Any]) -> None:
    def check(*found: torch.Tensor) -> None:
        assert found[2].tolist() == [1500] * 4

    everywhere(device, each, application, values(), check)


def test_a_lock_that_is_released_in_the_iteration(device: str) -> None:
    def check(*found: torch.Tensor) -> None:
        assert found[1].tolist() == [0, 0]
        assert found[2][0] == 4950

    everywhere(device, each, released_in_the_iteration, values(100), check)
