"""What :func:`ninetoothed.make` was given, lifted behind the dim of a batch: arranged tensors, and
outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, cast

from ninetoothed.definition.define import Arranged, checked_tensors
from ninetoothed.definition.outputs import Output, Outputs, ShapeFunction
from ninetoothed.errors import ArgumentError
from ninetoothed.layout.lifting import lifted, repeated
from ninetoothed.symbolic.expr import SymbolInfo, sym, symbol_names
from ninetoothed.tensor import Tensor, tensor_of


def lifted_tensors(arranged: Arranged, batched: Collection[str]) -> Arranged:
    """The arranged tensors with one more program dim, which is the first: those that ``batched``
    names, by their own names, have it in their sources, too; the others are repeated along it.
    """
    chains = [tensor.chain for tensor in checked_tensors(arranged.tensors)]
    first = next(chain for chain in chains if chain.source.name in batched)
    taken = {name for chain in chains for name in symbol_names(*chain.expressions)}
    name = f"{first.source.name}_size_{len(first.source.shape)}"
    while name in taken:
        name += "_"
    size = sym(name, SymbolInfo("size", 0))
    found: list[Tensor] = []
    for chain in chains:
        if chain.source.name in batched:
            chain = lifted(chain, size)
        elif chain.source.shape or chain.ops:
            chain = repeated(chain, size)
        found.append(tensor_of(chain))
    return Arranged(found, {}, arranged.decisions)


def lifted_outputs(outputs: Outputs, batched: Sequence[int], names: Sequence[str]) -> Outputs:
    """The outputs of a call for a whole batch, each with its dim in front.

    ``batched`` are the positions of the inputs that have the dim of the batch, among parameters of
    these ``names``. What says the outputs of one call says those of each, of inputs without it.
    """
    hidden = {one.position for one in outputs.each}
    grown = {*batched, *hidden}
    sizes = [(place, dim + (place in grown)) for place, dim in outputs.sizes]

    def read(place: int, dim: int) -> str:
        """Source of a size."""
        sizes.append((place, dim))
        return f"s{len(sizes) - 1}"

    each: list[Output] = []
    for one in outputs.each:
        shape, function, takes = one.shape, one.function, one.takes
        if one.function is not None:
            function = _of_batch(one, names, batched, outputs.is_shared)
            takes = tuple(dict.fromkeys((*takes, names[batched[0]])))
        elif shape is None and one.like is not None:
            own = int(one.like in grown)
            shape = tuple(read(one.like, dim + own) for dim in range(one.ndim))
        if shape is not None:
            shape = (read(batched[0], 0), *shape)
        grown_one = replace(one, ndim=one.ndim + 1, batches=one.batches + 1)
        each.append(replace(grown_one, shape=shape, function=function, takes=takes))
    return replace(outputs, each=tuple(each), sizes=tuple(sizes))


def _of_batch(
    output: Output, names: Sequence[str], batched: Sequence[int], is_shared: bool
) -> ShapeFunction:
    """The function of an output, or of several, of a call for a whole batch."""
    function = cast("ShapeFunction", output.function)
    takes, first = output.takes, names[batched[0]]
    with_batch = {names[place] for place in batched}

    def said(**given: Any) -> Any:
        # Shapes that depend on data may differ from call to call, and nothing is read of meta ones.
        own = {name: _one(given[name]) if name in with_batch else given[name] for name in takes}
        try:
            result = function(**own)
        except Exception as error:
            raise ArgumentError(
                f"the function of {output.name} does not tell a shape of tensors without data: "
                f"{type(error).__name__}"
            ) from error
        size = given[first].shape[0]
        if is_shared and isinstance(result, tuple | list):
            return tuple(_with(size, one) for one in cast("Sequence[Any]", result))
        return _with(size, result)

    return said


def _one(tensor: Any) -> Any:
    """A tensor without data, like one of a batch."""
    return tensor.new_empty_strided(tensor.shape[1:], tensor.stride()[1:], device="meta")


def _with(size: Any, said: Any) -> Any:
    """A shape, or a shape and an element type, with one more size; what is neither, as it is."""
    if not isinstance(said, tuple | list):
        return said
    entries = cast("Sequence[Any]", said)
    if len(entries) == 2 and isinstance(entries[0], tuple | list):
        return (size, *cast("Sequence[Any]", entries[0])), entries[1]
    return (size, *entries)
