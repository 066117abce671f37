"""The limits of providers' APIs on tools that are sent with a request."""

from generator.profiles.profile import Profile

OPENAI = Profile(
    name="openai",
    tool_name=r"[a-zA-Z0-9_-]+",
    longest_name=64,
    longest_description=1024,
    most_tools=128,
    needs_object=True,
    combined_top=False,
)
"""API reference, "Create chat completion", `tools`: name and number of tools; the rest as the API's 400 answers say it."""

MISTRAL = Profile(name="mistral", tool_name=r"[a-zA-Z0-9_-]+", longest_name=64, draft_7=True)
"""mistral-common, `protocol/instruct/validator.py`: the name's pattern, and `Draft7Validator.check_schema`."""

ANTHROPIC = Profile(
    name="anthropic",
    tool_name=r"[a-zA-Z0-9_-]+",
    longest_name=128,
    argument_name=r"[a-zA-Z0-9_.-]{1,64}",
    needs_object=True,
    combined_top=False,
)
"""API reference, "Messages", `tools`; names of properties and combinations at the top as the API's 400 answers say it."""

GEMINI = Profile(
    name="gemini",
    tool_name=r"[a-zA-Z_][a-zA-Z0-9_.:-]*",
    longest_name=64,
    needs_description=True,
    most_tools=512,
    needs_object=True,
)
"""API reference, `FunctionDeclaration` (with `parametersJsonSchema`), and the limits of "Function calling"."""
