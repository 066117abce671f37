"""Where the values of single arguments come from: what descriptions show and list, shapes of identifiers, and rules by name."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from generator.arguments.kinds.names import form_of_description, kind_of_name
from generator.tools.describing.lexicon import ParameterRule, words
from generator.tools.describing.reading import (
    ArgumentLeaf,
    ToolSubject,
    allows_any_properties,
    entity_noun,
    fitting_rules,
    is_id,
)

_CUES = re.compile(
    r"\b(?:e\.g\.|eg\.|(?:for example|for instance|such as|examples?|one of|options?(?: are)?|either|supported(?: values)?|"
    r"available|can be|values?(?: are)?|possible|allowed|like|format)\b)[:,]?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'([^'\n]{1,60})'|\"([^\"\n]{1,60})\"|`([^`\n]{1,60})`|‘([^’\n]{1,60})’|“([^”\n]{1,60})”")
_PLAIN = re.compile(r"\be\.g\.,? ([A-Za-z0-9][\w.@:/+-]*\w)")
_END = re.compile(r"\.\s+(?=[A-Z])")
_REACH = 260
_RANGE = re.compile(r"(?<![\w.])(\d{1,6}) ?(?:-|–|to|and|through) ?(\d{1,6})(?![\w.])")
_MOST = re.compile(r"\bmax(?:imum)?(?: of| is|:)? (\d{1,6})\b", re.IGNORECASE)
_SHAPES = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE), "kind", "uuid"),
    (re.compile(r"[^@\s]+@[^@\s]+\.\w+"), "kind", "email"),
    (re.compile(r"https?://\S+"), "kind", "url"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "kind", "date"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d"), "kind", "local_date_time"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), "kind", "local_date_time_seconds"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "kind", "date_time"),
    (re.compile(r"\d\d:\d\d"), "kind", "time"),
    (re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}"), "pattern", "(OPS|WEB|API|PAY|APP|DATA|CORE|SEC|SHOP)-[1-9][0-9]{1,3}"),
)
_OPAQUE = re.compile(
    r"\bJSON\b|\bbase64\b|\bserialized\b|\bregular expression\b|\bregexp?\b|\bxpath\b|\bCSS\b|\bXML\b|=>|\bJavaScript\b|\bcode snippet\b",
    re.IGNORECASE,
)
_MOMENTS = frozenset({"date", "date_time", "local_date_time", "local_date_time_seconds"})
_WRITTEN_SO = _MOMENTS | {"time", "time_seconds", "spaced_date_time"}
"""Kinds of days and times that people say in their own words when they know how the value is written."""
_CODE = re.compile(r"[A-Za-z]{2,6}[-_]\d+")
_CHOICE = re.compile(r"[a-z]+(?:[-_ ][a-z]+)*|[A-Z]+(?:_[A-Z]+)*")
"""One of a few words, in contrast to a name."""
_ENDLESS = 1_000_000_000
"""A maximum from which on it is no real limit."""
_SMALL_NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10)
_CENTS = (650, 999, 1250, 1890, 2500, 3475, 4950, 7900, 12000, 18500, 24999, 60000)
_NUMBERS = (2, 3, 4, 5, 8, 10, 12, 15, 20, 25)


class ValueSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where the values of one argument come from."""

    kind: str = ""
    pattern: str = ""
    examples: tuple[Any, ...] = ()
    known: bool = True
    """Whether the values are meaningful for the argument; otherwise they are made up."""
    opaque: bool = False
    """Whether nobody would say such a value (JSON in a text)."""


AS_THEY_ARE = ValueSource()
"""The schema alone is enough."""
MADE_UP = ValueSource(known=False)
A_NAME = ValueSource(kind="proper_name", known=False)
"""Two plain words, which mislead less than a sentence does where nothing tells what a text is."""


def value_source(leaf: ArgumentLeaf, about: ToolSubject, shapes: dict[str, ValueSource]) -> ValueSource:
    """Return where an argument's values come from; `shapes` are those of entities' identifiers on this server."""
    schema, rule = leaf.schema, _rule_with_values(leaf, about)
    if leaf.type == "object" and rule is not None and allows_any_properties(schema):
        return ValueSource(examples=rule.examples)
    if leaf.type in ("boolean", "object", "things"):
        return AS_THEY_ARE
    inner = schema.get("items", {}) if leaf.type == "list" and isinstance(schema.get("items"), dict) else schema
    if "enum" in inner or "const" in inner or len(inner.get("examples", ())) > 2:
        return AS_THEY_ARE
    if rule is not None:
        return ValueSource(kind=rule.kind, pattern=rule.pattern, examples=_values_in_range(rule.examples, leaf))
    is_number = leaf.type == "number" or inner.get("type") in ("integer", "number")
    return _number_values(leaf) if is_number else _text_values(leaf, inner, shapes)


def title_values(
    leaves: Sequence[ArgumentLeaf], about: ToolSubject, noun: str, fields: Mapping[str, dict[str, Any]]
) -> dict[str, ValueSource]:
    """Return what things are called, for arguments that name one and of which nothing closer is known."""
    title: dict[str, Any] = next((fields[name] for name in ("title", "name", "subject") if name in fields), {})
    kind, examples = title.get("x-kind", ""), tuple(title.get("examples") or title.get("enum") or ())
    sources: dict[str, ValueSource] = {}
    for leaf in leaves if kind or examples else ():
        around, _, last_name = leaf.slot.rpartition("/")
        is_title = last_name.removeprefix("new_") in ("title", "name", "subject", "summary") and leaf.type == "text"
        is_other = bool(around) and leaf.parents[0][-1] != noun
        rule = _rule_with_values(leaf, about)
        is_closer = rule is not None and bool(rule.fields or rule.objects)
        if is_title and not (is_other or is_closer or leaf.schema.keys() & {"enum", "pattern", "format"}):
            sources[leaf.slot] = ValueSource(kind=kind, examples=examples)
    return sources


def _rule_with_values(leaf: ArgumentLeaf, about: ToolSubject) -> ParameterRule | None:
    """Return the first rule by name that gives an argument values."""
    return next((rule for rule in fitting_rules(leaf, about) if rule.kind or rule.pattern or rule.examples), None)


def _text_values(leaf: ArgumentLeaf, inner: dict[str, Any], shapes: dict[str, ValueSource]) -> ValueSource:
    """Return where the values of a text come from: a moment, JSON or identifiers that its description shows, or else what its name asks for."""
    if "format" in inner:
        return AS_THEY_ARE
    shown = example_values(leaf.description)
    shapes_shown = [shape for value in shown if (shape := shape_of_examples([value])) is not None]
    moment = next((shape for shape in shapes_shown if shape.kind in _MOMENTS), None)
    if moment is not None and not is_id(leaf):
        return moment
    if _OPAQUE.search(leaf.description) and leaf.type == "text":
        return ValueSource(examples=tuple(_json_examples(leaf.description)), known=False, opaque=True)
    if "pattern" in inner:
        return shape_of_examples(shown) or AS_THEY_ARE
    formed = None if is_id(leaf) else form_of_description(leaf.description)
    if formed in _WRITTEN_SO and leaf.type == "text":
        return ValueSource(kind=formed or "")
    if formed is not None and formed not in ("time", "date"):
        return AS_THEY_ARE
    return _values_of_shape(leaf, shown, shapes) or _source_by_name(leaf, shown)


def _values_of_shape(leaf: ArgumentLeaf, shown: list[str], shapes: dict[str, ValueSource]) -> ValueSource | None:
    """Return values of the shape that is shown, or that identifiers of the same thing have."""
    shaped, entity = shape_of_examples(shown), entity_noun(leaf)
    if shaped is not None and (is_id(leaf) or shaped.pattern or shaped.kind not in ("email", "url")):
        return shaped
    if "comma" in leaf.description.lower() and leaf.type == "text":
        return ValueSource(examples=tuple(shown)) if shown else MADE_UP
    return (shapes.get(entity) or default_shape(entity)) if is_id(leaf) else None


def _source_by_name(leaf: ArgumentLeaf, shown: list[str]) -> ValueSource:
    """Return values that are listed, or of the kind that the name asks for."""
    if len(shown) > 1 and all(_CHOICE.fullmatch(value) for value in shown):
        return ValueSource(examples=tuple(shown))
    name, parents = "_".join(leaf.name), tuple("_".join(parent) for parent in leaf.parents)
    says_nothing = len(leaf.name) == 1 and leaf.name[0] in words("nameless")
    kind = None if says_nothing else kind_of_name(name, parents, False)
    if kind is not None:
        is_said = kind in _WRITTEN_SO and leaf.type == "text" and "maxLength" not in leaf.schema
        return ValueSource(kind=kind) if is_said else AS_THEY_ARE
    if len(shown) > 1:
        return ValueSource(examples=tuple(shown))
    if leaf.type == "text" and not leaf.schema.keys() & {"pattern", "maxLength"} and (moment := _date_kind(leaf)):
        return ValueSource(kind=moment)
    inner = (leaf.schema.get("items") or {}) if leaf.type == "list" else leaf.schema
    return shape_of_examples(shown) or (MADE_UP if inner.keys() & {"minLength", "maxLength", "pattern"} else A_NAME)


_WRITTEN = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z)?")


def _date_kind(leaf: ArgumentLeaf) -> str:
    """Return the kind of day or moment that a name ends like (`due_on`, `created_at`) or a description tells; empty for others."""
    last = leaf.name[-1]
    if written := _WRITTEN.search(leaf.description):
        return "date_time" if written[1] else "local_date_time_seconds"
    is_day = last in ("date", "day", "before", "after", "since", "until") or leaf.name[1:][-1:] == ("on",)
    if is_day or "YYYY-MM-DD" in leaf.description:
        return "date"
    return "date_time" if last in ("timestamp", "datetime") or (last == "at" and len(leaf.name) > 1) else ""


def example_values(description: str) -> list[str]:
    """Return the values that a description shows: "(e.g. 'PROJ-123', 'WEB-4')"."""
    shown: list[str] = []
    for cue in _CUES.finditer(description):
        after = description[cue.end() : cue.end() + _REACH]
        end = _END.search(after)
        after = after[: end.start()] if end else after
        first = _QUOTED.search(after)
        if first is not None and first.start() < 40:
            shown += [next(filter(None, match.groups())) for match in _QUOTED.finditer(after)]
    shown += _PLAIN.findall(description)
    plain = [
        value for value in dict.fromkeys(shown) if not re.search(r"[{}<>\\]|\.\.\.", value) and value == value.strip()
    ]
    return plain[:12]


def _json_examples(text: str) -> list[str]:
    """Return the JSON objects and lists that a description shows."""
    examples: list[str] = []
    for start in [start for start, letter in enumerate(text) if letter in "{["][:_MOST_JSON]:
        try:
            value, end = json.JSONDecoder().raw_decode(text[start:])
        except ValueError:
            continue
        if value and not any(text[start : start + end] in longer for longer in examples):
            examples.append(text[start : start + end])
    return examples


_MOST_JSON = 40


def shape_of_examples(shown: list[str]) -> ValueSource | None:
    """Return the shape that shown values have, as a kind or a pattern; None when they have none."""
    if not shown:
        return None
    for shape, key, value in _SHAPES:
        if shape.fullmatch(shown[0]) and (key == "kind" or shown[0].partition("-")[0] in words("placeholders")):
            return ValueSource(kind=value) if key == "kind" else ValueSource(pattern=value)
    example = shown[0]
    digits = sum(letter.isdigit() for letter in example)
    is_code = digits > 2 or example.isdigit() or _CODE.fullmatch(example)
    if " " in example or "," in example or not digits or not is_code:
        return None
    if re.fullmatch(r"[0-9a-f]{7,40}", example) and re.search("[a-f]", example):
        return ValueSource(pattern=f"[0-9a-f]{{{len(example)}}}")
    return ValueSource(pattern=_pattern_like(example))


def _pattern_like(example: str) -> str:
    """Return the pattern of codes like this one: letters stay, digits may be any."""
    text, start = "", True
    for letter in example:
        if letter.isdigit():
            text += "[1-9]" if start else "[0-9]"
            start = False
        else:
            text += letter if letter.isalnum() or letter in "-_:@ " else re.escape(letter)
            start = True
    return text


def default_shape(entity: str) -> ValueSource:
    """Return the shape of identifiers of which nothing is shown: numbers of a length that the entity decides."""
    length = 4 + _hashed_number(entity, 3)
    return ValueSource(pattern=f"[1-9][0-9]{{{length}}}", known=True)


def _number_values(leaf: ArgumentLeaf) -> ValueSource:
    """Return where the values of a number come from: cents, identifiers, or a few small numbers where nothing tells more."""
    if leaf.name[-1:] == ("cents",) or "in cents" in leaf.description.lower():
        return ValueSource(examples=_values_in_range(_CENTS, leaf))
    if leaf.schema.get("minimum", -_ENDLESS) > -_ENDLESS and leaf.schema.get("maximum", _ENDLESS) < _ENDLESS:
        return AS_THEY_ARE
    if is_id(leaf):
        entity = entity_noun(leaf)
        identifiers = sorted({11 + _hashed_number(f"{entity} {at}", 1900) for at in range(18)})
        return ValueSource(examples=_values_in_range(tuple(identifiers), leaf))
    if kind_of_name("_".join(leaf.name), (), True) is not None:
        return AS_THEY_ARE
    is_index = leaf.name[-1] in words("indexes")
    return ValueSource(examples=_values_in_range(_SMALL_NUMBERS if is_index else _NUMBERS, leaf), known=is_index)


def _values_in_range(values: tuple[Any, ...], leaf: ArgumentLeaf) -> tuple[Any, ...]:
    """Return the numbers that schema and description allow."""
    low, high = leaf.schema.get("minimum"), leaf.schema.get("maximum")
    range_match = _RANGE.search(leaf.description)
    if range_match and int(range_match[1]) < int(range_match[2]):
        low, high = (int(range_match[1]) if low is None else low), (int(range_match[2]) if high is None else high)
    most_match = _MOST.search(leaf.description)
    high = int(most_match[1]) if most_match and high is None else high
    fitting = tuple(
        value
        for value in values
        if isinstance(value, str) or ((low is None or value >= low) and (high is None or value <= high))
    )
    return fitting or ((low,) if isinstance(low, int) else values[:1])


def _hashed_number(text: str, below: int) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") % below


def how_often_said(leaf: ArgumentLeaf, about: ToolSubject, values: ValueSource) -> str:
    """Return how often an argument is said: `never` what nobody can be expected to say, `seldom`, or empty for as often as any."""
    if leaf.needed:
        return ""
    is_made_up = not values.known and leaf.type in ("text", "list")
    choices = [part for key in ("anyOf", "oneOf") for part in leaf.declared.get(key, ()) if isinstance(part, dict)]
    is_one_or_several = all(any(part.get("type") == kind for part in choices) for kind in ("array", "string"))
    if leaf.type == "object" or values.opaque or is_made_up or is_one_or_several:
        return "never"
    usual = "seldom" if leaf.type == "boolean" and leaf.name[0] in words("on_off") else ""
    return next((rule.say for rule in fitting_rules(leaf, about) if rule.say), usual)
