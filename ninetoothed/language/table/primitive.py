"""A row of the table."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from ninetoothed.errors import NineToothedError, caller_loc, user_facing
from ninetoothed.language.table.kinds import SECTIONS, Kind, example_operands

_WIDTH = 88


@dataclass(frozen=True, repr=False)
class Primitive:
    """A function of the language. It has a meaning inside an application only.

    ``kind`` is the ``nt`` op that it becomes, with the documentation that its rows share; ``doc``
    describes what this one computes. ``parameters`` are names, with their defaults. ``rule`` maps
    the operands' element types to the type that they are converted to and the result's; its
    docstring is shown to users. ``identity`` is the value of lanes that are not valid in a
    reduction, by element type. ``triton`` is Triton's spelling over ``{0}``, ``{1}``, …. Rows
    without ``public`` are operators only. ``body`` defines a composition: a function written in the
    language, inlined where it is called, of an elementwise row over operands converted to its type.
    """

    name: str
    kind: Kind
    parameters: tuple[str, ...]
    doc: str
    rule: Callable[..., tuple[str, str]] | None = None
    triton: str = ""
    identity: Callable[[str], float | int] | None = None
    public: bool = True
    body: Any = None

    @property
    def op(self) -> str:
        """The op of its kind, the key of its handlers."""
        return self.kind.op

    @property
    def arity(self) -> int:
        """The number of required parameters."""
        return sum("=" not in parameter for parameter in self.parameters)

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __doc__(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The signature and the documentation, for ``help``."""
        texts = [textwrap.fill(part, _WIDTH) for part in _paragraphs(self.text)]
        sections = [f"{heading}:\n{_indented(text)}" for heading, text in self.sections.items()]
        return "\n\n".join([self.title, *texts, *sections]) + "\n"

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature, for ``inspect.signature``."""
        arguments = ast.parse(f"def _({', '.join(self.parameters)}): 0").body[0]
        assert isinstance(arguments, ast.FunctionDef)
        return _signature(arguments.args)

    @property
    def title(self) -> str:
        """The call, or the operation, over the parameters."""
        return self._written(self.parameters)

    @property
    def text(self) -> str:
        """The description: ``doc`` without its sections."""
        return "\n\n".join(part for part in _paragraphs(self.doc) if _heading(part) is None)

    @property
    def sections(self) -> dict[str, str]:
        """Shapes, element types, errors and an example."""
        found = {
            "Shapes": self.kind.shapes,
            "Element types": self.kind.dtypes if self.rule is None else _summary(self.rule),
            "Raises": "\n".join(self.kind.raises),
            "Example": self.kind.example.format(name=self.name) or self._example(),
        }
        own = {_heading(part): part for part in _paragraphs(self.doc)}
        for heading in SECTIONS:
            if heading in own:
                found[heading] = own[heading].removeprefix(f"{heading}:").strip()
        return {heading: found[heading] for heading in SECTIONS if found.get(heading)}

    @property
    def operator(self) -> bool:
        """True for an operator of Python's."""
        return not self.public and not self.triton.startswith("tl.")

    def _example(self) -> str:
        return self._written(example_operands(self.parameters, self.rule))

    def _written(self, operands: Sequence[str]) -> str:
        """The operation on ``operands``."""
        if self.operator:
            return self.triton.format(*operands)
        return f"ntl.{self.name}({', '.join(operands)})"

    def __repr__(self) -> str:
        return f"<{self.title}>"

    @user_facing
    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise NineToothedError(
            f"ntl.{self.name} has a meaning inside an application only; call a kernel that uses it",
            caller_loc(),
        )


INLINE = Kind("inline", "")
_F = TypeVar("_F", bound=Callable[..., Any])


def composite(rows: list[Primitive]) -> Callable[[_F], _F]:
    """Add the row of a function that is written in the language, with its name, parameters and
    docstring; users get the function itself.
    """

    def add(body: _F) -> _F:
        parameters = tuple(
            one.name if one.default is one.empty else f"{one.name}={one.default!r}"
            for one in inspect.signature(body).parameters.values()
        )
        doc = inspect.getdoc(body) or ""
        rows.append(Primitive(body.__name__, INLINE, parameters, doc, body=body))
        return body

    return add


def _paragraphs(doc: str) -> list[str]:
    return doc.split("\n\n")


def _heading(paragraph: str) -> str | None:
    return next((heading for heading in SECTIONS if paragraph.startswith(f"{heading}:")), None)


def _indented(text: str) -> str:
    wrapper = textwrap.TextWrapper(_WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
    return "\n".join(wrapper.fill(line) for line in text.splitlines())


def _summary(function: Callable[..., object]) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def _signature(arguments: ast.arguments) -> inspect.Signature:
    kinds = inspect.Parameter
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    found = [
        kinds(argument.arg, kinds.POSITIONAL_OR_KEYWORD, default=_default(default))
        for argument, default in zip(positional, defaults, strict=True)
    ]
    if arguments.vararg is not None:
        found.append(kinds(arguments.vararg.arg, kinds.VAR_POSITIONAL))
    found += [
        kinds(argument.arg, kinds.KEYWORD_ONLY, default=_default(default))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    return inspect.Signature(found)


def _default(node: ast.expr | None) -> object:
    return inspect.Parameter.empty if node is None else ast.literal_eval(node)
