"""Values that parsers get wrong (hard_values.json)."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from generator.core.exact_json import loads
from generator.core.files import read_regular
from generator.core.seeds import Draw
from generator.formats.wire.format import wire_formats

_FILE = Path(__file__).with_name("hard_values.json")


class Hard(msgspec.Struct, frozen=True):
    """A value and what is hard about it."""

    place: int
    """Among all of them."""
    value: Any
    tag: str


@cache
def hard_values() -> tuple[Hard, ...]:
    """Return all of the file, and the markers of every wire format alone and inside a text."""
    table = loads(read_regular(_FILE))
    made: list[tuple[Any, str]] = [(text, tag) for tag, texts in table["strings"].items() for text in texts]
    markers = dict.fromkeys(marker for fmt in wire_formats().values() for marker in (*fmt.special, *fmt.end))
    made += [(text, "marker") for marker in markers for text in (marker, f"see {marker} here")]
    for key, tag in (("integers", "integer"), ("numbers", "number"), ("arrays", "array"), ("objects", "object")):
        made += [(value, tag) for value in table[key]]
    made += [(True, "boolean"), (False, "boolean"), (None, "null")]
    return tuple([Hard(place, value, tag) for place, (value, tag) in enumerate(made)])


def long_text(draw: Draw) -> str:
    """Return a text of 4,000 to 20,000 characters."""
    line = draw.choice(
        (
            "lorem ipsum dolor sit amet, ",
            "a" * 40,
            "x = {1: [2, 3]}; ",
            'It\'s "fine".\n',
            "日本語 ",
            '\\n\\t\\"',
            "<b>x</b> ",
        )
    )
    return (line * (draw.between(4000, 20000) // len(line) + 1)).strip()


def deep_value(draw: Draw) -> Any:
    """Return a list or object with 20 to 400 levels."""
    value: Any = draw.choice(("x", -1, None, {}))
    kind = draw.below(3)
    for level in range(draw.choice((20, 60, 150, 400))):
        value = {"a": value} if kind == 0 or (kind == 2 and level % 2) else [value]
    return value


def hard_sentence(draw: Draw) -> str:
    """Return a short sentence as a model says it beside calls."""
    return draw.choice(_SENTENCES)


_SENTENCES = (
    "Let me look that up.", "I'll check that for you.", "Sure — one moment.", "Here is what I found so far: 3 < 4 and a > b.",
    "First I need the current state.\nThen I'll make the change.", "D'accord, je regarde ça tout de suite.", "はい、確認します。",
    "OK 👍", "The list [a, b] has two entries.", "I'll call the function now:", "Step 1:\n\n- read\n- write", "{}", "f(x) = y",
)  # fmt: skip


def thought(draw: Draw) -> str:
    """Return what a model thinks before it calls."""
    return draw.choice(_THOUGHTS)


_THOUGHTS = (
    "The user wants this done now.", "", "I could call it twice. No, once is enough.", "Maybe {\"name\": \"x\"} is needed?",
    "Line one.\n\nLine two.", "They said 5 < 6, so the tool fits.", "考え中…",
)  # fmt: skip


def fitting(candidates: Iterator[Hard] | tuple[Hard, ...], fits: Any) -> tuple[Hard, ...]:
    """Return the candidates that pass a test of their value."""
    return tuple([hard for hard in candidates if fits(hard.value)])
