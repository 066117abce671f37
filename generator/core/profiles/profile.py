"""A profile as plain data, and that of the `TOOLS` data model for characters ("Data Constraints" and "Validation Rules" of its document)."""

import keyword

import msgspec


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What a target accepts. None, or an empty text: no limit."""

    name: str
    tool_name: str
    """Regular expression that the whole of a tool's name matches."""
    longest_name: int
    reserved: frozenset[str] = frozenset()
    """Names that no tool may have."""
    argument_name: str = ""
    """Regular expression that the whole of each top-level parameter's name matches."""
    needs_description: bool = False
    longest_description: int | None = None
    """Most characters."""
    most_parameters: int | None = None
    most_enum_values: int | None = None
    most_tools: int | None = None
    references: bool = True
    """Whether `$ref` and its kin may be used; without them no schema is recursive either."""
    keywords: frozenset[str] = frozenset()
    """The keywords that schemas may have; empty: all."""
    formats: frozenset[str] = frozenset()
    """The values of `format`; empty: all."""
    closed: bool = False
    """Whether every object says `additionalProperties: false`."""
    all_required: bool = False
    """Whether every property is required: what may be left out is null then."""
    nullable: bool = False
    """Whether a schema has one type, and `nullable` where null is allowed, too."""
    text_enums: bool = False
    """Whether the values of `enum` are texts."""
    types: frozenset[str] = frozenset()
    """Types of JSON Schema that parameters may have."""
    needs_object: bool = False
    """Whether `parameters`, when there are any, say `type: object` at the top."""
    combined_top: bool = True
    """Whether the top level may hold `oneOf`, `anyOf`, `allOf`, `not` or `enum`."""
    draft_7: bool = False
    """Whether the schema has to be legal under draft-07 too."""
    arguments_bytes: int | None = None
    """Most bytes (UTF-8) of the JSON text of one call's arguments."""
    result_characters: int | None = None
    result_bytes: int | None = None
    plain_results: bool = False
    """Whether results are plain text for people, and errors begin with `Error: `."""


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
