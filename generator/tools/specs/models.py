"""What a tool spec file may hold, where that is not as it is held: a tool, an effect, entities, tables; tools as readers find them, and the verdict on each."""

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from generator.core.documents import Document, Place
from generator.core.entities import NOTHING, EffectKind, Need, WorldDeclarations
from generator.core.errors import SpecError
from generator.core.forms import Form, one_or_many
from generator.core.schema_walk import rewrite
from generator.core.toolbox import Phrases, ToolOrigin, ToolSpec


class FoundTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a reader found it, not checked yet."""

    name: str
    where: str
    origin: ToolOrigin
    description: str | None = None
    parameters: dict[str, Any] | None = None
    returns: dict[str, Any] | None = None
    strict: bool | None = None
    is_closed: bool = False
    """Whether the reader itself made the `$defs`: all that are referred to, each the same object in every tool."""
    domain: str = ""
    """The tool's domain: tools of one domain are similar."""
    refused: str = ""
    """Why this is no tool that can be called."""
    remarks: tuple[str, ...] = ()
    """What of its source is not used."""
    written: tuple[Document, Place] | None = None
    """Its place in a file of our own language, which says more than these fields; None for other files."""
    declared: WorldDeclarations = NOTHING
    """What that file declares beside its tools."""


class ToolVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one tool: its spec, or why it is refused."""

    name: str
    where: str
    kind: str
    verdict: Literal["loaded", "renamed", "repaired", "kept", "refused"]
    reasons: tuple[str, ...] = ()
    spec: ToolSpec | None = None
    """None when it is refused."""
    is_foreign: bool = False
    """Whether its file says nothing of it but the function: others have written it, and it can be left out."""
    error: type[SpecError] = SpecError
    """SchemaError for a schema that is not legal."""


def text_or_none(value: Any) -> str | None:
    """Return the text, if it is one and says something."""
    return value if isinstance(value, str) and value.strip() else None


def object_or_empty(value: Any) -> dict[str, Any]:
    """Return the value, if it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def without_own_keywords(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without keywords that begin with `x-`, which say here how values are made."""
    return object_or_empty(
        rewrite(schema, lambda part, _: {key: value for key, value in part.items() if not str(key).startswith("x-")})
    )


EFFECTS: tuple[EffectKind, ...] = get_args(EffectKind)
"""The keys that name an effect."""


class WrittenFunction(Struct, frozen=True, kw_only=True):
    """An OpenAI function definition."""

    name: Annotated[str, Meta(pattern=r"^[a-zA-Z0-9_.-]{1,64}$")]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class WrittenTable(Struct, frozen=True, kw_only=True):
    """A file, and the columns that identify its rows (the first one if nothing is said)."""

    file: str
    key: str | list[str] | None = None


class WrittenEffect(Struct, frozen=True, kw_only=True):
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
    needs: tuple[Need, ...] = ()
    refers: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Raise ValueError for no kind, or several."""
        if len([kind for kind in EFFECTS if getattr(self, kind) is not None]) != 1:
            raise ValueError(f"one of {', '.join(EFFECTS)} is expected")


class OneAtATime(Struct, frozen=True, kw_only=True):
    """The fields that say when something is."""

    on: str
    start: str
    minutes: str


class WrittenEntity(Struct, frozen=True, kw_only=True):
    """One kind of thing."""

    key: str
    count: Annotated[tuple[int, ...], Meta(min_length=2, max_length=2)] | None = None
    fields: dict[str, dict[str, Any]]
    called: tuple[str, ...] = ()
    examples: tuple[dict[str, Any], ...] = ()
    one_at_a_time: OneAtATime | None = None


class WrittenSections(Struct, frozen=True, kw_only=True):
    """The sections of a file beside its tools."""

    entities: dict[str, WrittenEntity] = {}
    tables: dict[str, str | WrittenTable] = {}


class Worked(Struct, frozen=True, kw_only=True):
    """A call and what its result must hold, as worked out by hand."""

    arguments: dict[str, Any]
    result: dict[str, Any]


class ExampleCall(Struct, frozen=True, kw_only=True):
    """Arguments that belong together, and what the result of just that call holds."""

    arguments: dict[str, Any]
    result: dict[str, Any] = {}


_Pairs = tuple[tuple[dict[str, Any], dict[str, Any]], ...]


def _as_pairs(calls: tuple[Worked | ExampleCall, ...]) -> _Pairs:
    """Return calls with their results as (arguments, result) pairs."""
    return tuple((call.arguments, call.result) for call in calls)


def _as_groups(value: Any) -> Any:
    """Return groups of arguments as a list, in place of which one group may stand."""
    return [value] if isinstance(value, list) and value and isinstance(value[0], str) else value


def _as_choices(value: Any) -> Any:
    """Return choices between sets of arguments as a list, in place of which one choice may stand."""
    listed = value if isinstance(value, list) else []
    is_several = any(isinstance(part, list) and part and isinstance(part[0], list) for part in listed)
    return [value] if listed and not is_several else value


class WrittenTool(Struct, frozen=True, kw_only=True):
    """One tool of a spec file."""

    type: Literal["function"] = "function"
    function: WrittenFunction
    returns: dict[str, Any] | None = None
    links: dict[str, Annotated[tuple[str, ...], one_or_many(str)]] = {}
    examples: dict[str, tuple[Any, ...]] = {}
    texts: dict[str, list[str | dict[str, Any] | list[Any]]] = {}
    kinds: dict[str, str] = {}
    patterns: dict[str, str] = {}
    relations: tuple[str, ...] = ()
    together: Annotated[tuple[tuple[str, ...], ...], Form(given=_as_groups)] = ()
    one_of: Annotated[tuple[tuple[tuple[str, ...], ...], ...], Form(given=_as_choices)] = ()
    worked: Annotated[_Pairs, Form(type=tuple[Worked, ...], made=_as_pairs)] = ()
    example_calls: Annotated[_Pairs, Form(type=tuple[ExampleCall, ...], made=_as_pairs)] = ()
    effect: WrittenEffect | None = None
    context: dict[str, Literal["same"]] = {}
    say: dict[str, Literal["seldom", "never", "usually"]] = {}
    phrases: Phrases = Phrases()
    origin: ToolOrigin | None = None
