"""The text of one tool's result function while it is written.

A result is made once for a row and once more for its check, and most of what that costs is calls of small functions.
So every tool gets one function of its own, as source. Nothing of a spec becomes source but keys, as `repr` writes
them, and whole numbers; everything else is a value that the source knows by a number.
"""

from collections.abc import Callable
from typing import Any

from generator.execution.bounds import within
from generator.execution.expressions import FAULTS
from generator.execution.making import MOST, Make
from generator.pointers import resolve
from generator.written import Code, Function, indented

ABSENT = object()
"""Stands for an argument that the call does not have."""

_DEEPEST = 6
"""Below this, parts are functions of their own: Python's grammar nests only so deep."""


class ResultFunction(Function):
    """The function that answers the calls of one tool, in the making."""

    def __init__(self) -> None:
        super().__init__()
        self.namespace |= {"ABSENT": ABSENT, "FAULTS": FAULTS, "MOST": MOST, "within": within}
        self._parts: list[str] = []

    def argument(self, slot: str, absent: str) -> str:
        """A name for an argument of the call; it stands for what `absent` names when the call does not have it."""
        name = self.name("given")
        if "/" in slot or "~" in slot:
            reader = self.keep("read", _reader(slot, self.namespace.get(absent)))
            self._head.append(f"{name} = {reader}(arguments)")
        else:
            self._head.append(f"{name} = arguments.get({slot!r}, {absent})")
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
        lines = [*self._parts, *code.lines, f"return {code.value}"]
        make: Make = self.write("draw, arguments, facts, today", lines, f"returns of {title}")
        return make


def _reader(slot: str, absent: Any) -> Callable[[Any], Any]:
    def read(arguments: Any) -> Any:
        try:
            return resolve(arguments, slot)
        except LookupError:
            return absent

    return read
