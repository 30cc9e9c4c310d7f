"""Rows of debugging, hints to the compiler, program ids and inline assembly."""

from __future__ import annotations

from ninetoothed.language.table.kinds import ARGUMENTS, LANES, NO_BROADCAST, SHAPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

DEVICE_PRINT = Kind(
    "device_print",
    "Any; each is printed in its own.",
    (
        f"{TYPES}the prefix is no string, or a value no number.",
        f"{ARGUMENTS}the prefix is not ASCII.",
    ),
    "Numbers and bits.",
    'ntl.{name}("x", x)',
)
DEVICE_ASSERT = Kind(
    "device_assert",
    LANES.partition(",")[0] + ".",
    (f"{TYPES}``msg`` is no string.", NO_BROADCAST),
    "Bits; a number holds where it is not 0.",
    'ntl.{name}(x > 0, "x must be positive")',
)
STATIC_PRINT = Kind("static_print", "Any.", (), "Any.", "ntl.{name}(x.shape)")
ASSUME = Kind(
    "assume",
    "One bit.",
    (f"{SHAPES}it is a block.",),
    "Bits; a number holds where it is not 0.",
    "ntl.{name}(n > 0)",
)
HINT = Kind(
    "hint",
    "Any; the result has the same. A scalar has ``multiple_of`` only, with one value.",
    (
        f"{TYPES}a value is not known when compiling.",
        f"{SHAPES}there are more or fewer values than dims.",
        f"{ARGUMENTS}a value is below 1.",
    ),
    "Any, pointers too.",
    "ntl.{name}(i, 16)",
)
DEBUG_BARRIER = Kind("debug_barrier", "None.", (), "None.", "ntl.{name}()")
PROGRAM_ID = Kind(
    "program_id", "A scalar.", (f"{ARGUMENTS}there is no such axis.",), "i32.", "ntl.{name}(0)"
)
NUM_PROGRAMS = Kind(
    "num_programs", "A scalar.", (f"{ARGUMENTS}there is no such axis.",), "i32.", "ntl.{name}(0)"
)
INLINE_ASM = Kind(
    "inline_asm",
    LANES,
    (
        f"{TYPES}an option is not known when compiling, or ``dtype`` is none.",
        f"{ARGUMENTS}there is no result, or ``pack`` is below 1.",
        NO_BROADCAST,
        "DeviceError: the tensors are on the CPU.",
    ),
    "Any.",
    'ntl.{name}("add.f32 $0, $1, 1.0;", "=f,f", [x], ntl.float32, True, 1)',
)


def _hint(name: str, kind: str, doc: str) -> Primitive:
    text = (
        f"Hint: ``input``, of which the compiler may assume that {doc}. ``values`` are known when "
        "compiling, one a dim. If it does not hold, the results of a GPU are wrong."
    )
    return Primitive(name, HINT, ("input", "values"), text, triton=kind)


ROWS = (
    Primitive(
        "device_print",
        DEVICE_PRINT,
        ("prefix", "*args", "hex=False"),
        "Prints ``prefix``, a string, and the values at run time, a line a lane, with the program "
        "and the lane in front. Lanes of padding, and those outside of a tensor, are printed on a "
        "GPU only, with unspecified values.",
    ),
    Primitive(
        "device_assert",
        DEVICE_ASSERT,
        ("cond", "msg=''", "mask=None"),
        "Run-time assertion: stops with ``msg`` where a lane of ``cond`` is false and ``mask`` "
        "holds; on a GPU that ends the process's use of the device. Unlike Triton's it is never "
        "left out. Beside dots of 64 rows and more on Hopper it stops without the message, which "
        "CPU tensors say, and the GPU with ``NINETOOTHED_DISABLE_OPTIMIZATIONS="
        "trapped_assertions``. In a loop with dots, Triton then loads nothing ahead: carry a bit "
        "through the loop, and assert behind it.",
    ),
    Primitive(
        "static_print",
        STATIC_PRINT,
        ("*values", "sep=' '", "end='\\n'"),
        "Prints values when compiling; of values known at run time only, their types.",
    ),
    Primitive(
        "assume",
        ASSUME,
        ("cond",),
        "Assumption: the compiler may assume that the condition, one bit, is true. If it is not, "
        "the results of a GPU are wrong.",
    ),
    _hint(
        "multiple_of",
        "divisibility",
        "the first of each group of consecutive integers is a multiple of the value",
    ),
    _hint(
        "max_contiguous",
        "contiguity",
        "groups of this many integers are consecutive",
    ),
    _hint("max_constancy", "constancy", "groups of this many consecutive lanes are equal"),
    Primitive(
        "debug_barrier",
        DEBUG_BARRIER,
        (),
        "Barrier: all threads of a program wait for one another.",
    ),
    Primitive(
        "program_id",
        PROGRAM_ID,
        ("axis",),
        "The program's index in the row-major order of the outermost level, as i32, along axis 0; "
        "along the axes 1 and 2, which launches do not use, 0.",
    ),
    Primitive(
        "num_programs",
        NUM_PROGRAMS,
        ("axis",),
        "The number of programs, as i32, along axis 0; along the axes 1 and 2 it is 1.",
    ),
    Primitive(
        "inline_asm_elementwise",
        INLINE_ASM,
        ("asm", "constraints", "args", "dtype", "is_pure", "pack"),
        "Inline assembly of the target over ``pack`` lanes of the blocks ``args`` at a time; the "
        "result is a block of ``dtype``, or one of each of several. ``constraints`` are LLVM's. "
        "Not on CPU tensors.",
    ),
)
