"""What a tool spec file may hold, where that is not as it is held: a tool, an effect, entities, tables."""

from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct

from generator.core.entities import EffectKind
from generator.core.forms import REST, Form, one_or_many
from generator.core.toolbox import Phrases, ToolOrigin

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


class WrittenNeed(Struct, frozen=True, kw_only=True):
    """A condition, and the error where it does not hold."""

    error: str
    values: Annotated[dict[str, Any], REST] = {}
    """Fields of the entity with the values that they may have."""
    say: str = ""
    that: str = ""
    unique: tuple[str, ...] = ()
    most: int | None = None
    per: tuple[str, ...] = ()


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
    needs: tuple[WrittenNeed, ...] = ()
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


def _as_choices(value: Any) -> Any:
    """Return choices between sets of arguments as a list, in place of which one choice may stand."""
    is_one = (
        isinstance(value, list)
        and value
        and not any(isinstance(one, list) and one and isinstance(one[0], list) for one in value)
    )
    return [value] if is_one else value


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
    together: Annotated[
        tuple[tuple[str, ...], ...],
        Form(
            given=(lambda value: [value] if isinstance(value, list) and value and isinstance(value[0], str) else value)
        ),
    ] = ()
    one_of: Annotated[tuple[tuple[tuple[str, ...], ...], ...], Form(given=_as_choices)] = ()
    worked: Annotated[
        tuple[tuple[dict[str, Any], dict[str, Any]], ...],
        Form(type=tuple[Worked, ...], made=lambda pairs: tuple((pair.arguments, pair.result) for pair in pairs)),
    ] = ()
    example_calls: Annotated[
        tuple[tuple[dict[str, Any], dict[str, Any]], ...],
        Form(type=tuple[ExampleCall, ...], made=lambda pairs: tuple((pair.arguments, pair.result) for pair in pairs)),
    ] = ()
    effect: WrittenEffect | None = None
    context: dict[str, Literal["same"]] = {}
    say: dict[str, Literal["seldom", "never", "usually"]] = {}
    phrases: Phrases = Phrases()
    origin: ToolOrigin | None = None
