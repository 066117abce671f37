"""Named repairs of records that others wrote, of faults whose right form follows from the record itself.

A repair never invents data: other faults stay, and are then refused with their place.
"""

import operator
from collections import Counter
from typing import Any

import msgspec

from generator.core.conversation import Conversation, FileSequence
from generator.core.errors import FormatError
from generator.formats import Format
from generator.formats.files.records import UNFOLDED
from generator.formats.format import conversation_of
from generator.formats.openai_messages import parse_exact_json
from generator.formats.steps import placeholder_id

REPAIRS = {
    "encoded_twice": "arguments that were encoded more than once",
    "arguments_missing": "arguments that were null, empty or absent: {}",
    "type_missing": "calls without `type`",
    "function_call": "`function_call` and `function` messages of the old kind",
    "id_missing": "calls without an id, numbered",
    "id_reused": "calls with an id used before, numbered",
    "result_by_order": "results without the id of a call, given to the open calls in their order",
    "tool_name": "results without a name, named after their call",
} | UNFOLDED
"""Name of a repair -> what it repairs."""
_MOST_ENCODINGS = 3


class _Open(msgspec.Struct):
    """A call that has no result yet."""

    given: Any
    """The id that the record has."""
    id: str
    name: Any


class _Repairer:
    """Repairs one record."""

    def __init__(self, messages: list[Any], repairs: Counter[str]) -> None:
        self._repairs = repairs
        self._messages = messages
        self._taken: set[str] | None = None
        self._seen: set[Any] = set()
        self._open: list[_Open] = []
        self._number = 0

    def message(self, raw: Any, path: str) -> Any:
        """Return the message, repaired; the same object where there is nothing to repair."""
        if not isinstance(raw, dict):
            return raw
        role = raw.get("role")
        if role == "user":
            self._open = []
        if role in ("user", "system"):
            return raw
        message = self._of_today(raw) if "function_call" in raw or role == "function" else raw
        if message.get("role") == "tool":
            return self._answer(message, path)
        if role == "assistant":
            self._open = []
            calls = _calls(message)
            mended = [self._call(call) for call in calls]
            if any(map(operator.is_not, calls, mended)):
                return message | {"tool_calls": mended}
        return message

    def _of_today(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return OpenAI's old `function_call` and `function` messages as calls and tool messages."""
        message = dict(raw)
        old = message.pop("function_call", None)
        if isinstance(old, dict) and not message.get("tool_calls"):
            message["tool_calls"] = [{"type": "function", "function": old}]
            self._repairs["function_call"] += 1
        if message.get("role") == "function":
            message["role"] = "tool"
            self._repairs["function_call"] += 1
        return message

    def _call(self, raw: dict[str, Any]) -> dict[str, Any]:
        call = raw
        given = call.get("id")
        if not isinstance(given, str) or not given:
            call = call | {"id": self._new_id()}
            self._repairs["id_missing"] += 1
        elif given in self._seen:
            call = call | {"id": self._new_id()}
            self._repairs["id_reused"] += 1
        self._seen.add(call["id"])
        if call.get("type") is None:
            call = call | {"type": "function"}
            self._repairs["type_missing"] += 1
        function = call.get("function")
        if isinstance(function, dict):
            arguments = self._arguments(function.get("arguments"))
            if arguments is not function.get("arguments"):
                call = call | {"function": function | {"arguments": arguments}}
            self._open.append(_Open(given, call["id"], function.get("name")))
        return call

    def _arguments(self, value: Any) -> Any:
        if value is None or (isinstance(value, str) and not value.strip()):
            self._repairs["arguments_missing"] += 1
            return {}
        inner = value
        for _ in range(_MOST_ENCODINGS):
            if not isinstance(inner, str):
                break
            try:
                inner = parse_exact_json(inner)
            except ValueError:
                return value
        if inner is not value and isinstance(inner, dict):
            self._repairs["encoded_twice"] += 1
        return inner if isinstance(inner, dict) else value

    def _answer(self, message: dict[str, Any], path: str) -> dict[str, Any]:
        given, name = message.get("tool_call_id"), message.get("name")
        found = next((call for call in self._open if given and call.given == given), None)
        if found is None:
            named = [call for call in self._open if name is not None and call.name == name]
            found = next(iter([*named, *self._open]), None)
            if found is None:
                raise FormatError(f"{path}: a result that answers no call")
            self._repairs["result_by_order"] += 1
        self._open.remove(found)
        if given != found.id:
            message = message | {"tool_call_id": found.id}
        if name is None and isinstance(found.name, str):
            message = message | {"name": found.name}
            self._repairs["tool_name"] += 1
        return message

    def _new_id(self) -> str:
        if self._taken is None:
            ids = [call.get("id") for message in self._messages for call in _calls(message)]
            self._taken = {call_id for call_id in ids if isinstance(call_id, str)}
        self._number += 1
        while placeholder_id(self._number) in self._taken:
            self._number += 1
        return placeholder_id(self._number)


_MILD = {"OA102": "", "OA103": "", "OA104": "", "OA106": "json_columns"}
"""Faults of a record of which nothing is left out when it is read all the same -> the repair that reading it is, if any."""


def understood(raw: Any, fmt: Format, repairs: Counter[str] | None = None) -> Conversation | FileSequence:
    """Return the conversation of a record, or its document, with its faults repaired; repairs are counted.

    Raises:
        FormatError: when it is none, with the place and the reason.
    """
    repairs = Counter() if repairs is None else repairs
    plain, faults = fmt.read(raw)
    for fault in faults:
        repairs[_MILD.get(fault.rule, "")] += 1
    del repairs[""]
    grave = [fault for fault in faults if fault.rule not in _MILD and not fault.path.endswith(".arguments")]
    try:
        if grave:
            raise FormatError(f"{grave[0].path}: {grave[0].message}")
        return plain if isinstance(plain, FileSequence) else conversation_of(repaired(plain, repairs))
    except FormatError as fault:
        first = next((f"{fault.path}: {fault.message}" for fault in faults), str(fault))
        raise FormatError(first) from None
    except RecursionError:
        raise FormatError("$: is nested too deep") from None


def repaired(plain: Any, repairs: Counter[str]) -> Any:
    """Return a plain record with its faults repaired; what was repaired is counted in `repairs`.

    Raises:
        FormatError: when a result answers no call.
    """
    messages = plain.get("messages") if isinstance(plain, dict) else None
    if not isinstance(messages, list):
        return plain
    repairer = _Repairer(messages, repairs)
    return plain | {"messages": [repairer.message(raw, f"$.messages[{i}]") for i, raw in enumerate(messages)]}


def _calls(message: Any) -> list[dict[str, Any]]:
    """Return the calls of a message that are objects, when all of them are."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    if not calls or not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        return []
    return calls
