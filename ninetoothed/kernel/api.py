"""The entry points ``make`` and ``jit``: kernels from two functions; and ``build``, refused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ninetoothed import config as settings
from ninetoothed.artifacts.options import Options, options
from ninetoothed.cache import artifact_store, entries
from ninetoothed.cache.entries import CacheEntry
from ninetoothed.definition.annotations import annotated
from ninetoothed.definition.define import Arranged, define, run_arrangement
from ninetoothed.errors import ArgumentError, user_facing
from ninetoothed.fingerprint.digest import examine
from ninetoothed.kernel.issued_warnings import IssuedWarnings
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.kernel.lazy_compilation import Compilation
from ninetoothed.kernel.recipe import Recipe
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device as gpu
from ninetoothed.runtime.toolchain import pool

if TYPE_CHECKING:
    from ninetoothed.definition.outputs import OutputsLike
    from ninetoothed.plugins.edited_pipeline import BoundPipeline, PipelineLike


@user_facing
def make(
    arrangement: Callable[..., object],
    application: Callable[..., object],
    tensors: Iterable[object],
    caller: str = "torch",
    kernel_name: str | None = None,
    output_dir: str | None = None,
    num_warps: int | Iterable[int] | None = None,
    num_stages: int | Iterable[int] | None = None,
    max_num_configs: int | None = None,
    backend: str | None = None,
    strict: bool = False,
    tune: Literal["off", "quick", "full"] | None = None,
    pipeline: PipelineLike = None,
    outputs: OutputsLike = None,
) -> Kernel:
    """Make a kernel from an arrangement, an application and symbolic tensors.

    The arrangement is run now, each time, and what the application reads from outside is read now:
    changes of globals and closure variables after this are not seen. Where nothing that the kernel
    depends on has changed since another process made it, nothing is compiled.

    Args:
        arrangement: Takes ``tensors`` and returns them arranged. There is one program for each
            outermost element of the first tensor; program p is given element p, row-major, of
            every other's outermost level.
        application: The code of one program, on its tile of each arranged tensor, in the
            returned order.
        tensors: Symbolic tensors, and anything else that the arrangement takes.
        caller: Who calls the kernel; ``"torch"``.
        kernel_name: The name in generated code; default: the application's.
        output_dir: Where libraries are written that are built ahead of time; with
            ``caller="torch"`` there is none, and it has no effect.
        num_warps: Warps a program: a number, several to tune over, or None for the compiler's
            choice.
        num_stages: Stages of software pipelining, likewise.
        max_num_configs: How many configurations are compiled and timed at most, for sizes alike.
        backend: ``"ttir"``, ``"triton-python"`` or ``"interpret"``; None: the best for where
            the tensors are (on a GPU ``NINETOOTHED_BACKEND``, where it is set).
        strict: Programs that write one element, and outermost levels that have fewer or more
            elements than there are programs, are errors, not warnings (also
            ``NINETOOTHED_STRICT=1``).
        tune: How a configuration is chosen where no result of tuning is known: ``"off"`` takes the
            best by a model of the device, ``"quick"`` times the model's best few, ``"full"`` all
            that it does not refuse; None: ``NINETOOTHED_TUNE``, which is ``quick`` by default.
        pipeline: Passes of other packages that compile the kernel, by name, as
            ``"nt-some-words"`` or ``("nt-some-words{factor=4}", "nt-others")``: they run where they
            are registered (``ninetoothed.passes.register``). A ``ninetoothed.passes.Pipeline`` puts
            them elsewhere, and leaves out passes that only optimise.
        outputs: Parameters that calls leave out: ``z = kernel(x, y)`` allocates z and returns it,
            or ``kernel(x, y, out=z)`` writes into a z that there is. A tuple of names, ``("z",)``:
            their shapes follow from outermost levels that agree, and from sizes that a call checks
            to be equal. A dict, ``{"z": "x"}``: z has the shape, the strides (as
            ``torch.empty_like``) and, unless it declares its own, the element type of x; ``{"z":
            function}``: the function returns the shape, or ``(shape, dtype)``, and takes inputs and
            symbols by their names, as the call gives them; ``{"z": None}``: as in a tuple. A
            function alone says the shapes of all tensors that it does not take. A call returns a
            tensor, or a tuple of several, in this order. Element types are the declared one, else
            that of all inputs. An output holds zeros before the kernel runs, unless it is proved
            that each of its elements is written, and none read.

    Raises:
        NineToothedError: the arrangement or the application is wrong; at its place.
        RaceError: two programs write one element, and ``strict`` is set.
        ArrangementError: an outermost level does not agree with the programs, and ``strict`` is
            set.
        ConfigurationError: others can write to the folder of ``NINETOOTHED_CACHE_DIR``.
        ArgumentError: an option has no such value; or a pass of ``pipeline`` is not known, cannot
            run at its place, or has no such option; or ``outputs`` names no tensor, or nothing
            decides a shape.
        PluginError: a pass of ``pipeline`` cannot be imported, or failed.

    Warns:
        RaceWarning: two programs write one element of a tensor not declared ``allow_races=True``,
            unless both write the same value.
        AgreementWarning: an outermost level has fewer elements than there are programs, or more,
            whatever the sizes; where it depends on them, the call warns.
        UnusedValueWarning: a statement has no effect, nothing is stored, or a name that is never
            read differs from a parameter's by case or by a letter.
        ArgumentOrderWarning: names that the arrangement's and the application's parameters share
            stand for one another's tensors.
        OptionWarning: ``output_dir`` is given.

    Each is issued once a kernel. What is wrong with a call's arguments, their types and values, the
    call says (see :class:`~ninetoothed.kernel.kernel.Kernel`).

    Example:
        >>> def arrangement(x, y, size=block_size()):
        ...     return x.tile((size,)), y.tile((size,))
        >>> def application(x, y):
        ...     y = 2 * x
        >>> double = ninetoothed.make(
        ...     arrangement, application, (Tensor(1), Tensor(1)), outputs=("y",)
        ... )
        >>> double(torch.arange(3.0))
        tensor([0., 2., 4.])
    """
    chosen = options(
        caller,
        kernel_name,
        output_dir,
        num_warps,
        num_stages,
        max_num_configs,
        backend,
        strict,
        tune,
    )
    passes = _bound(pipeline)
    arranged = run_arrangement(arrangement, tensors)
    return _made(Recipe(_made_again, application, chosen, arranged, arrangement, passes, outputs))


def _bound(pipeline: PipelineLike) -> BoundPipeline | None:
    """The passes of ``pipeline=``; mostly none, and nothing of them is loaded."""
    if pipeline is None:
        return None
    from ninetoothed.passes import pass_names
    from ninetoothed.plugins.edited_pipeline import bound

    return bound(pipeline, pass_names())


def _made_again(recipe: Recipe) -> Kernel:
    """Make the kernel of a recipe that another process pickled."""
    if recipe.pipeline is not None:
        from ninetoothed.passes import pass_names

        recipe = replace(recipe, pipeline=recipe.pipeline.again(pass_names()))
    if recipe.arrangement is None:
        return _made(recipe)
    arranged = run_arrangement(recipe.arrangement, recipe.arranged.given)
    return _made(replace(recipe, arranged=arranged))


def _made(recipe: Recipe) -> Kernel:
    """Make the kernel of arranged tensors; its mistakes were reported by another process, or are
    now.
    """
    given, arranged = recipe.options, recipe.arranged
    artifact_store.check_folder()
    found = examine(recipe.application)
    definition = define(
        given.name,
        arranged.tensors,
        recipe.application,
        found.capture,
        arranged.names,
        arranged.decisions,
    )
    parts = [definition.encoded(), given.key]
    if recipe.pipeline is not None:
        definition = replace(definition, pipeline=recipe.pipeline)
        parts.append(recipe.pipeline.key)
    kind = _kind(recipe.outputs)
    key = None if settings.inspects() else found.key(*parts)
    issued = IssuedWarnings()
    record = None if key is None else entries.load(key)
    if record is not None:
        issued.issue(record.warnings)
        compilation = Compilation(definition, given, key, record, issued)
        return kind(given, compilation, recipe)
    _prestart(given)
    from ninetoothed.kernel.compilation import KernelCompiler

    compiler = KernelCompiler(definition, given, issued)
    compiler.check()
    found = compiler.warnings, compiler.has_races, compiler.equal_sizes, compiler.scales
    entry = CacheEntry(*found)
    if key is not None:
        entries.store(key, entry)
    compilation = Compilation(definition, given, key, entry, issued, compiler)
    return kind(given, compilation, recipe)


def _kind(given: OutputsLike) -> type[Kernel]:
    """The class of the kernel: with or without outputs that it allocates."""
    if given is None:
        return Kernel
    from ninetoothed.kernel.allocating_kernel import AllocatingKernel

    return AllocatingKernel


def _prestart(options: Options) -> None:
    """Start a worker that imports the compiler while the frontend runs here."""
    if options.backend != "interpret" and gpu.is_available():
        # Asking for the device would initialize it, which takes its time.
        known = gpu.is_initialized()
        pool.prestart(toolchain.active().active_target() if known else None)


@user_facing
def jit(
    func: Callable[..., object] | None = None,
    *,
    caller: str = "torch",
    kernel_name: str | None = None,
    num_warps: int | Iterable[int] | None = None,
    num_stages: int | Iterable[int] | None = None,
    max_num_configs: int | None = None,
    backend: str | None = None,
    strict: bool = False,
    tune: Literal["off", "quick", "full"] | None = None,
    pipeline: PipelineLike = None,
    outputs: OutputsLike = None,
    _prettify: bool = False,
) -> Any:
    """Make a kernel from an application whose parameters are annotated with arranged tensors.

    A decorator, with or without arguments; they are those of :func:`make`. ``_prettify`` is taken
    and has no effect: ``kernel.source()`` is laid out to be read.

    Raises:
        NineToothedError: an annotation is missing or no tensor, or the application is wrong.

    Args:
        func: The application; None where arguments are given.
        caller: As in :func:`make`, and so are ``kernel_name``, ``num_warps``, ``num_stages``,
            ``max_num_configs``, ``backend``, ``strict``, ``tune``, ``pipeline`` and ``outputs``.

    Example:
        >>> size = block_size()
        >>> @ninetoothed.jit
        ... def double(x: Tensor(1).tile((size,)), y: Tensor(1).tile((size,))):
        ...     y = 2 * x
        >>> x, y = torch.arange(3.0), torch.empty(3)
        >>> double(x, y)
        >>> y
        tensor([0., 2., 4.])
    """
    given: dict[str, Any] = {
        "caller": caller,
        "kernel_name": kernel_name,
        "num_warps": num_warps,
        "num_stages": num_stages,
        "max_num_configs": max_num_configs,
        "backend": backend,
        "strict": strict,
        "tune": tune,
    }
    passes = _bound(pipeline)
    if func is None:
        return functools.partial(_jit, given, passes, outputs)
    return _jit(given, passes, outputs, func)


@user_facing
def _jit(
    given: dict[str, Any],
    passes: BoundPipeline | None,
    outputs: OutputsLike,
    function: Callable[..., object],
) -> Kernel:
    arranged = Arranged(annotated(function), {})
    chosen = options(**given)
    return _made(Recipe(_made_again, function, chosen, arranged, None, passes, outputs))


@user_facing
def build(*args: object, **kwargs: object) -> NoReturn:
    """Refuse to build a library ahead of time, whatever is given; :func:`make` is meant.

    Raises:
        ArgumentError: always; it says what to write instead.

    Example:
        >>> ninetoothed.build()
        Traceback (most recent call last):
        ninetoothed.errors.ArgumentError: ...
    """
    raise ArgumentError(
        "build makes libraries ahead of time, and kernels are compiled at their first calls here; "
        "write arrangement, application, tensors = premake(…) and ninetoothed.make(arrangement, "
        "application, tensors), which keeps what it compiles in ninetoothed.generation.CACHE_DIR"
    )
