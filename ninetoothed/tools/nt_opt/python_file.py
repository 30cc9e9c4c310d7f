"""Python files as input: their kernels, and how one is compiled."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.compiler.compile import build, pass_options, symbolic_steps
from ninetoothed.compiler.defaults import describe_assumptions, fitted, pick
from ninetoothed.compiler.optimizations import legalities_of
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    ArgumentError,
    NineToothedError,
    UndefinedNameError,
    collect_warnings,
    did_you_mean,
)
from ninetoothed.frontend.build import build_module
from ninetoothed.ir import nt
from ninetoothed.ir.continuation import Continuation
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes.pipeline import SPECIALIZED, Step, steps
from ninetoothed.plugins.edited_pipeline import BoundPipeline
from ninetoothed.tools.nt_opt.command_line import Arguments


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
    signature = _signature(definition, arguments)
    return build_module(definition, signature, {})


@dataclass(frozen=True)
class AssumedCall:
    """A call as the command line says, and as is assumed of what it does not say (``assumed``, a
    comment): its class, its configuration, and its module in stage ``composed``.
    """

    signature: Signature
    config: Config
    composed: ModuleOp
    assumed: str


def assumed_call(definition: Definition, arguments: Arguments) -> AssumedCall:
    """The call of a kernel that the command line speaks of.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    values = dict(_numbers(arguments.set, "--set"))
    choices = dict(_numbers(arguments.choose, "--choose"))
    dtypes = dict(_pairs(arguments.dtype, "--dtype"))
    signature = _signature(definition, arguments)
    composed = build(definition, signature)
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
    assumed = describe_assumptions(definition, signature, config, dtypes)
    return AssumedCall(signature, config, composed, assumed)


def compiled(definition: Definition, arguments: Arguments) -> Compiled:
    """The module before any pass, and its pipeline for one configuration.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    call = assumed_call(definition, arguments)
    signature, config, pipeline = call.signature, call.config, definition.pipeline
    target = None if arguments.arch is None else Target.parse(arguments.arch)
    options = pass_options(call.composed, signature, config, target, pipeline=pipeline)
    arch = None if target is None else target.arch
    return Compiled(
        build_module(definition, signature, dict(config.values)),
        (*symbolic_steps(signature, pipeline=pipeline), *steps(SPECIALIZED, options, pipeline)),
        Continuation(arch=arch, num_warps=config.num_warps, num_stages=config.num_stages),
        call.assumed,
    )


def _signature(definition: Definition, arguments: Arguments) -> Signature:
    """The first default signature that fits the application."""
    values = dict(_numbers(arguments.set, "--set"))
    dtypes = dict(_pairs(arguments.dtype, "--dtype"))

    def built(signature: Signature) -> Signature:
        build_module(definition, signature, {})
        return signature

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


def _numbers(texts: Sequence[str], option: str) -> Iterator[tuple[str, Any]]:
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


def global_names(path: Path) -> dict[str, Any]:
    """Global variables of a Python file, which is run."""
    spec = importlib.util.spec_from_file_location(f"nt_opt_input.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Where a class of the file looks for its own module, as dataclasses do.
    sys.modules[module.__name__] = module
    with _path(path.resolve().parent):
        spec.loader.exec_module(module)
    return vars(module)


@contextmanager
def _path(folder: Path) -> Generator[None]:
    """``sys.path`` with a folder in front, as under ``python file.py``."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def find_kernel(bound: dict[str, Any], name: str | None) -> Kernel:
    """The kernel that ``name``, a name or a call, gives; None: the only one.

    Raises:
        UndefinedNameError: there is none, or several.
        ArgumentError: the call makes none.
    """
    if name is not None and not name.isidentifier():
        return _made(bound, name)
    kernels = kernels_of(bound)
    if not kernels:
        raise UndefinedNameError(
            "the file makes no kernel; bind one with ninetoothed.make or jit, or, where a function "
            "of the file makes it, give the call, as in --kernel 'make_kernel(64)'"
        )
    if name is None:
        distinct = list(dict.fromkeys(kernels.values()))
        if len(distinct) == 1:
            return distinct[0]
        raise UndefinedNameError(
            f"the file has several kernels; choose with --kernel: {', '.join(kernels)}"
        )
    for key, kernel in kernels.items():
        if name in (key, kernel.definition.name):
            return kernel
    near = did_you_mean(name, kernels) or f"the file has {', '.join(kernels)}"
    raise UndefinedNameError(f"there is no kernel {name}; {near}")


def kernels_of(bound: dict[str, Any]) -> dict[str, Kernel]:
    """The kernels among global variables."""
    return {key: value for key, value in bound.items() if isinstance(value, Kernel)}


def _made(bound: dict[str, Any], call: str) -> Kernel:
    """The kernel that a call of a function of the file makes."""
    try:
        kernel = eval(call, dict(bound))
    except NineToothedError:
        raise
    except Exception as error:
        raise ArgumentError(f"--kernel {call}: {type(error).__name__}: {error}") from error
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"--kernel {call} is {kernel!r}; give a kernel, or what makes one")
    return kernel
