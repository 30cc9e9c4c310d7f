"""Kernels: called with tensors, asked for their IR, source and reports.

``make`` runs the arrangement, and looks its definition up in the cache; a :class:`Kernel` binds a
call's arguments to a signature and passes both to the interpreter (CPU tensors) or to the runtime
(GPU tensors).

A call takes the shortest of three ways. On a GPU one like an earlier one, pointers and numbers
apart, is launched as that was (``launch_cache``). One of a known class, whatever its shapes, is
bound by a lookup (``binder``). Any other is bound and checked in full (``arguments``), and so is
all that is unusual or wrong; the other two remember its result.

The compiler is behind ``compilation``, which is imported when it is needed: a process that finds
all in the cache does without.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.interface import Interface
from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.sample import Sample
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import DEFAULT_TARGET, Language
from ninetoothed.calls.aliasing import narrowed, without_aliasing
from ninetoothed.calls.arguments import Arguments
from ninetoothed.calls.binder import Binder
from ninetoothed.calls.copies import Run
from ninetoothed.calls.numbers import number_class, type_class, without_moderate
from ninetoothed.calls.places import Place
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    DeviceError,
    NineToothedError,
    reported,
    user_facing,
)
from ninetoothed.kernel import tracing
from ninetoothed.kernel.call_warnings import CallWarnings
from ninetoothed.kernel.lazy_compilation import Compilation
from ninetoothed.kernel.recipe import Recipe, found, imported
from ninetoothed.pytorch.kernel_operators import KernelOperators
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.runtime.launch import device as gpu
from ninetoothed.runtime.launch.launch_cache import LaunchCache

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ninetoothed.compiler.remark_report import RemarkReport
    from ninetoothed.kernel.call_rules import CallRules
    from ninetoothed.kernel.compilation import KernelCompiler
    from ninetoothed.pytorch.placement_rules import Rules
    from ninetoothed.runtime.tuning.candidates import Absent
    from ninetoothed.runtime.tuning.report import TuningReport
    from ninetoothed.verification.verdicts import Report


class Kernel:
    """A kernel: call it with tensors, ask it for its IR and its source.

    ``kernel(*tensors, **constexprs)`` launches it: the tensors in the application's order or by its
    parameters' names, one that was arranged in several ways once or each time, then the values of
    ``constexpr=True`` symbols by name. CUDA and HIP tensors: compiled by Triton, on the current
    stream. CPU tensors: evaluated here. Outputs that ``make`` was told of are left out, and
    returned.

    A kernel does not change, and so a copy of one, deep or not, is the kernel itself. One that is
    unpickled is made again at its first use, from functions that are imported.

    Example:
        >>> def arrangement(x, y, size=block_size()):
        ...     return x.tile((size,)), y.tile((size,))
        >>> def application(x, y):
        ...     y = 2 * x
        >>> double = ninetoothed.make(arrangement, application, (Tensor(1), Tensor(1)))
        >>> x, y = torch.arange(3.0), torch.empty(3)
        >>> double(x, y)
        >>> y
        tensor([0., 2., 4.])
    """

    def __init__(self, options: Options, compilation: Compilation, recipe: Recipe) -> None:
        self._recipe = recipe
        interface = self.interface = compilation.definition.interface
        self._backend = options.backend
        self._compilation = compilation
        # Where it is not known, there may be scales.
        of_number = type_class if compilation.scales == () else number_class
        self._launch_cache = LaunchCache(interface, of_number, self._asks_of_gradients)
        self._dispatcher = Dispatcher(
            interface.name,
            compilation,
            options.tune,
            options.max_num_configs,
            self._launch_cache.clear,
        )
        self._warnings = CallWarnings(
            compilation.definition,
            options,
            compilation.issued,
            compilation.written,
            compilation.stored,
        )
        digest = compilation.digest
        self._operators = KernelOperators(
            # With all of its arguments, also where it allocates some.
            functools.partial(Kernel.__call__, self),
            interface,
            self.stored_by,
            # How it is tuned is no part of the digest.
            None if digest is None else f"{digest} {options.tune}",
            self._warnings.warn_of_gradients,
        )
        self._bind = Binder(interface, self._narrowed, compilation.issued.collecting, of_number)
        # What is asked changes with the first answer, which torch's compiler would take for a
        # reason to compile its first graph anew.
        tracing.is_compiling()

    @property
    def __name__(self) -> str:
        return self.interface.name

    def __repr__(self) -> str:
        return f"<kernel {self.interface.name}({', '.join(self.interface.names)})>"

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: object) -> Kernel:
        return self

    @user_facing
    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        path = self._recipe.import_path
        if path is not None and found(*path) is self:
            return imported, path
        return _unpickled, (type(self), self._recipe.portable())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            recipe = vars(self).get("_recipe")
            if recipe is None or "interface" in vars(self):
                raise AttributeError(f"a kernel has no attribute {name}")
            # It was unpickled. An object that it is a method of has its attributes now.
            vars(self).update(vars(recipe.make(recipe)))
            return getattr(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Launch the kernel.

        Returns:
            None; or its outputs, where it was made with ``outputs=``.

        Raises:
            ArgumentError: arguments that are missing, too many, or do not fit; a tensor that is
                written, of which several indices are one place in memory; where the kernel is
                strict, what a ``GradientWarning`` or an ``OverlapWarning`` tells otherwise.
            DeviceError: the tensors' devices differ, or nothing can run on theirs.
            ConfigurationError: no configuration runs on the device.
            RaceError, ArrangementError: what ``make`` refuses where it is strict, of this class of
                calls; or what an operation of the arrangement requires, or the arrangement decided,
                does not hold of a constexpr symbol's value.
            NineToothedError: the application is wrong for these element types.

        Warns:
            DtypeWarning: a tensor's element type is not the declared one, or a number does not fit
                the declared one; what is given is taken.
            BoundsWarning: a constexpr symbol's value is outside bounds that the user gave.
            GradientWarning: a tensor requires gradients, outside of ``torch.no_grad()``.
            OverlapWarning: a tensor is written whose memory has other elements of another one.
            AgreementWarning, RaceWarning, UnusedValueWarning: as ``make`` does, of what calls like
                this one decide.
        """
        if tracing.is_compiling():
            self._trace(args, kwargs)
            return
        try:
            is_launched = self._launch_cache.launch(args, kwargs)
            if is_launched:
                return
            values, known, key = self._bind.known(args, kwargs)
            if known is not None:
                signature, place, may_warn = known
            elif tracing.are_traced((*args, *kwargs.values())):
                self._trace(args, kwargs)
                return
            else:
                values, signature, place, may_warn = self._bind.bind(args, kwargs, key)
            if may_warn:
                self._warnings.check(args, kwargs, Arguments(values, signature, place))
            if place.kind == "cpu" and self._backend in (None, "interpret"):
                self._compiler.interpret(Arguments(values, signature, place))
            elif place.kind == "cpu" or self._backend == "interpret":
                raise self._misplaced(place)
            else:
                launched = self._dispatcher.launch(signature, values, place)
                if launched is not None and is_launched is None:
                    self._launch_cache.keep(args, kwargs, values, launched)
        except NineToothedError as error:
            raise reported(error) from None

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
        """The arguments of a call, bound."""
        return self._bind(args, kwargs)

    def _trace(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        from ninetoothed.pytorch.dtensors import are_sharded

        if are_sharded((*args, *kwargs.values())):
            from ninetoothed.pytorch.sharded_calls import call_mutating

            call_mutating(self._operators, self.call_rules, args, kwargs)
            return
        from ninetoothed.pytorch.traced import call

        call(self._operators, args, kwargs)

    def call_rules(self, given: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> Rules:
        """The sharding rules of calls like one (see ``CallRules``).

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        return self._rules(given, shapes)

    @functools.cached_property
    def _rules(self) -> CallRules:
        from ninetoothed.kernel.call_rules import CallRules

        return CallRules(self.definition)

    def stored_by(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> frozenset[str]:
        """The parameters that calls with these element types and constants write, by name.

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        return self._compiler.stored_by(dtypes, values)

    def _asks_of_gradients(self) -> bool:
        return self._warnings.asks_of_gradients

    def _narrowed(self, signature: Signature) -> Signature:
        """Drop moderate numbers that scale nothing, and shared memory that is not written to."""
        if self._compilation.scales is not None:
            signature = without_moderate(signature, self._compilation.scales)
        plain = without_aliasing(signature)
        if plain is signature:
            return signature
        return narrowed(signature, self._compilation.written(plain))

    def _misplaced(self, place: Place) -> DeviceError:
        needs, move = ("GPU", gpu.kind()) if place.kind == "cpu" else ("CPU", "cpu")
        return DeviceError(
            f"the tensors are on {place}, and backend={self._backend!r} takes {needs} tensors; "
            f"move them with .{move}(), or leave backend out"
        )

    @property
    def _compiler(self) -> KernelCompiler:
        return self._compilation.compiler

    def composed(self, signature: Signature, config: Config | None = None) -> ModuleOp:
        """The module in stage ``composed``, specialized on a configuration if need be."""
        return self._compiler.composed(signature, config)

    @user_facing
    def ir(
        self,
        stage: str = "tt",
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> str:
        """Text of the IR in a stage, ``"arranged"`` to ``"tt"`` (see ``ninetoothed.ir.stages``).

        What no call has fixed is assumed, as a comment states: element types are fp32, or
        integers where the application does not take fp32, and block sizes those of the first
        configuration. ``dtypes`` and ``values`` give them by name of parameter and of symbol. Each
        parameter has its verdicts (``annotate_verdicts``).

        Raises:
            ArgumentError: there is no such stage, parameter or symbol, or a constexpr has no value.
        """
        with self._compilation.issued.collecting():
            return self._compiler.ir(stage, _named(dtypes), _named(values))

    @user_facing
    def source(
        self,
        dtypes: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        language: Language = "triton-python",
        target: str = DEFAULT_TARGET,
    ) -> str:
        """Generated Triton-Python, or TTIR (``language="ttir"``); assumptions as in :meth:`ir`.

        Raises:
            ArgumentError: there is no such language, parameter or symbol, or a constexpr has no
                value.
        """
        with self._compilation.issued.collecting():
            return self._compiler.source(_named(dtypes), _named(values), language, target)

    @user_facing
    def report(
        self, dtypes: Mapping[str, Any] | None = None, values: Mapping[str, Any] | None = None
    ) -> Report:
        """Verdicts on the kernel for all sizes (see ``ninetoothed.verification.verdicts``).

        Assumptions as in :meth:`ir`.

        Raises:
            ArgumentError: there is no such parameter or symbol, or a constexpr has no value.
        """
        with self._compilation.issued.collecting():
            return self._compiler.report(_named(dtypes), _named(values))

    @user_facing
    def remarks(self, *args: Any, config: Config | None = None, **kwargs: Any) -> RemarkReport:
        """The optimising passes' remarks on a call like this one: what they did, and where they had
        to refuse, with the fact that was missing and the user's line.

        They are on the kernel that it would launch: of its class, and without guards where its
        sizes say that all hold. Nothing is launched, and CPU tensors will do: they are taken for
        tensors of a GPU (``DEFAULT_TARGET``). ``config``: default the first of the configurations
        that fit.

        Raises:
            ArgumentError: the arguments do not fit the kernel, or ``config`` is not one of its
                configurations.
            ConfigurationError: there is no configuration.
            NineToothedError: the application is wrong for these element types.
        """
        from ninetoothed.kernel.call_remarks import remarks_on

        with self._compilation.issued.collecting():
            return remarks_on(self._compiler, self._arguments(args, kwargs), config)

    @user_facing
    def view(
        self,
        path: str | os.PathLike[str],
        /,
        *args: Any,
        config: Config | None = None,
        **kwargs: Any,
    ) -> None:
        """Write an HTML page on a call like this one: the source, every stage's IR, what each pass
        changed, remarks and timings, and what Triton makes of it, down to machine code; lines that
        belong together are linked. The page is one file, and loads nothing.

        It is on the kernel that :meth:`remarks` is on, for the device of GPU tensors. Without
        Triton the page ends with our stages. ``nt-opt view`` writes it without a call.

        Raises:
            ArgumentError, ConfigurationError, NineToothedError: as :meth:`remarks`.
            OSError: the file cannot be written.
        """
        from ninetoothed.kernel.call_remarks import write_page

        with self._compilation.issued.collecting():
            write_page(path, self._compiler, self._arguments(args, kwargs), config)

    @user_facing
    def svg(self, *args: Any, **kwargs: Any) -> str:
        """Text of an SVG picture of the kernel's tensors, side by side, for a file or a page:
        ``kernel.svg(x=(10, 9), y=(10, 9), BLOCK_SIZE=4)``. Each element has the colour and the
        number of the program that sees it; of several, the colour of the first, and all numbers.

        Tensors are given as for a call, outputs among them, or as their shapes; numbers may be left
        out. All block sizes are given by keyword: also those that the compiler chooses, by their
        names in :meth:`ir`, and of any size from 1 on. Nothing is compiled. Of large tensors the
        first elements are drawn, and a line says how many more there are.

        Raises:
            ArgumentError: shapes or block sizes that are missing, too many, or do not fit.
            ArrangementError: a tensor is jagged, or the arrangement is impossible with these sizes.
        """
        from ninetoothed.kernel.kernel_pictures import kernel_scene
        from ninetoothed.pictures.svg import svg

        return svg(kernel_scene(self.definition, args, kwargs))

    def _repr_html_(self) -> str:
        """What a notebook shows: the kernel's name, and what it takes."""
        try:
            from ninetoothed.kernel.kernel_pictures import kernel_html

            return kernel_html(self.interface)
        except Exception:
            # One that was unpickled may fail to be made; a notebook would show the traceback.
            return "<div>kernel</div>"

    @user_facing
    def explore(
        self,
        path: str | os.PathLike[str],
        /,
        *,
        dtypes: Mapping[str, Any] | None = None,
        **given: Any,
    ) -> None:
        """Write an HTML page to play with the arrangement: which elements each program touches, for
        sizes that are typed into the page. It is one file, and loads nothing (``docs/explore.md``).

        ``kernel.explore("matmul.html", x=(40, 36), y=(36, 48), z=(40, 48), BLOCK_SIZE_0=16)``.

        Args:
            path: The page.
            dtypes: Element types by name of parameter, as in :meth:`ir`.
            given: The shape of each tensor by its name, where it does not follow from those of
                others; block sizes, by default the least ones; and the values of constexprs.

        Raises:
            ArgumentError: a name or a value does not fit the kernel, or one is missing.
            NineToothedError: the application is wrong for these element types.
            OSError: the file cannot be written.
        """
        from ninetoothed.cache.atomic import write_atomically
        from ninetoothed.view.exploration.exploration_page import exploration_page

        with self._compilation.issued.collecting():
            page = exploration_page(self.definition, _named(dtypes), given)
        write_atomically(Path(path), page)

    @property
    @user_facing
    def configs(self) -> list[Config]:
        """Configurations for fp32 tensors, the best guess first, which :meth:`source` and
        :meth:`ir` take. Those that a call chooses from are in :meth:`tuning_report`.
        """
        return self._compiler.configs

    @user_facing
    def best_config(self, *args: Any, **kwargs: Any) -> Config | None:
        """The configuration chosen for calls with sizes like these, or None before the first."""
        arguments = self._arguments(args, kwargs)
        return self._dispatcher.best(arguments.signature, arguments.values)

    def runs(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        sample: Sample,
        levels: Collection[str],
    ) -> Iterator[tuple[Run, str]]:
        """Run a call on copies of its arguments by a sample of its configurations, and tell at
        which level: on CPU tensors each of ``levels``, ``"nt"`` and ``"tt"``, else ``""``.

        Raises:
            NineToothedError: as a call does.
        """
        arguments = self._arguments(args, dict(kwargs))
        if arguments.place.kind == "cpu" and self._backend in (None, "interpret"):
            return self._compiler.runs(arguments, sample, levels)
        if arguments.place.kind == "cpu" or self._backend == "interpret":
            raise self._misplaced(arguments.place)
        found = self._dispatcher.runs(arguments.signature, arguments.values, sample)
        return ((run, "") for run in found)

    def precompile(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        place: Absent,
        refinements: int | None = None,
    ) -> tuple[list[Config], dict[Config, str]]:
        """Compile what a call like this one may need on a device that is not here, into the cache
        (see ``Dispatcher.precompile``). The tensors may be described ones.

        Raises:
            DeviceError: the kernel is one that is only interpreted.
            NineToothedError: as a call does.
        """
        if self._backend == "interpret":
            raise DeviceError(
                f"kernel {self.interface.name!r} has backend='interpret', and is never compiled; "
                "leave backend out"
            )
        arguments = self._bind(args, kwargs)
        return self._dispatcher.precompile(
            arguments.signature, arguments.values, place, refinements
        )

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The arguments of a call in launch order."""
        return self._arguments(args, dict(kwargs)).values

    def signature(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Signature:
        """The signature of a call."""
        return self._arguments(args, dict(kwargs)).signature

    def stored(self, signature: Signature) -> frozenset[str]:
        """The parameters that calls of a signature write, by name."""
        return self._compilation.stored(signature)

    @property
    def taken(self) -> Interface:
        """What its operator takes, and the outputs: its parameters, and what else tells shapes."""
        return self.interface

    def stored_by_call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> frozenset[str]:
        """The arguments that a call writes, by name."""
        return self.interface.arguments_of(self.stored(self.signature(args, kwargs)))

    @user_facing
    def tuning_report(self, *args: Any, **kwargs: Any) -> TuningReport:
        """Table of how the configuration of calls like this one was chosen, or would be.

        Nothing is launched. CPU tensors are evaluated without a choice.
        """
        arguments = self._arguments(args, kwargs)
        return self._dispatcher.report(arguments.signature, arguments.values)

    @property
    def definition(self) -> Definition:
        """The arranged parameters and the application."""
        return self._compilation.definition


def _unpickled(kind: type[Kernel], recipe: Recipe) -> Kernel:
    """A kernel that is made when it is used."""
    kernel = kind.__new__(kind)
    vars(kernel)["_recipe"] = recipe
    return kernel


def _named(given: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return {} if given is None else given
