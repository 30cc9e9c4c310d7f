"""Tests of kernels: every configuration, small blocks included, against a reference.

    from ninetoothed.testing import check_kernel

    check_kernel(kernel, (x, y, z), lambda x, y, z: x + y)

A kernel that is right for large blocks may be wrong for small ones, and a GPU chooses either.
``NINETOOTHED_INTERPRET_CONFIGS`` compares configurations where there is no reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from ninetoothed.artifacts.sample import Sample
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.copies import copied
from ninetoothed.calls.sequences import elements_of, is_nested
from ninetoothed.errors import ArgumentError, MismatchError, counted, user_facing
from ninetoothed.kernel.kernel import Kernel

if TYPE_CHECKING:
    import torch

    from ninetoothed.artifacts.configuration import Config

    Expected = torch.Tensor | Sequence[torch.Tensor] | Mapping[str, torch.Tensor] | None

LEVELS = ("nt", "tt")
"""Levels of the IR that CPU tensors may be run at: as written, and as lowered for Triton."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@user_facing
def check_kernel(
    kernel: Kernel,
    args: Sequence[Any],
    reference: Callable[..., Expected] | Expected,
    *,
    kwargs: Mapping[str, Any] = _NOTHING,
    configs: str | int = "all",
    levels: str | Collection[str] = "nt",
    rtol: float | None = None,
    atol: float | None = None,
) -> list[Config]:
    """Run a call of a kernel by its configurations, and compare each result with a reference.

    Every run has copies of the arguments, which are left as they are; tensors that share memory
    share it in the copies. CPU tensors are interpreted, by each choice of block sizes that a GPU
    might take, and by the one that a plain call takes; GPU tensors are computed with on the GPU, by
    each choice of block sizes, warps and stages, all of which are compiled. There, a write to
    memory around a tensor is found, too.

    Args:
        kernel: What ``make`` or ``jit`` returned.
        args: The call's positional arguments: ``kernel(*args, **kwargs)``.
        reference: What the kernel must compute. A function is called as the kernel is, with copies
            of ``args`` and ``kwargs``; it returns the expected elements, or writes into its
            arguments and returns None. Expected elements are a tensor for each argument that the
            kernel writes to, in the kernel's order; one tensor where there is one; or a dict of
            them by parameter, which need not have all. They may be of a wider element type.
        kwargs: The call's keyword arguments.
        configs: Which configurations: ``"all"``, how many, spread evenly from small blocks to large
            ones, or ``"random:SEED"``, which draws eight.
        levels: What CPU tensors are run at: ``"nt"``, the application as written, ``"tt"``, all
            that the compiler makes of it before Triton, also with the other choices of its passes,
            or both, ``("nt", "tt")``.
        rtol: Tolerance relative to expected elements; default: that of ``torch.testing`` for the
            argument's element type, and nothing for integers and bits.
        atol: Absolute tolerance, likewise.

    Returns:
        The configurations that ran; on the CPU, warps and stages make no difference.

    Raises:
        MismatchError: elements differ; it names the configuration, the argument and the first ones.
            Or memory was written that is no element of an argument.
        ArgumentError: the arguments do not fit the kernel, or the reference's results do not.
        NineToothedError: as the call itself does, with any of the configurations.
    """
    if not isinstance(kernel, Kernel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(
            f"check_kernel takes a kernel, which make returns, not a {type(kernel).__name__}"
        )
    if reference is None:
        raise ArgumentError(
            "the reference is None; give a function, or a tensor for each argument that the kernel "
            "writes to"
        )
    levels = (levels,) if isinstance(levels, str) else tuple(dict.fromkeys(levels))
    if not levels or not set(levels) <= set(LEVELS):
        raise ArgumentError(f'levels must be "nt", "tt" or both, not {levels!r}')
    sample = Sample.parse("configs", configs)
    from ninetoothed.kernel.comparison import Tolerance, described, difference

    kept = copied([*args, *kwargs.values()])
    names, count = tuple(kwargs), len(args)

    def call(values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """The arguments of a call, from its positional ones and those by keyword."""
        return values[:count], dict(zip(names, values[count:], strict=True))

    given = call(copied(kept))
    wanted = reference(*given[0], **given[1]) if callable(reference) else reference
    ran: dict[Config, None] = {}
    positional, keywords = call(kept)
    for run, level in kernel.runs(positional, keywords, sample, levels):
        expected = _expected(kernel, wanted, given, run.written)
        values = dict(zip(kernel.interface.names, run.values, strict=True))
        sizes = (*run.config.values, *run.config.choices)
        config = described(sizes) if level else str(run.config)
        if run.stray is not None:
            name = kernel.interface.names[run.stray.place]
            raise MismatchError(
                f"kernel {kernel.interface.name!r} with {config} writes outside of {name}: "
                f"{run.stray}"
            )
        for name, elements in expected.items():
            actual = elements_of(values[name])
            _check_shape(name, tuple(actual.shape), tuple(elements.shape))
            standard = Tolerance.of(actual.dtype)
            tolerance = Tolerance(
                standard.rtol if rtol is None else rtol, standard.atol if atol is None else atol
            )
            found = difference(actual, elements, tolerance)
            if found is not None:
                where = ", lowered to tt," if level == "tt" else ""
                raise MismatchError(
                    f"kernel {kernel.interface.name!r} with {config}{where} gives {name} other "
                    f"elements than the reference: {found}"
                )
        ran[run.config] = None
    return [*ran]


def _expected(
    kernel: Kernel,
    wanted: Expected,
    given: tuple[Sequence[Any], Mapping[str, Any]],
    written: Collection[str],
) -> dict[str, torch.Tensor]:
    """The expected elements of arguments, by parameter; ``given``: what the reference was called
    with.

    Raises:
        ArgumentError: the reference's results do not fit the kernel.
    """
    interface = kernel.interface
    tensors = [parameter.name for parameter in interface.arguments if parameter.kind == "tensor"]
    if wanted is None:
        found = dict(zip(interface.names, kernel.bound(*given), strict=True))
        return {name: elements_of(found[name]) for name in tensors}
    if isinstance(wanted, Mapping):
        unknown = [name for name in wanted if name not in tensors]
        if unknown:
            raise ArgumentError(
                f"{unknown[0]} is no tensor of the kernel, which has {', '.join(tensors)}"
            )
        results = dict(wanted)
    else:
        several = cast("list[torch.Tensor]", [wanted] if is_tensor(wanted) else [*wanted])
        # One tensor may be several parameters, of which its own name is the first's.
        origins = {interface.names[one]: interface.names[two] for two, one in interface.repeats}
        changed = {origins.get(name, name) for name in written}
        outputs = [name for name in tensors if name in changed]
        if len(several) != len(outputs):
            raise ArgumentError(
                f"the kernel writes to {counted(len(outputs), 'argument')} "
                f"({', '.join(outputs)}), but the reference gives {len(several)}; give one for "
                "each in this order, a dict of some by name, or a function that writes into its "
                "arguments and returns None"
            )
        results = dict(zip(outputs, several, strict=True))
    for name, value in results.items():
        if not is_tensor(value):
            raise ArgumentError(
                f"the reference gives {name} a {type(value).__name__}; give a torch tensor"
            )
    return {name: value.values() if is_nested(value) else value for name, value in results.items()}


def _check_shape(name: str, actual: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Check that a reference has the shape of the argument that it is for.

    Raises:
        ArgumentError: it has not.
    """
    if actual != expected:
        raise ArgumentError(
            f"{name} has the shape {actual}, and the reference gives it {expected}; give it the "
            "argument's shape"
        )
