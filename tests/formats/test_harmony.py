"""Harmony's text against openai-harmony: rendered the same, and its tokens read back as the same messages."""

import hashlib
import importlib.metadata
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai_harmony as oh
import pytest
from hostile_rows import COUNT, hostile_rows

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, Tool, ToolMessage, UserMessage
from generator.core.errors import CannotCarryError, FormatError
from generator.formats import FORMATS
from generator.formats.texts.notes import stated_day
from generator.formats.texts.tools_in_typescript import carried_tool, write_tool

FORMAT, CHANNEL_FORMAT = FORMATS["harmony"], FORMATS["harmony-channel"]
VOCABULARY = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""SHA-256 of o200k_base.tiktoken, which litellm ships under the name of tiktoken's cache."""

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Name of the city"},
        "days": {"type": "integer", "default": 3},
        "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "list": {"type": "array"},
        "anything": {},
        "note": {"type": ["string", "null"], "default": "x y"},
        "place": {
            "type": "object",
            "description": "Where",
            "properties": {
                "lat": {"type": "number", "description": "Latitude"},
                "box": {"type": "object", "description": "Around", "properties": {"wide": {"type": "boolean"}}},
            },
            "required": ["lat"],
        },
        "stops": {
            "type": "array",
            "items": {"type": "object", "properties": {"z": {"type": "integer"}}, "required": ["z"]},
        },
        "maybe": {"type": "array", "items": {"type": "string"}, "nullable": True},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "number": {"enum": [1, 2]},
    },
    "required": ["city", "stops"],
}


@pytest.fixture(scope="module")
def encoding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The encoding of gpt-oss, without a download."""
    folder = tmp_path_factory.mktemp("vocabulary")
    shipped = Path(str(importlib.metadata.distribution("litellm").locate_file("litellm/litellm_core_utils/tokenizers")))
    (found,) = [
        path
        for path in shipped.iterdir()
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == VOCABULARY
    ]
    shutil.copy(found, folder / "o200k_base.tiktoken")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_ENCODINGS_BASE", str(folder))
        yield oh.load_harmony_encoding(oh.HarmonyEncodingName.HARMONY_GPT_OSS)


def with_plain_tools(conversation: Conversation) -> Conversation:
    """Tools that both write the same."""
    tools = [Tool(name=tool.name, description="A tool.", parameters=PARAMETERS) for tool in conversation.tools]
    return Conversation(messages=conversation.messages, tools=tuple(tools))


def theirs(conversation: Conversation) -> list[Any]:
    """The conversation as openai-harmony has it."""
    day = stated_day(conversation)
    system = oh.SystemContent.new()
    if day:
        system = system.with_conversation_start_date(day.isoformat())
    made = [oh.Message.from_role_and_content(oh.Role.SYSTEM, system)]
    messages = list(conversation.messages)
    developer = oh.DeveloperContent.new()
    if isinstance(messages[0], SystemMessage):
        developer = developer.with_instructions(messages.pop(0).content)
    if conversation.tools:
        described = [oh.ToolDescription.new(t.name, t.description or "", t.parameters) for t in conversation.tools]
        developer = developer.with_function_tools(described)
    if developer.instructions or developer.tools:
        made.append(oh.Message.from_role_and_content(oh.Role.DEVELOPER, developer))
    for message in messages:
        made += their_messages(message)
    return made


def their_messages(message: Any) -> Iterator[Any]:
    if isinstance(message, UserMessage):
        yield oh.Message.from_role_and_content(oh.Role.USER, message.content)
    elif isinstance(message, ToolMessage):
        author = oh.Author.new(oh.Role.TOOL, f"functions.{message.name}")
        answer = oh.Message.from_author_and_content(author, message.content)
        yield answer.with_recipient("assistant").with_channel("commentary")
    elif isinstance(message, AssistantMessage) and not message.tool_calls:
        yield oh.Message.from_role_and_content(oh.Role.ASSISTANT, message.content).with_channel("final")
    else:
        if message.content:
            yield oh.Message.from_role_and_content(oh.Role.ASSISTANT, message.content).with_channel("commentary")
        (call,) = message.tool_calls
        said = oh.Message.from_role_and_content(oh.Role.ASSISTANT, json.dumps(call.arguments, ensure_ascii=False))
        said = said.with_channel("commentary").with_recipient(f"functions.{call.name}")
        yield said.with_content_type("<|constrain|>json")


def test_the_text_is_what_harmony_renders(encoding):
    seen = 0
    for row in map(with_plain_tools, hostile_rows()):
        record = FORMAT.render(row)
        carried = FORMAT.carries(row)
        assert FORMAT.parse(record) == carried
        conversation = oh.Conversation.from_messages(theirs(with_plain_tools(carried)))
        assert record["text"] == encoding.decode(encoding.render_conversation_for_training(conversation))
        seen += 1
    assert seen == COUNT


@pytest.mark.parametrize("fmt", [FORMAT, CHANNEL_FORMAT], ids=lambda fmt: fmt.name)
def test_what_is_learnt_is_read_back_as_the_same_call(encoding, fmt):
    seen = 0
    for row in hostile_rows():
        try:
            record = fmt.render(row)
        except CannotCarryError:
            continue
        turns = [m for m in fmt.carries(row).messages if isinstance(m, AssistantMessage) and m.train]
        for turn, (start, end) in zip(turns, record["spans"], strict=True):
            tokens = encoding.encode(record["text"][start:end], allowed_special="all")
            *_, last = encoding.parse_messages_from_completion_tokens(tokens, oh.Role.ASSISTANT)
            if turn.tool_calls:
                assert last.recipient == f"functions.{turn.tool_calls[0].name}"
                assert json.loads(last.content[0].text) == turn.tool_calls[0].arguments
                seen += 1
            else:
                assert (last.channel, last.content[0].text if last.content else "") == ("final", turn.content)
    assert seen >= 75


def test_a_tool_is_carried_as_it_is_read_again():
    tool = Tool(name="t", description="Two\nlines.", parameters=PARAMETERS)
    again = carried_tool(tool)
    assert again.description == "Two\nlines."
    assert again.parameters["required"] == ["city", "stops"]
    assert again.parameters["properties"]["city"] == {"type": "string", "description": "Name of the city"}
    assert again.parameters["properties"]["days"] == {"type": "number", "default": 3}
    assert again.parameters["properties"]["unit"] == {"type": "string", "enum": ["c", "f"], "default": "c"}
    assert again.parameters["properties"]["note"] == {"type": ["string", "null"], "default": "x y"}
    assert again.parameters["properties"]["maybe"] == {"type": "array", "items": {"type": "string"}, "nullable": True}
    assert again.parameters["properties"]["place"]["properties"]["box"]["description"] == "Around"
    assert again.parameters["properties"]["either"] == {}
    assert write_tool(again) == write_tool(tool)


@pytest.mark.parametrize(
    "properties",
    [{"a b": {"type": "string"}}, {"a": {"type": "string", "enum": ['"']}}, {"a:": {}}, {"a": {"type": ["strange"]}}],
)
def test_a_tool_that_cannot_be_read_back_is_refused(properties):
    tool = Tool(name="t", parameters={"type": "object", "properties": properties})
    with pytest.raises(CannotCarryError, match=r"^\$\.tools\[0\]: "):
        FORMAT.render(Conversation(messages=(UserMessage(content="Hi"), AssistantMessage(content="")), tools=(tool,)))


TOOLS = "<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n"
SYSTEM = FORMAT.render(Conversation(messages=(UserMessage(content="Hi"),)))["text"].partition("<|start|>user")[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<|start|>user<|message|>Hi<|end|>", "'system<|message|>You are ChatGPT"),
        (f"{SYSTEM}<|start|>user<|message|>Hi", "'<|end|>' is expected"),
        (f"{SYSTEM}<|start|>assistant<|channel|>analysis<|message|>Hm<|end|>", "is expected here"),
        (f"{SYSTEM}<|start|>functions.f to=assistant<|channel|>commentary<|message|>1<|end|>", "no call of f"),
        (f"{SYSTEM}<|start|>nobody<|message|>1<|end|>", "user, assistant or functions.NAME"),
        (f"{SYSTEM}<|start|>developer<|message|>Be brief.<|end|>", "'# Instructions'"),
        (f"{SYSTEM}{TOOLS}// a<|end|>\ntype f = () => any;\n\n}} // namespace functions<|end|>", "'type NAME = ('"),
        (
            f"{SYSTEM}{TOOLS}type f = (_: {{\n// a<|end|>\nb: string,\n}}) => any;\n\n}} // namespace functions<|end|>",
            "control token inside a tool",
        ),
    ],
)
def test_a_text_is_refused_with_position_and_reason(text, reason):
    with pytest.raises(FormatError) as refusal:
        FORMAT.parse({"text": text})
    assert str(refusal.value).startswith("$.text: character ")
    assert reason in str(refusal.value)
