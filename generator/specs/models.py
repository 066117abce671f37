"""The shape of a tool spec file, checked strictly at the door."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class StrictModel(BaseModel):
    """Unknown keys are refused, and no value is taken for one of another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FunctionModel(StrictModel):
    """An OpenAI function definition."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_.-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class AnswerModel(StrictModel):
    """A sentence about a result that holds only for some results."""

    when: dict[str, Any]
    say: str


class PickModel(StrictModel):
    """A way to single out an element of a list."""

    say: str
    by: str = Field(pattern=r"^(first|last|(min|max) [^ ]+)$")


class PhrasesModel(StrictModel):
    """How people ask for a tool and how its results are told."""

    request: list[str] = []
    question: list[str] = []
    want: list[str] = []
    again: list[str] = []
    several: list[str] = []
    entry: list[str] = []
    vary: list[str] = []
    follow_up: list[str] = []
    can: list[str] = []
    slots: dict[str, list[str] | dict[Any, list[str]]] = {}
    synonyms: dict[str, dict[Any, list[str]]] = {}
    pick: dict[str, list[PickModel]] = {}
    answer: list[str | AnswerModel] = []
    each: dict[str, list[str]] = {}
    ask: dict[str, list[str]] = {}

    @field_validator("request", "question", "want", "again", "several", "entry", "follow_up", "can", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class OriginModel(StrictModel):
    """Where the tool was read from; see `toolbox.Origin`."""

    kind: str = "openai"
    name: str = ""
    server: str = ""
    title: str = ""
    annotations: dict[str, Any] = {}
    tags: list[str] = []
    http: dict[str, Any] = {}
    prompt: str = ""
    repairs: list[str] = []


class ToolModel(StrictModel):
    """One tool of a spec file."""

    type: Literal["function"] = "function"
    function: FunctionModel
    returns: dict[str, Any] | None = None
    links: dict[str, str | list[str]] = {}
    examples: dict[str, list[Any]] = {}
    kinds: dict[str, str] = {}
    relations: list[str] = []
    effect: dict[str, Any] | None = None
    context: dict[str, Literal["same"]] = {}
    say: dict[str, Literal["seldom", "never"]] = {}
    phrases: PhrasesModel = PhrasesModel()
    origin: OriginModel | None = None
