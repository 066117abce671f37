"""What holds for all text formats: what is learnt, what is not, and how a broken text is refused."""

import re

import msgspec
import pytest

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
from generator.formats import FORMATS

TEXTS = {name: fmt for name, fmt in FORMATS.items() if fmt.policy.train == "spans"}
every_text = pytest.mark.parametrize("fmt", TEXTS.values(), ids=TEXTS)

TOOL = Tool(
    name="get_time",
    description="DEVICE",
    parameters={"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
)
FIRST = ToolCall(id="aaaaaaaa1", name="get_time", arguments={"city": "ASKED1"})
SECOND = ToolCall(id="aaaaaaaa2", name="get_time", arguments={"city": "ASKED2", "days": 2})
TALK = Conversation(
    messages=(
        SystemMessage(content="SETTING 2026-03-14"),
        UserMessage(content="WISH1"),
        AssistantMessage(tool_calls=(FIRST, SECOND)),
        ToolMessage(tool_call_id="aaaaaaaa1", name="get_time", content='{"time":"OUTCOME1"}'),
        ToolMessage(tool_call_id="aaaaaaaa2", name="get_time", content="OUTCOME2"),
        AssistantMessage(content="ANSWER1"),
        UserMessage(content="WISH2"),
        AssistantMessage(content="ANSWER2"),
    ),
    tools=(TOOL,),
)


def learnt(fmt, conversation):
    record = fmt.render(conversation)
    return [record["text"][start:end] for start, end in record["spans"]]


def with_train(*flags):
    turns = iter(flags)
    messages = [
        msgspec.structs.replace(m, train=next(turns)) if isinstance(m, AssistantMessage) else m for m in TALK.messages
    ]
    return msgspec.structs.replace(TALK, messages=tuple(messages))


@every_text
def test_a_record_is_a_text_and_spans(fmt):
    record = fmt.render(TALK)
    assert record.keys() == {"text", "spans"}
    for word in (
        "SETTING",
        "DEVICE",
        "WISH1",
        "ASKED1",
        "ASKED2",
        "OUTCOME1",
        "OUTCOME2",
        "ANSWER1",
        "WISH2",
        "ANSWER2",
    ):
        assert record["text"].count(word) == 1


@every_text
def test_only_what_the_assistant_says_and_calls_is_learnt(fmt):
    said = " ".join(learnt(fmt, TALK))
    for word in ("ASKED1", "ASKED2", "ANSWER1", "ANSWER2"):
        assert word in said
    assert not re.search("SETTING|DEVICE|WISH|OUTCOME", said)


@every_text
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((False, True, True), {"ANSWER1", "ANSWER2"}),
        ((True, False, True), {"ASKED1", "ASKED2", "ANSWER2"}),
        ((True, True, False), {"ASKED1", "ASKED2", "ANSWER1"}),
        ((False, False, False), set()),
    ],
)
def test_a_turn_that_is_not_to_be_learnt_has_no_span(fmt, flags, words):
    talk = with_train(*flags)
    said = " ".join(learnt(fmt, talk))
    assert set(re.findall(r"ASKED\d|ANSWER\d", said)) == words
    record = fmt.render(talk)
    assert record["text"] == fmt.render(TALK)["text"]
    assert fmt.parse(record) == fmt.carries(talk)
    assert fmt.parse({"text": record["text"]}) == fmt.carries(TALK)


@every_text
def test_a_text_that_breaks_off_is_refused_with_its_position_or_read(fmt):
    text = fmt.render(TALK)["text"]
    refused = 0
    for end in range(0, len(text), 3):
        _, faults = fmt.read({"text": text[:end]})
        if faults:
            refused += 1
            position = re.match(r"character (\d+) \(line \d+\): .", faults[0].message)
            assert position
            assert int(position[1]) <= end
    assert refused > len(text) / 3 * 0.8


@every_text
def test_a_text_with_something_behind_it_is_refused(fmt):
    with pytest.raises(FormatError, match=r"^\$\.text: character \d+ \(line \d+\): "):
        fmt.parse({"text": fmt.render(TALK)["text"] + "and so on"})


@every_text
@pytest.mark.parametrize("spans", [3, [3], [[0, 1]], [[0]], [["a", "b"]], [[None, None]]])
def test_spans_that_are_no_turns_are_refused_by_place(fmt, spans):
    _, faults = fmt.read({"text": fmt.render(TALK)["text"], "spans": spans})
    assert [fault.path.partition("[")[0] for fault in faults] == ["$.spans"]


@every_text
def test_results_are_named_and_stand_in_the_order_of_their_calls(fmt):
    first, second = TALK.messages[3:5]
    swapped = msgspec.structs.replace(TALK, messages=(*TALK.messages[:3], second, first, *TALK.messages[5:]))
    assert fmt.render(swapped) == fmt.render(TALK)
    results = [m for m in fmt.parse(fmt.render(TALK)).messages if isinstance(m, ToolMessage)]
    assert [(m.name, m.content) for m in results] == [("get_time", '{"time":"OUTCOME1"}'), ("get_time", "OUTCOME2")]


@every_text
def test_an_orphan_result_is_refused_by_place(fmt):
    orphan = ToolMessage(tool_call_id="zzzzzzzzz", content="1")
    with pytest.raises(CannotCarryError, match=r"^\$\.messages\[1\]"):
        fmt.render(Conversation(messages=(UserMessage(content="Hi"), orphan, AssistantMessage(content="Hello"))))


@every_text
def test_calls_at_once_stay_together_or_follow_one_another(fmt):
    calls = [len(m.tool_calls) for m in fmt.carries(TALK).messages if isinstance(m, AssistantMessage) and m.tool_calls]
    assert calls == ([1, 1] if fmt.policy.parallel == "split" else [2])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("kimi_k2", "<|im_system|>f<|im_middle|>## Return of functions.f:0\n1<|im_end|>"),
        ("llama3_json", '<|start_header_id|>ipython<|end_header_id|>\n\n"1"<|eot_id|>'),
    ],
)
def test_a_result_without_a_call_is_refused_where_it_begins(name, call):
    talk = Conversation(messages=(UserMessage(content="Hi"),))
    text = FORMATS[name].render(talk)["text"]
    [fault] = FORMATS[name].read({"text": text + call})[1]
    assert fault.message.startswith(f"character {len(text)} ")
    assert "no call left" in fault.message


@pytest.mark.parametrize("name", ["llama_pythonic", "glm45", "qwen3_coder", "qwen"])
def test_a_control_token_within_arguments_is_refused(name):
    fmt = FORMATS[name]
    assert isinstance(TOOL.parameters, dict)
    properties = {**TOOL.parameters["properties"], "list": {"type": "array"}}
    tool = msgspec.structs.replace(TOOL, parameters={"type": "object", "properties": properties})
    call = ToolCall(id="aaaaaaaa1", name="get_time", arguments={"list": ["MARK"]})
    talk = Conversation(messages=(UserMessage(content="Hi"), AssistantMessage(tool_calls=(call,))), tools=(tool,))
    text = fmt.render(talk)["text"]
    assert not fmt.read({"text": text})[1]
    for token in fmt.policy.refuses:
        assert fmt.read({"text": text.replace("MARK", token)})[1], token
