"""The tools that are shipped, compiled once, and what is said of each of them."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import orjson
import pytest
from workbench import TODAY, TOOL_SPECS, Filled, Told, filled, recipe, with_scenario
from workbench import tell as tell_all

from generator.arguments import compile_source
from generator.core.conversation import ToolCall
from generator.core.errors import CannotFillError
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Toolbox, ToolSpec
from generator.dialogue.wording import ToolPhrases, phrases_of_tools
from generator.recipe import ArgumentSettings
from generator.run.row import PreparedRecipe, prepare

SCENARIOS = ("single", "clarify", "follow_up")
FILES = sorted(path for path in TOOL_SPECS.iterdir() if path.suffix in {".yaml", ".yml", ".json", ".jsonl"})


def toolbox() -> Toolbox:
    """All tools by name."""
    return shop().toolbox


@cache
def _compiled() -> PreparedRecipe:
    return prepare(recipe(FILES, *SCENARIOS))


@cache
def shop(scenario: str = "single") -> PreparedRecipe:
    """All tools, compiled once, to make rows of one scenario."""
    return with_scenario(_compiled(), scenario)


def tools_of(domain: str) -> list[ToolSpec]:
    """The tools of one file."""
    return [spec for spec in toolbox().values() if spec.domain == domain]


def nothing(faults: Iterable[Any]) -> None:
    """Fail with one fault a line."""
    found = list(dict.fromkeys(map(str, faults)))
    assert not found, "\n".join([f"{len(found)} faults", *found[:40]])


every_domain = pytest.mark.parametrize("domain", [path.stem for path in FILES])
"""Tests run once for each file and name all of its tools that are at fault."""


def schemas(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with its place."""
    if isinstance(schema, dict):
        yield place, schema
        for keyword, below in (("properties", ""), ("$defs", "/$defs")):
            for key, part in schema.get(keyword, {}).items():
                yield from schemas(part, f"{place}{below}/{key}")
        for keyword in ("items", "additionalProperties"):
            yield from schemas(schema.get(keyword), f"{place}/*")
        for keyword in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(keyword, ()):
                yield from schemas(part, place)


class Said(NamedTuple):
    user: str
    answer: str
    masked: tuple[str, str]
    """The same, with ◆ for every claimed value."""
    spans: tuple[tuple[str, str], ...]
    """(verbalizer, words) of every claimed value."""
    faults: list[str]


@cache
def drawn(name: str) -> tuple[dict[str, Any], ...]:
    """Sixty sets of arguments for a tool; what is optional comes and goes."""
    source = compile_source(toolbox()[name], ArgumentSettings(optional=0.6), 1)
    found = []
    for n in range(60):
        draw, world = Draw(stream_seed("library", name, n), TODAY), shop().backend.open(TODAY, n)
        for _ in range(9):
            with suppress(CannotFillError):
                found.append(world.entities.fit(name, source(draw), draw))
                PUT_IN[name, orjson.dumps(found[-1])] = (n, world.state.added)
                break
    return tuple(found)


PUT_IN: dict[tuple[str, bytes], tuple[int, list[Any]]] = {}
"""The world in which a drawn call succeeds: its salt, and the entities that are put in."""


def succeeds(name: str, arguments: dict[str, Any], like: dict[str, Any]) -> bool:
    """Whether a call succeeds in the world of another one, in which what it looks for is put in."""
    salt, added = PUT_IN[name, orjson.dumps(like)]
    world = shop().backend.open(TODAY, salt)
    for title, fields in added:
        world.state.put(title, fields)
    world.entities.finds(name, arguments, Draw(salt, TODAY))
    is_fine = world.peek(ToolCall("call", name, arguments)).ok
    if is_fine:
        PUT_IN[name, orjson.dumps(arguments)] = (salt, world.state.added)
    return is_fine


def make(name: str, arguments: dict[str, Any], spec: ToolSpec | None = None) -> Filled:
    """A call with its result."""
    salt, added = PUT_IN.get((name, orjson.dumps(arguments)), (0, []))
    world = shop().backend.open(TODAY, salt)
    world.state.restore(added)
    (outcome,) = world.step([ToolCall("call", name, arguments)])
    assert outcome.ok, (name, arguments, outcome.content)
    return filled(spec or toolbox()[name], arguments, outcome.value)


def say(call: Filled, seed: object = 0) -> Said:
    """The words for one call, and what is wrong with them."""
    return said_of(tell_all((call,), seed=seed, books=_books_of(call.spec)))


def _books_of(spec: ToolSpec) -> dict[str, ToolPhrases]:
    """The compiled phrases of a tool; of one that a test has made, those of the last one are kept."""
    if spec is toolbox()[spec.name]:
        return shop().phrases
    if _LAST.get("spec") is not spec:
        _LAST.update(spec=spec, books=phrases_of_tools({spec.name: spec}))
    return _LAST["books"]


_LAST: dict[str, Any] = {}


def said_of(told: Told) -> Said:
    """The texts of a request and its answer, with what they claim."""
    user, answer, proof = told.user, told.answer, told.proof
    faults = [f"{fault.code} {fault.text.format(*fault.facts)}" for fault in told.faults]
    spans = [
        [(c.start, c.end) for c in claims]
        for claims in ([c for c in proof.arguments if c.source == "user"], proof.answers)
    ]
    texts = [(str(c.verbalizer), user[c.start : c.end]) for c in proof.arguments if c.source == "user"]
    texts += [(c.verbalizer, answer[c.start : c.end]) for c in proof.answers]
    return Said(user, answer, (mask(user, spans[0]), mask(answer, spans[1])), tuple(texts), faults)


def mask(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with every span as one sign, so that only what the phrases say is left."""
    for start, end in sorted(set(spans), reverse=True):
        text = text[:start] + ("◆." if text[start:end].endswith(".") else "◆") + text[end:]
    return text


@cache
def spoken(name: str) -> tuple[Said, ...]:
    """Twenty requests for a tool, with their answers."""
    return tuple(say(make(name, arguments), seed=(name, n)) for n, arguments in enumerate(drawn(name)[:20]))


UGLY = {
    "two spaces": r"  ",
    "space before a stop": r" [,.;:?!]",
    "stops in a row": r"[,;:]\s*[,.;:?!]|[.?!][,.;:]|\.\.|\?\?|!!|\.[?!]",
    "braces": r"[{}]",
    "a word twice": r"\b([A-Za-z]+) \1\b",
    "a before a": r"\b[Aa]n? (a|an|the|this|any|one)\b",
    "no space after a stop": r"[,;?!][A-Za-z]|(?<!\.[a-z])(?<!\d)[.][A-Z][a-z]",
    "a space at an end": r"^\s|\s$",
    "several of one": r"(?<![\w.,:€$£/-] )(?<![\w.,:/-])1 (?!is|includes)[a-z]+[a-rt-z]s\b",
    "what nobody asked for": r"not requested",
    "a number word before a sign": r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) x\b",
}
UNMASKED = {"braces", "several of one", "what nobody asked for", "a number word before a sign"}
"""What is looked for in the whole text; the others only in what the phrases say."""


def has_json(said: Said) -> bool:
    """Whether a value is said with the signs of JSON (a number in JSON is a number)."""
    return any(verbalizer == "json" and re.search(r"[\[{\"]|null|true|false", text) for verbalizer, text in said.spans)
