"""GLM 4.5 and 4.6: the token that ends an answer is the first of the turn that follows."""

import re

from generator.formats.dialect.calls import calls_of
from generator.formats.dialect.dialect import Around, Dialect, ToolList
from generator.formats.dialect.format import format_of
from generator.formats.format import Consumer
from generator.formats.inline_refs import with_inline_refs

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

FORMATS = with_inline_refs(format_of(GLM45))
