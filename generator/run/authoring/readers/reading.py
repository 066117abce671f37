"""Two readers, neither of whom wrote it, say what each phrase means; whatever they read otherwise is not kept.

They see all tools of the server and "none". An entry that is missing, empty or unreadable is a "no".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from generator.core.pointers import schema_at
from generator.core.toolbox import ToolSpec, name_as_words
from generator.core.values import same
from generator.llm.prompts import Prompt
from generator.run.authoring.asking import Answering, Asked, object_of
from generator.run.authoring.readers.items import Item, is_identifier
from generator.run.authoring.writer.writing import signature
from generator.world.expressions import FAULTS, ReadableNames, Reads, compile_expression
from generator.world.functions import MissingError


class _Shown:
    """A value that the words say by a letter, whatever it is: nothing can be computed of it but that it is there."""

    def __eq__(self, other: object) -> bool:
        raise TypeError


def is_settled(
    spec: ToolSpec, slots: tuple[tuple[str, str], ...], said: Mapping[str, Any], name: str, value: Any
) -> bool:
    """Whether a field of a result can only have this value, as far as the words of an answer say what the call was.

    Args:
        spec: The tool.
        slots: (letter, argument or field) pairs of the answer; `args.NAME` for an argument.
        said: What the words say without a letter, by the last name of its argument or field.
        name: The field.
        value: What it is said to be.
    """
    shown = {slot.removesuffix("#") for _, slot in slots}
    leaf = schema_at(spec.returns, name)
    if value is None or name in shown:
        return True
    if leaf is None:
        return False
    if "x-from" in leaf and f"args.{leaf['x-from']}" not in shown and leaf["x-from"] not in said:
        return _only_value(leaf.get("examples", []), value)
    if "x-compute" in leaf and "/" not in name:
        return _is_computed(spec, leaf, shown, said, value)
    return "x-from" not in leaf and _only_value(leaf.get("enum", [leaf["const"]] if "const" in leaf else []), value)


def read_of(spec: ToolSpec, name: str) -> frozenset[str]:
    """Return the arguments of which a field of a result is made."""
    leaf = schema_at(spec.returns, name) or {}
    return frozenset([*_compiled(spec, leaf)[1].arguments, *([leaf["x-from"]] if "x-from" in leaf else [])])


def _only_value(values: Any, value: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(same(one, value) for one in values)


def _is_computed(spec: ToolSpec, leaf: Mapping[str, Any], shown: set[str], said: Mapping[str, Any], value: Any) -> bool:
    """Whether a formula gives a value with nothing but what the words say and what every call has, or reads only fields that are shown."""
    expression, reads = _compiled(spec, leaf)
    if reads.properties - shown - {"value"}:
        return False
    if reads.properties & shown and not reads.arguments:
        return True
    names = ReadableNames({field: _Shown() for field in (*shown, "value") if not field.startswith("args.")})
    names["args"] = ReadableNames(dict(_arguments(spec, shown, said)))
    try:
        found = expression(names)
    except MissingError:  # as for a call without that argument
        return _only_value(leaf.get("examples", []), value)
    except FAULTS:
        return False
    return not isinstance(found, _Shown) and same(found, value)


def _arguments(spec: ToolSpec, shown: set[str], said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments that the call has by what the words say."""
    for name in spec.properties:
        if name in said:
            yield name, said[name]
        elif name in spec.required or any(one.split("/")[0] == f"args.{name}" for one in shown):
            yield name, _Shown()


def _compiled(spec: ToolSpec, leaf: Mapping[str, Any]) -> Any:
    text = leaf.get("x-compute")
    if text is None:
        return None, Reads(frozenset(), frozenset())
    return compile_expression(str(text), spec.declared.tables, spec.declared.entities)


ITEMS = 150
"""The most texts of one request."""
_ENTRY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "tool": {"type": "string"},
        "slots": {"type": "object", "additionalProperties": {"type": "string"}},
        "operators": {"type": "object", "additionalProperties": {"type": "string"}},
        "values": {"type": "object"},
        "pick": {"type": "string"},
        "asks": {"type": "string"},
        "fits": {"type": "boolean"},
        "beyond": {"type": "string"},
        "natural": {"type": "boolean"},
    },
    "required": ["number", "beyond"],
}
ANSWER: dict[str, Any] = {
    "type": "object",
    "properties": {"readings": {"type": "array", "items": _ENTRY}},
    "required": ["readings"],
}
_KINDS = {
    "request": "",
    "answer": "(the assistant, of {tool}) ",
    "pick": "(of {tool}) ",
    "ask": "(the assistant, for {tool}) ",
    "values": "",
}
UNNATURAL = "nobody would put it so"
_BOUNDS = {
    "at least": r"min|minimum|at least|or more|from|since|start|after|above|over|lower|greater|newer|not before|begin|fewest|earliest",
    "at most": r"max|maximum|at most|limit|up to|until|before|below|under|upper|less|within|end|no more|older|number of|count|top|longest|how many|per page|page size|size|first|results|radius|distance|latest",
    "before": r"before|until|end|to|older|max|by|deadline|prior|latest|up to|due|expire|upper",
    "after": r"after|since|from|start|newer|min|later|begin|earliest|lower",
}
_CERTAIN = {
    "at least": r"^(?:min|minimum|at least)\b",
    "at most": r"^(?:max|maximum|at most)\b|limit$",
    "before": r"(?:^|\b)(?:before|until)\b",
    "after": r"(?:^|\b)(?:after|since)\b",
}


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What two readers make of one item, and a third one where they differ."""

    item: Item
    faults: tuple[tuple[str, ...], ...]
    """Of each reader: how it reads the text otherwise than it was written."""

    @property
    def counted(self) -> tuple[tuple[str, ...], ...]:
        """The faults that count: that a part of a sentence is not natural is hard to say without the rest, so both must say so."""
        alone = self.item.is_part and not all(UNNATURAL in faults for faults in self.faults)
        return tuple(tuple(fault for fault in faults if not (alone and fault == UNNATURAL)) for faults in self.faults)

    @property
    def is_kept(self) -> bool:
        """Whether both read it as it was written, or two of three."""
        return sum(map(bool, self.counted)) < len(self.counted) - 1

    @property
    def is_disputed(self) -> bool:
        """Whether some reader reads it as it was written, and another one does not."""
        return any(self.counted) and not all(self.counted)


def reading_request(
    name: str, tools: Sequence[ToolSpec], items: Sequence[tuple[ToolSpec, Item]], prompt: Prompt
) -> Asked:
    """Return the request to read some items.

    Args:
        name: Of the request, with the reader's number.
        tools: All tools of the server, with their results.
        items: What is to be read, with the tool that it was written for.
        prompt: The reader's.
    """
    lines = [
        f"{number}. {_KINDS[item.kind].format(tool=spec.name)}{item.text}"
        for number, (spec, item) in enumerate(items, start=1)
    ]
    listed = "\n".join(signature(spec, is_long=True, with_result=True) for spec in tools)
    request = prompt.ask(ANSWER, "reader", tools=f"{listed}\nnone: no tool does just that", items="\n".join(lines))
    return Asked(name=name, request=request, is_numbered=True)


async def read_by(
    reader: Answering, asked: Asked, items: Sequence[tuple[ToolSpec, Item]]
) -> tuple[tuple[str, ...], ...]:
    """Return how a reader reads each item otherwise than it was written; everything, where its answer is of no use."""
    value, fault = object_of(await reader.answer(asked))
    entries = value.get("readings")
    if fault or not isinstance(entries, list):
        return tuple((f"the reader's answer cannot be used ({fault or 'no readings'})",) for _ in items)
    by_number: dict[int, list[Mapping[str, Any]]] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("number"), int):
            by_number.setdefault(entry["number"], []).append(entry)
    return tuple(
        tuple(_read_otherwise(spec, item, by_number.get(number, [])))
        for number, (spec, item) in enumerate(items, start=1)
    )


def _read_otherwise(spec: ToolSpec, item: Item, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(entries) != 1:
        yield "it was not read" if not entries else "it was read twice"
        return
    entry = entries[0]
    if not isinstance(entry.get("beyond"), str):
        yield "it was not said whether something is left over"
    elif entry["beyond"].strip(" .-").lower() not in _NOTHING:
        yield f"it also says: {entry['beyond'][:_LONGEST]}"
    if entry.get("natural") is False:
        yield UNNATURAL
    if item.kind == "values":
        yield from () if entry.get("fits") is True else ("these are not values of that argument",)
        return
    yield from _wrong_tool(spec, item, entry)
    yield from _wrong_slots(spec, item, entry)
    yield from _wrong_values(spec, item, entry)
    yield from _wrong_choice(item, entry)


def _wrong_choice(item: Item, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield a pick that is read as another one, and a question that asks for another argument."""
    if item.pick and not _same_pick(item.pick, str(entry.get("pick", ""))):
        yield f"it is read as {entry.get('pick') or 'nothing'}, not as {item.pick}"
    if item.asks and _last(entry.get("asks")) != _last(item.asks):
        yield f"it is read as asking for {entry.get('asks') or 'nothing'}"


_NOTHING = ("", "nothing", "none", "n/a", "no")
_LONGEST = 120


def _same_pick(wanted: str, told: str) -> bool:
    """Whether a pick is the same but for the way to its field: `least jobs/*/due_date` for `least due_date`."""
    extreme, _, field = wanted.partition(" ")
    first, _, rest = " ".join(told.split()).partition(" ")
    return first == extreme and _last(rest) == _last(field)


def _last(name: Any) -> str:
    return str(name or "").strip("/ ").rpartition("/")[2].removeprefix("args.")


def _wrong_tool(spec: ToolSpec, item: Item, entry: Mapping[str, Any]) -> Iterator[str]:
    if item.kind in ("answer", "pick", "ask"):
        return  # the reader was told
    tool = str(entry.get("tool", ""))
    if item.kind == "request" and item.text.startswith("“"):
        return
    if tool != spec.name:
        yield f"it is read as a request for {tool or 'nothing'}"


def _wrong_slots(spec: ToolSpec, item: Item, entry: Mapping[str, Any]) -> Iterator[str]:
    told = entry.get("slots") if isinstance(entry.get("slots"), dict) else {}
    operators = entry.get("operators") if isinstance(entry.get("operators"), dict) else {}
    assert isinstance(told, dict)
    assert isinstance(operators, dict)
    by_letter = {letter: str(told.get(letter, "")).strip("/ ") for letter, _ in item.slots}
    for letter, slot in item.slots:
        read = by_letter[letter]
        if not (
            _is_same_slot(slot, read)
            or _shows(spec, slot, read)
            or _cannot_be_told(spec, item, slot, read)
            or _stands_beside(item, letter, by_letter)
        ):
            yield f"[{letter}] is read as {read or 'nothing'}, not as {slot}"
        elif item.kind == "request" and (wrong := _wrong_operator(spec, slot, str(operators.get(letter, "is")))):
            yield f"[{letter}] is read as {wrong}"


def _is_same_slot(wanted: str, read: str) -> bool:
    if wanted.startswith("args."):  # what the result repeats may be taken for the argument
        return _last(read) == wanted.removeprefix("args.").rpartition("/")[2]
    return _last(read).removesuffix("#") == _last(wanted).removesuffix("#")


def _shows(spec: ToolSpec, wanted: str, read: str) -> bool:
    """Whether one of two names is that of an argument, and the other one that of the field of the result that shows it."""
    pairs = [(field, name) for field, name in ((wanted, read), (read, wanted)) if not field.startswith("args.")]
    return any((schema_at(spec.returns, field) or {}).get("x-from") == _last(name) for field, name in pairs)


def _stands_beside(item: Item, letter: str, by_letter: Mapping[str, str]) -> bool:
    """Whether a letter stands among parts of the same object with no word between them, and these are read in another order."""
    run = next((one for one in re.findall(_RUN, item.text) if f"[{letter}: " in one), "")
    wanted = {one: slot for one, slot in item.slots if f"[{one}: " in run}
    around = {slot.rpartition("/")[0] for slot in wanted.values()}
    if len(around) != 1 or not around.pop():
        return False
    return sorted(map(_last, wanted.values())) == sorted(_last(by_letter[one]) for one in wanted)


_RUN = r"\[[A-Z]: text\](?:,? \[[A-Z]: text\])+"


def _cannot_be_told(spec: ToolSpec, item: Item, wanted: str, read: str) -> bool:
    """Whether two texts of one list element, or of one object among the arguments of a call that is told of, could stand in each other's place, so that the words alone cannot tell which."""
    around = wanted.rpartition("/")[0]
    root = spec.tool.parameters if wanted.startswith("args.") else spec.returns
    if item.kind != "answer" or not (item.is_part or (wanted.startswith("args.") and around)):
        return False
    places = [one.removeprefix("args.") for one in (wanted, f"{around}/{_last(read)}")]
    schemas = [schema_at(root, place) for place in places]
    plain = [
        isinstance(one, dict) and one.get("type") == "string" and not one.keys() & {"format", "enum"} for one in schemas
    ]
    return all(plain) and is_identifier(wanted) == is_identifier(read)


def _wrong_operator(spec: ToolSpec, slot: str, operator: str) -> str:
    """Return an operator that the argument does not have, as far as its name and description tell."""
    operator = operator.strip().lower()
    leaf = schema_at(spec.tool.parameters, slot)
    name = name_as_words(slot.rpartition("/")[2])
    about = f"{name} {leaf.get('description', '') if isinstance(leaf, dict) else ''}".lower()
    certain = [one for one, pattern in _CERTAIN.items() if re.search(pattern, name)]
    if certain and operator in _BOUNDS and not _alike(operator, certain):
        return f"“{operator}”, not as “{certain[0]}”"
    if operator in _BOUNDS and not certain and re.search(rf"\b(?:{_BOUNDS[operator]})", about) is None:
        return f"“{operator}”, which the argument does not mean"
    return ""


def _alike(operator: str, certain: Sequence[str]) -> bool:
    pairs = ({"at least", "after"}, {"at most", "before"})
    return any(operator in pair and set(certain) & pair for pair in pairs)


def _wrong_values(spec: ToolSpec, item: Item, entry: Mapping[str, Any]) -> Iterator[str]:
    told = entry.get("values") if isinstance(entry.get("values"), dict) else {}
    assert isinstance(told, dict)
    by_name = {_last(name): value for name, value in told.items()}
    is_answer = item.kind == "answer"
    for name, value in item.values:
        if _last(name) in by_name:
            is_said = _is_same_value(by_name[_last(name)], value)
        else:  # that nothing was found is no value
            is_said = value == [] or (is_answer and is_settled(spec, item.slots, by_name, name, value))
        if not is_said:
            yield f"{name} is read as {by_name.get(_last(name), 'not said')}, not as {value}"
    known = {_last(name) for name, _ in item.values} | {_last(slot) for _, slot in item.slots}
    known = known.union(*[read_of(spec, name) for name, _ in item.values if is_answer])
    for name, value in by_name.items():
        if name in known or value in ("", None) or item.is_part:
            continue
        if not (is_answer and is_settled(spec, item.slots, {}, name, value)):
            yield f"it also says {name}: {value}"


def _is_same_value(read: Any, value: Any) -> bool:
    if value is None:
        return read is None or str(read).strip().lower() in ("null", "none")
    return same(read, value) or str(read).strip().lower() == str(value).strip().lower()
