"""The text of one tool's result function while it is written.

A result is made once for a row and once more for its check, and most of what that costs is calls of small functions.
So every tool gets one function of its own, as source. Nothing of a spec becomes source but keys, as `repr` writes
them, and whole numbers; everything else is a value that the source knows by a number.
"""

from collections.abc import Callable
from typing import Any

from generator.execution.bounds import within
from generator.execution.expressions import FAULTS, missing
from generator.execution.making import MOST, Make
from generator.execution.objects import ObjectWriter
from generator.pointers import resolve, split
from generator.seeds import ROUND, WALKED_ALONE, walk_table
from generator.written import Code, Function, indented

ABSENT = object()
"""Stands for an argument that the call does not have."""

_DEEPEST = 6
"""Below this, parts are functions of their own: Python's grammar nests only so deep."""


class ResultFunction(Function):
    """The function that answers the calls of one tool, in the making.

    It takes random numbers out of the table of a `TableDraw` itself (`is_alone`), unless it is one to try things out with.
    """

    def __init__(self, is_alone: bool) -> None:
        super().__init__()
        self.namespace |= {"ABSENT": ABSENT, "FAULTS": FAULTS, "MOST": MOST, "within": within}
        self.is_alone = is_alone
        self._parts: list[str] = []
        if is_alone:
            self.namespace |= {"table": walk_table()}
            self.rand = "((table[place := place + 1] + shift) % 1.0)"
            self.again = (f"place &= {ROUND}",)
            self._head = ["place = draw.place; shift = draw.shift"]

    def call(self, maker: Callable[..., Any], given: str) -> str:
        """The call of a maker, which walks on from here."""
        return self.called(f"{self.keep('leaf', maker)}({given if given == 'draw' else 'draw.rand'})")

    def called(self, expression: str) -> str:
        """An expression that takes numbers from the draw itself."""
        return f"(draw.walk_on(place), {expression}, place := draw.place)[1]" if self.is_alone else expression

    def argument(self, slot: str, absent: str) -> str:
        """A name for an argument of the call; it stands for what `absent` names when the call does not have it."""
        if "/" not in slot and "~" not in slot:
            return self.once("given", f"arguments.get({slot!r}, {absent})")
        return self.once("given", self._inner(split(slot), slot, absent))

    def _inner(self, steps: tuple[str, ...], slot: str, absent: str) -> str:
        """An argument in an argument; one that may stand in a list is looked for step by step."""
        if any(step.isdecimal() for step in steps):
            return f"{self.keep('read', _reader(slot, self.namespace.get(absent)))}(arguments)"
        inside = "arguments"
        for step in steps[:-1]:
            inside = self.once("part", f"{inside}.get({step!r}) if type({inside}) is dict else None")
        return f"{inside}.get({steps[-1]!r}, {absent}) if type({inside}) is dict else {absent}"

    def nested(self, code: Code, depth: int) -> Code:
        """The same code, as a function of its own where it would stand too deep."""
        if depth % _DEEPEST or not depth:
            return code
        name = self.name("part")
        self._parts += [f"def {name}():", *indented([*code.lines, f"return {code.value}"])]
        return Code([], f"{name}()")

    def can_walk_alone(self, code: Code) -> bool:
        """Whether it has no functions in it, and takes fewer numbers before it comes back than the table has to spare."""
        return not self._parts and sum([line.count(self.rand) for line in (*code.lines, code.value)]) < WALKED_ALONE

    def finish(self, code: Code, title: str) -> Make:
        """The function; values kept may still be exchanged in the namespace."""
        lines = [*self._parts, *code.lines, f"return {code.value}"]
        make: Make = self.write("draw, arguments, facts, today", lines, f"returns of {title}")
        return make


class InResult:
    """The scope of an `x-compute` that is written into a result function."""

    def __init__(self, function: ResultFunction, writer: ObjectWriter, value: str, always: frozenset[str]) -> None:
        self._function = function
        self._writer = writer
        self._value = value
        self._always = always
        self._given: list[str] = []

    def keep(self, stem: str, value: Any) -> str:
        """A name for a function or a number."""
        return self._function.keep(stem, value)

    def variable(self, name: str) -> str:
        """What was made before (`names`), or one of the names that stand for something else."""
        own = {"args": "arguments", "today": "today", "value": self._value}.get(name)
        if own is not None:
            return own
        return self._writer.source_of(name) or self._writer.looked_up(name, self._missing(name))

    def argument(self, name: str) -> str:
        """An argument; those without which there is no value are looked at before."""
        given = self._function.argument(name, "None")
        if name in self._always:
            self._given.append(given)
            return given
        return f"({given} if {given} is not None else {self._missing(name)})"

    def lacks(self) -> str:
        """The test that such an argument is not there; empty when there is none."""
        return " or ".join([f"{given} is None" for given in dict.fromkeys(self._given)])

    def _missing(self, name: str) -> str:
        return f"{self.keep('missing', missing)}({name!r})"


def _reader(slot: str, absent: Any) -> Callable[[Any], Any]:
    def read(arguments: Any) -> Any:
        try:
            return resolve(arguments, slot)
        except LookupError:
            return absent

    return read
