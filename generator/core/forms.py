"""How the fields of a struct are written in files, where a type alone does not say it: forms, keys and places.

`declared` reads such structs and describes them to editors.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import msgspec


class Form(msgspec.Struct, frozen=True, eq=False):
    """How a value is written, where that is not as it is held. Its functions raise ValueError for what they do not take."""

    type: Any = None
    """What the file holds, where the annotated type is only what becomes of it."""
    given: Callable[[Any], Any] | None = None
    """From what is written to the form that is checked: one text to a list of one."""
    made: Callable[[Any], Any] | None = None
    """From what was checked to what is held."""
    schema: dict[str, Any] | None = None
    """JSON Schema of what may be written; None: that of the type."""
    short: Any = None
    """A type that may be written instead, for JSON Schema; `given` makes the usual form of it."""


class Key(NamedTuple):
    """The key of a field that has another name; several fields may be made of one key."""

    name: str


class _Place(NamedTuple):
    where: str


ABOVE = _Place("above")
"""The key stands beside the mapping of the struct, not in it."""
REST = _Place("rest")
"""The field holds all keys that no other field has."""

REQUIRED = _Place("required")
"""A file must have the key, though the struct can do without."""
UNWRITTEN = _Place("unwritten")
"""No file holds the field: whoever reads one sets it."""

NO_FORM = Form()


def as_list(value: Any) -> Any:
    """Return one text as a list of one; raises ValueError for anything but texts and lists."""
    if not isinstance(value, str | list):
        raise ValueError(f"text, or a list of texts, is expected, not {json.dumps(value, default=str)[:80]}")
    return [value] if isinstance(value, str) else value


def one_or_many(item: Any, fewest: int | None = None) -> Form:
    """Return the form of a list of such texts in place of which one alone may stand."""
    listed = tuple[item, ...] if fewest is None else Annotated[tuple[item, ...], msgspec.Meta(min_length=fewest)]
    return Form(type=listed, given=as_list, short=item)


Texts = Annotated[tuple[str, ...], one_or_many(str)]


class Kind(msgspec.Struct, frozen=True):
    """A type with what its annotations say."""

    base: Any
    form: Form = NO_FORM
    limits: dict[str, Any] = {}
    """Limits by the names that `msgspec.Meta` gives them: `ge`, `pattern`, `max_length`."""
    schema: dict[str, Any] = {}
    """What JSON Schema has beside type and limits."""
    key: str = ""
    place: _Place | None = None


_LIMITS = ("gt", "ge", "lt", "le", "pattern", "min_length", "max_length")


def kind_of(annotation: Any) -> Kind:
    """Return the type of an annotation (`Annotated[int, Meta(ge=1)]`) with its form, limits, key and place."""
    if get_origin(annotation) is not Annotated:
        return Kind(annotation)
    base, *annotations = get_args(annotation)
    kind = Kind(base)
    limits: dict[str, Any] = {}
    schema: dict[str, Any] = {}
    form, key, place = kind.form, kind.key, kind.place
    for part in annotations:
        if isinstance(part, msgspec.Meta):
            limits |= {name: value for name in _LIMITS if (value := getattr(part, name)) is not None}
            schema |= part.extra_json_schema or {}
        elif isinstance(part, Form):
            form = part
        elif isinstance(part, Key):
            key = part.name
        elif isinstance(part, _Place):
            place = part
    return Kind(base, form, limits, schema, key, place)


class Field(msgspec.Struct, frozen=True):
    """One field of a struct."""

    name: str
    key: str
    kind: Kind
    is_required: bool
    default: Any


@lru_cache(maxsize=256)
def fields_of(struct: type[msgspec.Struct]) -> tuple[Field, ...]:
    """Return the fields of a struct with their keys, kinds and defaults."""
    fields = []
    for one in msgspec.structs.fields(struct):
        kind = kind_of(one.type)
        default = one.default if one.default_factory is msgspec.NODEFAULT else one.default_factory()
        fields.append(Field(one.name, kind.key or one.name, kind, one.required or kind.place is REQUIRED, default))
    return tuple(fields)


def is_struct(base: Any) -> bool:
    """Whether a type is a struct."""
    return isinstance(base, type) and issubclass(base, msgspec.Struct)
