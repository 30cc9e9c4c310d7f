"""``python -m ninetoothed precompile``: kernels compiled into the cache, where no GPU is.

What a process finds there is what it would have made itself: the keys hold the same versions,
signatures and targets, and the tuner asks for what it would have tried.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import operator
import os
import re
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

from ninetoothed import config
from ninetoothed.artifacts.capabilities import Product, capabilities
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store, folder, read_only
from ninetoothed.calls.described import described_call
from ninetoothed.errors import (
    ArgumentError,
    DeviceError,
    NineToothedError,
    UndefinedNameError,
    counted,
    did_you_mean,
)
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.tuning.candidates import Absent

_EXAMPLE = "--device 'NAME: multiprocessors=132, clock=1.98e9, bandwidth=4.9e12, l2_bytes=62914560'"
_DOTTED = re.compile(r"\w+(?:\.\w+)*")


def precompile(
    kernel: str,
    target: str,
    device: str | None,
    calls: Sequence[str],
    output: str | None,
    refinements: int | None,
) -> int:
    """Compile what ``calls`` of a kernel, ``"module:kernel"``, may need on a device of ``target``;
    prints a line a call, and returns the exit code.

    ``device``: its name, as torch tells it, with its numbers where it is none of the known ones;
    None: the target's first one. ``output``: the cache
    folder to fill; None: the user's. ``refinements``: rounds of what is near the fastest; None:
    all.

    Raises:
        NineToothedError: the kernel, the target, the device, a call or the folder is wrong.
    """
    place = _place(target, device)
    described: list[tuple[str, dict[str, Any]]] = []
    for text in calls:
        with _named(text):
            described.append((text, described_call(text)))
    if output is not None:
        # The folder is to hold all, also what a second one has.
        os.environ.pop(read_only.SETTING, None)
        os.environ[folder.WRITABLE] = str(Path(output).expanduser().absolute())
    artifact_store.check_writable()
    # Before its module runs, which may take long.
    toolchain.of(place.target).version()
    found = find_kernel(kernel)
    print(f"{kernel} for {place.target}, as ranked for {place.product.name}")
    for text, arguments in described:
        with _named(text):
            _check(found, arguments)
            able, failures = found.precompile((), arguments, place, refinements)
        line = f"{counted(len(able), 'configuration')} compiled" if able else "launches no program"
        if failures:
            line += f", {len(failures)} cannot be"
        print(f"  {text}: {line}")
    print(f"kept in {config.cache_dir()}")
    return 0


def _check(kernel: Kernel, arguments: Iterable[str]) -> None:
    """Check that arguments have names of a kernel's parameters or symbols, and can be described.

    Raises:
        ArgumentError: one has not, or cannot be.
    """
    for parameter in kernel.interface.parameters:
        if parameter.jagged_dim is not None:
            raise ArgumentError(
                f"{parameter.name} is a nested tensor, which cannot be described; this kernel is "
                "compiled at its first call on a GPU"
            )
    known = dict.fromkeys((*kernel.interface.names, *kernel.interface.keywords))
    for name in arguments:
        # The binding of the call tells about symbols that the compiler chooses.
        if name not in known and name not in kernel.interface.meta:
            near = did_you_mean(name, known) or f"it takes {', '.join(known)}"
            raise ArgumentError(f"{kernel.__name__} has no argument {name}; {near}")


@contextlib.contextmanager
def _named(call: str) -> Generator[None]:
    """Adds to errors inside of a ``with`` block which call they are about."""
    try:
        yield
    except NineToothedError as error:
        raise ArgumentError(f"--call {call!r}: {error.message}", error.loc) from error


def find_kernel(text: str) -> Kernel:
    """The kernel that a text names, ``module:kernel``, or makes, ``module:make_kernel(64)``.

    Raises:
        ArgumentError: the module cannot be imported, or the text names or makes no kernel.
        UndefinedNameError: the module has no such name.
    """
    module_name, colon, name = (part.strip() for part in text.partition(":"))
    if not colon or not name or _DOTTED.fullmatch(module_name) is None:
        raise ArgumentError(f"{text!r} is no kernel; write MODULE:KERNEL, as in kernels:matmul")
    try:
        module = importlib.import_module(module_name)
    except NineToothedError:
        raise
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise _failed(f"{module_name} cannot be imported", error) from error
        raise ArgumentError(
            f"there is no module {error.name}; run this in the folder that it lies in, or add that "
            "to PYTHONPATH"
        ) from error
    # What users' modules raise may be anything.
    except (Exception, SystemExit) as error:
        raise _failed(f"{module_name} cannot be imported", error) from error
    if _DOTTED.fullmatch(name):
        try:
            found: object = operator.attrgetter(name)(module)
        except AttributeError:
            kernels = [key for key, one in vars(module).items() if isinstance(one, Kernel)]
            near = did_you_mean(name, kernels) or f"it has {', '.join(kernels) or 'none'}"
            raise UndefinedNameError(f"module {module_name} has no kernel {name}; {near}") from None
    else:
        try:
            found = eval(name, dict(vars(module)))
        except NineToothedError:
            raise
        except (Exception, SystemExit) as error:
            raise _failed(name, error) from error
    if not isinstance(found, Kernel):
        raise ArgumentError(f"{text} is {found!r}; give a kernel, or a call that makes one")
    return found


def _failed(what: str, error: BaseException) -> ArgumentError:
    return ArgumentError(f"{what}: {type(error).__name__}: {error}")


def _place(target: str, device: str | None) -> Absent:
    """A device of a target, by its name.

    Raises:
        DeviceError: the text names no target, or no device of it is known.
    """
    parsed = Target.parse(target)
    if device is not None and "=" in device:
        return Absent(parsed, _product(device))
    products = capabilities(parsed).products
    if not products:
        raise DeviceError(
            f"no device of {parsed} is known, which kernels could be ranked for; describe one, as "
            f"in {_EXAMPLE}"
        )
    if device is None:
        return Absent(parsed, products[0])
    for one in products:
        if one.name == device:
            return Absent(parsed, one)
    raise DeviceError(f"no device {device!r} of {parsed} is known; {_instead(device, products)}")


def _instead(device: str, products: Sequence[Product]) -> str:
    names = [one.name for one in products]
    # Mostly a part of the name: H200.
    parts = [name for name in names if device.casefold() in name.casefold()]
    near = f"did you mean {parts[0]}?" if len(parts) == 1 else did_you_mean(device, names)
    return near or f"known are {', '.join(names)}; or describe it, as in {_EXAMPLE}"


def _product(text: str) -> Product:
    """A device by its name and its numbers, as ``_EXAMPLE`` has them.

    Raises:
        DeviceError: one is missing, unknown, or no positive number.
    """
    name, _, numbers = text.partition(":")
    found: dict[str, float] = {}
    for part in numbers.split(","):
        key, _, value = (one.strip() for one in part.partition("="))
        with contextlib.suppress(ValueError):
            found[key] = float(value)
    known = ("multiprocessors", "clock", "bandwidth", "l2_bytes")
    if (
        not name.strip()
        or {*found} != {*known}
        or not all(0 < number < math.inf for number in found.values())
    ):
        raise DeviceError(
            f"{text!r} describes no device; write its name as torch tells it, and "
            f"{', '.join(known)}, as in {_EXAMPLE}"
        )
    return Product(
        name.strip(),
        int(found["multiprocessors"]),
        found["clock"],
        found["bandwidth"],
        int(found["l2_bytes"]),
    )
