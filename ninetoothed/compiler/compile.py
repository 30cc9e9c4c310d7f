"""Compilation driver: frontend, pass pipeline and emitter put together."""

from __future__ import annotations

import functools
import hashlib
import io
import re
from collections.abc import Sequence
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.math import Math
from xdsl.printer import Printer

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Language, Target
from ninetoothed.backend.emit import emit
from ninetoothed.cache.atomic import write_atomically
from ninetoothed.compiler.optimizations import options_of
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import NineToothedError, collect_warnings
from ninetoothed.frontend.build import build_arrangement, build_module
from ninetoothed.ir.nt import NT, collect_remarks, kernel_of
from ninetoothed.ir.scf import SCF
from ninetoothed.ir.tt import BLOCK_ARITH, TT
from ninetoothed.passes.pipeline import (
    ANNOTATED,
    SPECIALIZED,
    SYMBOLIC,
    Observer,
    Options,
    run,
    steps,
)


@functools.cache
def context() -> Context:
    """xDSL context with the dialects of the compiler. It is only read, so threads share it."""
    ctx = Context()
    for dialect in (Builtin, SCF, Math, BLOCK_ARITH, NT, TT):
        ctx.load_dialect(dialect)
    return ctx


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
    observers = (*observers, *_dump(definition.name))
    for observe in observers:
        observe("frontend", module)
    # Observers see the verdicts.
    rule = {"agreement": signature.agreement}
    options = {
        "nt-check-arrangement": {**rule, "index_bits": signature.index_bits},
        "nt-number-programs": rule,
    }
    pipeline = steps(ANNOTATED if observers else SYMBOLIC, options)
    run(context(), module, pipeline, observers, settings.verify_ir())
    return module


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
) -> Options:
    """Options of the passes for one signature, configuration and target; ``full``: for the calls in
    which all guards hold.
    """
    kernel = kernel_of(module)
    values = dict(signature.constants) | dict(config.values)
    multiples: list[str] = []
    aligned: list[str] = []
    indivisible: list[str] = []
    for param, source in zip(signature.params, kernel.sources, strict=True):
        if param.pointer_by_16:
            aligned.append(param.name)
        rows = (
            (source.decl.strides, param.strides_by_16, param.unit_strides),
            (source.decl.sizes, param.sizes_by_16, (False,) * param.ndim),
        )
        for exprs, by_16, units in rows:
            for expr, divisible, unit in zip(exprs, by_16, units, strict=True):
                if expr.op != "sym":
                    continue
                if unit:
                    values[expr.args[0]] = 1
                elif divisible:
                    multiples.append(expr.args[0])
                elif exprs is source.decl.sizes:
                    indivisible.append(expr.args[0])
    named = {"target": "" if target is None else str(target)}
    found: Options = {
        "nt-specialize": {
            "values": tuple(f"{name}={value}" for name, value in values.items()),
            "multiples": tuple(dict.fromkeys(multiples)),
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
        "nt-hoist-loads": {"num_warps": config.num_warps},
        "nt-fold-guards": {
            "full": full,
            "index_bits": signature.index_bits,
        },
        "nt-lower-accesses": {"index_bits": signature.index_bits},
        "nt-fit-target": named,
        "nt-lower-to-tt": named,
    }
    for name, fields in options_of(config.choices).items():
        found[name] = found.get(name, {}) | fields
    return found


def lower(
    module: ModuleOp,
    signature: Signature,
    config: Config,
    observers: Sequence[Observer] = (),
    target: Target | None = None,
    full: bool = False,
) -> ModuleOp:
    """Lower a copy of a module in stage ``composed`` to stage ``tt`` for one configuration.

    ``target``: None for the CPU, where the module is interpreted. ``full``: for the calls in which
    all guards hold.

    Raises:
        NineToothedError: the kernel is wrong for this configuration.
    """
    kernel = kernel_of(module)
    lowered = module.clone()
    observers = (*observers, *_dump(kernel.sym_name.data, config, len(steps(ANNOTATED)) + 1, full))
    pipeline = steps(SPECIALIZED, pass_options(module, signature, config, target, full))
    run(context(), lowered, pipeline, observers, settings.verify_ir())
    return lowered


def compile_kernel(
    module: ModuleOp,
    signature: Signature,
    config: Config,
    target: Target,
    language: Language,
    full: bool = False,
) -> Artifact:
    """Compile a module in stage ``composed`` for one configuration and target; ``full``: for the
    calls in which all guards hold, which the other artifact tells.
    """
    lowered = lower(module, signature, config, target=target, full=full)
    return emit(lowered, language, target, config, full)


def fingerprint(module: ModuleOp) -> str:
    """Digest of a module with its locations."""
    text = io.StringIO()
    Printer(text, print_debuginfo=True).print_op(module)
    return hashlib.sha256(text.getvalue().encode()).hexdigest()


def _dump(
    kernel: str, config: Config | None = None, start: int = 0, full: bool = False
) -> list[Observer]:
    """Observer that writes each module to ``NINETOOTHED_DUMP_IR``; none where that is unset.

    The files of a kernel lie in a folder of its name, those of each configuration in a folder
    below, and those for calls in which all guards hold in ``full`` there.
    """
    folder = settings.dump_ir()
    if folder is None:
        return []
    folder /= kernel
    if config is not None and config.values:
        values = [*(value for _, value in config.values), config.num_warps, config.num_stages]
        choices = [f"{name}={value}" for name, value in config.choices]
        folder /= "-".join(map(str, [*values, *choices]))
    if full:
        folder /= "full"
    return [dump_to(folder, start)]


def dump_to(folder: Path, start: int = 0) -> Observer:
    """Observer that writes modules to ``folder``, as ``03-nt-pad-blocks.mlir``, counting from
    ``start``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = start

    def observe(name: str, module: ModuleOp) -> None:
        nonlocal count
        path = folder / f"{count:02d}-{re.sub(r'[^a-z0-9-]', '-', name)}.mlir"
        write_atomically(path, f"{module!s}\n")
        count += 1

    return observe
