"""How answers are to look: constraints that a line of a system message, or a clause of a policy, puts on them.

Plain data: the wording draws no other forms, and `validation/styles.py` holds finished answers to them. The lines that a
system message may have are in `styles.yaml`.
"""

from functools import cache, lru_cache, reduce
from typing import Literal

import msgspec

from generator.core.yaml_values import own_data

DateForm = Literal["day month", "month day", "iso"]


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What answers may look like; None of a constraint that is not put."""

    words: int | None = None
    """The most words of an answer; what is said beside calls is no answer."""
    sentences: int | None = None
    """The most sentences of an answer, which then has one paragraph and no list."""
    lists: Literal["no"] | None = None
    """Whether lines may be entries of a list."""
    tables: Literal["no"] | None = None
    bold: Literal["no"] | None = None
    closers: Literal["no"] | None = None
    """Whether an answer may end with an offer of more help."""
    beside: Literal["no"] | None = None
    """Whether there may be text beside calls."""
    exclamations: Literal["no"] | None = None
    date: DateForm | None = None
    """`day month` ("4 May"), `month day` ("May 4") or `iso` ("2026-05-04")."""
    clock: Literal[12, 24] | None = None
    money: Literal["sign"] | None = None
    """`sign`: amounts have the sign of the currency, not its name or code."""

    @property
    def is_brief(self) -> bool:
        """Whether answers are to be short."""
        return self.words is not None or self.sentences is not None


ANY = Style()
"""No constraint."""


class StyleLine(msgspec.Struct, frozen=True):
    """A line of a system message, and what it means."""

    say: str
    style: Style


@cache
def style_lines() -> tuple[StyleLine, ...]:
    """Return the lines of `styles.yaml`."""
    return msgspec.convert(own_data(__file__)["lines"], tuple[StyleLine, ...])


@lru_cache(maxsize=4096)
def style_in(text: str) -> Style:
    """Return what the lines of a system message ask of answers."""
    return reduce(both, [line.style for line in style_lines() if line.say in text], ANY)


def both(one: Style, other: Style) -> Style:
    """Return a style that keeps the constraints of two; of two numbers the smaller one."""
    kept = msgspec.structs.asdict(one)
    for name, value in msgspec.structs.asdict(other).items():
        before = kept[name]
        kept[name] = min(before, value) if name in ("words", "sentences") and before and value else value or before
    return Style(**kept)
