"""The columns of a format's records, for containers with typed columns.

The top-level keys of records depend on the conversation (no tools, no `tools` key), but a table's columns must be
the same in all of its files. So they are found by writing small conversations that use every key of the format.
"""

from contextlib import suppress
from functools import cache
from typing import Any, Literal

from generator.core.claims import Proof
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Rejected,
    Row,
    SystemMessage,
    Thoughts,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS

Column = Literal["text", "flag", "json"]
"""A string, a boolean, or any other JSON value as JSON text."""

_TOOL = Tool(
    name="get_time",
    description="The time in a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string", "description": "City"}},
        "required": ["city"],
    },
)


@cache
def columns_of(format_name: str) -> dict[str, Column]:
    """Return the keys of the format's records, in order, and what each holds."""
    columns: dict[str, Column] = {}
    for record in example_records(format_name):
        for key, value in record.items():
            kind = _column_type(value)
            columns[key] = kind if columns.get(key, kind) == kind else "json"
    label = FORMATS[format_name].label
    if label is not None:
        row = Row(index=0, scenario="", conversation=Conversation(messages=()), proof=Proof(), family=0)
        columns |= {key: _column_type(value) for key, value in label(row).items()}
    return columns


def example_records(format_name: str) -> list[dict[str, Any]]:
    """Small records in which every key that the format writes occurs."""
    records = []
    for conversation in _example_conversations():
        with suppress(CannotCarryError):
            records.append(FORMATS[format_name].render(conversation))
    return records


def is_text(format_name: str) -> bool:
    """Whether a record of the format is a text (with or without notes beside it)."""
    return columns_of(format_name).get("text") == "text"


def _column_type(value: Any) -> Column:
    """Return what kind of column holds a value."""
    if isinstance(value, str):
        return "text"
    return "flag" if isinstance(value, bool) else "json"


def _example_conversations() -> list[Conversation]:
    """Return conversations that together use every key of a format: system, calls, results, thoughts, no tools."""
    system, user = SystemMessage(content="Be brief."), UserMessage(content="What time is it in Oslo?")
    call = ToolCall(id="a1b2c3d4e", name="get_time", arguments={"city": "Oslo"})
    answered: tuple[Message, ...] = (
        user,
        AssistantMessage(tool_calls=(call,)),
        ToolMessage(tool_call_id=call.id, name="get_time", content='{"time":"15:30"}'),
        AssistantMessage(content="It is 15:30."),
    )
    thinking = AssistantMessage(content="It is 15:30.", thoughts=Thoughts(reason="As it says."))
    wrong = Rejected(AssistantMessage(content="Which city?"), "question_instead_of_call")
    return [
        Conversation(messages=(system, *answered), tools=(_TOOL,)),
        Conversation(messages=(*answered[:-1], thinking), tools=(_TOOL,)),
        Conversation(messages=answered[:2], tools=(_TOOL,)),
        Conversation(messages=(*answered[:-1], AssistantMessage(content="Half past.", train=False)), tools=(_TOOL,)),
        Conversation(
            messages=(user, AssistantMessage(content="Half past three.")),
        ),
        Conversation(messages=answered[:2], tools=(_TOOL,), rejected=wrong),
    ]
