"""Options with values that they have not, or that name what no kernel has: the exact messages."""

from __future__ import annotations

import re

import pytest

from ninetoothed.testing import nt_opt

KERNEL = """
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 64>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv B], [B]] -> [g0 * B + b0] if [[g0 * B + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%a : !nt.tensor<[B] x f32>):
  nt.return
}
"""


def error_of(pipeline: str) -> str:
    """The message, without the file that reproduces it and without its place."""
    result = nt_opt(["-", "-p", pipeline], KERNEL)
    assert result.code == 1
    return re.sub(r"; reproduce it with .*", "", result.err.splitlines()[0])


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ('nt-specialize{values="B"}', "nt-specialize: values holds NAME=NUMBER, not 'B'"),
        ('nt-specialize{values="B=x"}', "nt-specialize: values holds NAME=NUMBER, not 'B=x'"),
        ('nt-specialize{contiguous="x"}', "nt-specialize: contiguous holds NAME=NUMBER, not 'x'"),
        ('nt-specialize{equal="n"}', "nt-specialize: equal holds NAME=NAME, not 'n'"),
        ("nt-specialize{padded_sizes=3}", "nt-specialize: padded_sizes are powers of two, not 3"),
        ("nt-specialize{index_bits=7}", "nt-specialize: index_bits is 32 or 64, not 7"),
        ("nt-fold-guards{index_bits=16}", "nt-fold-guards: index_bits is 32 or 64, not 16"),
        ("nt-lower-accesses{index_bits=0}", "nt-lower-accesses: index_bits is 32 or 64, not 0"),
        (
            "nt-lower-accesses{pointer_blocks=2}",
            "nt-lower-accesses: pointer_blocks is 0 or 1, not 2",
        ),
        (
            "nt-lower-accesses{moving_bounds=2}",
            "nt-lower-accesses: moving_bounds is 0 or 1, not 2",
        ),
        (
            "nt-check-arrangement{index_bits=8}",
            "nt-check-arrangement: index_bits is 32 or 64, not 8",
        ),
        (
            'nt-check-arrangement{agreement="x"}',
            "nt-check-arrangement: agreement is shapes, counts or any, not x",
        ),
        (
            'nt-number-programs{agreement="sizes"}',
            "nt-number-programs: agreement is shapes, counts or any, not sizes",
        ),
        ("nt-hoist-loads{num_warps=0}", "nt-hoist-loads: num_warps is at least 1, not 0"),
        ("nt-stage-loops{stages=-1}", "nt-stage-loops: stages is at least 1, not -1"),
        (
            "nt-use-descriptors{descriptors=3}",
            "nt-use-descriptors: descriptors is 0, 1 or 2, not 3",
        ),
        (
            "nt-use-descriptors{index_bits=8}",
            "nt-use-descriptors: index_bits is 32 or 64, not 8",
        ),
        ("nt-reread-rows{reread=2}", "nt-reread-rows: reread is 0 or 1, not 2"),
        (
            "nt-persist-programs{persistent=2}",
            "nt-persist-programs: persistent is 0 or 1, not 2",
        ),
        (
            'nt-specialize{divisors="n=12"}',
            "nt-specialize: divisors are powers of two, not 12",
        ),
        (
            'nt-specialize{divisors="n=32"}',
            "nt-specialize: divisors are at most 16, not 32",
        ),
        (
            'nt-specialize{divisors="n"}',
            "nt-specialize: divisors holds NAME=NUMBER, not 'n'",
        ),
        ('nt-check-stage{stage="compose"}', "there is no stage compose; did you mean composed?"),
        ("nt-check-stage", 'nt-check-stage requires argument "stage"'),
        (
            "nt-specialize{merges_equal=3}",
            "option merges_equal of nt-specialize is of type bool, not 3",
        ),
    ],
)
def test_values_that_an_option_has_not(pipeline: str, message: str) -> None:
    assert error_of(pipeline) == f"nt-opt: ArgumentError: -p: {message}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('values="C=3"', "values names C, which is no symbol of the kernel; it has n, B"),
        ('divisors="x=16"', "divisors names x, which is no symbol of the kernel; it has n, B"),
        ('indivisible="m"', "indivisible names m, which is no symbol of the kernel; it has n, B"),
        ('equal="n=m"', "equal names m, which is no symbol of the kernel; it has n, B"),
        ('aligned="y"', "aligned names y, which is no parameter of the kernel; it has x"),
        ('contiguous="y=0"', "contiguous names y, which is no parameter of the kernel; it has x"),
        ('contiguous="x=2"', "contiguous says dim 2 of x, which has 1 dim"),
        (
            "padded_sizes=4,8",
            "there are 2 padded sizes for 0 block sizes that only a call knows",
        ),
        ('values="B=-3"', "nt.tensor: size -3 is negative"),
    ],
)
def test_options_of_specialize_that_the_kernel_does_not_fit(options: str, message: str) -> None:
    assert error_of(f"nt-specialize{{{options}}}") == (
        f"nt-opt: CompilerError: pass nt-specialize: {message}"
    )


def test_the_place_of_a_module_without_kernels() -> None:
    result = nt_opt(["-", "-p", 'nt-specialize{values="n=3"}'], "builtin.module {\n}\n")
    first, place, *_ = result.err.splitlines()
    assert first.startswith(
        "nt-opt: CompilerError: pass nt-specialize: values names n, which is no symbol of the "
        "kernel; it has none; "
    )
    assert place.strip() == 'File "stdin", line 1, column 1'


def test_a_block_size_that_the_application_was_not_built_for() -> None:
    text = KERNEL.replace("B meta 32 to 64", "B meta 32 to 64 specialized 64")
    result = nt_opt(["-", "-p", 'nt-specialize{values="B=32"}'], text)
    assert result.err.startswith(
        "nt-opt: CompilerError: pass nt-specialize: B is 32, and the application was built for 64; "
    )


@pytest.mark.parametrize("name", ["nt-fit-target", "nt-lower-to-tt"])
def test_unknown_targets(name: str) -> None:
    assert error_of(f'{name}{{target="sm_9x"}}') == (
        "nt-opt: DeviceError: unknown target 'sm_9x'; did you mean sm_90?"
    )
