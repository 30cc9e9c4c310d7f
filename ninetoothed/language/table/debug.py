"""Rows of what a program says and demands, of what the compiler may take for granted, of which
program it is, and of assembly.
"""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive


def _hint(name: str, kind: str, doc: str) -> Primitive:
    text = (
        f"``input``, of which the compiler may take for granted that {doc}. ``values`` are known "
        "when compiling, one a dim. What is not so makes the results of a GPU wrong."
    )
    return Primitive(name, "hint", ("input", "values"), text, triton=kind)


ROWS = (
    Primitive(
        "device_print",
        "device_print",
        ("prefix", "*args", "hex=False"),
        "Prints ``prefix``, a string, and the values at run time, a line a lane, with the program "
        "and the lane in front. The lanes that padding adds to a block, and those outside of a "
        "tensor, are printed on a GPU only, where they hold anything.",
    ),
    Primitive(
        "device_assert",
        "device_assert",
        ("cond", "msg=''", "mask=None"),
        "Stops with ``msg`` where a lane of ``cond`` is false at run time and ``mask`` holds; on a "
        "GPU that ends the process's work with the device. Unlike Triton's it is never left out.",
    ),
    Primitive(
        "static_print",
        "static_print",
        ("*values", "sep=' '", "end='\\n'"),
        "Prints values when compiling; of what is known at run time only, what it is.",
    ),
    Primitive(
        "assume",
        "assume",
        ("cond",),
        "The compiler may take for granted that the condition, one bit, is true. Where it is not, "
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
        "as many integers in a row as the value says are consecutive",
    ),
    _hint("max_constancy", "constancy", "as many lanes in a row as the value says are equal"),
    Primitive(
        "debug_barrier",
        "debug_barrier",
        (),
        "All threads of a program wait for one another.",
    ),
    Primitive(
        "program_id",
        "program_id",
        ("axis",),
        "The number of the program in the row-major order of the outermost level, as i32, along "
        "axis 0; along the axes 1 and 2, of which a launch makes no use, 0.",
    ),
    Primitive(
        "num_programs",
        "num_programs",
        ("axis",),
        "The number of programs, as i32, along axis 0; along the axes 1 and 2 it is 1.",
    ),
    Primitive(
        "inline_asm_elementwise",
        "inline_asm",
        ("asm", "constraints", "args", "dtype", "is_pure", "pack"),
        "Runs assembly of the target's own on ``pack`` lanes of the blocks ``args`` at a time, and "
        "gives a block of ``dtype``, or of each of several. ``constraints`` are LLVM's. Not on CPU "
        "tensors.",
    ),
)
