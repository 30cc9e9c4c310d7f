"""Launch cache: of a call like an earlier one, a key, a lookup, and the driver's launch.

What a call's arguments are, apart from pointers and the values of numbers, fixes all of its launch:
the kernel, whether the sizes fit one another, the number of programs, and the device function's
other arguments. It is worked out for the second call of its shapes, and kept as a flat function of
pointers and numbers: what never comes back costs next to nothing. A key has two parts, the shapes
and the rest, so that of new shapes nothing else is read.

Of the pointers it matters which tensors share memory, where one of them is written: each function
checks that the same ones share it as in the call that it was made of, at the same distance.

A launch raises the version counters of what its kernel writes (see ``calls.autograd``): one call of
torch's a tensor.
"""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.interface import Interface, Parameter
from ninetoothed.calls import tensor_guards
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.autograd import increment, recording
from ninetoothed.calls.generated import defined
from ninetoothed.calls.positions import MOST_ORDERS, CallOrder
from ninetoothed.dtype import own_type
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.alias_check import Placement, placement

if TYPE_CHECKING:
    # Only loaded kernels need the driver.
    from ninetoothed.runtime.launch.driver import Launcher
    from ninetoothed.runtime.launch.packed import PackedLauncher, PackedShape

Classify = Callable[[Parameter, Any], Hashable]
Launch = Callable[..., bool]
Find = Callable[..., bool | None]
Values = Sequence[Any]

MOST = 4096
"""Calls that are kept of one kernel: shapes that never come back must not fill the memory."""

# Launches of one key, which differ by their tensors' aliasing.
_MOST_WAYS = 4
# A guard that does not hold for calls of its own key is made again so often.
_MOST_GUARDS = 4


class LaunchedKernel(NamedTuple):
    """A kernel that calls launch.

    ``sources``: of each argument of the device function that a call gives, the position of the
    value that is passed; None for what follows from the shape. None instead of all: it cannot be
    told.
    """

    artifact: Artifact
    launcher: Launcher | PackedLauncher
    sources: tuple[int | None, ...] | None


Shape: TypeAlias = "bytes | PackedShape"
"""What launches of one shape have in common."""

Launched = tuple[LaunchedKernel, int, Shape]
"""How a call was launched: the kernel, the number of programs, and what launches of the same shape
have in common (see ``driver.Launcher``). No class: each full call makes one.
"""


class LaunchCache:
    """Cached launches of one kernel, by what tells calls apart.

    ``classify`` is given a parameter and a number, and returns what launches depend on; it raises
    for a value that only the full way takes. ``asks_of_gradients``: tensors that require gradients
    take the full way where autograd records, as long as it returns True. The cache may be used by
    several threads at once.

    ``launch(args, keywords)`` launches a call and returns True, if one like it was kept. Else the
    call is to be kept; where it returns False, it is the first of its shapes and is not.
    """

    launch: Find

    def __init__(
        self,
        interface: Interface,
        classify: Classify,
        asks_of_gradients: Callable[[], bool] = lambda: False,
    ) -> None:
        self._interface = interface
        self._asks_of_gradients = asks_of_gradients
        self._classify = classify
        self._lock = threading.Lock()
        # By shapes, and by all else.
        self._kept: dict[Hashable, dict[Hashable, _Kept]] = {}
        self._keys: list[tuple[Hashable, Hashable]] = []
        self._makers: dict[Hashable, Callable[..., Launch]] = {}
        self._ordered = CallOrder(interface)
        self._forms = _Forms(self._form)
        # Of what is generated.
        self._names: dict[str, Any] = {}
        # Its own: calls must not change what the caller's program draws.
        self._random = random.Random(0)
        # The latest call's, which the next one's mostly is, too.
        self._recent = [_NOTHING]
        self._key: Callable[..., tuple[Hashable, Hashable]]
        # Hashes of the shapes of latest calls: a new set is begun where one is full.
        self._seen: set[int] = set()
        self._seen_before: set[int] = set()
        self.launch = _nothing_kept

    def keep(
        self, args: Values, keywords: Mapping[str, Any], values: Values, launched: Launched
    ) -> None:
        """Keeps how a call was launched, if calls like it need nothing else, and it is not the
        kernel's first.

        ``values`` are the kernel's parameters, which the call's arguments were bound to.
        """
        kernel, _, _ = launched
        if kernel.sources is None:
            return
        try:
            ordered, given = self._ordered(args, keywords)
            # One that is another was converted for the launch.
            if any(one is not two for one, two in zip(ordered, values, strict=True)):
                return
            # A tensor that gives a constant may hold another number at the next call.
            if any(map(own_type, keywords.values())):
                return
            with self._lock:
                is_first = self.launch is _nothing_kept
                if is_first:
                    self._key, self.launch = self._functions()
                shapes, others = self._key(values, given)
                if not (is_first and self._are_new(shapes)):
                    self._put(shapes, others, self._way(values, launched))
                    kernel.launcher.loaded.is_kept = True
        except Exception:
            # Whatever is unusual about the arguments, the full way takes it.
            return

    def clear(self) -> None:
        """Drops all that is kept: calls are looked up anew, as other kernels are to serve them."""
        with self._lock:
            self._kept.clear()
            self._keys.clear()
            self._makers.clear()
            self._recent[0] = _NOTHING

    def _are_new(self, shapes: Hashable) -> bool:
        """True if no call had these shapes before, as far as it is remembered."""
        digest = hash(shapes)
        if digest in self._seen or digest in self._seen_before:
            return False
        if len(self._seen) >= MOST:
            self._seen_before, self._seen = self._seen, set()
        self._seen.add(digest)
        return True

    def _put(self, shapes: Hashable, others: Hashable, way: Launch) -> None:
        kept = self._kept.get(shapes, {}).get(others)
        if kept is not None:
            kept.ways = (way, *kept.ways)[:_MOST_WAYS]
            return
        if len(self._keys) < MOST:
            self._keys.append((shapes, others))
        else:
            # Any one makes room: of calls that alternate, the oldest is the next one needed.
            place = self._random.randrange(MOST)
            old, old_others = self._keys[place]
            del self._kept[old][old_others]
            if not self._kept[old]:
                del self._kept[old]
            self._keys[place] = shapes, others
        self._kept.setdefault(shapes, {})[others] = _Kept((way,))

    def _way(self, values: Values, launched: Launched) -> Launch:
        """A function of the call's values, pointers and numbers that launches and returns True, or
        returns False where the call is not quite like this one.
        """
        kernel, programs, shape = launched
        place = placement(values, kernel.artifact, self._interface.repeats)
        key = (kernel.launcher, place.together, place.apart)
        maker = self._makers.get(key)
        if maker is None:
            maker = _maker(values, kernel, place)
            if len(self._makers) < MOST:
                self._makers[key] = maker
        return maker(programs, shape, *place.numbers)

    def _functions(self) -> tuple[Callable[..., tuple[Hashable, Hashable]], Find]:
        """``key(values, given)``, and :attr:`launch`."""
        parameters = self._interface.parameters
        numbers = [place for place, one in enumerate(parameters) if one.kind != "tensor"]
        if len(numbers) == len(parameters):
            raise ValueError("nothing says on which device a kernel without tensors runs")
        self._names |= {
            f"class{place}": functools.partial(self._classify, parameters[place])
            for place in numbers
        }
        self._names |= {
            "forms": self._forms,
            "recent": self._recent,
            "find": self._kept.get,
            "are_new": self._are_new,
            "renew": self._renew,
            "asks": self._asks_of_gradients,
            "is_recording": recording(),
        }
        read, shapes, others = self._read()
        lines = [
            "def key(values, given):",
            *(f"    {line}" for line in read),
            f"    return {shapes}, {others}",
            "def launch(values, keywords):",
            "    try:",
            f"        if keywords or len(values) != {len(parameters)}:",
            "            form = forms[len(values), *keywords]",
            "            return form(*values, *keywords.values())",
            "        given = None",
            *self._found(),
        ]
        functions = defined(("key", "launch"), "\n".join(lines), self._names)
        return functions[0], functions[1]

    def _form(self, count: int, keywords: tuple[str, ...]) -> Find:
        """:attr:`launch` of calls with ``count`` arguments and these keywords, in this order, given
        their values by position.

        Raises:
            KeyError, ValueError: such a call is wrong.
        """
        order = self._ordered.order(count, keywords)
        taken = [f"g{place}" for place in range(count + len(keywords))]
        texts = [*taken, *(f"default{place}" for place in range(len(order.defaults)))]
        # As ``CallOrder`` returns them.
        others = "".join(
            f"({name!r}, {texts[place]}.__class__, {texts[place]}), "
            for name, place in order.others
        )
        lines = [
            f"def launch({', '.join(taken)}):",
            "    try:",
            f"        values = ({', '.join(texts[place] for place in order.parameters)},)",
            f"        given = ({others})" if others else "        given = None",
            *self._found(),
        ]
        defaults = {f"default{place}": value for place, value in enumerate(order.defaults)}
        (launch,) = defined(("launch",), "\n".join(lines), self._names | defaults)
        return launch

    def _read(self) -> tuple[list[str], str, str]:
        """Lines that read ``values``, and both parts of the key, as expressions of what they have
        read.
        """
        kinds = [one.kind for one in self._interface.parameters]
        tensors = [place for place, kind in enumerate(kinds) if kind == "tensor"]
        numbers = [place for place, kind in enumerate(kinds) if kind != "tensor"]
        lines = [f"{', '.join(f'a{place}' for place in range(len(kinds)))}, = values"]
        lines += [f"p{place} = a{place}.data_ptr()" for place in tensors]
        # Nearly always, all pointers are multiples of 16. Memory that was freed has none.
        union = " | ".join(f"p{place}" for place in tensors)
        there = " and ".join(f"p{place}" for place in tensors)
        each = "".join(f"p{place} & 15 == 0, not p{place}, " for place in tensors)
        lines.append(f"aligned = True if {there} and not ({union}) & 15 else ({each})")
        lines += [f"n{place} = class{place}(a{place})" for place in numbers]
        lines.append(f"rest = (aligned, given{''.join(f', n{place}' for place in numbers)})")
        shapes = "".join(f"a{place}.shape, " for place in tensors)
        others = "".join(
            f"type(a{place}), a{place}.dtype, a{place}.stride(), a{place}.device, "
            f"a{place}.is_neg(), "
            for place in tensors
        )
        return lines, f"({shapes}rest)", f"({others})"

    def _found(self) -> list[str]:
        """Lines of a function, in its ``try`` block, that launch the call of ``values`` and
        ``given``, as :attr:`launch` does: flat, since they run at every call.
        """
        kinds = [one.kind for one in self._interface.parameters]
        tensors = [f"a{place}" for place, kind in enumerate(kinds) if kind == "tensor"]
        given = ", ".join(tensors)
        requiring = " or ".join(f"{tensor}.requires_grad" for tensor in tensors)
        # torch ends the process where a guard meets a nested tensor that has no sizes.
        nested = "".join(f" or {tensor}.is_nested" for tensor in tensors)
        passed = ", ".join(
            f"{'p' if kind == 'tensor' else 'a'}{place}" for place, kind in enumerate(kinds)
        )
        read, shapes, others = self._read()
        return [
            *(f"        {line}" for line in read),
            "        kept = recent[0]",
            f"        if rest != kept.rest{nested} or not kept.guard({given}):",
            f"            shapes = {shapes}",
            "            found = find(shapes)",
            "            if found is None:",
            "                return False if are_new(shapes) else None",
            f"            kept = found.get({others})",
            f"            if kept is None or asks() and is_recording() and ({requiring}):",
            "                return None",
            f"            renew(kept, rest, ({given},))",
            "    except Exception:",
            "        return None",
            "    for way in kept.ways:",
            f"        if way(values, {passed}):",
            "            return True",
            "    return None",
        ]

    def _renew(self, kept: _Kept, rest: Hashable, tensors: Values) -> None:
        """Makes what was found the latest call's."""
        if kept.guards < _MOST_GUARDS and (kept.guards == 0 or kept is self._recent[0]):
            kept.guards += 1
            kept.guard = self._guard(tensors)
            kept.rest = rest
        self._recent[0] = kept

    def _guard(self, tensors: Values) -> tensor_guards.Guard:
        """A guard of these tensors, which holds for no call that has to ask of gradients."""
        guard = tensor_guards.guard(tensors)
        # One of tensors that require none does not hold for others.
        if self._asks_of_gradients() and any(tensor.requires_grad for tensor in tensors):
            is_recording = recording()
            return lambda *tensors: not is_recording() and guard(*tensors)
        return guard


class _Kept:
    """Cache entry of calls that differ in pointers and numbers only: a launch for each aliasing."""

    __slots__ = ("guard", "guards", "rest", "ways")

    def __init__(self, ways: tuple[Launch, ...]) -> None:
        self.ways = ways
        # torch's guard that tensors are of this key, and what else the key holds.
        self.guard = tensor_guards.never
        self.rest: Hashable = None
        self.guards = 0


class _Forms(dict[Hashable, Find]):
    """Launches of calls that are written in another way than plainly, by the number of arguments
    and the keywords, in order.
    """

    def __init__(self, make: Callable[[int, tuple[str, ...]], Find]) -> None:
        self._make = make

    def __missing__(self, key: tuple[Any, ...]) -> Find:
        if len(self) >= MOST_ORDERS:
            raise KeyError(key)
        made = self[key] = self._make(key[0], key[1:])
        return made


_NOTHING = _Kept(())


def _nothing_kept(args: Values, keywords: Mapping[str, Any]) -> None:
    return None


def _raised(written: Sequence[int]) -> list[str]:
    """The line that raises the version counters of what a launch has written."""
    tensors = ", ".join(f"values[{place}]" for place in written)
    if len(written) > 1:
        # One tensor is taken faster than a tuple of it.
        tensors = f"({tensors})"
    return [f"        increment({tensors})"] if written else []


def _maker(values: Values, kernel: LaunchedKernel, place: Placement) -> Callable[..., Launch]:
    """``make(programs, shape, *place.numbers)`` makes a way: one for all calls of the same kernel
    and placement, since to compile a function takes longer than a full call.
    """
    names = [f"{'p' if is_tensor(value) else 'a'}{index}" for index, value in enumerate(values)]
    index = kernel.launcher.loaded.device
    assert kernel.sources is not None
    # What follows from the shape is packed already.
    texts = ["" if source is None else names[source] for source in kernel.sources]
    varying = "".join(f", {text}" for text in kernel.launcher.varying(texts))
    given = ", ".join(names)
    conditions = place.conditions()
    lines = [
        f"def make({', '.join(['programs', 'shape', *place.names()])}):",
        f"    def way(values, {given}):",
        f"        if current() != {index}:",
        f"            with guard({index}):",
        f"                return way(values, {given})",
        *(
            [f"        if {' or '.join(conditions)}:", "            return False"]
            * bool(conditions)
        ),
        f"        if not run(programs, shape, stream({index}){varying}):",
        "            return False",
        *_raised(kernel.artifact.written),
        "        return True",
        "    return way",
    ]
    current, stream = device.raw()
    known = {
        **kernel.launcher.known,
        "current": current,
        "stream": stream,
        "guard": device.guard,
        "increment": increment(),
    }
    (maker,) = defined(("make",), "\n".join(lines), known)
    return maker
