"""The limits of providers' APIs on tools that are sent with a request."""

import msgspec

from generator.core.profiles.profile import Profile
from generator.core.yaml_values import own_data

_SUBSETS = {
    name: {key: frozenset(words) for key, words in subset.items()}
    for name, subset in own_data(__file__, "subsets.yaml").items()
}
"""Profile -> the keywords and formats that it takes."""

OPENAI = Profile(
    name="openai",
    tool_name=r"[a-zA-Z0-9_-]+",
    longest_name=64,
    longest_description=1024,
    most_tools=128,
    needs_object=True,
    combined_top=False,
)
"""Names and the number of tools: API reference, "Create chat completion", `tools`. Descriptions: the API's answer 400
`string_above_max_length` for `tools[0].function.description`. What may not stand at the top of parameters: its answer 400
`invalid_function_parameters`."""

MISTRAL = Profile(name="mistral", tool_name=r"[a-zA-Z0-9_-]+", longest_name=64, draft_7=True)
"""Names: API reference, "Chat completion", `tools`, and mistral-common, `protocol/instruct/validator.py`, which also calls
`Draft7Validator.check_schema`."""

ANTHROPIC = Profile(
    name="anthropic",
    tool_name=r"[a-zA-Z0-9_-]+",
    longest_name=128,
    argument_name=r"[a-zA-Z0-9_.-]{1,64}",
    needs_object=True,
    combined_top=False,
)
"""Names of tools: API reference, "Messages", `tools`. Names of properties and combinations at the top: the API's answers 400
"Property keys should match pattern" and "input_schema does not support oneOf, allOf, or anyOf at the top level"."""

GEMINI = Profile(
    name="gemini",
    tool_name=r"[a-zA-Z_][a-zA-Z0-9_.:-]*",
    longest_name=64,
    argument_name=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
    needs_description=True,
    most_tools=512,
    needs_object=True,
    nullable=True,
    text_enums=True,
    **_SUBSETS["gemini"],
)
"""API reference, `FunctionDeclaration` (`name`, `parameters`; some of its versions take names of 128) and `Tool.functionDeclarations`
(their number), as the fields of google-genai's `types` say it."""

OPENAI_STRICT = msgspec.structs.replace(
    OPENAI, name="openai_strict", closed=True, all_required=True, **_SUBSETS["openai_strict"]
)
"""Functions with `strict: true`: guide "Structured Outputs", supported schemas."""

ANTHROPIC_STRICT = msgspec.structs.replace(
    ANTHROPIC, name="anthropic_strict", closed=True, **_SUBSETS["anthropic_strict"]
)
"""Tools with `strict: true`: "Structured outputs", JSON Schema limitations."""

BEDROCK = Profile(
    name="bedrock", tool_name=r"[a-zA-Z0-9_-]+", longest_name=64, needs_description=True, needs_object=True
)
"""API reference of the Converse API, `ToolSpecification`."""
