"""DeepSeek V3 and R1 (0324, 0528): calls as a name and a block of JSON between control tokens.

The text is what the template writes for rows in which calls are made once. Its second step of calls is broken (it opens
neither the calls nor the results again); here every step is written like the first. The template shows no tools: they
stand behind the system message, in words of this project, one JSON object a line. An empty system message is none.

Several calls of one turn stand one after another. There are no ids. Names of speakers are not carried.
Source: the chat template of deepseek-ai/DeepSeek-V3 as it is in trl and in DeepSeek-R1-0528.
"""

from typing import Any

from generator.conversation import Conversation, ToolCall
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts import deepseek_turns
from generator.formats.texts.deepseek_turns import (
    ASSISTANT,
    CALL,
    CALL_END,
    OUTPUTS,
    OUTPUTS_END,
    SEPARATOR,
    TOKENS,
    Call,
)
from generator.formats.texts.text import Guard, any_of, in_order, record_of, spaced_json, without_system
from generator.formats.texts.text_reader import Scanner, Transcript, read_record

_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_FAULTS = (("DS101", "A record is an object whose `text` is a conversation as the template of DeepSeek V3 writes it."),)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    deepseek_turns.check(conversation)
    return record_of(deepseek_turns.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "DS101", _read_text)


def _read_text(text: str) -> Transcript:
    return deepseek_turns.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, an empty system message as none."""
    return without_system(in_order(conversation), "")


def _write_call(call: ToolCall) -> str:
    return f"{CALL}function{SEPARATOR}{call.name}\n```json\n{spaced_json(call.arguments)}\n```{CALL_END}"


def _read_call(scanner: Scanner) -> Call:
    scanner.take(f"{CALL}function{SEPARATOR}")
    end = scanner.text.find("\n", scanner.at)
    name = scanner.text[scanner.at : end] if end > 0 else ""
    scanner.at += len(name)
    scanner.take("\n```json\n")
    start = scanner.at
    arguments = scanner.json()
    if not isinstance(arguments, dict):
        raise scanner.fault("arguments should be an object", start)
    scanner.take(f"\n```{CALL_END}")
    return name, arguments


_DIALECT = deepseek_turns.Dialect(
    header=ASSISTANT,
    outputs=OUTPUTS,
    outputs_end=OUTPUTS_END,
    between_calls="\n",
    write_call=_write_call,
    read_call=_read_call,
)
FORMAT = Format(
    name="deepseek_v3",
    about="DeepSeek V3 and R1: text with calls as a name and a block of JSON",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="absent", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("trl", "1.16.0", "template deepseekv3, for rows with one step of calls"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector deepseekv3"),
    ),
)
