"""Kernels: made from two functions, called with tensors.

``make`` runs the arrangement, and finds on disk what is known of its definition; a :class:`Kernel`
binds a call's arguments to a signature and hands both to the interpreter (CPU tensors) or to the
runtime (GPU tensors).

A call takes the shortest of three ways. On a GPU one like an earlier one, pointers and numbers
apart, is launched as that was (``launch_cache``). One of a known class, whatever its shapes, is
bound by a lookup (``binding``). Any other is bound and checked in full (``arguments``), and so is
all that is unusual or wrong: what it says of a call is what the others remember.

What compiles is in ``kernel_compiler``, which is imported when it is needed: a process that finds
all on disk does without.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import DEFAULT_TARGET, Language, Target, languages
from ninetoothed.cache import entries
from ninetoothed.cache.entries import SignatureInfo
from ninetoothed.calls.aliasing import apart, narrowed
from ninetoothed.calls.arguments import Arguments, number_class
from ninetoothed.calls.binder import Binder
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    DeviceError,
    NineToothedError,
    caller_loc,
    user_facing,
    user_traceback,
)
from ninetoothed.fingerprint.digest import stamp
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.runtime.launch import device as gpu
from ninetoothed.runtime.launch.launch_cache import LaunchCache

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ninetoothed.kernel.compilation import KernelCompiler
    from ninetoothed.runtime.tuning.report import TuningReport
    from ninetoothed.verification.verdicts import Report


class Compilation:
    """What the runtime asks of the compiler, whose modules are imported at the first question.

    ``digest`` is that of all that the kernel depends on, or None; ``races`` as in :class:`Record`.
    """

    def __init__(
        self,
        definition: Definition,
        options: Options,
        digest: str | None,
        races: tuple[str, ...] | None,
        compiler: KernelCompiler | None = None,
    ) -> None:
        self.definition = definition
        self._options = options
        self.digest = digest
        self._races = races
        self._compiler = compiler
        self._signature_infos: dict[Signature, SignatureInfo] = {}
        self._lock = threading.RLock()
        known = languages()
        self._language = options.backend if options.backend in known else settings.backend(known)

    @property
    def compiler(self) -> KernelCompiler:
        """The compile side."""
        with self._lock:
            if self._compiler is None:
                from ninetoothed.kernel.compilation import KernelCompiler

                self._compiler = KernelCompiler(self.definition, self._options, self._races)
            return self._compiler

    @property
    def races(self) -> tuple[str, ...] | None:
        """The warnings that were given; None: it is not known of what to warn."""
        return self._races if self._compiler is None else self._compiler.races

    @races.setter
    def races(self, found: tuple[str, ...]) -> None:
        self._races = found
        if self._compiler is not None:
            self._compiler.races = found

    def signature_info(self, signature: Signature) -> SignatureInfo:
        """What is known of a signature; the first time, its warnings are repeated."""
        found = self._signature_infos.get(signature)
        if found is not None:
            return found
        with self._lock:
            return self._signature_infos.get(signature) or self._found(signature)

    def _found(self, signature: Signature) -> SignatureInfo:
        key = None if settings.inspects() else self.digest
        found = None if key is None else entries.load_signature_info(key, signature)
        if found is not None and found.races and self._options.is_strict:
            # They are an error, which the compiler raises.
            found = None
        if found is None:
            found = self.compiler.signature_info(signature)
            if key is not None:
                entries.store_signature_info(key, signature, found)
        elif self.races is None:
            entries.warn_of_races(found.races)
        self.races = found.races
        self._signature_infos[signature] = found
        return found

    def key(self, signature: Signature, target: Target) -> str:
        """Names all that the space and the artifacts of a signature depend on."""
        if self.races is None or settings.inspects():
            self.signature_info(signature)
        base = (
            self.digest
            or f"{self.compiler.fingerprint(signature, target)} {stamp()} {self._options.key}"
        )
        version = toolchain.of(target).version()
        return f"{base} {signature} {target} {self.language(target)} {version}"

    def space(self, signature: Signature, target: Target) -> Space:
        """What may be chosen."""
        return self.compiler.space(signature, target)

    def artifact(self, signature: Signature, config: Config, target: Target) -> Artifact:
        """The kernel of one configuration."""
        return self.compiler.artifact(signature, config, target, self.language(target))

    def language(self, target: Target) -> Language:
        """What kernels are emitted as for a target."""
        return self._language or target.back_end.languages[0]


class Kernel:
    """A kernel: call it with tensors, ask it for its IR and its source.

    ``kernel(*tensors, **constexprs)`` launches it: the tensors in the application's order or by its
    parameters' names, one that was arranged in several ways once or each time, then the values of
    ``constexpr=True`` symbols by name. CUDA and HIP tensors:
    compiled by Triton, on the current stream. CPU tensors: evaluated here.
    """

    def __init__(self, options: Options, compilation: Compilation) -> None:
        interface = self.interface = compilation.definition.interface
        self._backend = options.backend
        self._compilation = compilation
        self._dispatcher = Dispatcher(
            interface.name, compilation, options.tune, options.max_num_configs
        )
        self._launch_cache = LaunchCache(interface, number_class)
        self._bind = Binder(interface, self._narrowed)

    @property
    def __name__(self) -> str:
        return self.interface.name

    def __repr__(self) -> str:
        return f"<kernel {self.interface.name}({', '.join(self.interface.names)})>"

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Launch the kernel.

        Raises:
            ArgumentError: arguments that are missing, too many, or do not fit.
            DeviceError: the tensors' devices differ, or nothing can run on theirs.
            ConfigurationError: no configuration runs on the device.
            NineToothedError: the application is wrong for these element types.
        """
        try:
            if self._launch_cache.launch(args, kwargs):
                return
            arguments = self._bind(args, kwargs)
            if arguments.device == "cpu" and self._backend in (None, "interpret"):
                self._compiler.interpret(arguments)
            elif arguments.device == "cpu" or self._backend == "interpret":
                raise self._misplaced(arguments.device)
            else:
                self._launch(args, kwargs, arguments)
        except NineToothedError as error:
            if error.loc is None:
                error.loc = caller_loc()
            raise error.with_traceback(user_traceback(error)) from None

    def _launch(self, args: Sequence[Any], kwargs: Mapping[str, Any], arguments: Arguments) -> None:
        launched = self._dispatcher.launch(arguments.signature, arguments.values)
        if launched is not None:
            self._launch_cache.keep(args, kwargs, arguments.values, launched)

    def _narrowed(self, signature: Signature) -> Signature:
        """That arguments share memory matters only where it is written."""
        plain = apart(signature)
        if plain is signature:
            return signature
        return narrowed(signature, self._compilation.signature_info(plain).written)

    def _misplaced(self, device: str) -> DeviceError:
        needs, move = ("GPU", gpu.kind()) if device == "cpu" else ("CPU", "cpu")
        return DeviceError(
            f"the tensors are on {device}, and backend={self._backend!r} takes {needs} tensors; "
            "move them "
            f"with .{move}(), or leave backend out"
        )

    @property
    def _compiler(self) -> KernelCompiler:
        return self._compilation.compiler

    def composed(self, signature: Signature, config: Config | None = None) -> ModuleOp:
        """The module in stage ``composed``, of a configuration where it matters."""
        return self._compiler.composed(signature, config)

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
        return self._compiler.ir(stage, dtypes or {}, values or {})

    @user_facing
    def source(
        self,
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        language: Language = "triton-python",
        target: str = DEFAULT_TARGET,
    ) -> str:
        """The generated Triton-Python, or the TTIR (``language="ttir"``); assumptions as in
        :meth:`ir`.

        Raises:
            ArgumentError: there is no such language, parameter or symbol, or a constexpr has no
                value.
        """
        return self._compiler.source(dtypes or {}, values or {}, language, target)

    @user_facing
    def report(
        self, dtypes: Mapping[str, Any] | None = None, values: Mapping[str, Any] | None = None
    ) -> Report:
        """What is proved of the kernel for all sizes (see ``ninetoothed.verification.verdicts``).

        Assumptions as in :meth:`ir`.

        Raises:
            ArgumentError: there is no such parameter or symbol, or a constexpr has no value.
        """
        return self._compiler.report(dtypes or {}, values or {})

    @property
    @user_facing
    def configs(self) -> list[Config]:
        """All configurations that there are for fp32 tensors, the best guess first, which is what
        :meth:`source` and :meth:`ir` take. What a call chooses from, :meth:`tuning_report` shows.
        """
        return self._compiler.configs

    @user_facing
    def best_config(self, *args: Any, **kwargs: Any) -> Config | None:
        """The configuration chosen for calls with sizes like these, or None before the first."""
        arguments = self._bind(args, kwargs)
        return self._dispatcher.best(arguments.signature, arguments.values)

    @user_facing
    def tuning_report(self, *args: Any, **kwargs: Any) -> TuningReport:
        """How the configuration of calls like this one was chosen, or would be, as a table.

        Nothing is launched. CPU tensors are evaluated without a choice.
        """
        arguments = self._bind(args, kwargs)
        return self._dispatcher.report(arguments.signature, arguments.values)

    @property
    def definition(self) -> Definition:
        """The arranged parameters and the application."""
        return self._compilation.definition
