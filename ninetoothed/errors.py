"""Errors and warnings of users' programs: locations, a class a kind, and messages with a caret.

Every mistake of a user ends in a :class:`NineToothedError`. Its text names the file, line and
column, shows the line with a caret below the offending part, and what to write instead. Its
traceback holds the user's frames only: :func:`user_traceback` drops ours and, where the mistake
lies in source that was compiled and not run, appends a frame that points at it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import itertools
import linecache
import os
import sys
import types
import unicodedata
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar, ParamSpec, TypeVar

# Of a source line, so many characters are shown.
_LONGEST_LINE = 160

_P = ParamSpec("_P")
_R = TypeVar("_R")
_E = TypeVar("_E", bound="NineToothedError")

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# The module of frames that stand for source that was not run.
_PLACE = "ninetoothed"
# Modules whose frames lie between ours and mean nothing to a user.
_HIDDEN = (_PLACE, "contextlib", "functools", "xdsl")


@dataclass(frozen=True)
class Loc:
    """Source location in a user's file.

    Lines count from 1 and columns from 0, as in Python's ``ast``. ``end_col`` is exclusive; None
    marks a single column, and a column behind the line's end the rest of the line. ``caller`` is
    the place from which an inlined function was called.
    """

    file: str
    line: int
    col: int = 0
    end_col: int | None = None
    function: str | None = None
    caller: Loc | None = None

    def render(self) -> str:
        """Text of the location, its source line and a caret, for each frame of the call chain,
        outermost first.
        """
        frames: list[Loc] = []
        loc: Loc | None = self
        while loc is not None:
            frames.append(loc)
            loc = loc.caller
        return "\n".join(_render_frame(frame) for frame in reversed(frames))


def _below(text: str, mark: str) -> str:
    """``mark`` in each column that ``text`` takes on a terminal: wide characters take two, marks of
    others none. Tabs stay, since where they end depends on where they start.
    """
    return "".join("\t" if char == "\t" else mark * _width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _characters(line: str, column: int) -> int:
    """Convert a column from UTF-8 bytes, as in ``ast``, to characters."""
    return len(line.encode()[:column].decode(errors="ignore"))


def _render_frame(loc: Loc) -> str:
    line = linecache.getline(loc.file, loc.line).rstrip("\n")
    column = _characters(line, loc.col) if line.strip() else loc.col
    where = f'  File "{loc.file}", line {loc.line}, column {column + 1}'
    if loc.function is not None:
        where += f", in {loc.function}"
    if not line.strip():
        return where
    indent = len(line) - len(line.lstrip())
    start = max(column, indent)
    end = start + 1 if loc.end_col is None else max(_characters(line, loc.end_col), start + 1)
    end = min(end, max(len(line.rstrip()), start + 1))
    first, last = _window(indent, start, len(line))
    left, right = "…" * (first > indent), "…" * (last < len(line))
    marked = "".join(_below(char, "^").replace("\t", "^") for char in line[start : min(end, last)])
    caret = _below(left + line[first:start], " ") + (marked or "^")
    return f"{where}\n    {left}{line[first:last]}{right}\n    {caret}"


def _window(indent: int, start: int, length: int) -> tuple[int, int]:
    """The part of a line that is shown, from its indentation on: of a long one, what is around
    ``start``.
    """
    if length - indent <= _LONGEST_LINE:
        return indent, length
    first = max(min(start - _LONGEST_LINE // 3, length - _LONGEST_LINE), indent)
    return first, max(first + _LONGEST_LINE, start + 1)


class NineToothedError(Exception):
    """Base class of all errors that a user's program can cause.

    ``message`` states the mistake and what to write instead; ``loc`` is its location, or None.
    """

    def __init__(self, message: str, loc: Loc | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.loc = loc

    def __str__(self) -> str:
        if self.loc is None:
            return self.message
        return f"{self.message}\n{self.loc.render()}"


class ArrangementError(NineToothedError):
    """A meta-operation, or the set of arranged tensors, is impossible."""


class RaceError(ArrangementError):
    """Two programs write one element, in a kernel made with ``strict=True``."""


class SymbolError(NineToothedError):
    """A symbol is declared or compared in an impossible way."""


class UnsupportedSyntaxError(NineToothedError):
    """The application uses Python that the language does not have."""


class UndefinedNameError(NineToothedError):
    """The application uses a name that does not exist."""


class TypeMismatchError(NineToothedError):
    """Element types or kinds of value do not fit an operation of the application."""


class ShapeError(NineToothedError):
    """Shapes or ranks of blocks do not fit an operation of the application."""


class ArgumentError(NineToothedError):
    """A kernel, or a function of the language, was called with arguments that do not fit."""


class PlacementError(ArgumentError):
    """A call's DTensors are placed so that the ranks cannot run the kernel on their own tensors."""


class CheckError(ArgumentError):
    """A check of a call's sizes fails; caught before it reaches the user, who sees an
    :class:`ArgumentError`.

    ``is_agreement``: a laxer class of signatures may do without it (see ``Signature.agreement``).
    ``is_undefined``: all that it lacks is values for lanes that it stores, so none may.
    """

    def __init__(
        self, message: str, is_agreement: bool = False, is_undefined: bool = False
    ) -> None:
        super().__init__(message)
        self.is_agreement = is_agreement
        self.is_undefined = is_undefined


class DeviceError(NineToothedError):
    """The tensors' devices disagree, or no backend serves them."""


class ConfigurationError(NineToothedError):
    """No configuration of block sizes, warps and stages can run."""


class FallbackError(ConfigurationError):
    """A launch cannot have what its kernel takes; caught before it reaches the user: the kernel
    with the default of each choice, which takes nothing of the kind, runs in its place.
    """


class ScratchError(FallbackError):
    """There is no scratch memory for a launch."""


class DescriptorError(FallbackError):
    """The driver makes no tensor descriptor of a tensor."""


class DependencyError(NineToothedError):
    """The called function needs a package that is not installed."""


class SerializationError(NineToothedError):
    """A kernel cannot be pickled: another process would not find its functions."""


class SynchronizationError(NineToothedError):
    """Ranks of a process group cannot use the same tuning choices; the message names the rank."""


class AssertionFailedError(NineToothedError):
    """An assertion of the application failed; on a GPU the device reports it."""


class MismatchError(NineToothedError):
    """A kernel gives other results with other block sizes, or than its reference."""


class CompilerError(NineToothedError):
    """The compiler failed on a program that it should have compiled: a bug of ours, with a
    reproducer.
    """


class InvalidIRError(NineToothedError):
    """A text is no module of the IR, or the module does not verify."""


class PluginError(NineToothedError):
    """A pass or a back end of another package is missing, failed, or left IR that is not valid; it
    names the pass and its package.
    """


class NineToothedWarning(UserWarning):
    """Base class of all warnings of a user's program, each issued once a kernel.

    ``message`` states what was found and what to write instead; ``loc`` is its location, or None
    where that is the line that makes or calls the kernel. Where ``is_error_if_strict``, a kernel
    made with ``strict=True`` raises an error instead.

    Warnings of one class, place and ``about`` are equal, and one of them is issued. Without
    ``about``, it is the message; where the message holds what differs from call to call, it is what
    does not.
    """

    is_error_if_strict: ClassVar[bool] = False

    def __init__(self, message: str, loc: Loc | None = None, about: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.loc = loc
        self.about = message if about is None else about

    def __str__(self) -> str:
        return self.message if self.loc is None else f"{self.message}\n{self.loc.render()}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NineToothedWarning):
            return NotImplemented
        return (type(self), self.about, self.loc) == (type(other), other.about, other.loc)

    def __hash__(self) -> int:
        return hash((type(self), self.about, self.loc))


class RaceWarning(NineToothedWarning):
    """Two programs write one element, in an undefined order."""

    is_error_if_strict = True


class OverlapWarning(NineToothedWarning):
    """A call gives a tensor that is written memory of other elements of another argument."""

    is_error_if_strict = True


class GradientWarning(NineToothedWarning):
    """A call gives a tensor that requires gradients, and none flow through a kernel."""

    is_error_if_strict = True


class AgreementWarning(NineToothedWarning):
    """A tensor has more or fewer outermost elements than there are programs."""

    is_error_if_strict = True


class BoundsWarning(NineToothedWarning):
    """A call gives a constexpr symbol a value outside the bounds that it was declared with."""


class DtypeWarning(NineToothedWarning):
    """A declared element type is unknown, or is not the argument's."""


class UnusedValueWarning(NineToothedWarning):
    """A statement of the application, or all of it, has no effect."""


class ArgumentOrderWarning(NineToothedWarning):
    """The names of an arrangement's parameters tell another order than that of its results."""


class VmapWarning(NineToothedWarning):
    """``torch.func.vmap`` calls a kernel for each index of the batch, where one call is not proved
    to do the same.
    """


class OptionWarning(NineToothedWarning):
    """An option of ``make`` has no effect."""


_collected: ContextVar[list[NineToothedWarning] | None] = ContextVar("collected", default=None)


def warn(warning: NineToothedWarning) -> None:
    """Pass a warning to the innermost :func:`collect_warnings`; without one, issue it."""
    collected = _collected.get()
    if collected is None:
        issue(warning)
    else:
        collected.append(warning)


@contextlib.contextmanager
def collect_warnings() -> Generator[list[NineToothedWarning]]:
    """Collect the warnings of a block of code instead of issuing them."""
    found: list[NineToothedWarning] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def issue(warning: NineToothedWarning) -> None:
    """Issue a warning at the user's line that led here; its text has its own location."""
    place = caller_loc() or warning.loc
    file, line = ("<unknown>", 0) if place is None else (place.file, place.line)
    warnings.warn_explicit(warning, type(warning), file, line)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggestion ``"did you mean tanh?"``, the closest match of ``name``; empty without one."""
    # Errors alone need it, and the package is imported without.
    import difflib

    near = difflib.get_close_matches(name, list(known))
    close = next((other for other in near if _is_close(name, other)), None)
    return f"did you mean {close}?" if close else ""


def _is_close(name: str, other: str) -> bool:
    """True if ``name`` may be ``other`` mistyped or cut off: of ``relu`` and ``ravel``, more
    letters differ.
    """
    import difflib

    blocks = difflib.SequenceMatcher(None, name, other).get_matching_blocks()
    matched = sum(block.size for block in blocks)
    differ = len(name) + len(other) - 2 * matched
    return differ <= 2 or 5 * differ <= len(name) + len(other) or other.startswith(name)


def counted(number: int, word: str, words: str | None = None) -> str:
    """Format a count for a message: ``1 dim``, ``2 dims``, ``2 indices``."""
    return f"{number} {word}" if number == 1 else f"{number} {words or word + 's'}"


_LONGEST = 300


def shown(value: object) -> str:
    """Format a wrong argument for a message: its ``repr``, on one line and not too long."""
    try:
        text = repr(value)
    except Exception:
        # Of integers of thousands of digits, Python makes no text.
        return f"a {type(value).__qualname__}"
    if "\n" in text:
        text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def any_of(words: Sequence[str]) -> str:
    """Format alternatives for a message: ``a, b or c``."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def caller_loc() -> Loc | None:
    """Location of the innermost frame outside this package, the user's line."""
    frame = inspect.currentframe()
    while frame is not None and not _is_users(frame):
        frame = frame.f_back
    return None if frame is None else _frame_loc(frame)


def _is_users(frame: types.FrameType) -> bool:
    name = frame.f_code.co_filename
    if name.startswith(_PACKAGE) or name.startswith("<ninetoothed"):
        return False
    return _package(frame) not in _HIDDEN


def _package(frame: types.FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def raise_loc(error: BaseException, module: str) -> Loc | None:
    """Location of the innermost line of an error's traceback that lies in the package of
    ``module``; where none does, outside of this package.
    """
    frames = _user_frames(error.__traceback__)
    if not frames:
        return None
    package = module.partition(".")[0]
    last = next((one for one in reversed(frames) if _package(one.tb_frame) == package), frames[-1])
    return _code_loc(last.tb_frame.f_code, last.tb_lineno, last.tb_lasti)


def _frame_loc(frame: types.FrameType) -> Loc:
    return _code_loc(frame.f_code, frame.f_lineno, frame.f_lasti)


def _code_loc(code: types.CodeType, line: int, lasti: int) -> Loc:
    col, end_col = 0, None
    # co_positions has one entry per two bytes of bytecode.
    index = lasti // 2
    for first, last, start, end in itertools.islice(code.co_positions(), index, index + 1):
        if first is not None and start is not None:
            line, col = first, start
            end_col = end if last == first else sys.maxsize
    return Loc(code.co_filename, line, col, end_col, code.co_name)


def _user_frames(traceback: types.TracebackType | None) -> list[types.TracebackType]:
    frames: list[types.TracebackType] = []
    while traceback is not None:
        if _is_users(traceback.tb_frame):
            frames.append(traceback)
        traceback = traceback.tb_next
    return frames


def _traceback_at(loc: Loc) -> types.TracebackType | None:
    """Build a traceback of one frame at ``loc``, as Jinja does for template errors."""
    name = (loc.function or "application").split(".")[-1]
    module = ast.parse("raise Exception")
    for node in ast.walk(module):
        if isinstance(node, ast.stmt | ast.expr):
            # Without columns: the message has the caret, and this code is not the user's.
            node.lineno = node.end_lineno = loc.line
            node.col_offset = node.end_col_offset = -1
    code = compile(module, loc.file, "exec").replace(co_name=name)
    try:
        exec(code, {"__name__": _PLACE})
    except Exception as error:
        traceback = error.__traceback__
        return None if traceback is None else traceback.tb_next
    return None


def user_traceback(error: NineToothedError) -> types.TracebackType | None:
    """The traceback of ``error`` with the user's frames only, ending at the line that is wrong."""
    frames = _user_frames(error.__traceback__)
    tail: types.TracebackType | None = None
    loc = error.loc
    if loc is not None:
        last = frames[-1] if frames else None
        if last is None or (last.tb_frame.f_code.co_filename, last.tb_lineno) != (
            loc.file,
            loc.line,
        ):
            tail = _traceback_at(loc)
    for frame in reversed(frames):
        tail = types.TracebackType(tail, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return tail


def reported(error: _E) -> _E:
    """An error as users see it: with a location, their call's if it has none, and their frames."""
    if error.loc is None:
        error.loc = caller_loc()
    return error.with_traceback(user_traceback(error))


def user_facing(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorator: errors leave ``function`` with the user's frames only, and with a location.

    Arguments that ``function`` does not take are a user's mistake like others.
    """

    @functools.wraps(function)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except NineToothedError as error:
            raise reported(error) from None
        except ValueError as error:
            # Of integers of thousands of digits, which are no sizes, Python makes no text.
            if "integer string conversion" not in str(error):
                raise
            wrong = ArgumentError(
                "an integer has too many digits for any number here; give a smaller one"
            )
            raise reported(wrong) from None
        except TypeError as error:
            # Without a frame of the function, Python could not call it.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            raise reported(ArgumentError(str(error))) from None

    return wrapper
