"""The exact text of OpenChatML, what is read beyond it, and what is refused with its position."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TEXT

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
from generator.formats.texts.openchatml import FORMAT, INSTRUCTION, INTRODUCTION, OTHER_FORMATS, TOKENS

TIME = Tool(name="get_time", parameters={"type": "object", "properties": {"city": {"type": "string"}}})
CONVERSATION = Conversation(
    messages=(
        SystemMessage(content="Be brief."),
        UserMessage(content="What time is it in Oslo and Rome?", name="Ada"),
        AssistantMessage(
            content="One moment.",
            tool_calls=(
                ToolCall(id="aaaaaaaa1", name="get_time", arguments={"city": "Oslo"}),
                ToolCall(id="aaaaaaaa2", name="get_time", arguments={"city": "Rome"}),
            ),
        ),
        ToolMessage(tool_call_id="aaaaaaaa2", content='{"time":"15:30"}'),
        ToolMessage(tool_call_id="aaaaaaaa1", content='{"time": "15:30"}', name="get_time"),
        AssistantMessage(content="15:30 in both.\n"),
    ),
    tools=(TIME,),
)
TEXT_OF_IT = f"""\
[BOS]<|im_start|>system
Be brief.

{INTRODUCTION}
<|function_list|>
{{"type":"function","function":{{"name":"get_time","parameters":{{"type":"object","properties":{{"city":{{"type":"string"}}}}}}}}}}
<|function_list|>
{INSTRUCTION}
<|im_end|>
<|im_start|>user name=Ada
What time is it in Oslo and Rome?
<|im_end|>
<|im_start|>assistant
One moment.
<|function_call|>
{{"arguments":{{"city":"Oslo"}},"name":"get_time"}}
<|function_call|>
{{"arguments":{{"city":"Rome"}},"name":"get_time"}}
<|im_end|>
<|im_start|>tool
<|function_output|>
{{"name":"get_time","content":"{{\\"time\\": \\"15:30\\"}}"}}
<|function_output|>
{{"name":"get_time","content":{{"time":"15:30"}}}}
<|im_end|>
<|im_start|>assistant
15:30 in both.

<|im_end|>[EOS]"""


def test_a_whole_record():
    record = FORMAT.render(CONVERSATION)
    assert record["text"] == TEXT_OF_IT
    assert [TEXT_OF_IT[start:end] for start, end in record["spans"]] == [
        (
            'One moment.\n<|function_call|>\n{"arguments":{"city":"Oslo"},"name":"get_time"}\n'
            '<|function_call|>\n{"arguments":{"city":"Rome"},"name":"get_time"}\n<|im_end|>'
        ),
        "15:30 in both.\n\n<|im_end|>",
    ]


def test_parsing_numbers_the_calls_and_puts_results_in_their_order():
    parsed = FORMAT.parse({"text": TEXT_OF_IT})
    assert parsed.tools == (TIME,)
    assert [call.id for call in parsed.messages[2].tool_calls] == ["call00001", "call00002"]
    assert parsed.messages[3:5] == (
        ToolMessage(tool_call_id="call00001", content='{"time": "15:30"}', name="get_time"),
        ToolMessage(tool_call_id="call00002", content='{"time":"15:30"}', name="get_time"),
    )


@pytest.mark.parametrize("system", [None, "", "\n", f"x\n\n{INTRODUCTION}", INTRODUCTION])
def test_the_words_about_functions_are_told_from_the_system_message(system):
    messages = [UserMessage(content="Hi"), AssistantMessage(content="Hello")]
    if system is not None:
        messages.insert(0, SystemMessage(content=system))
    for tools in ((), (TIME,)):
        conversation = Conversation(messages=tuple(messages), tools=tools)
        assert FORMAT.parse(FORMAT.render(conversation)) == conversation


@pytest.mark.parametrize(
    "text",
    [
        "[BOS]<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello\n<|im_end|>[EOS]",
        "[BOS]<|im_start|>user\nHi\n<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n[EOS]\n",
    ],
)
def test_both_forms_of_a_contradiction_are_read(text):
    assert FORMAT.parse({"text": text}).messages == (UserMessage(content="Hi"), AssistantMessage(content="Hello"))


def test_outputs_may_stand_in_turns_of_their_own():
    apart = TEXT_OF_IT.replace('}"}\n<|function_output|>', '}"}\n<|im_end|>\n<|im_start|>tool\n<|function_output|>')
    assert apart != TEXT_OF_IT
    assert FORMAT.parse({"text": apart}) == FORMAT.parse({"text": TEXT_OF_IT})


def with_token(token, place):
    """The conversation with a control token at a place."""
    system, user, assistant, result, *rest = CONVERSATION.messages
    tool, calls = TIME, assistant.tool_calls
    if place == "content":
        user = UserMessage(content=f"a {token} b")
    elif place == "name":
        user = UserMessage(content="", name=token)
    elif place == "key":
        calls = (ToolCall(id="aaaaaaaa1", name="get_time", arguments={"x": [{token: 1}]}), *calls[1:])
    elif place == "value":
        calls = (ToolCall(id="aaaaaaaa1", name="get_time", arguments={"x": [{"y": token}]}), *calls[1:])
    elif place == "called":
        calls = (ToolCall(id="aaaaaaaa1", name=token, arguments={}), *calls[1:])
    elif place == "result":
        result = ToolMessage(tool_call_id="aaaaaaaa2", content=f'{{"x":"{token}"}}')
    elif place == "tool":
        tool = Tool(name="get_time", description=f"writes {token}")
    assistant = AssistantMessage(tool_calls=calls)
    return Conversation(messages=(system, user, assistant, result, *rest), tools=(tool,))


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("content", "$.messages[1].content"),
        ("name", "$.messages[1].name"),
        ("key", "$.messages[2].tool_calls[0].function.arguments"),
        ("value", "$.messages[2].tool_calls[0].function.arguments"),
        ("called", "$.messages[2].tool_calls[0].function.name"),
        ("result", "$.messages[3].content"),
        ("tool", "$.tools[0]"),
    ],
)
def test_a_value_with_a_control_token_is_refused_by_place_and_token(token, place, path):
    with pytest.raises(CannotCarryError) as refusal:
        FORMAT.render(with_token(token, place))
    assert str(refusal.value) == f"{path}: holds the control token {token}"


@pytest.mark.parametrize("name", ["", "Ada Lovelace", "a\tb", "a\u2003b"])
def test_a_name_with_white_space_is_refused(name):
    with pytest.raises(CannotCarryError, match=r"^\$\.messages\[0\]\.name: "):
        FORMAT.render(Conversation(messages=(UserMessage(content="Hi", name=name),)))


def call(number):
    return ToolCall(id=f"aaaaaaaa{number}", name="f", arguments={})


def answer(number):
    return ToolMessage(tool_call_id=f"aaaaaaaa{number}", content="")


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ([UserMessage(content=""), answer(1)], "$.messages[1]"),
        ([AssistantMessage(tool_calls=(call(1),)), answer(2)], "$.messages[1]"),
        ([AssistantMessage(tool_calls=(call(1),)), answer(1), answer(1)], "$.messages[2]"),
        ([AssistantMessage(tool_calls=(call(1), call(2))), answer(2)], "$.messages[0]"),
    ],
)
def test_results_that_order_cannot_pair_with_calls_are_refused(messages, place):
    with pytest.raises(CannotCarryError) as refusal:
        FORMAT.render(Conversation(messages=tuple(messages)))
    assert str(refusal.value).startswith(f"{place}: ")


USER = "<|im_start|>user\nHi\n<|im_end|>\n"
CALL = '<|im_start|>assistant\n<|function_call|>\n{"arguments":{},"name":"f"}\n<|im_end|>\n'
END = "<|im_start|>assistant\nHello\n<|im_end|>[EOS]"


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 0, "'[BOS]' is expected"),
        ("<s>" + USER + END, 0, "'[BOS]' is expected"),
        ("[BOS]", 5, "a turn ("),
        ("[BOS][EOS]", 5, "a turn ("),
        ("[BOS]<|im_start|>human\nHi\n<|im_end|>[EOS]", 5, "a turn ("),
        ("[BOS]<|im_start|>user name=\nHi\n<|im_end|>[EOS]", 5, "a turn ("),
        ("[BOS]<|im_start|>user name=a b\nHi\n<|im_end|>[EOS]", 5, "a turn ("),
        ("[BOS]<|im_start|>user\nHi", 24, "'<|im_end|>' is expected"),
        ("[BOS]" + USER, 36, "or [EOS] is expected"),
        ("[BOS]" + USER + END + "\nmore", 74, "another turn, or [EOS]"),
        ("[BOS]<|im_start|>user\nHi <|im_start|>user\nyou\n<|im_end|>[EOS]", 25, "<|im_start|> does not belong here"),
        ("[BOS]<|im_start|>user\n[EOS]\n<|im_end|>[EOS]", 22, "[EOS] does not belong here"),
        ("[BOS]<|im_start|>assistant\n<|start_reason|>So<|im_end|>[EOS]", 45, "'<|end_reason|>' is expected"),
        ("[BOS]<|im_start|>system\n<|function_list|>\n<|im_end|>[EOS]", 24, "not closed by a second"),
        (f"[BOS]{USER}<|im_start|>system\n<|function_list|><|function_list|><|im_end|>[EOS]", 55, "first turn only"),
        (
            "[BOS]<|im_start|>system\n<|reason|>\n<|im_end|>\n<|im_start|>system\n<|function_list|><|function_list|><|im_end|>[EOS]",
            65,
            "first turn only",
        ),
        ("[BOS]<|im_start|>system\n<|function_list|>{x}<|function_list|><|im_end|>[EOS]", 42, "not JSON"),
        (
            "[BOS]<|im_start|>assistant\nHi <|function_call|>{}<|im_end|>[EOS]",
            30,
            "is expected before '<|function_call|>'",
        ),
        ('[BOS]<|im_start|>assistant\n<|function_call|>{"name":"f"}<|im_end|>[EOS]', 44, "`arguments` and `name`"),
        (
            '[BOS]<|im_start|>assistant\n<|function_call|>{"arguments":"{}","name":"f"}<|im_end|>[EOS]',
            44,
            "`arguments` an object",
        ),
        ("[BOS]<|im_start|>assistant\n<|function_call|>\n<|im_end|>[EOS]", 45, "not JSON"),
        (
            '[BOS]<|im_start|>assistant\n<|function_call|>{"arguments":{},"name":"f"} {}<|im_end|>[EOS]',
            72,
            "<|im_end|>' is expected",
        ),
        ("[BOS]<|im_start|>assistant\n<|function_call|>[NaN]<|im_end|>[EOS]", 44, "not JSON: NaN"),
        ("[BOS]<|im_start|>tool\n15:30\n<|im_end|>[EOS]", 22, "'<|function_output|>' is expected"),
        ("[BOS]<|im_start|>tool name=f\n<|function_output|>{}<|im_end|>[EOS]", 5, "but for tool"),
        (
            '[BOS]<|im_start|>tool\n<|function_output|>{"name":"f","content":1}<|im_end|>[EOS]',
            22,
            "no call left",
        ),
        (
            f'[BOS]{USER}{CALL}{USER}<|im_start|>tool\n<|function_output|>{{"name":"f","content":1}}<|im_end|>[EOS]',
            None,
            "no call left",
        ),
    ],
)
def test_a_text_is_refused_with_position_and_reason(text, position, reason):
    _, faults = FORMAT.read({"text": text})
    assert [(fault.rule, fault.path) for fault in faults] == [("OC101", "$.text")]
    assert reason in faults[0].message
    if position is not None:
        assert faults[0].message.startswith(f"character {position} (line {text.count(chr(10), 0, position) + 1}): ")
    with pytest.raises(FormatError, match=r"^\$\.text: character "):
        FORMAT.parse({"text": text})


@pytest.mark.parametrize(
    ("text", "is_begun"), [("[BOS]", False), ("[BOS][EOS]", False), (f"[BOS]{USER}<|im_start|>human\n", True)]
)
def test_the_end_of_a_text_is_expected_behind_a_turn_only(text, is_begun):
    [fault] = FORMAT.read({"text": text})[1]
    assert fault.message.endswith(" or [EOS] is expected here" if is_begun else "a line break) is expected here")


SCHEMA = '{"type":"function","function":{"name":"f","parameters":{"type":"object","description":"a%sb"}}}'
ARGUMENTS = '<|function_call|>\n{"arguments":{"c":"a%sb"},"name":"f"}\n'


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize(
    "text",
    [
        f"[BOS]<|im_start|>assistant\n{ARGUMENTS}<|im_end|>[EOS]",
        f"[BOS]<|im_start|>system\n<|function_list|>\n{SCHEMA}\n<|function_list|>\n<|im_end|>\n{END}",
        ARGUMENTS,
        f"<|function_list|>\n{SCHEMA}\n",
    ],
)
def test_a_control_token_in_json_is_refused_with_its_position(token, text):
    assert not FORMAT.read({"text": text % " "})[1]
    text %= token
    [fault] = FORMAT.read({"text": text})[1]
    position = text.index(f"a{token}b") + 1
    assert fault.message.startswith(f"character {position} ")
    assert fault.message.endswith(f": {token} does not belong here")


OUTPUT = '<|function_output|>\n{"name":"f","content":"a%s"}\n'


def test_calls_that_stand_alone_have_no_outputs_behind_them():
    calls = ARGUMENTS % ""
    assert not FORMAT.read({"text": calls})[1]
    assert not FORMAT.read({"text": OUTPUT % "" + OUTPUT % ""})[1]
    [fault] = FORMAT.read({"text": calls + OUTPUT % ""})[1]
    assert fault.message == f"character {len(calls)} (line 3): the end of the text is expected here"


@pytest.mark.parametrize("fmt", OTHER_FORMATS, ids=lambda fmt: fmt.name)
@pytest.mark.parametrize(
    "text", [OUTPUT, ARGUMENTS, f"<|function_list|>\n{SCHEMA}", "<|file_separator|>\na%s", "a%s\n<|file_separator|>\nb"]
)
def test_parts_and_documents_hold_no_token_of_the_frame(fmt, text):
    assert not fmt.read({"text": text % ""})[1]
    [fault] = fmt.read({"text": text % fmt.policy.refuses[-1]})[1]
    assert fault.rule == "OC101"


@pytest.mark.parametrize(("record", "path"), [([], "$"), ({}, "$.text"), ({"text": 3}, "$.text")])
def test_a_record_without_text_is_refused(record, path):
    assert [fault.path for fault in FORMAT.read(record)[1]] == [path]


PIECES = st.sampled_from((*TOKENS, USER, CALL, END, "\n", "{", "}", '{"arguments":{},"name":"f"}', "system", "tool"))


@given(st.lists(PIECES | TEXT, max_size=12).map("".join))
def test_any_text_is_read_or_refused(text):
    for candidate in (text, f"[BOS]{USER}{text}{END}"):
        plain, faults = FORMAT.read({"text": candidate})
        assert (plain is None) == bool(faults)
        if not faults:
            FORMAT.parse({"text": candidate})
