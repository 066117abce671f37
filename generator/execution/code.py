"""The text of one tool's result function while it is written.

A result is made once for a row and once more for its check, and most of what that costs is calls of small functions.
So every tool gets one function of its own, as source. Nothing of a spec becomes source but keys, as `repr` writes
them, and whole numbers; everything else is a value that the source knows by a number.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from generator.execution.bounds import within
from generator.execution.expressions import FAULTS
from generator.execution.making import MOST, Make
from generator.pointers import resolve

ABSENT = object()
"""Stands for an argument that the call does not have."""

_DEEPEST = 6
"""Below this, parts are functions of their own: Python's grammar nests only so deep."""


class Code(NamedTuple):
    """How one value is made."""

    lines: list[str]
    """Statements that go first."""
    value: str
    """An expression, to be evaluated once."""


class Function:
    """One function in the making."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"ABSENT": ABSENT, "FAULTS": FAULTS, "MOST": MOST, "within": within}
        self._head: list[str] = ["rand = draw.rand"]
        self._parts: list[str] = []
        self._count = 0

    def name(self, stem: str) -> str:
        """A name that is not taken."""
        self._count += 1
        return f"{stem}{self._count}"

    def keep(self, stem: str, value: Any) -> str:
        """A name for a value that does not depend on the call."""
        name = self.name(stem)
        self.namespace[name] = value
        return name

    def argument(self, slot: str, absent: str) -> str:
        """A name for an argument of the call; it stands for what `absent` names when the call does not have it."""
        name = self.name("given")
        if "/" in slot or "~" in slot:
            reader = self.keep("read", _reader(slot, self.namespace.get(absent)))
            self._head.append(f"{name} = {reader}(arguments)")
        else:
            self._head.append(f"{name} = arguments.get({slot!r}, {absent})")
        return name

    def once(self, stem: str, expression: str) -> str:
        """A name for what is the same wherever it is needed while a call is answered."""
        name = self.name(stem)
        self._head.append(f"{name} = {expression}")
        return name

    def nested(self, code: Code, depth: int) -> Code:
        """The same code, as a function of its own where it would stand too deep."""
        if depth % _DEEPEST or not depth:
            return code
        name = self.name("part")
        self._parts += [f"def {name}():", *indented([*code.lines, f"return {code.value}"])]
        return Code([], f"{name}()")

    def finish(self, code: Code, title: str) -> Make:
        """The function; values kept may still be exchanged in the namespace."""
        lines = indented([*self._head, *self._parts, *code.lines, f"return {code.value}"])
        text = "\n".join(["def make(draw, arguments, facts, today):", *lines])
        exec(compile(text, f"<returns of {title}>", "exec"), self.namespace)
        make: Make = self.namespace["make"]
        return make


def indented(lines: list[str]) -> list[str]:
    """The lines one level further in."""
    return [f" {line}" for line in lines]


def _reader(slot: str, absent: Any) -> Callable[[Any], Any]:
    def read(arguments: Any) -> Any:
        try:
            return resolve(arguments, slot)
        except LookupError:
            return absent

    return read
