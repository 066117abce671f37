"""Rows of every format with one value exchanged for another, for validate, show, convert and report."""

import copy
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import orjson
from hostile.cases import Case, as_json, places
from hostile_rows import one_step
from made_rows import conversation

from generator.core.errors import CannotCarryError
from generator.core.pointers import set_at
from generator.formats import FORMATS
from generator.formats.steps import split_calls

HOSTILE: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**70, 1e308, "", "x", "\x00", "assistant", "tool", "{", "[1]", '"{}"'),
    *([], [1], [[]], [None], {}, {"a": 1}, {"id": {}}, {"name": []}, [{}], [{"role": {}}], [{"type": "tool_use"}]),
)
NAMES = tuple(name for name in FORMATS if name != "alpaca")
"""Formats that hold calls: alpaca holds none, alpaca-qwen does."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "validate": ("validate", "x.jsonl", "--format", "NAME"),
    "show": ("show", "x.jsonl"),
    "convert": ("convert", "x.jsonl", "o.jsonl", "--from", "NAME", "--to", "openai"),
    "report": ("report", "x.jsonl", "--format", "NAME"),
}


@cache
def records(name: str) -> tuple[Any, ...]:
    """A conversation, and what of it fits in narrower formats, as records of a format."""
    plain = msgspec.structs.replace(conversation(), messages=conversation().messages[1:])
    found = []
    for talk in (conversation(), one_step(plain), split_calls(plain)):
        try:
            found.append(orjson.loads(orjson.dumps(FORMATS[name].render(talk))))
        except CannotCarryError:
            continue
    assert found
    return tuple(found)


def put_if_there(value: Any, place: str, new: Any) -> None:
    """Change a value that an earlier change may have taken away."""
    try:
        set_at(value, place, new)
    except (LookupError, TypeError, ValueError):
        return


def always() -> Iterator[Case]:
    """What is to name a defect, and is no text."""
    for name in (name for name in NAMES if FORMATS[name].policy.records in ("preferences", "unpaired")):
        wrong = {key: False for key in ("kto_tag", "label") if key in records(name)[0]}
        for defect in ([], {}, 5):
            for command in ("validate", "report"):
                yield _case(f"defect {defect!r}", name, command, {**records(name)[0], **wrong, "defect": defect})


def some() -> Iterator[Case]:
    """Every place of a row of every format, with one of the hostile values and one of the commands."""
    for name in NAMES:
        record = records(name)[0]
        for place in places(record):
            draw = random.Random(f"{name} {place}")
            changed = copy.deepcopy(record)
            put_if_there(changed, place, copy.deepcopy(draw.choice(HOSTILE)))
            yield _case(place, name, draw.choice(tuple(COMMANDS)), changed)


def _case(what: str, name: str, command: str, record: Any) -> Case:
    words = tuple(name if word == "NAME" else word for word in COMMANDS[command])
    return Case(f"{command} {name} {what}", {"x.jsonl": as_json(record) + b"\n"}, words)
