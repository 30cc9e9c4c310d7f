"""Kernels of Python files on their way into the pipeline: assumed types, a configuration, and the
steps with their options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.compiler.compile import build, pass_options, symbolic_steps
from ninetoothed.compiler.defaults import describe_assumptions, fitted, pick
from ninetoothed.compiler.optimizations import legalities_of, table_of
from ninetoothed.compiler.space import space
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    ArgumentError,
    any_of,
    collect_warnings,
    did_you_mean,
)
from ninetoothed.frontend.build import build_module
from ninetoothed.ir import nt
from ninetoothed.ir.continuation import Continuation
from ninetoothed.passes import find_pass
from ninetoothed.passes.pipeline import SPECIALIZED, Step, steps
from ninetoothed.plugins.edited_pipeline import BoundPipeline
from ninetoothed.tools.nt_opt.command_line import Arguments

_Built = TypeVar("_Built")


@dataclass(frozen=True)
class Compiled:
    """The frontend's module of a kernel, and how it goes on: the ``pipeline``, ``settings`` for
    what it does not say, and ``assumed``, a comment on what no call has fixed.
    """

    module: ModuleOp
    pipeline: tuple[Step, ...]
    settings: Continuation
    assumed: str


def frontend_module(definition: Definition, arguments: Arguments) -> ModuleOp:
    """The module before any pass, without a configuration."""
    return _fitted(definition, arguments, lambda it: build_module(definition, it, {}))


def composed_module(definition: Definition, arguments: Arguments) -> tuple[Signature, ModuleOp]:
    """The first default signature that fits the application, and its module in stage ``composed``.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    return _fitted(definition, arguments, lambda it: (it, build(definition, it)))


@dataclass(frozen=True)
class ConfiguredCall:
    """A call as the command line says it, and ``assumed``, a comment on what it does not say: its
    class, its configuration, and the module in stage ``composed``.
    """

    signature: Signature
    config: Config
    composed: ModuleOp
    assumed: str


def configured_call(
    definition: Definition, arguments: Arguments, call: Signature | None = None
) -> ConfiguredCall:
    """The call that the command line speaks of. ``call``: its signature; without one it is assumed.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    values = dict(numbers(arguments.set, "--set"))
    choices = dict(numbers(arguments.choose, "--choose"))
    dtypes = dict(_pairs(arguments.dtype, "--dtype"))
    if call is None:
        signature, composed = composed_module(definition, arguments)
    else:
        signature, composed = call, build(definition, call)
    num_warps = None if arguments.num_warps is None else (arguments.num_warps,)
    signature, config = pick(definition, composed, signature, values, num_warps)
    if arguments.num_stages is not None:
        config = replace(config, num_stages=arguments.num_stages)
    known = _names(signature, config)
    for name in values:
        if name not in known:
            near = did_you_mean(name, known) or f"symbols are {', '.join(known) or 'none'}"
            raise ArgumentError(f"--set: there is no symbol {name}; {near}")
    for name, value in choices.items():
        config = config.choosing(_choice(composed, name, definition.pipeline), value)
    if choices:
        found = space(composed, signature, num_warps, pipeline=definition.pipeline)
        _check_choices(found, config, definition.pipeline)
    assumed = describe_assumptions(definition, signature, config, dtypes)
    return ConfiguredCall(signature, config, composed, assumed)


def compiled(
    definition: Definition, arguments: Arguments, call: Signature | None = None
) -> Compiled:
    """The module before any pass, and its pipeline for one configuration. ``call``: the signature;
    without one it is assumed.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    found = configured_call(definition, arguments, call)
    signature, config, pipeline = found.signature, found.config, definition.pipeline
    target = None if arguments.arch is None else Target.parse(arguments.arch)
    options = pass_options(found.composed, signature, config, target, pipeline=pipeline)
    arch = None if target is None else target.arch
    return Compiled(
        build_module(definition, signature, dict(config.values)),
        (*symbolic_steps(signature, pipeline=pipeline), *steps(SPECIALIZED, options, pipeline)),
        Continuation(arch=arch, num_warps=config.num_warps, num_stages=config.num_stages),
        found.assumed,
    )


def _fitted(
    definition: Definition, arguments: Arguments, built: Callable[[Signature], _Built]
) -> _Built:
    """What ``built`` gives for the first default signature that fits the application."""
    values = dict(numbers(arguments.set, "--set"))
    dtypes = dict(_pairs(arguments.dtype, "--dtype"))
    with collect_warnings():
        return fitted(definition, dtypes, values, built)


def _names(signature: Signature, config: Config) -> list[str]:
    constexprs = [param.name for param in signature.params if param.kind == "constexpr"]
    return [
        *(name for name, _ in config.values),
        *(name for name, _ in signature.constants),
        *constexprs,
    ]


def _pairs(texts: Sequence[str], option: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ArgumentError(f"{option} takes NAME=VALUE, not {text!r}")
        yield name, value


def _choice(composed: ModuleOp, name: str, pipeline: BoundPipeline | None) -> str:
    """Check that a kernel has a choice of this name."""
    names = [known for known, _ in legalities_of(nt.kernel_of(composed), pipeline)]
    if name not in names:
        near = did_you_mean(name, names) or f"its choices are {', '.join(names) or 'none'}"
        raise ArgumentError(f"--choose: this kernel has no choice {name}; {near}")
    return name


def _check_choices(found: Space, config: Config, pipeline: BoundPipeline | None) -> None:
    """Check that values of choices are legal. Nothing is known of block sizes that no call has.

    Raises:
        ArgumentError: one is not.
    """
    if not found.has(config.plain):
        return
    table = {one.name: one for one in table_of(pipeline)}
    others = [dict(other.choices) for other in found.varied(config.plain)]
    for name, value in config.choices:
        default = getattr(find_pass(table[name].pass_name), table[name].option)
        legal = [default, *(row[name] for row in others if name in row)]
        if value not in legal:
            raise ArgumentError(
                f"--choose: {name} is {any_of(list(map(str, legal)))} in this configuration, not "
                f"{value}"
            )


def numbers(texts: Sequence[str], option: str) -> Iterator[tuple[str, Any]]:
    """The names and numbers of an option like ``--set``.

    Raises:
        ArgumentError: one is neither.
    """
    for name, text in _pairs(texts, option):
        yield name, _number(text, option)


def _number(text: str, option: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if text in ("True", "False"):
        return text == "True"
    raise ArgumentError(f"{option} takes numbers, not {text!r}")
