"""Rows with one value exchanged for another: each is read, or refused with a reason, by everything that reads rows."""

import contextlib
import copy
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson
import pytest
from hostile_rows import one_step
from made_rows import conversation

from generator.data.convert import Conversion, convert_record
from generator.data.format_of import guessed_format
from generator.data.validate import check_raw
from generator.errors import CannotCarryError, FormatError
from generator.formats import FORMATS
from generator.formats.steps import split_calls
from generator.pointers import escape, set_at

HOSTILE: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**70, 1e308, "", "x", "\x00", "assistant", "tool", "{", "[1]", '"{}"'),
    *([], [1], [[]], [None], {}, {"a": 1}, {"id": {}}, {"name": []}, [{}], [{"role": {}}], [{"type": "tool_use"}]),
)
TARGETS = ("deepfabric", "openai", "anthropic", "xlam", "bfcl", "gemini", "sharegpt")
CHANGES = 60
"""For each format."""


def places(value: Any, at: str = "") -> Iterator[str]:
    """Pointers to everything in a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        place = f"{at}/{escape(str(key))}"
        yield place
        yield from places(part, place)


def records(name: str) -> list[Any]:
    plain = msgspec.structs.replace(conversation(), messages=conversation().messages[1:])
    found = []
    for talk in (conversation(), one_step(plain), split_calls(plain)):
        try:
            found.append(orjson.loads(orjson.dumps(FORMATS[name].render(talk))))
        except CannotCarryError:
            continue
    assert found
    return found


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "alpaca"])  # it holds no calls; alpaca-qwen does
def test_a_row_with_one_hostile_value_is_read_or_refused_with_a_reason(name: str):
    draw = random.Random(name)
    fmt = FORMATS[name]
    for record in records(name):
        everywhere = list(places(record))
        for _ in range(CHANGES):
            changed = copy.deepcopy(record)
            for _ in range(draw.choice((1, 1, 2))):
                put_if_there(changed, draw.choice(everywhere), copy.deepcopy(draw.choice(HOSTILE)))
            check_raw(changed, fmt)
            assert guessed_format(changed) in FORMATS
            for target in draw.sample(TARGETS, 2):
                with contextlib.suppress(FormatError, CannotCarryError):
                    convert_record(changed, fmt, FORMATS[target], Conversion())


def put_if_there(value: Any, place: str, new: Any) -> None:
    try:
        set_at(value, place, new)
    except (LookupError, TypeError, ValueError):  # the first change took it away
        return
