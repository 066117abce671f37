"""The part of the recipe language about where tools come from."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from generator.documents import shown
from generator.recipe.strict import Strict

_TOOL_NAME = r"^[^\x00-\x1f]{1,512}$"
SOURCES = ("file", "openapi", "python", "functions", "mcp")
ToolName = Annotated[str, Field(pattern=_TOOL_NAME)]
Pattern = Annotated[str, Field(min_length=1)]
Kind = Literal["openai", "mcp", "anthropic", "openapi", "bfcl", "portable", "python", "functions"]


PathText = Annotated[str, Field(min_length=1)]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def as_source(value: Any) -> Any:
    """Return a source as a mapping, where a path alone is a file; raises ValueError for anything else."""
    if not isinstance(value, str | dict):
        raise ValueError(f"a path, or a mapping {{file: path}}, is expected, not {shown(value)}")
    return {"file": value} if isinstance(value, str) else value


class SelectModel(Strict):
    """Which tools of a source are used: those that fit every key."""

    names: list[Pattern] = Field(default=[], description="Patterns of names, with * and ?.")
    operations: list[Pattern] = Field(default=[], description="The same, for the operations of an OpenAPI document.")
    tags: list[Pattern] = Field(default=[], description="Tags of an OpenAPI document's operations.")
    paths: list[Pattern] = Field(default=[], description="Patterns of an OpenAPI document's paths.")
    methods: list[Pattern] = Field(default=[], description="HTTP methods.")
    count: Annotated[int, Field(ge=1)] | None = Field(default=None, description="So many of them, chosen by the seed.")


class McpModel(Strict):
    """An MCP server."""

    command: list[Annotated[str, Field(min_length=1)]] = Field(
        min_length=1, description="Program and arguments that start a server on stdin and stdout."
    )


class ToolFileModel(Strict):
    """A source of tools, and which of them are used."""

    model_config = ConfigDict(
        json_schema_extra={
            "not": {"required": ["only", "without"]},
            "oneOf": [{"required": [way]} for way in SOURCES],
        }
    )

    file: str = Field(default="", description="Path of a file of tools; what it is is found out from its content.")
    openapi: str = Field(default="", description="Path of an OpenAPI document.")
    python: str = Field(default="", description="Path of a Python module with TOOLS.")
    functions: str = Field(default="", description="Path or name of a Python module whose functions are tools.")
    mcp: McpModel | None = Field(default=None, description="An MCP server, which is started and asked for its tools.")
    from_: Kind | None = Field(default=None, alias="from", description="What the file is, instead of finding it out.")
    only: list[ToolName] = Field(default=[], description="Use only these tools of the file.")
    without: list[ToolName] = Field(default=[], description="Use all tools of the file but these.")
    select: SelectModel = Field(default_factory=SelectModel, description="Use the tools that fit all of this.")
    on_illegal: Literal["reject", "repair", "keep"] = Field(
        default="reject", description="What to do with a schema that is no legal JSON Schema."
    )
    overlay: Annotated[list[PathText], BeforeValidator(_as_list, json_schema_input_type=PathText | list[PathText])] = (
        Field(
            default=[], description="Overlays: files of what is known about these tools; later ones win piece by piece."
        )
    )
    describe: Literal["derived", "bare"] = Field(
        default="derived",
        description="Whether words, values and results are derived for tools that nobody wrote phrases for, or they stay bare.",
    )

    undescribed: Literal["leave_out", "keep"] = Field(
        default="leave_out",
        description="What becomes of tools of which nothing is known beyond the schema: a look-up that could only report that it went well, a required text that could be anything.",
    )

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        given = [way for way in SOURCES if getattr(self, way)]
        if not given:
            raise ValueError(f"one of {', '.join(SOURCES)} is expected")
        if len(given) > 1:
            raise ValueError(f"one of {', '.join(SOURCES)} is expected, not {' and '.join(given)}")
        if self.from_ and given != ["file"]:
            raise ValueError(f"'from' is for 'file'; {given[0]!r} says what it is")
        if self.only and self.without:
            raise ValueError("either 'only' or 'without', not both")
        return self
