"""What `deepseek_v3` and `deepseek_v31` have in common: turns of DeepSeek, and tools in the system text.

The templates of both show no tools at all, so the words that introduce them here are this project's.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, SystemMessage, ToolCall, ToolMessage, UserMessage
from generator.errors import CannotCarryError
from generator.formats.texts.text import Segment, tool_json
from generator.formats.texts.text_reader import Scanner, Transcript

BOS, END, USER, ASSISTANT = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"
CALLS, CALLS_END, CALL, CALL_END, SEPARATOR = (
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁sep｜>",
)
OUTPUTS, OUTPUTS_END, OUTPUT, OUTPUT_END = (
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁outputs▁end｜>",
    "<｜tool▁output▁begin｜>",
    "<｜tool▁output▁end｜>",
)
TOKENS = (
    BOS, END, USER, ASSISTANT, CALLS, CALLS_END, CALL, CALL_END, SEPARATOR, OUTPUTS, OUTPUTS_END, OUTPUT, OUTPUT_END,
    "<think>", "</think>",
)  # fmt: skip
TOOLS = "## Tools\n\nThe following functions can be called, one JSON object a line:"

Call = tuple[str, dict[str, Any]]


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """Where the two formats differ."""

    header: str
    """What stands before an answer to the user."""
    outputs: str
    outputs_end: str
    """Around the results of one step."""
    between_calls: str
    write_call: Callable[[ToolCall], str]
    read_call: Callable[[Scanner], Call]


def check(conversation: Conversation) -> None:
    """Refuse a system message that would be taken for the list of tools."""
    for i, message in enumerate(conversation.messages):
        if isinstance(message, SystemMessage) and TOOLS in message.content:
            raise CannotCarryError(f"$.messages[{i}].content: holds the words that introduce tools")


def write(conversation: Conversation, dialect: Dialect) -> Iterator[Segment]:
    """The text of a conversation whose calls and results are in order."""
    messages = list(conversation.messages)
    system = messages.pop(0).content if messages and isinstance(messages[0], SystemMessage) else None
    tools = "\n".join([TOOLS, *[tool_json(tool) for tool in conversation.tools]]) if conversation.tools else None
    yield BOS + "\n\n".join([part for part in (system, tools) if part is not None]), False
    for i, message in enumerate(messages):
        before = messages[i - 1] if i else None
        if isinstance(message, UserMessage):
            yield f"{USER}{message.content}", False
        elif isinstance(message, AssistantMessage):
            if not isinstance(before, ToolMessage):
                yield dialect.header, False
            yield _answer_text(message, dialect), message.train
        elif isinstance(message, ToolMessage):
            after = messages[i + 1] if i + 1 < len(messages) else None
            opening = "" if isinstance(before, ToolMessage) else dialect.outputs
            closing = "" if isinstance(after, ToolMessage) else dialect.outputs_end
            yield f"{opening}{OUTPUT}{message.content}{OUTPUT_END}{closing}", False


def _answer_text(message: AssistantMessage, dialect: Dialect) -> str:
    said = message.content or ""
    if not message.tool_calls:
        return said + END
    calls = dialect.between_calls.join([dialect.write_call(call) for call in message.tool_calls])
    return f"{said}{CALLS}{calls}{CALLS_END}{END}"


def read(scanner: Scanner, dialect: Dialect) -> Transcript:
    """The whole text; raises FormatError with position and reason."""
    transcript = Transcript()
    scanner.take(BOS)
    _read_system(scanner, transcript)
    after_results = False
    while not scanner.done:
        if scanner.accept(USER):
            transcript.say("user", scanner.plain())
            after_results = False
        elif scanner.sees(dialect.outputs + OUTPUT):
            _read_results(scanner, dialect, transcript)
            after_results = True
        elif after_results or scanner.accept(dialect.header):
            _read_answer(scanner, dialect, transcript)
            after_results = False
        else:
            raise scanner.fault(f"{USER}, {ASSISTANT} or results are expected here")
    return transcript


def _read_system(scanner: Scanner, transcript: Transcript) -> None:
    start = scanner.at
    said = scanner.plain()
    system, found, listed = said.rpartition(TOOLS)
    if found:
        transcript.tools = _read_tools(scanner, start + len(system) + len(TOOLS), scanner.at)
        if system and not system.endswith("\n\n"):
            raise scanner.fault("an empty line should stand before the words about tools", start + len(system))
        said = system.removesuffix("\n\n")
    if said:
        transcript.say("system", said)
    scanner.at = start + len(system) + len(found) + len(listed)


def _read_tools(scanner: Scanner, start: int, end: int) -> list[Any]:
    tools = []
    scanner.at = start
    while scanner.at < end:
        scanner.take("\n")
        tools.append(scanner.json())
    return tools


def _read_results(scanner: Scanner, dialect: Dialect, transcript: Transcript) -> None:
    scanner.take(dialect.outputs)
    while scanner.accept(OUTPUT):
        start = scanner.at
        content = scanner.plain()
        scanner.take(OUTPUT_END)
        if not transcript.result(content):
            raise scanner.fault("there is no call left that this could be the result of", start)
    scanner.take(dialect.outputs_end)


def _read_answer(scanner: Scanner, dialect: Dialect, transcript: Transcript) -> None:
    start = scanner.at
    said = scanner.plain()
    calls: list[Call] = []
    if scanner.accept(CALLS):
        calls.append(dialect.read_call(scanner))
        while not scanner.sees(CALLS_END):
            scanner.take(dialect.between_calls)
            calls.append(dialect.read_call(scanner))
        scanner.take(CALLS_END)
    scanner.take(END)
    transcript.answer(said, calls, (start, scanner.at))
