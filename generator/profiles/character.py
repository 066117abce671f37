"""The limits of the `TOOLS` data model for characters ("Data Constraints" and "Validation Rules" of its document)."""

from generator.profiles.profile import Profile

CHARACTER = Profile(
    name="character",
    tool_name=r"[a-zA-Z][a-zA-Z0-9_]*",
    longest_name=50,
    needs_description=True,
    longest_description=199,
    most_parameters=10,
    most_enum_values=10,
    most_tools=10,
    references=False,
    needs_object=True,
    arguments_bytes=2048,
    result_characters=999,
    result_bytes=1024,
)
