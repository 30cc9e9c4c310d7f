"""Every example compiles offline for every target, in both languages, for every configuration
family.
"""

from __future__ import annotations

import pytest

from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.targets import TARGETS

pytestmark = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")

EXAMPLES = {"add": add_kernel, "matmul": matmul_kernel, "softmax": softmax_kernel}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_example_compiles(example: str, dtype: str, language: str, target: str) -> None:
    kernel: Kernel = EXAMPLES[example]
    dtypes = {parameter.name: dtype for parameter in kernel.definition.parameters}
    offline.compiled(kernel, target, language, dtypes)
