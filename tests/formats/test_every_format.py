"""What holds for every format, whatever the conversation."""

import copy
import re
from contextlib import suppress
from typing import Any

import msgspec
import orjson
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import JSON, conversations, requests, tampered, text_with, text_without

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError, FormatError
from generator.formats import FORMATS, Format

PREFERENCES = [fmt for fmt in FORMATS.values() if fmt.policy.learns == "calls"]
"""They end with the last calls; tests/formats/test_preferences.py is about them."""
every_format = pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS)
TOKENS = tuple(dict.fromkeys(token for fmt in FORMATS.values() for token in fmt.policy.refuses))
slow_data = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    deadline=None,
)


def as_json(value: Any) -> bytes:
    """Tells 1 from 1.0 and True, which Python holds to be equal."""
    return msgspec.json.encode(value)


def rendered(fmt: Format, conversation: Conversation) -> Any:
    """The record as it comes out of a file; None when the format refuses the conversation, as `carries` then does."""
    try:
        return orjson.loads(orjson.dumps(fmt.render(conversation)))
    except CannotCarryError as refusal:
        place, _, reason = str(refusal).partition(": ")
        assert place.startswith("$.")
        assert reason
        return None


@given(conversation=conversations() | conversations(later_system=True) | requests())
@slow_data
def test_parsing_gives_back_what_the_format_carries(conversation):
    for fmt in FORMATS.values():
        record = rendered(fmt, conversation)
        if record is not None:
            parsed, carried = fmt.parse(record), fmt.carries(conversation)
            assert parsed == carried, fmt.name
            assert as_json(parsed) == as_json(carried), fmt.name


@given(data=st.data(), conversation=conversations() | requests())
@slow_data
def test_what_is_said_in_several_messages_is_carried_or_refused(data, conversation):
    """Answers that follow one another, and users that do."""
    messages = list(conversation.messages)
    said = [
        at for at, message in enumerate(messages) if isinstance(message, AssistantMessage) and not message.tool_calls
    ]
    at = data.draw(
        st.sampled_from([*said, *[at for at, message in enumerate(messages) if isinstance(message, UserMessage)]])
    )
    more = msgspec.structs.replace(messages[at], content=data.draw(st.sampled_from(["", "One moment.", "\n"])))
    messages.insert(at + data.draw(st.integers(0, 1)), more)
    conversation = msgspec.structs.replace(conversation, messages=tuple(messages))
    for fmt in FORMATS.values():
        record = rendered(fmt, conversation)
        if record is not None:
            assert fmt.parse(record) == fmt.carries(conversation), fmt.name


@given(conversation=conversations() | conversations(later_system=True) | requests())
@slow_data
def test_a_second_pass_loses_nothing_more(conversation):
    for fmt in FORMATS.values():
        if rendered(fmt, conversation) is not None:
            carried = fmt.carries(conversation)
            assert fmt.carries(carried) == carried, fmt.name
            assert fmt.render(carried) == fmt.render(conversation), fmt.name


@given(conversation=conversations() | conversations(later_system=True) | requests())
@slow_data
def test_rendering_changes_nothing_in_the_conversation(conversation):
    before = copy.deepcopy(conversation)
    for fmt in FORMATS.values():
        fmt.read(rendered(fmt, conversation))
        assert conversation == before, fmt.name


@given(conversation=conversations(text_with(TOKENS), later_system=True))
@slow_data
def test_a_value_is_carried_whole_or_refused_by_name(conversation):
    for fmt in FORMATS.values():
        record = rendered(fmt, conversation)
        if record is not None:
            assert fmt.parse(record) == fmt.carries(conversation), fmt.name


@given(record=JSON)
@slow_data
def test_any_json_is_read_without_an_exception(record):
    for fmt in FORMATS.values():
        check_reading(fmt, record)


@given(data=st.data(), conversation=conversations() | requests())
@settings(slow_data, max_examples=examples(150))
def test_a_tampered_record_is_read_without_an_exception(data, conversation):
    fmt = data.draw(st.sampled_from(list(FORMATS.values())))
    record = rendered(fmt, conversation)
    if record is not None:
        check_reading(fmt, data.draw(tampered(record)))


@every_format
@given(data=st.data())
@slow_data
def test_what_a_format_says_it_refuses_is_refused_by_place_and_name(fmt, data):
    if not fmt.policy.refuses:
        return
    token = data.draw(st.sampled_from(fmt.policy.refuses))
    asked = UserMessage(content=data.draw(text_without(fmt.policy.refuses)) + token)
    with pytest.raises(CannotCarryError) as refusal:
        fmt.render(Conversation(messages=(asked, AssistantMessage(content="Hello"))))
    place, _, reason = str(refusal.value).partition(": ")
    assert place == "$.messages[0].content"
    assert any(token in reason for token in fmt.policy.refuses)


def check_reading(fmt, record):
    before = copy.deepcopy(record)
    _, faults = fmt.read(record)
    assert record == before
    assert {fault.rule for fault in faults} <= {code for code, _ in fmt.faults}
    if faults:
        with pytest.raises(FormatError, match=re.escape(faults[0].path)):
            fmt.parse(record)
        return
    with suppress(FormatError):
        assert isinstance(fmt.parse(record), Conversation)


@every_format
def test_a_format_is_registered_by_its_name_and_says_what_it_is(fmt):
    assert FORMATS[fmt.name] is fmt
    assert fmt.family == fmt.name.partition("-")[0]
    assert len(fmt.page) > 200
    assert fmt.page == FORMATS[fmt.family].page


REQUIRED_LAST = {
    "type": "object",
    "properties": {"first": {"type": "string"}, "second": {"type": "string"}, "third": {"type": "string"}},
    "required": ["third", "second"],
}


@pytest.mark.parametrize("fmt", [fmt for fmt in FORMATS.values() if fmt.name != "alpaca"], ids=lambda fmt: fmt.name)
def test_required_arguments_stand_first_in_declared_order(fmt):
    tool = Tool(name="f", description="A tool.", parameters=REQUIRED_LAST)
    call = ToolCall("aaaaaaaa1", "f", {"first": "FIRST", "third": "THIRD", "second": "SECOND"})
    messages = (
        UserMessage(content="Please."),
        AssistantMessage(tool_calls=(call,)),
        ToolMessage(tool_call_id="aaaaaaaa1", name="f", content="ok"),
        AssistantMessage(content="Done."),
    )
    text = orjson.dumps(fmt.render(Conversation(messages=messages, tools=(tool,)))).decode()
    found = re.findall("FIRST|SECOND|THIRD", text)
    assert found[:3] == ["SECOND", "THIRD", "FIRST"]
    assert len(found) == 3 or fmt in PREFERENCES  # which hold the calls again, with a fault


BOOK = Tool(name="book", description="Book.", parameters={"type": "object", "properties": {"city": {"type": "string"}}})
ASKED = UserMessage(content="Book Oslo.")
BOOKED = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", "book", {"city": "Oslo"}),))
RESULT = ToolMessage(tool_call_id="aaaaaaaa1", name="book", content="booked")
DONE = AssistantMessage(content="It is booked.")
THANKS = (UserMessage(content="Thanks."), AssistantMessage(content="You are welcome."))
MANY_TURNS = {
    "several requests": (lambda fmt: fmt.policy.requests == "any", (ASKED, BOOKED, RESULT, DONE, *THANKS)),
    "text beside calls": (
        lambda fmt: fmt.policy.text_beside_calls == "ok",
        (ASKED, msgspec.structs.replace(BOOKED, content="One moment."), RESULT, DONE),
    ),
    "a later system message": (
        lambda fmt: fmt.policy.later_system,
        (ASKED, BOOKED, RESULT, DONE, SystemMessage(content="Be brief."), *THANKS),
    ),
}


@pytest.mark.parametrize("what", MANY_TURNS)
@pytest.mark.parametrize(
    "fmt",
    [fmt for fmt in FORMATS.values() if fmt.name != "alpaca" and fmt not in PREFERENCES],
    ids=lambda fmt: fmt.name,
)
def test_a_format_carries_what_its_policy_says_and_refuses_the_rest_by_place(fmt, what):
    carries, messages = MANY_TURNS[what]
    talk = Conversation(messages=messages, tools=(BOOK,))
    if not carries(fmt):
        with pytest.raises(CannotCarryError, match=r"^\$\.messages"):
            fmt.render(talk)
        return
    parsed = fmt.parse(fmt.render(talk))
    assert parsed == fmt.carries(talk)
    said = [(type(m).__name__, m.content or None) for m in messages]
    assert [(type(m).__name__, m.content or None) for m in parsed.messages] == said


@pytest.mark.parametrize(
    "fmt",
    [fmt for fmt in FORMATS.values() if fmt.policy.requests == "any" and fmt not in PREFERENCES],
    ids=lambda fmt: fmt.name,
)
def test_a_failed_call_is_marked_or_left_to_what_its_result_says(fmt):
    failed = msgspec.structs.replace(RESULT, content="Error: sold out", is_error=True)
    parsed = fmt.parse(fmt.render(Conversation(messages=(ASKED, BOOKED, failed, DONE), tools=(BOOK,))))
    (answer,) = [message for message in parsed.messages if isinstance(message, ToolMessage)]
    assert (answer.content, answer.is_error) == ("Error: sold out", fmt.policy.error_flag)
