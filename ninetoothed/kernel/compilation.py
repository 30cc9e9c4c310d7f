"""The compile side of a kernel: modules, artifacts, evaluation and reports.

``kernel`` imports it only for what is not in the cache: it loads xDSL.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import DEFAULT_TARGET, Language, Target
from ninetoothed.cache.entries import SignatureInfo
from ninetoothed.calls.arguments import Arguments
from ninetoothed.compiler.compile import build, compile_kernel, fingerprint, lower, serves
from ninetoothed.compiler.defaults import (
    assumed_signature,
    check_application,
    describe_assumptions,
    pick,
)
from ninetoothed.compiler.fits_function import fits_function
from ninetoothed.compiler.space import interpreted_values, space
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    AgreementWarning,
    ArgumentError,
    ArrangementError,
    CheckError,
    DeviceError,
    NineToothedWarning,
    UnusedValueWarning,
    collect_warnings,
)
from ninetoothed.interpreters import interpret
from ninetoothed.ir.nt import kernel_of
from ninetoothed.ir.stages import STAGES
from ninetoothed.kernel.issued_warnings import IssuedWarnings
from ninetoothed.passes.analysis.writes import writes
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, steps
from ninetoothed.verification.translation import validate
from ninetoothed.verification.unused_outputs import (
    warn_if_nothing_is_stored,
    warn_of_misspelt_outputs,
)
from ninetoothed.verification.verdicts import Report, check_outputs, report, warn_of_races


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
        self._interpreted: dict[int, dict[str, int]] = {}
        self._stores: dict[ModuleOp, tuple[int, ...]] = {}
        self._stored: frozenset[str] | None = None

    @cached_property
    def written(self) -> frozenset[str]:
        """Parameters that may be written to."""
        names = [param.name for param in self.signature.params]
        if self._is_specialized:
            # Other block sizes may have other stores.
            return frozenset(names)
        return frozenset(names[place] for place in self.stores(self.module))

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
        kernel = kernel_of(self.module)
        return any(decl.specialized is not None for decl in kernel.declarations)

    def serving(self, config: Config) -> ModuleOp:
        """The module of a configuration: one for all, unless specialized on block sizes."""
        for module in self._modules:
            if serves(module, config):
                return module
        with self._issued.collecting() as found:
            module = build(self._definition, self.signature, config=config)
            self._check(found)
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
    def _fits(self) -> Callable[..., Callable[..., bool]] | None:
        return fits_function(self.module, self.signature)

    def interpreted(self, lanes: int, values: Sequence[Any]) -> dict[str, int]:
        """Block sizes for evaluation of ``lanes`` lanes at once, of a call with these arguments."""
        found = self._interpreted.get(lanes)
        if found is None:
            found = interpreted_values(self.module, self.signature, lanes)
            self._interpreted[lanes] = found
        if self._fits is None or (fits := self._fits(*values))(*found.values()):
            return found
        return interpreted_values(self.module, self.signature, lanes, fits)

    def may_be_taken_laxer(self, error: CheckError, chosen: Mapping[str, int], values: Any) -> bool:
        """True if a laxer class may take a call that fails with ``chosen`` block sizes."""
        if self._fits is None or self._fits(*values)(*chosen.values()):
            return error.is_agreement
        # None passes, and each may fail another check.
        return any(check.data.agreement for check in kernel_of(self.module).checks)


class KernelCompiler:
    """Compiles, evaluates and explains one kernel.

    ``warnings`` and ``has_races`` as in :class:`~ninetoothed.cache.entries.CacheEntry`.
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
        self._issued = IssuedWarnings() if issued is None else issued
        self._options = Options() if options is None else options
        self._variants: dict[Signature, Variant] = {}
        self._lock = threading.Lock()

    def check(self) -> None:
        """Check the kernel for mistakes that do not depend on the call.

        Raises:
            NineToothedError: the arrangement or the application is wrong; at its place.
        """
        # The application must have a source.
        _ = self.definition.application.node
        with self._issued.collecting() as found:
            module = check_application(self.definition)
            self._check_agreement(found)
            warn_of_misspelt_outputs(self.definition)
            if module is not None:
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
                config = space(built.module, signature, warps).configs[0]
                validate(self.definition, signature, config)
            self._check_races(built.module, signature)
            check_outputs(self.definition, built.module, signature)
        built.warnings = tuple(found)
        self._variants[signature] = built
        return built

    def stored(self, signature: Signature) -> frozenset[str]:
        """Parameters that a kernel of a signature writes to with some block sizes."""
        target = Target.parse(DEFAULT_TARGET)
        return self.variant(signature).stored(lambda: self.space(signature, target).configs)

    def signature_info(self, signature: Signature) -> SignatureInfo:
        """Signature info of a signature."""
        variant = self.variant(signature)
        return SignatureInfo(variant.written, variant.warnings)

    def composed(self, signature: Signature, config: Config | None = None) -> ModuleOp:
        """The module in stage ``composed``, specialized on a configuration if need be."""
        variant = self.variant(signature)
        return variant.module if config is None else variant.serving(config)

    def fingerprint(self, signature: Signature, target: Target) -> str:
        """Digest of all that artifacts of a signature depend on, options apart."""
        variant = self.variant(signature)
        return variant.fingerprint(lambda: self.space(signature, target).configs)

    def space(self, signature: Signature, target: Target) -> Space:
        """Configuration space of a signature."""
        warps, stages = self._options.num_warps, self._options.num_stages
        return space(self.composed(signature), signature, warps, stages, target=target)

    def artifact(
        self, signature: Signature, config: Config, target: Target, language: Language
    ) -> Artifact:
        """Compile the artifact of one configuration."""
        module = self.composed(signature, config)
        return compile_kernel(module, signature, config, target, language)

    def interpret(self, arguments: Arguments) -> None:
        """Evaluate a call on CPU tensors, as one of the strictest class that takes it.

        Raises:
            ArgumentError: the sizes do not fit one another.
        """
        message = ""
        for signature in (arguments.signature, *arguments.signature.laxer):
            try:
                self._interpret(signature, arguments)
            except CheckError as error:
                message = error.message
                if error.is_agreement:
                    continue
                break
            return
        raise ArgumentError(message)

    def _interpret(self, signature: Signature, arguments: Arguments) -> None:
        """Evaluate a call as one of a class.

        Raises:
            CheckError: the sizes do not fit one another.
        """
        variant = self.variant(signature)
        _check_data(variant.module, arguments)
        chosen = variant.interpreted(settings.interpret_lanes(), arguments.values)
        module = variant.serving(Config(tuple(chosen.items())))
        try:
            constants = {**dict(signature.constants), **chosen}
            interpret(module, arguments.values, constants, written=variant.stores(module))
        except CheckError as error:
            error.is_agreement = variant.may_be_taken_laxer(error, chosen, arguments.values)
            raise

    def ir(self, stage: str, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> str:
        """Text of the IR in a stage (see ``Kernel.ir``)."""
        if stage not in STAGES:
            raise ArgumentError(f"there is no stage {stage!r}; stages are {', '.join(STAGES)}")
        signature = assumed_signature(self.definition, dtypes, values)
        texts: dict[str, str] = {}
        with self._issued.collecting():
            signature, config = self._stages(signature, values, texts)
        note = describe_assumptions(self.definition, signature, config, dtypes)
        return f"{note}{texts[stage]}\n"

    def _stages(
        self, signature: Signature, values: Mapping[str, Any], texts: dict[str, str]
    ) -> tuple[Signature, Config]:
        """Run the whole pipeline; the text of each stage goes to ``texts``."""
        reached = [step.stage for step in (*steps(ANNOTATED), *steps(SPECIALIZED))]

        def observe(name: str, module: ModuleOp) -> None:
            # The first module observed is the frontend's.
            stage = None if name == "frontend" else reached.pop(0)
            if stage is not None:
                texts[stage] = str(module)

        # The kernel has warned of what there is to warn of.
        with collect_warnings():
            module = build(self.definition, signature)
            warps = self._options.num_warps
            signature, config = pick(self.definition, module, signature, values, warps)
            module = build(self.definition, signature, [observe], config)
        lower(module, signature, config, [observe])
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
        if language not in known:
            texts = " or ".join(map(repr, known))
            raise ArgumentError(f"there is no language {language!r}; write {texts}")
        signature = assumed_signature(self.definition, dtypes, values)
        module = self.composed(signature)
        warps = self._options.num_warps
        rounded, config = pick(self.definition, module, signature, values, warps)
        module = self.composed(signature, config)
        return compile_kernel(module, rounded, config, chosen, language).text

    def report(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> Report:
        """Verdicts on the kernel for all sizes."""
        return report(self.definition, dtypes, values)

    @property
    def configs(self) -> list[Config]:
        """Configurations for fp32 tensors, the best guess first."""
        signature = assumed_signature(self.definition, {}, {})
        return list(self.space(signature, Target.parse(DEFAULT_TARGET)).configs)


def _check_data(module: ModuleOp, arguments: Arguments) -> None:
    """Check that the application does not access tensors on the meta device.

    Raises:
        DeviceError: the application reads or writes one.
    """
    kernel = kernel_of(module)
    for param, value, argument in zip(
        arguments.signature.params, arguments.values, kernel.apply.block.args, strict=True
    ):
        if param.kind == "tensor" and value.device.type == "meta" and any(argument.uses):
            raise DeviceError(
                f"{param.name} is on the meta device, which holds no data, and the application "
                "reads or writes it; pass a tensor with data"
            )
