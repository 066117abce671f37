"""Files of rows with faults, for those who read data sets: JSON lines in every row format.

A case is a file of one to three rows. Most have one fault, and the case names the rule that it breaks (codes of
docs/rules.md), so that a reader can be tested on whether it refuses the file (`n`), reads it (`y`), or only survives
it (`i`).
"""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.core.exact_json import loads
from generator.core.seeds import Draw, call_id, stream_seed
from generator.corpus.case import Case, Mutation, Verdict
from generator.corpus.toolbox import TODAY, Usable, hard_sentence, usable_tools
from generator.formats import FORMATS, Format
from generator.recipe.corpus import CorpusRecipe

LINE = "DF100"
"""The rule that every line is one JSON value in UTF-8."""
LineChange = Callable[[bytes, Draw], bytes]


def _first_key(key: bytes, *values: bytes) -> LineChange:
    """Return a change that puts a key with one of these values before the others: `{"n":NaN,"messages":…`."""
    return lambda line, draw: b'{"%b":' % key + draw.choice(values) + b"," + line[1:]


def _with_bad_byte(line: bytes, draw: Draw) -> bytes:
    """Return a line with a byte that UTF-8 does not have, in a text."""
    at = line.index(b'":"') + 3 if b'":"' in line else 2
    return line[:at] + draw.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80")) + line[at:]


def _with_deep_list(line: bytes, draw: Draw) -> bytes:
    """Return a line with a value that is nested deeper than most readers go."""
    levels = draw.choice((200, 1100, 20000))
    return b'{"deep":' + b"[" * levels + b"]" * levels + b"," + line[1:]


LINE_FAULTS: dict[str, tuple[str | None, LineChange]] = {
    "cut_line": (LINE, lambda line, draw: line[: draw.between(1, len(line) - 2)] + b"\n"),  # it ends early
    "bad_utf8": (LINE, _with_bad_byte),
    "byte_order_mark": (None, lambda line, draw: b"\xef\xbb\xbf" + line),  # U+FEFF stands before a line
    "utf16": (LINE, lambda line, draw: line.decode().rstrip("\n").encode("utf-16") + b"\n"),
    "crlf": (None, lambda line, draw: line.rstrip(b"\n") + b"\r\n"),
    "spaces_around": (None, lambda line, draw: b" \t" + line.rstrip(b"\n") + b"  \n"),
    "blank_line": (LINE, lambda line, draw: line + draw.choice((b"\n", b"  \n", b"\t\n"))),
    "two_values": (LINE, lambda line, draw: line.rstrip(b"\n") + draw.choice((b" ", b",", b"")) + line),  # on one line
    "over_lines": (LINE, lambda line, draw: json.dumps(loads(line), indent=1).encode() + b"\n"),
    "trailing_comma": (LINE, lambda line, draw: line.rstrip(b"\n")[:-1] + b",}\n"),
    "python_text": (LINE, lambda line, draw: repr(loads(line)).encode() + b"\n"),  # a dict as `print` shows it
    "duplicate_key": (LINE, lambda line, draw: b"{%b:null," % json.dumps(next(iter(loads(line)))).encode() + line[1:]),
    # numbers that JSON does not have, or greater than any float
    "odd_number": (LINE, _first_key(b"n", b"NaN", b"Infinity", b"-Infinity", b"1e400", b"01", b"+1", b"1.")),
    "lone_surrogate": (LINE, _first_key(b"s", b'"\\ud83d"', b'"\\ude00"', b'"\\ud83dx"')),
    "raw_control_character": (LINE, _first_key(b"s", b'"\x00"', b'"\x01"', b'"\x1f"', b'"\t"')),
    "deep_nesting": (None, _with_deep_list),
    "huge_line": (None, _first_key(b"long", b'"%b"' % (b"x" * 2**16), b'"%b"' % (b"x" * 2**18))),  # longer than buffers
    "other_value": (
        None,
        lambda line, draw: draw.choice((b"null", b"[]", b"{}", b'"text"', b"3", b"true", b"[[[]]]")) + b"\n",
    ),
    "many_digits": (None, _first_key(b"n", b"9" * 25, b"9" * 400, b"9" * 5000)),  # more than Python reads
    "no_line_feed": (None, lambda line, draw: line.rstrip(b"\n")),  # at the end, or two lines are one
}
"""Faults of lines, by name: the rule that is broken, None where a reader may take it either way, and what makes the fault."""
HARMLESS = ("crlf", "spaces_around")
"""Those that change nothing of what a line says."""


Fault = Callable[[Any, Draw], str | None]
"""Changes a record in place; gives the rule that it breaks then, None when it does not apply."""
Holder = Callable[[Any, Draw], Any]
"""Gives the part of a record that is changed; None or empty where there is none."""


def _put(rule: str, holder: Holder, key: str | int, *values: Any) -> Fault:
    """Return a fault that puts one of these values at a key of a part of the record."""

    def change(record: Any, draw: Draw) -> str | None:
        """Put one of the values into the record; return the rule that it breaks then, or None where there is no such part."""
        value = draw.choice(values) if len(values) > 1 else values[0]
        part = holder(record, draw)
        if not part:
            return None
        part[key] = value
        return rule

    return change


def _calling(record: Any) -> Any:
    return next((message for message in record["messages"] if message.get("tool_calls")), None)


def _results(record: Any) -> list[Any]:
    return [message for message in record["messages"] if message["role"] == "tool"]


def _called_function(record: Any, draw: Draw) -> Any:
    return _calling(record)["tool_calls"][0]["function"]


def _first_message(record: Any, draw: Draw) -> Any:
    return record["messages"][0]


def _any_result(record: Any, draw: Draw) -> Any:
    results = _results(record)
    return draw.choice(results) if results else None


def _first_function(record: Any, draw: Draw) -> Any:
    """Return the function that the first tool declares."""
    tools = record.get("tools")
    return tools[0]["function"] if isinstance(tools, list) and tools else None


def odd_message(record: Any, draw: Draw) -> str | None:
    """A message is not an object."""
    record["messages"][draw.below(len(record["messages"]))] = draw.choice(("hi", None, 3, []))
    return "DF102"


def missing_result(record: Any, draw: Draw) -> str | None:
    """A call is never answered."""
    result = _any_result(record, draw)
    if result is None:
        return None
    record["messages"].remove(result)
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


def odd_call(record: Any, draw: Draw) -> str | None:
    """A call holds no function."""
    calls = _calling(record)["tool_calls"]
    calls[0] = draw.choice((None, "f()", {"id": calls[0].get("id"), "type": "function"}, {"function": "f"}))
    return "DF108"


def tool_twice(record: Any, draw: Draw) -> str | None:
    """A tool is declared twice."""
    if _first_function(record, draw) is None:
        return None
    record["tools"].append(copy.deepcopy(record["tools"][0]))
    return "DF602"


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


RECORD_FAULTS: dict[str, Fault] = {
    "no_messages": _put("DF101", lambda record, draw: record, "messages", [], {}, None, "hi", 3),
    "odd_message": odd_message,
    "odd_role": _put("DF102", _first_message, "role", "function", "User", "", None, 1, ["user"]),
    "odd_content": _put("DF103", _first_message, "content", None, 3, True, {"text": "hi"}),
    "odd_result": _put("DF403", _any_result, "content", None, 3, {"a": 1}),
    "orphan_result": _put("DF401", _any_result, "tool_call_id", "abcdefgh9"),  # of a call that was never made
    "missing_result": missing_result,
    "result_first": result_first,
    "duplicate_id": duplicate_id,
    "odd_calls": _put("DF107", lambda record, draw: _calling(record), "tool_calls", "f()", 3, {"f": 1}),
    "odd_call": odd_call,
    "odd_name": _put("DF110", _called_function, "name", "", None, 3),
    "odd_arguments": _put("DF201", _called_function, "arguments", None, 3, [], "[1]", "{", '"{}"'),
    "unknown_tool": _put("DF603", _called_function, "name", "no_such_tool"),
    "tool_twice": tool_twice,
    "odd_schema": _put(
        "DF604", _first_function, "parameters", {"type": "nope"}, {"type": 3}, {"type": ["object", "nope"]}
    ),
    "two_users": two_users,
    "late_system": late_system,
    "no_answer": no_answer,
}
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


LIKE_MESSAGES = ("deepfabric", "deepfabric-string", "openai", "trl")
"""Formats whose records have `messages` with `role` and `tool_calls`, into which faults of structure are put."""


@cache
def row_formats() -> tuple[str, ...]:
    """Return names of the formats that files of rows are made in: records, not text, that hold calls."""
    return tuple(name for name, fmt in FORMATS.items() if fmt.policy.train != "spans" and _carries_calls(fmt))


def _carries_calls(fmt: Format) -> bool:
    """Whether the format holds a call of a tool."""
    tool = Tool(name="ping", description="Ping.", parameters={"type": "object", "properties": {}})
    request: tuple[Message, ...] = (
        UserMessage("Ping."),
        AssistantMessage(tool_calls=(ToolCall("abcdefgh1", "ping", {}),)),
    )
    answered = (*request, ToolMessage("abcdefgh1", "pong", "ping"), AssistantMessage("Done."))
    try:
        fmt.render(Conversation(answered if fmt.policy.requests == "any" else request, (tool,)))
    except CannotCarryError:
        return False
    return True


class FileMaker:
    """Makes the files of one recipe and row format."""

    def __init__(self, recipe: CorpusRecipe, tools: dict[str, Usable], fmt: Format) -> None:
        self.fmt = fmt
        self.seed = recipe.seed
        self.tools = [
            usable_tool
            for usable_tool in tools.values()
            if usable_tool.usual
            and usable_tool.tool.description
            and usable_tool.tool.parameters
            and usable_tool.is_api_name
        ]


def file_makers(recipe: CorpusRecipe) -> list[FileMaker]:
    """Return a maker for each row format of the recipe."""
    names = [name for name in recipe.formats if name in row_formats()]
    tools = usable_tools(recipe) if names else {}
    return [FileMaker(recipe, tools, FORMATS[name]) for name in names]


def make_file(maker: FileMaker, index: int) -> Case:
    """Return the file with that index."""
    draw = Draw(stream_seed("corpus", maker.seed, maker.fmt.name, index), TODAY)
    records = [_record(maker, draw) for _ in range(draw.between(1, 3))]
    index_of_faulty = draw.below(len(records))
    share = draw.rand()
    if share < 0.2:
        return _case(maker, index, _lines(records), "y", "valid", None)
    if share < 0.6 and maker.fmt.name in LIKE_MESSAGES:
        name = draw.choice(tuple(RECORD_FAULTS))
        rule = RECORD_FAULTS[name](records[index_of_faulty], draw)
        waived = rule is not None and rule in maker.fmt.waives
        if rule is not None and not waived:
            return _case(maker, index, _lines(records), "n", name, _own_code(maker.fmt, name, rule))
        return _case(maker, index, _lines(records), "i", name, None)
    if share < 0.75:
        swap_part(records[index_of_faulty], draw)
        return _case(maker, index, _lines(records), "i", "swap_part", None)
    name = draw.choice(tuple(LINE_FAULTS))
    lines = [_line(record) for record in records]
    rule, change = LINE_FAULTS[name]
    lines[index_of_faulty] = change(lines[index_of_faulty], draw)
    return _case(maker, index, b"".join(lines), "n" if rule else "y" if name in HARMLESS else "i", name, rule)


def _own_code(fmt: Format, name: str, rule: str) -> str:
    """Return the code of the format's own rule for arguments of a wrong type, where the format encodes them."""
    if rule == "DF201" and fmt.name == "openai":
        return "OA101"
    return "TR101" if rule == "DF201" and fmt.name == "trl" else rule


def _case(maker: FileMaker, index: int, data: bytes, verdict: Verdict, name: str, rule: str | None) -> Case:
    """Return the case of a file of rows with one fault, `name`, and the rule that it breaks, if it breaks one."""
    mutations = () if name == "valid" else (Mutation(name, arg=rule),)
    return Case(
        id=f"{name}-{index:06d}", format=maker.fmt.name, verdict=verdict, text=data, oracle=None, mutations=mutations
    )


def _line(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _lines(records: list[Any]) -> bytes:
    return b"".join([_line(record) for record in records])


def _record(maker: FileMaker, draw: Draw) -> Any:
    """Return a valid record; formats that hold only one turn get a conversation of one request and its calls."""
    for _ in range(20):
        try:
            record = maker.fmt.render(_conversation(maker, draw))
        except CannotCarryError:
            continue
        return loads(json.dumps(record))
    return loads(json.dumps(maker.fmt.render(_conversation(maker, draw, calls=1))))


def _conversation(maker: FileMaker, draw: Draw, calls: int = 0) -> Conversation:
    """Return a conversation of one request, its calls (one to three, or so many) and results."""
    called_tools = [draw.choice(maker.tools) for _ in range(calls or draw.between(1, 3))]
    called_tools = called_tools[:1] if maker.fmt.policy.parallel != "ok" else called_tools
    tool_calls = tuple([ToolCall(call_id(draw.rand), tool.tool.name, draw.choice(tool.usual)) for tool in called_tools])
    messages: list[Message] = [
        UserMessage(f"Please do this: {', '.join(call.name for call in tool_calls)}."),
        AssistantMessage(tool_calls=tool_calls),
    ]
    if maker.fmt.policy.requests == "any":
        messages += [ToolMessage(call.id, '{"status": "ok"}', call.name) for call in tool_calls]
        messages.append(AssistantMessage(hard_sentence(draw)))
    return Conversation(tuple(messages), tuple({tool.tool.name: tool.tool for tool in called_tools}.values()))
