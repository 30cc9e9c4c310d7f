"""Memory that a call's arguments share: refused, warned of, or right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import NineToothedWarning, OverlapWarning, Tensor, block_size
from ninetoothed.errors import ArgumentError


def arrangement(x, output):
    return tuple(
        one.flatten().tile((64,)) if one.ndim > 1 else one.tile((64,)) for one in (x, output)
    )


def copied(x, output):
    output = x


def made(
    ndim: int = 1, other: int | None = None, application=copied, allow=(False, False), **options
):
    dims = (ndim, ndim if other is None else other)
    tensors = tuple(
        Tensor(count, allow_races=races) for count, races in zip(dims, allow, strict=True)
    )
    return ninetoothed.make(arrangement, application, tensors, **options)


@contextmanager
def silent() -> Generator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NineToothedWarning)
        yield


Tensors = Sequence[torch.Tensor]
Views = Callable[[torch.Tensor], torch.Tensor]

REPEATED: list[Views] = [
    lambda a: a[:1].expand(6),
    lambda a: a[:6].unfold(0, 3, 1),
    lambda a: a.as_strided((4, 3), (2, 1)),
    lambda a: a.as_strided((3, 4), (1, 2)),
    lambda a: a.as_strided((4, 3), (2, 3)),
    lambda a: a.as_strided((3, 3, 3), (6, 10, 15)).as_strided((6, 3, 2), (5, 3, 7)),
    lambda a: a.view(torch.bfloat16)[:8].unfold(0, 4, 2),
]
DISTINCT: list[Views] = [
    lambda a: a[:6].view(2, 3).T,
    lambda a: a[:24].view(2, 3, 4).permute(2, 0, 1)[::2, :, ::2],
    lambda a: a[:9].unfold(0, 3, 3),
    lambda a: a.as_strided((3, 2), (2, 3)),
    lambda a: a.as_strided((2, 3), (3, 2)),
    lambda a: a.as_strided((1, 3), (0, 1)),
    lambda a: a.as_strided((3, 1, 2), (2, 0, 1)),
    lambda a: a.as_strided((0, 3), (1, 1)),
    lambda a: a.as_strided((3, 3, 3), (6, 10, 15)).as_strided((5, 3, 2), (6, 10, 15)),
]


@pytest.mark.parametrize("view", REPEATED)
def test_an_output_that_overlaps_itself(device, view):
    output = view(torch.zeros(200, device=device))
    kernel = made(output.ndim)
    x = torch.ones_like(output.contiguous())
    for _ in range(2):
        with pytest.raises(ArgumentError, match=r"output is written, but several of its indices"):
            kernel(x, output)
    # After a call of the class that is right, too.
    clone = output.clone()
    kernel(x, clone)
    with pytest.raises(ArgumentError, match=r"output is written, but several of its indices"):
        kernel(x, output)
    assert not output.any()
    # To be read, it is a tensor like others; and where races are allowed.
    with silent():
        kernel(output, clone)
        made(output.ndim, allow=(False, True))(x, output)
    assert not clone.any()
    assert output.all()


@pytest.mark.parametrize("view", DISTINCT)
def test_an_output_that_does_not(device, view):
    output = view(torch.zeros(200, device=device))
    kernel = made(output.ndim)
    x = torch.arange(output.numel(), dtype=torch.float32, device=device).view(output.shape)
    with silent():
        for _ in range(3):
            kernel(x, output)
    assert torch.equal(output, x)


def test_what_is_only_read_makes_no_other_kernel():
    kernel = made(2)
    windows = torch.arange(8.0).unfold(0, 4, 2)
    output = torch.zeros(3, 4)
    kernel(windows, output)
    assert torch.equal(output, windows)
    known = kernel._compilation._signature_infos
    assert [param.repeated for info in known for param in info.params] == [False, False]


MET: list[Callable[[torch.Tensor], Tensors]] = [
    lambda a: (a[:12], a[1:13]),
    lambda a: (a[1:13], a[:12]),
    lambda a: (a[:16].view(4, 4), a[:16].view(4, 4).T),
    lambda a: (a[:12], a[:24:2]),
    lambda a: (a[:1].expand(12), a[:12]),
    lambda a: (a[3].expand(12), a[:12]),
    lambda a: (a[:16].view(4, 4)[:, :3], a[:16].view(4, 4)[:, 1:]),
    lambda a: (a[:12], a.view(torch.bfloat16)[1:13]),
    lambda a: (a.as_strided((2, 3), (3, 2)), a.as_strided((2, 3), (2, 3), 1)),
]
APART: list[Callable[[torch.Tensor], Tensors]] = [
    lambda a: (a[:12], a[12:24]),
    lambda a: (a[:24:2], a[1:24:2]),
    lambda a: (a[:16].view(4, 4)[:, :2], a[:16].view(4, 4)[:, 2:]),
    lambda a: a[:48].view(4, 3, 4).unbind(1)[:2],
    # In place, whatever the dims and the types are.
    lambda a: (a[:12], a[:12]),
    lambda a: (a[:12].view(3, 4), a[:12]),
    lambda a: (a[:12].view(torch.int32), a[:12]),
    lambda a: (a[:16].view(4, 4).T, a[:16].view(4, 4).T),
    lambda a: (a[:1], a[:1]),
]


@pytest.mark.parametrize("views", MET)
def test_an_output_on_other_elements(device, views):
    x, output = views(torch.zeros(100, device=device))
    kernel = made(x.ndim, output.ndim)
    with pytest.warns(OverlapWarning) as caught:
        kernel(x, output)
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        "output is written, and other elements of x lie in the same memory: which of them a "
        "program still finds there is left to chance; give each memory of its own, for example by "
        "x.clone(), or declare Tensor(..., allow_races=True)"
    )
    # Once a kernel; and where it is allowed, not at all.
    with silent():
        for _ in range(4):
            kernel(x, output)
        made(x.ndim, output.ndim, allow=(False, True))(x, output)
        made(x.ndim, output.ndim, allow=(True, False))(x, output)


@pytest.mark.parametrize("views", MET)
def test_strict(device, views):
    x, output = views(torch.arange(1.0, 101.0, device=device))
    kernel = made(x.ndim, output.ndim, strict=True)
    before = output.clone()
    for _ in range(4):
        with pytest.raises(ArgumentError, match=r"other elements of x lie in the same memory"):
            kernel(x, output)
    assert torch.equal(output, before)
    kernel(x, torch.empty_like(before))


@pytest.mark.parametrize("views", APART)
def test_an_output_on_none(device, views):
    x, output = views(torch.zeros(100, device=device))
    kernel = made(x.ndim, output.ndim, strict=True)
    with silent():
        for _ in range(4):
            kernel(x, output)


def test_a_later_call(device):
    """One that meets is told of, whatever came before."""
    kernel = made()
    a = torch.zeros(100, device=device)
    with silent():
        for _ in range(4):
            kernel(a[:12], a[50:62])
            kernel(a[:12], a[:12])
            kernel(a[:24:2], a[1:24:2])
    with pytest.warns(OverlapWarning):
        kernel(a[:24:2], a[2:26:2])


def test_only_read(device):
    def arrangement(x, y, output):
        return tuple(one.tile((64,)) for one in (x, y, output))

    def application(x, y, output):
        output = x + y

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(3)))
    a, output = torch.arange(13.0, device=device), torch.empty(12, device=device)
    with silent():
        for _ in range(4):
            kernel(a[:12], a[1:], output)
    assert torch.equal(output, a[:12] + a[1:])


def test_only_read_where_block_sizes_decide(device):
    """What may be written with other block sizes is found out before it is told of."""
    block = block_size()

    def arrangement(x, y, output):
        return tuple(one.tile((block,)) for one in (x, y, output))

    def application(x, y, output):
        total = x + y
        for _ in ntl.static_range(0 * x.shape[0]):
            total += 1
        output = total

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(3)))
    a, output = torch.arange(13.0, device=device), torch.empty(12, device=device)
    with silent():
        for _ in range(2):
            kernel(a[:12], a[1:], output)
    with pytest.warns(OverlapWarning, match=r"output is written, and other elements of y"):
        kernel(output[:-1], a[1:12], a[:11])


def test_a_tensor_and_its_beginning(device):
    """Equal indices are the same elements."""

    def arrangement(x, output):
        return x.tile((64,)), output.tile((64,))

    a = torch.zeros(100, device=device)
    kernel = ninetoothed.make(arrangement, copied, (Tensor(1), Tensor(1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", OverlapWarning)
        kernel(a, a[:70])


def test_two_outputs(device):
    def arrangement(x, one, other):
        return tuple(tensor.tile((64,)) for tensor in (x, one, other))

    def application(x, one, other):
        one = x
        other = x + 1

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(3)))
    a, x = torch.zeros(20, device=device), torch.ones(12, device=device)
    with pytest.warns(OverlapWarning, match=r"one is written, and other elements of other"):
        kernel(x, a[:12], a[1:13])


def test_one_memory_for_two_outputs(device):
    """The last store of a program is what is left, whichever threads store it."""

    def arrangement(x, one, other):
        return tuple(tensor.tile((8, 16)) for tensor in (x, one, other))

    def application(x, one, other):
        one = x
        other = ntl.trans(ntl.trans(x) + 1)

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(2) for _ in range(3)))
    x, output = torch.rand(40, 60, device=device), torch.zeros(40, 60, device=device)
    with silent():
        for _ in range(4):
            kernel(x, output, output)
            torch.testing.assert_close(output, x + 1)
            output.zero_()


def test_one_memory_for_two_halves(device):
    """Arrangements of which each writes its own part."""

    def arrangement(x, even, odd):
        return x.tile((64,)), even[::2].tile((64,)), odd[1::2].tile((64,))

    def application(x, even, odd):
        even = x
        odd = -x

    kernel = ninetoothed.make(arrangement, application, tuple(Tensor(1) for _ in range(3)))
    x, output = torch.rand(100, device=device), torch.zeros(200, device=device)
    with silent():
        for _ in range(4):
            kernel(x, output, output)
    assert torch.equal(output, torch.stack([x, -x], 1).flatten())


def test_one_tensor_arranged_twice(device):
    def arrangement(x, output):
        return x.tile((64,)), x.tile((64,)), output.tile((64,))

    def application(x, again, output):
        x = again + 1
        output = again

    kernel = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)), strict=True)
    x, output = torch.zeros(2, 100, device=device)
    with silent():
        for _ in range(4):
            kernel(x, output)
    assert x.sum() == 400


def test_nested_tensors(device):
    def arrangement(x, output):
        return tuple(one.tile((1, 64)) for one in (x, output))

    tensors = tuple(Tensor(2, jagged_dim=1) for _ in range(2))
    kernel = ninetoothed.make(arrangement, copied, tensors, strict=True)
    rows = [torch.ones(3), torch.ones(70)]
    x = torch.nested.as_nested_tensor(rows, layout=torch.jagged, device=device)
    with silent():
        kernel(x, x)
    storage = torch.zeros(80, device=device)
    values = [storage[start : start + 73] for start in (0, 1)]
    one, other = (torch.nested.nested_tensor_from_jagged(each, x.offsets()) for each in values)
    with pytest.raises(ArgumentError, match=r"other elements of x lie in the same memory"):
        kernel(one, other)
