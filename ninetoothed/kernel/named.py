"""The entry point ``operator``: kernels as operators of torch, under names of a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.errors import ArgumentError, DependencyError, did_you_mean, shown, user_facing
from ninetoothed.kernel.allocating_kernel import AllocatingKernel, KernelWithOutputs
from ninetoothed.kernel.kernel import Kernel

if TYPE_CHECKING:
    from ninetoothed.definition.outputs import OutputsLike
    from ninetoothed.kernel.backward_kernel import BackwardKernel
    from ninetoothed.pytorch.batching import Lift
    from ninetoothed.pytorch.named_operators import NamedOperator

_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)::([A-Za-z_][A-Za-z0-9_]*)")
_OF_TORCH = ("aten", "prim", "prims", "ninetoothed")
_NEEDED = ("register_autocast", "register_fake", "register_vmap")


@user_facing
def operator(
    name: str,
    kernel: Kernel,
    *,
    outputs: OutputsLike = None,
    mutates_args: Iterable[str] | None = None,
    backward: Callable[..., Any] | Kernel | None = None,
    setup_context: Callable[..., Any] | None = None,
    cast_inputs: Any = None,
) -> Callable[..., Any]:
    """Register a kernel as an operator of torch: ``operator("mylib::add", kernel)`` returns
    ``torch.ops.mylib.add.default``.

    Its arguments have the names of the kernel's parameters, in order, then of the constexpr symbols
    that a call gives, and last of those parameters that have a value by default. They are tensors
    and numbers. It mutates the tensors that the application writes and returns None, or allocates
    them as its ``outputs`` and returns them, one alone or several in a tuple.

    ``torch.func.vmap`` over it launches one kernel for the whole batch, by the operator
    ``namespace::name_vmap``. Where that is not proved to do what single calls do, these are made,
    with a ``VmapWarning`` for each reason.

    Args:
        name: ``"namespace::name"``; the namespace is the program's own.
        kernel: What ``make`` or ``jit`` returned.
        outputs: The parameters that are results, as ``make`` takes them; default: those of the
            kernel, where it was made with some.
        mutates_args: The parameters that calls may write; default: those that the application
            writes, for which it is compiled now. It is given where constexprs or element types
            decide what is written.
        backward: ``backward(ctx, *gradients)`` returns a gradient for each input, None for those
            that have none, as for ``torch.library.register_autograd``. Or a kernel, wired by the
            names of its parameters: where this one computes z of x, it is given the gradient
            ``z_gradient``, writes ``x_gradient``, which is allocated like x, and has the values of
            what it names of this one's inputs, outputs and symbols. It is the operator
            ``namespace::name_backward``. Outputs whose gradients it does not take are not
            differentiable.
        setup_context: ``setup_context(ctx, inputs, output)`` saves for a function as ``backward``.
        cast_inputs: The element type that floating-point tensors are cast to under
            ``torch.autocast``.

    Raises:
        ArgumentError: the name is none, or registered; the kernel cannot be an operator; or an
            option does not fit it; or names of a backward kernel's parameters do not say what they
            are.
        DependencyError: torch lacks the interface.
        NineToothedError: the application is wrong.

    Example:
        >>> def arrangement(x, y, size=block_size()):
        ...     return x.tile((size,)), y.tile((size,))
        >>> def application(x, y):
        ...     y = 2 * x
        >>> double = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
        >>> named = ninetoothed.operator("documented::double", double, outputs=("y",))
        >>> named(torch.arange(3.0))
        tensor([0., 2., 4.])
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
    if outputs is not None:
        kernel = AllocatingKernel.of(kernel, outputs)
    if isinstance(kernel, AllocatingKernel):
        mutated = frozenset[str]()
        if mutates_args is not None:
            raise ArgumentError(
                f"{name}: an operator with outputs mutates nothing; leave mutates_args out"
            )
    else:
        _refuse_of_mutating(name, backward, cast_inputs)
        mutated = _mutated(name, kernel, mutates_args, tensors)
    if setup_context is not None and (backward is None or isinstance(backward, Kernel)):
        raise ArgumentError(
            f"{name}: setup_context is of no use without backward; give it, too"
            if backward is None
            else f"{name}: backward is a kernel, whose parameters' names tell what is saved; leave "
            "setup_context out"
        )
    for option, value, what in (
        ("backward", backward, "a function or a kernel"),
        ("setup_context", setup_context, "a function"),
    ):
        if value is not None and not callable(value):
            raise ArgumentError(f"{name}: {option} must be {what}, not {shown(value)}")
    if cast_inputs is not None and not getattr(cast_inputs, "is_floating_point", False):
        raise ArgumentError(
            f"{name}: cast_inputs must be a floating-point type of torch, as torch.float16, not "
            f"{shown(cast_inputs)}"
        )
    if hasattr(getattr(torch.ops, namespace), own):
        raise ArgumentError(
            f"{name} is registered already; choose another name, or use torch.ops.{namespace}.{own}"
        )
    from ninetoothed.pytorch.batching import batched_name

    _check_free(torch, batched_name(name), "of torch.func.vmap over it")
    gradients = None
    if isinstance(backward, Kernel):
        returned = kernel.outputs if isinstance(kernel, AllocatingKernel) else ()
        gradients = _backward_kernel(torch, name, kernel.interface, returned, backward)
    from ninetoothed.pytorch.operator_registration import register, register_backward

    named, lift = _named_operator(name, kernel, mutated), _lift(name, kernel, mutated)
    rules = kernel.call_rules
    if gradients is None:
        return register(namespace, own, named, rules, lift, backward, setup_context, cast_inputs)
    full = f"{name}_backward"
    of_backward, lift_backward = _named_operator(full, gradients), _lift(full, gradients)
    found = register(namespace, own, named, rules, lift, cast_inputs=cast_inputs)
    rules = gradients.call_rules
    register_backward(namespace, own, named, of_backward, gradients.roles, rules, lift_backward)
    return found


def _named_operator(
    name: str, kernel: Kernel, mutated: frozenset[str] = frozenset()
) -> NamedOperator:
    """The operator of a kernel, which is not registered."""
    from ninetoothed.pytorch.named_operators import NamedOperator

    call = (name, kernel, kernel.taken, mutated, kernel.stored_by_call)
    if not isinstance(kernel, KernelWithOutputs):
        return NamedOperator(*call)
    return NamedOperator(*call, kernel.outputs, kernel.allocated, kernel.sizes_from)


def _lift(name: str, kernel: Kernel, mutated: frozenset[str] = frozenset()) -> Lift:
    """What makes the operators of batches of calls."""

    def lift(levels: Sequence[Sequence[str]]) -> NamedOperator:
        from ninetoothed.kernel.lifted_kernel import LiftedKernel

        found = kernel
        for batched in levels:
            found = LiftedKernel.of(found, batched)
        return _named_operator(name, found, mutated)

    return lift


def _backward_kernel(
    torch: Any, name: str, forward: Interface, outputs: Sequence[str], backward: Kernel
) -> BackwardKernel:
    """The kernel that is the backward of the operator ``name`` of another one.

    Raises:
        ArgumentError: its parameters do not say what they are; or the name of its own operator is
            registered.
    """
    from ninetoothed.kernel.backward_kernel import BackwardKernel
    from ninetoothed.pytorch.batching import batched_name
    from ninetoothed.pytorch.gradient_names import roles_of

    _checked(name, backward.interface)
    roles = roles_of(name, forward, outputs, backward.interface)
    _check_free(torch, f"{name}_backward", "of the backward kernel")
    over = batched_name(f"{name}_backward")
    _check_free(torch, over, "of torch.func.vmap over the backward kernel")
    return BackwardKernel(backward, roles, forward)


def _check_free(torch: Any, name: str, which: str) -> None:
    """Check that an operator that comes with another one is not registered.

    Raises:
        ArgumentError: it is.
    """
    namespace, own = name.split("::")
    if hasattr(getattr(torch.ops, namespace), own):
        raise ArgumentError(
            f"{name}, the operator {which}, is registered already; choose another name"
        )


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
    for one in (*(parameter.name for parameter in interface.arguments), *interface.keywords):
        if not one.isascii():
            raise ArgumentError(
                f"{name}: torch takes ASCII letters only, and {one} has others; rename it"
            )
    for one in interface.arguments:
        if one.jagged_dim is not None:
            raise ArgumentError(
                f"{name}: {one.name} is jagged, and operators with names take no nested tensors; "
                "call the kernel itself, which torch.compile and torch.export take"
            )
    tensors = {one.name: one for one in interface.arguments if one.kind == "tensor"}
    if not tensors:
        raise ArgumentError(
            f"{name}: {interface.name} takes no tensors, by which torch finds where to run; call "
            "the kernel itself"
        )
    return tensors


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
    from ninetoothed.compiler.defaults import plain_values

    values = plain_values(kernel.definition)
    return interface.arguments_of(kernel.stored_by({}, values))
