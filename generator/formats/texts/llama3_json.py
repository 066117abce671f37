"""Llama 3.1, 3.2 and 3.3: one call in a turn, as `{"name": ..., "parameters": {...}}`.

The text is what the templates of Llama 3.1 and 3.2 write, with `<|begin_of_text|>` before it. Tools stand in the first
user message. The day in the system message is the one that the row's own states as `YYYY-MM-DD`, or 26 Jul 2024, the
templates' own. Results are JSON strings in turns of the role `ipython`.

The models make one call at a time and the templates refuse more, so calls made at once are written one after another,
each followed by its result. Text beside calls is refused, because the templates drop it. White space around what is
said is left out, and an empty system message is none. An answer that is itself JSON like a call is refused.
There are no ids. Names of speakers are not carried.
Source: the chat templates of meta-llama/Llama-3.1-8B-Instruct and meta-llama/Llama-3.2-3B-Instruct.
"""

from typing import Any

from generator.conversation import AssistantMessage, Conversation
from generator.errors import CannotCarryError
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.steps import split_calls
from generator.formats.texts import llama_turns
from generator.formats.texts.llama_turns import TOKENS, Call
from generator.formats.texts.text import (
    Guard,
    any_of,
    in_order,
    record_of,
    spaced_json,
    without_system,
)
from generator.formats.texts.text_reader import Scanner, Transcript, read_call, read_record

_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN, text_of=llama_turns.tool_text)
_FAULTS = (("LJ101", "A record is an object whose `text` is a conversation as the templates of Llama 3.1 write it."),)
_CALL_BEGINS = '{"name": "'


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    llama_turns.check(conversation, _DIALECT)
    for i, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage) and (message.content or "").lstrip().startswith(_CALL_BEGINS):
            raise CannotCarryError(f"$.messages[{i}].content: begins like a call")
    return record_of(llama_turns.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "LJ101", _read_text)


def _read_text(text: str) -> Transcript:
    return llama_turns.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """One numbered call in a turn, results in their order, speakers without names, no white space around words."""
    return without_system(split_calls(in_order(conversation, trims=True)), "")


def _write_call(message: AssistantMessage) -> str:
    (call,) = message.tool_calls
    return f'{{"name": "{call.name}", "parameters": {spaced_json(call.arguments)}}}'


def _read_call(scanner: Scanner) -> list[Call] | None:
    return [read_call(scanner, "parameters")] if scanner.sees(_CALL_BEGINS) else None


def _read_result(scanner: Scanner) -> str:
    start = scanner.at
    content = scanner.json()
    return content if isinstance(content, str) else scanner.text[start : scanner.at]


_DIALECT = llama_turns.Dialect(
    knowledge_ends="December 2023",
    words=(
        "Given the following functions, please respond with a JSON for a function call with its proper arguments that "
        'best answers the given prompt.\n\nRespond in the format {"name": function name, "parameters": dictionary of '
        "argument name and its value}.Do not use variables.\n\n"
    ),
    tools_for="user",
    default_system="",
    write_calls=_write_call,
    read_calls=_read_call,
    write_result=spaced_json,
    read_result=_read_result,
)
FORMAT = Format(
    name="llama3_json",
    about="Llama 3.1 to 3.3: text with one JSON call in a turn",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(
        parallel="split",
        text_beside_calls="reject",
        no_content="absent",
        ids="none: calls are numbered", id_pattern=None,
        train="spans",
        refuses=TOKENS,
    ),
    faults=_FAULTS,
    consumers=(
        Consumer("trl", "1.16.0", "templates llama3_1 and llama3_2"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector llama32"),
    ),
)
