"""The source `llm`: pools of argument objects that a model makes, several with each request.

Every object is checked like any other; an invalid one is asked for once more, with its fault, and what is still
missing is made by the realistic sampler. A pool depends on the tool, the settings and the answers only, so rows do not
depend on how many of them there are. What a schema allows can still be nonsense, which nobody would ask for.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

import msgspec
import orjson

from generator.arguments.kinds.names import words_in_name
from generator.arguments.sampling.leaves import Test
from generator.arguments.sampling.numbers import Maker
from generator.arguments.sampling.relations import broken
from generator.core.errors import RowError
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Relation, ToolSpec
from generator.core.yaml_values import own_data
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import Prompts
from generator.llm.reading import json_of_answer, kind_of_fault, text_fault_within, texts_within
from generator.llm.schemas import array_schema

_YEARS = 5, 10
"""How many years before and after the day of the requests a day may lie."""
_DAY_OF_PLAUSIBLE = re.compile(r"(\d{4})-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?", re.DOTALL)
_PLACEHOLDER = re.compile(r"<[^<>]+>|\{\{?[^{}]+\}\}?|\[[^\[\]]+\]|%[A-Z_]+%")
"""Brackets and nothing else: the form of a gap, whatever stands in it."""


def implausible(arguments: dict[str, Any], today: date) -> str:
    """Return what is wrong with valid arguments, or nothing.

    Args:
        arguments: The argument object of one call.
        today: The day on which they would be asked for.
    """
    for name, text in texts_within(arguments):
        if _PLACEHOLDER.fullmatch(text):
            return f"a placeholder: {text[:60]}"
        day = _DAY_OF_PLAUSIBLE.fullmatch(text)
        if (
            day
            and not today.year - _YEARS[0] <= int(day[1]) <= today.year + _YEARS[1]
            and _any_day().isdisjoint(words_in_name(name))
        ):
            return f"a day far from {today.isoformat()}: {text}"
    return next(
        (
            f"the same {start} and {end}: {arguments[start][:60]}"
            for start, end in _ways_between(arguments)
            if arguments[start] == arguments[end]
        ),
        "",
    )


def _ways_between(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of arguments of which one is where something comes from and the other where it goes; days may be the same."""
    places = {
        words_in_name(name): name
        for name, value in arguments.items()
        if isinstance(value, str) and not value[:1].isdecimal()
    }
    for words, name in places.items():
        for start, end in _data()["ways"]:
            other = tuple([end if word == start else word for word in words])
            if other != words and other in places:
                yield name, places[other]


@cache
def _any_day() -> frozenset[str]:
    return frozenset(_data()["any_day"].split())


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = own_data(__file__, "plausible.yaml")
    return data


USE = "arguments"
AT_ONCE = 8
"""Objects in one request."""
_EXAMPLES = 2
_LONGEST_TEXT = 300
_MOST_TOLD = 4
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})((?:[T ]\d{2}:\d{2}.*)?)", re.DOTALL)


class AskedPools(msgspec.Struct, frozen=True):
    """Makes the pools of a run by asking a model."""

    asker: Asker
    prompts: Prompts
    today: date
    """The day that requests speak of: a row on another day has its dates moved by as much."""


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
    """Return a maker that takes values from the model's pool for a tool."""

    def fault_of(item: Any) -> str:
        return _item_fault(item, is_valid, pools.today) or broken(relations, item)

    asker = pools.asker

    def make(draw: Draw) -> Any:
        pool: Pool | None = asker.pools.get((USE, spec.name))
        if pool is None:
            pool = asker.pools[USE, spec.name] = _fill(pools, spec, fault_of, realistic, seed)
        entry = pool[int(draw.rand() * len(pool))]
        if entry.value:
            value = _moved(orjson.loads(entry.value), draw.today - pools.today)
            if is_valid(value):
                asker.note(USE)
                return value
        asker.note(USE, entry.fault or "not valid on that day")
        return realistic(draw)

    return make


def _fill(pools: AskedPools, spec: ToolSpec, fault_of: Callable[[Any], str], realistic: Maker, seed: int) -> Pool:
    """Ask for all of a tool's objects."""
    size = pools.asker.settings.pool
    counts = [min(AT_ONCE, size - start) for start in range(0, size, AT_ONCE)]
    requests = [_request(pools, spec, realistic, count, seed, at) for at, count in enumerate(counts)]
    answers = pools.asker.ask(*requests)
    batches = [_read(answer, fault_of, count) for answer, count in zip(answers, counts, strict=True)]
    _judge(pools.asker, requests, answers, batches)
    again = [at for at, batch in enumerate(batches) if len(batch.values) < counts[at] and batch.faults]
    more = [pools.prompts.once_more(requests[at], answers[at], _told(batches[at].faults)) for at in again]
    seconds = pools.asker.ask(*more)
    others = [_read(answer, fault_of, counts[at]) for at, answer in zip(again, seconds, strict=True)]
    _judge(pools.asker, more, seconds, others)
    for at, batch in zip(again, others, strict=True):
        batches[at].add(batch)
    return _pool(batches, counts)


class _Batch(msgspec.Struct):
    """The objects that came from one request."""

    values: list[Any]
    faults: list[str]

    def add(self, other: "_Batch") -> None:
        """Add the objects of the second answer to the request."""
        self.values += other.values
        self.faults += other.faults


def _pool(batches: list[_Batch], counts: list[int]) -> Pool:
    """Return an entry for each object that was asked for: first the different ones that came, then gaps."""
    seen: set[bytes] = set()
    entries: list[_Entry] = []
    for batch, count in zip(batches, counts, strict=True):
        new = {orjson.dumps(value, option=orjson.OPT_SORT_KEYS): value for value in batch.values}
        fresh = [orjson.dumps(value) for key, value in new.items() if key not in seen][:count]
        seen |= new.keys()
        why = Counter(map(kind_of_fault, batch.faults)).most_common(1)
        fault = why[0][0] if why else "repeated" if len(new) > len(fresh) or len(batch.values) > len(new) else "too few"
        entries += [_Entry(value) for value in fresh] + [_Entry(fault=fault)] * (count - len(fresh))
    return tuple(entries)


def _request(pools: AskedPools, spec: ToolSpec, realistic: Maker, count: int, seed: int, at: int) -> Request:
    draw = Draw(stream_seed("llm pool", spec.name, seed, at), pools.today)
    parameters = spec.tool.parameters or {"type": "object"}
    request = pools.prompts.arguments.ask(
        array_schema(parameters, count),
        USE,
        tool=spec.name,
        description=spec.tool.description or spec.name,
        parameters=_json(parameters),
        count=str(count),
        examples="\n".join(_json(value) for value in _examples(realistic, draw)),
        today=pools.today.isoformat(),
    )
    return msgspec.structs.replace(request, nth=at)


def _examples(realistic: Maker, draw: Draw) -> list[Any]:
    try:
        return [realistic(draw) for _ in range(_EXAMPLES)]
    except RowError:  # a schema that is hard to meet; the model may find what the sampler does not
        return []


def _told(faults: list[str]) -> str:
    return "; ".join(dict.fromkeys(faults[:_MOST_TOLD]))


def _judge(
    asker: Asker, requests: Sequence[Request], answers: Sequence[ModelAnswer], batches: Sequence[_Batch]
) -> None:
    """Take note of which answers hold no object that can be used."""
    for request, answer, batch in zip(requests, answers, batches, strict=True):
        asker.judge(request, answer, "" if batch.values else _told(batch.faults))


def _read(answer: ModelAnswer, fault_of: Callable[[Any], str], count: int) -> _Batch:
    """Return the valid objects of an answer, and the faults of the others."""
    outer = {"type": "object", "required": ["values"], "properties": {"values": {"type": "array"}}}
    value, fault = json_of_answer(answer, outer)
    if fault:
        return _Batch([], [fault])
    batch = _Batch([], [])
    for item in value["values"][: 4 * count]:
        found = fault_of(item)
        if found:
            batch.faults.append(found)
        else:
            batch.values.append(item)
    if len(batch.values) < count and not batch.faults:
        batch.faults.append(f"too few: {len(value['values'])} instead of {count}")
    return batch


def _item_fault(item: Any, is_valid: Test, today: date) -> str:
    if not isinstance(item, dict):
        return "not an object"
    fault = text_fault_within(item) or _texts_fault(item) or implausible(item, today)
    if fault:
        return fault
    return "" if is_valid(item) else f"not valid: {_json(item)[:300]} does not follow the schema"


def _texts_fault(value: Any) -> str:
    """Return why a text is not one that people type in a request, or nothing."""
    if isinstance(value, str):
        if "\n" in value or "\t" in value or value != value.strip():
            return "a text of several lines or with spaces around it"
        return "a long text" if len(value) > _LONGEST_TEXT else ""
    parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return next((fault for part in parts if (fault := _texts_fault(part))), "")


def _moved(value: Any, by: timedelta) -> Any:
    """Return the value with every date in it moved by the same number of days."""
    if isinstance(value, dict):
        return {key: _moved(part, by) for key, part in value.items()}
    if isinstance(value, list):
        return [_moved(part, by) for part in value]
    found = _DAY.fullmatch(value) if by and isinstance(value, str) else None
    if found is None:
        return value
    try:
        return (date.fromisoformat(found[1]) + by).isoformat() + found[2]
    except (ValueError, OverflowError):
        return value


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
