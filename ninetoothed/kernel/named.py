"""The entry point ``operator``: kernels as operators of torch, under names of a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.artifacts.signature import Signature
from ninetoothed.errors import ArgumentError, DependencyError, did_you_mean, shown, user_facing
from ninetoothed.kernel.kernel import Kernel

OutputLike = str | Callable[..., Any]

_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)::([A-Za-z_][A-Za-z0-9_]*)")
_OF_TORCH = ("aten", "prim", "prims", "ninetoothed")
_NEEDED = ("register_autocast", "register_fake", "register_vmap")


@user_facing
def operator(
    name: str,
    kernel: Kernel,
    *,
    outputs: Mapping[str, OutputLike] | None = None,
    mutates_args: Iterable[str] | None = None,
    backward: Callable[..., Any] | None = None,
    setup_context: Callable[..., Any] | None = None,
    cast_inputs: Any = None,
) -> Callable[..., Any]:
    """Register a kernel as an operator of torch: ``operator("mylib::add", kernel)`` returns
    ``torch.ops.mylib.add.default``.

    Its arguments have the names of the kernel's parameters, in order, then of the constexpr symbols
    that a call gives, and last of those parameters that have a value by default. They are tensors
    and numbers. It mutates the tensors that the application writes and returns None, or allocates
    them as its ``outputs`` and returns them, one alone or several in a tuple.

    Args:
        name: ``"namespace::name"``; the namespace is the program's own.
        kernel: What ``make`` or ``jit`` returned.
        outputs: The parameters that are results. Each with the name of the input whose shape,
            strides, element type and device it has; or with a function that takes inputs by their
            names, and returns the shape, or the shape and the element type. What the kernel is not
            proved to write, or reads, begins as zeros.
        mutates_args: The parameters that calls may write; default: those that the application
            writes, for which it is compiled now. It is given where constexprs or element types
            decide what is written.
        backward: ``backward(ctx, *gradients)`` returns a gradient for each input, None for those
            that have none, as for ``torch.library.register_autograd``.
        setup_context: ``setup_context(ctx, inputs, output)`` saves for ``backward``.
        cast_inputs: The element type that floating-point tensors are cast to under
            ``torch.autocast``.

    Raises:
        ArgumentError: the name is none, or registered; the kernel cannot be an operator; or an
            option does not fit it.
        DependencyError: torch lacks the interface.
        NineToothedError: the application is wrong.
    """
    found = _NAME.fullmatch(name) if isinstance(name, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if found is None:
        raise ArgumentError(
            f"{shown(name)} is no name of an operator; write a namespace of your own and a name, "
            "of ASCII letters, digits and _, as in 'mylib::add'"
        )
    namespace, own = found.groups()
    if namespace in _OF_TORCH:
        raise ArgumentError(
            f"{name}: the namespace {namespace} is taken; choose one of your own, as in "
            f"'mylib::{own}'"
        )
    if not isinstance(kernel, Kernel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(
            f"{name} needs a kernel, as ninetoothed.make returns one, not {shown(kernel)}"
        )
    torch = _torch()
    tensors = _checked(name, kernel.interface)
    results = _outputs(name, outputs, tensors)
    if results:
        mutated = frozenset[str]()
        if mutates_args is not None:
            raise ArgumentError(
                f"{name}: an operator with outputs mutates nothing; leave mutates_args out"
            )
    else:
        _refuse_of_mutating(name, backward, cast_inputs)
        mutated = _mutated(name, kernel, mutates_args, tensors)
    if setup_context is not None and backward is None:
        raise ArgumentError(f"{name}: setup_context is of no use without backward; give it, too")
    for option, value in (("backward", backward), ("setup_context", setup_context)):
        if value is not None and not callable(value):
            raise ArgumentError(f"{name}: {option} must be a function, not {shown(value)}")
    if cast_inputs is not None and not getattr(cast_inputs, "is_floating_point", False):
        raise ArgumentError(
            f"{name}: cast_inputs must be a floating-point type of torch, as torch.float16, not "
            f"{shown(cast_inputs)}"
        )
    if hasattr(getattr(torch.ops, namespace), own):
        raise ArgumentError(
            f"{name} is registered already; choose another name, or use torch.ops.{namespace}.{own}"
        )
    from ninetoothed.pytorch.named_operators import NamedOperator
    from ninetoothed.pytorch.operator_registration import register

    def effects(args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        return _effects(kernel, kernel.signature(args, keywords), keywords)

    named = NamedOperator(name, kernel, kernel.interface, results, mutated, effects)
    return register(namespace, own, named, backward, setup_context, cast_inputs)


def _torch() -> Any:
    """torch.

    Raises:
        DependencyError: it is not installed, or too old.
    """
    try:
        import torch
    except ImportError:
        raise DependencyError(
            "operators are torch's, which is not installed; run pip install 'torch>=2.6'"
        ) from None
    missing = [one for one in _NEEDED if not hasattr(torch.library, one)]
    if missing:
        raise DependencyError(
            f"torch {torch.__version__} has no torch.library.{missing[0]}, which operators need; "
            "run pip install 'torch>=2.6'"
        )
    return torch


def _checked(name: str, interface: Interface) -> dict[str, Parameter]:
    """The tensors among the parameters, by name.

    Raises:
        ArgumentError: the parameters cannot be those of an operator.
    """
    parameters = [interface.parameters[first] for first in interface.firsts]
    for one in (*(parameter.name for parameter in parameters), *interface.keywords):
        if not one.isascii():
            raise ArgumentError(
                f"{name}: torch takes ASCII letters only, and {one} has others; rename it"
            )
    for one in parameters:
        if one.jagged_dim is not None:
            raise ArgumentError(
                f"{name}: {one.name} is jagged, and operators with names take no nested tensors; "
                "call the kernel itself, which torch.compile and torch.export take"
            )
    tensors = {one.name: one for one in parameters if one.kind == "tensor"}
    if not tensors:
        raise ArgumentError(
            f"{name}: {interface.name} takes no tensors, by which torch finds where to run; call "
            "the kernel itself"
        )
    return tensors


def _outputs(name: str, outputs: object, tensors: Mapping[str, Parameter]) -> dict[str, OutputLike]:
    """The outputs, by name.

    Raises:
        ArgumentError: they are no dict of tensors' names.
    """
    if outputs is None:
        return {}
    given = cast("Mapping[str, OutputLike]", outputs)
    if not isinstance(outputs, Mapping) or not given:
        last = [*tensors][-1]
        raise ArgumentError(
            f"{name}: outputs must be a dict by names of parameters, not {shown(given)}; write "
            f"for example outputs={{{last!r}: {next(iter(tensors))!r}}}"
        )
    _check_tensors(name, "outputs", given, tensors)
    return {**given}


def _check_tensors(
    name: str, option: str, found: Iterable[Any], tensors: Mapping[str, Parameter]
) -> None:
    """Check that names are those of tensors.

    Raises:
        ArgumentError: one is not.
    """
    for one in found:
        if one not in tensors:
            near = did_you_mean(one, tensors) if isinstance(one, str) else ""
            raise ArgumentError(
                f"{name}: {option} names {shown(one)}, which is no tensor of the kernel; "
                f"{near or 'tensors are ' + ', '.join(tensors)}"
            )


def _refuse_of_mutating(name: str, backward: object, cast_inputs: object) -> None:
    """Refuse options that an operator without outputs cannot have.

    Raises:
        ArgumentError: one is given.
    """
    for option, value, why in (
        ("backward", backward, "no gradients flow through tensors that it mutates"),
        ("cast_inputs", cast_inputs, "what it wrote to a tensor that was cast would be lost"),
    ):
        if value is not None:
            raise ArgumentError(
                f"{name}: {option} needs an operator that returns its results, for {why}; give "
                "outputs, too"
            )


def _mutated(
    name: str,
    kernel: Kernel,
    mutates_args: Iterable[str] | None,
    tensors: Mapping[str, Parameter],
) -> frozenset[str]:
    """The arguments that the operator mutates.

    Raises:
        ArgumentError: ``mutates_args`` names others than tensors; or without it, a constexpr has
            no value.
        NineToothedError: the application is wrong.
    """
    if mutates_args is not None:
        given = [mutates_args] if isinstance(mutates_args, str) else [*mutates_args]
        _check_tensors(name, "mutates_args", given, tensors)
        return frozenset(given)
    interface = kernel.interface
    for one in interface.parameters:
        if one.kind == "constexpr" and one.value is None:
            raise ArgumentError(
                f"{name}: {one.name} has no value, by which {interface.name} is compiled to tell "
                "what it writes; give mutates_args, as in "
                f"mutates_args=({[*tensors][-1]!r},)"
            )
    written = kernel.stored_by({}, _plain(interface))
    firsts = {one.name: interface.names[one.first] for one in interface.parameters}
    return frozenset(firsts[one] for one in written)


def _plain(interface: Interface) -> dict[str, int]:
    """Values of the symbols that a call gives, for which what is written is asked."""
    return {
        keyword: min(max(64, bounds.lower or 1), bounds.upper or 64)
        for _, keyword, bounds in interface.constexprs
    }


def _effects(kernel: Kernel, signature: Signature, keywords: Mapping[str, Any]) -> Any:
    """What calls of a signature write, and fill."""
    from ninetoothed.pytorch.named_operators import Effects

    firsts = {one.name: kernel.interface.names[one.first] for one in kernel.interface.parameters}
    stored = kernel.stored(signature)
    filled = _filled(kernel, signature, keywords) if stored else frozenset[str]()
    return Effects(*(frozenset(firsts[one] for one in found) for found in (stored, filled)))


def _filled(kernel: Kernel, signature: Signature, keywords: Mapping[str, Any]) -> set[str]:
    """The parameters of which calls of a signature write every element and read none, as proofs
    for all sizes say.
    """
    from ninetoothed.ir import nt

    params = signature.params
    dtypes = {one.name: one.dtype for one in params if one.kind != "constexpr"}
    values = {one.name: one.value for one in params if one.kind == "constexpr"}
    verdicts = kernel.report(dtypes, {**values, **keywords}).verdicts
    covered = {
        one.subject for one in verdicts if (one.question, one.answer) == ("coverage", "proved")
    }
    arguments = nt.kernel_of(kernel.composed(signature)).apply.block.args
    return {
        one.name
        for one, argument in zip(params, arguments, strict=True)
        if one.name in covered
        and all(isinstance(use.operation, nt.StoreOp | nt.SizeOp) for use in argument.uses)
    }
