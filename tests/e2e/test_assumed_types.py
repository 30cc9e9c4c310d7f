"""Element types that nobody declared, where there is no call: ``report``, ``source`` and ``ir``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.errors import AssertionFailedError, TypeMismatchError
from ninetoothed.kernel.kernel import Kernel


def _arrangement(x: Tensor, n: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile((4,)), n, y.tile((4,))


def _odd(x, n, y):
    y = ntl.where((n & 1) == 1, ntl.exp(x), 0.0)


def _counted(x, n, y):
    y = ntl.exp(x)
    for i in range(n):
        y = y + i


def _shifted(x, n, y):
    y = x << n


def _shorts(x, n, y):
    ntl.static_assert(x.dtype == ntl.int16)
    y = x + n


def _impossible(x, n, y):
    y = ntl.exp(n) + (x & n)


def _made(application: Callable[..., object]) -> Kernel:
    return ninetoothed.make(_arrangement, application, (Tensor(1), Tensor(0), Tensor(1)))


@pytest.mark.parametrize(
    ("application", "types"),
    [
        (_odd, "x: fp32, n: i32, y: fp32"),
        (_counted, "x: fp32, n: i32, y: fp32"),
        (_shifted, "x: i32, n: i32, y: fp32"),
        (_shorts, "x: i16, n: i16, y: i16"),
    ],
)
def test_integers_are_tried_where_fp32_does_not_fit(
    application: Callable[..., object], types: str
) -> None:
    kernel = _made(application)
    text = f"element types assumed: {types}, for fp32 does not fit; give others with dtypes"
    assert kernel.report().assumed == text
    assert kernel.ir("composed").startswith(f"// {text}\n")
    assert "tl.store(" in kernel.source(language="triton-python")
    assert kernel.configs


def test_types_that_are_given_stay() -> None:
    kernel = _made(_odd)
    assert kernel.report({"n": "i64"}).assumed == "element types assumed: x: fp32, y: fp32"
    with pytest.raises(TypeMismatchError, match="takes integers, not fp32") as found:
        kernel.report({"n": "fp32", "x": "fp32", "y": "fp32"})
    assert "assumed" not in found.value.message


def test_an_error_that_remains_names_what_was_assumed() -> None:
    kernel = _made(_impossible)
    for ask in (kernel.report, kernel.source, lambda: kernel.ir("tt")):
        with pytest.raises(TypeMismatchError) as found:
            ask()
        assert found.value.message.endswith(
            "; element types assumed: x: fp32, n: fp32, y: fp32, for no call gives them: where "
            'another fits, give it, as in dtypes={"n": "i32"}, or to nt-opt with --dtype n=i32'
        )


def test_an_assertion_that_no_type_fulfils_is_an_error_of_make() -> None:
    def application(x, n, y):
        ntl.static_assert(x.dtype == ntl.int16 and x.dtype == ntl.int8)
        y = x + n

    with pytest.raises(AssertionFailedError):
        _made(application)
