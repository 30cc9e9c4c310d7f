"""Every row of the language, run in every way, against NumPy in ``float64``: see ``tests/rows``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import pytest

from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError, ConfigurationError, TypeMismatchError
from ninetoothed.language.table import PUBLIC, TABLE
from ninetoothed.runtime.toolchain.triton import compat
from tests import rows
from tests.rows import running
from tests.rows.case import Case
from tests.support.imports import ROOT
from tests.support.targets import CHOSEN, FEW_TARGETS, TARGETS
from tests.support.ttir_stage import to_ttir


def cases() -> list[tuple[str, Case]]:
    """Every case, with its topic: a module of ``tests.rows`` that has ``CASES``."""
    names = sorted(info.name for info in pkgutil.iter_modules(rows.__path__))
    modules = {name: importlib.import_module(f"tests.rows.{name}") for name in names}
    return [
        (topic, case) for topic, module in modules.items() for case in getattr(module, "CASES", ())
    ]


CASES = cases()


def over(dtypes: Callable[[Case], tuple[str, ...]]) -> pytest.MarkDecorator:
    """The cases, each with each of some of its element types."""
    params = [
        pytest.param(case, dtype, id=f"{topic}-{case.name}-{dtype}")
        for topic, case in CASES
        for dtype in dtypes(case)
    ]
    return pytest.mark.parametrize(("case", "dtype"), params)


@over(running.dtypes)
def test_row(case: Case, dtype: str) -> None:
    """In both interpreters; and Triton takes both texts, or compiles them for chosen targets."""
    lowered = running.run_on_cpu(case, dtype)
    if not compat.available():
        return
    for kernel in lowered:
        with _lacking(case, dtype, FEW_TARGETS[0]):
            for artifact in kernel.artifacts(FEW_TARGETS[0]):
                to_ttir(artifact)
    for target in TARGETS if CHOSEN else ():
        with _lacking(case, dtype, target):
            for artifact in lowered[0].artifacts(target):
                compat.compile_binary(artifact)


def _lacking(case: Case, dtype: str, target: str) -> AbstractContextManager[object]:
    """Expect the error of what a target does not have, or Triton not of it."""
    parsed = Target.parse(target)
    is_amd = parsed.backend == "hip"
    if dtype.startswith("fp8") and dtype not in capabilities(parsed).eight_bit_floats:
        return pytest.raises(TypeMismatchError, match=f"{target} has no {dtype}")
    if is_amd and case.name == "dot_tf32x3":
        return pytest.raises(ArgumentError, match="forms no products of fp32 in 'tf32x3'")
    if is_amd and (case.name, dtype) in _AMD_SINCE_3_7 and compat.version().startswith("3.6."):
        return pytest.raises(ConfigurationError, match="PassManager::run failed")
    return nullcontext()


_AMD_SINCE_3_7 = (("dot", "fp64"), ("dot_ieee", "fp64"), ("dot_scaled", "fp16"))
"""Cases that Triton 3.6 does not compile for AMD's GPUs."""


@pytest.mark.gpu
@over(lambda case: case.dtypes)
def test_row_on_a_gpu(case: Case, dtype: str) -> None:
    running.run_on_gpu(case, dtype)


_DEBUGGING = "tests/e2e/test_debugging.py"
ELSEWHERE = {
    "static_assert": ("it stops the compiler", "tests/errors/programs/random_and_order.py"),
    "static_print": ("it prints when compiling", _DEBUGGING),
    "inline_asm_elementwise": ("it is for GPUs only", _DEBUGGING),
}
"""Rows that no case can show: why, and the file that tests them.

``tests/e2e/test_libdevice.py`` goes through all types of all functions of ``ntl.libdevice``.
"""


NAMES = frozenset((*TABLE, *PUBLIC))
"""The functions and operators of the language."""


def test_every_row_has_a_case() -> None:
    covered = {name for _, case in CASES for name in case.covers.split()}
    missing = NAMES - covered - set(ELSEWHERE)
    assert not missing, f"no case in tests/rows covers {', '.join(sorted(missing))}"


def test_cases_cover_what_there_is() -> None:
    covered = {name for _, case in CASES for name in case.covers.split()}
    unknown = covered | set(ELSEWHERE)
    assert not unknown - NAMES, "these are no rows"
    assert not covered & set(ELSEWHERE), "these are tested by a case"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_has_no_case_is_tested_elsewhere(name: str) -> None:
    _, path = ELSEWHERE[name]
    assert name in (ROOT / path).read_text(encoding="utf-8")
