"""Faults of structure: a part of a record is missing, misplaced or of a wrong type."""

import copy
from collections.abc import Callable
from typing import Any

from generator.core.seeds import Draw

Fault = Callable[[Any, Draw], str | None]
"""Changes a record in place; gives the rule that it breaks then, None when it does not apply."""


def _calling(record: Any) -> Any:
    return next((message for message in record["messages"] if message.get("tool_calls")), None)


def _results(record: Any) -> list[Any]:
    return [message for message in record["messages"] if message["role"] == "tool"]


def no_messages(record: Any, draw: Draw) -> str | None:
    """There are no messages, or they are not a list."""
    options: list[Any] = [[], {}, None, "hi", 3]
    record["messages"] = draw.choice(options)
    return "DF101"


def odd_message(record: Any, draw: Draw) -> str | None:
    """A message is not an object."""
    record["messages"][draw.below(len(record["messages"]))] = draw.choice(("hi", None, 3, []))
    return "DF102"


def odd_role(record: Any, draw: Draw) -> str | None:
    """A message has an unknown role."""
    record["messages"][0]["role"] = draw.choice(("function", "User", "", None, 1, ["user"]))
    return "DF102"


def odd_content(record: Any, draw: Draw) -> str | None:
    """The user's content is not a text."""
    record["messages"][0]["content"] = draw.choice((None, 3, True, {"text": "hi"}))
    return "DF103"


def odd_result(record: Any, draw: Draw) -> str | None:
    """A result is not a text."""
    results = _results(record)
    if not results:
        return None
    draw.choice(results)["content"] = draw.choice((None, 3, {"a": 1}))
    return "DF403"


def orphan_result(record: Any, draw: Draw) -> str | None:
    """A result answers a call that was never made."""
    results = _results(record)
    if not results:
        return None
    draw.choice(results)["tool_call_id"] = "abcdefgh9"
    return "DF401"


def missing_result(record: Any, draw: Draw) -> str | None:
    """A call is never answered."""
    results = _results(record)
    if not results:
        return None
    record["messages"].remove(draw.choice(results))
    return "DF402"


def result_first(record: Any, draw: Draw) -> str | None:
    """A result stands before its call."""
    results = _results(record)
    if not results:
        return None
    record["messages"].remove(results[0])
    record["messages"].insert(1, results[0])
    return "DF503"


def duplicate_id(record: Any, draw: Draw) -> str | None:
    """Two calls have the same id."""
    calls = _calling(record)["tool_calls"]
    if len(calls) < 2:
        return None
    calls[1]["id"] = calls[0]["id"]
    return "DF302"


def odd_calls(record: Any, draw: Draw) -> str | None:
    """`tool_calls` is not a list of calls."""
    _calling(record)["tool_calls"] = draw.choice(("f()", 3, {"f": 1}))
    return "DF107"


def odd_call(record: Any, draw: Draw) -> str | None:
    """A call holds no function."""
    calls = _calling(record)["tool_calls"]
    calls[0] = draw.choice((None, "f()", {"id": calls[0].get("id"), "type": "function"}, {"function": "f"}))
    return "DF108"


def odd_name(record: Any, draw: Draw) -> str | None:
    """A called function has no name."""
    _calling(record)["tool_calls"][0]["function"]["name"] = draw.choice(("", None, 3))
    return "DF110"


def odd_arguments(record: Any, draw: Draw) -> str | None:
    """Arguments are neither an object nor a text that holds one."""
    _calling(record)["tool_calls"][0]["function"]["arguments"] = draw.choice((None, 3, [], "[1]", "{", '"{}"'))
    return "DF201"


def unknown_tool(record: Any, draw: Draw) -> str | None:
    """A tool is called that is not declared."""
    _calling(record)["tool_calls"][0]["function"]["name"] = "no_such_tool"
    return "DF603"


def tool_twice(record: Any, draw: Draw) -> str | None:
    """A tool is declared twice."""
    if not isinstance(record.get("tools"), list) or not record["tools"]:
        return None
    record["tools"].append(copy.deepcopy(record["tools"][0]))
    return "DF602"


def odd_schema(record: Any, draw: Draw) -> str | None:
    """A tool declares parameters that are not a JSON Schema."""
    if not isinstance(record.get("tools"), list) or not record["tools"]:
        return None
    record["tools"][0]["function"]["parameters"] = {"type": draw.choice(("nope", 3, ["object", "nope"]))}
    return "DF604"


def two_users(record: Any, draw: Draw) -> str | None:
    """The user speaks twice in a row."""
    record["messages"].insert(0, {"role": "user", "content": "And?"})
    return "DF504"


def late_system(record: Any, draw: Draw) -> str | None:
    """A system message stands at the end."""
    record["messages"].append({"role": "system", "content": "Be brief."})
    return "DF501"


def no_answer(record: Any, draw: Draw) -> str | None:
    """The conversation ends with results."""
    if record["messages"][-1]["role"] != "assistant" or len(record["messages"]) < 3:
        return None
    record["messages"].pop()
    return "DF506"


_RECORD_FAULTS: tuple[Fault, ...] = (
    no_messages, odd_message, odd_role, odd_content, odd_result, orphan_result, missing_result, result_first, duplicate_id, odd_calls,
    odd_call, odd_name, odd_arguments, unknown_tool, tool_twice, odd_schema, two_users, late_system, no_answer,
)  # fmt: skip
RECORD_FAULTS: dict[str, Fault] = {fault.__name__: fault for fault in _RECORD_FAULTS}
"""Faults of structure by name."""


def swap_part(record: Any, draw: Draw) -> None:
    """A random part of the record is replaced by another value."""
    holders = [record]
    for part in holders:
        inner = part.values() if isinstance(part, dict) else part
        holders += [other for other in inner if isinstance(other, dict | list) and other]
    holder = draw.choice(holders)
    key = draw.choice(list(holder) if isinstance(holder, dict) else list(range(len(holder))))
    deep: Any = "x"
    for _ in range(draw.choice((3, 300))):
        deep = [deep]
    holder[key] = draw.choice((None, True, -1, 1e300, 2**70, "", "\u0000", "x" * 5000, [], {}, [[]], {"": {}}, deep))
