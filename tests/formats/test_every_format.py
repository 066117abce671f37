"""What holds for every format, whatever the conversation."""

import copy
import re
from contextlib import suppress
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import JSON, conversations, requests, tampered, text_with, text_without

from generator.conversation import AssistantMessage, Conversation, UserMessage
from generator.errors import CannotCarryError, FormatError
from generator.formats import FORMATS, Format

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


@given(conversation=conversations() | requests())
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
    said = [at for at, message in enumerate(messages) if isinstance(message, AssistantMessage) and not message.tool_calls]
    at = data.draw(st.sampled_from([*said, *[at for at, message in enumerate(messages) if isinstance(message, UserMessage)]]))
    more = msgspec.structs.replace(messages[at], content=data.draw(st.sampled_from(["", "One moment.", "\n"])))
    messages.insert(at + data.draw(st.integers(0, 1)), more)
    conversation = msgspec.structs.replace(conversation, messages=tuple(messages))
    for fmt in FORMATS.values():
        record = rendered(fmt, conversation)
        if record is not None:
            assert fmt.parse(record) == fmt.carries(conversation), fmt.name


@given(conversation=conversations() | requests())
@slow_data
def test_a_second_pass_loses_nothing_more(conversation):
    for fmt in FORMATS.values():
        if rendered(fmt, conversation) is not None:
            carried = fmt.carries(conversation)
            assert fmt.carries(carried) == carried, fmt.name
            assert fmt.render(carried) == fmt.render(conversation), fmt.name


@given(conversation=conversations() | requests())
@slow_data
def test_rendering_changes_nothing_in_the_conversation(conversation):
    before = copy.deepcopy(conversation)
    for fmt in FORMATS.values():
        fmt.read(rendered(fmt, conversation))
        assert conversation == before, fmt.name


@given(conversation=conversations(text_with(TOKENS)))
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
@settings(slow_data, max_examples=300)
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
