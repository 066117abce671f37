"""Mistral's text against the tokenizers of mistral-common: the same text, in every version."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import mistral_common
import pytest
from hostile_rows import hostile_rows, no_empty_answers, no_text_beside_calls
from mistral_common.protocol.instruct import messages as theirs
from mistral_common.protocol.instruct.request import InstructRequest
from mistral_common.protocol.instruct.tool_calls import Function, FunctionCall
from mistral_common.protocol.instruct.tool_calls import Tool as TheirTool
from mistral_common.protocol.instruct.tool_calls import ToolCall as TheirCall
from mistral_common.tokens.tokenizers import instruct
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy, TokenizerVersion
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from nightly import one_in

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

TIME = Tool(name="get_time", description="The time.", parameters={"type": "object"})
TALK = Conversation(
    messages=(
        SystemMessage(content="Be brief."),
        UserMessage(content="What time is it in Oslo?"),
        AssistantMessage(tool_calls=(ToolCall(id="a1B2c3D4e", name="get_time", arguments={"city": "Oslo"}),)),
        ToolMessage(tool_call_id="a1B2c3D4e", content='{"time":"15:30"}'),
        AssistantMessage(content="It is 15:30."),
    ),
    tools=(TIME,),
)
DECLARED = '[{"type": "function", "function": {"name": "get_time", "description": "The time.", "parameters": {"type": "object"}}}]'
WRITTEN = {
    "v3": (
        f"<s>[AVAILABLE_TOOLS] {DECLARED}[/AVAILABLE_TOOLS][INST] Be brief.\n\nWhat time is it in Oslo?[/INST]"
        '[TOOL_CALLS] [{"name": "get_time", "arguments": {"city": "Oslo"}, "id": "a1B2c3D4e"}]</s>'
        '[TOOL_RESULTS] {"content": {"time": "15:30"}, "call_id": "a1B2c3D4e"}[/TOOL_RESULTS] It is 15:30.</s>'
    ),
    "v7": (
        f"<s>[SYSTEM_PROMPT] Be brief.[/SYSTEM_PROMPT][AVAILABLE_TOOLS] {DECLARED}[/AVAILABLE_TOOLS]"
        "[INST] What time is it in Oslo?[/INST]"
        '[TOOL_CALLS] [{"name": "get_time", "arguments": {"city": "Oslo"}, "id": "a1B2c3D4e"}]</s>'
        '[TOOL_RESULTS] a1B2c3D4e[TOOL_CONTENT] {"time":"15:30"}[/TOOL_RESULTS] It is 15:30.</s>'
    ),
    "v11": (
        f"<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][AVAILABLE_TOOLS]{DECLARED}[/AVAILABLE_TOOLS]"
        '[INST]What time is it in Oslo?[/INST][TOOL_CALLS]get_time[CALL_ID]a1B2c3D4e[ARGS]{"city": "Oslo"}</s>'
        '[TOOL_RESULTS]a1B2c3D4e[TOOL_CONTENT]{"time":"15:30"}[/TOOL_RESULTS]It is 15:30.</s>'
    ),
    "v13": (
        f"<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][AVAILABLE_TOOLS]{DECLARED}[/AVAILABLE_TOOLS]"
        '[INST]What time is it in Oslo?[/INST][TOOL_CALLS]get_time[ARGS]{"city": "Oslo"}</s>'
        '[TOOL_RESULTS]{"time":"15:30"}[/TOOL_RESULTS]It is 15:30.</s>'
    ),
}
VERSIONS = {fmt.options[0][1]: fmt for fmt in FORMATS.values() if fmt.family == "mistral_text"}
every_version = pytest.mark.parametrize("version", one_in(2, VERSIONS))


@cache
def tekken(version: str) -> Any:
    """A tokenizer of that version with the vocabulary that mistral-common ships, which is of an earlier one."""
    raw = json.loads((Path(mistral_common.__file__).parent / "data" / "tekken_240718.json").read_text(encoding="utf-8"))
    config = raw["config"]
    special = [dict(token) for token in Tekkenizer.DEPRECATED_SPECIAL_TOKENS]
    special += [
        {"rank": len(special) + i, "token_str": token, "is_control": True}
        for i, token in enumerate(["[ARGS]", "[CALL_ID]"])
    ]
    kind = {"v3": "V3", "v7": "V7", "v11": "V11", "v13": "V13"}[version]
    tokenizer = Tekkenizer(
        raw["vocab"],
        special,
        pattern=config["pattern"],
        vocab_size=config["default_vocab_size"],
        num_special_tokens=config["default_num_special_tokens"],
        version=TokenizerVersion(version),
    )
    return getattr(instruct, f"InstructTokenizer{kind}")(tokenizer)


@cache
def tokenizer_of(version: str) -> Any:
    if version in ("v3", "v7"):
        return getattr(MistralTokenizer, version)().instruct_tokenizer
    return tekken(version.removesuffix("-tekken"))


def request_of(conversation: Conversation) -> InstructRequest[Any, Any]:
    messages: list[Any] = []
    for message in conversation.messages:
        if isinstance(message, SystemMessage):
            messages.append(theirs.SystemMessage(content=message.content))
        elif isinstance(message, UserMessage):
            messages.append(theirs.UserMessage(content=message.content))
        elif isinstance(message, ToolMessage):
            messages.append(theirs.ToolMessage(tool_call_id=message.tool_call_id, content=message.content))
        else:
            calls = [
                TheirCall(id=c.id, function=FunctionCall(name=c.name, arguments=json.dumps(c.arguments)))
                for c in message.tool_calls
            ]
            messages.append(theirs.AssistantMessage(content=message.content, tool_calls=calls or None))
    tools = [
        TheirTool(function=Function(name=t.name, description=t.description or "", parameters=t.parameters or {}))
        for t in conversation.tools
    ]
    return InstructRequest(messages=messages, available_tools=tools or None)


def tokenized(conversation: Conversation, version: str) -> str:
    """The text of the tokens, with spaces and line breaks as such."""
    tokenizer = tokenizer_of(version)
    tokens = tokenizer.encode_instruct(request_of(conversation)).tokens
    text = str(tokenizer.decode(tokens, special_token_policy=SpecialTokenPolicy.KEEP))
    if version in ("v3", "v7"):
        pieces = text.replace("\u2581", " ")
        raw = bytearray()
        while pieces:
            at = pieces.find("<0x")
            if at < 0 or pieces[at + 5 : at + 6] != ">":
                raw += pieces.encode()
                break
            raw += pieces[:at].encode() + bytes([int(pieces[at + 3 : at + 5], 16)])
            pieces = pieces[at + 6 :]
        return raw.decode()
    return text


@every_version
def test_the_text_is_what_the_tokenizer_takes_in(version):
    fmt = VERSIONS[version]
    seen = 0
    for row in hostile_rows():
        if version.startswith("v3"):
            row = no_text_beside_calls(row)
        try:
            record = fmt.render(no_empty_answers(row))
        except CannotCarryError:
            continue
        seen += 1
        carried = fmt.carries(no_empty_answers(row))
        assert record["text"] == tokenized(carried, version)
        assert fmt.parse(record) == carried
    assert seen >= 45


@pytest.mark.parametrize("version", WRITTEN)
def test_a_whole_record(version):
    record = VERSIONS[version].render(TALK)
    assert record["text"] == WRITTEN[version]
    learnt = [record["text"][start:end] for start, end in record["spans"]]
    assert len(learnt) == 2
    assert learnt[0].startswith("[TOOL_CALLS]")
    assert learnt[1].strip() == "It is 15:30.</s>"


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("[INST]Hi[/INST]", 0, "'<s>' is expected"),
        ("<s>[INST]Hi[/INST]Hello", 23, "'</s>' is expected"),
        ("<s>[INST]Hi</s>", 11, "'[/INST]' is expected"),
        ("<s>[INST]Hi[/INST][TOOL_CALLS]f[ARGS]{]</s>", 38, "not JSON"),
        ("<s>[INST]Hi[/INST][TOOL_CALLS] [ARGS]{}</s>", 30, "the name of a tool"),
        ("<s>[INST]Hi[/INST][TOOL_RESULTS]1[/TOOL_RESULTS]", 18, "no call left"),
        ("<s>[INST]Hi[/INST]Hello</s>[AVAILABLE_TOOLS][][/AVAILABLE_TOOLS][INST]Hi[/INST]", 27, "the first user turn"),
        ("<s>[AVAILABLE_TOOLS]{}[/AVAILABLE_TOOLS][INST]Hi[/INST]", 20, "'[' is expected"),
    ],
)
def test_a_text_is_refused_with_position_and_reason(text, position, reason):
    with pytest.raises(FormatError) as refusal:
        VERSIONS["v13"].parse({"text": text})
    assert str(refusal.value).startswith(f"$.text: character {position} (line 1): ")
    assert reason in str(refusal.value)


CALLS = '<s>[INST]Hi[/INST][TOOL_CALLS][{"name": "f", "arguments": {}, "id": "a1B2c3D4e"}]</s>'
LISTED = "a list of objects with `name`, `arguments` and `id` is expected here"


@pytest.mark.parametrize(
    ("version", "text", "position", "reason"),
    [
        ("v7-tekken", f"{CALLS}[TOOL_RESULTS]a1B2c3D4e[/TOOL_RESULTS]", 108, "'[TOOL_CONTENT]' is expected here"),
        (
            "v7-tekken",
            f"{CALLS}[TOOL_RESULTS]1[/TOOL_RESULTS][TOOL_RESULTS]1[TOOL_CONTENT]1[/TOOL_RESULTS]",
            100,
            "'[TOOL_CONTENT]' is expected here",
        ),
        ("v7-tekken", f"{CALLS}[TOOL_RESULTS]1[TOOL_CONTENT]2[/TOOL_RESULTS]", 85, "no call left"),
        ("v7-tekken", '<s>[INST]Hi[/INST][TOOL_CALLS]{"name": "f"}</s>', 30, LISTED),
        ("v3-tekken", "<s>[INST]Hi[/INST][TOOL_CALLS][]</s>", 30, LISTED),
        (
            "v11",
            '<s>[INST]Hi[/INST][TOOL_CALLS]f[CALL_ID]a1B2c3D4e[ARGS]{"c": "a</s>"}</s>',
            63,
            "</s> does not belong here",
        ),
    ],
)
def test_a_text_of_an_earlier_version_is_refused_with_position_and_reason(version, text, position, reason):
    with pytest.raises(FormatError) as refusal:
        VERSIONS[version].parse({"text": text})
    assert str(refusal.value).startswith(f"$.text: character {position} (line 1): ")
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    ("version", "messages", "place", "reason"),
    [
        (
            "v3",
            [AssistantMessage(content="So.", tool_calls=TALK.messages[2].tool_calls)],
            1,
            "beside calls, for which the format has no",
        ),
        ("v13", [AssistantMessage(content="  ")], 1, "an empty answer"),
        ("v7", [AssistantMessage(tool_calls=(ToolCall(id="call_1", name="f", arguments={}),))], 1, "nine letters"),
        ("v3", [*TALK.messages[2:3], ToolMessage(tool_call_id="a1B2c3D4e", content='"1"')], 2, "again holds JSON"),
        ("v3", [*TALK.messages[2:3], ToolMessage(tool_call_id="a1B2c3D4e", content="[NaN]")], 2, "not JSON"),
    ],
)
def test_what_the_tokenizers_refuse_or_change_is_refused(version, messages, place, reason):
    with pytest.raises(CannotCarryError) as refusal:
        VERSIONS[version].render(Conversation(messages=(UserMessage(content="Hi"), *messages)))
    assert str(refusal.value).startswith(f"$.messages[{place}]")
    assert reason in str(refusal.value)
