"""The table of wire formats writes what models write."""

import json
import re

import msgspec
import pytest
from examples import examples
from hostile_rows import all_learnt, hostile_rows, no_text_beside_calls, with_identifiers
from hypothesis import given, settings
from hypothesis import strategies as st
from nightly import one_in

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import CannotCarryError, FormatError
from generator.corpus.check.judge import same_calls, same_value
from generator.corpus.generation import make_case
from generator.corpus.rows import row_formats
from generator.formats import FORMATS
from generator.formats.wire.arguments import alternatives, representable
from generator.formats.wire.completions import corpus_call_id, read, write
from generator.formats.wire.format import ExpectedCall, Style, wire_format, wire_formats

FORMATS_OF_THE_PROJECT = [fmt for fmt in wire_formats().values() if fmt.project]
TOOL = Tool(
    name="book",
    description="Book a room.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "tags": {"type": "array"}, "any": {}},
    },
)
CALLS = (
    ExpectedCall("book", {"city": "Oslo", "days": -2, "tags": ["a", {"b": True}]}),
    ExpectedCall("ping", {}),
    ExpectedCall("book", {"city": "Zürich"}),
)
SCHEMAS = {"book": TOOL.parameters, "ping": {}}


def test_there_are_formats_enough():
    assert len(wire_formats()) >= 24
    assert {fmt.project for fmt in FORMATS_OF_THE_PROJECT} <= FORMATS.keys()


def test_wire_formats_and_row_formats_have_different_names():
    assert not set(wire_formats()) & set(row_formats())


def test_an_unknown_format_is_told_with_the_nearest():
    with pytest.raises(FormatError, match='did you mean "hermes"'):
        wire_format("hermess")


@pytest.mark.parametrize("fmt", one_in(3, FORMATS_OF_THE_PROJECT), ids=lambda fmt: fmt.name)
def test_the_table_writes_what_the_format_of_the_project_writes(fmt):
    """Two ways to write the same, made apart from each other."""
    seen = 0
    for row in hostile_rows():
        talk = all_learnt(row)
        talk = no_text_beside_calls(talk) if not fmt.prose or fmt.name in ("glm45", "qwen3_coder_next") else talk
        talk = with_identifiers(talk) if fmt.arguments == "python" else talk
        talk = _with_our_ids(talk)
        try:
            record = FORMATS[fmt.project].render(talk)
        except CannotCarryError:
            continue
        turns = [
            message for message in FORMATS[fmt.project].carries(talk).messages if isinstance(message, AssistantMessage)
        ]
        for turn, (start, end) in zip(turns, record["spans"], strict=True):
            if not turn.tool_calls or turn.thoughts:
                continue
            said = record["text"][start:end]
            calls = tuple(ExpectedCall(call.name, call.arguments) for call in turn.tool_calls)
            written = write(fmt, calls, turn.content)
            if fmt.name == "harmony":  # the two orders that servers read
                written = written.replace(
                    f"<|channel|>commentary to=functions.{calls[0].name} ",
                    f" to=functions.{calls[0].name}<|channel|>commentary ",
                )
            said, written = _one_spelling_of_numbers(said), _one_spelling_of_numbers(written)
            ending = next((token for token in fmt.end if said.endswith(token)), "")
            if fmt.name == "kimi_k2":  # which counts the calls of the whole conversation
                said, written = (
                    re.sub(r":[0-9]+(?=<.tool_call_argument_begin)", ":0", text) for text in (said, written)
                )
            assert said.removesuffix(ending).removeprefix("\n<think></think>\n") == written
            seen += 1
    assert seen >= 25


def _one_spelling_of_numbers(text: str) -> str:
    """1e-08, 1e-8 and 0.00000001 are one number, which each JSON library writes in its own way."""
    return re.sub(
        r"-?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)", lambda found: repr(float(found[0])), text
    )


def _with_our_ids(talk: Conversation) -> Conversation:
    """Ids as the table makes them, for formats that write ids."""
    ids = {}
    messages = []
    for message in talk.messages:
        if isinstance(message, AssistantMessage):
            calls = []
            for index, call in enumerate(message.tool_calls):
                ids[call.id] = corpus_call_id(ExpectedCall(call.name, call.arguments), index)
                calls.append(ToolCall(ids[call.id], call.name, call.arguments))
            message = msgspec.structs.replace(message, tool_calls=tuple(calls))
        elif hasattr(message, "tool_call_id"):
            message = msgspec.structs.replace(message, tool_call_id=ids.get(message.tool_call_id, message.tool_call_id))
        messages.append(message)
    return msgspec.structs.replace(talk, messages=tuple(messages))


@pytest.mark.parametrize("name", wire_formats())
def test_what_is_written_is_read_again(name):
    fmt = wire_format(name)
    calls = CALLS[: 1 if fmt.one else 3]
    content = "First, this." if fmt.prose else None
    for lenient in (False, True):
        found = read(fmt, write(fmt, calls, content), SCHEMAS, lenient=lenient)
        assert found is not None
        assert found.calls == calls
        assert found.before.strip() == (content or "")
        assert not found.after


@pytest.mark.parametrize(
    "name", ["hermes", "mistral_text", "llama_pythonic", "gemma4", "deepseek_v32", "qwen3_coder", "minimax_m3"]
)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=5,
    )
)
@settings(max_examples=examples(60), deadline=None)
def test_a_representable_value_is_read_back_as_it_was(name, value):
    fmt = wire_format(name)
    schema = {
        "type": {str: "string", bool: "boolean", int: "integer", list: "array", dict: "object", type(None): "null"}[
            type(value)
        ]
    }
    if representable(fmt, value, schema):
        schemas = {"f": {"properties": {"x": schema}}}
        found = read(fmt, write(fmt, (ExpectedCall("f", {"x": value}),)), schemas)
        assert found is not None
        assert same_calls(found.calls, (ExpectedCall("f", {"x": value}),), strict_numbers=True)


@pytest.mark.parametrize(
    ("value", "schema", "count"),
    [
        ("12", {"type": "string"}, 1),
        ("Oslo", {}, 1),
        ("12", {}, 2),
        (12, {}, 2),
        ("null", {"type": ["string", "null"]}, 2),
        (None, {"type": ["string", "null"]}, 2),
        (12, {"$ref": "#/$defs/x"}, 2),
        (12, {"type": "integer"}, 1),
        (" a", {"type": "string"}, 2),
        ("a</parameter>b", {"type": "string"}, None),
        ("a\u2028b", {"type": "string"}, None),
    ],
)
def test_values_in_elements_are_told_apart_by_the_schema_alone(value, schema, count):
    found = alternatives(wire_format("qwen3_coder"), value, schema)
    assert (found if found is None else len(found)) == count
    assert found is None or found[0] == value


def test_json_holds_what_other_formats_cannot():
    for value in ("</tool_call>", " a", "12", "a\u2028b", 2**70, {"": []}):
        assert representable(wire_format("hermes"), value, {})
    assert not representable(wire_format("hermes"), float("inf"), {})
    assert not representable(wire_format("hermes"), "\ud800", {})
    assert not representable(wire_format("gemma4"), 'a<|"|>b', {})


def test_values_are_compared_as_json():
    assert same_value({"a": 1, "b": [True]}, {"b": [True], "a": 1.0})
    assert not same_value({"a": 1}, {"a": 1.0}, strict_numbers=True)
    assert not same_value(1, True)
    assert not same_value(None, False)
    assert not same_value(9007199254740993, 9007199254740992.0)
    deep_one, deep_other = [], []
    for _ in range(5000):
        deep_one, deep_other = [deep_one], [deep_other]
    assert same_value(deep_one, deep_other)


@pytest.mark.parametrize("json_style", ["spaced", "minimal", "pretty", "pretty_crlf", "ascii", "slashes"])
def test_every_style_means_the_same(json_style):
    text = write(wire_format("hermes"), CALLS, None, Style(json=json_style, arguments_first=True))
    found = read(wire_format("hermes"), text, {})
    assert found is not None
    assert found.calls == CALLS
    assert "\r\n" in text or json_style != "pretty_crlf"


@pytest.mark.parametrize(
    "fmt",
    one_in(3, [fmt for fmt in FORMATS_OF_THE_PROJECT if fmt.name not in ("harmony", "glm45")]),
    ids=lambda fmt: fmt.name,
)
def test_the_parser_of_the_project_reads_valid_cases(fmt, shops):
    """Where the project's format can carry the calls at all, it writes these bytes and reads the calls back."""
    shop = shops[fmt.name]
    seen = 0
    for index in range(150):
        case = make_case(shop, index)
        if case.verdict != "y" or case.mutations:
            continue
        calls = tuple(
            ToolCall(corpus_call_id(call, at), call.name, call.arguments)
            for at, call in enumerate(case.oracle.tool_calls)
        )
        tools = tuple(shop.tools[name].tool for name in case.tools)
        talk = Conversation((UserMessage("Go."), AssistantMessage(tool_calls=calls)), tools)
        try:
            record = FORMATS[fmt.project].render(talk)
        except CannotCarryError:
            continue
        if json.dumps(record).count('"spans": [[') and len(record["spans"]) > 1:
            continue
        carried = FORMATS[fmt.project].carries(talk).messages[-1].tool_calls
        same_order = all(
            list(one.arguments) == list(other.arguments) for one, other in zip(carried, calls, strict=True)
        )
        written, told = _one_spelling_of_numbers(case.chars), _one_spelling_of_numbers(record["text"])
        assert written in told or not same_order
        said = FORMATS[fmt.project].parse(record).messages[-1]
        assert same_calls(
            tuple(ExpectedCall(call.name, call.arguments) for call in said.tool_calls), case.oracle.tool_calls
        )
        seen += 1
    assert seen >= 5
