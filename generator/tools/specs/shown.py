"""What an answer says beyond the values of a result, and whether the row shows it: units, currencies, points of reference.

The words stand in `shown.yaml`. The same words are read in the phrases of a tool, when it is loaded, and in finished answers.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from generator.arguments.kinds.units import UNITS, Unit
from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolMessage
from generator.core.documents import Place
from generator.core.templates import Plural, Segment, parse_template
from generator.core.toolbox import ToolSpec
from generator.core.yaml_values import own_data


class Claim(msgspec.Struct, frozen=True):
    """Words that tell something beside the values: "on foot"."""

    kind: str
    """`currency`, `unit`, `point of reference`, …"""
    said: str
    shown_by: str
    """What shows it, with commas between the alternatives."""


def unshown(row: Conversation) -> Iterator[Claim]:
    """Yield what the answers to results claim that no other message shows, nor any tool that is called."""
    called = {
        call.name for message in row.messages if isinstance(message, AssistantMessage) for call in message.tool_calls
    }
    texts = [text for tool in row.tools if tool.name in called for text in texts_of_tool(tool)]
    claims: dict[Claim, None] = {}
    has_result = False
    for message in row.messages:
        if not isinstance(message, AssistantMessage):
            texts.append(message.content)
            has_result |= isinstance(message, ToolMessage)
        elif has_result and message.content and not message.tool_calls:
            claims |= dict.fromkeys(_claims_in(message.content))
    words = _as_words("\n".join(texts)) if claims else ""
    yield from (claim for claim in claims if not _words_pattern(claim.shown_by).search(words))


def check_shown(spec: ToolSpec) -> Iterator[tuple[Place, str]]:
    """Yield the places of phrases that tell of a result what no row shows, and what would show it."""
    tool_texts, shown_by_tool = "", set[Claim]()
    for place, text, when in _result_phrases(spec):
        try:
            claims, fields = _claims_of_phrase(text)
        except ValueError:  # told elsewhere
            continue
        for claim in claims:
            if claim in shown_by_tool or _words_pattern(claim.shown_by).search(f"{fields}\n{_as_words(when)}"):
                continue
            tool_texts = tool_texts or _as_words(
                "\n".join([*texts_of_tool(spec.tool), *_certain_field_names(spec.returns)])
            )
            if _words_pattern(claim.shown_by).search(tool_texts):
                shown_by_tool.add(claim)
            else:
                yield place, _FAULT.format(text=text, claim=claim)


_FAULT = (
    "{text!r}: no row shows {claim.said!r} ({claim.kind}). One of these in the tool's description or in the name of a field "
    "that every result has would: {claim.shown_by}"
)


def texts_of_tool(tool: Tool) -> Iterator[str]:
    """Yield the name and all names, descriptions and values of the arguments of a tool, as a model sees them."""
    yield tool.name
    yield tool.description or ""
    yield from _texts_in_schema(tool.parameters)


def _texts_in_schema(schema: Any) -> Iterator[str]:
    """Yield all texts of a schema, and the names of its properties."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            for key, below in part.items():
                yield from below if key in _NAMING and isinstance(below, dict) else ()
                waiting += below.values() if key in _NAMING and isinstance(below, dict) else [below]


def _certain_field_names(schema: Any) -> Iterator[str]:
    """Yield the names of the fields that every result has, and the values of those that have but one."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            required, values = part.get("required"), part.get("enum", [part.get("const")])
            yield from (name for name in required or () if isinstance(name, str)) if isinstance(required, list) else ()
            yield from (str(value) for value in values) if isinstance(values, list) and len(values) == 1 else ()
            waiting += part.values()


def _result_phrases(spec: ToolSpec) -> Iterator[tuple[Place, str, str]]:
    """Yield the phrases that tell results, with their places and the values that they hold for."""
    phrases = spec.phrases
    for index, answer in enumerate(phrases.answer):
        yield ("phrases", "answer", index), answer.say, "\n".join([f"{slot} {value}" for slot, value in answer.when])
    for slot, texts in phrases.each.items():
        yield from ((("phrases", "each", slot), text, "") for text in texts)
    for slot, tallies in phrases.tally.items():
        yield from ((("phrases", "tally", slot), tally.say, "") for tally in tallies)
    yield from ((("phrases", "fields", name), words, "") for name, words in phrases.fields.items())


@cache
def _claims_of_phrase(phrase: str) -> tuple[tuple[Claim, ...], str]:
    """Return what a phrase claims, and the words of the fields and arguments whose values it says.

    Raises:
        ValueError: for what is no phrase.
    """
    template = parse_template(phrase, "result")
    claims = _claims_in("".join(map(_segment_text, template.segments)))
    return claims, _as_words("\n".join(template.needs | template.arguments)) if claims else ""


def _claims_in(text: str) -> tuple[Claim, ...]:
    """Return the claims whose words stand in a text."""
    words, by_last_word = _WORD.findall(_NUMBER.sub("#", text.casefold())), _data()[1]
    last_words = sorted(by_last_word.keys() & words)
    line = f" {' '.join(words)} " if last_words else ""
    return tuple([claim for last_word in last_words for claim in by_last_word[last_word] if f" {claim.said} " in line])


def _segment_text(segment: Segment) -> str:
    """Return words with `#` in place of a value, and with what its verbalizer adds."""
    if isinstance(segment, str):
        return segment
    return f"{segment.one} {segment.many}" if isinstance(segment, Plural) else _data()[0].get(segment.verbalizer, "#")


def _as_words(text: str) -> str:
    """Return the words of names and texts in small letters, without what looks like a unit: `pricePerNight` as "price per night"."""
    return _INSIDE_NAMES.sub(" ", text).casefold()


@cache
def _words_pattern(shown_by: str) -> re.Pattern[str]:
    """Return a pattern of alternatives with commas between them: `price, cost*` finds "prices" and "costing"."""
    patterns = [
        f"{re.escape(alternative[:-1])}[^\\W\\d_]*" if alternative[-1] == "*" else f"{re.escape(alternative)}s?"
        for alternative in shown_by.casefold().split(", ")
    ]
    return re.compile(f"(?<![^\\W\\d_])(?:{'|'.join(patterns)})(?![^\\W\\d_])")


@cache
def _data() -> tuple[dict[str | None, str], dict[str, list[Claim]]]:
    """Return what verbalizers add to a value, and the claims by their last word."""
    written = own_data(__file__)
    claims: dict[str, list[Claim]] = {}
    units = [unit for unit in UNITS.values() if unit.short[:1] != "°"]  # degrees are of two scales
    groups_of_claims = [(kind, *group) for kind, groups in written["claims"].items() for group in groups.items()]
    for kind, all_words, shown_by in (*groups_of_claims, *(("unit", *group) for group in map(_unit_claim, units))):
        for words in all_words.casefold().split(", "):
            claims.setdefault(words.split(" ")[-1], []).append(Claim(kind, words, shown_by))
    return written["formats"] | {name: f"# {unit.many}" for name, unit in UNITS.items()}, claims


def _unit_claim(unit: Unit) -> tuple[str, str]:
    """Return how a unit is said, and what shows it: its own words, and the names of units that are said as it."""
    words_of_unit = [
        word for word in (unit.one, unit.many, unit.short, unit.british, f"{unit.british}s") if word.strip("s")
    ]
    alike = [
        other for other in UNITS.values() if other.family == unit.family and _is_of_clocks(other) == _is_of_clocks(unit)
    ]
    names = [name for other in alike for name in other.names.split(", ")]
    return ", ".join([f"# {word}" for word in words_of_unit]), ", ".join(
        dict.fromkeys(name for name in (*words_of_unit, *names) if name != "min")
    )


def _is_of_clocks(unit: Unit) -> bool:
    """Whether it is no unit of calendars: 90 minutes are said in hours, but not in days."""
    return unit.exact < _A_DAY


_A_DAY = 24 * 60 * 60 * 1000
"""Milliseconds."""
_NAMING = ("properties", "$defs", "definitions")
_INSIDE_NAMES = re.compile(r"_|(?<=[a-z])(?=[A-Z])|'[sm]\b|\be\.g\.")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’/][^\W\d_]+)*|°[cf]?|[^\s\w/-]")
