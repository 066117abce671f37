"""The shape of a tool spec file, checked strictly at the door."""

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from generator.entities import EffectKind


class StrictModel(BaseModel):
    """Unknown keys are refused, and no value is taken for one of another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


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
    by: str = Field(pattern=r"^(first|last|only|(min|max) [^ ]+)$")
    looks_up: bool = False


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
    found: list[str] = []
    can: list[str] = []
    slots: dict[str, list[str] | dict[Any, list[str]]] = {}
    synonyms: dict[str, dict[Any, list[str]]] = {}
    pick: dict[str, list[PickModel]] = {}
    best: list[PickModel] = []
    fields: dict[str, str] = {}
    answer: list[str | AnswerModel] = []
    each: dict[str, list[str]] = {}
    ask: dict[str, list[str]] = {}
    unblock: list[str | AnswerModel] = []

    @field_validator(
        "request",
        "question",
        "want",
        "again",
        "several",
        "entry",
        "follow_up",
        "found",
        "can",
        "unblock",
        mode="before",
    )
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


EFFECTS: tuple[EffectKind, ...] = get_args(EffectKind)
"""The keys that name an effect."""


class TableModel(StrictModel):
    """A file, and the columns that identify its rows (the first one if nothing is said)."""

    file: str
    key: str | list[str] | None = None


class NeedModel(BaseModel):
    """A condition: beside these keys, fields of the entity with the values that they may have."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    error: str
    say: str = ""
    that: str = ""
    unique: list[str] = []
    most: int | None = None
    per: list[str] = []


class EffectModel(StrictModel):
    """The effect: one of its eight kinds with the entity, and how."""

    find: str | None = None
    get: str | None = None
    create: str | None = None
    update: str | None = None
    delete: str | None = None
    move: str | None = None
    read: str | Literal[True] | None = None
    act: str | Literal[True] | None = None
    by: dict[str, str | list[str]] = {}
    where: str = ""
    at: str = ""
    sort: str | dict[str, dict[Any, str]] | None = None
    limit: str | int | None = None
    to: str | None = None
    set: dict[str, Any] = {}
    needs: list[NeedModel] = []
    refers: dict[str, str] = {}

    @model_validator(mode="after")
    def _one_kind(self) -> "EffectModel":
        if len(self.model_fields_set & {*EFFECTS}) != 1:
            raise ValueError(f"one of {', '.join(EFFECTS)} is expected")
        return self


class OneAtATimeModel(StrictModel):
    """The fields that say when something is."""

    on: str
    start: str
    minutes: str


class EntityModel(StrictModel):
    """One kind of thing."""

    key: str
    count: list[int] | None = Field(default=None, min_length=2, max_length=2)
    fields: dict[str, dict[str, Any]]
    called: list[str] = []
    one_at_a_time: OneAtATimeModel | None = None


class DeclaredModel(StrictModel):
    """The sections of a file beside its tools."""

    entities: dict[str, EntityModel] = {}
    tables: dict[str, str | TableModel] = {}


class WorkedModel(StrictModel):
    """A call and what its result must hold, as worked out by hand."""

    arguments: dict[str, Any]
    result: dict[str, Any]


class ToolModel(StrictModel):
    """One tool of a spec file."""

    type: Literal["function"] = "function"
    function: FunctionModel
    returns: dict[str, Any] | None = None
    links: dict[str, str | list[str]] = {}
    examples: dict[str, list[Any]] = {}
    texts: dict[str, list[str | dict[str, Any] | list[Any]]] = {}
    kinds: dict[str, str] = {}
    patterns: dict[str, str] = {}
    relations: list[str] = []
    together: list[str] | list[list[str]] = []
    one_of: list[list[str]] | list[list[list[str]]] = []
    worked: list[WorkedModel] = []
    effect: EffectModel | None = None
    context: dict[str, Literal["same"]] = {}
    say: dict[str, Literal["seldom", "never", "usually"]] = {}
    phrases: PhrasesModel = PhrasesModel()
    origin: OriginModel | None = None
