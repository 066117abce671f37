"""The source `llm`: pools of argument objects that a model makes, several with each request.

Every object is checked like any other; an invalid one, or one that is there already, is asked for once more, with its fault, and
what is still missing is made by the realistic sampler. Requests are made in rounds, each twice as many as before, and tell what earlier rounds
found. A pool depends on the tools, the settings and the answers only, so rows do not depend on how many of them there are.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from itertools import accumulate, takewhile
from typing import Any

import msgspec
import orjson

from generator.arguments.kinds.names import words_in_name
from generator.arguments.sampling.leaves import Test
from generator.arguments.sampling.numbers import Maker
from generator.arguments.sampling.relations import broken
from generator.core.errors import RowError
from generator.core.schema_walk import schemas_in
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Relation, ToolSpec
from generator.core.yaml_values import own_data
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import Prompts, looser_schema
from generator.llm.reading import json_of_answer, kind_of_fault, text_fault_within, texts_within

USE = "arguments"
AT_ONCE = 8
"""Objects in one request."""
_EXAMPLES = 2
_LONGEST_TEXT = 300
_MOST_TOLD = 4
_LONGEST_KNOWN = 4000
"""Characters of what is there already that a request tells."""
_MOST_SIBLINGS = 12
_MOST = 2
"""How many times as many requests as a full pool takes are made at most: what comes again leaves room."""
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})((?:[T ]\d{2}:\d{2}.*)?)", re.DOTALL)


class AskedPools(msgspec.Struct, frozen=True):
    """Makes the pools of a run by asking a model."""

    asker: Asker
    prompts: Prompts
    today: date
    """The day that requests speak of: a row on another day has its dates moved by as much."""
    people: tuple[str, ...] = ("anybody",)
    """Who makes the calls, in turn."""
    topics: tuple[str, ...] = ("anything",)
    """The occasions of calls, in turn."""
    tools: tuple[str, ...] = ()
    """All tools of the run, a line for each, which begins with its name and a colon."""


class _Entry(msgspec.Struct, frozen=True):
    """One place of a pool."""

    value: bytes = b""
    """The object as JSON; empty: the sampler fills the gap."""
    fault: str = ""
    """Why there is a gap."""


Pool = tuple[_Entry, ...]


def make_asked(
    pools: AskedPools, spec: ToolSpec, is_valid: Test, relations: tuple[Relation, ...], realistic: Maker, seed: int
) -> Maker:
    """Return a maker that takes a tool's arguments from the pool that a model filled; where that has a gap, `realistic` makes them."""

    def fault_of(item: Any) -> str:
        return _item_fault(item, is_valid, pools.today) or broken(relations, item)

    asker = pools.asker

    def make(draw: Draw) -> Any:
        """Take an object of the tool's pool, which is filled at its first use; where it has a gap, the sampler makes one."""
        pool: Pool | None = asker.pools.get((USE, spec.name))
        if pool is None:
            pool = asker.pools[USE, spec.name] = _filled_pool(pools, spec, fault_of, realistic, seed)
        entry = pool[int(draw.rand() * len(pool))]
        if entry.value:
            value = _with_days_moved(orjson.loads(entry.value), draw.today - pools.today)
            if is_valid(value):
                asker.note(USE)
                return value
        asker.note(USE, entry.fault or "not valid on that day")
        return realistic(draw)

    return make


def _filled_pool(
    pools: AskedPools, spec: ToolSpec, fault_of: Callable[[Any], str], realistic: Maker, seed: int
) -> Pool:
    """Return a tool's pool: different objects, asked for in rounds, and gaps where there are too few.

    Each request tells some of what earlier rounds found, and has a person and an occasion of its own. What comes again is of no use, and is asked
    for once more, as what is not valid.
    """
    size, values, faults = pools.asker.settings.pool, dict[bytes, bytes](), Counter[str]()
    planned, count = -(-size // AT_ONCE), 0
    width = planned if pools.asker.settings.of(USE).batch else 1  # a batch takes hours: all at once
    while len(values) < size and count < _MOST * planned:
        width = min(width, -(-(size - len(values)) // AT_ONCE), _MOST * planned - count)
        requests = [
            _request(pools, spec, realistic, [*values.values()], seed, nth) for nth in range(count, count + width)
        ]
        failed = _ask_and_keep(pools.asker, requests, fault_of, values, faults)
        if len(values) < size:
            _ask_and_keep(pools.asker, [pools.prompts.once_more(*one) for one in failed], fault_of, values, faults)
        count, width = count + width, 2 * width
    fault = faults.most_common(1)[0][0] if faults else ""
    return (*map(_Entry, [*values.values()][:size]), *[_Entry(fault=fault)] * (size - len(values)))


def _ask_and_keep(
    asker: Asker,
    requests: Sequence[Request],
    fault_of: Callable[[Any], str],
    known: dict[bytes, bytes],
    faults: Counter[str],
) -> list[tuple[Request, ModelAnswer, str]]:
    """Ask, and add the objects that are new and valid to those found; return what is to be asked once more, and why."""
    to_retry = []
    for request, answer in zip(requests, asker.ask(*requests), strict=True):
        values, reasons = _items_of_answer(answer, fault_of)
        asker.judge(request, answer, "" if values else _joined_reasons(reasons))
        new = {orjson.dumps(value, option=orjson.OPT_SORT_KEYS): orjson.dumps(value) for value in values}
        reasons += [f"repeated: {value.decode()} is there already" for key, value in new.items() if key in known]
        fresh = {key: value for key, value in new.items() if key not in known}
        if len(fresh) < AT_ONCE and not reasons:
            reasons.append(f"too few: {len(fresh)} different ones instead of {AT_ONCE}")
        known |= fresh
        faults.update(map(kind_of_fault, reasons))
        if len(fresh) < AT_ONCE:
            to_retry.append((request, answer, _joined_reasons(reasons)))
    return to_retry


def _request(pools: AskedPools, spec: ToolSpec, realistic: Maker, values: list[bytes], seed: int, nth: int) -> Request:
    """Return the `nth` request for a tool's arguments; which of the values so far it shows is drawn by its number, too."""
    draw = Draw(stream_seed("llm pool", spec.name, seed, nth), pools.today)
    parameters = spec.tool.parameters or {"type": "object"}
    examples = "\n".join(_json(value) for value in _example_arguments(realistic, draw))
    texts = [value.decode() for value in draw.shuffled(values)]
    siblings = draw.shuffled([line for line in pools.tools if not line.startswith(f"{spec.name}:")])[:_MOST_SIBLINGS]
    lengths = takewhile(lambda length: length <= _LONGEST_KNOWN, accumulate(map(len, texts)))
    request = pools.prompts.arguments.ask(
        array_schema(parameters, AT_ONCE),
        USE,
        tool=spec.name,
        description=spec.tool.description or spec.name,
        parameters=_json(parameters),
        count=str(AT_ONCE),
        examples=examples,
        today=pools.today.isoformat(),
        known="\n".join([value for value, _ in zip(texts, lengths, strict=False)]) or "(nothing yet)",
        person=pools.people[nth % len(pools.people)],
        topic=pools.topics[(nth + nth // len(pools.topics)) % len(pools.topics)],
        siblings="\n".join([f"- {line}" for line in siblings]) or "(none)",
    )
    is_more = nth * AT_ONCE >= pools.asker.settings.pool
    return msgspec.structs.replace(request, nth=nth, again=is_more)


def array_schema(schema: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the schema of `{"values": [...]}`, a list of at most `count` values of a schema."""
    loose = looser_schema(schema)
    hoisted = {key: loose.pop(key) for key in ("$defs", "definitions") if key in loose}
    references = [part["$ref"] for part, _ in schemas_in({**loose, **hoisted}) if "$ref" in part]
    is_local = all(str(reference).startswith(("#/$defs/", "#/definitions/")) for reference in references)
    items = loose if is_local else {"type": "object"}
    values = {"type": "array", "items": items, "minItems": 1, "maxItems": count}
    answer = {"type": "object", "properties": {"values": values}, "required": ["values"], "additionalProperties": False}
    return {**answer, **hoisted}


def _example_arguments(realistic: Maker, draw: Draw) -> list[Any]:
    """Return a few realistic argument objects for the prompt."""
    try:
        return [realistic(draw) for _ in range(_EXAMPLES)]
    except RowError:  # a schema that is hard to meet; the model may find what the sampler does not
        return []


def _joined_reasons(reasons: list[str]) -> str:
    """Return the first few different reasons as one text."""
    return "; ".join(dict.fromkeys(reasons[:_MOST_TOLD]))


def _items_of_answer(answer: ModelAnswer, fault_of: Callable[[Any], str]) -> tuple[list[Any], list[str]]:
    """Return the valid objects of an answer, and the faults of the others."""
    outer = {"type": "object", "required": ["values"], "properties": {"values": {"type": "array"}}}
    value, fault = json_of_answer(answer, outer)
    items = [] if fault else value["values"][: 4 * AT_ONCE]
    checked = [(item, fault_of(item)) for item in items]
    return [item for item, why in checked if not why], [fault] if fault else [why for _, why in checked if why]


def _item_fault(item: Any, is_valid: Test, today: date) -> str:
    """Return why an argument object of a model cannot be used, or an empty text."""
    if not isinstance(item, dict):
        return "not an object"
    fault = text_fault_within(item) or text_fault_within(item, _typing_fault) or implausible(item, today)
    if fault:
        return fault
    return "" if is_valid(item) else f"not valid: {_json(item)[:300]} does not follow the schema"


def _typing_fault(text: str) -> str:
    """Return why a text is not one that people type in a request, or nothing."""
    if "\n" in text or "\t" in text or text != text.strip():
        return "a text of several lines or with spaces around it"
    return "a long text" if len(text) > _LONGEST_TEXT else ""


def _with_days_moved(value: Any, shift: timedelta) -> Any:
    """Return a value with every date in it (`2026-03-01`, `2026-03-01T10:00`) moved by the same number of days."""
    if isinstance(value, dict):
        return {key: _with_days_moved(part, shift) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_days_moved(part, shift) for part in value]
    day = _DAY.fullmatch(value) if shift and isinstance(value, str) else None
    if day is None:
        return value
    try:
        return (date.fromisoformat(day[1]) + shift).isoformat() + day[2]
    except (ValueError, OverflowError):
        return value


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


_YEARS = 5, 10
"""How many years before and after the day of the requests a day may lie."""
_A_DAY = re.compile(r"(\d{4})-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?", re.DOTALL)
_PLACEHOLDER = re.compile(r"<[^<>]+>|\{\{?[^{}]+\}\}?|\[[^\[\]]+\]|%[A-Z_]+%")
"""Brackets and nothing else: the form of a gap, whatever stands in it."""


def implausible(arguments: dict[str, Any], today: date) -> str:
    """Return what is wrong with valid arguments of a call that is asked for today, or nothing."""
    for name, text in texts_within(arguments):
        if _PLACEHOLDER.fullmatch(text):
            return f"a placeholder: {text[:60]}"
        day = _A_DAY.fullmatch(text)
        if (
            day
            and not today.year - _YEARS[0] <= int(day[1]) <= today.year + _YEARS[1]
            and _words_for_any_day().isdisjoint(words_in_name(name))
        ):
            return f"a day far from {today.isoformat()}: {text}"
    for origin, destination in _origins_and_destinations(arguments):
        if arguments[origin] == arguments[destination]:
            return f"the same {origin} and {destination}: {arguments[origin][:60]}"
    return ""


def _origins_and_destinations(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of names, such as `from_city` and `to_city`, of which one says where something comes from and the other where it goes. Days may be equal and are left out."""
    arguments_by_words = {
        words_in_name(name): name
        for name, value in arguments.items()
        if isinstance(value, str) and not value[:1].isdecimal()
    }
    for words, name in arguments_by_words.items():
        for from_word, to_word in _plausibility_rules()["ways"]:
            counterpart = tuple([to_word if word == from_word else word for word in words])
            if counterpart != words and counterpart in arguments_by_words:
                yield name, arguments_by_words[counterpart]


@cache
def _words_for_any_day() -> frozenset[str]:
    """Return the words of names of arguments whose days may lie far away: `birth`."""
    return frozenset(_plausibility_rules()["any_day"].split())


@cache
def _plausibility_rules() -> dict[str, Any]:
    """Return the content of plausible.yaml."""
    data: dict[str, Any] = own_data(__file__, "plausible.yaml")
    return data
