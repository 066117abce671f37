"""Text as it is and in quotation marks, lists, yes and no, enum members in words, and JSON for what has no other form; said and read.

Other words for what singles out an element ("the next one" for "the next appointment") stand in `other_words.yaml`.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from generator.core.exact_json import loads, no_constant, unique_keys
from generator.core.profiles import ERROR
from generator.core.yaml_values import own_data
from generator.dialogue.values.voice import SpanContext, Verbalizer, Voice, expected, refuse_if

_LONGEST_LITERAL = 80
_OTHER_MEANINGS = frozenset({"null", "true", "false", "none", "undefined", "nan", "yes", "no"})
"""Texts that would be taken for something other than text."""
_LONGEST_OF_THEM = max(map(len, _OTHER_MEANINGS))
_NUMBER = re.compile(r"[-+]?(?:[0-9][0-9.,]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_find_control = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]").search
_UNREADABLE = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def say_literal(value: Any, voice: Voice) -> str | None:
    """Return the text itself; None unless a reader of the sentence can see where it begins and ends, and that it is text."""
    if type(value) is not str or not is_plain(value):
        return None
    return value if len(value) > _LONGEST_OF_THEM or value.lower() not in _OTHER_MEANINGS else None


def is_plain(text: str) -> bool:
    """Whether text without quotation marks has a visible beginning and end in a sentence."""
    if not 0 < len(text) <= _LONGEST_LITERAL:
        return False
    return text[0] != " " != text[-1] and '"' not in text and text.isprintable()


def is_like_a_number(text: str) -> bool:
    """Whether text would be taken for a number."""
    return _NUMBER.fullmatch(text) is not None


def say_quoted(value: Any, voice: Voice) -> str | None:
    """Return the text in quotation marks that do not occur in it."""
    if type(value) is not str or (not value.isprintable() and _find_control(value)):
        return None
    if not voice.straight_quotes:
        return None if "“" in value or "”" in value else f"“{value}”"
    return f'"{value}"' if '"' not in value else None if "'" in value else f"'{value}'"


def say_block(value: Any, voice: Voice) -> str | None:
    """Return a text of several lines between two lines of backquotes, which it must not hold itself."""
    if type(value) is not str or "```" in value or not value.strip() or value != value.strip("\n"):
        return None
    return None if _find_control(value.replace("\n", "").replace("\t", "")) else f"```\n{value}\n```"


def say_commas(value: Any, voice: Voice) -> str | None:
    """Return a text that lists others with commas as people list things: `red,green,blue` as "red, green and blue"."""
    parts = value.split(",") if type(value) is str else []
    if len(parts) < _LEAST_LISTED or not all(_LISTED.fullmatch(part) and " and " not in f" {part} " for part in parts):
        return None
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


_LISTED = re.compile(r"[^\W_](?:[\w '-]*[^\W_])?")
"""One of the texts: letters and digits, at its ends, too."""
_LEAST_LISTED = 2


def say_pairs(value: Any, voice: Voice) -> str | None:
    """Return an object of plain values as names with their values: `Name "Landing page" and Pages 24`."""
    if type(value) is not dict or not value or not all(_NAME.fullmatch(key) for key in value):
        return None
    said = [_plain_value(part, voice) for part in value.values()]
    if None in said:
        return None
    *before, last = [f"{key} {text}" for key, text in zip(value, said, strict=True)]
    return f"{', '.join(before)} and {last}" if before else last


def _plain_value(value: Any, voice: Voice) -> str | None:
    """Return a text in quotation marks, or a number, true or false; None for other values."""
    if type(value) is str:
        return f'"{value}"' if '"' not in value and value.isprintable() else None
    return say_json(value, voice) if type(value) in (bool, int) else None


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def say_json(value: Any, voice: Voice) -> str | None:
    """Return any JSON value as JSON; letters of all scripts stay, invisible characters are escaped."""
    try:
        text = _encode(value)
    except ValueError:  # NaN, infinity, or a number with thousands of digits
        return None
    return (
        text
        if text.isascii() and "\x7f" not in text
        else _UNREADABLE.sub((lambda match: f"\\u{ord(match[0]):04x}"), text)
    )


def say_yes_no(value: Any, voice: Voice) -> str | None:
    """Return a boolean as "yes" or "no"."""
    return "yes" if value is True else "no" if value is False else None


Synonyms = tuple[tuple[Any, tuple[str, ...]], ...]
Forms = dict[Any, tuple[str, ...]]

_BETWEEN_WORDS = re.compile(r"[_\-\s]+")
_CAMEL_CASE = re.compile(r"[a-z]{2,}(?:[A-Z][a-z]+)+")
_FORMAT = re.compile(r"(?:([A-Z])\1*(?:[-/.: ]|$)){2,}")
"""Letters that stand for digits in a format, such as `YYYY-MM-DD`."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CODE_LENGTH = 4
"""The longest code in capitals, such as `USD` or `HTML`, that stays as it is; longer ones such as `MEDIUM` are words."""


def enum_forms(values: Iterable[Any], synonyms: Synonyms = ()) -> Forms:
    """Return the ways to say each value, the usual one first; forms that could mean two values are left out.

    Args:
        values: The members of the enum; none for a slot that only has synonyms.
        synonyms: Spoken forms by value, from the tool spec.
    """
    members = [value for value in values if type(value) is str]
    codes = all(_is_code(member) for member in members)
    said = [(value, form) for value, forms in synonyms for form in forms]
    said += [(member, _spoken(member, codes)) for member in members]
    # a reader also understands the bare member, so it counts here although it may never be said
    bare = [(member, form) for member in members for form in (member, _HUMP.sub(" ", member))]
    meanings = _meanings([*said, *bare])
    found: dict[Any, list[str]] = {}
    for value, form in said:
        key = _key(form)
        if key and is_plain(form) and len(meanings[key]) == 1 and not isinstance(value, list | dict):
            found.setdefault(value, []).append(form)
    return {value: tuple(dict.fromkeys(forms)) for value, forms in found.items()}


def say_enum_value(value: Any, voice: Voice) -> str | None:
    """Return an enum member in words, without knowledge of its enum; `enum_forms` also drops ambiguous forms."""
    return _form_of_member(value) if type(value) is str else None


def say_nothing_known(value: Any, voice: Voice) -> str | None:
    """Say nothing: what a member of an enum means is known only together with the others, when a tool is loaded."""
    return None


@lru_cache(maxsize=4096)
def _form_of_member(member: str) -> str | None:
    """Return what a member of an enum is called; None where that has no visible beginning and end."""
    form = _spoken(member, _is_code(member))
    return form if is_plain(form) and _key(form) else None


def _meanings(said: list[tuple[Any, str]]) -> dict[str, list[Any]]:
    """Return the values that each form could mean."""
    meanings: dict[str, list[Any]] = {}
    for value, form in said:
        owners = meanings.setdefault(_key(form), [])
        if not any(owner == value and type(owner) is type(value) for owner in owners):
            owners.append(value)
    return meanings


def _spoken(member: str, is_code: bool) -> str:
    """Return a member of an enum as people say it: `IN_TRANSIT` as "in transit"."""
    if is_code or not member.isascii():
        return member
    if _CAMEL_CASE.fullmatch(member):
        return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in member)
    if "_" in member:
        return " ".join(member.replace("_", " ").split()).lower()
    return member.lower() if member.isupper() and not _FORMAT.fullmatch(member) else member


def _is_code(member: str) -> bool:
    """Whether a member of an enum is a short code in capitals: `USD`."""
    is_short = len(member) <= _CODE_LENGTH or any(letter.isdigit() for letter in member)
    return is_short and member.isupper() and "_" not in member


def _key(text: str) -> str:
    """Return a text in small letters, with spaces between its words."""
    return _BETWEEN_WORDS.sub(" ", text).strip().casefold()


_CLOSING = {'"': '"', "'": "'", "“": "”"}
_find_line_break = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]").search
_NOT_TEXT = frozenset(("null", "none", "undefined", "nan", "true", "false", "yes", "no"))
_match_entry = re.compile(
    r'(?P<name>[A-Za-z_][A-Za-z0-9_]*) (?:"(?P<text>[^"]*)"|(?P<other>-?[0-9]+|true|false))(?P<then>, | and |$)'
).match
_YES_NO = {"yes": True, "no": False}


def read_literal(text: str, reading: SpanContext) -> str:
    """Return the text itself; raises ValueError when it would be taken for something other than text."""
    if text.lower() in _NOT_TEXT:
        raise ValueError(f"{text!r} is text only in quotation marks")
    if not text or text != text.strip() or '"' in text or _find_line_break(text):
        raise ValueError(f"{text!r} cannot stand without quotation marks")
    return text


def read_quoted(text: str, reading: SpanContext) -> str:
    """Return what stands between quotation marks."""
    inside = text[1:-1]
    closing = _CLOSING.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing:
        raise ValueError(f"{text!r} is not in quotation marks")
    if closing in inside or text[0] in inside or _find_line_break(inside):
        raise ValueError(f"{text!r} is not one quotation")
    return inside


def read_block(text: str, reading: SpanContext) -> str:
    """Return the lines that stand between two lines of backquotes."""
    opening, *inside, closing = text.split("\n")
    lines = "\n".join(inside)
    refuse_if(
        opening != "```" or closing != "```" or not inside or "```" in lines,
        text,
        "does not stand between lines of backquotes",
    )
    refuse_if(
        not lines.strip()
        or not (inside[0] and inside[-1])
        or _find_line_break(lines.replace("\n", "").replace("\t", "")),
        text,
        "begins or ends with an empty line, or holds control characters",
    )
    return lines


def read_commas(text: str, reading: SpanContext) -> str:
    """Return things that are listed as one text with commas between them: "red, green and blue" as `red,green,blue`."""
    *others, last = [part for one in text.split(", ") for part in one.split(" and ")]
    refuse_if(
        not others or text.count(" and ") != 1 or not text.endswith(f" and {last}") or "," in "".join(others),
        text,
        "does not list several things",
    )
    return ",".join([*others, last])


def read_pairs(text: str, reading: SpanContext) -> dict[str, Any]:
    """Return the object whose names and values are listed."""
    found: dict[str, Any] = {}
    place, before, is_last = 0, ", ", False
    while place < len(text):
        entry = expected(_match_entry(text, place), text, "does not list names with values")
        refuse_if(is_last or entry["name"] in found, text, "does not list names with values")
        found[entry["name"]] = entry["text"] if entry["text"] is not None else loads(entry["other"])
        is_last, place, before = before == " and ", entry.end(), entry["then"]
    refuse_if(before, text, "ends too early")
    return found


def read_json_words(text: str, reading: SpanContext) -> Any:
    """Return the JSON value."""
    try:
        value, end = _decode(text)
    except RecursionError:
        raise ValueError("the JSON is too deep") from None
    if end != len(text):
        raise ValueError(f"{text[end:]!r} follows the JSON value")
    return value


def read_yes_no(text: str, reading: SpanContext) -> bool:
    """Return True for "yes", False for "no"."""
    return expected(_YES_NO.get(text.lower()), text, "is not yes or no")


_decode = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=no_constant).raw_decode


_SPELLED = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth"}
_ORDINAL = re.compile(r"\b(?:1st|2nd|3rd|4th)\b")


def read_enum(text: str, reading: SpanContext) -> Any:
    """Return the one value that the text names."""
    wanted = _spelled_key(text)
    if not wanted:
        raise ValueError(f"{text!r} is no word")
    found = [
        member for member in members_of(reading.schema) if type(member) is str and wanted in _keys_of_member(member)
    ]
    found += [value for value, forms in reading.synonyms if wanted in [_spelled_key(form) for form in forms]]
    if not found:
        raise ValueError(f"{text!r} is none of the values")
    first = found[0]
    if len(found) > 1 and any(other != first or type(other) is not type(first) for other in found):
        raise ValueError(f"{text!r} may stand for {first!r} or another value")
    return first


def members_of(schema: dict[str, Any]) -> list[Any]:
    """Return the values of an enum or const, also of one in a branch beside a null."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        members: list[Any] = schema["enum"]
        return members
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    return [member for branch in branches if isinstance(branch, dict) for member in members_of(branch)]


@lru_cache(maxsize=8192)
def _spelled_key(text: str) -> str:
    """Return the same with "1st" to "4th" in words."""
    return _ORDINAL.sub(lambda match: _SPELLED[match[0]], _key(text))


@lru_cache(maxsize=8192)
def _keys_of_member(member: str) -> tuple[str, str]:
    """Return a member as it is, and with the words of camelCase separated."""
    return _spelled_key(member), _spelled_key(_HUMP.sub(" ", member))


TEXTS: tuple[Verbalizer, ...] = (
    Verbalizer("literal", say_literal, read_literal),
    Verbalizer("quoted", say_quoted, read_quoted),
    Verbalizer("block", say_block, read_block),
    Verbalizer("pairs", say_pairs, read_pairs),
    Verbalizer("json", say_json, read_json_words),
    Verbalizer("yes_no", say_yes_no, read_yes_no),
    Verbalizer("commas", say_commas, read_commas),
    Verbalizer("enum", say_enum_value, read_enum),
)


_LISTS: dict[str, Any] = own_data(__file__, "other_words.yaml")
_THINGS = tuple([f"{thing}{end}" for thing in _LISTS["things"] for end in _LISTS["ends"]])
_ALSO: dict[str, tuple[str, ...]] = {
    words: (*alike, *[f"{every} {thing}" for every in _LISTS["every"] for thing in _THINGS if words == "each of them"])
    for words, alike in _LISTS["also"].items()
}
_SAME_ADJECTIVES = tuple(map(frozenset, _LISTS["adjectives"]))
_FOUND_BY = re.compile(r"the ((?:most |least )?[a-z]+) (?!of\b)([a-z]+)( .*)?")


@lru_cache(maxsize=1024)
def reference_forms(words: str) -> tuple[str, ...]:
    """Return other words for what singles out an element, in small letters, the longest first."""
    words = words.casefold()
    forms = list(_ALSO.get(words, ()))
    match = _FOUND_BY.fullmatch(words)
    if match is not None and words not in _ALSO:
        adjective, noun, rest = match[1], match[2], match[3] or ""
        alike = next((group for group in _SAME_ADJECTIVES if adjective in group), frozenset({adjective}))
        ends = [rest, *([" in that order", " there"] if rest == " in it" else [])]
        nouns = [noun, "one", "of them", "of those", "of these"]
        forms += [
            f"the {adjective_alike} {noun_or_pronoun}{end}"
            for adjective_alike in sorted(alike)
            for noun_or_pronoun in nouns
            for end in ends
        ]
        forms += [
            f"{article} {adjective_alike} {noun}"
            for adjective_alike in sorted(alike)
            for article in ("its", "my")
            if rest in {"", " in it"}
        ]
        forms += [f"the {adjective_alike}" for adjective_alike in sorted(alike)]
    return tuple(sorted([form for form in dict.fromkeys(forms) if form != words], key=lambda form: -len(form)))


def clause_of(value: Any) -> Any:
    """Return the text of an error as a clause: without "Error: ", its first capital and its full stop."""
    if type(value) is not str:
        return value
    text = value.removeprefix(ERROR).strip().removesuffix(".")
    return text[:1].lower() + text[1:]
