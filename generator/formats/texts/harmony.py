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
Tools are carried as their TypeScript is read again: types, descriptions, choices and defaults.
There are no ids. Names of speakers and thoughts are not carried.
Source and consumer: openai-harmony 0.0.8.
"""

import re

import msgspec

from generator.core.conversation import Conversation, ToolCall
from generator.formats.dialect import Around, CallSyntax, Dialect, Preamble, ReadCall, ToolList, format_of
from generator.formats.format import Consumer
from generator.formats.text import Scanner, spaced_json, stated_day
from generator.formats.tools_in_typescript import carried_tool, read_tool, write_tool
from generator.formats.wire.format import wire_format

_WIRE = wire_format("harmony")
_CHANNEL, _CONSTRAIN, _MESSAGE, _CALL, _START, _END, _RETURN = _WIRE.special
_CHANNELS = (
    "\nReasoning: medium\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message."
)
_TO_FUNCTIONS = "\nCalls to these tools must go to the commentary channel: 'functions'."
_TO_BEHIND = (_WIRE.call_pieces[0][1], _WIRE.call_pieces[2][1])
_TO_BEFORE = (_TO_BEHIND[0].removeprefix(f"{_CHANNEL}commentary"), f"{_CHANNEL}commentary{_TO_BEHIND[1]}")
"""What stands before and behind the name of the called tool, in the two orders."""
_DAY = re.compile(r"Current date: [0-9]{4}-[0-9]{2}-[0-9]{2}\n")


def _write_head(conversation: Conversation) -> str:
    day = stated_day(conversation)
    date = f"Current date: {day.isoformat()}\n" if day else ""
    return f"{date}{_CHANNELS}{_TO_FUNCTIONS if conversation.tools else ''}{_END}"


def _read_head(scanner: Scanner) -> None:
    scanner.match(_DAY)
    scanner.take(_CHANNELS)
    scanner.accept(_TO_FUNCTIONS)
    scanner.take(_END)


def _read_call(scanner: Scanner, _: object) -> list[ReadCall]:
    before, behind = _TO_BEHIND if scanner.sees(_TO_BEHIND[0]) else _TO_BEFORE
    scanner.take(before)
    name = scanner.until(behind)
    at = scanner.at
    arguments = scanner.json()
    if not isinstance(arguments, dict):
        raise scanner.fault("arguments should be an object", at)
    scanner.take(_CALL)
    return [(name, arguments, "")]


def _calls(before: str, behind: str) -> CallSyntax:
    """Return the syntax of a call with this before and behind its name; both orders are read."""

    def write(calls: tuple[ToolCall, ...], _: int) -> str:
        (call,) = calls
        return f"{before}{call.name}{behind}{spaced_json(call.arguments)}{_CALL}"

    return CallSyntax(begins=before, write=write, read=_read_call)


HARMONY = Dialect(
    name="harmony",
    about="Harmony, the text of gpt-oss: channels, tools in TypeScript, one call in a message",
    page=__doc__,
    fault=("HA101", "A record is an object whose `text` is a conversation as openai-harmony renders it for training."),
    tokens=(_START, _CHANNEL, _MESSAGE, _END, _CALL, _RETURN, _CONSTRAIN, "<|endoftext|>", "<|startoftext|>"),
    consumers=(Consumer("openai-harmony", "0.0.8", "rendering for training, and reading back what is learnt"),),
    begin=(
        f"{_START}system{_MESSAGE}You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
    ),
    after_begin=Preamble(_write_head, _read_head),
    system=Around(f"{_START}developer{_MESSAGE}", _END),
    before_system="# Instructions\n\n",
    later_system=False,
    empty_system=False,
    tools=ToolList(
        place="after system",
        gap="\n\n",
        before="# Tools\n\n## functions\n\nnamespace functions {\n\n",
        words="# Tools\n\n## functions",
        begins="",
        write=write_tool,
        read=read_tool,
        after="} // namespace functions",
        carried=carried_tool,
    ),
    user=Around(f"{_START}user{_MESSAGE}", _END),
    answer=f"{_START}assistant",
    alone=_WIRE.alone.removesuffix("$text"),
    beside=Around(*_WIRE.before.split("$text")),
    calls=_calls(*_TO_BEFORE),
    end=_END,
    end_after_calls="",
    end_last=_RETURN,
    results=Around(""),
    result=Around(f"{_START}functions.$name to=assistant{_CHANNEL}commentary{_MESSAGE}", _END),
    parallel="split",
    no_content="absent",
    turn=_START,
    turns="user, assistant or functions.NAME to=assistant",
)
FORMAT = msgspec.structs.replace(format_of(HARMONY), options=(("recipient", "role"),))
_CHANNEL_FIRST = msgspec.structs.replace(
    HARMONY,
    name="harmony-channel",
    about="the same with the recipient of a call behind the channel",
    calls=_calls(*_TO_BEHIND),
    consumers=(
        Consumer("openai-harmony", "0.0.8", "reading back what is learnt"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector gpt_oss"),
    ),
)
CHANNEL_FORMAT = msgspec.structs.replace(format_of(_CHANNEL_FIRST), options=(("recipient", "channel"),))
