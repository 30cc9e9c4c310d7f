"""Argument checks of the examples' functions: arguments with which a result would not be torch's.

A kernel checks what it relies on itself: that its tensors have the dims and the sizes that it was
made for.
"""

from __future__ import annotations

import torch

# One look is a fraction of what it takes to ask a tensor for each property.
_FLOATS = frozenset(
    dtype
    for dtype in vars(torch).values()
    if isinstance(dtype, torch.dtype) and dtype.is_floating_point and dtype.itemsize <= 4
)


def needs_gradients(*tensors: torch.Tensor) -> bool:
    """True if torch expects gradients of a function of these tensors."""
    for tensor in tensors:
        if tensor.requires_grad:
            return torch.is_grad_enabled()
    return False


def check_no_gradients(**tensors: torch.Tensor) -> None:
    """Raise a ValueError where torch expects gradients of a function that has none."""
    for name, tensor in tensors.items():
        if tensor.requires_grad and torch.is_grad_enabled():
            raise ValueError(
                f"{name} requires gradients, which this function does not have; pass "
                f"{name}.detach(), or call the function under torch.no_grad()"
            )


def check_floats(
    differentiable: bool = False, one_dtype: bool = False, **tensors: torch.Tensor
) -> None:
    """Raise a ValueError where a tensor does not hold floating-point numbers of 32 bits or fewer.

    Or where it requires gradients of a function that is not differentiable; or, with ``one_dtype``,
    where tensors have different element types.
    """
    first = None
    # One loop, which asks each tensor for each property once: it is the time of a small call.
    for name, tensor in tensors.items():
        dtype = tensor.dtype
        if dtype is not first:
            if dtype not in _FLOATS:
                raise ValueError(
                    f"{name} would be converted to float32, which does not hold {dtype}; pass "
                    "float16, bfloat16 or float32"
                )
            if one_dtype and first is not None:
                dtypes = (str(tensor.dtype) for tensor in tensors.values())
                raise ValueError(
                    f"{', '.join(tensors)} must have one element type, not {', '.join(dtypes)}; "
                    "convert them with .to(dtype)"
                )
            first = dtype
        if not differentiable and tensor.requires_grad:
            check_no_gradients(**{name: tensor})


def check_ndim(ndim: int, **tensors: torch.Tensor) -> None:
    """Raise a ValueError where a tensor has another number of dims."""
    for name, tensor in tensors.items():
        if tensor.ndim != ndim:
            raise ValueError(f"{name} must have {ndim} dims, not {tensor.ndim}")


def check_jagged(**tensors: torch.Tensor) -> None:
    """Raise a ValueError where a tensor is no ``torch.nested`` tensor of jagged layout."""
    for name, tensor in tensors.items():
        if tensor.layout != torch.jagged:
            raise ValueError(
                f"{name} must be a torch.nested tensor of jagged layout; "
                "torch.nested.as_nested_tensor(sequences, layout=torch.jagged) makes one"
            )
