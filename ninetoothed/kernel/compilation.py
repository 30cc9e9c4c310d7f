"""The compile side of a kernel: modules, artifacts, evaluation and reports.

``kernel`` imports it only for what is not in the cache: it loads xDSL.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config, Space, volume
from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.sample import Sample
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import DEFAULT_TARGET, Language, Target, languages
from ninetoothed.cache.entries import EqualSizes, OutputFacts, SignatureInfo
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.arguments import Arguments
from ninetoothed.calls.copies import Run, copied
from ninetoothed.calls.sequences import Jagged, elements_of
from ninetoothed.compiler.compile import build, compile_kernel, fingerprint, lower, serves
from ninetoothed.compiler.defaults import (
    check_application,
    describe_assumptions,
    fitted,
    pick,
)
from ninetoothed.compiler.fits_function import counts_function, fits_function
from ninetoothed.compiler.full_function import is_full
from ninetoothed.compiler.optimizations import outside_options
from ninetoothed.compiler.space import interpreted_values, least_waste, space
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    AgreementWarning,
    ArgumentError,
    ArrangementError,
    CheckError,
    MismatchError,
    NineToothedWarning,
    UnusedValueWarning,
    collect_warnings,
    shown,
)
from ninetoothed.interpreters import interpret
from ninetoothed.ir.nt import kernel_of
from ninetoothed.ir.printing import text_of
from ninetoothed.ir.stages import STAGES
from ninetoothed.kernel.comparison import described, difference, named
from ninetoothed.kernel.evaluation import check_data, evaluated, lowered
from ninetoothed.kernel.issued_warnings import IssuedWarnings
from ninetoothed.passes.analysis.checked_sizes import sizes_of_every_call
from ninetoothed.passes.analysis.scales import scale_parameters
from ninetoothed.passes.analysis.writes import writes
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, SYMBOLIC, steps
from ninetoothed.verification.translation import validate
from ninetoothed.verification.unused_outputs import (
    warn_if_nothing_is_stored,
    warn_of_misspelt_outputs,
)
from ninetoothed.verification.verdicts import (
    Report,
    check_outputs,
    output_facts,
    report,
    warn_of_races,
)

_MOST_SHAPES = 256
"""Shapes of calls for which the block sizes are remembered."""


class Variant:
    """Module and derived facts of one signature, shared by its calls.

    ``issued`` takes the warnings of modules of other block sizes, and ``check`` raises those that
    are errors.
    """

    def __init__(
        self,
        definition: Definition,
        signature: Signature,
        issued: IssuedWarnings,
        check: Callable[[Iterable[NineToothedWarning]], None],
    ) -> None:
        self.module = build(definition, signature)
        self.signature = signature
        self.warnings: tuple[NineToothedWarning, ...] = ()
        self._definition = definition
        self._issued = issued
        self._check = check
        self._modules = [self.module]
        self._largest: dict[int, dict[str, int]] = {}
        self._interpreted: dict[tuple[Any, ...], dict[str, int]] = {}
        self._stores: dict[ModuleOp, tuple[int, ...]] = {}
        self._stored = None if self._is_specialized else self.written

    @cached_property
    def written(self) -> frozenset[str]:
        """Parameters that may be written to."""
        names = [param.name for param in self.signature.params]
        if self._is_specialized:
            # Other block sizes may have other stores.
            return frozenset(names)
        return frozenset(names[place] for place in self.stores(self.module))

    @property
    def info(self) -> SignatureInfo:
        """What is known of the signature's modules by now."""
        return SignatureInfo(self.written, self.warnings, self._stored)

    def stored(self, configs: Callable[[], Iterable[Config]]) -> frozenset[str]:
        """Parameters that are written to with some block sizes."""
        if self._stored is None:
            places = {place for module in self._all(configs) for place in self.stores(module)}
            self._stored = frozenset(self.signature.params[place].name for place in places)
        return self._stored

    def stores(self, module: ModuleOp) -> tuple[int, ...]:
        """Positions of the parameters that a module of this signature stores to."""
        found = self._stores.get(module)
        if found is None:
            found = tuple(sorted({write.param for write in writes(kernel_of(module))}))
            self._stores[module] = found
        return found

    @property
    def _is_specialized(self) -> bool:
        """True if the application is specialized on block sizes."""
        return bool(kernel_of(self.module).specialized)

    def serving(self, config: Config) -> ModuleOp:
        """The module of a configuration: one for all, unless specialized on block sizes."""
        for module in self._modules:
            if serves(module, config):
                return module
        with self._issued.collecting() as found:
            module = build(self._definition, self.signature, config=config)
            self._check(found)
        self.warnings += tuple(warning for warning in found if warning not in self.warnings)
        self._modules.append(module)
        return module

    def fingerprint(self, configs: Callable[[], Iterable[Config]]) -> str:
        """Digest of the modules of all configurations."""
        return " ".join(fingerprint(module) for module in self._all(configs))

    def _all(self, configs: Callable[[], Iterable[Config]]) -> dict[ModuleOp, None]:
        """The modules of all configurations."""
        modules: dict[ModuleOp, None] = {self.module: None}
        if self._is_specialized:
            modules.update({self.serving(config): None for config in configs()})
        return modules

    @cached_property
    def evaluated(self) -> ModuleOp:
        """The module that calls are evaluated by, unless specialized on block sizes."""
        return evaluated(self.module)

    @cached_property
    def _fits(self) -> Callable[..., Callable[..., bool]] | None:
        return fits_function(self.module, self.signature)

    @cached_property
    def _counts(self) -> Callable[..., Callable[..., object]] | None:
        return counts_function(self.evaluated, self.signature)

    def interpreted(self, lanes: int, values: Sequence[Any]) -> dict[str, int]:
        """Block sizes for evaluation of ``lanes`` lanes at once, of a call with these arguments."""
        if any(isinstance(value, Jagged) for value in values):
            # Their lengths are data.
            return self._chosen(lanes, values)
        key = (lanes, *(tuple(one.shape) if is_tensor(one) else one for one in values))
        found = self._interpreted.get(key)
        if found is None:
            if len(self._interpreted) >= _MOST_SHAPES:
                self._interpreted.clear()
            found = self._interpreted[key] = self._chosen(lanes, values)
        return found

    def _chosen(self, lanes: int, values: Sequence[Any]) -> dict[str, int]:
        found = self._largest.get(lanes)
        if found is None:
            found = interpreted_values(self.module, self.signature, lanes)
            self._largest[lanes] = found
        fits = _always if self._fits is None else self._fits(*values)
        if not fits(*found.values()):
            found = interpreted_values(self.module, self.signature, lanes, fits)
        if self._counts is None:
            return found
        return least_waste(self.evaluated, found, self._counts(*values), fits)

    def fits(self, sizes: Sequence[tuple[str, int]], values: Sequence[Any]) -> bool:
        """True if these block sizes pass the checks of a call with these arguments, as far as the
        checks depend on block sizes.
        """
        return self._fits is None or self._fits(*values)(*(size for _, size in sizes))

    def may_be_taken_laxer(self, error: CheckError, chosen: Mapping[str, int], values: Any) -> bool:
        """True if a laxer class may take a call that fails with ``chosen`` block sizes."""
        if self._fits is None or self._fits(*values)(*chosen.values()):
            return error.is_agreement
        if error.is_undefined:
            return False
        # None passes, and each may fail another check.
        return any(check.data.agreement for check in kernel_of(self.module).checks)


class KernelCompiler:
    """Compiles, evaluates and explains one kernel.

    ``warnings``, ``has_races``, ``equal_sizes`` and ``scales`` as in
    :class:`~ninetoothed.cache.entries.CacheEntry`.
    """

    def __init__(
        self,
        definition: Definition,
        options: Options | None = None,
        issued: IssuedWarnings | None = None,
        has_races: bool = False,
    ) -> None:
        self.definition = definition
        self.has_races = has_races
        self.warnings: tuple[NineToothedWarning, ...] = ()
        self.equal_sizes: EqualSizes | None = None
        self.scales: tuple[str, ...] | None = None
        self._issued = IssuedWarnings() if issued is None else issued
        self._options = Options() if options is None else options
        self._variants: dict[Signature, Variant] = {}
        self._lock = threading.Lock()

    def check(self) -> None:
        """Check the kernel for mistakes that do not depend on the call.

        Raises:
            NineToothedError: the arrangement or the application is wrong; at its place.
        """
        pipeline = self.definition.pipeline
        if pipeline is not None:
            # The places of passes of other packages, and their options.
            steps((*SYMBOLIC, *SPECIALIZED), outside_options(pipeline), pipeline)
        # The application must have a source.
        _ = self.definition.application.node
        with self._issued.collecting() as found:
            module = check_application(self.definition)
            self._check_agreement(found)
            warn_of_misspelt_outputs(self.definition)
            if module is not None:
                self.equal_sizes = sizes_of_every_call(kernel_of(module))
                self.scales = scale_parameters(kernel_of(module))
                self._check_races(module)
                if not any(isinstance(warning, UnusedValueWarning) for warning in found):
                    warn_if_nothing_is_stored(self.definition, module)
        self.warnings = tuple(found)

    def _check_races(self, module: ModuleOp, signature: Signature | None = None) -> None:
        """Warn of races, once: they do not depend on element types; and anew where values of
        symbols are outside their bounds.

        Raises:
            RaceError: there are such, and the kernel is strict.
        """
        constants = () if signature is None else signature.constants
        if not self.has_races or self.definition.interface.widened(constants):
            agreement = "shapes" if signature is None else signature.agreement
            warn_of_races(self.definition, module, self._options.is_strict, agreement)
            self.has_races = True

    def _check_agreement(self, found: Iterable[NineToothedWarning]) -> None:
        """Refuse outermost levels that do not agree, if the kernel is strict.

        Raises:
            ArrangementError: there is a warning of such.
        """
        for warning in found:
            if isinstance(warning, AgreementWarning) and self._options.is_strict:
                raise ArrangementError(warning.message, warning.loc)

    def variant(self, signature: Signature) -> Variant:
        """Variant of a signature, built at its first call.

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        found = self._variants.get(signature)
        if found is not None:
            return found
        # Only one thread builds, and warns.
        with self._lock:
            return self._variants.get(signature) or self._built(signature)

    def _built(self, signature: Signature) -> Variant:
        with self._issued.collecting() as found:
            built = Variant(self.definition, signature, self._issued, self._check_agreement)
            self._check_agreement(found)
            if settings.validate():
                warps = self._options.num_warps
                changes = self.definition.pipeline
                config = space(built.module, signature, warps, pipeline=changes).configs[0]
                validate(self.definition, signature, config)
            self._check_races(built.module, signature)
            check_outputs(self.definition, built.module, signature)
        built.warnings = tuple(found)
        self._variants[signature] = built
        return built

    def stored(self, signature: Signature) -> frozenset[str]:
        """Parameters that a kernel of a signature writes to with some block sizes."""
        target = Target.parse(DEFAULT_TARGET)
        return self.variant(signature).stored(lambda: self.space(signature, target).listed)

    def stored_by(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> frozenset[str]:
        """Parameters that calls with these element types and constants write to, by name; others
        are assumed.

        Raises:
            NineToothedError: the application is wrong for these element types.
        """
        return fitted(self.definition, dtypes, values, self.stored)

    def output_facts(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> OutputFacts:
        """What is known of outputs (see verdicts)."""
        return output_facts(self.definition, dtypes, values)

    def signature_info(self, signature: Signature) -> SignatureInfo:
        """Signature info of a signature."""
        return self.variant(signature).info

    def composed(self, signature: Signature, config: Config | None = None) -> ModuleOp:
        """The module in stage ``composed``, specialized on a configuration if need be."""
        variant = self.variant(signature)
        return variant.module if config is None else variant.serving(config)

    def fingerprint(self, signature: Signature, target: Target) -> str:
        """Digest of all that artifacts of a signature depend on, options apart."""
        variant = self.variant(signature)
        return variant.fingerprint(lambda: self.space(signature, target).listed)

    def space(self, signature: Signature, target: Target) -> Space:
        """Configuration space of a signature."""
        warps, stages = self._options.num_warps, self._options.num_stages
        pipeline = self.definition.pipeline
        return space(self.composed(signature), signature, warps, stages, target, pipeline)

    def artifact(
        self,
        signature: Signature,
        config: Config,
        target: Target,
        language: Language,
        full: bool = False,
    ) -> Artifact:
        """Compile an artifact of one configuration; ``full`` as in the artifact."""
        module = self.composed(signature, config)
        pipeline = self.definition.pipeline
        return compile_kernel(module, signature, config, target, language, full, pipeline)

    def interpret(self, arguments: Arguments) -> None:
        """Evaluate a call on CPU tensors, as one of the strictest class that takes it; with
        ``NINETOOTHED_INTERPRET_CONFIGS`` by several configurations, whose results are compared.

        Raises:
            ArgumentError: the sizes do not fit one another.
            MismatchError: two configurations give different results.
        """
        setting = settings.interpret_configs()
        if setting is None:
            self._evaluate(arguments, arguments.values)
            return
        sample = Sample.parse("NINETOOTHED_INTERPRET_CONFIGS", setting)
        before = copied(arguments.values)
        signature, usual = self._evaluate(arguments, arguments.values)
        for config in sample.of(self._others(signature, before, usual), taken=1):
            values = copied(before)
            with named(described(config.values)):
                self._run(signature, config, values)
            self._compare(arguments.values, usual, values, config)

    def runs(
        self, arguments: Arguments, sample: Sample, levels: Collection[str]
    ) -> Iterator[tuple[Run, str]]:
        """Evaluate a call on copies of its arguments by a sample of its configurations, that of a
        plain call first, each at these levels, ``"nt"`` and ``"tt"``; at the latter with the
        choices of passes one by one, too, and without guards where all of them hold.

        Raises:
            ArgumentError: the sizes do not fit one another.
        """
        values = copied(arguments.values)
        signature, usual = self._evaluate(arguments, values)
        others = sample.of(self._others(signature, arguments.values, usual), taken=1)
        space = self._space(signature) if "tt" in levels else None
        for config in (usual, *others):
            stores = self.variant(signature).stores(self.composed(signature, config))
            names = frozenset(signature.params[place].name for place in stores)
            for level in levels:
                varied = _varied(space, config) if space and level == "tt" else ()
                for one in (config, *varied):
                    if (one, level) != (usual, "nt"):
                        values = copied(arguments.values)
                        with named(described((*one.values, *one.choices))):
                            self._run(signature, one, values, level)
                    yield Run(one, tuple(values), names), level
                if level == "tt" and is_full(self._lowered(signature, config), values):
                    values = copied(arguments.values)
                    module = self._lowered(signature, config, full=True)
                    interpret(module, values, {}, written=stores)
                    yield Run(config, tuple(values), names, full=True), level

    def _compare(
        self, results: Sequence[Any], usual: Config, others: Sequence[Any], config: Config
    ) -> None:
        """Compare the results of two configurations; programs race for tensors that allow it, and
        which of them is last may depend on the block sizes.

        Raises:
            MismatchError: they differ.
        """
        for parameter, one, other in zip(self.definition.parameters, results, others, strict=True):
            if parameter.kind != "tensor" or parameter.source.allow_races:
                continue
            found = difference(elements_of(other), elements_of(one))
            if found is not None:
                raise MismatchError(
                    f"kernel {self.definition.name!r} gives {parameter.name} other elements with "
                    f"{described(config.values)} than with {described(usual.values)}: {found}\n"
                    "results must not depend on block sizes: carry from block to block what a "
                    "loop needs of the ones before, give lanes outside of a tensor the value that "
                    "does not count, with other=, or declare Tensor(..., allow_races=True) if any "
                    "program's value will do"
                )

    def _others(self, signature: Signature, values: Sequence[Any], usual: Config) -> list[Config]:
        """The choices of block sizes beside the usual one, by size, that a call may run with."""
        variant = self.variant(signature)
        sizes = {config.values: None for config in self._space(signature).listed}
        return [
            Config(one)
            for one in sorted(sizes, key=volume)
            if one != usual.values and variant.fits(one, values)
        ]

    def _space(self, signature: Signature) -> Space:
        """The space that calls on CPU tensors take their block sizes from."""
        module, pipeline = self.variant(signature).module, self.definition.pipeline
        return space(module, signature, self._options.num_warps, pipeline=pipeline)

    def _evaluate(self, arguments: Arguments, values: Sequence[Any]) -> tuple[Signature, Config]:
        """Evaluate a call on ``values``, which are its arguments or copies of them. Returns its
        class and configuration.

        Raises:
            ArgumentError: the sizes do not fit one another.
        """
        message = ""
        for signature in (arguments.signature, *arguments.signature.laxer):
            variant = self.variant(signature)
            check_data(variant.module, arguments)
            chosen = variant.interpreted(settings.interpret_lanes(), values)
            config = Config(tuple(chosen.items()))
            try:
                self._run(signature, config, values)
            except CheckError as error:
                message = error.message
                if variant.may_be_taken_laxer(error, chosen, values):
                    continue
                break
            return signature, config
        raise ArgumentError(message)

    def _run(
        self, signature: Signature, config: Config, values: Sequence[Any], level: str = "nt"
    ) -> None:
        """Evaluate a call as one of a class, by one configuration, on ``values``.

        Raises:
            CheckError: the sizes do not fit one another.
        """
        module, variant = self.composed(signature, config), self.variant(signature)
        written = variant.stores(module)
        if level == "tt":
            interpret(self._lowered(signature, config), values, {}, written=written)
        else:
            module = variant.evaluated if module is variant.module else module
            constants = {**dict(signature.constants), **dict(config.values)}
            interpret(module, values, constants, written=written)

    def _lowered(self, signature: Signature, config: Config, full: bool = False) -> ModuleOp:
        """The module in stage ``tt``, as ``lower`` makes it for the CPU; it is kept."""
        module, pipeline = self.composed(signature, config), self.definition.pipeline
        return lowered(module, signature, config, full, pipeline)

    def ir(self, stage: str, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> str:
        """Text of the IR in a stage (see ``Kernel.ir``)."""
        if not isinstance(cast("object", stage), str) or stage not in STAGES:
            raise ArgumentError(f"there is no stage {shown(stage)}; stages are {', '.join(STAGES)}")
        texts: dict[str, str] = {}
        with self._issued.collecting():
            signature, config = fitted(
                self.definition,
                dtypes,
                values,
                lambda signature: self._stages(signature, values, texts),
            )
        note = describe_assumptions(self.definition, signature, config, dtypes)
        return f"{note}{texts[stage]}\n"

    def _stages(
        self, signature: Signature, values: Mapping[str, Any], texts: dict[str, str]
    ) -> tuple[Signature, Config]:
        """Run the whole pipeline; the text of each stage goes to ``texts``."""
        pipeline = self.definition.pipeline
        every = (*ANNOTATED, *SPECIALIZED)
        reached = [step.stage for step in steps(every, pipeline=pipeline)]

        def observe(name: str, module: ModuleOp) -> None:
            # The first module observed is the frontend's.
            stage = None if name == "frontend" else reached.pop(0)
            if stage is not None:
                texts[stage] = text_of(module)

        # The kernel has warned of what there is to warn of.
        with collect_warnings():
            module = build(self.definition, signature)
            warps = self._options.num_warps
            signature, config = pick(self.definition, module, signature, values, warps)
            module = build(self.definition, signature, [observe], config)
        lower(module, signature, config, [observe], pipeline=pipeline)
        return signature, config

    def source(
        self,
        dtypes: Mapping[str, Any],
        values: Mapping[str, Any],
        language: Language,
        target: str,
    ) -> str:
        """Generated source text (see ``Kernel.source``)."""
        chosen = Target.parse(target)
        known = chosen.back_end.languages
        if not isinstance(cast("object", language), str) or language not in known:
            texts = " or ".join(map(repr, known))
            # The default may be one that another back end's targets have.
            wrong = f"{chosen} has" if language in languages() else "there is"
            raise ArgumentError(f"{wrong} no language {shown(language)}; write {texts}")
        signature, module = fitted(
            self.definition, dtypes, values, lambda signature: (signature, self.composed(signature))
        )
        warps = self._options.num_warps
        rounded, config = pick(self.definition, module, signature, values, warps)
        module = self.composed(signature, config)
        pipeline = self.definition.pipeline
        return compile_kernel(module, rounded, config, chosen, language, pipeline=pipeline).text

    def report(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> Report:
        """Verdicts on the kernel for all sizes."""
        return report(self.definition, dtypes, values)

    @property
    def configs(self) -> list[Config]:
        """Configurations for fp32 tensors, or integers where those fail; best guess first."""
        target = Target.parse(DEFAULT_TARGET)
        found = fitted(self.definition, {}, {}, lambda signature: self.space(signature, target))
        return list(found.configs)


def _always(*sizes: int) -> bool:
    """True: every choice of block sizes fits."""
    return True


def _varied(space: Space, config: Config) -> list[Config]:
    """What differs from ``config`` in one choice that is legal with some warps and stages."""
    same = [one for one in space.configs if one.values == config.values]
    varied = [other for one in same for other in space.varied(one)]
    varied += [one for one in space.packed if one.values == config.values]
    return [replace(config, choices=one) for one in dict.fromkeys(one.choices for one in varied)]
