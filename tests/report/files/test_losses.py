"""Whatever a format does not carry has a name."""

import msgspec
import pytest
from examples import examples
from hypothesis import HealthCheck, example, given, settings
from nightly import one_in
from strategies import conversations, requests

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS, Format
from generator.formats.steps import NO_PARAMETERS
from generator.report.files.losses import lost_between, unread_keys


def plainly(talk: Conversation) -> Conversation:
    """Without differences that mean nothing: no text and empty text, no schema and an empty one, a result without a name
    and with that of the called tool."""
    called = {c.id: c.name for m in talk.messages if isinstance(m, AssistantMessage) for c in m.tool_calls}
    messages = [_plain_message(message, called) for message in talk.messages]
    tools = [
        msgspec.structs.replace(
            tool, description=tool.description or None, parameters=_without_emptiness(tool.parameters or NO_PARAMETERS)
        )
        for tool in talk.tools
    ]
    return Conversation(messages=tuple(m for m in messages if m.content or not _says_nothing(m)), tools=tuple(tools))


def _plain_message(message: Message, called: dict[str, str]) -> Message:
    if isinstance(message, AssistantMessage):
        return msgspec.structs.replace(message, content=message.content or "")
    if isinstance(message, ToolMessage) and message.name is None:
        return msgspec.structs.replace(message, name=called.get(message.tool_call_id))
    return message


def _without_emptiness(schema: dict) -> dict:
    return {key: value for key, value in schema.items() if value not in ([], {})}


def _says_nothing(message: object) -> bool:
    return type(message).__name__ == "SystemMessage"


CALLED = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", "f", {}), ToolCall("aaaaaaaa2", "f", {})))
ANSWERED_IN_ANOTHER_ORDER = Conversation(
    messages=(
        UserMessage(content="Hi"),
        CALLED,
        ToolMessage(tool_call_id="aaaaaaaa2", content="the same"),
        ToolMessage(tool_call_id="aaaaaaaa1", content="the same"),
        AssistantMessage(content="Done."),
    )
)
DESCRIBED_WITH_SPACES = Conversation(
    messages=(UserMessage(content="Hi"), AssistantMessage(content="Hello.")),
    tools=(Tool(name="f", description=" A tool. "),),
)
LEARNT_BUT_THE_LAST = Conversation(
    messages=(
        UserMessage(content="Hi"),
        AssistantMessage(content="Hello."),
        AssistantMessage(content="So?", train=False),
    )
)


@given(talk=conversations() | requests())
@example(talk=ANSWERED_IN_ANOTHER_ORDER)
@example(talk=DESCRIBED_WITH_SPACES)
@example(talk=LEARNT_BUT_THE_LAST)
def test_nothing_is_lost_without_a_name(talk: Conversation):
    for fmt in FORMATS.values():
        try:
            carried = fmt.carries(talk)
        except CannotCarryError:
            continue
        lost = list(lost_between(talk, carried))
        if plainly(carried) != plainly(talk):
            assert lost, fmt.name
        if carried == talk:
            assert lost == []


@pytest.mark.parametrize(
    ("name", "raw", "keys"),
    [
        ("openai", {"messages": [], "metadata": {"a": 1}}, ["`metadata`"]),
        ("openai", {"messages": [{"role": "user", "mood": "x", "name": None}]}, ["`messages[].mood`"]),
        ("openai", {"messages": [{"role": "user", "refusal": None, "weight": 1}], "metadata": {}}, []),
        ("sharegpt", {"conversations": [{"from": "human", "value": "Hi", "loss": 1}], "score": 3}, ["`score`", "`conversations[].loss`"]),
        ("openai", [], []),
    ],
)  # fmt: skip
def test_keys_that_are_not_read_are_told(name: str, raw: object, keys: list[str]):
    assert list(unread_keys(raw, FORMATS[name])) == keys


@pytest.mark.parametrize("fmt", one_in(3, FORMATS.values()), ids=FORMATS)
@given(talk=conversations() | requests())
@settings(max_examples=examples(5), suppress_health_check=list(HealthCheck))
def test_every_key_that_a_format_writes_is_one_it_knows(fmt: Format, talk: Conversation):
    try:
        record = fmt.render(talk)
    except CannotCarryError:
        return
    assert list(unread_keys(record, fmt)) == []
