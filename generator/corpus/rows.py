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
from generator.corpus.toolbox import TODAY, Usable, hard_sentence, load_tools, usable
from generator.formats import FORMATS, Format
from generator.recipe.corpus import CorpusRecipe

LINE = "DF100"
"""The rule that every line is one JSON value in UTF-8."""
LineFault = Callable[[bytes, Draw], tuple[bytes, str | None]]
"""Changes a line; gives the rule that it breaks, None where a reader may take it either way."""


def cut_line(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line ends early."""
    return line[: draw.between(1, len(line) - 2)] + b"\n", LINE


def bad_utf8(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A byte that UTF-8 does not have stands in a text."""
    at = line.index(b'":"') + 3 if b'":"' in line else 2
    return line[:at] + draw.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80")) + line[
        at:
    ], LINE


def byte_order_mark(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """U+FEFF stands before a line."""
    return b"\xef\xbb\xbf" + line, None


def utf16(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is UTF-16."""
    return line.decode().rstrip("\n").encode("utf-16") + b"\n", LINE


def crlf(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line ends with CR LF."""
    return line.rstrip(b"\n") + b"\r\n", None


def spaces_around(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """White space stands around a value."""
    return b" \t" + line.rstrip(b"\n") + b"  \n", None


def blank_line(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is blank."""
    return line + draw.choice((b"\n", b"  \n", b"\t\n")), LINE


def two_values(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """Two values stand on one line."""
    return line.rstrip(b"\n") + draw.choice((b" ", b",", b"")) + line, LINE


def over_lines(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A value stands on many lines."""
    return json.dumps(loads(line), indent=1).encode() + b"\n", LINE


def trailing_comma(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A comma stands behind the last key."""
    return line.rstrip(b"\n")[:-1] + b",}\n", LINE


def python_text(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is a Python dict as `print` shows it, not JSON."""
    return repr(loads(line)).encode() + b"\n", LINE


def duplicate_key(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A key stands twice."""
    return b"{" + json.dumps(next(iter(loads(line)))).encode() + b":null," + line[1:], LINE


def odd_number(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A number that JSON does not have, or one greater than any float."""
    return b'{"n":' + draw.choice((b"NaN", b"Infinity", b"-Infinity", b"1e400", b"01", b"+1", b"1.")) + b"," + line[
        1:
    ], LINE


def lone_surrogate(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """Half a surrogate pair, escaped."""
    return b'{"s":"' + draw.choice((b"\\ud83d", b"\\ude00", b"\\ud83dx")) + b'",' + line[1:], LINE


def raw_control_character(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A control character stands in a text as it is."""
    return b'{"s":"' + draw.choice((b"\x00", b"\x01", b"\x1f", b"\t")) + b'",' + line[1:], LINE


def deep_nesting(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A value is nested deeper than most readers go."""
    levels = draw.choice((200, 1100, 20000))
    return b'{"deep":' + b"[" * levels + b"]" * levels + b"," + line[1:], None


def huge_line(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is longer than usual buffers."""
    return b'{"long":"' + b"x" * draw.choice((2**16, 2**18)) + b'",' + line[1:], None


def other_value(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is a JSON value, but not a record."""
    return draw.choice((b"null", b"[]", b"{}", b'"text"', b"3", b"true", b"[[[]]]")) + b"\n", None


def many_digits(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A whole number has more digits than Python reads."""
    return b'{"n":' + b"9" * draw.choice((25, 400, 5000)) + b"," + line[1:], None


def no_line_feed(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """The last line has no line feed (or two lines are one)."""
    return line.rstrip(b"\n"), None


_LINE_FAULTS: tuple[LineFault, ...] = (
    cut_line, bad_utf8, byte_order_mark, utf16, crlf, spaces_around, blank_line, two_values, over_lines, trailing_comma, python_text,
    duplicate_key, odd_number, lone_surrogate, raw_control_character, deep_nesting, huge_line, other_value, many_digits, no_line_feed,
)  # fmt: skip
LINE_FAULTS: dict[str, LineFault] = {fault.__name__: fault for fault in _LINE_FAULTS}
"""Faults of lines by name."""
HARMLESS = ("crlf", "spaces_around")
"""Those that change nothing of what a line says."""


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


LIKE_MESSAGES = ("deepfabric", "deepfabric-string", "openai", "trl")
"""Formats whose records have `messages` with `role` and `tool_calls`, into which faults of structure are put."""


@cache
def row_formats() -> tuple[str, ...]:
    """Return names of the formats that files of rows are made in: records, not text, that hold calls."""
    return tuple(name for name, fmt in FORMATS.items() if fmt.policy.train != "spans" and _carries_calls(fmt))


def _carries_calls(fmt: Format) -> bool:
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
            known
            for known in tools.values()
            if known.usual and known.tool.description and known.tool.parameters and known.is_api_name
        ]


def file_makers(recipe: CorpusRecipe) -> list[FileMaker]:
    """Return a maker for each row format of the recipe."""
    names = [name for name in recipe.formats if name in row_formats()]
    tools = {name: usable(spec, recipe.seed) for name, spec in load_tools(recipe).items()} if names else {}
    return [FileMaker(recipe, tools, FORMATS[name]) for name in names]


def make_file(maker: FileMaker, index: int) -> Case:
    """Return the file with that index."""
    draw = Draw(stream_seed("corpus", maker.seed, maker.fmt.name, index), TODAY)
    records = [_record(maker, draw) for _ in range(draw.between(1, 3))]
    place = draw.below(len(records))
    kind = draw.rand()
    if kind < 0.2:
        return _case(maker, index, _lines(records), "y", "valid", None)
    if kind < 0.6 and maker.fmt.name in LIKE_MESSAGES:
        name = draw.choice(tuple(RECORD_FAULTS))
        rule = RECORD_FAULTS[name](records[place], draw)
        waived = rule is not None and rule in maker.fmt.waives
        if rule is not None and not waived:
            return _case(maker, index, _lines(records), "n", name, _own_code(maker.fmt, name, rule))
        return _case(maker, index, _lines(records), "i", name, None)
    if kind < 0.75:
        swap_part(records[place], draw)
        return _case(maker, index, _lines(records), "i", "swap_part", None)
    name = draw.choice(tuple(LINE_FAULTS))
    lines = [_line(record) for record in records]
    lines[place], rule = LINE_FAULTS[name](lines[place], draw)
    return _case(maker, index, b"".join(lines), "n" if rule else "y" if name in HARMLESS else "i", name, rule)


def _own_code(fmt: Format, name: str, rule: str) -> str:
    """Return the code of the format's own rule for arguments of a wrong type, where the format encodes them."""
    if rule == "DF201" and fmt.name == "openai":
        return "OA101"
    return "TR101" if rule == "DF201" and fmt.name == "trl" else rule


def _case(maker: FileMaker, index: int, data: bytes, verdict: Verdict, name: str, rule: str | None) -> Case:
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
            made = maker.fmt.render(_conversation(maker, draw))
        except CannotCarryError:
            continue
        return loads(json.dumps(made))
    return loads(json.dumps(maker.fmt.render(_conversation(maker, draw, calls=1))))


def _conversation(maker: FileMaker, draw: Draw, calls: int = 0) -> Conversation:
    known = [draw.choice(maker.tools) for _ in range(calls or draw.between(1, 3))]
    known = known[:1] if maker.fmt.policy.parallel != "ok" else known
    made = tuple([ToolCall(call_id(draw.rand), tool.tool.name, draw.choice(tool.usual)) for tool in known])
    messages: list[Message] = [
        UserMessage(f"Please do this: {', '.join(call.name for call in made)}."),
        AssistantMessage(tool_calls=made),
    ]
    if maker.fmt.policy.requests == "any":
        messages += [ToolMessage(call.id, '{"status": "ok"}', call.name) for call in made]
        messages.append(AssistantMessage(hard_sentence(draw)))
    return Conversation(tuple(messages), tuple({tool.tool.name: tool.tool for tool in known}.values()))
