"""Make the cases for readers of JSON: beginnings of JSON texts, and answers with fences and prose around."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from generator.core.documents import read_document
from generator.core.errors import GeneratorError
from generator.core.exact_json import loads
from generator.core.seeds import Draw, stream_seed
from generator.corpus.case import Case, Mutation, Oracle, Verdict
from generator.corpus.clients.partial_json import documents, prove, readings
from generator.corpus.clients.shapes import compact, escaped
from generator.corpus.toolbox import TODAY, Usable

_NO_VALUE = Oracle((), error="there is no value", value=None)
_USUAL = {"city": "Oslo", "days": 2}
_OTHER = {"other": True}


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A way to write an answer in JSON."""

    name: str
    verdict: Verdict
    about: str
    text: str
    allowed: tuple[Literal["value", "first", "last", "both", "part", "error"], ...] = ()
    value: Any = msgspec.UNSET
    """Where it is not the usual one."""


@cache
def answers() -> tuple[Answer, ...]:
    """Return the table of answers."""
    rows = read_document(Path(__file__).with_name("answers.yaml"), GeneratorError).value
    return msgspec.convert(rows, tuple[Answer, ...])


def _case(form: str, verdict: Verdict, name: str, text: str, found: list[Oracle], hazard: str | None) -> Case:
    return Case(
        id=name,
        format=form,
        verdict=verdict,
        text=text.encode(),
        oracle=found[0],
        allowed=tuple(found) if verdict == "i" else (),
        hazard=hazard,
        mutations=(Mutation("truncate", len(text.encode())),) if form == "partial_json" and verdict == "i" else (),
    )


def _value(value: Any) -> Oracle:
    return _NO_VALUE if value is msgspec.UNSET else Oracle((), value=value)


# ---------------------------------------------------------------------------------------------- JSON that ends early


def partial_grid() -> Iterator[Case]:
    """Yield every prefix of every document."""
    for document in documents():
        if not document.valid:
            yield _case("partial_json", "n", f"grid-{document.name}", document.text, [_NO_VALUE], document.name)
            continue
        for at in range(1, len(document.text) + 1):
            yield _prefix(document.text, at, f"grid-{document.name}-{at:04d}", document.name)


def make_prefix(tools: list[Usable], seed: int, index: int) -> Case:
    """Return the drawn case with that index: the beginning of the arguments of a call."""
    draw = Draw(stream_seed("corpus", seed, "partial_json", index), TODAY)
    text = _drawn_json(tools, draw)
    at = len(text) if draw.chance(0.1) else draw.between(1, len(text))
    return _prefix(text, at, f"drawn-{index:06d}", None)


def _prefix(text: str, at: int, name: str, hazard: str | None) -> Case:
    found = list(readings(text[:at]))
    prove(text, text[:at], found)
    whole = at == len(text) or not text[at:].strip()
    made = [_value(value) for value in found]
    if whole and text[0] not in "-0123456789":
        return _case("partial_json", "y", name, text[:at], made[:1], hazard)
    return _case("partial_json", "i", name, text[:at], made, hazard)


# ----------------------------------------------------------------------------------------------------- answers in JSON


def answer_grid() -> Iterator[Case]:
    """Yield one case for each row of the table."""
    for answer in answers():
        value = _USUAL if answer.value is msgspec.UNSET else answer.value
        yield _answer(answer, value, compact(value), f"grid-{answer.name}", answer.name)


def make_answer(tools: list[Usable], seed: int, index: int) -> Case:
    """Return the drawn case with that index."""
    draw = Draw(stream_seed("corpus", seed, "json_answers", index), TODAY)
    answer = draw.choice([answer for answer in answers() if "$json" in answer.text])
    text = _drawn_json(tools, draw)
    case = _answer(answer, loads(text), text, f"{answer.name}-{index:06d}", None)
    return msgspec.structs.replace(case, mutations=(Mutation(answer.name),))


def _answer(answer: Answer, value: Any, text: str, name: str, hazard: str | None) -> Case:
    known = {
        "value": [Oracle((), value=value)],
        "first": [Oracle((), value=value)],
        "last": [Oracle((), value=_OTHER)],
        "both": [Oracle((), value=[value, _OTHER])],
        "error": [_NO_VALUE],
        "part": [Oracle((), value={"city": "Oslo"})],
    }
    plain = ["value"] if answer.verdict == "y" else ["error"]
    found = [one for reading in answer.allowed or plain for one in known[reading]]
    return _case("json_answers", answer.verdict, name, answer.text.replace("$json", text), found, hazard)


def _drawn_json(tools: list[Usable], draw: Draw) -> str:
    known = draw.choice([known for known in tools if known.usual])
    value = dict(draw.choice(known.usual))
    for key, pool in known.hard.items():
        if pool and draw.chance(0.25):
            value[key] = draw.choice(pool).value
    style = draw.below(3)
    return compact(value) if style == 0 else escaped(value) if style == 1 else json.dumps(value, indent=2)
