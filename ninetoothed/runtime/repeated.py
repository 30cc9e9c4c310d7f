"""Calls like an earlier one: a key, a lookup, and the driver's launch.

What a call's arguments are, apart from pointers and the values of numbers, fixes all of its launch:
the kernel, whether the sizes fit one another, the number of programs, and the device function's
other arguments. It is worked out once, and kept as a flat function of the call's arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ninetoothed.artifact import Artifact
from ninetoothed.runtime import device, triton_compat

Classify = Callable[[Any], Hashable]
Launch = Callable[..., bool]

MOST = 4096
"""Launches that are kept of one kernel: shapes that never come back must not fill the memory."""


@dataclass(frozen=True)
class Launched:
    """A kernel that a call launched: ``arguments`` are the device function's, of that call."""

    artifact: Artifact
    compiled: triton_compat.CompiledKernel
    programs: int
    arguments: tuple[Any, ...]
    device: int


class Repeated:
    """The launches of one kernel, by what tells calls apart.

    ``classify`` has an entry a parameter: None for a tensor; for a number a function that returns
    what launches depend on, and raises for a value that only the full way takes. It may be used by
    several threads at once.
    """

    def __init__(self, classify: Sequence[Classify | None]) -> None:
        self._key = _key_function(classify)
        self._launches: dict[Hashable, Launch] = {}

    def launch(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
        """Whether a call like this one was kept, and this one is launched."""
        if not self._launches:
            return False
        try:
            launch = self._launches.get(self._key(keywords, *args))
        except Exception:
            # Whatever is unusual about the arguments, the full way takes it or says what is wrong.
            return False
        return launch is not None and launch(*args)

    def keep(
        self,
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        values: Sequence[Any],
        launched: Launched,
    ) -> None:
        """Keeps how a call was launched, if calls like it need nothing else.

        ``values`` are the kernel's parameters, which the call's arguments were bound to.
        """
        if any(type(value) is not int for value in keywords.values()):
            return
        if len(args) != len(values) or any(
            one is not other for one, other in zip(args, values, strict=True)
        ):
            return
        try:
            key = self._key(keywords, *args)
        except Exception:
            return
        launch = _launch_function(values, launched)
        if launch is None:
            return
        if len(self._launches) >= MOST:
            self._launches.clear()
        self._launches[key] = launch


def _key_function(classify: Sequence[Classify | None]) -> Callable[..., Hashable]:
    """What is the same for calls that are launched alike."""
    names = [f"a{position}" for position in range(len(classify))]
    parts: list[str] = []
    for position, (name, function) in enumerate(zip(names, classify, strict=True)):
        if function is not None:
            parts.append(f"classify[{position}]({name})")
        else:
            parts.append(
                f"type({name}), {name}.dtype, {name}.shape, {name}.stride(), "
                f"{name}.data_ptr() % 16, {name}.device"
            )
    # A keyword's value may be a bool, which is equal to a number.
    given = "[(name, type(value), value) for name, value in keywords.items()]"
    source = (
        f"def key({', '.join(['keywords', *names])}):\n"
        f"    given = (*{given},) if keywords else None\n"
        f"    return ({', '.join([*parts, 'given'])},)\n"
    )
    return _defined("key", source, {"classify": classify})


def _launch_function(values: Sequence[Any], launched: Launched) -> Launch | None:
    """A function of a call's arguments that launches and returns True, or returns False where the
    call is not quite like the earlier one; None where some argument is not known by it.
    """
    artifact = launched.artifact
    texts = _argument_texts(values, launched)
    if texts is None:
        return None
    tensors = [index for index, value in enumerate(values) if hasattr(value, "data_ptr")]
    lines = [f"p{index} = a{index}.data_ptr()" for index in tensors]
    conditions = [f"current() != {launched.device}", *_overlaps(values, artifact)]
    lines.append(f"if {' or '.join(conditions)}:")
    lines.append("    return False")
    start = f"{launched.programs}, 1, 1, stream({launched.device})"
    # None: launch metadata, enter hook, exit hook.
    lines.append(f"run({', '.join([start, 'function, metadata, None, None, None', *texts])})")
    lines.append("return True")
    names = ", ".join(f"a{index}" for index in range(len(values)))
    source = f"def launch({names}):\n" + "".join(f"    {line}\n" for line in lines)
    names_of_launcher = ("run", "function", "metadata")
    known = dict(zip(names_of_launcher, triton_compat.launcher(launched.compiled), strict=True))
    current, stream = device.raw()
    return _defined("launch", source, {**known, "current": current, "stream": stream})


def _argument_texts(values: Sequence[Any], launched: Launched) -> list[str] | None:
    """The device function's arguments over the parameters ``a0``, ``a1``, … and their pointers."""
    positions = {name: index for index, name in enumerate(launched.artifact.params)}
    texts: list[str] = []
    for argument, found in zip(launched.artifact.arguments, launched.arguments, strict=True):
        index = positions.get(argument.name)
        is_pointer = argument.type.startswith("*")
        if index is None:
            # A size or a stride; a pointer would be of something behind a tensor.
            if is_pointer:
                return None
            texts.append(repr(found))
        elif is_pointer:
            texts.append(f"p{index}")
        elif argument.type.startswith("u") or found is not values[index]:
            # It is converted for the launch.
            return None
        else:
            texts.append(f"a{index}")
    return texts


def _overlaps(values: Sequence[Any], artifact: Artifact) -> list[str]:
    """Conditions under which a tensor that is written to shares memory with another one."""
    spans = {
        index: span
        for index, value in enumerate(values)
        if hasattr(value, "data_ptr") and (span := _span(value)) is not None
    }
    written = [index for index, name in enumerate(artifact.params) if name in artifact.writes]
    pairs = {
        (min(one, other), max(one, other))
        for one in written
        for other in spans
        if one != other and one in spans
    }
    return [
        f"p{one} + {spans[one][0]} < p{other} + {spans[other][1]} "
        f"and p{other} + {spans[other][0]} < p{one} + {spans[one][1]}"
        for one, other in sorted(pairs)
    ]


def _span(tensor: Any) -> tuple[int, int] | None:
    """Where a tensor's bytes begin and end, from its pointer on; None: it has none."""
    if tensor.numel() == 0:
        return None
    reaches = [
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    ]
    width = tensor.element_size()
    low = sum(reach for reach in reaches if reach < 0)
    high = sum(reach for reach in reaches if reach > 0)
    return width * low, width * (high + 1)


def _defined(name: str, source: str, names: Mapping[str, Any]) -> Any:
    """The function that ``source`` defines, over these names."""
    # The file's name keeps its frames out of users' tracebacks.
    namespace = dict(names)
    exec(compile(source, f"<ninetoothed {name}>", "exec"), namespace)
    return namespace[name]
