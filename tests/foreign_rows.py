"""Rows as other people write them, with what each means here and what is counted; all values are made up."""

import json
from typing import Any

ARGUMENTS = {"city": "Zürich", "note": 'a "b" {c}\n', "big": 2**70, "none": {}}


def call(arguments: Any, call_id: Any = "call_1", **more: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}} | more


def openai_row(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": "Hi"}, *messages, {"role": "assistant", "content": "Done."}]
    } | more


def assistant(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)} | more


def result(call_id: Any = "call_1", content: str = "ok", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, "name": "f"} | more


TEXT = json.dumps(ARGUMENTS)
FOREIGN = [
    ("openai", openai_row(assistant(call(TEXT)), result()), {}),
    ("openai", openai_row(assistant(call(json.dumps(TEXT))), result()), {"encoded_twice": 1}),
    ("openai", openai_row(assistant(call(ARGUMENTS)), result()), {}),
    ("trl", openai_row(assistant(call(TEXT)), result()), {"encoded_twice": 1}),
    ("trl", openai_row(assistant(call(ARGUMENTS, None)), {"role": "tool", "content": "ok", "name": "f"}), {"id_missing": 1, "result_by_order": 1}),
    ("deepfabric", openai_row(assistant(call(TEXT)), result()), {"encoded_twice": 1}),
    ("deepfabric-string", openai_row(assistant(call(TEXT)), result()), {}),
    ("openai", openai_row(assistant(call(TEXT)), result(name=None)), {}),
    ("deepfabric", openai_row(assistant(call(ARGUMENTS)), result(name=None)), {"tool_name": 1}),
    ("openai", openai_row(assistant(call(TEXT, type=None)), result()), {"type_missing": 1}),
    ("openai", openai_row(assistant(call(TEXT)), result("call_9")), {"result_by_order": 1}),
    ("openai", openai_row(assistant(call(TEXT)), result(), assistant(call("{}")), result()), {"id_reused": 1}),
    ("openai", openai_row(assistant(call(TEXT), call("{}", "call_1")), result(), result(content="2")), {"id_reused": 1}),
    ("openai", openai_row({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": TEXT}}, {"role": "function", "name": "f", "content": "ok"}), {"function_call": 2, "id_missing": 1, "result_by_order": 1}),
    ("sharegpt", {"conversations": [
        {"from": "user", "value": "Hi"}, {"from": "function_call", "value": json.dumps([{"name": "f", "arguments": TEXT}])},
        {"from": "tool", "value": "ok"}, {"from": "assistant", "value": "Done."}], "tools": "[]"}, {"encoded_twice": 1, "role_named": 3}),
    ("anthropic", {"messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": ARGUMENTS}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "ok"}]}]},
        {"role": "assistant", "content": "Done."}]}, {}),
    ("sharegpt", {"conversations": [
        {"from": "system", "value": "Call functions.\n<tools>\n[{'type': 'function', 'function': {'name': 'f'}}]\n</tools>"},
        {"from": "human", "value": "Hi"},
        {"from": "gpt", "value": f"One moment.\n<tool_call>\n{json.dumps({'name': 'f', 'arguments': ARGUMENTS})}\n</tool_call>"},
        {"from": "tool", "value": "<tool_response>\n{'name': 'f', 'content': {'ok': True}}\n</tool_response>"},
        {"from": "gpt", "value": "Done."}]}, {"role_named": 1}),
    ("xlam", {"id": 3, "query": "Hi", "answers": json.dumps([{"name": "f", "arguments": ARGUMENTS}]), "tools": "[]"}, {}),
    ("gemini", {"contents": [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"function_call": {"name": "f", "args": ARGUMENTS}}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"output": "ok"}}}]},
        {"role": "model", "parts": [{"text": "Done."}]}]}, {}),
]  # fmt: skip


SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "day": {"type": ["string", "null"]}},
    "required": ["city"],
}
FUNCTION = {"name": "get_tide", "description": "Tides of a harbour.", "parameters": SCHEMA}
TOOL = {"type": "function", "function": FUNCTION}
CALL = {"name": "get_tide", "arguments": {"city": "Bergen"}}
OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": "get_tide", "arguments": '{"city": "Bergen"}'}}
ASKED = {"role": "user", "content": "Tide at Bergen?"}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "2 m"}
ANSWER = {"role": "assistant", "content": "2 m."}


def row(*between: dict[str, Any], tools: Any = (TOOL,), **more: Any) -> dict[str, Any]:
    """A request, what stands between, and an answer."""
    return {"messages": [ASKED, *between, ANSWER], "tools": list(tools) if isinstance(tools, tuple) else tools, **more}


def calling(calls: Any = (OPENAI_CALL,), **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": list(calls) if isinstance(calls, tuple) else calls,
        **more,
    }


WANTED = [("get_tide", {"city": "Bergen"})]
SAID = ["Tide at Bergen?", "", "2 m", "2 m."]

MENDED: list[tuple[str, dict[str, Any], dict[str, int], list[Any], list[str]]] = [
    ("openai", row(calling(json.dumps([OPENAI_CALL])), RESULT), {"calls_encoded": 1}, WANTED, SAID),
    ("openai", row(calling((json.dumps(OPENAI_CALL),)), RESULT), {"calls_encoded": 1}, WANTED, SAID),
    ("openai", row(calling(OPENAI_CALL), RESULT), {"calls_unlisted": 1}, WANTED, SAID),
    ("openai", row(calling(({"id": "c1", **CALL},)), RESULT), {"calls_flat": 1}, WANTED, SAID),
    ("openai", row(calling(({"id": "c1", "name": "get_tide", "args": '{"city": "Bergen"}'},)), RESULT), {"calls_flat": 1}, WANTED, SAID),
    ("openai", row({"role": "assistant", "content": None, "toolCalls": [OPENAI_CALL]}, RESULT), {"key_spelled": 1}, WANTED, SAID),
    ("openai", row(calling(), RESULT, tools=None, functions=[FUNCTION]), {"key_spelled": 1, "tools_flat": 1}, WANTED, SAID),
    ("openai", row(calling(), RESULT, tools=None, tool_defs=json.dumps([TOOL])), {"key_spelled": 1, "tools_encoded": 1}, WANTED, SAID),
    ("openai", row(calling(), RESULT, tools=(json.dumps(TOOL),)), {"tools_encoded": 1}, WANTED, SAID),
    ("openai", row(calling(), RESULT, tools=json.dumps([TOOL])), {"tools_encoded": 1}, WANTED, SAID),
    ("openai", row(calling(), RESULT, tools=({"type": "function", "function": FUNCTION | {"parameters": json.dumps(SCHEMA)}},)), {"tools_encoded": 1}, WANTED, SAID),
    ("axolotl", row(calling(), RESULT, tools=({"type": "function", "function": FUNCTION | {"parameters": json.dumps(SCHEMA)}},)), {}, WANTED, SAID),
    ("openai", row(calling(), RESULT, tools=({"type": "function", "function": FUNCTION | {"parameters": SCHEMA["properties"]}},)), {"parameters_map": 1}, WANTED, SAID),
    ("openai", row(calling(({"id": "c1", "type": "custom", "custom": {"name": "sh", "input": "ls"}},)), RESULT, tools=({"type": "custom", "custom": {"name": "sh"}},)), {"custom": 2}, [("sh", {"input": "ls"})], SAID),
    ("trl", row(calling(({"id": "c1", "type": "function", "function": CALL | {"arguments": {"city": "Bergen", "zone": None}}},)), RESULT), {"null_filled": 1}, WANTED, SAID),
    ("trl", row(calling(({"id": "c1", "type": "function", "function": CALL | {"arguments": {"city": "Bergen", "day": None}}},)), RESULT), {}, [("get_tide", {"city": "Bergen", "day": None})], SAID),
    ("trl", row(calling(), RESULT, tools=({"type": "function", "function": FUNCTION | {"parameters": SCHEMA | {"properties": SCHEMA["properties"] | {"zone": None}}}},)), {"null_filled": 1, "encoded_twice": 1}, WANTED, SAID),
    ("openai", row(calling(({"id": "c1", "type": "function", "function": {"name": "get_tide", "arguments": "{'city': 'Bergen'}"}},)), RESULT), {"python_literals": 1}, WANTED, SAID),
    ("openai", row(calling(({"id": "c1", "type": "function", "function": {"name": "get_tide", "arguments": "null"}},)), RESULT), {"arguments_missing": 1}, [("get_tide", {})], SAID),
    ("openai", row(calling(), RESULT | {"content": {"m": 2}}), {"result_value": 1}, WANTED, [*SAID[:2], '{"m":2}', "2 m."]),
    ("openai", row(calling(), RESULT | {"content": None}), {"result_value": 1}, WANTED, [*SAID[:2], "null", "2 m."]),
    ("openai", row(calling(), RESULT | {"content": [{"type": "text", "text": "2"}, {"type": "text", "text": "m"}]}), {}, WANTED, [*SAID[:2], "2\nm", "2 m."]),
    ("openai", row({"role": "assistant", "content": "I look."}, calling(), RESULT), {"assistant_joined": 1}, WANTED, ["Tide at Bergen?", "I look.", "2 m", "2 m."]),
    ("openai", row(calling(), calling(({**OPENAI_CALL, "id": "c2"},)), RESULT, RESULT | {"tool_call_id": "c2"}), {"assistant_joined": 1}, WANTED * 2, ["Tide at Bergen?", "", "2 m", "2 m", "2 m."]),
    ("openai", {"messages": [{"role": "human", "content": "Hi"}, {"role": "gpt", "content": "Hello."}]}, {"role_named": 2}, [], ["Hi", "Hello."]),
    ("deepfabric", row(calling(({"id": "c1", **CALL, "requestor": "assistant"},)), {"id": "c1", "role": "tool", "content": "2 m", "error": False}), {"calls_flat": 1}, WANTED, SAID),
    ("sharegpt", {"conversations": [{"from": "human", "value": "Tide at Bergen?"}, {"from": "function_call", "value": repr(CALL)}, {"from": "observation", "value": "2 m"}, {"from": "gpt", "value": "2 m."}], "tools": json.dumps([FUNCTION])}, {"python_literals": 1}, WANTED, SAID),
    ("sharegpt", {"conversations": [{"from": "human", "value": "Tide at Bergen?"}, {"from": "function_call", "value": json.dumps(CALL | {"arguments": json.dumps(CALL["arguments"])})}, {"from": "observation", "value": "2 m"}, {"from": "gpt", "value": "2 m."}], "tools": json.dumps([FUNCTION])}, {"encoded_twice": 1}, WANTED, SAID),
    ("trl-prompt_completion", {"prompt": [ASKED], "completion": [calling(({"id": "c1", "name": "get_tide", "arguments": '{"city": "Bergen"}'},)), RESULT, ANSWER], "tool_defs": json.dumps([FUNCTION]), "reward": 1.0}, {"key_spelled": 1, "tools_encoded": 1, "tools_flat": 1, "calls_flat": 1}, WANTED, SAID),
    ("sharegpt", {"system": f"You can use functions. Here is a list of functions in JSON format:\n{json.dumps([FUNCTION | {'parameters': SCHEMA | {'type': 'dict'}}])}", "conversations": [{"from": "user", "value": "Tide at Bergen?"}, {"from": "assistant", "value": '[get_tide(city="Bergen")]'}, {"from": "tool", "value": '[{"name": "get_tide", "results": {"m": 2}}]'}, {"from": "assistant", "value": "2 m."}]}, {"public_set": 1}, WANTED, ["You can use functions. Here is a list of functions in JSON format:", "Tide at Bergen?", "", '{"m":2}', "2 m."]),
    ("openai", {"system": f"SYSTEM: You have functions. Use them if required -\n{json.dumps(FUNCTION, indent=1)}\n\n", "chat": "USER: Tide at Bergen?\n\n\nASSISTANT: <functioncall> {\"name\": \"get_tide\", \"arguments\": '{\"city\": \"Bergen\"}'} <|endoftext|>\n\n\nFUNCTION RESPONSE: 2 m\n\n\nASSISTANT: 2 m. <|endoftext|>\n"}, {"public_set": 1}, WANTED, ["You have functions. Use them if required -", *SAID]),
    ("responses", {"input": [ASKED, {"type": "function_call", "call_id": "c1", **OPENAI_CALL["function"]}, {"type": "function_call_output", "call_id": "c1", "output": "2 m"}, ANSWER], "tools": [TOOL]}, {"tools_nested": 1}, WANTED, SAID),
    ("openai", {"tools": [json.dumps(FUNCTION)], "messages": [ASKED, {"role": "assistant", "content": "<TOOLCALL>[" + json.dumps(CALL) + "]</TOOLCALL>"}]}, {"public_set": 1, "tools_encoded": 1, "tools_flat": 1}, WANTED, SAID[:2]),
]  # fmt: skip
"""Format, record, what is counted, the calls, the texts."""

THOUGHT: list[tuple[str, dict[str, Any]]] = [
    ("openai", row(calling(reasoning_content="I must look."), RESULT)),
    ("openai", row(calling(reasoning="I must look."), RESULT)),
    ("trl", row(calling(thinking="I must look."), RESULT)),
    ("axolotl", row(calling(reasoning_content="I must look.", reasoning="I must look."), RESULT)),
    ("deepfabric", row(calling(reasoning_content="I must look."), RESULT)),
    ("openai", row(calling(content="<think>\nI must look.\n</think>\n\n"), RESULT)),
    ("openai", row(calling(content="I must look.\n</think>\n"), RESULT)),
    ("gemini", {"contents": [{"role": "user", "parts": [{"text": "Tide at Bergen?"}]}, {"role": "model", "parts": [{"text": "I must look.", "thought": True, "thoughtSignature": "c2ln"}, {"functionCall": {"name": "get_tide", "args": {"city": "Bergen"}}}]}, {"role": "user", "parts": [{"functionResponse": {"name": "get_tide", "response": {"output": "2 m"}}}]}, {"role": "model", "parts": [{"text": "2 m."}]}], "tools": [{"functionDeclarations": [FUNCTION]}]}),
    ("anthropic", {"messages": [ASKED, {"role": "assistant", "content": [{"type": "thinking", "thinking": "I must look.", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}, {"type": "tool_use", "id": "c1", "name": "get_tide", "input": {"city": "Bergen"}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "2 m", "cache_control": {"type": "ephemeral"}}]}, ANSWER]}),
    ("sharegpt", {"conversations": [{"from": "human", "value": "Tide at Bergen?"}, {"from": "function_call", "value": "<think>\nI must look.\n</think>\n\n" + json.dumps(CALL)}, {"from": "observation", "value": "2 m"}, {"from": "gpt", "value": "2 m."}], "tools": json.dumps([FUNCTION])}),
    ("sharegpt", {"conversations": [{"from": "human", "value": "Tide at Bergen?"}, {"from": "gpt", "value": "<think>I must look.</think><tool_call>\n" + json.dumps(CALL) + "\n</tool_call>"}, {"from": "tool", "value": "<tool_response>\n2 m\n</tool_response>"}, {"from": "gpt", "value": "2 m."}], "tools": json.dumps([FUNCTION])}),
]  # fmt: skip
"""Format, record: all say the same, and that the model thinks "I must look." before the call."""
