"""Make the cases for readers of JSON: beginnings of JSON texts, and answers with fences and prose around.

Of JSON that ends early, as arguments do while they are streamed, what is whole must be told, and nothing that the whole text does not
hold: of an open text its letters so far or nothing, of a number its digits so far or nothing, of a half word (`tr`) its value or nothing;
never a key without its value. Half a surrogate pair is no letter. A reader that raises says that there is no value, which is right only
before the first one.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any, Literal, NamedTuple

import msgspec

from generator.core.errors import GeneratorError
from generator.core.exact_json import loads
from generator.core.seeds import Draw, stream_seed
from generator.core.yaml_values import own_data
from generator.corpus.case import Case, Mutation, Oracle, Verdict
from generator.corpus.check.judge import same_value
from generator.corpus.clients.turn import compact, escaped
from generator.corpus.toolbox import TODAY, Usable, drawn_arguments

Open = Literal["text", "number", "word"]
_OPEN: tuple[Open, ...] = ("text", "number", "word")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBER_LETTERS = re.compile(r"[-+0-9.eE]*")
_WORDS = {"true": True, "false": False, "null": None}
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"((?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*)')
_HALF_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON text, all prefixes of which are cases; or, where nothing is to be read, a text that is none."""

    name: str
    about: str
    text: str
    valid: bool = True


@cache
def documents() -> tuple[Document, ...]:
    """Return the documents of the grid."""
    return msgspec.convert(own_data(__file__, "documents.yaml"), tuple[Document, ...])


class _Part(NamedTuple):
    value: Any
    """UNSET: there is none yet."""
    end: int
    whole: bool


def readings(text: str) -> Iterator[Any]:
    """Yield what may be read from the beginning of a JSON text, the fullest first, each once; UNSET for no value."""
    distinct_values: list[Any] = []
    for keeps in product((True, False), repeat=len(_OPEN)):
        keep = {name for name, is_kept in zip(_OPEN, keeps, strict=True) if is_kept}
        value = _value(text, 0, keep).value
        if not any(_same(value, other) for other in distinct_values):
            distinct_values.append(value)
            yield value


def _same(first: Any, second: Any) -> bool:
    """Whether two readings are one; UNSET is no value."""
    if first is msgspec.UNSET or second is msgspec.UNSET:
        return first is second
    return same_value(first, second, strict_numbers=True)


def _value(text: str, at: int, keep: set[Open]) -> _Part:
    """Return the JSON value that begins at a place; of what is cut off, the kinds in `keep` are told as far as they go."""
    at = _after_space(text, at)
    if at >= len(text):
        return _Part(msgspec.UNSET, at, False)
    if text[at] == '"':
        return _string(text, at, keep)
    if text[at] in "{[":
        return _container(text, at, keep)
    return _word(text, at, keep) if text[at].isalpha() else _number(text, at, keep)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _string(text: str, at: int, keep: set[Open]) -> _Part:
    """Return the part of the text that is the string at a position; one that is cut off has a value only if texts are kept."""
    match = _STRING.match(text, at)
    assert match is not None
    if text[match.end() : match.end() + 1] == '"':
        return _Part(loads(text[at : match.end() + 1]), match.end() + 1, True)
    letters = _HALF_PAIR.sub("", match[1])
    return _Part(loads(f'"{letters}"') if "text" in keep else msgspec.UNSET, len(text), False)


def _number(text: str, at: int, keep: set[Open]) -> _Part:
    """Return the number that begins at a place; at the end of the text it may go on."""
    letters = _NUMBER_LETTERS.match(text, at)
    match = _NUMBER.match(text, at)
    end = letters.end() if letters else at
    whole = end < len(text)
    if match is None or not (whole or "number" in keep):
        return _Part(msgspec.UNSET, len(text), False)
    return _Part(loads(match[0]), end, whole)


def _word(text: str, at: int, keep: set[Open]) -> _Part:
    """Return the part of the text that is true, false or null.

    Half a word (`tr`) has its value only if words are kept.
    """
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return _Part(value, at + len(word), True)
        if word.startswith(text[at:]):
            return _Part(value if "word" in keep else msgspec.UNSET, len(text), False)
    raise GeneratorError(f"{text!r} is no JSON")


def _container(text: str, at: int, keep: set[Open]) -> _Part:
    """Return the members of an object or list up to the end of the text."""
    is_object = text[at] == "{"
    members: list[tuple[Any, Any]] = []
    end = "}" if is_object else "]"

    def part(at: int, whole: bool) -> _Part:
        return _Part(dict(members) if is_object else [value for _, value in members], at, whole)

    at = _after_space(text, at + 1)
    while at < len(text):
        if text[at] == end:
            return part(at + 1, True)
        at = _after_space(text, at + 1) if text[at] == "," else at
        key: Any = None
        if is_object:
            name = _value(text, at, {"text"})
            colon = _after_space(text, name.end)
            if not name.whole or colon >= len(text):
                break
            key, at = name.value, colon + 1
        value = _value(text, at, keep)
        if value.value is not msgspec.UNSET:
            members.append((key, value.value))
        if not value.whole:
            break
        at = _after_space(text, value.end)
    return part(len(text), False)


# ---------------------------------------------------------------------------------------------------------- proof


def is_beginning(part: Any, whole: Any) -> bool:
    """Whether a value can be what was read of another one by some time: no key, letter or member that it does not hold."""
    if isinstance(whole, dict):
        if not isinstance(part, dict) or list(part) != list(whole)[: len(part)]:
            return False
        return _members_begin(list(part.values()), list(whole.values()))
    if isinstance(whole, list):
        return isinstance(part, list) and len(part) <= len(whole) and _members_begin(part, whole)
    if isinstance(whole, str):
        return isinstance(part, str) and whole.startswith(part)
    if isinstance(whole, bool) or whole is None:
        return part is whole
    return isinstance(part, int | float) and not isinstance(part, bool)


def _members_begin(parts: list[Any], wholes: list[Any]) -> bool:
    """Whether all members but the last are equal, and that one is a beginning."""
    same = all(same_value(part, whole, strict_numbers=True) for part, whole in zip(parts[:-1], wholes, strict=False))
    return same and (not parts or is_beginning(parts[-1], wholes[len(parts) - 1]))


def check_interpretations(text: str, prefix: str, interpretations: list[Any]) -> None:
    """Raise GeneratorError unless every interpretation of a prefix begins what a reader of JSON makes of the whole text.

    `{"a": [1` may be read as `{}` or `{"a": [1]}`.
    """
    whole = loads(text)
    all_begin_whole = all(value is msgspec.UNSET or is_beginning(value, whole) for value in interpretations)
    if not all_begin_whole or (prefix == text and not same_value(interpretations[0], whole, strict_numbers=True)):
        raise GeneratorError(f"{prefix!r} was read as what {text!r} does not hold")


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
    return msgspec.convert(own_data(__file__, "answers.yaml"), tuple[Answer, ...])


def _case(form: str, verdict: Verdict, name: str, text: str, interpretations: list[Oracle], hazard: str | None) -> Case:
    """Return a case; `interpretations` are what it may be read as, the right one first."""
    return Case(
        id=name,
        format=form,
        verdict=verdict,
        text=text.encode(),
        oracle=interpretations[0],
        allowed=tuple(interpretations) if verdict == "i" else (),
        hazard=hazard,
        mutations=(Mutation("truncate", len(text.encode())),) if form == "partial_json" and verdict == "i" else (),
    )


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
    return _prefix(text, len(text) if draw.chance(0.1) else draw.between(1, len(text)), f"drawn-{index:06d}", None)


def _prefix(text: str, at: int, name: str, hazard: str | None) -> Case:
    """Return the case of the first `at` characters of a JSON text."""
    values = list(readings(text[:at]))
    check_interpretations(text, text[:at], values)
    whole = at == len(text) or not text[at:].strip()
    interpretations = [_NO_VALUE if value is msgspec.UNSET else Oracle((), value=value) for value in values]
    if whole and text[0] not in "-0123456789":
        return _case("partial_json", "y", name, text[:at], interpretations[:1], hazard)
    return _case("partial_json", "i", name, text[:at], interpretations, hazard)


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
    """Return the case of one way to write an answer, `$json` replaced by a text."""
    values = {"value": value, "first": value, "last": _OTHER, "both": [value, _OTHER], "part": {"city": "Oslo"}}
    intended = ["value"] if answer.verdict == "y" else ["error"]
    interpretations = [
        _NO_VALUE if reading == "error" else Oracle((), value=values[reading]) for reading in answer.allowed or intended
    ]
    return _case("json_answers", answer.verdict, name, answer.text.replace("$json", text), interpretations, hazard)


def _drawn_json(tools: list[Usable], draw: Draw) -> str:
    """Return the arguments of a call in one of three ways to write JSON."""
    usable_tool = draw.choice([usable_tool for usable_tool in tools if usable_tool.usual])
    value, style = drawn_arguments(usable_tool, draw), draw.below(3)
    return compact(value) if style == 0 else escaped(value) if style == 1 else json.dumps(value, indent=2)
