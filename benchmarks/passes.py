"""Optimizations one by one: machine code with all of them, and without each; needs no GPU.

    python -m benchmarks.passes [--kernels NAME…] [--json FILE]
    python -m benchmarks.passes --gpu [--ops NAME…] [--sizes NAME…] [--dtypes NAME…]
                                      [--without NAME…]

The kernels of the examples are compiled for sm_90 in their first configuration, of fp16 tensors
where a type is not declared: once as for calls whose sizes and strides are multiples of 16, once as
for calls with odd ones (``odd``). What acts on tensors of more than 2^31 elements alone is measured
with those (``wide``). Shown are those whose text an optimization changes: instructions, those of
the longest innermost loop, spills and registers without it and with it, and how long Triton takes.
A choice of the tuner's is shown with its last value, and without it; ``vacuous_guards`` with the
kernel of calls whose sizes fill all blocks.

``--gpu``: GPU time of the operations with all optimizations, and without each
(``benchmarks.kernels``, in processes of its own).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from unittest import mock

from benchmarks import records, tables
from benchmarks.compile_time import TARGET, assumed, compile_once, example_kernels
from benchmarks.environment import ROOT, add_outputs, environment
from benchmarks.machine_code import counted
from benchmarks.records import Record, geometric_mean, of_kind, read
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.compiler.optimizations import OPTIMIZATIONS
from ninetoothed.compiler.space import space
from ninetoothed.errors import NineToothedError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat

_WITHOUT = (*OPTIMIZATIONS, "all")
_SETTING = "NINETOOTHED_DISABLE_OPTIMIZATIONS"
_OF_WIDE = ("narrow_indices",)
# Classes of calls: whether sizes and strides are multiples of 16, the width of indices, and what
# may change their kernels.
_CLASSES = {
    "by 16": (True, 32, tuple(name for name in OPTIMIZATIONS if name not in _OF_WIDE)),
    "odd": (False, 32, tuple(name for name in OPTIMIZATIONS if name not in _OF_WIDE)),
    "wide": (True, 64, _OF_WIDE),
    "wide, odd": (False, 64, _OF_WIDE),
}


def of_sizes(signature: Signature, by_16: bool) -> Signature:
    """The class of calls whose sizes and strides are multiples of 16, or not."""
    divisor = 16 if by_16 else 1

    def param(one: ParamSignature) -> ParamSignature:
        return replace(
            one,
            size_divisors=tuple(divisor for _ in one.size_divisors),
            stride_divisors=tuple(1 if unit else divisor for unit in one.unit_strides),
            aligned=one.kind == "tensor",
        )

    return replace(signature, params=tuple(map(param, signature.params)))


def usual(kernel: Kernel, signature: Signature) -> Signature:
    """The class of nearly all calls: tensors are contiguous, sizes equal that may be, and floats
    moderate numbers of fp32.
    """
    facts = kernel.interface.equals

    def param(place: int, one: ParamSignature) -> ParamSignature:
        if one.kind == "scalar" and one.dtype.startswith("fp"):
            return replace(one, dtype="fp32", moderate=True)
        return replace(one, contiguous=0 if place in kernel.interface.flattened else None)

    params = tuple(map(param, range(len(signature.params)), signature.params))
    equal = tuple((one[0], two[0]) for fact in facts for one, two in fact)
    return replace(signature, params=params, equal=equal)


def compiled(
    kernel: Kernel, signature: Signature, config: Config, without: str = "", full: bool = False
) -> Artifact:
    """The kernel's TTIR without some optimizations; ``full``: of calls in which all guards hold."""
    with mock.patch.dict(os.environ, {_SETTING: without}):
        return compile_once(kernel.definition, signature, config, full)[0]


def variants(kernel: Kernel, signature: Signature, config: Config) -> dict[str, Config]:
    """The configuration that has each optimization: of choices, the last legal value."""
    found = space(kernel.composed(signature), signature)
    values = dict(choice for one in found.varied(found.configs[0]) for choice in one.choices)
    return {name: config.choosing(name, values.get(name)) for name in OPTIMIZATIONS}


def measure(example: str, kernel: Kernel) -> Iterator[Record]:
    """A record for each optimization that changes a kernel's text, of each class of calls.

    Raises:
        NineToothedError: the kernel does not compile for what is assumed of a call.
    """
    dtype, assumed_signature, config = assumed(kernel)
    for sizes, (by_16, index_bits, optimizations) in _CLASSES.items():
        signature = usual(kernel, of_sizes(assumed_signature, by_16))
        signature = replace(signature, index_bits=index_bits)
        chosen_by_name = variants(kernel, signature, config)
        for name in optimizations:
            chosen = chosen_by_name[name]
            # Guards are only left out of a kernel of its own.
            full = name == "vacuous_guards"
            known = {"on": compiled(kernel, signature, chosen, full=full)}
            known["off"] = compiled(kernel, signature, config, without=name)
            if known["on"].text == known["off"].text:
                continue
            for switch, artifact in known.items():
                start = time.perf_counter()
                code = compat.compile_binary(artifact).code
                yield {
                    "kind": "code",
                    "kernel": kernel.definition.name,
                    "example": example,
                    "dtype": dtype,
                    "sizes": sizes,
                    "optimization": name,
                    "switch": switch,
                    **asdict(counted(code)),
                    "seconds": time.perf_counter() - start,
                }


def table(found: Iterable[Record]) -> str:
    """A line an optimization and kernel, off and on."""
    rows: dict[tuple[str, ...], dict[str, Record]] = {}
    for one in of_kind(found, "code"):
        key = (one["optimization"], one["kernel"], one["sizes"])
        rows.setdefault(key, {})[one["switch"]] = one
    fields = ("instructions", "loop", "spills", "registers")
    lines = [
        [
            *key,
            *(f"{pair['off'][field]} → {pair['on'][field]}" for field in fields),
            f"{pair['off']['seconds']:.2f} → {pair['on']['seconds']:.2f}",
        ]
        for key, pair in sorted(rows.items())
    ]
    head = ["optimization", "kernel", "sizes", *fields, "Triton, s"]
    return tables.table(head, lines, left=3)


def gpu_times(options: Sequence[str], without: str) -> dict[tuple[str, ...], float]:
    """Microseconds of our kernels by case, without an optimization."""
    with tempfile.TemporaryDirectory(prefix="ninetoothed-passes-") as folder:
        path = Path(folder) / "records.jsonl"
        command = [sys.executable, "-m", "benchmarks.kernels", *options]
        command += ["--providers", "ninetoothed", "--json", str(path), "--cache", folder]
        environ = {**os.environ, _SETTING: without}
        subprocess.run(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, check=False)
        names = ("operation", "size", "dtype", "layout")
        return {
            tuple(str(one[name]) for name in names): one["gpu_us"]
            for one in of_kind(read(path) if path.exists() else [], "kernel")
            if "gpu_us" in one
        }


def gpu_table(options: Sequence[str], without: Sequence[str]) -> str:
    """A line a case: microseconds with all optimizations, and those without each over them."""
    whole = gpu_times(options, "")
    less = {name: gpu_times(options, name) for name in without}
    lines = [
        [
            " ".join(case),
            tables.number(us),
            *(tables.ratio(times[case] / us if case in times else None) for times in less.values()),
        ]
        for case, us in whole.items()
    ]
    means = [
        tables.ratio(
            geometric_mean([times[case] / us for case, us in whole.items() if case in times])
        )
        for times in less.values()
    ]
    lines.append(["geometric mean", "", *means])
    return tables.table(["case", "µs", *(f"without {name}" for name in less)], lines)


def main() -> None:
    """Print the table; write the records where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.passes", description="machine code without each optimization"
    )
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these kernels only")
    parser.add_argument("--gpu", action="store_true", help="GPU time instead of machine code")
    parser.add_argument("--ops", nargs="+", metavar="NAME", help="operations, with --gpu")
    parser.add_argument("--sizes", nargs="+", metavar="NAME", help="sizes, with --gpu")
    parser.add_argument("--dtypes", nargs="+", metavar="NAME", help="element types, with --gpu")
    parser.add_argument(
        "--without",
        nargs="+",
        metavar="NAME",
        choices=_WITHOUT,
        default=_WITHOUT,
        help="optimizations that are switched off, with --gpu; default: each, and all",
    )
    add_outputs(parser)
    arguments = parser.parse_args()
    if arguments.gpu:
        options = [
            part
            for name in ("ops", "sizes", "dtypes")
            for part in (f"--{name}", *(getattr(arguments, name) or ()))
            if getattr(arguments, name)
        ]
        print(gpu_table(options, arguments.without))
        return
    known = example_kernels()
    if unknown := sorted(set(arguments.kernels or ()) - known.keys()):
        parser.error(f"unknown kernels {', '.join(unknown)}; valid are {', '.join(known)}")
    if not compat.available():
        sys.exit("Triton is not installed; nothing can be compiled")
    found: list[Record] = []
    for name in arguments.kernels or known:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            found += measure(*known[name])
        except NineToothedError as error:
            print(f"{name} is left out: {error.message}", file=sys.stderr)
    print(table(found))
    if arguments.json is not None:
        begun = environment("passes", arguments.commit, target=str(TARGET))
        records.write(arguments.json, [begun, *found])


if __name__ == "__main__":
    main()
