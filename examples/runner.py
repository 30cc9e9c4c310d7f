"""Runs an example as a script: on the best device, checked against torch in float64."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch


class Draw:
    """Random inputs of one device and element type, the same for one seed.

    ``strided`` tensors lie apart in memory: each row is a part of a longer one, and each element of
    a vector the first of two.
    """

    def __init__(
        self, device: str, dtype: torch.dtype, strided: bool = False, seed: int = 0
    ) -> None:
        self.device = device
        self.dtype = dtype
        self.strided = strided
        self.generator = torch.Generator(device).manual_seed(seed)

    def __call__(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Normally distributed numbers, of the element type asked for where none is given."""
        dtype = dtype or self.dtype
        # Not every element type has a random generator of its own.
        drawn = dtype if dtype.is_floating_point and dtype.itemsize > 1 else torch.float32
        values = torch.randn(shape, dtype=drawn, device=self.device, generator=self.generator)
        return self._placed(values.to(dtype))

    def integers(
        self, high: int, *shape: int, low: int = 0, dtype: torch.dtype = torch.int64
    ) -> torch.Tensor:
        """Integers from ``low`` to ``high - 1``, each as likely; never strided."""
        return torch.randint(
            low, high, shape, dtype=dtype, device=self.device, generator=self.generator
        )

    def jagged(self, lengths: Sequence[int], *shape: int) -> torch.Tensor:
        """Sequences of these lengths, of tensors of ``shape``, as a jagged ``torch.nested`` tensor.

        It knows its shortest and its longest length, so that no call waits for the GPU to look
        them up.
        """
        offsets = torch.tensor([0, *itertools.accumulate(lengths)], device=self.device)
        values = self(sum(lengths), *shape)
        return torch.nested.nested_tensor_from_jagged(
            values,
            offsets,
            min_seqlen=min(lengths, default=0),
            max_seqlen=max(lengths, default=0),
        )

    def _placed(self, values: torch.Tensor) -> torch.Tensor:
        if not self.strided or values.ndim == 0:
            return values
        if values.ndim == 1:
            apart = values.new_empty(values.shape[0], 2)[:, 0]
        else:
            # 64 elements keep rows as aligned as they were.
            apart = values.new_empty(*values.shape[:-1], values.shape[-1] + 64)
            apart = apart[..., : values.shape[-1]]
        return apart.copy_(values)


def best_device() -> str:
    """``"cuda"`` where torch finds a GPU, else ``"cpu"``."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def raised(value: Any) -> Any:
    """A floating-point tensor in float64; anything else as it is."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    return value


def results(value: Any) -> tuple[torch.Tensor, ...]:
    """Results of a function: one tensor or several."""
    return (value,) if isinstance(value, torch.Tensor) else tuple(value)


def relative_error(result: torch.Tensor, expected: torch.Tensor) -> float:
    """‖result − expected‖ / ‖expected‖ in float64; NaN where an element is NaN in one of them."""
    if result.shape != expected.shape:
        raise ValueError(
            f"the result's shape is {tuple(result.shape)}, not {tuple(expected.shape)}"
        )
    if result.is_nested:
        result, expected = result.values(), expected.values()
    result, expected = result.double(), expected.double()
    # Infinities that agree do not differ.
    difference = (result - expected).masked_fill(result == expected, 0.0)
    finite = expected.masked_fill(expected.isinf(), 0.0)
    squares = difference.square().sum() / finite.square().sum().clamp_min(1e-60)
    return float(squares.sqrt())


def tolerance_of(result: torch.Tensor) -> float:
    """The largest error of a sum that is rounded a few times to the result's element type."""
    return 4 * torch.finfo(result.dtype).eps if result.is_floating_point() else 0.0


def differentiable(
    function: Callable[..., torch.Tensor], inputs: Sequence[Any]
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The output of ``function``, to be differentiated, and the leaves that have gradients: made
    from those inputs that are tensors of floating-point numbers.
    """
    leaves = [
        value.detach().requires_grad_()
        if isinstance(value, torch.Tensor) and value.is_floating_point()
        else value
        for value in inputs
    ]
    wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    with torch.enable_grad():
        return function(*leaves), wanted


def gradients(function: Callable[..., torch.Tensor]) -> Callable[..., tuple[torch.Tensor, ...]]:
    """The function ``(gradient of the output, *inputs) -> gradients of the inputs``.

    Of the inputs, the tensors of floating-point numbers have gradients.
    """

    def backward(gradient: torch.Tensor, *inputs: Any) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(*differentiable(function, inputs), gradient)

    backward.__name__ = f"gradients of {getattr(function, '__name__', 'the reference')}"
    return backward


def run(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    inputs: Callable[..., Sequence[Any]],
    *,
    small: tuple[int, ...],
    large: tuple[int, ...],
) -> None:
    """Call ``function`` on random inputs and print its error against ``reference``.

    On a GPU the inputs are ``inputs(draw, *large)`` in fp16, else ``inputs(draw, *small)`` in fp32.
    The reference gets them in float64 and returns as many tensors. The program ends with exit code
    1 where an error is larger than rounding explains.
    """
    device = best_device()
    if device == "cpu":
        print("no GPU found: evaluated on the CPU, at a small size")
    dtype = torch.float16 if device == "cuda" else torch.float32
    draw = Draw(device, dtype)
    arguments = inputs(draw, *(large if device == "cuda" else small))
    found = results(function(*arguments))
    expected = results(reference(*map(raised, arguments)))
    shapes = ", ".join(
        "×".join(map(str, value.shape)) or "scalar"
        for value in arguments
        if isinstance(value, torch.Tensor)
    )
    print(f"{function.__name__} of {shapes} on {device}")
    wrong = False
    for position, (result, one) in enumerate(zip(found, expected, strict=True)):
        error = relative_error(result, one)
        correct = error <= tolerance_of(result)
        wrong = wrong or not correct
        name = f"result {position}" if len(found) > 1 else "result"
        verdict = "agrees with torch in float64" if correct else "DIFFERS from torch in float64"
        print(f"  {name}, {str(result.dtype).removeprefix('torch.')}: {verdict}, error {error:.1e}")
    if wrong:
        sys.exit(1)
