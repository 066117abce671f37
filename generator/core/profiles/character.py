"""The limits of the `TOOLS` data model for characters ("Data Constraints" and "Validation Rules" of its document)."""

import keyword

from generator.core.profiles.profile import Profile

CHARACTER = Profile(
    name="character",
    tool_name=r"[a-zA-Z][a-zA-Z0-9_]*",
    longest_name=50,
    reserved=frozenset(keyword.kwlist),
    needs_description=True,
    longest_description=199,
    most_parameters=10,
    most_enum_values=10,
    most_tools=10,
    references=False,
    types=frozenset({"string", "number", "integer", "boolean", "array", "object"}),
    needs_object=True,
    arguments_bytes=2048,
    result_characters=999,
    result_bytes=1024,
    plain_results=True,
)
