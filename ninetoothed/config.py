"""Environment variables of the package, typed.

The variables are read when they are asked for, so a test or a program may set them at any time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from ninetoothed.errors import ConfigurationError


def _text(name: str) -> str | None:
    value = os.environ.get(name, "").strip()
    return value or None


def _integer(name: str, default: int, minimum: int) -> int:
    text = _text(name)
    if text is None:
        return default
    try:
        value = int(text)
    except ValueError:
        value = minimum - 1
    if value < minimum:
        raise ConfigurationError(f"{name} must be an integer of at least {minimum}, not {text!r}")
    return value


def _flag(name: str) -> bool:
    text = _text(name)
    if text is None or text.lower() in ("0", "false", "off", "no"):
        return False
    if text.lower() in ("1", "true", "on", "yes"):
        return True
    raise ConfigurationError(f"{name} must be 0 or 1, not {text!r}")


def cache_dir() -> Path:
    """``NINETOOTHED_CACHE_DIR``: folder of artifacts and tuning results, which nobody but this user
    and root may be able to write. Default ``~/.cache/ninetoothed``.
    """
    text = _text("NINETOOTHED_CACHE_DIR")
    if text is not None:
        return Path(text).expanduser()
    base = _text("XDG_CACHE_HOME")
    root = Path(base) if base is not None else Path.home() / ".cache"
    return root / "ninetoothed"


def names_cache_dir() -> bool:
    """True if ``NINETOOTHED_CACHE_DIR`` is set."""
    return _text("NINETOOTHED_CACHE_DIR") is not None


def cache_read_only_dir() -> Path | None:
    """``NINETOOTHED_CACHE_READ_ONLY_DIR``: a second cache folder, in which is looked for what the
    first one lacks. Nothing there is written, deleted or locked. Default: none.
    """
    text = _text("NINETOOTHED_CACHE_READ_ONLY_DIR")
    return None if text is None else Path(text).expanduser()


def cache_size() -> int:
    """``NINETOOTHED_CACHE_SIZE``: limit of the cache in bytes; 0: no limit. ``K``, ``M``, ``G`` and
    ``T`` after a number are powers of 1024. Default ``1G``.
    """
    return _bytes("NINETOOTHED_CACHE_SIZE", 1 << 30, "for no bound")


def scratch_size() -> int:
    """``NINETOOTHED_SCRATCH_SIZE``: limit of a launch's scratch memory in bytes, written as
    ``NINETOOTHED_CACHE_SIZE``; 0: none, so that no program shares its iterations, and no operand is
    packed. Default ``256M``.
    """
    return _bytes("NINETOOTHED_SCRATCH_SIZE", 256 << 20, "for none")


def _bytes(name: str, default: int, zero: str) -> int:
    """A number of bytes; ``zero``: what 0 is for."""
    text = _text(name)
    if text is None:
        return default
    match = re.fullmatch(r"([0-9]{1,15})([KMGT]?)", text.upper())
    if match is None:
        raise ConfigurationError(
            f"{name} must be a number of bytes such as 1000000, 512M or 2G, or 0 {zero}, not "
            f"{text!r}"
        )
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")


def dump_ir() -> Path | None:
    """``NINETOOTHED_DUMP_IR``: folder for the IR after every pass. Default: none."""
    text = _text("NINETOOTHED_DUMP_IR")
    return None if text is None else Path(text).expanduser()


def verify_ir() -> bool:
    """``NINETOOTHED_VERIFY_IR``: verify the IR after every pass (doubles compile time). Default:
    off.
    """
    return _flag("NINETOOTHED_VERIFY_IR")


def validate() -> bool:
    """``NINETOOTHED_VALIDATE``: check, at the first call of each signature, that no pass changes
    which elements the kernel touches (takes seconds). Default: off.
    """
    return _flag("NINETOOTHED_VALIDATE")


def disabled_optimizations(
    known: Sequence[str], others: Callable[[], Iterable[str]] = tuple
) -> frozenset[str]:
    """``NINETOOTHED_DISABLE_OPTIMIZATIONS``: optimizations that are switched off, some of the
    ``known`` with commas between them, or ``all``. Default: none.

    ``others``: finds further names, of other packages; called where one is not known.
    """
    text = _text("NINETOOTHED_DISABLE_OPTIMIZATIONS")
    if text is None:
        return frozenset()
    if text == "all":
        return frozenset(known)
    names = frozenset(name.strip() for name in text.split(","))
    if names <= frozenset(known) or names <= {*known, *others()}:
        return names
    raise ConfigurationError(
        f"NINETOOTHED_DISABLE_OPTIMIZATIONS must be all, or some of {', '.join(known)}, with "
        f"commas between them, not {text!r}"
    )


def optimizations() -> str:
    """What tells kernels apart that were compiled with other optimizations."""
    text = _text("NINETOOTHED_DISABLE_OPTIMIZATIONS") or ""
    disabled = {name.strip() for name in text.split(",") if name.strip()}
    if not scratch_size():
        disabled |= {"packed_operands", "split_reductions"}
    return ",".join(sorted(disabled))


def inspects() -> bool:
    """True if a setting inspects the compiler at work, which cached results would bypass."""
    return validate() or verify_ir() or dump_ir() is not None


def interpret_max_steps() -> int:
    """``NINETOOTHED_INTERPRET_MAX_STEPS``: most iterations of an interpreted loop. Default
    10,000,000.
    """
    return _integer("NINETOOTHED_INTERPRET_MAX_STEPS", 10_000_000, 1)


def interpret_lanes() -> int:
    """``NINETOOTHED_INTERPRET_LANES``: lanes (programs × block) per evaluation. Default 2^22."""
    return _integer("NINETOOTHED_INTERPRET_LANES", 1 << 22, 1)


def interpret_configs() -> str | None:
    """``NINETOOTHED_INTERPRET_CONFIGS``: configurations that a call on CPU tensors runs and
    compares: ``all``, a number of them, or ``random:SEED`` (see ``artifacts.sample``). Default:
    one, and none is compared.
    """
    return _text("NINETOOTHED_INTERPRET_CONFIGS")


def compile_timeout() -> int:
    """``NINETOOTHED_COMPILE_TIMEOUT``: time limit of a compilation, in seconds. Default 60."""
    return _integer("NINETOOTHED_COMPILE_TIMEOUT", 60, 1)


def compile_workers() -> int:
    """``NINETOOTHED_COMPILE_WORKERS``: number of compiling processes; 0: compile in this one.
    Default: cores, at most 16.
    """
    return _integer("NINETOOTHED_COMPILE_WORKERS", min(os.cpu_count() or 1, 16), 0)


def tune() -> Literal["off", "quick", "full"]:
    """``NINETOOTHED_TUNE``: tuning mode of kernels for which ``make`` names none. Default:
    ``quick``.
    """
    text = _text("NINETOOTHED_TUNE") or "quick"
    if text in ("off", "quick", "full"):
        return text
    raise ConfigurationError(f"NINETOOTHED_TUNE must be off, quick or full, not {text!r}")


def tune_timeout() -> int:
    """``NINETOOTHED_TUNE_TIMEOUT``: time limit of a timed launch, in seconds. Default 30."""
    return _integer("NINETOOTHED_TUNE_TIMEOUT", 30, 1)


def backend(languages: Callable[[str | None], Sequence[str]]) -> str | None:
    """``NINETOOTHED_BACKEND``: backend of GPU tensors where ``make`` names none, one of the
    ``languages``, which looks for a name that it does not know. Default: the first that the
    tensors' device has (``ttir``).
    """
    text = _text("NINETOOTHED_BACKEND")
    if text is None or text in (known := languages(text)):
        return text
    raise ConfigurationError(f"NINETOOTHED_BACKEND must be {' or '.join(known)}, not {text!r}")


def strict() -> bool:
    """``NINETOOTHED_STRICT``: races are errors, as with ``make(..., strict=True)``. Default off."""
    return _flag("NINETOOTHED_STRICT")
