"""The grid: one small case for each format, hazard and position, so that a failure names its cause.

No case depends on another one: a new hazard leaves all others as they are. Every mutation and every way to call nothing is
a hazard, too.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from generator.core.documents import read_document
from generator.core.errors import GeneratorError
from generator.core.seeds import Draw, stream_seed
from generator.corpus.case import Case, Mutation
from generator.corpus.chunks import token_plans
from generator.corpus.emissions import emissions_of
from generator.corpus.making import CaseMaker, case_of_parts
from generator.corpus.mutations import MUTATIONS, Draft
from generator.corpus.mutations.draft import with_replaced
from generator.corpus.no_calls import NO_CALLS
from generator.corpus.toolbox import TODAY
from generator.formats.wire.calls import ExpectedCall, same_calls
from generator.formats.wire.format import WireFormat
from generator.formats.wire.reading import read
from generator.formats.wire.style import Style
from generator.formats.wire.writing import write_completion

Position = Literal["first", "middle", "last", "alone", "key", ""]
_PLACES: dict[Position, str] = {"first": "{} b", "middle": "a {} b", "last": "a {}", "alone": "{}"}
_TOOL_OF = {
    "level": "set_level", "offset": "set_level", "exact": "set_level", "minutes": "set_reminder", "tags": "tag_items",
    "options": "tag_items", "value": "put_value",
}  # fmt: skip
_REQUIRED: dict[str, dict[str, Any]] = {
    "set_level": {"level": 1},
    "tag_items": {"tags": ["a"]},
    "put_value": {"key": "a"},
}
_PLAIN: dict[str, dict[str, Any]] = {"ping": {}, "refresh": {"force": True}}
_MARK = 918273645546372
"""Stands where letters are put."""
_DEEPEST_LITERAL = 100
"""Beyond which Python reads no literal."""
_LONG = "lorem ipsum dolor sit amet, " * 36


class Hazard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that parsers get wrong."""

    name: str
    about: str
    text: str | None = None
    alone: str | None = None
    value: Any = msgspec.UNSET
    of: str = ""
    nested: int = 0
    calls: tuple[str, ...] = ()
    raw: str | None = None
    escape: bool = False
    said: str = ""


@cache
def hazards() -> tuple[Hazard, ...]:
    """Return the hazards of the table, then the mutations and the texts without calls."""
    rows = read_document(Path(__file__).with_name("hazards.yaml"), GeneratorError).value
    named = [(name, mutate.__doc__) for name, mutate in MUTATIONS.items()]
    named += [(name, speak.__doc__) for name, speak in NO_CALLS.items()]
    made = [Hazard(name, (about or name.replace("_", " ")).splitlines()[0]) for name, about in named]
    return (*msgspec.convert(rows, tuple[Hazard, ...]), *made)


def grid_cases(maker: CaseMaker) -> Iterator[Case]:
    """Yield all cases of the grid of one format; none where a tool of the grid is not offered."""
    if not {"save_note", "ping", "refresh", "run_query", *_TOOL_OF.values()} <= maker.tools.keys():
        return
    for hazard in hazards():
        if hazard.name in MUTATIONS:
            yield from _mutated(maker, hazard)
        elif hazard.name in NO_CALLS:
            yield from _no_call(maker, hazard)
        elif hazard.raw is not None:
            yield from _raw(maker, hazard, hazard.raw)
        elif hazard.said:
            yield from _said(maker, hazard)
        else:
            for position, calls in _calls(maker.fmt, hazard):
                case = case_of_parts(maker, _id(hazard, position), calls, None, Style(json=maker.fmt.json))
                yield _named(case, maker, hazard, position)


def _id(hazard: Hazard, position: str) -> str:
    return f"grid-{hazard.name}-{position}" if position else f"grid-{hazard.name}"


def _calls(fmt: WireFormat, hazard: Hazard) -> Iterator[tuple[Position, tuple[ExpectedCall, ...]]]:
    if hazard.text is not None:
        yield from _with_text(_own_marker(fmt, hazard.text))
    elif hazard.alone is not None:
        yield "alone", (ExpectedCall("save_note", {"text": _LONG if hazard.alone == "long" else hazard.alone}),)
    elif hazard.nested:
        if hazard.nested > _DEEPEST_LITERAL and (
            fmt.arguments in ("python", "braces", "nested") or fmt.words == "repr"
        ):
            return
        value: Any = "x"
        for _ in range(hazard.nested - 1):
            value = [value]
        yield "", (ExpectedCall("run_query", {"filter": {"a": value}}),)
    elif hazard.calls:
        yield "", tuple([ExpectedCall(name, dict(_PLAIN[name])) for name in hazard.calls])
    else:
        tool = _TOOL_OF[hazard.of]
        yield "", (ExpectedCall(tool, {**_REQUIRED.get(tool, {}), hazard.of: hazard.value}),)


def _with_text(text: str) -> Iterator[tuple[Position, tuple[ExpectedCall, ...]]]:
    for position, place in _PLACES.items() if text else ():
        yield position, (ExpectedCall("save_note", {"text": place.format(text)}),)
    if text:
        yield "key", (ExpectedCall("run_query", {"filter": {f"a{text}b": 1}}),)


def _own_marker(fmt: WireFormat, text: str) -> str:
    """Return the text, or the marker of the format that it stands for; empty where there is none."""
    closing = fmt.markers[-1] if fmt.markers else ""
    names = {
        "$open": fmt.opening,
        "$close": closing,
        "$half": closing[: len(closing) // 2],
        "$half_open": fmt.opening[: len(fmt.opening) // 2],
        "$end": next(iter(fmt.end), ""),
    }
    return names.get(text, text)


def _mutated(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    """Yield the smallest answer with one change: one call, or two if one cannot have it."""
    pair = (ExpectedCall("save_note", {"text": "b"}), ExpectedCall("refresh", {"force": True}))
    for calls in (pair[:1], pair)[: 1 if maker.fmt.one else 2]:
        case = _broken(maker, hazard, calls)
        if case is not None:
            yield case
            return


def _broken(maker: CaseMaker, hazard: Hazard, calls: tuple[ExpectedCall, ...]) -> Case | None:
    made = case_of_parts(maker, "base", calls, None, Style(json=maker.fmt.json))
    draw = _draw(maker, hazard)
    draft = Draft(
        fmt=maker.fmt,
        text=made.chars,
        calls=calls,
        content=None,
        style=Style(json=maker.fmt.json),
    )
    broken = MUTATIONS[hazard.name](draft, draw)
    if broken is None or broken.text == made.chars or made.verdict != "y":
        return None
    case = case_of_parts(maker, _id(hazard, ""), calls, None, Style(json=maker.fmt.json), broken=broken)
    return _named(case, maker, hazard, "", Mutation(hazard.name, None, broken.arg))


def _no_call(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    call = ExpectedCall("refresh", {"force": True})
    said = NO_CALLS[hazard.name](maker.fmt, _draw(maker, hazard), call)
    if said is not None:
        case = case_of_parts(maker, _id(hazard, ""), (), said, Style(json=maker.fmt.json))
        yield _named(case, maker, hazard, "", Mutation(hazard.name))


def _said(maker: CaseMaker, hazard: Hazard) -> Iterator[Case]:
    """Yield words, and the calls behind them, where the format has words."""
    end = hazard.said.rpartition("$")[2]
    marker = _own_marker(maker.fmt, f"${end}") if "$" in hazard.said else ""
    if not maker.fmt.prose or ("$" in hazard.said and not marker):
        return
    calls = tuple([ExpectedCall(name, dict(_PLAIN[name])) for name in hazard.calls])
    said = hazard.said.removesuffix(f"${end}") + marker
    yield _named(case_of_parts(maker, _id(hazard, ""), calls, said, Style(json=maker.fmt.json)), maker, hazard, "")


def _raw(maker: CaseMaker, hazard: Hazard, raw: str) -> Iterator[Case]:
    """Yield the case where an argument is written with these letters; `y` if they have a value, and our reader finds it."""
    fmt, name = maker.fmt, _id(hazard, "")
    if hazard.escape and fmt.arguments not in ("json", "python"):
        return
    tool = _TOOL_OF.get(hazard.of, "save_note")
    mark: str | int = str(_MARK) if hazard.of == "text" else _MARK
    marked = (ExpectedCall(tool, {**_REQUIRED.get(tool, {}), hazard.of: mark}),)
    written = write_completion(fmt, marked, None, Style(json=fmt.json))
    at = written.text.find(str(_MARK))
    if at < 0:
        return
    letters = "a\ud83d" if raw == "$half_pair" else raw
    broken = with_replaced(written.text, at, len(str(_MARK)), letters)
    calls = (ExpectedCall(tool, {**_REQUIRED.get(tool, {}), hazard.of: hazard.value}),)
    found = read(fmt, broken.text, maker.schemas) if hazard.value is not msgspec.UNSET else None
    if found is not None and not found.after and same_calls(found.calls, calls):
        more = len(broken.text) - len(written.text)
        (named, (start, end)), *_ = written.calls
        if named[0] > at:  # the name stands behind the arguments
            named = (named[0] + more, named[1] + more)
        moved = msgspec.structs.replace(written, text=broken.text, calls=((named, (start, end + more)),))
        case = case_of_parts(maker, name, calls, None, Style(json=fmt.json))
        changed = {"id": f"y_{name}", "verdict": "y", "text": broken.text.encode(), "allowed": ()}
        case = msgspec.structs.replace(case, emissions=emissions_of(moved), **changed)
        yield _named(case, maker, hazard, "")
    else:
        case = case_of_parts(maker, name, marked, None, Style(json=fmt.json), broken=broken)
        yield _named(msgspec.structs.replace(case, oracle=None), maker, hazard, "")


def _draw(maker: CaseMaker, hazard: Hazard) -> Draw:
    return Draw(stream_seed("corpus", "grid", maker.fmt.name, hazard.name), TODAY)


def _named(case: Case, maker: CaseMaker, hazard: Hazard, position: str, *changes: Mutation) -> Case:
    try:
        plans = token_plans(case.text.decode(), maker.fmt.special)
    except UnicodeDecodeError:
        plans = ()  # no server could deliver it
    place = re.sub("^$", "only", position)
    return msgspec.structs.replace(
        case,
        hazard=hazard.name,
        tags=(f"position_{place}",),
        mutations=changes,
        plans=plans,
    )
