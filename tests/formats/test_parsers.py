"""What a model learns to say, read by the parsers of servers: mlx-lm's, and SGLang's in llm-router-utils.

Both packages are installed without what they depend on. Their files are imported past their packages' own `__init__`.
"""

import importlib
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec
import pytest
from hostile_rows import all_learnt, hostile_rows, no_text_beside_calls, with_identifiers
from nightly import one_in

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS
from generator.formats.format import tool_object

Calls = list[tuple[str, Any]]


def folder_of(distribution: str, inside: str) -> Path:
    return Path(str(importlib.metadata.distribution(distribution).locate_file(inside)))


@cache
def mlx(name: str) -> Callable[..., Any]:
    """`parse_tool_call` of one of mlx-lm's parsers."""
    path = folder_of("mlx-lm", "mlx_lm/tool_parsers") / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"mlx_parser_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.parse_tool_call


@cache
def detector(module: str, name: str) -> Any:
    """One of SGLang's detectors."""
    root = folder_of("llm-router-utils", "llm_router_utils")
    for parts in ((), ("sglang",), ("sglang", "srt"), ("sglang", "srt", "function_call")):
        package = ".".join(("llm_router_utils", *parts))
        if package not in sys.modules:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = [str(root.joinpath(*parts))]
    found = importlib.import_module(f"llm_router_utils.sglang.srt.function_call.{module}")
    return getattr(found, name)


def tools_of(conversation: Conversation) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(tool_object(tool)) for tool in conversation.tools]


def read_by_sglang(module: str, name: str, header: str = "") -> Callable[[str, Conversation], Calls]:
    def read(said: str, conversation: Conversation) -> Calls:
        cls = detector(module, name)
        protocol = importlib.import_module("llm_router_utils.sglang.srt.entrypoints.openai.protocol")
        tools = [protocol.Tool.model_validate(tool) for tool in tools_of(conversation)]
        found = cls().detect_and_parse(header + said, tools)
        return [(call.name, json.loads(call.parameters)) for call in found.calls]

    return read


def read_by_mlx(name: str, start: str = "", end: str = "") -> Callable[[str, Conversation], Calls]:
    """With what the server does before: it hands on what stands between the parser's two markers."""

    def read(said: str, conversation: Conversation) -> Calls:
        pieces = [piece.partition(end)[0] if end else piece for piece in said.split(start)[1:]] if start else [said]
        found: list[Any] = []
        for piece in pieces:
            made = mlx(name)(piece, tools_of(conversation))
            found += made if isinstance(made, list) else [made]
        return [(call["name"], call["arguments"]) for call in found]

    return read


class Reader(NamedTuple):
    """A parser and the format whose turns it reads."""

    fmt: str
    what: str
    read: Callable[[str, Conversation], Calls]
    end: str
    """What ends a turn; a server takes it off."""
    knows: Callable[[ToolCall, Conversation], bool] = lambda call, conversation: True
    """Whether the parser can tell such arguments at all."""
    prepare: Callable[[Conversation], Conversation] = lambda conversation: conversation
    fewest: int = 100
    """Turns with calls that it reads at least."""


def has_types(call: ToolCall, conversation: Conversation) -> bool:
    """The tool declares one type for every argument, and every value is of it: others are read as strings."""
    (tool,) = [tool for tool in conversation.tools if tool.name == call.name]
    properties = (tool.parameters or {}).get("properties", {})
    return all(isinstance(properties.get(key, {}).get("type"), str) for key in call.arguments)


def has_no_negative_number(call: ToolCall, conversation: Conversation) -> bool:
    """SGLang's pythonic detector drops calls with one."""
    return not re.search(r"(?<![^\s\[{(,:])-[0-9]", json.dumps(call.arguments))


def has_plain_name(call: ToolCall, conversation: Conversation) -> bool:
    """SGLang's gpt_oss detector looks for names that begin with a letter or `_`."""
    return bool(re.match(r"[A-Za-z_]", call.name))


def has_types_and_no_great_number(call: ToolCall, conversation: Conversation) -> bool:
    """mlx-lm reads whole numbers by way of floats."""
    numbers = [value for value in call.arguments.values() if isinstance(value, int)]
    return has_types(call, conversation) and all(abs(number) <= 2**53 for number in numbers)


def has_types_and_no_outer_space(call: ToolCall, conversation: Conversation) -> bool:
    """mlx-lm takes white space off both ends of a value."""
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    return has_types(call, conversation) and all(text == text.strip() for text in texts)


READERS = [
    Reader("hermes", "mlx json_tools", read_by_mlx("json_tools", "<tool_call>", "</tool_call>"), "<|im_end|>"),
    Reader("hermes", "sglang hermes", read_by_sglang("hermes_detector", "HermesDetector"), "<|im_end|>"),
    Reader("qwen", "sglang qwen25", read_by_sglang("qwen25_detector", "Qwen25Detector"), "<|im_end|>"),
    Reader("granite", "mlx json_tools", read_by_mlx("json_tools", "<tool_call>", "</tool_call>"), "<|end_of_text|>"),
    Reader(
        "qwen3_coder",
        "mlx qwen3_coder",
        read_by_mlx("qwen3_coder", "<tool_call>\n", "\n</tool_call>"),
        "<|im_end|>",
        has_types_and_no_great_number,
    ),
    Reader(
        "qwen3_coder",
        "sglang qwen3_coder",
        read_by_sglang("qwen3_coder_detector", "Qwen3CoderDetector"),
        "<|im_end|>",
        has_types,
    ),
    Reader(
        "llama3_json",
        "sglang llama32",
        read_by_sglang("llama32_detector", "Llama32Detector"),
        "<|eot_id|>",
        prepare=no_text_beside_calls,
    ),
    Reader("llama_pythonic", "mlx pythonic", read_by_mlx("pythonic"), "<|eot_id|>", prepare=with_identifiers),
    Reader(
        "llama_pythonic",
        "sglang pythonic",
        read_by_sglang("pythonic_detector", "PythonicDetector"),
        "<|eot_id|>",
        has_no_negative_number,
        with_identifiers,
    ),
    Reader("mistral_text", "mlx mistral", read_by_mlx("mistral"), "</s>"),
    Reader("mistral_text", "sglang mistral", read_by_sglang("mistral_detector", "MistralDetector"), "</s>"),
    Reader(
        "deepseek_v3",
        "sglang deepseekv3",
        read_by_sglang("deepseekv3_detector", "DeepSeekV3Detector"),
        "<｜end▁of▁sentence｜>",
    ),
    Reader(
        "deepseek_v31",
        "sglang deepseekv31",
        read_by_sglang("deepseekv31_detector", "DeepSeekV31Detector"),
        "<｜end▁of▁sentence｜>",
    ),
    Reader(
        "kimi_k2",
        "mlx kimi_k2",
        read_by_mlx("kimi_k2", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        "<|im_end|>",
    ),
    Reader("kimi_k2", "sglang kimik2", read_by_sglang("kimik2_detector", "KimiK2Detector"), "<|im_end|>"),
    Reader(
        "harmony-channel",
        "sglang gpt_oss",
        read_by_sglang("gpt_oss_detector", "GptOssDetector", "<|start|>assistant"),
        "",
        has_plain_name,
    ),
    Reader(
        "glm45",
        "mlx glm47",
        read_by_mlx("glm47", "<tool_call>", "</tool_call>"),
        "<|observation|>",
        has_types_and_no_outer_space,
    ),
    Reader(
        "glm45", "sglang glm45", read_by_sglang("glm4_moe_detector", "Glm4MoeDetector"), "<|observation|>", has_types
    ),
]


@pytest.mark.parametrize("reader", one_in(2, READERS), ids=lambda reader: f"{reader.fmt}-{reader.what}")
def test_a_server_reads_the_calls_back(reader):
    fmt = FORMATS[reader.fmt]
    seen = 0
    for row in hostile_rows():
        talk = reader.prepare(all_learnt(row))
        try:
            record = fmt.render(talk)
        except CannotCarryError:
            continue
        carried = fmt.carries(talk)
        turns = [message for message in carried.messages if isinstance(message, AssistantMessage)]
        for turn, (start, end) in zip(turns, record["spans"], strict=True):
            expected = [(call.name, call.arguments) for call in turn.tool_calls]
            if expected and all(reader.knows(call, carried) for call in turn.tool_calls):
                seen += 1
                said = record["text"][start:end].removesuffix(reader.end)
                assert reader.read(said, carried) == expected
    assert seen >= reader.fewest // 2


WITH_REFERENCE = Tool(
    name="book",
    parameters={
        "type": "object",
        "$defs": {"stop": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"$ref": "#/$defs/n"}}}, "n": {"type": "integer"}},
        "properties": {"nights": {"$ref": "#/$defs/n", "description": "How many"}, "stop": {"$ref": "#/$defs/stop"}},
    },
)  # fmt: skip
SPACES = Tool(name="note", parameters={"type": "object", "properties": {"text": {"type": "string"}}})
ELEMENTS = [reader for reader in READERS if reader.fmt in ("qwen3_coder", "glm45")]
KEEPING = [reader for reader in ELEMENTS if reader.what != "mlx glm47"]


def called(tool: Tool, arguments: dict[str, Any]) -> Conversation:
    call = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", tool.name, arguments),))
    return Conversation(messages=(UserMessage(content="Please."), call), tools=(tool,))


def read_by(reader: Reader, name: str, talk: Conversation) -> Calls:
    record = FORMATS[name].render(talk)
    ((start, end),) = record["spans"]
    return reader.read(record["text"][start:end].removesuffix(reader.end), FORMATS[name].carries(talk))


@pytest.mark.parametrize("reader", ELEMENTS, ids=lambda reader: f"{reader.fmt}-{reader.what}")
def test_servers_read_arguments_whose_references_are_inlined(reader):
    arguments = {"nights": 2, "stop": {"city": "Oslo", "nights": 3}}
    with pytest.raises(CannotCarryError, match="inline_refs"):
        FORMATS[reader.fmt].render(called(WITH_REFERENCE, arguments))
    assert read_by(reader, f"{reader.fmt}-inline_refs", called(WITH_REFERENCE, arguments)) == [("book", arguments)]


@pytest.mark.parametrize("reader", KEEPING, ids=lambda reader: f"{reader.fmt}-{reader.what}")
@pytest.mark.parametrize("text", [" around ", "  two", "tail\t", "line\n"])
def test_servers_keep_white_space_around_values(reader, text):
    assert read_by(reader, reader.fmt, called(SPACES, {"text": text})) == [("note", {"text": text})]
