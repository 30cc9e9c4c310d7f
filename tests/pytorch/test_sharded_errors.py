"""Errors of calls with DTensors: the tensor, the dim, the reason, and what to write.

Functions that take a mesh run on its ranks.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Partial, Replicate, Shard

import examples.cross_entropy
import examples.matmul
import examples.softmax
import ninetoothed
from ninetoothed import Tensor
from ninetoothed.errors import ArgumentError, GradientWarning
from ninetoothed.pytorch.allocation import ShardedError
from ninetoothed.pytorch.kernel_operators import KernelOperators
from tests.support.mesh_ranks import MeshRanks, close, placed, refused

WHOLE = Replicate()

matmul_kernel = examples.matmul.matmul_kernel
matmul = ninetoothed.make(
    examples.matmul.arrangement,
    examples.matmul.application,
    (Tensor(2), Tensor(2), Tensor(2)),
    outputs=("output",),
)
named_matmul = ninetoothed.operator("misplaced::matmul", matmul)
softmax_kernel = examples.softmax.softmax_kernel


def without_a_rule(mesh: DeviceMesh) -> None:
    rows, target = torch.randn(6, 9), torch.tensor([0, 8, 3, 3, 1, 2])
    results = [placed(mesh, torch.zeros(6), WHOLE) for _ in range(2)]
    kernel = examples.cross_entropy.forward_kernel
    kernel(placed(mesh, rows, WHOLE), placed(mesh, target, WHOLE), *results)
    close(results[0], rows.logsumexp(1))
    message = refused(
        lambda: kernel(placed(mesh, rows, Shard(0)), placed(mesh, target, WHOLE), *results)
    )
    assert message == (
        "input is Shard(0) along dim 0 of the mesh, and cross_entropy_forward_kernel does not "
        "split dim 0 of input: the application asks for the offsets(0) of target; write input = "
        "input.redistribute(placements=[Replicate()])"
    )


def test_without_a_rule(ranks: MeshRanks) -> None:
    ranks((2,), without_a_rule)


def messages(mesh: DeviceMesh) -> None:
    tensors = torch.ones(6, 4), torch.ones(4, 5), torch.ones(6, 5)

    def call(*placements: Any) -> str:
        split = [placed(mesh, *one) for one in zip(tensors, placements, strict=True)]
        return refused(lambda: matmul_kernel(*split))

    start = "matmul_kernel has no rule with"
    where = "along dim 0 of the mesh"
    assert call(Shard(0), WHOLE, WHOLE) == (
        f"{start} input: Shard(0), other: Replicate(), output: Replicate() {where}; write output = "
        "output.redistribute(placements=[Shard(0)])"
    )
    assert call(Shard(1), Shard(0), WHOLE) == (
        f"{start} input: Shard(1), other: Shard(0), output: Replicate() {where}; write output = "
        "DTensor.from_local(torch.zeros_like(output.to_local()), output.device_mesh, [Partial()], "
        "shape=output.shape, stride=output.stride())"
    )
    # What is split stays so.
    assert call(Shard(1), Shard(0), Shard(0)) == (
        f"{start} input: Shard(1), other: Shard(0), output: Shard(0) {where}; write input = "
        "input.redistribute(placements=[Shard(0)]) and other = "
        "other.redistribute(placements=[Replicate()])"
    )
    assert call(Partial(), WHOLE, WHOLE) == (
        f"input is Partial() {where}, and matmul_kernel needs its elements, not parts of their "
        "sums; write input = input.redistribute(placements=[Replicate()])"
    )
    rows = placed(mesh, tensors[0], Shard(1))
    assert refused(lambda: softmax_kernel(rows, rows)) == (
        f"input is Shard(1) {where}, and softmax_kernel does not split dim 1 of input: the "
        "application combines elements along it; write input = "
        "input.redistribute(placements=[Shard(0)]) and output = "
        "output.redistribute(placements=[Shard(0)])"
    )
    whole, plain = placed(mesh, tensors[0], WHOLE), tensors[1]
    mixed = (
        "input is a DTensor, and other is none; where each rank has all of other, write other = "
        "DTensor.from_local(other, input.device_mesh, [Replicate()])"
    )
    assert refused(lambda: matmul_kernel(whole, plain, whole)) == mixed
    assert refused(lambda: matmul(whole, plain)) == mixed
    assert refused(lambda: matmul(plain, whole)) == (
        "other is a DTensor, and input is none; where each rank has all of input, write input = "
        "DTensor.from_local(input, other.device_mesh, [Replicate()])"
    )
    # The dims of a sum have one size, or it is none of parts.
    wide = placed(mesh, torch.ones(6, 6), Shard(1))
    other = placed(mesh, tensors[1], Shard(0))
    output = placed(mesh, tensors[2], Partial())
    assert refused(lambda: matmul_kernel(wide, other, output)) == (
        f"input is Shard(1) {where}, and matmul_kernel takes that only where all dims that are "
        "split with it have one size: dim 1 of input has 6, dim 0 of other has 4; write input = "
        "input.redistribute(placements=[Shard(0)]) and other = "
        "other.redistribute(placements=[Replicate()]) and output = "
        "output.redistribute(placements=[Shard(0)])"
    )
    assert refused(lambda: matmul(whole), ArgumentError) == (
        "application(input, other) takes 2 arguments, but 1 was given; other is missing"
    )
    assert refused(lambda: matmul(whole, placed(mesh, torch.ones(4), WHOLE)), ArgumentError) == (
        "other must have 2 dims, but its shape is (4,)"
    )
    assert refused(lambda: matmul.remarks(whole, whole), ShardedError) == (
        "DTensors are taken by calls alone; pass a rank's own ones, .to_local()"
    )
    with pytest.raises(RuntimeError, match="got mixed torch"):
        named_matmul(whole, plain)


def test_messages(ranks: MeshRanks) -> None:
    ranks((2,), messages)


def messages_of_known_calls(mesh: DeviceMesh) -> None:
    kernel = ninetoothed.make(
        examples.matmul.arrangement,
        examples.matmul.application,
        (Tensor(2), Tensor(2), Tensor(2)),
        outputs=("output",),
    )
    lhs, rhs = torch.randn(6, 4), torch.randn(4, 5)
    rows, whole = placed(mesh, lhs, Shard(0)), placed(mesh, rhs, WHOLE)
    close(kernel(rows, whole), lhs @ rhs)
    # From now on neither the call nor DTensor looks whether such arguments fit.
    with mock.patch.object(KernelOperators, "check") as check:
        close(kernel(rows, whole), lhs @ rhs)
    assert not check.called
    assert refused(lambda: kernel(rows, placed(mesh, torch.ones(4), WHOLE)), ArgumentError) == (
        "other must have 2 dims, but its shape is (4,)"
    )
    assert refused(lambda: kernel(rows, rhs)).startswith("input is a DTensor, and other is none")
    another = DeviceMesh("cpu", mesh.mesh, mesh_dim_names=("model",))
    assert refused(lambda: kernel(rows, placed(another, rhs, WHOLE))).startswith(
        "input and other are on several meshes"
    )
    with pytest.warns(GradientWarning):
        assert not kernel(rows, whole.requires_grad_()).requires_grad


def test_messages_of_known_calls(ranks: MeshRanks) -> None:
    ranks((4,), messages_of_known_calls)


def messages_of_two_dims(mesh: DeviceMesh) -> None:
    named = DeviceMesh("cpu", mesh.mesh, mesh_dim_names=("data", "model"))
    tensors = torch.ones(6, 4), torch.ones(4, 5), torch.ones(6, 5)
    split = [
        placed(named, tensors[0], Shard(0), WHOLE),
        placed(named, tensors[1], WHOLE, Shard(1)),
        placed(named, tensors[2], Shard(0), WHOLE),
    ]
    assert refused(lambda: matmul_kernel(*split)) == (
        "matmul_kernel has no rule with input: Replicate(), other: Shard(1), output: Replicate() "
        "along dim 'model' of the mesh; write output = "
        "output.redistribute(placements=[Shard(0), Shard(1)])"
    )
    message = refused(lambda: matmul(split[0], placed(named["data"], tensors[1], WHOLE)))
    assert message.startswith("input and other are on several meshes, DeviceMesh(")
    assert message.endswith("; place all tensors of a call on one")


def test_messages_of_a_mesh_of_two_dims(ranks: MeshRanks) -> None:
    ranks((2, 2), messages_of_two_dims)


def writing_arrangement(x: Any, y: Any) -> Any:
    return x.tile((8,)), y.tile((8,))


def writing(x: Any, y: Any) -> None:
    y = x + 1
    x = y * 2


def inputs_that_are_written(mesh: DeviceMesh) -> None:
    kernel = ninetoothed.make(writing_arrangement, writing, (Tensor(1), Tensor(1)), outputs=("y",))
    x = placed(mesh, torch.ones(10), Shard(0))
    assert refused(lambda: kernel(x), ArgumentError) == (
        "a call with DTensors returns all that it writes, and this one writes x, too; name x in "
        "outputs, or write into DTensors that are placed as the kernel needs them, with out="
    )
    y = placed(mesh, torch.zeros(10), Shard(0))
    kernel(x, out=y)
    close(y, torch.full((10,), 2.0))
    close(x, torch.full((10,), 4.0))


def test_inputs_that_are_written(ranks: MeshRanks) -> None:
    ranks((2,), inputs_that_are_written)
