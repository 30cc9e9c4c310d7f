"""Jagged tensors, with numbers: interpreted at `nt` and at `tt`, and on a GPU by both backends."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.errors import ArrangementError
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.verification.translation import validate
from tests.support import offline
from tests.support.everywhere import everywhere
from tests.support.targets import TARGETS

LENGTHS = (0, 1, 7, 64, 65)
BLOCK = Symbol("BLOCK", meta=True, lower_bound=16, upper_bound=64)


def jagged(*rest: int, lengths: Sequence[int] = LENGTHS, dtype: torch.dtype = torch.int64):
    """Random sequences, one behind another, those behind the last one's end unused."""
    generator = torch.Generator().manual_seed(sum(lengths))
    offsets = torch.tensor([0, *lengths]).cumsum(0).to(dtype)
    values = torch.randn((sum(lengths), *rest), generator=generator)
    return torch.nested.nested_tensor_from_jagged(values, offsets)


def like(tensor: torch.Tensor) -> torch.Tensor:
    """Sequences of the same lengths, of NaNs."""
    values = torch.full_like(tensor.values(), math.nan)
    return torch.nested.nested_tensor_from_jagged(
        values, tensor.offsets(), jagged_dim=tensor._ragged_idx
    )


def equal(result: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> None:
    """The sequences agree; NaNs are equal."""
    assert len(result) == len(expected)
    for one, two in zip(result, expected, strict=True):
        torch.testing.assert_close(one.cpu(), two.cpu(), rtol=1e-5, atol=1e-5, equal_nan=True)


def declared(ndim: int, dim: int = 1, count: int = 2) -> list[Tensor]:
    return [Tensor(ndim, jagged_dim=dim) for _ in range(count)]


def tiled(*tensors):
    return tuple(t.tile((1, BLOCK, 16)) for t in tensors)


def whole(*tensors):
    return tuple(t.tile((1, -1)) for t in tensors)


def lines(*tensors):
    return tuple(t.tile((1, BLOCK)) for t in tensors)


def axpy(x, y, out):
    out = 2 * x + y


@pytest.mark.parametrize("lengths", [LENGTHS, (5,), (0,), (0, 0)])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_elementwise(device: str, lengths: Sequence[int], dtype: torch.dtype) -> None:
    x = jagged(20, lengths=lengths, dtype=dtype)
    y = torch.nested.nested_tensor_from_jagged(x.values() + 1, x.offsets())

    def check(x, y, out):
        equal([out.values()], [2 * x.values() + y.values()])

    everywhere(device, tiled, axpy, (x, y, like(x)), check, tensors=declared(3, count=3))


def test_one_symbol_for_two_jagged_dims(device: str) -> None:
    """Sizes that share a symbol are equal, and so are the sequences' lengths."""
    x = jagged()
    length = Symbol("LENGTH")
    tensors = [Tensor(2, shape=(None, length), jagged_dim=1) for _ in range(2)]

    def check(x, out):
        equal([out.values()], [2 * x.values()])

    everywhere(device, lines, double, (x, like(x)), check, tensors=tensors)


def double(x, out):
    out = x * 2


def test_an_empty_batch_launches_nothing(device: str) -> None:
    x = jagged(20, lengths=()).to(device)
    ninetoothed.make(tiled, double, declared(3))(x, x)


def test_sequences_lie_where_the_offsets_say(device: str) -> None:
    """With elements before the first sequence and behind the last, which stay as they are."""
    offsets = torch.tensor([3, 5, 5, 9])
    x, out = (
        torch.nested.nested_tensor_from_jagged(torch.full((12,), value), offsets)
        for value in (1.0, -1.0)
    )

    def check(x, out):
        assert out.values().tolist() == [-1.0] * 3 + [2.0] * 6 + [-1.0] * 3

    everywhere(device, lines, double, (x, out), check, tensors=declared(2))


def test_strides_are_those_of_the_values(device: str) -> None:
    offsets = torch.tensor([0, *LENGTHS]).cumsum(0)
    values = torch.randn(2 * sum(LENGTHS), 3)[::2]
    x = torch.nested.nested_tensor_from_jagged(values, offsets)

    def check(x, out):
        equal([out.values()], [2 * x.values()])

    everywhere(device, tiled, double, (x, like(x)), check, tensors=declared(3))


def row_sums(x, out):
    x = x.tile((1, 32, 16)).tile((1, -1, 1))
    x.dtype = x.dtype.squeeze((0, 2))
    x.dtype.dtype = x.dtype.dtype.squeeze(0)
    out = out[:, None, :].tile((1, 1, 16))
    out.dtype = out.dtype.squeeze((0, 1))
    return x, out


def sum_of_blocks(x, out):
    total = ntl.zeros(out.shape, dtype=ntl.float32)
    for i in range(x.shape[0]):
        total += ntl.sum(x[i], 0)
    out = total


def whole_and_vector(x, out):
    out = out[:, None, :].tile((1, 1, 16))
    out.dtype = out.dtype.squeeze(1)
    return x.tile((1, -1, 16)), out


def whole_sum(x, out):
    out = ntl.sum(x, 1)


def sums(x, out):
    equal(list(out), [sequence.sum(0) for sequence in x.unbind()])


@pytest.mark.parametrize("other", [None, 0.0])
def test_sums_by_a_loop_over_blocks(device: str, other: float | None) -> None:
    x, out = jagged(20), torch.full((5, 20), math.nan)
    tensors = (Tensor(3, jagged_dim=1, other=other), Tensor(2))
    everywhere(device, row_sums, sum_of_blocks, (x, out), sums, tensors=tensors)


@pytest.mark.parametrize("other", [None, 1.0])
def test_sums_of_whole_sequences(device: str, other: float | None) -> None:
    """A block ends where the sequence does: no lane reads ``other``."""
    x, out = jagged(20), torch.full((5, 20), math.nan)
    tensors = (Tensor(3, jagged_dim=1, other=other), Tensor(2))
    everywhere(device, whole_and_vector, whole_sum, (x, out), sums, tensors=tensors)


def softmax(x, out):
    weights = ntl.exp(x - ntl.max(x, 1)[:, None])
    out = weights / ntl.sum(weights, 1)[:, None]


def test_softmax_of_each_sequence(device: str) -> None:
    x = jagged()

    def check(x, out):
        equal(out.unbind(), [torch.softmax(sequence, 0) for sequence in x.unbind()])

    everywhere(device, whole, softmax, (x, like(x)), check, tensors=declared(2))


def reverse(x, out):
    out = ntl.flip(x, 1)


def test_flip_reverses_each_sequence(device: str) -> None:
    x = jagged()

    def check(x, out):
        equal(out.unbind(), [sequence.flip(0) for sequence in x.unbind()])

    everywhere(device, whole, reverse, (x, like(x)), check, tensors=declared(2))


def lengths_in_every_way(x, out):
    ones = ntl.full(x.shape, 1.0, dtype=ntl.float32)
    out = ntl.sum(ones, 1)[:, None] + x.shape[1] + x.source.shape[1] + 0 * x


def test_the_shape_is_the_sequences_own(device: str) -> None:
    x = jagged()

    def check(x, out):
        equal(out.unbind(), [torch.full((length,), 3.0 * length) for length in LENGTHS])

    tensors = declared(2)
    everywhere(device, whole, lengths_in_every_way, (x, like(x)), check, tensors=tensors)


def copy(x, out):
    out = x


@pytest.mark.parametrize("arrangement", [lines, whole])
def test_padding_and_back(device: str, arrangement) -> None:
    x, padded = jagged(), torch.full((5, 65), math.nan)

    def check_padded(x, out):
        equal([out], [torch.nested.to_padded_tensor(x, -1.0)])

    tensors = (Tensor(2, jagged_dim=1, other=-1.0), Tensor(2))
    everywhere(device, arrangement, copy, (x, padded), check_padded, tensors=tensors)

    def check_back(dense, out):
        equal(out.unbind(), [row[:n] for row, n in zip(dense, LENGTHS, strict=True)])

    dense = torch.randn(5, 65)
    tensors = (Tensor(2), Tensor(2, jagged_dim=1))
    everywhere(device, arrangement, copy, (dense, like(x)), check_back, tensors=tensors)


def scaled(x, factors, out):
    x, out = x.tile((1, BLOCK, 16)), out.tile((1, BLOCK, 16))
    factors = factors[:, None, :].tile((1, 1, 16)).expand((-1, x.shape[1], -1))
    return x, factors, out


def product(x, factors, out):
    out = x * factors


def test_a_dense_row_for_each_sequence(device: str) -> None:
    x, factors = jagged(20), torch.randn(5, 20)

    def check(x, factors, out):
        expected = [one * two for one, two in zip(x.unbind(), factors, strict=True)]
        equal(out.unbind(), expected)

    tensors = (Tensor(3, jagged_dim=1), Tensor(2), Tensor(3, jagged_dim=1))
    everywhere(device, scaled, product, (x, factors, like(x)), check, tensors=tensors)


def last_dim(x, out):
    return x.tile((1, 16, BLOCK)), out.tile((1, 16, BLOCK))


def test_dim_2(device: str) -> None:
    x = jagged(20).transpose(1, 2)

    def check(x, out):
        equal([out.values()], [2 * x.values()])

    everywhere(device, last_dim, double, (x, like(x)), check, tensors=declared(3, dim=2))


def swapped(x, out):
    return x.permute((0, 2, 1)).tile((1, 16, BLOCK)), out.tile((1, 16, BLOCK))


def test_dims_1_and_2_meet(device: str) -> None:
    x = jagged(20)

    def check(x, out):
        equal([out.transpose(1, 2).values()], [x.values()])

    tensors = (Tensor(3, jagged_dim=1), Tensor(3, jagged_dim=2))
    everywhere(device, swapped, copy, (x, like(x.transpose(1, 2))), check, tensors=tensors)


def queries_and_keys(q, k, out):
    """Sequences of different lengths in one kernel: only the batch agrees."""
    q, out = q.tile((1, 32, -1)), out.tile((1, 32, -1))
    k = k.tile((1, 32, -1)).tile((1, -1, 1)).expand((-1, q.shape[1], -1))
    k.dtype = k.dtype.squeeze((0, 2))
    for t in (q, out):
        t.dtype = t.dtype.squeeze(0)
    k.dtype.dtype = k.dtype.dtype.squeeze(0)
    return q, k, out


def attend(q, k, out):
    total = ntl.zeros(q.shape, dtype=ntl.float32)
    for i in range(k.shape[0]):
        scores = ntl.exp(ntl.dot(q, ntl.trans(k[i]), input_precision="ieee"))
        inside = k[i].offsets(1)[None, :] < k.source.shape[1]
        total = ntl.dot(ntl.where(inside, scores, 0.0), k[i], total, input_precision="ieee")
    out = total


def test_two_jagged_tensors_of_other_lengths(device: str) -> None:
    q, k = jagged(16, lengths=(3, 0, 40)), jagged(16, lengths=(33, 2, 0))
    tensors = [Tensor(shape=(None, None, 16), jagged_dim=1) for _ in range(3)]

    def check(q, k, out):
        expected = [torch.exp(a @ b.T) @ b for a, b in zip(q.unbind(), k.unbind(), strict=True)]
        for one, two in zip(out.unbind(), expected, strict=True):
            torch.testing.assert_close(one.cpu(), two.cpu(), rtol=1e-3, atol=1e-3)

    everywhere(device, queries_and_keys, attend, (q, k, like(q)), check, tensors=tensors)


def mirrored(x, out):
    out = x.source[x.offsets(0), x.source.shape[1] - 1 - x.offsets(1)]


def written(x, out):
    out.source[out.offsets(0), out.offsets(1)] = ntl.sum(x, 0)


def through_pointers(x, out):
    pointers = x.source.data_ptr() + x.offsets()
    out = ntl.load(pointers, mask=x.offsets(1) < x.source.shape[1])


def test_the_source_by_its_coordinates(device: str) -> None:
    x = jagged()
    tensors = declared(2)

    def check_mirrored(x, out):
        equal(out.unbind(), [sequence.flip(0) for sequence in x.unbind()])

    def check_copied(x, out):
        equal([out.values()], [x.values()])

    everywhere(device, lines, mirrored, (x, like(x)), check_mirrored, tensors=tensors)
    everywhere(device, lines, written, (x, like(x)), check_copied, tensors=tensors)
    everywhere(device, lines, through_pointers, (x, like(x)), check_copied, tensors=tensors)


def neighbours(x, out):
    """A batch index outside the batch: no sequence, no elements."""
    return x.pad(((1, 0), (0, 0)))[:-1].tile((1, BLOCK)), out.tile((1, BLOCK))


def test_a_sequence_before_the_first(device: str) -> None:
    x, out = jagged(lengths=(3, 0, 5)), torch.full((3, 5), math.nan)

    def check(x, out):
        padded = torch.nested.to_padded_tensor(x, 9.0).cpu()
        equal([out], [torch.cat([torch.full((1, 5), 9.0), padded[:2]])])

    tensors = (Tensor(2, jagged_dim=1, other=9.0), Tensor(2))
    everywhere(device, neighbours, copy, (x, out), check, tensors=tensors)


@pytest.mark.gpu
def test_tuning_is_not_seen() -> None:
    x = jagged(20, lengths=(1000, 3, 500)).cuda()
    before = x.values().clone()
    kernel = ninetoothed.make(tiled, increment, (Tensor(3, jagged_dim=1),))
    kernel(x)
    equal([x.values()], [before + 1])
    assert kernel.best_config(x) is not None
    kernel(x)
    equal([x.values()], [before + 2])


def increment(x):
    x += 1


def test_a_signature_knows_the_offsets_type_and_not_the_longest_length() -> None:
    definition = ninetoothed.make(lines, double, declared(2)).definition

    def signature(*lengths: int, dtype: torch.dtype = torch.int64):
        x = jagged(lengths=lengths, dtype=dtype)
        return bind(definition.interface, (x, x), {}).signature

    assert signature(16, 3) == signature(7, 12)
    assert signature(16, 3).params[0].offsets == "i64"
    assert signature(16, 3, dtype=torch.int32).params[0].offsets == "i32"


@pytest.mark.parametrize(("size", "bits"), [(1000, 32), (3_000_000_000, 64)])
def test_the_width_of_indices_follows_from_the_elements(size: int, bits: int) -> None:
    definition = ninetoothed.make(lines, double, declared(2)).definition
    x = torch.nested.nested_tensor_from_jagged(
        torch.empty(1, device="meta").expand(size),
        torch.tensor([0, size], device="meta"),
        min_seqlen=size,
        max_seqlen=size,
    )
    assert bind(definition.interface, (x, x), {}).signature.index_bits == bits


KERNELS = {
    "elementwise": (tiled, axpy, declared(3, count=3)),
    "blocks": (row_sums, sum_of_blocks, (Tensor(3, jagged_dim=1), Tensor(2))),
    "whole": (whole, softmax, declared(2)),
    "source": (lines, mirrored, declared(2)),
    "dim 2": (last_dim, double, declared(3, dim=2)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_no_pass_changes_what_is_touched(name: str) -> None:
    kernel = ninetoothed.make(*KERNELS[name])
    signature = assumed_signature(kernel.definition, {}, {})
    signature, config = pick(kernel.definition, kernel.composed(signature), signature, {})
    report = validate(kernel.definition, signature, config)
    # Eight for every kernel, and those whose sizes fill the blocks that are cut from them.
    assert report.cases >= 8
    assert report.skipped == 0


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("name", KERNELS)
def test_compiles_offline(name: str, language, target: str) -> None:
    offline.compiled(ninetoothed.make(*KERNELS[name]), target, language)


def test_what_is_not_accessed_by_program_has_any_shape(device: str) -> None:
    def arrangement(x, unused, table, row, out):
        return *lines(x), *(t.tile((1,)) for t in (unused, table)), row, *lines(out)

    def application(x, unused, table, row, out):
        out = x * row[1] + table.source[0]

    x = jagged()
    table, row = torch.randn(3), torch.randn(7)

    def check(x, unused, table, row, out):
        equal(out.unbind(), [part * row[1] + table[0] for part in x.unbind()])

    tensors = [Tensor(2, jagged_dim=1), Tensor(1), Tensor(1), Tensor(1), Tensor(2, jagged_dim=1)]
    everywhere(
        device, arrangement, application, (x, torch.randn(2), table, row, like(x)), check, tensors
    )


def test_what_is_read_has_the_shape_of_the_programs() -> None:
    def arrangement(x, weight, out):
        return *lines(x), weight.tile((1,)), *lines(out)

    def application(x, weight, out):
        out = x * weight

    tensors = (Tensor(2, jagged_dim=1), Tensor(1), Tensor(2, jagged_dim=1))
    with pytest.raises(ArrangementError, match="outermost shapes of x and weight"):
        ninetoothed.make(arrangement, application, tensors)
