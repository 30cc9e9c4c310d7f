"""Rows of what reads and writes through pointers."""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive


def _atomic(name: str, *operands: str, doc: str) -> Primitive:
    op = "atomic_cas" if name == "cas" else "atomic"
    text = (
        f"{doc} where the pointers point, in one step that no other program sees half of; gives "
        "what was there before. ``sem`` is 'relaxed', 'acquire', 'release' or 'acq_rel' (default), "
        "``scope`` 'gpu' (default), 'cta' or 'sys'."
    )
    parameters = ("pointer", *operands, "sem=None", "scope=None")
    return Primitive(f"atomic_{name}", op, parameters, text)


ROWS = (
    Primitive(
        "load",
        "load",
        ("pointer", "mask=None", "other=None"),
        "What a pointer, or a block of them, points to, where the mask holds; elsewhere ``other``. "
        "Pointers come from ``x.source.data_ptr()`` and are moved by ``+``.",
    ),
    Primitive(
        "store",
        "store",
        ("pointer", "value", "mask=None"),
        "Writes to where a pointer, or a block of them, points, where the mask holds.",
    ),
    _atomic("add", "val", "mask=None", doc="Adds ``val`` to what is"),
    _atomic("max", "val", "mask=None", doc="Leaves the larger of ``val`` and what is"),
    _atomic("min", "val", "mask=None", doc="Leaves the smaller of ``val`` and what is"),
    _atomic("and", "val", "mask=None", doc="Keeps the bits of ``val`` of what is"),
    _atomic("or", "val", "mask=None", doc="Sets the bits of ``val`` in what is"),
    _atomic("xor", "val", "mask=None", doc="Turns the bits of ``val`` in what is"),
    _atomic("xchg", "val", "mask=None", doc="Puts ``val`` in the place of what is"),
    _atomic("cas", "cmp", "val", doc="Puts ``val``, where the bits are those of ``cmp``,"),
)
