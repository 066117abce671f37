"""Words of level 0, for tools that nobody wrote words for: the tool, its arguments and the fields of its result by their names.

They are nobody's way to ask. Rows made of them are for parsers, and to learn arguments from.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from generator.core.pointers import parts_of_object
from generator.core.toolbox import ToolSpec
from generator.tools.describing.lexicon import load
from generator.tools.describing.reading import ArgumentLeaf
from generator.tools.productions import plain_name

_MOST_FIELDS = 6
_SAYABLE = ("string", "integer", "number", "boolean")


def plain_phrases(
    spec: ToolSpec, leaves: Sequence[ArgumentLeaf], unsaid: Collection[str], returns: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the phrases of a tool as spec files write them."""
    tool, words = plain_name(spec.name), load("plain")
    sayable_slots = [leaf.slot for leaf in leaves if leaf.type != "object" and leaf.slot.split("/")[0] not in unsaid]
    required_slots = [leaf.slot for leaf in leaves if leaf.required and leaf.slot in sayable_slots]
    parts = {
        leaf.slot: [element.slot for element in leaf.elements if element.required]
        for leaf in leaves
        if leaf.slot in sayable_slots
    }
    slots_in_turn = _slots_in_turn(required_slots)
    keys = ("request", "several", "again", "entry", "found") if slots_in_turn else ("request", "found")
    phrases: dict[str, Any] = {
        key: [_filled(text, tool=tool, all=slots_in_turn) for text in words[key]] for key in keys
    }
    phrases["slots"] = {slot: [_slot_words(words["argument"], slot)] for slot in sayable_slots}
    phrases["slots"] |= {f"{slot}/*": [_slots_in_turn(inner)] for slot, inner in parts.items() if inner}
    phrases["ask"] = {slot: [_slot_words(text, slot) for text in words["ask"]] for slot in required_slots}
    return phrases | _answers(words, tool, returns)


def _filled(text: str, **parts: str) -> str:
    return re.sub(r"<(\w+)>", lambda named: parts[named[1]], text)


def _slot_words(form: str, slot: str) -> str:
    """Return the words for the value at a slot: by its own name and the names of the objects around it, in one list."""
    steps = slot.rpartition("/*/")[2].split("/")
    return _filled(form, name=".".join(map(plain_name, steps)), value=f"{{{slot}}}")


def _slots_in_turn(slots: Sequence[str]) -> str:
    return ", ".join(_slot_words(load("plain")["part"], slot) for slot in slots)


def _answers(words: Mapping[str, Any], tool: str, returns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sentences that tell a result: its list one by one, or its fields, or that the call is done."""
    for name, schema in _certain_properties(returns):
        fields = _slots_in_turn(_sayable_fields(schema.get("items")))
        if fields and schema.get("type") == "array":
            parts = {"tool": tool, "list": plain_name(name), "value": f"{{{name}}}"}
            answers: list[Any] = [_filled(text, **parts) for text in words["list"]]
            answers += [{"say": _filled(text, **parts), "when": {name: []}} for text in words["empty"]]
            return {"answer": answers, "each": {name: [_filled(words["one"], all=fields)]}}
    slots_in_turn = _slots_in_turn(_sayable_fields(returns))
    return {
        "answer": [
            _filled(text, tool=tool, all=slots_in_turn) for text in words["fields" if slots_in_turn else "nothing"]
        ]
    }


def _certain_properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the properties that an object always has, those with names that slots can hold."""
    properties, required = parts_of_object(schema)
    for name, part in properties.items():
        if isinstance(part, dict) and name.isidentifier() and name in required:
            yield name, part


def _sayable_fields(schema: Any) -> list[str]:
    """Return the first properties that can be said."""
    names = [name for name, part in _certain_properties(schema) if part.get("type") in _SAYABLE or "const" in part]
    return names[:_MOST_FIELDS]
