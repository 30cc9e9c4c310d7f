"""Kernels in CUDA graphs that torch's compiler records and replays (``reduce-overhead``)."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._dynamo.testing import EagerAndRecordGraphs
from torch._dynamo.utils import counters

from examples import jagged_attention
from ninetoothed.errors import DeviceError
from tests.pytorch.test_compiled_examples import check
from tests.support.example_calls import CALLS, ExampleCall

# What torch.jit has deprecated, torch's own compiler imports; and it records an empty graph first,
# which holds the memory of the others.
warnings_of_torch = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore:The CUDA Graph is empty"
)


def sequences(
    device: str, offsets: str, longest: int | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries, keys and values, of ``shared`` offsets, or of their ``own``, equal ones."""
    one = torch.tensor([0, 3, 4, 9], device=device)
    queries, keys, values = (
        torch.nested.nested_tensor_from_jagged(
            torch.randn(9, heads, 16, device=device),
            one if offsets == "shared" else one.clone(),
            max_seqlen=longest,
            min_seqlen=None if longest is None else 1,
        )
        for heads in (4, 2, 2)
    )
    return queries, keys, values


@pytest.mark.parametrize(
    ("offsets", "longest", "overload"),
    [("shared", 5, "jjjbfk"), ("own", 5, "jjjbfk_waits"), ("shared", None, "jjjbfk_waits")],
)
def test_what_waits_for_the_device_is_left_out(
    offsets: str, longest: int | None, overload: str
) -> None:
    """Calls that compare offsets, or find the longest length in them."""
    query, key, value = sequences("cpu", offsets, longest)
    output = torch.empty_like(query)
    torch.compiler.reset()
    backend = EagerAndRecordGraphs()
    kernel = jagged_attention.jagged_attention_kernel
    torch.compile(kernel, fullgraph=True, backend=backend)(query, key, value, False, 0.25, output)
    targets = [node.target for graph in backend.graphs for node in graph.graph.nodes]
    (operator,) = [one for one in targets if getattr(one, "namespace", "") == "ninetoothed"]
    assert operator._overloadname == overload
    assert (torch.Tag.cudagraph_unsafe in operator.tags) == overload.endswith("waits")


@warnings_of_torch
@pytest.mark.gpu
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_examples(call: ExampleCall) -> None:
    from torch._inductor import cudagraph_trees

    torch.compiler.reset()
    cudagraph_trees.reset_cudagraph_trees()
    counters.clear()
    with torch.no_grad():
        compiled = torch.compile(call.called, fullgraph=True, mode="reduce-overhead")
        # Warmed up, recorded, replayed.
        check(compiled, call, "cuda", (1, 1, 1, 1))
    assert not counters["inductor"]["cudagraph_skips"]
    manager = cudagraph_trees.get_manager(0, create_if_none_exists=False)
    assert manager is not None
    # As many as were recorded.
    assert manager.new_graph_id().id > 0


@warnings_of_torch
@pytest.mark.gpu
def test_sequences_with_offsets_of_their_own() -> None:
    torch.compiler.reset()
    arguments = sequences("cuda", "own", 5)
    compiled = torch.compile(
        jagged_attention.jagged_attention, fullgraph=True, mode="reduce-overhead"
    )
    with torch.no_grad():
        expected = jagged_attention.jagged_attention(*arguments).values()
        for _ in range(4):
            assert torch.equal(compiled(*arguments).values(), expected)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("offsets", "longest", "message"),
    [
        ("own", 5, "give all jagged tensors of the call one offsets tensor"),
        ("shared", None, "make it with max_seqlen="),
    ],
)
def test_nothing_waits_while_a_graph_is_captured(
    offsets: str, longest: int | None, message: str
) -> None:
    kernel = jagged_attention.jagged_attention_kernel

    def arguments() -> tuple[Any, ...]:
        query: Any
        query, key, value = sequences("cuda", offsets, longest)
        output = torch.nested.nested_tensor_from_jagged(
            torch.empty_like(query.values()), query.offsets(), max_seqlen=longest
        )
        return query, key, value, False, 0.25, output

    kernel(*arguments())
    # Others: torch keeps a longest length that it found.
    given = arguments()
    kept = torch.zeros(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept += 1
        with pytest.raises(DeviceError, match=message):
            kernel(*given)
    # What was captured is whole.
    graph.replay()
    assert kept.item() == 1
