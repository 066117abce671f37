"""What `llama3_json` and `llama_pythonic` have in common: the turns and the system message of Llama 3."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, SystemMessage, Tool, ToolMessage, UserMessage
from generator.errors import CannotCarryError
from generator.formats.base import once_per_tool, tool_object
from generator.formats.texts.text import Segment, stated_day
from generator.formats.texts.text_reader import Scanner, Transcript

BOS, START, START_END, END = "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"
TOKENS = (BOS, START, START_END, END, "<|eom_id|>", "<|python_tag|>", "<|end_of_text|>", "<|finetune_right_pad_id|>")
USUAL_DAY = date(2024, 7, 26)
"""What the templates say when nobody tells them the day."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = re.compile(rf"[0-3][0-9] (?:{'|'.join(_MONTHS)}) [0-9]{{4}}\n\n")
_TOOL_BEGINS = '{\n    "type": "function",\n    "function": {'

Call = tuple[str, dict[str, Any]]


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """Where the two formats differ."""

    knowledge_ends: str
    words: str
    """What is said before the tools."""
    tools_for: str
    """The role of the turn that shows the tools: `system` or `user`."""
    default_system: str
    write_calls: Callable[[AssistantMessage], str]
    read_calls: Callable[[Scanner], list[Call] | None]
    """The calls that begin here, or None when this is not a turn with calls."""
    write_result: Callable[[str], str]
    read_result: Callable[[Scanner], str]


@once_per_tool
def tool_text(tool: Tool) -> str:
    """A declared tool, indented."""
    return json.dumps(tool_object(tool), ensure_ascii=False, indent=4)


def header(role: str) -> str:
    """The header of a turn."""
    return f"{START}{role}{START_END}\n\n"


def day_text(day: date) -> str:
    """`26 Jul 2024`, in any locale."""
    return f"{day.day:02} {_MONTHS[day.month - 1]} {day.year}"


def check(conversation: Conversation, dialect: Dialect) -> None:
    """Refuse what would be lost or mistaken."""
    first = True
    for i, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage) and message.tool_calls and message.content:
            raise CannotCarryError(f"$.messages[{i}].content: text beside calls, which the template drops")
        if first and not isinstance(message, SystemMessage):
            first = False
            if conversation.tools and not isinstance(message, UserMessage) and dialect.tools_for == "user":
                raise CannotCarryError(f"$.messages[{i}]: tools stand in the first user message, and there is none here")
        if (message.content or "").lstrip().startswith(_TOOL_BEGINS):
            raise CannotCarryError(f"$.messages[{i}].content: begins like a tool")


def write(conversation: Conversation, dialect: Dialect) -> Iterator[Segment]:
    """The text of a conversation whose calls and results are in order."""
    messages = list(conversation.messages)
    tools = [f"{tool_text(tool)}\n\n" for tool in conversation.tools]
    shown = "".join([dialect.words, *tools]) if tools else ""
    said = dialect.default_system
    if messages and isinstance(messages[0], SystemMessage):
        said = messages.pop(0).content or ""
    environment = "Environment: ipython\n" if tools else ""
    day = day_text(stated_day(conversation) or USUAL_DAY)
    dates = f"Cutting Knowledge Date: {dialect.knowledge_ends}\nToday Date: {day}\n\n"
    in_system = shown if dialect.tools_for == "system" else ""
    yield f"{BOS}{header('system')}{environment}{dates}{in_system}{said}{END}", False
    for i, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            yield header("assistant"), False
            body = dialect.write_calls(message) if message.tool_calls else message.content
            yield f"{body}{END}", message.train
        elif isinstance(message, ToolMessage):
            yield f"{header('ipython')}{dialect.write_result(message.content)}{END}", False
        else:
            in_user = shown if i == 0 and dialect.tools_for == "user" else ""
            yield f"{header('user')}{in_user}{message.content}{END}", False


def read(scanner: Scanner, dialect: Dialect) -> Transcript:
    """The whole text; raises FormatError with position and reason."""
    transcript = Transcript()
    scanner.take(BOS)
    scanner.take(header("system"))
    with_tools = scanner.accept("Environment: ipython\n")
    _read_dates(scanner, dialect)
    if with_tools and dialect.tools_for == "system":
        transcript.tools = _read_tools(scanner, dialect)
    said = scanner.plain()
    if said != dialect.default_system:
        transcript.say("system", said)
    scanner.take(END)
    if with_tools and dialect.tools_for == "user":
        scanner.take(header("user"))
        transcript.tools = _read_tools(scanner, dialect)
        transcript.say("user", scanner.plain())
        scanner.take(END)
    while not scanner.done:
        _read_turn(scanner, dialect, transcript)
    return transcript


def _read_dates(scanner: Scanner, dialect: Dialect) -> None:
    scanner.take(f"Cutting Knowledge Date: {dialect.knowledge_ends}\nToday Date: ")
    day = _DAY.match(scanner.text, scanner.at)
    if day is None:
        raise scanner.fault("a day such as '26 Jul 2024' and an empty line are expected here")
    scanner.at = day.end()


def _read_tools(scanner: Scanner, dialect: Dialect) -> list[Any]:
    scanner.take(dialect.words)
    tools = []
    while scanner.sees(_TOOL_BEGINS):
        tools.append(scanner.json())
        scanner.take("\n\n")
    return tools


def _read_turn(scanner: Scanner, dialect: Dialect, transcript: Transcript) -> None:
    begin = scanner.at
    if scanner.accept(header("user")):
        transcript.say("user", scanner.plain())
    elif scanner.accept(header("assistant")):
        start = scanner.at
        calls = dialect.read_calls(scanner)
        said = "" if calls else scanner.plain()
        transcript.answer(said, calls or [], (start, scanner.at + len(END)))
    elif scanner.accept(header("ipython")):
        if not transcript.result(dialect.read_result(scanner)):
            raise scanner.fault("there is no call left that this could be the result of", begin)
    else:
        raise scanner.fault("a turn (<|start_header_id|> and user, assistant or ipython) is expected here")
    scanner.take(END)
