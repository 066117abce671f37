"""Transcripts of episodes with one value exchanged for another, for `episodes score`."""

import copy
import random
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hostile.cases import RECIPE, TOOL, Case, as_json, places
from hostile.rows import HOSTILE, put_if_there
from played import opened

from generator.episodes.player import play_reference
from generator.episodes.replay import transcript_of

FILES = {"r.yaml": as_json(RECIPE), "t.json": as_json([TOOL])}
SCORE = ("episodes", "score", "r.yaml", "x.jsonl", "--faults")


@cache
def transcript() -> dict[str, Any]:
    """What the first row does."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in FILES.items():
            (Path(folder) / name).write_bytes(data)
        episode = opened(Path(folder) / "r.yaml").episode()
        episode.reset(0)
        play_reference(episode)
        return transcript_of(episode)


def scored(name: str, record: Any) -> Case:
    """A case that scores one transcript."""
    return Case(name, {**FILES, "x.jsonl": as_json(record) + b"\n"}, SCORE)


def always() -> Iterator[Case]:
    """Calls that are none."""
    at = next(at for at, one in enumerate(transcript()["messages"]) if one.get("tool_calls"))
    for calls in (5, "x", {}, [5], [[]], [{}], [{"function": ["x"]}], [{"function": {"name": 5}}]):
        record = copy.deepcopy(transcript())
        record["messages"][at]["tool_calls"] = calls
        yield scored(f"tool_calls {calls!r}", record)


def some() -> Iterator[Case]:
    """Every place of a transcript with one of the hostile values."""
    for place in places(transcript()):
        changed = copy.deepcopy(transcript())
        put_if_there(changed, place, copy.deepcopy(random.Random(place).choice(HOSTILE)))
        yield scored(place, changed)
