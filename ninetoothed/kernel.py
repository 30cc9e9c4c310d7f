"""Kernels: made from two functions, called with tensors.

``make`` and ``jit`` run the arrangement; a :class:`Kernel` binds a call's arguments to a signature and hands both to
the interpreter (CPU tensors) or to the runtime (GPU tensors).
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

import ninetoothed
from ninetoothed import config as settings
from ninetoothed.arguments import Arguments, bind
from ninetoothed.artifact import Artifact, Config, ParamSignature, Signature, Target
from ninetoothed.compiler import build, compile_kernel, fingerprint, lower
from ninetoothed.configurations import configurations, interpreted_values
from ninetoothed.errors import (
    ArgumentError,
    ArrangementError,
    DeviceError,
    NineToothedError,
    UnsupportedSyntaxError,
    caller_loc,
    user_facing,
    user_traceback,
)
from ninetoothed.frontend.definition import Definition, define, run_arrangement
from ninetoothed.interpreters import interpret
from ninetoothed.ir.stages import STAGES
from ninetoothed.runtime import triton_compat
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.tensor import Tensor

BACKENDS = ("ttir", "triton-python", "interpret")
_ASSUMED_DTYPE = "fp32"
_ASSUMED_EXTENT = 1024
_DEFAULT_TARGET = "sm_90"


class Kernel:
    """A kernel: call it with tensors, ask it for its IR and its source.

    ``kernel(*tensors, **constexprs)`` launches it: the tensors in the application's order or by its parameters'
    names, then the values of ``constexpr=True`` symbols by name. CUDA and HIP tensors: compiled by Triton, on the
    current stream. CPU tensors: evaluated here.
    """

    def __init__(
        self,
        definition: Definition,
        backend: str | None = None,
        num_warps: Sequence[int] | None = None,
        num_stages: Sequence[int] | None = None,
        max_num_configs: int | None = None,
    ) -> None:
        self._definition = definition
        self._backend = backend
        self._num_warps = num_warps
        self._num_stages = num_stages
        self._max_num_configs = max_num_configs
        self._modules: dict[Signature, ModuleOp] = {}
        self._lock = threading.Lock()
        language = "triton-python" if backend == "triton-python" else "ttir"
        self._language = language
        self._dispatcher = Dispatcher(
            definition.name, self._compile, self._configurations, self._cache_key
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
        try:
            arguments = bind(self._definition, args, kwargs)
            if self._backend == "interpret" or arguments.device == "cpu":
                self._interpret(arguments)
            else:
                self._dispatcher.launch(arguments.signature, arguments.values)
        except NineToothedError as error:
            if error.loc is None:
                error.loc = caller_loc()
            raise error.with_traceback(user_traceback(error)) from None

    def _interpret(self, arguments: Arguments) -> None:
        if arguments.device != "cpu":
            raise DeviceError(
                f"the tensors are on {arguments.device}, and backend='interpret' evaluates CPU tensors; "
                "move them with .cpu(), or leave backend out"
            )
        signature = arguments.signature
        module = self._module(signature)
        constants = dict(signature.constants)
        constants.update(interpreted_values(module, signature, settings.interpret_lanes()))
        interpret(module, arguments.values, constants)

    def _module(self, signature: Signature) -> ModuleOp:
        """The module in stage ``composed``, built once a signature."""
        found = self._modules.get(signature)
        if found is None:
            built = build(self._definition, signature)
            with self._lock:
                found = self._modules.setdefault(signature, built)
        return found

    def _compile(self, signature: Signature, config: Config, target: Target) -> Artifact:
        module = self._module(signature)
        return compile_kernel(module, signature, config, target, self._language)

    def _configurations(self, signature: Signature) -> list[Config]:
        return configurations(
            self._module(signature),
            signature,
            self._num_warps,
            self._num_stages,
            self._max_num_configs,
        )

    def _cache_key(self, signature: Signature, config: Config, target: Target) -> str:
        versions = f"{ninetoothed.__version__} {triton_compat.version()}"
        module = fingerprint(self._module(signature))
        return f"{module} {signature} {config} {target} {self._language} {versions}"

    def _assumed(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> Signature:
        """The signature where no call has fixed one: see language's rules in :meth:`ir`."""
        return assumed_signature(self._definition, dtypes, values)

    @user_facing
    def ir(
        self,
        stage: str = "tt",
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> str:
        """The IR's text in a stage, ``"arranged"`` to ``"tt"`` (see ``ninetoothed.ir.stages``).

        What no call has fixed is assumed, and a comment says so: element types are fp32, block sizes those of
        the first configuration. ``dtypes`` and ``values`` give them by name of parameter and of symbol.

        Raises:
            ArgumentError: there is no such stage, parameter or symbol, or a constexpr has no value.
        """
        if stage not in STAGES:
            raise ArgumentError(f"there is no stage {stage!r}; stages are {', '.join(STAGES)}")
        signature = self._assumed(dtypes or {}, values or {})
        texts: dict[str, str] = {}
        chosen = self._stages(signature, dict(values or {}), texts)
        note = describe_assumptions(self._definition, signature, chosen, dtypes or {})
        return f"{note}{texts[stage]}\n"

    def _stages(
        self, signature: Signature, values: Mapping[str, Any], texts: dict[str, str]
    ) -> Config:
        """Run the whole road; the text of each stage goes to ``texts``."""
        from ninetoothed.passes.pipeline import SPECIALIZED, SYMBOLIC

        last = {names[-1]: stage for stage, names in (*SYMBOLIC, *SPECIALIZED)}

        def observe(name: str, module: ModuleOp) -> None:
            if name in last:
                texts[last[name]] = str(module)

        module = build(self._definition, signature, [observe])
        config = pick(self._definition, module, signature, values, self._num_warps)
        lower(module, signature, config, [observe])
        return config

    @user_facing
    def source(
        self,
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        language: str = "triton-python",
        target: str = _DEFAULT_TARGET,
    ) -> str:
        """The generated Triton-Python, or the TTIR (``language="ttir"``); assumptions as in :meth:`ir`.

        Raises:
            ArgumentError: there is no such language, parameter or symbol, or a constexpr has no value.
        """
        if language not in BACKENDS[:2]:
            raise ArgumentError(f"there is no language {language!r}; write {BACKENDS[0]!r} or {BACKENDS[1]!r}")
        signature = self._assumed(dtypes or {}, values or {})
        module = self._module(signature)
        config = pick(self._definition, module, signature, values or {}, self._num_warps)
        return compile_kernel(module, signature, config, Target.parse(target), language).text

    @property
    def configs(self) -> list[Config]:
        """The configurations that would be tried for fp32 tensors, the best guess first."""
        return self._configurations(self._assumed({}, {}))

    @user_facing
    def best_config(self, *args: Any, **kwargs: Any) -> Config | None:
        """The configuration chosen for calls like this one, or None where none was launched yet."""
        return self._dispatcher.best(bind(self._definition, args, kwargs).signature)

    @property
    def definition(self) -> Definition:
        """The arranged parameters and the application."""
        return self._definition


def assumed_signature(
    definition: Definition, dtypes: Mapping[str, Any], values: Mapping[str, Any]
) -> Signature:
    """A signature where no call has fixed one: undeclared element types are fp32, sizes are unknown.

    Raises:
        ArgumentError: a name that the kernel does not have, or a constexpr without a value.
    """
    from ninetoothed.arguments import constant_values, element_type

    names = [parameter.name for parameter in definition.parameters]
    for name in dtypes:
        if name not in names:
            raise ArgumentError(f"there is no parameter {name}; parameters are {', '.join(names)}")
    params = tuple(
        ParamSignature(
            parameter.name,
            parameter.kind,
            element_type(dtypes.get(parameter.name), parameter, _ASSUMED_DTYPE),
            len(parameter.source.shape),
            tuple(dim == len(parameter.source.shape) - 1 for dim in range(len(parameter.source.shape))),
            (False,) * len(parameter.source.shape),
            (False,) * len(parameter.source.shape),
            parameter.kind == "tensor",
            values.get(parameter.name, parameter.source.value) if parameter.kind == "constexpr" else None,
        )
        for parameter in definition.parameters
    )
    constants = constant_values(
        definition, {name: value for name, value in values.items() if name not in names}
    )
    extents = tuple((str(size), _ASSUMED_EXTENT) for size in definition.dynamic)
    return Signature(params, constants, extents)


def describe_assumptions(
    definition: Definition, signature: Signature, config: Config, dtypes: Mapping[str, Any]
) -> str:
    """A comment that says what was assumed."""
    assumed = [
        f"{param.name}: {param.dtype}"
        for param, parameter in zip(signature.params, definition.parameters, strict=True)
        if param.name not in dtypes and parameter.source.dtype is None and param.kind != "constexpr"
    ]
    lines = [f"// element types assumed: {', '.join(assumed)}"] if assumed else []
    if config.values:
        lines.append(f"// configuration: {config}")
    for text, extent in signature.extents:
        lines.append(f"// block size {text} assumed to be rounded up to {extent}")
    return "".join(f"{line}\n" for line in lines)


def pick(
    definition: Definition,
    module: ModuleOp,
    signature: Signature,
    values: Mapping[str, Any],
    num_warps: Sequence[int] | None = None,
) -> Config:
    """The first configuration, with the meta symbols in ``values`` set."""
    first = configurations(module, signature, num_warps)[0]
    chosen = tuple((name, int(values.get(name, value))) for name, value in first.values)
    return Config(chosen, first.num_warps, first.num_stages)


def _numbers(value: int | Iterable[int] | None, name: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    items = (value,) if isinstance(value, int) else tuple(value)
    if not items or any(type(item) is not int or item < 1 for item in items):
        raise ArgumentError(f"{name} must be a positive integer or several, not {value!r}")
    return items


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
) -> Kernel:
    """A kernel from an arrangement, an application and symbolic tensors.

    Args:
        arrangement: Takes ``tensors`` and returns them arranged; all outermost shapes must agree.
        application: What one program does with its share of each arranged tensor, in the returned order.
        tensors: Symbolic tensors, and anything else that the arrangement takes.
        caller: Who calls the kernel; ``"torch"``.
        kernel_name: The name in generated code; default: the application's.
        output_dir: For ahead-of-time builds, which ``caller="torch"`` is not.
        num_warps: Warps a program: a number, several to tune over, or None for the compiler's choice.
        num_stages: Stages of software pipelining, likewise.
        max_num_configs: How many configurations are tried at most; default 24.
        backend: ``"ttir"``, ``"triton-python"`` or ``"interpret"``; None: the best for where the tensors are.

    Raises:
        NineToothedError: the arrangement or the application is wrong; at its place.
    """
    if caller != "torch" or output_dir is not None:
        raise ArgumentError("kernels are built for caller='torch' only, without an output_dir")
    if backend is not None and backend not in BACKENDS:
        raise ArgumentError(f"there is no backend {backend!r}; backends are {', '.join(BACKENDS)}")
    if not callable(arrangement):
        raise ArrangementError(f"the arrangement must be a function, not {arrangement!r}")
    arranged = run_arrangement(arrangement, tuple(tensors))
    definition = define(kernel_name, arranged, application)
    kernel = Kernel(
        definition,
        backend,
        _numbers(num_warps, "num_warps"),
        _numbers(num_stages, "num_stages"),
        max_num_configs,
    )
    _check(kernel)
    return kernel


def _check(kernel: Kernel) -> None:
    """Find what is wrong whatever the call: the application is built once for assumed types."""
    definition = kernel.definition
    if definition.constexprs or definition.constexpr_sizes:
        return
    if any(parameter.kind == "constexpr" for parameter in definition.parameters):
        return
    build(definition, assumed_signature(definition, {}, {}))


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
    }
    if func is None:
        return lambda function: _jit(function, options)
    return _jit(func, options)


@user_facing
def _jit(function: Callable[..., object], options: dict[str, Any]) -> Kernel:
    if not inspect.isfunction(function):
        raise UnsupportedSyntaxError("jit takes a function written with def")
    tensors = _annotations(function)
    return make(lambda: tensors, function, (), **options)


def _annotations(function: Callable[..., object]) -> tuple[Tensor, ...]:
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("ninetoothed"):
        frame = frame.f_back
    found: list[Tensor] = []
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = parameter.annotation
        if isinstance(annotation, str):
            scope = {} if frame is None else dict(frame.f_locals)
            annotation = eval(annotation, function.__globals__, scope)
        if not isinstance(annotation, Tensor):
            raise ArrangementError(
                f"the parameter {name} of {function.__name__} must be annotated with an arranged tensor, as in "
                f"{name}: Tensor(1).tile((64,))"
            )
        found.append(annotation)
    return tuple(found)
