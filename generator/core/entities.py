"""What spec files declare of the world behind their tools: entities, effects of tools on them, tables of data."""

from typing import Annotated, Any, Literal

import msgspec

from generator.core.forms import REST

EffectKind = Literal["find", "get", "create", "update", "delete", "move", "read", "act"]
READING: frozenset[str] = frozenset({"find", "get", "read"})
"""Kinds of effects that change nothing."""


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of thing that tools act on: orders, customers, events."""

    name: str
    domain: str
    """Stem of the file that declares it: two files may both have an `order`."""
    where: str
    """`file:line`, for messages."""
    key: str
    """The field that identifies one; an argument or field of this name means one of these entities everywhere."""
    count: tuple[int, int]
    """How many exist at the start, at least and at most."""
    fields: dict[str, dict[str, Any]]
    """Field → schema, in the language of `returns`."""
    states: dict[str, dict[str, tuple[str, ...]]] = {}
    """Field → state → states that may follow; for a field whose states may follow in any order, all the others."""
    called: tuple[str, ...] = ()
    """The fields by which people name one, the first few that tell it from the others."""
    examples: tuple[dict[str, Any], ...] = ()
    """Values of fields that belong to one and the same thing: each that is drawn has those of one of them."""
    one_at_a_time: tuple[str, str, str] | None = None
    """The fields with its day, the time at which it begins (`HH:MM`), and how many minutes it takes, where no two are at the same time
    when a conversation begins."""

    @property
    def title(self) -> str:
        """The kind among all files: `shop.order`."""
        return f"{self.domain}.{self.name}"


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that must hold before a call, and the error where it does not."""

    error: str
    say: str = ""
    """The text of the error, with `{field}` and `{args.name}`; empty: one made from the condition."""
    values: Annotated[dict[str, Any], REST] = {}
    """Field → the values it may have, as a tuple."""
    that: str = ""
    """An expression of the entity's fields and the arguments."""
    unique: tuple[str, ...] = ()
    """Fields whose combination of values must be unique."""
    most: int | None = None
    """How many entities there may be, those that are created included."""
    per: tuple[str, ...] = ()
    """Fields by which `most` counts: the limit holds for each combination of their values."""


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool does to the entities of its file."""

    kind: EffectKind
    entity: str = ""
    """The entity; empty for a tool that reads or acts on none."""
    by: dict[str, str] = {}
    """Argument → the field that must equal it, or an expression of fields and arguments that must be true."""
    names: dict[str, tuple[str, ...]] = {}
    """Argument of `by` → other fields by which it may name the entity: the title of an event instead of its key."""
    words: dict[str, str] = {}
    """Argument of `by` whose words are looked for in texts → the field in which those that are put in have them."""
    where: str = ""
    """An expression of fields and arguments that must be true of whatever is found."""
    at: str = ""
    """Where in the result the entity stands, or the list of them; empty: the result itself."""
    sort: Any = None
    """`field`, `-field` (greatest first), or `{argument: {its value: field}}`."""
    limit: str | int | None = None
    """How many are found at most: a number, or the argument that says it."""
    set: dict[str, Any] = {}
    """Field → its new value, unless an argument of its name gives one: an expression, or a plain value."""
    needs: tuple[Need, ...] = ()
    refers: dict[str, str] = {}
    """Argument → the entity that it is the key of."""

    @property
    def reads(self) -> bool:
        """Whether a call changes nothing."""
        return self.kind in READING


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of data that expressions look things up in."""

    name: str
    key: tuple[str, ...]
    """The columns that identify a row."""
    columns: tuple[str, ...]
    """The other columns."""
    rows: dict[tuple[Any, ...], dict[str, Any]]
    """Values of the key columns (as text) → values of the others."""
    file: str = ""
    """Where the rows stand."""
    texts: dict[str, Any] = {}
    """Grammars by key (an empty one where there is only one), where the file has texts in place of rows."""


class WorldDeclarations(msgspec.Struct, frozen=True, kw_only=True):
    """All that one spec file declares beside its tools."""

    entities: dict[str, Entity] = {}
    tables: dict[str, Table] = {}


NOTHING = WorldDeclarations()


def referred_by(name: str, schema: dict[str, Any], entities: dict[str, Entity]) -> str | None:
    """Return the entity whose key a field or argument holds, as `of` or else its name says."""
    if isinstance(schema.get("of"), str):
        return str(schema["of"])
    return next((entity.name for entity in entities.values() if entity.key == name), None)


def references_of(entity: Entity, entities: dict[str, Entity]) -> dict[str, str]:
    """Return the fields that hold the keys of other entities."""
    fields = {field: schema for field, schema in entity.fields.items() if field != entity.key}
    entity_by_field = {field: referred_by(field, schema, entities) for field, schema in fields.items()}
    return {field: name for field, name in entity_by_field.items() if name is not None}
