"""Functions that are written as source, and small functions that can be written into longer ones.

What is drawn for a row is a hundred small values, and most of what they cost is calls. So a maker of values may tell how
it is written (`tell`), and whoever needs many makers writes one function out of them (`code_of`). Nothing of a spec
becomes source but keys, as `repr` writes them, and numbers; everything else is a value that the source knows by a name.

A maker takes a `Draw`. Its source takes random numbers as the function says (`rand`), and else uses only names that the
function gives it.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

_LONGEST = 2000
"""Characters of a line; of texts within texts within texts it could have any number."""
_MOST_OPEN = 60
_MOST_LINES = 300
_DEEPEST = 6
_PLAIN = re.compile(r"[A-Za-z0-9 .,:;/#@+_-]*")


class Code(NamedTuple):
    """How one value is made."""

    lines: list[str]
    """Statements that go first."""
    value: str
    """An expression, to be evaluated once."""


class Verbatim(NamedTuple):
    """A text that is always the same."""

    text: str


class Function:
    """One function of a `draw` (and what else it takes), in the making."""

    rand = "rand()"
    """The expression of the next random number."""
    again: tuple[str, ...] = ()
    """Lines that stand at the beginning of every loop."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {}
        self._head: list[str] = ["rand = draw.rand"]
        self._once: dict[str, str] = {}
        self._kept: dict[int, str] = {}
        self._count = 0

    def name(self, stem: str) -> str:
        """A name that is not taken."""
        self._count += 1
        return f"{stem}{self._count}"

    def keep(self, stem: str, value: Any) -> str:
        """A name for a value that does not change."""
        name = self._kept.get(id(value))
        if name is None:
            name = self._kept[id(value)] = self.name(stem)
            self.namespace[name] = value
        return name

    def call(self, maker: Callable[..., Any], given: str) -> str:
        """The call of a maker that takes the `draw`, or its `rand`."""
        return f"{self.keep('leaf', maker)}({given})"

    def one_of(self, stem: str, values: Sequence[Any]) -> str:
        """The expression that chooses one of the values."""
        return f"{self.keep(stem, values)}[int({self.rand} * {len(values)})]"

    def once(self, stem: str, expression: str) -> str:
        """A name for what is the same wherever it is needed in one call."""
        name = self._once.get(expression)
        if name is None:
            name = self._once[expression] = self.name(stem)
            self._head.append(f"{name} = {expression}")
        return name

    def text(self, *parts: "str | Verbatim") -> str:
        """The expression of a text that is put together from expressions of texts and fixed ones."""
        inside = [self._literal(part) if isinstance(part, Verbatim) else _inside(part) for part in parts]
        if any('"' in part for part in inside):  # a string in a string
            return " + ".join([self.keep("text", part.text) if isinstance(part, Verbatim) else f"({part})" for part in parts])
        return f'f"{"".join(inside)}"'

    def _literal(self, part: "Verbatim") -> str:
        return part.text if _PLAIN.fullmatch(part.text) else f"{{{self.keep('text', part.text)}}}"

    def write(self, parameters: str, lines: list[str], title: str) -> Any:
        """The function; values kept may still be exchanged in the namespace."""
        text = "\n".join([f"def make({parameters}):", *indented([*self._head, *lines])])
        exec(compile(text, f"<{title}>", "exec"), self.namespace)
        return self.namespace["make"]


def tell(maker: AnyFunction, write: Callable[[Function], Code | str]) -> AnyFunction:
    """The maker, of which it is known how it is written into a function: as some code, or as an expression."""
    vars(maker)["write"] = write
    return maker


def code_of(maker: Callable[..., Any], function: Function, given: str = "draw") -> Code:
    """The code of a maker in a function: what it has told, unless that is very long, or a call of it."""
    write: Callable[[Function], Code | str] | None = getattr(maker, "write", None)
    if write is not None:
        written = write(function)
        code = Code([], written) if isinstance(written, str) else written
        if _is_readable(code):
            return code
    return Code([], function.call(maker, given))


def _is_readable(code: Code) -> bool:
    """Whether Python's grammar, which nests only so deep, takes it for sure."""
    deepest = max([len(line) - len(line.lstrip()) for line in code.lines], default=0)
    is_short = len(code.lines) <= _MOST_LINES and all(len(line) <= _LONGEST for line in (*code.lines, code.value))
    return is_short and deepest <= _DEEPEST and all(line.count("{") <= _MOST_OPEN for line in (*code.lines, code.value))


def expression_of(maker: Callable[..., Any], function: Function, given: str = "draw") -> str:
    """The same where no statement can stand."""
    code = code_of(maker, function, given)
    return function.call(maker, given) if code.lines else code.value


def _inside(part: str) -> str:
    """An expression as it stands in an f-string; of another f-string what stands in that."""
    return part[2:-1] if part.startswith('f"') and part.find('"', 2) == len(part) - 1 else f"{{{part}}}"


def indented(lines: list[str]) -> list[str]:
    """The lines one level further in."""
    return [f" {line}" for line in lines]
