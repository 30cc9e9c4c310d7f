"""Kernels: made from two functions, called with tensors.

``make`` and ``jit`` run the arrangement; a :class:`Kernel` binds a call's arguments to a signature
and hands both to the interpreter (CPU tensors) or to the runtime (GPU tensors).
"""

from __future__ import annotations

import ast
import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from keyword import iskeyword
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed import config as settings
from ninetoothed.arguments import Arguments, bind, number_class
from ninetoothed.artifact import Artifact, Config, Signature, Target
from ninetoothed.assumptions import (
    assumed_signature,
    check_application,
    describe_assumptions,
    pick,
)
from ninetoothed.backend.emit import Language
from ninetoothed.compiler import build, compile_kernel, fingerprint, lower, serves
from ninetoothed.configurations import configurations, interpreted_values
from ninetoothed.errors import (
    ArgumentError,
    ArrangementError,
    DeviceError,
    NineToothedError,
    UndefinedNameError,
    caller_loc,
    user_facing,
    user_traceback,
)
from ninetoothed.frontend.definition import Definition, define, run_arrangement
from ninetoothed.frontend.source import FunctionSource, function_source
from ninetoothed.interpreters import interpret
from ninetoothed.ir.nt import KernelOp
from ninetoothed.ir.stages import STAGES
from ninetoothed.overlaps import apart, narrowed
from ninetoothed.passes.analysis.writes import writes
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, steps
from ninetoothed.runtime import triton_compat
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.runtime.repeated import Repeated
from ninetoothed.tensor import Tensor
from ninetoothed.validation import validate
from ninetoothed.verify import Report, check_outputs, check_races, report
from ninetoothed.version import __version__

BACKENDS = ("ttir", "triton-python", "interpret")
_DEFAULT_TARGET = "sm_90"


class _Built:
    """What is the same for every call of one signature."""

    def __init__(self, definition: Definition, signature: Signature) -> None:
        self.module = build(definition, signature)
        self.signature = signature
        self._definition = definition
        self._modules = [self.module]
        self._fingerprints: dict[ModuleOp, str] = {}
        self._interpreted: dict[int, dict[str, int]] = {}

    @cached_property
    def written(self) -> frozenset[str]:
        """The parameters that may be written to."""
        (kernel,) = self.module.body.ops
        assert isinstance(kernel, KernelOp)
        names = [param.name for param in self.signature.params]
        if any(decl.decided is not None for decl in kernel.declarations):
            # Other block sizes may have other stores.
            return frozenset(names)
        return frozenset(names[write.param] for write in writes(kernel))

    def serving(self, config: Config) -> ModuleOp:
        """The module of a configuration: the one of all, unless block sizes decide something."""
        for module in self._modules:
            if serves(module, config):
                return module
        module = build(self._definition, self.signature, config=config)
        self._modules.append(module)
        return module

    def fingerprint(self, config: Config) -> str:
        """The digest of the configuration's module, which its cache key holds."""
        module = self.serving(config)
        if module not in self._fingerprints:
            self._fingerprints[module] = fingerprint(module)
        return self._fingerprints[module]

    def interpreted(self, lanes: int) -> dict[str, int]:
        """The block sizes for evaluation, ``lanes`` at once."""
        found = self._interpreted.get(lanes)
        if found is None:
            found = interpreted_values(self.module, self.signature, lanes)
            self._interpreted[lanes] = found
        return found


class Kernel:
    """A kernel: call it with tensors, ask it for its IR and its source.

    ``kernel(*tensors, **constexprs)`` launches it: the tensors in the application's order or by its
    parameters' names, one that was arranged in several ways once or each time, then the values of
    ``constexpr=True`` symbols by name. CUDA and HIP tensors:
    compiled by Triton, on the current stream. CPU tensors: evaluated here.
    """

    def __init__(
        self,
        definition: Definition,
        backend: str | None = None,
        num_warps: Sequence[int] | None = None,
        num_stages: Sequence[int] | None = None,
        max_num_configs: int | None = None,
        strict: bool = False,
    ) -> None:
        self._definition = definition
        self._backend = backend
        self._num_warps = num_warps
        self._num_stages = num_stages
        self._max_num_configs = max_num_configs
        self._strict = strict
        self._races_checked = False
        self._built: dict[Signature, _Built] = {}
        self._lock = threading.Lock()
        self._language: Language = (
            backend if backend == "ttir" or backend == "triton-python" else settings.backend()
        )
        self._dispatcher = Dispatcher(
            definition.name, self._compile, self._configurations, self._cache_key
        )
        self._repeated = Repeated(
            [
                None if parameter.kind == "tensor" else functools.partial(number_class, parameter)
                for parameter in definition.parameters
            ]
        )

    @property
    def __name__(self) -> str:
        return self._definition.name

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self._definition.parameters)
        return f"<kernel {self._definition.name}({names})>"

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Launch the kernel.

        Raises:
            ArgumentError: arguments that are missing, too many, or do not fit.
            DeviceError: the tensors' devices differ, or nothing can run on theirs.
            ConfigurationError: no configuration runs on the device.
            NineToothedError: the application is wrong for these element types.
        """
        if self._repeated.launch(args, kwargs):
            return
        try:
            arguments = self._bind(args, kwargs)
            if arguments.device == "cpu" and self._backend in (None, "interpret"):
                self._interpret(arguments)
            elif arguments.device == "cpu" or self._backend == "interpret":
                raise self._misplaced(arguments.device)
            else:
                self._launch(args, kwargs, arguments)
        except NineToothedError as error:
            if error.loc is None:
                error.loc = caller_loc()
            raise error.with_traceback(user_traceback(error)) from None

    def _launch(self, args: Sequence[Any], kwargs: Mapping[str, Any], arguments: Arguments) -> None:
        signature = arguments.signature
        launched = self._dispatcher.launch(signature, arguments.values)
        if launched is None or self._definition.repeats:
            return
        # Calls whose arguments share memory are told apart by pointers.
        if signature == apart(signature):
            self._repeated.keep(args, kwargs, arguments.values, launched)

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
        """The call; that arguments share memory matters only where it is written."""
        arguments = bind(self._definition, args, kwargs)
        plain = apart(arguments.signature)
        if plain == arguments.signature:
            return arguments
        written = self._variant(plain).written
        return replace(arguments, signature=narrowed(arguments.signature, written))

    def _misplaced(self, device: str) -> DeviceError:
        needs, move = ("GPU", "cuda") if device == "cpu" else ("CPU", "cpu")
        return DeviceError(
            f"the tensors are on {device}, and backend={self._backend!r} takes {needs} tensors; "
            "move them "
            f"with .{move}(), or leave backend out"
        )

    def _interpret(self, arguments: Arguments) -> None:
        signature = arguments.signature
        built = self._variant(signature)
        _check_data(built.module, arguments)
        chosen = built.interpreted(settings.interpret_lanes())
        module = built.serving(Config(tuple(chosen.items())))
        interpret(module, arguments.values, {**dict(signature.constants), **chosen})

    def composed(self, signature: Signature, config: Config | None = None) -> ModuleOp:
        """The module in stage ``composed``, of a configuration where it matters."""
        variant = self._variant(signature)
        return variant.module if config is None else variant.serving(config)

    def _variant(self, signature: Signature) -> _Built:
        found = self._built.get(signature)
        if found is None:
            built = _Built(self._definition, signature)
            if settings.validate():
                config = configurations(built.module, signature, self._num_warps)[0]
                validate(self._definition, signature, config)
            self.check_races(built.module)
            check_outputs(self._definition, built.module, signature)
            with self._lock:
                found = self._built.setdefault(signature, built)
        return found

    def check_races(self, module: ModuleOp) -> None:
        """Warn of programs that write one element, once: it does not depend on element types.

        Raises:
            RaceError: there are such, and the kernel is strict.
        """
        if not self._races_checked:
            self._races_checked = True
            check_races(self._definition, module, self._strict or settings.strict())

    def _compile(self, signature: Signature, config: Config, target: Target) -> Artifact:
        module = self.composed(signature, config)
        return compile_kernel(module, signature, config, target, self._language)

    def _configurations(self, signature: Signature) -> list[Config]:
        return configurations(
            self.composed(signature),
            signature,
            self._num_warps,
            self._num_stages,
            self._max_num_configs,
        )

    def _cache_key(self, signature: Signature, config: Config, target: Target) -> str:
        versions = f"{__version__} {triton_compat.version()}"
        module = self._variant(signature).fingerprint(config)
        return f"{module} {signature} {config} {target} {self._language} {versions}"

    @user_facing
    def ir(
        self,
        stage: str = "tt",
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> str:
        """The IR's text in a stage, ``"arranged"`` to ``"tt"`` (see ``ninetoothed.ir.stages``).

        What no call has fixed is assumed, and a comment says so: element types are fp32, block
        sizes those of the first configuration. ``dtypes`` and ``values`` give them by name of
        parameter and of symbol. Each parameter says what is proved of it (``annotate_verdicts``).

        Raises:
            ArgumentError: there is no such stage, parameter or symbol, or a constexpr has no value.
        """
        if stage not in STAGES:
            raise ArgumentError(f"there is no stage {stage!r}; stages are {', '.join(STAGES)}")
        signature = assumed_signature(self._definition, dtypes or {}, values or {})
        texts: dict[str, str] = {}
        signature, config = self._stages(signature, dict(values or {}), texts)
        note = describe_assumptions(self._definition, signature, config, dtypes or {})
        return f"{note}{texts[stage]}\n"

    def _stages(
        self, signature: Signature, values: Mapping[str, Any], texts: dict[str, str]
    ) -> tuple[Signature, Config]:
        """Run the whole road; the text of each stage goes to ``texts``."""
        reached = [step.stage for step in (*steps(ANNOTATED), *steps(SPECIALIZED))]

        def observe(name: str, module: ModuleOp) -> None:
            # The frontend is observed too, before the first pass.
            stage = None if name == "frontend" else reached.pop(0)
            if stage is not None:
                texts[stage] = str(module)

        module = build(self._definition, signature)
        signature, config = pick(self._definition, module, signature, values, self._num_warps)
        module = build(self._definition, signature, [observe], config)
        lower(module, signature, config, [observe])
        return signature, config

    @user_facing
    def source(
        self,
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        language: Language = "triton-python",
        target: str = _DEFAULT_TARGET,
    ) -> str:
        """The generated Triton-Python, or the TTIR (``language="ttir"``); assumptions as in
        :meth:`ir`.

        Raises:
            ArgumentError: there is no such language, parameter or symbol, or a constexpr has no
                value.
        """
        if language not in BACKENDS[:2]:
            raise ArgumentError(
                f"there is no language {language!r}; write {BACKENDS[0]!r} or {BACKENDS[1]!r}"
            )
        signature = assumed_signature(self._definition, dtypes or {}, values or {})
        module = self.composed(signature)
        values = values or {}
        rounded, config = pick(self._definition, module, signature, values, self._num_warps)
        module = self.composed(signature, config)
        return compile_kernel(module, rounded, config, Target.parse(target), language).text

    @user_facing
    def report(
        self, dtypes: Mapping[str, Any] | None = None, values: Mapping[str, Any] | None = None
    ) -> Report:
        """What is proved of the kernel for all sizes (see ``ninetoothed.verify``).

        Assumptions as in :meth:`ir`.

        Raises:
            ArgumentError: there is no such parameter or symbol, or a constexpr has no value.
        """
        return report(self._definition, dtypes or {}, values or {})

    @property
    @user_facing
    def configs(self) -> list[Config]:
        """The configurations that would be tried for fp32 tensors, the best guess first."""
        return self._configurations(assumed_signature(self._definition, {}, {}))

    @user_facing
    def best_config(self, *args: Any, **kwargs: Any) -> Config | None:
        """The configuration chosen for calls like this one, or None where none was launched yet."""
        return self._dispatcher.best(self._bind(args, kwargs).signature)

    @property
    def definition(self) -> Definition:
        """The arranged parameters and the application."""
        return self._definition


def _check_data(module: ModuleOp, arguments: Arguments) -> None:
    """Tensors on the meta device give sizes and no data.

    Raises:
        DeviceError: the application reads or writes one.
    """
    (kernel,) = module.body.ops
    assert isinstance(kernel, KernelOp)
    for param, value, argument in zip(
        arguments.signature.params, arguments.values, kernel.apply.block.args, strict=True
    ):
        if param.kind == "tensor" and value.device.type == "meta" and any(argument.uses):
            raise DeviceError(
                f"{param.name} is on the meta device, which holds no data, and the application "
                "reads or "
                "writes it; pass a tensor with data"
            )


def _numbers(value: int | Iterable[int] | None, name: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    items = tuple(value) if isinstance(value, Iterable) else (value,)
    if not items or any(type(item) is not int or item < 1 for item in items):
        raise ArgumentError(f"{name} must be a positive integer or several, not {value!r}")
    return items


def _warps(value: int | Iterable[int] | None) -> tuple[int, ...] | None:
    items = _numbers(value, "num_warps")
    for item in items or ():
        if item & (item - 1):
            raise ArgumentError(f"num_warps must be a power of two, not {item}; write 4 or 8")
    return items


def _check_options(
    caller: str,
    output_dir: str | None,
    kernel_name: object,
    max_num_configs: int | None,
    backend: str | None,
) -> None:
    """The options of ``make`` that stand by themselves.

    Raises:
        ArgumentError: one has no such value.
    """
    if caller != "torch" or output_dir is not None:
        raise ArgumentError(
            "kernels are built for caller='torch' only, without an output_dir; leave both out"
        )
    if kernel_name is not None and not (
        isinstance(kernel_name, str) and kernel_name.isidentifier() and not iskeyword(kernel_name)
    ):
        raise ArgumentError(f"kernel_name must be a name as Python has them, not {kernel_name!r}")
    if max_num_configs is not None and (type(max_num_configs) is not int or max_num_configs < 1):
        raise ArgumentError(f"max_num_configs must be a positive integer, not {max_num_configs!r}")
    if backend is not None and backend not in BACKENDS:
        raise ArgumentError(f"there is no backend {backend!r}; backends are {', '.join(BACKENDS)}")


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
) -> Kernel:
    """A kernel from an arrangement, an application and symbolic tensors.

    Args:
        arrangement: Takes ``tensors`` and returns them arranged; all outermost shapes must agree.
        application: What one program does with its share of each arranged tensor, in the
            returned order.
        tensors: Symbolic tensors, and anything else that the arrangement takes.
        caller: Who calls the kernel; ``"torch"``.
        kernel_name: The name in generated code; default: the application's.
        output_dir: For ahead-of-time builds, which ``caller="torch"`` is not.
        num_warps: Warps a program: a number, several to tune over, or None for the compiler's
            choice.
        num_stages: Stages of software pipelining, likewise.
        max_num_configs: How many configurations are tried at most; default 24.
        backend: ``"ttir"``, ``"triton-python"`` or ``"interpret"``; None: the best for where
            the tensors are (on a GPU ``NINETOOTHED_BACKEND``, where it is set).
        strict: Programs that write one element are an error, not a warning (also
            ``NINETOOTHED_STRICT=1``).

    Raises:
        NineToothedError: the arrangement or the application is wrong; at its place.
        RaceError: two programs write one element, and ``strict`` is set.

    Warns:
        RaceWarning: two programs write one element of a tensor not declared ``allow_races=True``,
            unless both write the same value.
    """
    _check_options(caller, output_dir, kernel_name, max_num_configs, backend)
    arranged = run_arrangement(arrangement, tensors)
    definition = define(kernel_name, arranged, application)
    kernel = Kernel(
        definition,
        backend,
        _warps(num_warps),
        _numbers(num_stages, "num_stages"),
        max_num_configs,
        strict,
    )
    module = check_application(definition)
    if module is not None:
        kernel.check_races(module)
    return kernel


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
) -> Any:
    """A kernel from an application whose parameters are annotated with arranged tensors.

    A decorator, with or without arguments; they are those of :func:`make`.

    Raises:
        NineToothedError: an annotation is missing or no tensor, or the application is wrong.
    """
    options: dict[str, Any] = {
        "caller": caller,
        "kernel_name": kernel_name,
        "num_warps": num_warps,
        "num_stages": num_stages,
        "max_num_configs": max_num_configs,
        "backend": backend,
        "strict": strict,
    }
    if func is None:
        return functools.partial(_jit, options)
    return _jit(options, func)


@user_facing
def _jit(options: dict[str, Any], function: Callable[..., object]) -> Kernel:
    tensors = _annotations(function_source(function, "what jit takes"))
    return make(lambda: tensors, function, (), **options)


def _annotations(source: FunctionSource) -> tuple[Tensor, ...]:
    """The tensors that annotate an application's parameters.

    Raises:
        ArrangementError: a parameter has none.
        UndefinedNameError: an annotation uses a name that does not exist.
    """
    given = source.function.__annotations__
    arguments = source.node.args
    nodes = (*arguments.posonlyargs, *arguments.args)
    found: list[Tensor] = []
    for node in nodes:
        annotation = given.get(node.arg)
        if isinstance(annotation, str) and node.annotation is not None:
            annotation = _evaluated(source, node.annotation)
        if not isinstance(annotation, Tensor):
            raise ArrangementError(
                f"the parameter {node.arg} of {source.node.name} must be annotated with an "
                "arranged tensor, "
                f"as in {node.arg}: Tensor(1).tile((64,))",
                source.place(node),
            )
        found.append(annotation)
    return tuple(found)


def _evaluated(source: FunctionSource, node: ast.expr) -> object:
    """What an annotation that Python keeps as text means where the function is defined."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("ninetoothed"):
        frame = frame.f_back
    scope = {} if frame is None else dict(frame.f_locals)
    # Compiled from the tree of its file, so that errors stand at its place.
    code = compile(ast.Expression(node), source.file, "eval")
    try:
        value = eval(code, source.globals, scope)
        if isinstance(value, str):
            value = eval(value, source.globals, scope)
    except NameError as error:
        raise UndefinedNameError(
            f"an annotation uses {error.name}, and there is no such name; import it first",
            source.place(node),
        ) from None
    return value
