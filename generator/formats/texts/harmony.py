"""Harmony, the text of gpt-oss: channels, tools as a TypeScript namespace, one call in a message.

    <|start|>assistant to=functions.get_time<|channel|>commentary <|constrain|>json<|message|>{"city": "Oslo"}<|call|>
    <|start|>functions.get_time to=assistant<|channel|>commentary<|message|>{"time":"15:30"}<|end|>
    <|start|>assistant<|channel|>final<|message|>It is 15:30.<|return|>

(without the line breaks.) The text is what openai-harmony renders for training; the model's chat template differs from
it (no `<|constrain|>`, results as JSON strings). The last answer ends with `<|return|>`, earlier ones with `<|end|>`.
The system message of the row is the developer's instructions; that of the format names the day that the row's own
states as `YYYY-MM-DD`, or none. An empty one is none. What is said beside a call is a message of the commentary channel.

Models and servers write and read the recipient of a call in two places (SGLang's parser only that behind the channel).
With `recipient: channel` it stands behind the channel:
`<|start|>assistant<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>...`. Reading takes both.

The model makes one call at a time, so calls made at once are written one after another, each with its result.
Tools are carried as their TypeScript is read again (`harmony_tools`): types, descriptions, choices and defaults.
There are no ids. Names of speakers and thoughts are not carried.
Source and consumer: openai-harmony 0.0.8.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, ToolMessage
from generator.core.errors import CannotCarryError
from generator.formats.format import Consumer, Format, Policy, Read
from generator.formats.steps import split_calls
from generator.formats.text import (
    Guard,
    RecordReading,
    Scanner,
    Segment,
    any_of,
    read_text_record,
    spaced_json,
    stated_day,
    text_record,
    with_results_in_order,
    without_added_system,
)
from generator.formats.tools_in_typescript import carried_tool, read_namespace, write_namespace
from generator.formats.wire.format import wire_format

_WIRE = wire_format("harmony")
_CHANNEL, _CONSTRAIN, _MESSAGE, _CALL, _START, _END, _RETURN = _WIRE.special
TOKENS = (_START, _CHANNEL, _MESSAGE, _END, _CALL, _RETURN, _CONSTRAIN, "<|endoftext|>", "<|startoftext|>")
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_FAULTS = (
    ("HA101", "A record is an object whose `text` is a conversation as openai-harmony renders it for training."),
)
_IDENTITY = "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
_CHANNELS = (
    "\nReasoning: medium\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message."
)
_TO_FUNCTIONS = "\nCalls to these tools must go to the commentary channel: 'functions'."
_INSTRUCTIONS = "# Instructions\n\n"
_NAMESPACE = "# Tools\n\n## functions\n\nnamespace functions {\n\n"
_TO_BEHIND = (_WIRE.call_pieces[0][1], _WIRE.call_pieces[2][1])
_TO_BEFORE = (_TO_BEHIND[0].removeprefix(f"{_CHANNEL}commentary"), f"{_CHANNEL}commentary{_TO_BEHIND[1]}")
"""What stands before and behind the name of the called tool, in the two orders."""
_DAY = re.compile(r"Current date: [0-9]{4}-[0-9]{2}-[0-9]{2}\n")


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    return _render(conversation, _TO_BEFORE)


def render_with_channel_first(conversation: Conversation) -> dict[str, Any]:
    """The record with the recipient of a call behind the channel."""
    return _render(conversation, _TO_BEHIND)


def _render(conversation: Conversation, call_header: tuple[str, str]) -> dict[str, Any]:
    _GUARD.check(conversation)
    for i, tool in enumerate(conversation.tools):
        if carried_tool(tool) is None:
            raise CannotCarryError(f"$.tools[{i}]: a tool that cannot be read back from its TypeScript")
    for i, message in enumerate(conversation.messages):
        if isinstance(message, SystemMessage) and "# Tools\n\n## functions" in message.content:
            raise CannotCarryError(f"$.messages[{i}].content: holds the words that introduce tools")
    return text_record(_write(carries(conversation), call_header))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_text_record(record, "HA101", _read_text)


def carries(conversation: Conversation) -> Conversation:
    """One numbered call in a message, results in their order, speakers without names, tools as they are read again."""
    ordered = without_added_system(split_calls(with_results_in_order(conversation)), "")
    return Conversation(messages=ordered.messages, tools=tuple([carried_tool(tool) or tool for tool in ordered.tools]))


# ------------------------------------------------------------------------------------------------------ writing


def _write(conversation: Conversation, call_header: tuple[str, str]) -> Iterator[Segment]:
    messages = list(conversation.messages)
    day = stated_day(conversation)
    date = f"Current date: {day.isoformat()}\n" if day else ""
    functions = _TO_FUNCTIONS if conversation.tools else ""
    yield f"{_START}system{_MESSAGE}{_IDENTITY}{date}{_CHANNELS}{functions}{_END}", False
    parts = []
    if messages and isinstance(messages[0], SystemMessage):
        parts.append(f"{_INSTRUCTIONS}{messages.pop(0).content}")
    if conversation.tools:
        parts.append(_NAMESPACE + write_namespace(conversation.tools))
    if parts:
        separator = "\n\n"
        yield f"{_START}developer{_MESSAGE}{separator.join(parts)}{_END}", False
    for i, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            yield f"{_START}assistant", False
            yield _answer_text(message, call_header, last=i + 1 == len(messages)), message.train
        elif isinstance(message, ToolMessage):
            head = f"{_START}functions.{message.name} to=assistant{_CHANNEL}commentary{_MESSAGE}"
            yield f"{head}{message.content}{_END}", False
        else:
            yield f"{_START}user{_MESSAGE}{message.content}{_END}", False


def _answer_text(message: AssistantMessage, call_header: tuple[str, str], *, last: bool) -> str:
    if not message.tool_calls:
        return f"{_CHANNEL}final{_MESSAGE}{message.content}{_RETURN if last else _END}"
    (call,) = message.tool_calls
    said = f"{_CHANNEL}commentary{_MESSAGE}{message.content}{_END}{_START}assistant" if message.content else ""
    before, behind = call_header
    return f"{said}{before}{call.name}{behind}{spaced_json(call.arguments)}{_CALL}"


# ------------------------------------------------------------------------------------------------------ reading


def _read_text(text: str) -> RecordReading:
    scanner, transcript = Scanner(text, _TOKEN), RecordReading()
    scanner.take(f"{_START}system{_MESSAGE}{_IDENTITY}")
    day = _DAY.match(text, scanner.at)
    scanner.at = day.end() if day else scanner.at
    scanner.take(_CHANNELS)
    scanner.accept(_TO_FUNCTIONS)
    scanner.take(_END)
    if scanner.accept(f"{_START}developer{_MESSAGE}"):
        _read_developer(scanner, transcript)
    while not scanner.done:
        scanner.take(_START)
        if scanner.accept(f"user{_MESSAGE}"):
            transcript.say("user", scanner.plain())
            scanner.take(_END)
        elif scanner.accept("assistant"):
            _read_answer(scanner, transcript)
        else:
            _read_result(scanner, transcript)
    return transcript


def _read_developer(scanner: Scanner, transcript: RecordReading) -> None:
    start = scanner.at
    said = scanner.plain()
    end = scanner.at
    instructions, found, _ = said.partition(_NAMESPACE)
    if found:
        transcript.tools = read_namespace(scanner, start + len(instructions) + len(found), end)
        if instructions and not instructions.endswith("\n\n"):
            raise scanner.fault("an empty line should stand before the tools", start + len(instructions))
        instructions = instructions.removesuffix("\n\n")
    scanner.at = end
    if instructions and not instructions.startswith(_INSTRUCTIONS):
        raise scanner.fault("'# Instructions' and an empty line are expected here", start)
    if instructions:
        transcript.say("system", instructions.removeprefix(_INSTRUCTIONS))
    scanner.take(_END)


def _read_answer(scanner: Scanner, transcript: RecordReading) -> None:
    start = scanner.at
    if scanner.accept(f"{_CHANNEL}final{_MESSAGE}"):
        said = scanner.plain()
        if not scanner.accept(_RETURN):
            scanner.take(_END)
        transcript.answer(said, [], (start, scanner.at))
        return
    said = ""
    if scanner.accept(f"{_CHANNEL}commentary{_MESSAGE}"):
        said = scanner.plain()
        scanner.take(f"{_END}{_START}assistant")
    before, behind = _TO_BEHIND if scanner.sees(_TO_BEHIND[0]) else _TO_BEFORE
    scanner.take(before)
    name = scanner.until(behind)
    at = scanner.at
    arguments = scanner.json()
    if not isinstance(arguments, dict):
        raise scanner.fault("arguments should be an object", at)
    scanner.take(_CALL)
    transcript.answer(said, [(name, arguments)], (start, scanner.at))


def _read_result(scanner: Scanner, transcript: RecordReading) -> None:
    start = scanner.at
    author = scanner.plain()
    name = author.removeprefix("functions.").removesuffix(" to=assistant")
    if author != f"functions.{name} to=assistant":
        raise scanner.fault("user, assistant or functions.NAME to=assistant is expected here", start)
    scanner.take(f"{_CHANNEL}commentary{_MESSAGE}")
    content = scanner.plain()
    scanner.take(_END)
    if not transcript.pending or transcript.pending[0]["function"]["name"] != name:
        raise scanner.fault(f"there is no call of {name} that this could be the result of", start)
    transcript.result(content)


FORMAT = Format(
    name="harmony",
    about="Harmony, the text of gpt-oss: channels, tools in TypeScript, one call in a message",
    page=__doc__,
    render=render,
    read=read,
    carries=carries,
    policy=Policy(
        parallel="split",
        no_content="absent",
        ids="none: calls are numbered",
        id_pattern=None,
        train="spans",
        refuses=TOKENS,
    ),
    faults=_FAULTS,
    options=(("recipient", "role"),),
    consumers=(Consumer("openai-harmony", "0.0.8", "rendering for training, and reading back what is learnt"),),
)
CHANNEL_FORMAT = msgspec.structs.replace(
    FORMAT,
    name="harmony-channel",
    about="the same with the recipient of a call behind the channel",
    render=render_with_channel_first,
    options=(("recipient", "channel"),),
    consumers=(
        Consumer("openai-harmony", "0.0.8", "reading back what is learnt"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector gpt_oss"),
    ),
)
