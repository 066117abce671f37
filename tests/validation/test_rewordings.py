"""What the checks of reworded texts let pass and what they refuse: measured with wrong and right rewordings of real texts."""

import re
from collections import defaultdict
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from shipped_tools import toolbox

from generator.validation.reworded.check import say_the_same
from generator.validation.reworded.spoken import place_of, spoken_at
from generator.validation.reworded.survival import Spoken

SETS = Path(__file__).parent / "rewordings"
Outcomes = dict[str, list[tuple[str, str]]]
"""By kind: the new text, and why it was refused, or nothing."""


def outcomes(half: str, judgement: str) -> Outcomes:
    """What becomes of the `wrong` or the `right` rewordings of one half."""
    found: Outcomes = defaultdict(list)
    for entry in yaml.safe_load((SETS / f"{half}.yaml").read_text("utf-8")):
        old, spoken = _spoken(entry)
        calls = {call: toolbox()[name] for call, name in entry["calls"].items()}
        for one in entry[judgement]:
            ((kind, new),) = one.items()
            fault = say_the_same(old, new, spoken, calls, is_english=True, is_request=entry["request"])[1]
            found[kind].append((new, fault))
    return dict(found)


def _spoken(entry: dict[str, Any]) -> tuple[str, list[Spoken]]:
    """The template's text without the braces around its values, and the values."""
    old, spoken = "", []
    today = date.fromisoformat(entry["today"]) if "today" in entry else None
    values = iter(entry["values"])
    for number, piece in enumerate(re.split(r"[{}]", entry["text"])):
        start, old = len(old), old + piece
        if number % 2:
            one = next(values)
            spec = toolbox()[one.get("tool") or entry["calls"][one["calls"][0]]]
            place = place_of(spec, one["pointer"], one["reader"], one["of"])
            value = None if place is None else place.read(piece, today)
            said = one["pointer"], one["reader"], one["of"]
            spoken.append(spoken_at((start, len(old)), spec, said, value, today, frozenset(one["calls"])))
    return old, spoken


def share(found: Outcomes) -> float:
    """How many of all are accepted."""
    faults = [fault for texts in found.values() for _, fault in texts]
    return faults.count("") / len(faults)
