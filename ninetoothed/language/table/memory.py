"""Rows of loads, stores and atomics through pointers."""

from __future__ import annotations

from ninetoothed.language.table.kinds import ARGUMENTS, NO_BROADCAST, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

_NO_POINTER = f"{TYPES}the first is no pointer."
_NO_UPDATE = (
    _NO_POINTER,
    f"{TYPES}the device has no such atomic of this type.",
    f"{ARGUMENTS}there is no such ``sem`` or ``scope``.",
)
_UPDATED = "The values and the mask are broadcast to the pointers, whose shape the result has."
_BY_DEVICE = "The values are converted to what the pointers point to."

LOAD = Kind(
    "load",
    "The mask and ``other`` are broadcast to the pointers.",
    (_NO_POINTER, f"{ARGUMENTS}``other`` without a mask.", NO_BROADCAST),
    "What the pointers point to.",
    "ntl.load(p, mask=x > 0, other=0)",
)
STORE = Kind(
    "store",
    "The value and the mask are broadcast to the pointers.",
    (_NO_POINTER, NO_BROADCAST),
    "The value is converted to what the pointers point to.",
    "ntl.store(p, x, mask=x > 0)",
)
ATOMIC = Kind(
    "atomic",
    _UPDATED,
    (*_NO_UPDATE, NO_BROADCAST),
    _BY_DEVICE,
    "ntl.{name}(q, i, mask=i > 0)",
)
ATOMIC_CAS = Kind(
    "atomic_cas",
    f"{_UPDATED} On a GPU, sizes that are powers of two, since there is no mask.",
    (*_NO_UPDATE, NO_BROADCAST),
    _BY_DEVICE,
    "ntl.{name}(q, 0, i)",
)


def _atomic(name: str, *operands: str, doc: str) -> Primitive:
    kind = ATOMIC_CAS if name == "cas" else ATOMIC
    text = (
        f"Atomic {doc} at the pointers; returns the values from before. ``sem`` is 'relaxed', "
        "'acquire', 'release' or 'acq_rel' (default), ``scope`` 'gpu' (default), 'cta' or 'sys'."
    )
    parameters = ("pointer", *operands, "sem=None", "scope=None")
    return Primitive(f"atomic_{name}", kind, parameters, text)


ROWS = (
    Primitive(
        "load",
        LOAD,
        (
            *("pointer", "mask=None", "other=None", "boundary_check=()", "padding_option=''"),
            *("cache_modifier=''", "eviction_policy=''", "volatile=False"),
        ),
        "Load from a pointer, or a block of them, where the mask holds; elsewhere ``other``. "
        "Pointers come from ``x.source.data_ptr()`` and are moved by ``+``. ``cache_modifier`` is "
        "'', '.ca', '.cg', '.cs' or '.cv', ``eviction_policy`` '', 'evict_first' or 'evict_last', "
        "for a GPU's caches. ``boundary_check`` and ``padding_option`` are those of "
        "Triton's block pointers, and stay empty.",
    ),
    Primitive(
        "store",
        STORE,
        (
            *("pointer", "value", "mask=None", "boundary_check=()"),
            *("cache_modifier=''", "eviction_policy=''"),
        ),
        "Store to a pointer, or a block of them, where the mask holds. "
        "``cache_modifier`` is '', '.wb', '.cg', '.cs' or '.wt', ``eviction_policy`` '', "
        "'evict_first' or 'evict_last', for a GPU's caches. ``boundary_check`` is that of "
        "Triton's block pointers, and stays empty.",
    ),
    _atomic("add", "val", "mask=None", doc="add of ``val``"),
    _atomic("max", "val", "mask=None", doc="maximum with ``val``"),
    _atomic("min", "val", "mask=None", doc="minimum with ``val``"),
    _atomic("and", "val", "mask=None", doc="bitwise and with ``val``"),
    _atomic("or", "val", "mask=None", doc="bitwise or with ``val``"),
    _atomic("xor", "val", "mask=None", doc="bitwise exclusive or with ``val``"),
    _atomic("xchg", "val", "mask=None", doc="exchange with ``val``"),
    _atomic(
        "cas", "cmp", "val", doc="compare-and-swap: ``val`` where the bits equal those of ``cmp``,"
    ),
)
