"""Attention in a sliding window, over packed sequences, and over pages of a cache."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

import pytest
import torch

from examples import paged_attention, sliding_window_attention, varlen_attention
from examples.runner import Draw, relative_error, tolerance_of
from ninetoothed.errors import ArgumentError, AssertionFailedError
from tests.support import offline
from tests.support.examples import Load, Place, kinds
from tests.support.targets import FEW_TARGETS


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the CPU there is else one block of all positions."""
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", "2048")


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    seen: torch.Tensor,
    softcap: float | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention in float64 of tensors (…, heads, length, dim) to the keys that ``seen`` says."""
    group = query.shape[-3] // key.shape[-3]
    query, key, value = (one.double() for one in (query, key, value))
    key, value = (one.repeat_interleave(group, dim=-3) for one in (key, value))
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    weights = scores.masked_fill(~seen, -math.inf).softmax(-1).nan_to_num(0.0)
    # What is not seen does not count, be it no number.
    return weights @ value.nan_to_num(0.0, 0.0, 0.0)


def check(result: torch.Tensor, expected: torch.Tensor) -> None:
    # In fp32, scores are rounded to that, too, and their powers are as wrong as they are large.
    factor = 4 if result.dtype is torch.float32 else 1
    assert relative_error(result, expected) <= factor * tolerance_of(result)


def windowed(
    tensors: Sequence[torch.Tensor],
    window: int,
    softcap: float | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """Of query, key and value the output in float64."""
    query, key, value = tensors
    seen = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool, device=query.device)
    return attention(query, key, value, seen.tril().triu(1 - window), softcap, scale)


def heads(
    draw: Draw, batch: int, heads: int, key_heads: int, m: int, n: int, dim: int
) -> list[torch.Tensor]:
    """Query, key and value."""
    return [draw(batch, heads, m, dim), *(draw(batch, key_heads, n, dim) for _ in range(2))]


@kinds
@pytest.mark.parametrize("softcap", [None, 0.5])
def test_sliding_window_attention(
    place: Place, dtype: torch.dtype, softcap: float | None, draw: Draw, load: Load
) -> None:
    """Of windows smaller and larger than blocks, with more queries than keys and with fewer."""
    function = load("sliding_window_attention").sliding_window_attention
    sizes = [((1, 4, 2, 197, 197, 24), (1, 7, 64, 100, 1000)), ((2, 1, 1, 35, 17, 64), (16,))]
    sizes += [((1, 1, 1, 17, 135, 16), (5,)), ((1, 2, 2, 300, 100, 16), (40,))]
    if place.is_gpu:
        sizes = [((1, 8, 2, 1999, 1999, 128), (1, 200, 5000)), ((2, 2, 1, 777, 300, 64), (256,))]
    for shape, windows in sizes:
        tensors = heads(draw, *shape)
        for window in windows:
            result = function(*tensors, window, softcap)
            assert result.dtype is dtype
            check(result, windowed(tensors, window, softcap))


def test_a_window_of_one_key(load: Load, draw: Draw) -> None:
    function = load("sliding_window_attention").sliding_window_attention
    query, key, value = heads(draw, 2, 2, 2, 70, 70, 16)
    torch.testing.assert_close(function(query, key, value, 1), value)


def test_queries_behind_all_keys_of_their_window(load: Load, draw: Draw) -> None:
    """They see nothing, and their output is 0."""
    function = load("sliding_window_attention").sliding_window_attention
    for n in (0, 1, 30):
        tensors = heads(draw, 1, 2, 1, 150, n, 16)
        result = function(*tensors, 20)
        assert result[:, :, n + 19 if n else 0 :].eq(0).all()
        check(result, windowed(tensors, 20))


def test_scores_that_a_softcap_caps(load: Load, draw: Draw) -> None:
    """Scores of ± infinity are those of the cap; without one, -infinity has no weight."""
    function = load("sliding_window_attention").sliding_window_attention
    query, key, value = heads(draw, 1, 1, 1, 70, 70, 16)
    query = query.abs() + 0.1
    key[:, :, ::3] = -math.inf
    for cap in (None, 3.0):
        check(function(query, key, value, 20, cap), windowed((query, key, value), 20, cap))
    key[:, :, 1::3] = math.inf
    check(function(query, key, value, 20, 3.0), windowed((query, key, value), 20, 3.0))
    key = torch.full_like(key, -math.inf)
    assert function(query, key, value, 20).eq(0).all()


def test_scores_of_windows_are_scaled(load: Load, draw: Draw) -> None:
    function = load("sliding_window_attention").sliding_window_attention
    tensors = heads(draw, 1, 1, 1, 70, 70, 16)
    for scale in (1.0, -0.5, 0.0):
        for softcap in (None, 2.0):
            result = function(*tensors, 20, softcap, scale)
            check(result, windowed(tensors, 20, softcap, scale))


@pytest.mark.parametrize("shape", [(2, 2, 1, 0, 5, 16), (0, 2, 1, 5, 5, 16), (1, 0, 0, 5, 5, 16)])
def test_empty_windows(shape: tuple[int, ...], load: Load, draw: Draw) -> None:
    function = load("sliding_window_attention").sliding_window_attention
    tensors = heads(draw, *shape)
    assert function(*tensors, 3).shape == tensors[0].shape


def refused(message: str) -> pytest.RaisesExc[ValueError]:
    return pytest.raises(ValueError, match=f"^{re.escape(message)}$")


def test_what_sliding_window_attention_does_not_take() -> None:
    function = sliding_window_attention.sliding_window_attention
    query, key, value = heads(Draw("cpu", torch.float32), 1, 4, 2, 5, 5, 16)
    for window in (0, -3):
        with refused(f"window must be at least 1, not {window}"):
            function(query, key, value, window)
    for softcap in (0.0, -1.0, math.inf, math.nan):
        with refused(f"softcap must be above 0 and finite, not {softcap}"):
            function(query, key, value, 3, softcap)
    with refused("2 key heads do not divide 3 query heads"):
        function(query[:, :3], key, value, 3)
    with refused("query must have 4 dims, not 3"):
        function(query[0], key, value, 3)
    with refused(
        "query, key, value must have one element type, not torch.float32, torch.float16, "
        "torch.float32; convert them with .to(dtype)"
    ):
        function(query, key.half(), value, 3)
    with pytest.raises(ValueError, match="query requires gradients, which this function does not"):
        function(query.clone().requires_grad_(), key, value, 3)


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize(("dim", "is_capped"), [(64, True), (128, False)])
def test_sliding_window_attention_compiles(dim: int, is_capped: bool, target: str) -> None:
    query, key = (
        torch.empty(*shape, 512, dim, dtype=torch.float16, device="meta")
        for shape in ((2, 2, 2), (2, 2))
    )
    kernel = sliding_window_attention.sliding_window_attention_kernel
    offline.check(kernel, (query, key, key, 100, 0.1, is_capped, 20.0, query), target)


def offsets_of(lengths: Sequence[int], device: str) -> torch.Tensor:
    return torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32, device=device)


def packed(
    tensors: Sequence[torch.Tensor],
    lengths: Sequence[int],
    key_lengths: Sequence[int],
    is_causal: bool,
) -> torch.Tensor:
    """Of packed query, key and value the output in float64."""
    query, key, value = (tensor.transpose(0, 1) for tensor in tensors)
    parts = zip(
        query.split(list(lengths), 1),
        key.split(list(key_lengths), 1),
        value.split(list(key_lengths), 1),
        strict=True,
    )
    outputs: list[torch.Tensor] = []
    for one in parts:
        shape = (one[0].shape[1], one[1].shape[1])
        seen = torch.ones(shape, dtype=torch.bool, device=query.device)
        outputs.append(attention(*one, seen.tril() if is_causal else seen))
    return torch.cat(outputs, dim=1).transpose(0, 1)


def sequences(
    draw: Draw, lengths: Sequence[int], key_lengths: Sequence[int], dim: int, value_dim: int
) -> list[torch.Tensor]:
    """Query, key and value, of 4 heads and 2 key heads."""
    query, key, value = ((lengths, 4, dim), (key_lengths, 2, dim), (key_lengths, 2, value_dim))
    return [draw(sum(each), *rest) for each, *rest in (query, key, value)]


@kinds
@pytest.mark.parametrize("is_causal", [False, True], ids=["all", "causal"])
def test_varlen_attention(
    place: Place, dtype: torch.dtype, is_causal: bool, draw: Draw, load: Load
) -> None:
    """Of sequences of no positions, of one, and of several blocks."""
    function = load("varlen_attention").varlen_attention
    cases = [((0, 1, 70, 33, 0), (0, 1, 70, 33, 0)), ((20, 3, 140, 1), (37, 0, 75, 200))]
    if place.is_gpu:
        cases += [((1999, 1, 0, 300), (1999, 1, 0, 300)), ((5, 700), (1500, 77))]
    for lengths, key_lengths in cases:
        tensors = sequences(draw, lengths, key_lengths, 24, 40)
        offsets = [offsets_of(each, place.device) for each in (lengths, key_lengths)]
        for longest in (max(lengths), 2 * max(lengths) + 1):
            result = function(*tensors, *offsets, longest, is_causal)
            assert result.dtype is dtype
            check(result, packed(tensors, lengths, key_lengths, is_causal))


def test_sequences_are_apart(load: Load, draw: Draw, place: Place) -> None:
    """What is infinite in one is not seen in another."""
    function = load("varlen_attention").varlen_attention
    lengths = (33, 41, 5)
    tensors = sequences(draw, lengths, lengths, 16, 16)
    offsets = offsets_of(lengths, place.device)
    expected = function(*tensors, offsets, offsets, 41, True)
    for tensor in tensors:
        tensor[33:74] = math.inf
    result = function(*tensors, offsets, offsets, 41, True)
    for part in (slice(33), slice(74, None)):
        assert torch.equal(result[part], expected[part])


def test_packed_keys_without_weight(load: Load, draw: Draw, place: Place) -> None:
    """Scores of -infinity; where there are no others, the output is 0."""
    function = load("varlen_attention").varlen_attention
    lengths = (90, 40)
    query, key, value = sequences(draw, lengths, lengths, 16, 16)
    query, offsets = query.abs() + 0.1, offsets_of(lengths, place.device)
    key[::2] = -math.inf
    key[90:] = -math.inf
    result = function(query, key, value, offsets, offsets, 90)
    assert result[90:].eq(0).all()
    check(result, packed((query, key, value), lengths, lengths, False))


def test_no_sequences(load: Load, draw: Draw, place: Place) -> None:
    function = load("varlen_attention").varlen_attention
    for lengths in ((), (0,), (0, 0, 0)):
        tensors = sequences(draw, lengths, lengths, 16, 16)
        offsets = offsets_of(lengths, place.device)
        for longest in (0, 7):
            assert function(*tensors, offsets, offsets, longest).shape == (0, 4, 16)


def test_one_query_of_packed_sequences_has_its_key(load: Load, draw: Draw, place: Place) -> None:
    function = load("varlen_attention").varlen_attention
    query, key, value = draw(9, 2, 16), draw(9, 2, 16), draw(9, 2, 16)
    offsets = offsets_of(9 * [1], place.device)
    for scale in (None, 0.0, -2.0):
        assert torch.equal(function(query, key, value, offsets, offsets, 1, True, scale), value)


@pytest.mark.parametrize(
    ("query_offsets", "key_offsets", "message"),
    [
        ([0, 5, 9], [0, 5, 10], "offsets do not rise from 0 to the number of positions"),
        ([0, 5, 4], [0, 5, 9], "offsets do not rise from 0 to the number of positions"),
        ([-1, 5, 9], [0, 5, 9], "offsets do not rise from 0 to the number of positions"),
        ([0, 2, 9], [0, 5, 9], "a sequence has more than max_length queries"),
    ],
)
def test_offsets_that_do_not_fit(
    query_offsets: list[int], key_offsets: list[int], message: str
) -> None:
    tensors = sequences(Draw("cpu", torch.float32), [9], [9], 16, 16)
    offsets = [torch.tensor(each, dtype=torch.int32) for each in (query_offsets, key_offsets)]
    with pytest.raises(AssertionFailedError, match=message):
        varlen_attention.varlen_attention(*tensors, *offsets, 6)


def test_what_varlen_attention_does_not_take() -> None:
    function = varlen_attention.varlen_attention
    tensors = sequences(Draw("cpu", torch.float32), [9], [9], 16, 16)
    query, key, value = tensors
    offsets = offsets_of((4, 5), "cpu")
    for wrong in (offsets.long(), offsets[None], offsets[:0]):
        shown = f"must be int32, (sequences + 1,), not {wrong.dtype}, {tuple(wrong.shape)}"
        with refused(f"query_offsets {shown}"):
            function(*tensors, wrong, offsets, 5)
        with refused(f"key_offsets {shown}"):
            function(*tensors, offsets, wrong, 5)
    with refused("query_offsets are of 2 sequences, and key_offsets of 1"):
        function(*tensors, offsets, offsets[1:], 5)
    with refused("max_length must be at least 0, not -1"):
        function(*tensors, offsets, offsets, -1)
    with refused("2 key heads do not divide 3 query heads"):
        function(query[:, :3], key, value, offsets, offsets, 5)
    with refused("query must have 3 dims, not 4"):
        function(query[None], key, value, offsets, offsets, 5)
    for wrong in (value[:8], value[:, :1]):
        with pytest.raises(ArgumentError, match="must be"):
            function(query, key, wrong, offsets, offsets, 5)
    with pytest.raises(ArgumentError, match="must be"):
        function(query, key[..., :8], value, offsets, offsets, 5)
    with pytest.raises(ValueError, match="key requires gradients, which this function does not"):
        function(query, key.clone().requires_grad_(), value, offsets, offsets, 5)


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize(("dim", "is_causal"), [(64, True), (128, False)])
def test_varlen_attention_compiles(dim: int, is_causal: bool, target: str) -> None:
    query, key = (
        torch.empty(512, *shape, dim, dtype=torch.float16, device="meta")
        for shape in ((2, 2), (2,))
    )
    offsets = torch.empty(4, dtype=torch.int32, device="meta")
    positions = offsets[1:, None].expand(-1, 300)
    arguments = (query, key, key, positions, offsets, offsets, is_causal, 0.1, query)
    offline.check(varlen_attention.varlen_attention_kernel, arguments, target)


def pages(
    draw: Draw,
    lengths: Sequence[int],
    heads: int,
    key_heads: int,
    dim: int,
    value_dim: int,
    page_size: int,
) -> list[torch.Tensor]:
    """Query, caches, table and lengths; pages lie in any order, and what no sequence has is NaN."""
    counts = [-(-length // page_size) for length in lengths]
    total = sum(counts) + 3
    order = torch.randperm(total, generator=torch.Generator().manual_seed(total)).tolist()
    table = torch.full((len(lengths), max(counts, default=0) + 1), 2**30, dtype=torch.int32)
    cache = [draw(total, page_size, key_heads, each) for each in (dim, value_dim)]
    written = torch.zeros(total, page_size, dtype=torch.bool)
    for row, count, length in zip(table, counts, lengths, strict=True):
        row[:count] = torch.tensor([order.pop() for _ in range(count)])
        for place, page in enumerate(row[:count].tolist()):
            written[page, : length - place * page_size] = True
    for one in cache:
        one[~written.to(one.device)] = math.nan
    numbers = (table, torch.tensor(lengths, dtype=torch.int32))
    query = draw(len(lengths), heads, dim)
    return [query, *cache, *(one.to(query.device) for one in numbers)]


def of_pages(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
) -> torch.Tensor:
    """The output in float64."""
    outputs: list[torch.Tensor] = []
    for one, row, length in zip(query, block_table, lengths.tolist(), strict=True):
        own = row[: -(-length // key.shape[1])].long()
        seen = torch.ones(1, length, dtype=torch.bool, device=query.device)
        sequence = (cache[own].flatten(0, 1)[:length].transpose(0, 1) for cache in (key, value))
        outputs.append(attention(one[:, None], *sequence, seen)[:, 0])
    return torch.stack(outputs)


@kinds
def test_paged_attention(place: Place, dtype: torch.dtype, draw: Draw, load: Load) -> None:
    """Of groups smaller and larger than blocks, and of pages of any size."""
    function = load("paged_attention").paged_attention
    cases = [((37, 0, 1, 16, 64, 65), 4, 2, 24, 40, 16), ((33, 5), 20, 1, 64, 64, 32)]
    cases += [((7, 1, 12), 3, 3, 16, 16, 1), ((30, 12, 13), 2, 1, 16, 16, 12)]
    if place.is_gpu:
        cases = [*cases[:2], ((5000, 0, 77, 1), 32, 8, 128, 128, 16)]
    for lengths, *sizes in cases:
        tensors = pages(draw, lengths, *sizes)
        result = function(*tensors)
        assert result.dtype is dtype
        check(result, of_pages(*tensors))
        for one, length in zip(result, lengths, strict=True):
            assert length or one.eq(0).all()


def test_a_page_that_sequences_share(load: Load, draw: Draw) -> None:
    """As of sequences that begin alike."""
    function = load("paged_attention").paged_attention
    query, key, value, block_table, lengths = pages(draw, (32, 16), 4, 2, 16, 16, 16)
    block_table[1, 0] = block_table[0, 0]
    arguments = (query, key, value, block_table, lengths)
    check(function(*arguments), of_pages(*arguments))


def test_keys_of_pages_without_weight(load: Load, draw: Draw) -> None:
    """Scores of -infinity; where there are no others, the output is 0."""
    function = load("paged_attention").paged_attention
    query, key, value, block_table, lengths = pages(draw, (40, 24), 4, 2, 16, 16, 16)
    query = query.abs() + 0.1
    key[:, ::2] = -math.inf
    key[block_table[1, :2].long()] = -math.inf
    arguments = (query, key, value, block_table, lengths)
    result = function(*arguments)
    assert result[1].eq(0).all()
    check(result, of_pages(*arguments))


def test_scores_of_pages_are_scaled(load: Load, draw: Draw) -> None:
    function = load("paged_attention").paged_attention
    query, *others = pages(draw, (40, 24), 4, 2, 16, 16, 16)
    for scale in (1.0, -0.5, 0.0):
        check(function(query, *others, scale), of_pages(query * (4 * scale), *others))


def test_no_pages(load: Load, draw: Draw) -> None:
    function = load("paged_attention").paged_attention
    assert function(*pages(draw, (), 4, 2, 16, 16, 16)).shape == (0, 4, 16)
    query, key, value, block_table, lengths = pages(draw, (0, 0), 4, 2, 16, 16, 16)
    for table in (block_table, block_table[:, :0]):
        assert function(query, key[:0], value[:0], table, lengths).eq(0).all()


@pytest.mark.parametrize("number", [-1, 5, 2**30])
@pytest.mark.parametrize("place_of_page", [0, 2])
def test_a_page_that_is_none_of_the_cache(number: int, place_of_page: int) -> None:
    tensors = pages(Draw("cpu", torch.float32), (20,), 4, 2, 16, 16, 8)[:4]
    tensors[1], tensors[2] = tensors[1][:5], tensors[2][:5]
    tensors[3][0, :] = torch.arange(4)
    tensors[3][0, place_of_page] = number
    message = "a sequence needs a page that is none of the cache"
    for length, fits in ((8 * place_of_page, True), (20, False), (-1, False), (33, False)):
        lengths = torch.tensor([length], dtype=torch.int32)
        if fits:
            paged_attention.paged_attention(*tensors, lengths)
            continue
        with pytest.raises(AssertionFailedError, match=message):
            paged_attention.paged_attention(*tensors, lengths)


def test_what_paged_attention_does_not_take() -> None:
    function = paged_attention.paged_attention
    query, key, value, table, lengths = pages(Draw("cpu", torch.float32), (9, 3), 4, 2, 16, 16, 4)
    with refused("block_table must be int32, not torch.int64"):
        function(query, key, value, table.long(), lengths)
    with refused("lengths must be int32, not torch.int64"):
        function(query, key, value, table, lengths.long())
    with refused("block_table must have 2 dims, not 1"):
        function(query, key, value, table[0], lengths)
    with refused("lengths must have 1 dims, not 2"):
        function(query, key, value, table, lengths[None])
    with refused("query must have 3 dims, not 4"):
        function(query[None], key, value, table, lengths)
    with refused("value must have 4 dims, not 3"):
        function(query, key, value[0], table, lengths)
    with refused("2 key heads do not divide 3 query heads"):
        function(query[:, :3], key, value, table, lengths)
    with pytest.raises(ValueError, match="value requires gradients, which this function does not"):
        function(query, key, value.clone().requires_grad_(), table, lengths)
    wrong = (
        (query, key, value[:1], table, lengths),
        (query, key, value[:, :3], table, lengths),
        (query, key[..., :8], value, table, lengths),
        (query, key, value, table[:1], lengths),
        (query, key, value, table, lengths[:1]),
    )
    for arguments in wrong:
        with pytest.raises(ArgumentError, match="must be"):
            function(*arguments)


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize(("dim", "page_size"), [(64, 16), (128, 64)])
def test_paged_attention_compiles(dim: int, page_size: int, target: str) -> None:
    query, key = (
        torch.empty(*shape, dim, dtype=torch.float16, device="meta")
        for shape in ((4, 2, 4), (100, page_size, 2))
    )
    table, lengths = (
        torch.empty(shape, dtype=torch.int32, device="meta") for shape in ((4, 9), (4,))
    )
    arguments = (query, key, key, table, lengths, 0.1, query)
    offline.check(paged_attention.paged_attention_kernel, arguments, target)
