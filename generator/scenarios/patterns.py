"""What every finished conversation of a kind looks like, as patterns that people can read.

    Pattern("U C{2+} (C:dependent)? A", told=("failed",))

A pattern has a letter for each message: `U` the user's, `C` calls of the assistant, `A` its text. A `C` is one call; `C{2}`
are two at once, `C{2+}` two or more, `C{1-2}` one or two. What follows a `C` must hold of its calls (`:dependent`; the names are
in `CONDITIONS`). Parts in brackets may be repeated: `(U C A)?`, `(U C A)+`, `(U C A){4+}`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import msgspec

from generator.scenarios.shape import ConversationShape, ShapedCall

Step = tuple[ShapedCall, ...]
"""The calls of one message."""
Part = tuple["tuple[Part, ...] | str", int, int, tuple[str, ...]]
"""A letter or a group, how often at least and at most (for `C`: how many calls), and the conditions of its calls."""

_MANY = 10**6
_TOKEN = re.compile(r"\s*(?:(?P<open>\()|(?P<close>\)(?P<times>[?+]|\{[\d+-]+\})?)|(?P<letter>[UCA])(?P<width>\{[\d+-]+\})?(?P<words>(?::\w+)*))")  # fmt: skip


class Pattern(msgspec.Struct, frozen=True):
    """One way in which a conversation of some kind can go."""

    messages: str
    """The pattern of its messages."""
    told: tuple[str, ...] | None = None
    """What the assistant's sentences that report no result must be, by kind, in order; None: anything."""
    retracted: int | None = None
    """How many values the user takes back."""
    declined: int | None = None
    """How many wishes the assistant declines."""
    also: Callable[[ConversationShape], bool] | None = None
    """What else must hold."""

    def fits(self, shape: ConversationShape) -> bool:
        """Whether a conversation goes this way."""
        return (
            (self.told is None or self.told == shape.told)
            and (self.retracted is None or self.retracted == shape.retracted)
            and (self.declined is None or self.declined == len(shape.declined))
            and any(end == len(shape.order) for end in _ends(_parsed(self.messages), shape, 0))
            and (self.also is None or self.also(shape))
        )

    def __str__(self) -> str:
        """Return the way in one line, for messages."""
        return (
            self.messages if self.told is None else f"{self.messages} ({', '.join(self.told) or 'nothing else told'})"
        )


CONDITIONS: Mapping[str, Callable[[Step], bool]] = {
    "dependent": lambda calls: all(call.dependent for call in calls),
    "takes_each": lambda calls: len({call.takes for call in calls}) == len(calls),
    "one_tool": lambda calls: len({call.name for call in calls}) == 1,
    "other_tools": lambda calls: len({call.name for call in calls}) > 1,
}
"""What can be asked of the calls of one message."""


def pattern_faults(kind: str, ways: tuple[Pattern, ...], shape: ConversationShape) -> Iterator[str]:
    """Yield what is wrong with a finished conversation that goes none of the ways of its kind."""
    if not any(way.fits(shape) for way in ways):
        expected = " or ".join(map(str, ways))
        yield f"not {kind}: {' '.join(shape.order)} ({', '.join(shape.told) or 'nothing else told'}), expected {expected}"


def _ends(parts: tuple[Part, ...], shape: ConversationShape, at: int) -> Iterator[int]:
    """Yield each place in the order of messages up to which the parts can stand from `at` on."""
    if not parts:
        yield at
        return
    (what, least, most, words), rest = parts[0], parts[1:]
    if isinstance(what, str):
        if _stands(what, least, most, words, shape, at):
            yield from _ends(rest, shape, at + 1)
        return
    if least <= 0:
        yield from _ends(rest, shape, at)
    if most > 0:
        for end in _ends(what, shape, at):
            if end > at:
                yield from _ends(((what, least - 1, most - 1, ()), *rest), shape, end)


def _stands(letter: str, least: int, most: int, words: tuple[str, ...], shape: ConversationShape, at: int) -> bool:
    if shape.order[at : at + 1] != letter:
        return False
    if letter != "C":
        return True
    number = shape.order.count("C", 0, at)
    if number >= len(shape.steps):
        return False
    calls = shape.steps[number]
    return least <= len(calls) <= most and all(CONDITIONS[word](calls) for word in words)


@cache
def _parsed(pattern: str) -> tuple[Part, ...]:
    groups: list[list[Part]] = [[]]
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        assert token is not None, pattern
        at = token.end()
        if token["open"]:
            groups.append([])
        elif token["letter"]:
            least, most = _times(token["width"] or "{1}")
            groups[-1].append((token["letter"], least, most, tuple(token["words"].split(":")[1:])))
        else:
            inner = tuple(groups.pop())
            groups[-1].append((inner, *_times(token["times"] or "{1}"), ()))
    (parts,) = groups
    return tuple(parts)


def _times(text: str) -> tuple[int, int]:
    """Return (at least, at most) of `?`, `+`, `{2}`, `{2+}` or `{1-2}`."""
    if text in ("?", "+"):
        return (0, 1) if text == "?" else (1, _MANY)
    least, sign, most = text.strip("{}").partition("-")
    return (int(least), int(most)) if sign else (int(least.rstrip("+")), _MANY if "+" in least else int(least))
