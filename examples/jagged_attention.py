"""Attention over sequences of different lengths, one behind another in memory.

query   [ 0 0 0 | 1 1 1 1 1 | 2 ]     a torch.nested tensor (batch, j, heads, dim)
output  [ m0    | m0    m1  | m0 ]    a block of queries of one head of one sequence a program

With heads before positions, blocks are those of `examples.attention`. There are programs for the
longest sequence in each; those beyond the end of a shorter one have nothing to do.
"""

import torch

import ninetoothed
from examples import attention
from examples.checks import check_floats, check_jagged, check_no_gradients
from examples.jagged_padding import as_sequences
from ninetoothed import Tensor

POSITIONS = 1  # The dim of the sequences.


def arrangement(query, key, value, is_causal, scale, output):
    group = query.shape[2] // key.shape[2]

    def heads_first(tensor):
        return tensor.permute((0, 2, 1, 3))[:, :, None]

    def repeated(tensor):
        return heads_first(tensor).expand((-1, -1, group, -1, -1)).flatten(1, 3)

    query_arranged = attention.queries(heads_first(query))
    return (
        query_arranged,
        attention.keys_of(repeated(key), query_arranged),
        attention.keys_of(repeated(value), query_arranged),
        is_causal,
        scale,
        attention.queries(heads_first(output)),
    )


def application(query, key, value, is_causal, scale, output):
    if query.offsets(POSITIONS)[0] < query.source.shape[POSITIONS]:
        result, _ = attention.attend(query, key, value, is_causal, scale, POSITIONS)
        output = result


options = (None, None, None, {"constexpr": True})
query, value = (Tensor(4, shape_options=options, jagged_dim=POSITIONS, other=0) for _ in range(2))
key = Tensor(shape=(*value.shape[:-1], query.shape[-1]), jagged_dim=POSITIONS, other=0)
output = Tensor(shape=(*query.shape[:-1], value.shape[-1]), jagged_dim=POSITIONS)

jagged_attention_kernel = ninetoothed.make(
    arrangement,
    application,
    (query, key, value, Tensor(0, constexpr=True), Tensor(0), output),
    kernel_name="jagged_attention_kernel",
)


def jagged_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention of each sequence of ``query`` to that of ``key`` and ``value``, without gradients.

    All are ``torch.nested`` tensors of jagged layout, (batch, j, heads, dim); key heads divide
    query heads. ``is_causal``: query i of a sequence sees its keys 0 to i.
    """
    check_jagged(query=query, key=key, value=value)
    check_no_gradients(query=query, key=key, value=value)
    elements = query.values()
    check_floats(one_dtype=True, query=elements, key=key.values(), value=value.values())
    attention.check_heads(2, query, key, value)
    if scale is None:
        scale = query.shape[-1] ** -0.5
    shape = (*elements.shape[:-1], value.shape[-1])
    output = as_sequences(elements.new_empty(shape), query)
    jagged_attention_kernel(query, key, value, is_causal, scale, output)
    return output


if __name__ == "__main__":
    from examples.runner import run

    def reference(query, key, value):
        outputs = [
            torch.nn.functional.scaled_dot_product_attention(
                *(sequence.transpose(0, 1) for sequence in sequences)
            ).transpose(0, 1)
            for sequences in zip(query.unbind(), key.unbind(), value.unbind(), strict=True)
        ]
        return torch.nested.nested_tensor_from_jagged(torch.cat(outputs), query.offsets())

    def inputs(draw, batch, heads, longest, dim):
        lengths = draw.integers(longest + 1, batch).tolist()
        return tuple(draw.jagged(lengths, heads, dim) for _ in range(3))

    run(jagged_attention, reference, inputs, small=(5, 2, 100, 64), large=(16, 16, 4096, 64))
