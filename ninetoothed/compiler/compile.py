"""Compilation driver: frontend, pass pipeline and emitter put together."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact, Packing
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.backend.device_function import device_function, packed_parameters
from ninetoothed.backend.emit import emit
from ninetoothed.compiler.dumps import dump_to
from ninetoothed.compiler.optimizations import options_of, outside_options
from ninetoothed.compiler.packing import COPY_CONFIG, Copied, copy_module, copy_steps
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import NineToothedError, collect_warnings
from ninetoothed.frontend.build import build_arrangement, build_module
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.dialects import context
from ninetoothed.ir.nt import collect_remarks, kernel_of
from ninetoothed.ir.printing import text_of
from ninetoothed.passes.pipeline import (
    ANNOTATED,
    SPECIALIZED,
    SYMBOLIC,
    Observer,
    Options,
    Stages,
    Step,
    run,
    steps,
)
from ninetoothed.plugins.edited_pipeline import BoundPipeline


def build(
    definition: Definition,
    signature: Signature,
    observers: Sequence[Observer] = (),
    config: Config | None = None,
    remarks: bool = False,
) -> ModuleOp:
    """Build the kernel's module in stage ``composed``: all that does not depend on a configuration.

    An application may be specialized on a block size: then the module is for ``config`` and those
    that :func:`serves` accepts. Without one, block sizes are their least. ``remarks``: passes leave
    theirs, those of :func:`lower` too.

    Raises:
        NineToothedError: the arrangement or the application is wrong; at its place.
    """
    try:
        blocks = {} if config is None else dict(config.values)
        module = build_module(definition, signature, blocks)
    except NineToothedError:
        # The mistake may be the arrangement's: report that first.
        with collect_warnings():
            run(context(), build_arrangement(definition, signature), steps(SYMBOLIC)[:1])
        raise
    if remarks:
        collect_remarks(module)
    # Observers see the verdicts.
    is_observed = bool(observers) or settings.dump_ir() is not None
    stages = ANNOTATED if is_observed else SYMBOLIC
    pipeline = symbolic_steps(signature, stages, definition.pipeline)
    observers = (*observers, *_dump(definition.name, pipeline))
    for observe in observers:
        observe("frontend", module)
    run(context(), module, pipeline, observers, settings.verify_ir())
    return module


def symbolic_steps(
    signature: Signature, stages: Stages = ANNOTATED, pipeline: BoundPipeline | None = None
) -> list[Step]:
    """The steps to stage ``composed`` for a signature; ``pipeline``: the definition's."""
    rule = {"agreement": signature.agreement}
    options: Options = {
        **outside_options(pipeline),
        "nt-check-arrangement": {**rule, "index_bits": signature.index_bits},
        "nt-number-programs": rule,
    }
    return steps(stages, options, pipeline)


def serves(module: ModuleOp, config: Config) -> bool:
    """True if ``module`` is valid for a configuration (see :func:`build`)."""
    values = dict(config.values)
    specialized = kernel_of(module).specialized
    return all(values.get(name, built) == built for name, built in specialized.items())


def pass_options(
    module: ModuleOp,
    signature: Signature,
    config: Config,
    target: Target | None = None,
    full: bool = False,
    pipeline: BoundPipeline | None = None,
) -> Options:
    """Options of the passes for one signature, configuration and target; ``full``: for the calls in
    which all guards hold; ``pipeline``: with passes of other packages.
    """
    kernel = kernel_of(module)
    values = dict(signature.constants) | dict(config.values)
    divisors: dict[str, int] = {}
    aligned: list[str] = []
    indivisible: list[str] = []
    for param, source in zip(signature.params, kernel.sources, strict=True):
        if param.aligned:
            aligned.append(param.name)
        strides = [
            1 if unit else 0 if dim in param.expanded else None
            for dim, unit in enumerate(param.unit_strides)
        ]
        rows = (
            (source.decl.strides, param.stride_divisors, strides),
            (source.decl.sizes, param.size_divisors, [None] * param.ndim),
        )
        for exprs, told, known in rows:
            for expr, divisor, value in zip(exprs, told, known, strict=True):
                if expr.op != "sym":
                    continue
                if value is not None:
                    values[expr.args[0]] = value
                    continue
                if divisor > 1:
                    # Several tensors may have one size.
                    divisors[expr.args[0]] = max(divisor, divisors.get(expr.args[0], 1))
                if divisor < 16 and exprs is source.decl.sizes:
                    indivisible.append(expr.args[0])
    named = {"target": "" if target is None else str(target)}
    found: Options = {
        "nt-specialize": {
            "values": tuple(f"{name}={value}" for name, value in values.items()),
            "divisors": tuple(f"{name}={divisor}" for name, divisor in divisors.items()),
            "indivisible": tuple(dict.fromkeys(indivisible)),
            "aligned": tuple(aligned),
            "contiguous": tuple(
                f"{param.name}={param.contiguous}"
                for param in signature.params
                if param.contiguous is not None
            ),
            "equal": tuple(f"{one}={two}" for one, two in signature.equal),
            "padded_sizes": tuple(padded_size for _, padded_size in signature.padded_sizes),
            "index_bits": signature.index_bits,
        },
        "nt-pack-operands": {"equal": tuple(f"{one}={two}" for one, two in signature.equal)},
        "nt-sink-scales": {
            "moderate": tuple(param.name for param in signature.params if param.moderate)
        },
        "nt-split-reductions": {"num_warps": config.num_warps},
        "nt-hoist-loads": {"num_warps": config.num_warps},
        "nt-fold-guards": {
            "full": full,
            "index_bits": signature.index_bits,
        },
        "nt-split-loops": {"index_bits": signature.index_bits},
        "nt-use-descriptors": {"index_bits": signature.index_bits},
        "nt-lower-accesses": {"index_bits": signature.index_bits},
        "nt-fit-target": named,
        "nt-lower-to-tt": named,
    }
    for name, fields in options_of(config.choices, pipeline).items():
        found[name] = found.get(name, {}) | fields
    return found


def lower(
    module: ModuleOp,
    signature: Signature,
    config: Config,
    observers: Sequence[Observer] = (),
    target: Target | None = None,
    full: bool = False,
    pipeline: BoundPipeline | None = None,
) -> ModuleOp:
    """Lower a copy of a module in stage ``composed`` to stage ``tt`` for one configuration.

    ``target``: None for the CPU, where the module is interpreted. ``full``: for the calls in which
    all guards hold. ``pipeline``: the definition's.

    Raises:
        NineToothedError: the kernel is wrong for this configuration.
    """
    kernel = kernel_of(module)
    lowered = module.clone()
    options = pass_options(module, signature, config, target, full, pipeline)
    row = steps(SPECIALIZED, options, pipeline)
    start = len(steps(ANNOTATED, pipeline=pipeline)) + 1
    dumped = _dump(kernel.sym_name.data, row, config, target, full, start)
    observers = (*observers, *dumped)
    run(context(), lowered, row, observers, settings.verify_ir())
    return lowered


def compile_kernel(
    module: ModuleOp,
    signature: Signature,
    config: Config,
    target: Target,
    language: Language,
    full: bool = False,
    pipeline: BoundPipeline | None = None,
) -> Artifact:
    """Compile a module in stage ``composed`` for one configuration and target; ``full``: for the
    calls in which all guards hold, which the other artifact tells; ``pipeline``: the definition's.
    """
    lowered = lower(module, signature, config, target=target, full=full, pipeline=pipeline)
    function = device_function(lowered)
    prologue: list[Packing] = []
    for packed in packed_parameters(function):
        copied = Copied.of(packed, function)
        # All configurations have the same; what is to be dumped is made anew.
        make = _copy if settings.dump_ir() is None else _copy.__wrapped__
        copy = make(copied, signature.index_bits, target, language)
        prologue.append(Packing(packed.decl.name, packed.places, copy))
    return emit(lowered, language, target, config, full, tuple(prologue))


@functools.lru_cache(maxsize=64)
def _copy(copied: Copied, index_bits: int, target: Target, language: Language) -> Artifact:
    """Compile the kernel that makes a packed copy."""
    module = copy_module(copied)
    row = copy_steps(index_bits, target)
    observers = _dump(kernel_of(module).sym_name.data, row, COPY_CONFIG, target)
    run(context(), module, row, observers, settings.verify_ir())
    return emit(module, language, target, COPY_CONFIG)


def fingerprint(module: ModuleOp) -> str:
    """Digest of a module with its locations."""
    text = text_of(module, debug_info=True, local_scope=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _dump(
    kernel: str,
    pipeline: Sequence[Step],
    config: Config | None = None,
    target: Target | None = None,
    full: bool = False,
    start: int = 0,
) -> list[Observer]:
    """Observer that writes each module to ``NINETOOTHED_DUMP_IR``; none where that is unset.

    The files of a kernel lie in a folder of its name, those of each configuration in a folder
    below, and those for calls in which all guards hold in ``full`` there. Those that serve all
    configurations go on to stage ``composed``. ``start``: the number of the first one.
    """
    folder = settings.dump_ir()
    if folder is None:
        return []
    folder /= kernel
    if config is None:
        return [dump_to(folder, start, pipeline)]
    if config.values:
        values = [*(value for _, value in config.values), config.num_warps, config.num_stages]
        choices = [f"{name}={value}" for name, value in config.choices]
        folder /= "-".join(map(str, [*values, *choices]))
    if full:
        folder /= "full"
    arch = None if target is None else target.arch
    others = Continuation(arch=arch, num_warps=config.num_warps, num_stages=config.num_stages)
    # The first module of all is the symbolic pipeline's result, which is written above.
    return [dump_to(folder, start, pipeline[1:], others)]
