"""The part of the recipe language about backends: what answers calls."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from generator.documents import shown
from generator.recipe.strict import Strict
from generator.recipe.tool_language import McpModel

PLAIN = ("schema", "llm")
"""Backends that are one word."""
_WAYS = ("python", "recorded", "http", "mcp")


class RealModel(Strict):
    """A module, a file of answers or a server that answers calls."""

    python: str = Field(
        default="", description="A Python module with TOOLS and handle_tool_call, run in a child process."
    )
    recorded: str = Field(default="", description="JSONL of {tool, arguments, result} or {tool, arguments, error}.")
    http: str = Field(
        default="",
        pattern=r"^(https?://[^\s/]+\S*)?$",
        description="URL that is sent {name, arguments} and answers with the result.",
    )
    mcp: McpModel | None = Field(default=None, description="An MCP server that is started and called.")
    session: Literal["conversation", "run"] | None = Field(
        default=None,
        description="How long a process of the server lives: for one conversation (the default), which begins each in the same"
        " state, or for all of a worker, which is faster and right for servers without a state.",
    )
    seconds: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] | None = Field(
        default=None, description="Time limit of one call: 0.1 for a module, 10 for servers."
    )
    memory: Annotated[int, Field(ge=64, le=1 << 20)] | None = Field(
        default=None, description="Megabytes of memory a module may take (1024)."
    )
    attempts: Annotated[int, Field(ge=1, le=20)] | None = Field(
        default=None, description="How often a server is asked when it fails (4)."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [way for way in _WAYS if getattr(self, way)]
        if len(given) != 1:
            raise ValueError(f"exactly one of {', '.join(_WAYS)} is expected, not {' and '.join(given) or 'none'}")
        for setting, way in (("memory", "python"), ("attempts", "http"), ("session", "mcp")):
            if getattr(self, setting) is not None and given != [way]:
                raise ValueError(f"{setting!r} is for {way}")
        if given == ["recorded"] and self.seconds is not None:
            raise ValueError("recorded answers take no time: 'seconds' is for python, http and mcp")
        return self


class MixedModel(Strict):
    """A backend for each tool."""

    usual: Literal["schema"] | RealModel = Field(
        default="schema", description="What answers the tools that are not named."
    )
    tools: dict[str, Literal["schema"] | RealModel] = Field(
        min_length=1, description="Tool and what answers its calls."
    )


def _one_of(value: Any) -> Any:
    """Choose the model by the keys, because pydantic would report the faults of all of them."""
    if isinstance(value, str):
        if value not in PLAIN:
            raise ValueError(
                f"{' or '.join(PLAIN)}, or a mapping such as {{python: module.py}}, is expected, not {shown(value)}"
            )
        return value
    if not isinstance(value, dict):
        raise ValueError(
            f"{' or '.join(PLAIN)}, or a mapping such as {{python: module.py}}, is expected, not {shown(value)}"
        )
    return MixedModel.model_validate(value) if "tools" in value else RealModel.model_validate(value)


Backend = Annotated[
    Literal["schema", "llm"] | RealModel | MixedModel,
    BeforeValidator(_one_of, json_schema_input_type=Literal["schema", "llm"] | RealModel | MixedModel),
]
