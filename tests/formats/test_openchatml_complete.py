"""OpenChatML beyond functions: names, thoughts, the frame, documents; and every shape that the specification shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openchatml_texts import CODE_FILLED, FILES, GOALS
from strategies import JSON, tampered, text_without

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    FillIn,
    SystemMessage,
    Thoughts,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError, FormatError
from generator.formats import FORMATS
from generator.formats.texts.openchatml import FORMAT, TOKENS, make

TEXT = text_without(TOKENS)


def test_thoughts_stand_before_calls_and_flags_after_the_functions():
    talk = Conversation(
        messages=(
            UserMessage(content="The price of tea?"),
            AssistantMessage(
                thoughts=Thoughts(reason="get_price tells the $block."),
                tool_calls=(ToolCall(id="call00001", name="get_price", arguments={"of": "tea"}),),
            ),
            ToolMessage(tool_call_id="call00001", name="get_price", content='{"price":3}'),
            AssistantMessage(content="3."),
        ),
        tools=(Tool(name="get_price"),),
    )
    text = FORMAT.render(talk)["text"]
    assert "in the order of the calls.<|reason|>\n<|im_end|>" in text
    assert "<|start_reason|>get_price tells the $block.<|end_reason|>\n<|function_call|>\n" in text
    assert FORMAT.parse({"text": text}) == talk


@given(
    said=st.none() | TEXT,
    system=st.none() | TEXT,
    thoughts=st.builds(Thoughts, reflect=st.none() | TEXT, introspect=st.none() | TEXT, reason=st.none() | TEXT),
    train=st.booleans(),
)
def test_any_thoughts_and_flags_for_training_are_carried(said, system, thoughts, train):
    first = [] if system is None else [SystemMessage(content=system)]
    answer = AssistantMessage(content=said, thoughts=thoughts, train=train)
    talk = Conversation(messages=(*first, UserMessage(content="Hi"), answer))
    assert FORMAT.parse(FORMAT.render(talk)) == FORMAT.carries(talk)
    assert FORMAT.carries(talk).messages[-1].train is train
    assert len(FORMAT.render(talk)["spans"]) == train


def test_what_is_learnt_of_a_document():
    record = FORMAT.write_document(FORMAT.read({"text": CODE_FILLED})[0])
    assert [record["text"][start:end] for start, end in record["spans"]] == [
        "if n < 0:\nreturn -double(-n)\n<|fim_suffix|>"
    ]
    record = FORMAT.write_document(FORMAT.read({"text": FILES})[0])
    assert [record["text"][start:end] for start, end in record["spans"]] == [
        part.removeprefix("\n").removesuffix("\n") if i < 2 else part.removeprefix("\n")
        for i, part in enumerate(FILES.split("<|file_separator|>"))
    ]


FILLS = st.builds(FillIn, prefix=TEXT, middle=st.none() | TEXT.filter(bool), suffix=TEXT)
DOCUMENTS = st.lists(TEXT | FILLS, min_size=1, max_size=4).map(lambda files: FileSequence(files=tuple(files)))


@given(DOCUMENTS)
def test_any_document_is_carried(document):
    record = FORMAT.write_document(document)
    assert FORMAT.read(record) == (document, [])


@given(DOCUMENTS, st.data())
def test_a_tampered_document_is_read_without_an_exception(document, data):
    FORMAT.read(data.draw(tampered(FORMAT.write_document(document))))


@pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS)
def test_other_formats_refuse_documents_by_name(fmt):
    if fmt.family != "openchatml":
        with pytest.raises(CannotCarryError, match=r"^\$: a document, and the format carries conversations only"):
            fmt.write_document(FileSequence(files=("a", "b")))


@pytest.mark.parametrize("token", TOKENS)
def test_a_document_with_a_control_token_is_refused_by_place_and_token(token):
    for file, place in (
        (f"a{token}", "$.files[1]"),
        (FillIn(prefix=token, suffix=""), "$.files[1].prefix"),
        (FillIn(prefix="", suffix="", middle=token), "$.files[1].middle"),
        (FillIn(prefix="", suffix=token), "$.files[1].suffix"),
    ):
        with pytest.raises(CannotCarryError) as refusal:
            FORMAT.write_document(FileSequence(files=("", file)))
        assert str(refusal.value) == f"{place}: holds the control token {token}"


def test_the_frame_is_the_models():
    llama = make("<s>", "</s>", "llama2")
    talk = Conversation(messages=(UserMessage(content="Hi [EOS]"), AssistantMessage(content="Hello")))
    with pytest.raises(CannotCarryError, match=r"control token \[EOS\]"):
        llama.render(talk)
    with pytest.raises(CannotCarryError, match="control token </s>"):
        llama.render(Conversation(messages=(UserMessage(content="</s>"), AssistantMessage(content=""))))
    talk = Conversation(messages=(UserMessage(content="Hi"), AssistantMessage(content="Hello")))
    for fmt in (llama, make("", "<|endoftext|>", "a"), make("<|begin|>", "", "b")):
        assert fmt.parse(fmt.render(talk)) == talk
    text = llama.render(talk)["text"]
    assert text == "<s><|im_start|>user\nHi\n<|im_end|>\n<|im_start|>assistant\nHello\n<|im_end|></s>"
    with pytest.raises(FormatError, match=r"character 0 \(line 1\): '\[BOS\]' is expected here"):
        FORMAT.parse({"text": text})


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("<|fim_prefix|>a", 15, "'<|fim_middle|>' is expected"),
        ("<|fim_prefix|>a<|fim_suffix|>b", 15, "'<|fim_middle|>' is expected here; <|fim_suffix|> does not belong"),
        ("<|fim_prefix|>a<|fim_middle|>b", 30, "'<|fim_suffix|>' is expected"),
        ("a<|fim_prefix|>b<|fim_middle|><|fim_suffix|>", 1, "at the beginning of a file"),
        ("a<|file_separator|>\nb", 1, "on a line of its own"),
        ("a\n<|file_separator|>b", 20, "'\\n' is expected"),
        ("a\n<|file_separator|>\nb<|im_end|>", 22, "on a line of its own"),
        ("[BOS]<|im_start|>assistant\n<|start_reason|>because<|im_end|>[EOS]", 50, "'<|end_reason|>' is expected"),
        (
            "[BOS]<|im_start|>assistant\n<|start_reason|>a<|end_reason|>\n<|start_reflect|>b<|end_reflect|>\nc<|im_end|>[EOS]",
            59,
            "does not belong here",
        ),
        ("[BOS]<|im_start|>user\nHi<|reason|><|im_end|>[EOS]", 24, "does not belong here"),
        ("[BOS]<|im_start|>system\nHi<|reason|> there<|im_end|>[EOS]", 36, "'<|im_end|>' is expected"),
        (
            '<|function_list|>{"type":"function","function":{"name":"f"}}<|function_list|>and so on',
            77,
            "nothing follows",
        ),
        ("<|function_list|>0", 17, "not a function: expected `object`"),
        (
            '[BOS]<|im_start|>system\n<|function_list|>{"type": "x"}<|function_list|><|im_end|>[EOS]',
            41,
            "not a function",
        ),
        ("<|function_call|>{}", 17, "`arguments` and `name`"),
        ("<|function_output|>3", 19, "`name` and `content`"),
    ],
)
def test_a_text_is_refused_with_position_and_reason(text, position, reason):
    _, faults = FORMAT.read({"text": text})
    assert reason in faults[0].message
    assert faults[0].message.startswith(f"character {position} (line {text.count(chr(10), 0, position) + 1}): ")


@pytest.mark.parametrize("spans", [3, [[0]], [[0, 1]], [[-1, 2]], [["0", 1]], [[True, 1]], [None], [[[], 1]]])
@pytest.mark.parametrize("text", [GOALS, CODE_FILLED])
def test_spans_that_are_none_of_the_text_are_refused(text, spans):
    _, faults = FORMAT.read({"text": text, "spans": spans})
    assert [fault.path.partition("[")[0] for fault in faults] == ["$.spans"]


@given(JSON)
def test_any_spans_are_read_or_refused(spans):
    for text in (GOALS, CODE_FILLED):
        FORMAT.read({"text": text, "spans": spans})
