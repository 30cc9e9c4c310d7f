"""Element types compared: by any of their spellings, in every form of comparison."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.dtype import DTYPES
from tests.support.everywhere import everywhere

OURS, TORCHS, LONG, SHORT = ninetoothed.float32, torch.float32, "float32", "fp32"
OTHER = torch.float16


def vectors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((16,)) for tensor in tensors)


def by_strings(x, output):
    ntl.static_assert(x.dtype == "float32" and x.dtype == "fp32" and x.dtype == SHORT)
    ntl.static_assert(x.dtype != "float16" and x.dtype != "fp64")
    output = x


def by_objects(x, output):
    ntl.static_assert(x.dtype == ntl.float32 and x.dtype == torch.float32)
    ntl.static_assert(x.dtype == OURS and x.dtype == TORCHS and x.dtype != OTHER)
    ntl.static_assert(OURS == LONG and TORCHS == SHORT and ntl.float32 == LONG)
    output = x


def by_identity(x, output):
    ntl.static_assert(x.dtype is ntl.float32 and x.dtype is torch.float32 and x.dtype is LONG)
    ntl.static_assert(x.dtype is not OTHER and x.dtype is not None)
    output = x


def by_membership(x, output):
    ntl.static_assert(x.dtype in ("float16", "float32") and x.dtype in [OTHER, TORCHS])
    ntl.static_assert(x.dtype not in ("float16", ntl.bfloat16) and x.dtype not in (None, OTHER))
    output = x


def by_tuples(x, output):
    ntl.static_assert((x.dtype, 1) == ("float32", 1) and (x.dtype, x.ndim) != ("float16", 1))
    output = x


def of_blocks_and_sources(x, output):
    ntl.static_assert((x + 1).dtype == "float32" and x.source.dtype == "float32")
    ntl.static_assert(x.dtype.scalar == "float32" and (x > 0).dtype == "bool")
    ntl.static_assert(x.data_ptr().dtype.element_ty == "float32")
    ntl.static_assert(x.data_ptr().dtype != "float32" and x.dtype != None)  # noqa: E711
    output = x


def that_take_a_branch(x, output):
    output = x if x.dtype == "float32" else x.nothing


@pytest.mark.parametrize(
    "application",
    [
        *(by_strings, by_objects, by_identity, by_membership, by_tuples),
        *(of_blocks_and_sources, that_take_a_branch),
    ],
)
def test_comparisons(application: Any, device: str) -> None:
    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output, x)

    everywhere(device, vectors, application, [torch.rand(20), torch.zeros(20)], right)


@pytest.mark.parametrize("dtype", [name for name in DTYPES if not name.startswith("fp8")])
def test_every_spelling_of_every_type(dtype: str) -> None:
    row = DTYPES[dtype]
    short, long, triton, object_ = row.name, row.torch, row.triton, getattr(torch, row.torch)

    def application(x, output):
        ntl.static_assert(x.dtype == short and x.dtype == long and x.dtype == triton)
        ntl.static_assert(x.dtype == object_ and x.dtype in (long,) and x.dtype is object_)
        output = x

    tensors = (Tensor(1, dtype=dtype), Tensor(1, dtype=dtype))
    kernel = ninetoothed.make(vectors, application, tensors)
    x = torch.ones(20, dtype=object_)
    output = torch.zeros_like(x)
    kernel(x, output)
    assert torch.equal(output, x)


def test_shapes_are_compared_size_by_size(device: str) -> None:
    """Sizes that only a call knows are compared by it, in tuples as well."""

    def application(x, y, output):
        same = 1 if x.source.shape == y.source.shape else 0
        twenty = 2 if x.source.shape == (20,) else 0
        among = 4 if y.source.shape[0] in (7, 30) else 0
        no = 8 if y.source.shape[0] not in (7, 30) or (x.source.shape, 1) == ((21,), 1) else 0
        ntl.static_assert(x.shape == (16,) and x.shape != (16, 16) and x.shape != (32,))
        output = x + same + twenty + among + no

    for size, added in ((20, 1 + 2 + 8), (30, 2 + 4)):

        def right(
            x: torch.Tensor, y: torch.Tensor, output: torch.Tensor, added: int = added
        ) -> None:
            assert torch.equal(output, x + added)

        values = [torch.arange(20.0), torch.ones(size), torch.zeros(20)]
        everywhere(device, vectors, application, values, right)


def test_strings_that_name_no_type_are_plain(device: str) -> None:
    MODE = "none"

    def application(x, output):
        ntl.static_assert(MODE != "fp32" and "a" < "b" and MODE in ("none", "fp32"))
        output = x

    def right(x: torch.Tensor, output: torch.Tensor) -> None:
        assert torch.equal(output, x)

    everywhere(device, vectors, application, [torch.rand(20), torch.zeros(20)], right)
