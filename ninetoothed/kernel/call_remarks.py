"""Remarks on a call: those on the kernel that it launches, of its class and its sizes."""

from __future__ import annotations

from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.calls.arguments import Arguments
from ninetoothed.compiler.remark_report import RemarkReport, remark_report
from ninetoothed.errors import ArgumentError, CheckError
from ninetoothed.kernel.compilation import KernelCompiler
from ninetoothed.runtime.launch.loaded import Host


def remarks_on(
    compiler: KernelCompiler, arguments: Arguments, config: Config | None
) -> RemarkReport:
    """The passes' remarks on a call (see ``Kernel.remarks``).

    Raises:
        ArgumentError: its sizes do not fit one another, or ``config`` is of another kernel.
    """
    target, values = Target.parse(DEFAULT_TARGET), arguments.values
    message = ""
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
        full = host.is_full(values)
        return remark_report(compiler.definition, signature, chosen, target, full)
    raise ArgumentError(message)


def _check_config(space: Space, config: Config) -> None:
    """Check that a configuration has the block sizes and choices that a kernel has.

    Raises:
        ArgumentError: it has others.
    """
    known = space.configs[0]
    names, expected = ([name for name, _ in one.values] for one in (config, known))
    choices = {name for legal in space.legal for name, _ in legal}
    unknown = [name for name, _ in config.choices if name not in choices]
    if names != expected or unknown:
        raise ArgumentError(
            f"the configuration {config} is not one of this kernel's, as {known} is; take one of "
            "kernel.configs, or what kernel.best_config returned"
        )
