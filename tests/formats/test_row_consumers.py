"""What we write is read by the programs that it is written for: at least 100 varied rows each."""

import copy
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import msgspec
import orjson
import pytest
from chat_templates import template
from consumers import bfcl_verdict as verdict
from consumers import converter_of, llamafactory, part_of, varied_rows

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS
from generator.formats.steps import thought_of, turns

ENOUGH = 100
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@cache
def written(name: str) -> list[tuple[Conversation, Any]]:
    """(conversation, its record as it comes out of a file) for all rows that the format carries."""
    rows = []
    for conversation in varied_rows():
        try:
            record = FORMATS[name].render(conversation)
        except CannotCarryError:
            continue
        rows.append((conversation, orjson.loads(orjson.dumps(record))))
    assert len(rows) >= ENOUGH, name
    return rows


def through(value: Any) -> Any:
    """Take all of what pydantic reads only when it is asked for."""
    if isinstance(value, dict):
        return {key: through(item) for key, item in value.items()}
    return [through(item) for item in value] if isinstance(value, Iterator | list) or _is_lazy(value) else value


def _is_lazy(value: Any) -> bool:
    return type(value).__name__ == "ValidatorIterator"


@pytest.mark.parametrize(
    ("name", "versions"), [("mistral", ("v3", "v7", "v13")), ("mistral-v13", ("v7", "v13")), ("openai", ())]
)
def test_mistral_common_takes_the_rows(name, versions):
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
    from mistral_common.tokens.tokenizers.base import TokenizerVersion

    validators = [get_validator(TokenizerVersion(version), ValidationMode.finetuning) for version in versions]
    for _, record in written(name):
        for validator in validators:
            request = ChatCompletionRequest.from_openai(record["messages"], record.get("tools"))
            validator.validate_request(request)
        if not validators:  # converts what OpenAI's rows say
            ChatCompletionRequest.from_openai(
                record["messages"], [t for t in record.get("tools", []) if "parameters" in t["function"]]
            )


def test_openai_types_take_the_rows():
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
    from pydantic import TypeAdapter

    messages, tools = TypeAdapter(list[ChatCompletionMessageParam]), TypeAdapter(list[ChatCompletionToolParam])
    for _, record in written("openai"):
        through(messages.validate_python(record["messages"]))
        tools.validate_python(record.get("tools", []))


def test_anthropic_types_take_the_rows():
    from anthropic.types import MessageParam, ToolParam
    from pydantic import TypeAdapter

    messages, tools = TypeAdapter(list[MessageParam]), TypeAdapter(list[ToolParam])
    for _, record in written("anthropic"):
        through(messages.validate_python(record["messages"]))
        tools.validate_python(record.get("tools", []))


def test_google_types_take_the_rows():
    from google.genai import types

    for conversation, record in written("gemini"):
        contents = [types.Content.model_validate(content) for content in record["contents"]]
        tools = [types.Tool.model_validate(tool) for tool in record.get("tools", [])]
        called = [part.function_call.args for content in contents for part in content.parts if part.function_call]
        assert called == [call.arguments for call in calls_of(conversation)]
        declared = [d.parameters_json_schema for tool in tools for d in tool.function_declarations]
        assert declared == [tool.parameters for tool in conversation.tools]


def calls_of(conversation: Conversation) -> list[Any]:
    return [c for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]


def as_openai(conversation: Conversation) -> list[dict[str, Any]]:
    """The messages as another program is given them, to turn them into another format."""
    return copy.deepcopy(FORMATS["openai"].render(conversation)["messages"])


def test_litellm_makes_the_same_anthropic_messages():
    from litellm.litellm_core_utils.prompt_templates.factory import anthropic_messages_pt

    compared = 0
    for conversation, record in written("anthropic"):
        if isinstance(conversation.messages[0], SystemMessage):
            conversation = Conversation(messages=conversation.messages[1:], tools=conversation.tools)
        if any(m.is_error for m in conversation.messages if isinstance(m, ToolMessage)):
            continue  # OpenAI's messages do not say it
        carried = FORMATS["anthropic"].carries(conversation)
        theirs = anthropic_messages_pt(as_openai(carried), model="claude", llm_provider="anthropic")
        assert [blocks_of(m, strip=True) for m in theirs] == [blocks_of(m, strip=True) for m in record["messages"]]
        compared += 1
    assert compared >= ENOUGH // 2


def blocks_of(message: dict[str, Any], *, strip: bool) -> tuple[str, list[Any]]:
    """Role and blocks, text as a block; litellm drops the white space that the last message ends with."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [dict(block) for block in content]
    for block in blocks:
        if strip and "text" in block:
            block["text"] = block["text"].rstrip()
        if isinstance(block.get("content"), list):
            block["content"] = "".join(part["text"] for part in block["content"])
    kept = [block for block in blocks if block["type"] != "thinking"]  # which OpenAI's messages do not say
    return message["role"], [block for block in kept if block.get("text", "x") != "" or block["type"] != "text"]


def test_litellm_makes_the_same_gemini_calls():
    from litellm.llms.vertex_ai.gemini.transformation import _gemini_convert_messages_with_history

    for conversation, record in written("gemini")[:ENOUGH]:
        messages = [m for m in as_openai(FORMATS["gemini"].carries(conversation)) if m["role"] != "system"]
        theirs = _gemini_convert_messages_with_history(messages)
        assert [calls_in(content) for content in theirs if calls_in(content)] == [
            calls_in(content) for content in record["contents"] if calls_in(content)
        ]


def calls_in(content: Any) -> list[tuple[str, Any]]:
    found = [part.get("functionCall") or part.get("function_call") for part in content["parts"]]
    return [(call["name"], call["args"]) for call in found if call]


def test_deepfabric_takes_the_rows():
    schemas = part_of("deepfabric", "deepfabric.schemas")
    for conversation, record in written("deepfabric-string"):
        read = schemas.Conversation.model_validate(record)
        calls = [call for message in read.messages for call in message.tool_calls or ()]
        assert [call.id for call in calls] == [call.id for call in calls_of(conversation)]
        theirs = [json.loads(call.function.arguments) for call in calls]
        assert theirs == [without_nulls(call.arguments) for call in calls_of(conversation)]


def without_nulls(arguments: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if value is not None}


def test_llamafactory_takes_the_sharegpt_rows():
    convert = converter_of("sharegpt")
    formatter = llamafactory("formatter").FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
    tool_text = llamafactory("formatter").ToolFormatter(tool_format="qwen")
    for conversation, record in written("sharegpt"):
        example = convert(record)
        entries = example["_prompt"] + example["_response"]
        steps = [m for m, _ in turns(conversation.messages) if isinstance(m, AssistantMessage)]
        assert len(example["_response"]) == 1  # none when it leaves a row out
        theirs = [entry for entry in entries if entry["role"] in ("assistant", "function")]
        assert len(theirs) == len(steps)
        for entry, message in zip(theirs, steps, strict=True):
            thought = f"<think>\n{thought_of(message)}\n</think>\n\n" if thought_of(message) else ""
            assert entry["content"].startswith(thought)
            if message.tool_calls:
                made = [(call.name, call.arguments) for call in message.tool_calls]
                values = json.loads(entry["content"].removeprefix(thought))
                values = values if isinstance(values, list) else [values]
                assert [(value["name"], value["arguments"]) for value in values] == made
                (said,) = formatter.apply(content=entry["content"], thought_words=("<think>\n", "\n</think>\n\n"))
                assert said.startswith(thought + "<tool_call>")
            else:
                assert entry["content"] == thought + message.content
        if record["tools"]:
            assert all(tool.name in tool_text.apply(content=example["_tools"])[0] for tool in conversation.tools)


@pytest.mark.parametrize("calls", ["qwen", "llama3", "mistral"])
def test_llamafactory_reads_the_calls_of_the_alpaca_rows_as_its_own(calls):
    convert, tool_utils = converter_of("alpaca"), llamafactory("tool_utils")
    utils = tool_utils.get_tool_utils(calls)
    for conversation, record in written(f"alpaca-{calls}"):
        example = convert(record)
        assert [entry["role"] for entry in example["_prompt"] + example["_response"]] == ["user", "assistant"]
        assert example["_prompt"][0]["content"] == next(
            m.content for m in conversation.messages if m.content is not None and not isinstance(m, SystemMessage)
        )
        (made,) = [
            m.tool_calls
            for m in FORMATS["alpaca-qwen"].carries(conversation).messages
            if isinstance(m, AssistantMessage)
        ]
        if made:
            functions = [tool_utils.FunctionCall(call.name, json.dumps(call.arguments)) for call in made]
            assert example["_response"][0]["content"] == utils.function_formatter(functions)
            found = utils.tool_extractor(record["output"])
            assert [(call.name, json.loads(call.arguments)) for call in found] == [(c.name, c.arguments) for c in made]


def test_bfcl_accepts_the_calls_of_the_row_and_no_others():
    checked = mutated = 0
    for conversation, record in written("bfcl"):
        if "ground_truth" not in record:
            continue
        made = next(m for m in conversation.messages if isinstance(m, AssistantMessage)).tool_calls
        calls = [{call.name: call.arguments} for call in made]
        assert verdict(record, calls), record
        assert not verdict(record, calls[1:])
        checked += 1
        for call in calls:
            ((name, arguments),) = call.items()
            for key, value in arguments.items():
                if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**50:
                    wrong = [c if c is not call else {name: arguments | {key: value + 1}} for c in calls]
                    if not any(c is not call and name in c for c in calls):
                        assert not verdict(record, wrong)
                        mutated += 1
    assert checked >= ENOUGH // 2  # of the drawn conversations more or fewer have one step
    assert mutated


SEVERAL_CALLS = [
    "qwen2_5",
    "qwen3",
    "qwen3_5_think",
    "qwen3_6",
    "qwen3_8",
    "glm4moe",
    "gemma4",
    "lfm2_2_5",
    "nemotron_3_nano",
]
ONE_CALL = ["llama3_1", "llama3_2", "gptoss"]
TOLD = {"bos_token": "", "strftime_now": lambda _: "2026-03-14"}
AT_ONCE = Conversation(
    messages=(
        UserMessage(content="Please."),
        AssistantMessage(
            tool_calls=(ToolCall("aaaaaaaa1", "f", {"a": "FIRST"}), ToolCall("aaaaaaaa2", "f", {"a": "SECOND"}))
        ),
        ToolMessage(tool_call_id="aaaaaaaa1", content="RESULT1"),
        ToolMessage(tool_call_id="aaaaaaaa2", content="RESULT2"),
        AssistantMessage(content="DONE"),
    ),
    tools=(
        Tool(name="f", description="A tool.", parameters={"type": "object", "properties": {"a": {"type": "string"}}}),
    ),
)


@pytest.mark.parametrize("name", SEVERAL_CALLS)
def test_chat_templates_take_the_trl_rows(name):
    for conversation, record in written("trl")[: ENOUGH + 40]:
        text = template("trl", name).render(messages=record["messages"], tools=record.get("tools"), **TOLD)
        for call in calls_of(conversation):
            assert call.name in text
            assert all(key in text for key in call.arguments if key.isidentifier())


@pytest.mark.parametrize(
    ("fmt", "name"), [*[("trl", name) for name in SEVERAL_CALLS], *[("trl-split", name) for name in ONE_CALL]]
)
def test_chat_templates_write_calls_made_at_once_whole_and_in_order(fmt, name):
    record = FORMATS[fmt].render(AT_ONCE)
    text = template("trl", name).render(messages=record["messages"], tools=record["tools"], **TOLD)
    words = re.findall("FIRST|SECOND|RESULT1|RESULT2|DONE", text)
    together = ["FIRST", "SECOND", "RESULT1", "RESULT2", "DONE"]
    assert words == (together if fmt == "trl" else ["FIRST", "RESULT1", "SECOND", "RESULT2", "DONE"])


@pytest.mark.parametrize("name", ONE_CALL)
def test_some_templates_do_not_write_calls_made_at_once(name):
    record = FORMATS["trl"].render(AT_ONCE)
    try:
        text = template("trl", name).render(messages=record["messages"], tools=record["tools"], **TOLD)
    except ValueError:
        return
    assert "SECOND" not in text


RAISING = ["cohere", "cohere2", "deepseekv3", "gemma", "gemma3"]
SILENT = ["llama3", "phi3", "phi3_5", "qwen2_5_vl", "deepseek_r1_distill"]


@pytest.mark.parametrize("name", [*RAISING, "deepseekv3_training", *SILENT])
def test_the_page_says_which_templates_cannot_have_rows_with_calls(name):
    record = FORMATS["trl"].render(
        msgspec.structs.replace(AT_ONCE, messages=AT_ONCE.messages[:1] + AT_ONCE.messages[-1:])
    )
    talk = FORMATS["trl"].render(AT_ONCE)
    written = template("trl", name).render(messages=record["messages"], tools=record["tools"], **TOLD)
    assert "A tool." not in written
    if name in RAISING:
        with pytest.raises((ValueError, TypeError)):
            template("trl", name).render(messages=talk["messages"], tools=talk["tools"], **TOLD)
    else:
        text = template("trl", name).render(messages=talk["messages"], tools=talk["tools"], **TOLD)
        assert ("FIRST" in text) == (name == "deepseekv3_training")


@pytest.mark.parametrize("name", ["qwen3_5_think", "qwen3_6", "qwen3_8"])
def test_the_page_says_which_templates_want_system_messages_first(name):
    later = (
        *AT_ONCE.messages,
        SystemMessage(content="Be brief."),
        UserMessage(content="Bye."),
        AssistantMessage(content="Bye."),
    )
    record = FORMATS["trl"].render(msgspec.structs.replace(AT_ONCE, messages=later))
    with pytest.raises(ValueError, match="System message must be at the beginning"):
        template("trl", name).render(messages=record["messages"], tools=record["tools"], **TOLD)


def test_ms_swift_reads_the_calls_and_tools_of_the_swift_rows():
    try:
        distribution("ms-swift")
    except PackageNotFoundError:
        pytest.skip("needs ms-swift: pip install --no-deps -r tests/trainers.txt")
    template = part_of("ms-swift", "swift.agent_template.hermes", "swift.infer_engine", "swift.template")
    reader = template.HermesAgentTemplate()
    rows = written("swift")
    assert len(rows) >= ENOUGH
    for conversation, record in rows:
        messages = [message for message in record["messages"] if message["role"] == "tool_call"]
        read = [reader._parse_tool_call(message["content"]) for message in messages]
        assert read == [{"name": call.name, "arguments": through(call.arguments)} for call in calls_of(conversation)]
        text = reader._format_tool_calls(messages)
        assert [json.loads(part) for part in re.findall(r"<tool_call>\n(.*)\n</tool_call>", text)] == read
        tools = json.loads(record.get("tools", "[]"))
        assert all(tool["function"]["name"] in reader._format_tools(tools) for tool in tools)


def test_openai_takes_the_items_of_the_responses_rows():
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam
    from pydantic import TypeAdapter

    items, tools = TypeAdapter(list[ResponseInputItemParam]), TypeAdapter(list[FunctionToolParam])
    rows = [record for _, record in written("responses")]
    rows += [record["responses_create_params"] for _, record in written("nemo_gym")]
    assert len(rows) >= 2 * ENOUGH
    for record in rows:
        items.validate_python(record["input"])
        tools.validate_python(record.get("tools", []))


def test_datasets_gives_the_verl_rows_to_verl_as_they_are(tmp_path):
    from datasets import load_dataset

    rows = [record for _, record in written("verl")]
    assert len(rows) >= ENOUGH
    (tmp_path / "verl.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    data = load_dataset("json", data_files=str(tmp_path / "verl.jsonl"), split="train", cache_dir=str(tmp_path))
    for row, read in zip(rows, data, strict=True):
        assert [(m["role"], m["content"]) for m in read["prompt"]] == [(m["role"], m["content"]) for m in row["prompt"]]
        assert (read["reward_model"], read["extra_info"]) == (row["reward_model"], row["extra_info"])
