"""What the compiler did for a call: to the kernel that it launches, of its class and its sizes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.calls.arguments import Arguments
from ninetoothed.compiler.remark_report import RemarkReport, remark_report
from ninetoothed.errors import ArgumentError, CheckError
from ninetoothed.kernel.compilation import KernelCompiler
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch.loaded import Host


@dataclass(frozen=True)
class _Launched:
    """What a call launches: its class, its configuration, and whether its guards are left out."""

    signature: Signature
    config: Config
    full: bool


def remarks_on(
    compiler: KernelCompiler, arguments: Arguments, config: Config | None
) -> RemarkReport:
    """The passes' remarks on a call (see ``Kernel.remarks``).

    Raises:
        ArgumentError: its sizes do not fit one another, or ``config`` is of another kernel.
    """
    target = Target.parse(DEFAULT_TARGET)
    found = _launched(compiler, arguments, config, target)
    return remark_report(compiler.definition, found.signature, found.config, target, found.full)


def write_page(
    path: str | os.PathLike[str],
    compiler: KernelCompiler,
    arguments: Arguments,
    config: Config | None,
) -> None:
    """Write the page of what a call launches (see ``Kernel.view``).

    Raises:
        ArgumentError: as :func:`remarks_on`.
        OSError: the file cannot be written.
    """
    from ninetoothed.cache.atomic import write_atomically
    from ninetoothed.view.collection import collect
    from ninetoothed.view.page import page

    on_cpu = arguments.place.kind == "cpu"
    target = Target.parse(DEFAULT_TARGET) if on_cpu else toolchain.active().active_target()
    found = _launched(compiler, arguments, config, target)
    compilation = collect(compiler.definition, found.signature, found.config, target, found.full)
    write_atomically(Path(path), page(compilation))


def _launched(
    compiler: KernelCompiler, arguments: Arguments, config: Config | None, target: Target
) -> _Launched:
    """What a call launches on a target, by ``config`` or the first configuration that fits.

    Raises:
        ArgumentError: its sizes do not fit one another, or ``config`` is of another kernel.
    """
    values, message = arguments.values, ""
    for signature in (arguments.signature, *arguments.signature.laxer):
        space, variant = compiler.space(signature, target), compiler.variant(signature)
        chosen = config
        if chosen is None:
            fitting = (one for one in space.configs if variant.fits(one.values, values))
            chosen = next(fitting, space.configs[0])
        else:
            _check_config(space, chosen)
        language = target.back_end.languages[0]
        host = Host(compiler.artifact(signature, chosen, target, language))
        try:
            host.checked(values)
        except CheckError as error:
            message = error.message
            if variant.may_be_taken_laxer(error, dict(chosen.values), values):
                continue
            break
        return _Launched(signature, chosen, host.is_full(values))
    raise ArgumentError(message)


def _check_config(space: Space, config: Config) -> None:
    """Check that a configuration has the block sizes and choices that a kernel has.

    Raises:
        ArgumentError: it has others.
    """
    known = space.configs[0]
    names, expected = ([name for name, _ in one.values] for one in (config, known))
    choices = {name for one in space.packed for name, _ in one.choices}
    choices |= {name for legal in space.legal for name, _ in legal}
    unknown = [name for name, _ in config.choices if name not in choices]
    if names != expected or unknown:
        raise ArgumentError(
            f"the configuration {config} is not one of this kernel's, as {known} is; take one of "
            "kernel.configs, or what kernel.best_config returned"
        )
