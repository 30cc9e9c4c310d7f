"""Compilation on demand: what is known of a kernel without its compiler, and the compiler."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.options import Options
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Language, Target, languages
from ninetoothed.cache import entries
from ninetoothed.cache.entries import CacheEntry, OutputFacts, SignatureInfo
from ninetoothed.definition.definition import Definition
from ninetoothed.fingerprint.digest import stamp
from ninetoothed.kernel.issued_warnings import IssuedWarnings
from ninetoothed.runtime import toolchain

if TYPE_CHECKING:
    from ninetoothed.kernel.compilation import KernelCompiler


class Compilation:
    """Lazy access to a kernel's compiler, whose modules are imported at the first use.

    ``digest`` is that of all that the kernel depends on, or None.
    """

    def __init__(
        self,
        definition: Definition,
        options: Options,
        digest: str | None,
        entry: CacheEntry,
        issued: IssuedWarnings,
        compiler: KernelCompiler | None = None,
    ) -> None:
        self.definition = definition
        self._options = options
        self.digest = digest
        self.issued = issued
        self.equal_sizes = entry.equal_sizes
        self.scales = entry.scales
        self._has_races = entry.has_races
        self._compiler = compiler
        self._signature_infos: dict[Signature, SignatureInfo] = {}
        self._lock = threading.RLock()
        known = languages()
        is_named = options.backend in known
        self._language = options.backend if is_named else settings.backend(languages)

    def written(self, signature: Signature) -> frozenset[str]:
        """Parameters that may be written to."""
        return self.signature_info(signature).written

    def stored(self, signature: Signature) -> frozenset[str]:
        """Parameters that are written to with some block sizes."""
        known = self.signature_info(signature).stored
        if known is None:
            known = self.compiler.stored(signature)
            self._keep(signature)
        return known

    @property
    def compiler(self) -> KernelCompiler:
        """The compile side."""
        with self._lock:
            if self._compiler is None:
                from ninetoothed.kernel.compilation import KernelCompiler

                self._compiler = KernelCompiler(
                    self.definition, self._options, self.issued, self._has_races
                )
            return self._compiler

    def signature_info(self, signature: Signature) -> SignatureInfo:
        """Signature info of a signature; its warnings are repeated the first time."""
        found = self._signature_infos.get(signature)
        if found is not None:
            return found
        with self._lock:
            return self._signature_infos.get(signature) or self._found(signature)

    def _found(self, signature: Signature) -> SignatureInfo:
        key = None if settings.inspects() else self.digest
        found = None if key is None else entries.load_signature_info(key, signature)
        if (
            found is not None
            and self._options.is_strict
            and any(warning.is_error_if_strict for warning in found.warnings)
        ):
            # The compiler raises the error.
            found = None
        if found is None:
            found = self.compiler.signature_info(signature)
            if key is not None:
                entries.store_signature_info(key, signature, found)
        self.issued.issue(found.warnings)
        self._has_races = True
        self._signature_infos[signature] = found
        return found

    def output_facts(self, dtypes: Mapping[str, Any], values: Mapping[str, Any]) -> OutputFacts:
        """What is known of outputs in calls with these element types and constants."""
        key = None if self.digest is None or settings.inspects() else self.digest
        given = [sorted((name, repr(one)) for name, one in row.items()) for row in (dtypes, values)]
        known = None if key is None else entries.load_output_facts(f"{key} outputs {given}")
        if known is not None:
            return known
        found = self.compiler.output_facts(dtypes, values)
        if key is not None:
            entries.store_output_facts(f"{key} outputs {given}", found)
        return found

    def key(self, signature: Signature, target: Target) -> str:
        """Cache key of a signature's space and artifacts."""
        # Warnings that the signature has are repeated.
        self.signature_info(signature)
        base = (
            self.digest
            or f"{self.compiler.fingerprint(signature, target)} {stamp()} {self._options.key}"
        )
        pipeline = self.definition.pipeline
        if self.digest is None and pipeline is not None:
            base = f"{base} {pipeline.key}"
        version = toolchain.of(target).version() + target.back_end.origin
        key = f"{base} {signature} {target} {self.language(target)} {version}"
        disabled = settings.optimizations()
        return f"{key} without {disabled}" if disabled else key

    def space(self, signature: Signature, target: Target) -> Space:
        """Configuration space of a signature."""
        return self.compiler.space(signature, target)

    def artifact(
        self, signature: Signature, config: Config, target: Target, full: bool = False
    ) -> Artifact:
        """Compile an artifact of one configuration; ``full`` as in the artifact."""
        found = self.compiler.artifact(signature, config, target, self.language(target), full)
        self._keep(signature)
        return found

    def _keep(self, signature: Signature) -> None:
        """Keep what modules told that were built since, of other block sizes."""
        with self._lock:
            known = self._signature_infos.get(signature)
            latest = self.compiler.signature_info(signature)
            if known is None:
                return
            warnings = tuple(dict.fromkeys((*known.warnings, *latest.warnings)))
            stored = latest.stored if known.stored is None else known.stored
            found = known._replace(warnings=warnings, stored=stored)
            if found == known:
                return
            self._signature_infos[signature] = found
            if self.digest is not None and not settings.inspects():
                entries.store_signature_info(self.digest, signature, found)

    def language(self, target: Target) -> Language:
        """Language that kernels are emitted in for a target."""
        return self._language or target.back_end.languages[0]
