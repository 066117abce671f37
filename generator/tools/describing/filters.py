"""Which filter an argument of a search applies, and which field of a thing an argument stands for."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import singular, word_lists
from generator.tools.describing.reading import ArgumentLeaf
from generator.tools.describing.things import DerivedTool

Schema = dict[str, Any]
_KEPT = ("type", "enum", "format", "pattern", "minimum", "maximum", "multipleOf", "description")


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What one argument of a search filters by."""

    by: str = ""
    """The field that must equal the argument, or an expression; empty when it filters nothing."""
    field: str = ""
    """The field that must exist."""
    schema: Schema = {}
    """The schema of that field, where no thing has it by itself."""
    values: tuple[Any, ...] = ()
    """The values that the argument lists."""
    is_limit: bool = False


def means(leaf: ArgumentLeaf, field: str, schema: Schema) -> bool:
    """Whether an argument gives the value of a field: it has the field's name, or one that means the same."""
    types = {"text": "string", "boolean": "boolean"}
    number = leaf.type == "number" and schema.get("type") in ("number", "integer")
    if not number and (leaf.type not in types or schema.get("type") != types[leaf.type]):
        return False
    name = leaf.name[1:] if len(leaf.name) > 1 and leaf.name[0] == "new" else leaf.name
    said, own = " ".join(singular(name)), " ".join(singular(tuple(field_words(field))))
    return said == own or any(said in group and own in group for group in word_lists()["same_fields"])


def field_words(field: str) -> list[str]:
    """Return the words of a field's name."""
    return name_as_words(field).split()


def filter_of(
    leaf: ArgumentLeaf, told: DerivedTool, effect: str, fields: Mapping[str, Schema], written: Collection[str]
) -> Filter | None:
    """Return what an argument of a tool leaves out; None when that is not known.

    Args:
        leaf: The argument, which identifies nothing.
        told: Its tool.
        effect: What that does; arguments of tools that change something are fields if they say where a thing is.
        fields: The fields of what is searched for, as far as they are known.
        written: Arguments that say what one is made of.
    """
    name = " ".join(singular(leaf.name))
    if effect != "find":
        return _where(leaf, told)
    if leaf.slot in told.opaque:
        return None
    if name in word_lists()["limits"]:
        return Filter(is_limit=leaf.slot.isidentifier())
    if leaf.type == "boolean":
        return _flag(leaf)
    if leaf.slot in told.queries or (
        leaf.name[0] in ("name", "title") and leaf.name[-1] in ("pattern", "filter", "contains", "query")
    ):
        return _text(leaf, fields)
    for field, schema in fields.items():
        if schema and means(leaf, field, schema):
            return _equal(leaf, field, schema)
    return _range(leaf, told, fields) or _where(leaf, told) or _own_field(leaf, told, written)


def _flag(leaf: ArgumentLeaf) -> Filter | None:
    """Return the filter of a boolean that selects by a property; None for booleans about how results are shown."""
    name = [word for word in leaf.name if word not in ("is", "only")]
    if len(name) == 1 and name[0] in word_lists()["flags"] and leaf.slot.isidentifier():
        field = name[0]
        return Filter(by=f"{field} == args.{leaf.slot}", field=field, schema={"type": "boolean"})
    return Filter() if leaf.name[0] in word_lists()["options"] else None


def _text(leaf: ArgumentLeaf, fields: Mapping[str, Schema]) -> Filter | None:
    """Return the filter of words that must occur in the text by which people know a thing."""
    texts = [
        name
        for name, schema in fields.items()
        if schema.get("type") == "string"
        and ("x-kind" in schema or len(schema.get("examples", ())) > 2)
        and name.isidentifier()
    ]
    texts = [name for name in texts if field_words(name)[-1] not in word_lists()["hard_ids"]]
    if not texts or not leaf.slot.isidentifier() or leaf.type != "text":
        return None
    (name, *_) = [name for name in texts if name in word_lists()["searched"]] or texts
    return Filter(by=f"contains({name}, args.{leaf.slot})")


def _equal(leaf: ArgumentLeaf, field: str, schema: Schema) -> Filter | None:
    choices = [value for value in leaf.schema.get("enum", ()) if isinstance(value, str)]
    special = [value for value in choices if value in word_lists()["anything"]]
    kept = tuple(value for value in choices if value not in special)
    if special and leaf.slot.isidentifier() and "enum" in schema:
        told = " or ".join(f"args.{leaf.slot} == {value!r}" for value in special)
        return Filter(by=f"{told} or {field} == args.{leaf.slot}", field=field, values=kept)
    return Filter(by=field, field=field, values=kept)


def _range(leaf: ArgumentLeaf, told: DerivedTool, fields: Mapping[str, Schema]) -> Filter | None:
    """Return the filter of an earliest or latest date, or a least or greatest number."""
    ends = {**dict.fromkeys(word_lists()["least"], ">="), **dict.fromkeys(word_lists()["most"], "<=")}
    sign = next((ends[word] for word in leaf.name if word in ends), "")
    if not sign or not leaf.slot.isidentifier():
        return None
    rest = [word for word in leaf.name if word not in ends and word not in word_lists()["of_time"]]
    if leaf.type == "number":
        found = [
            field
            for field, schema in fields.items()
            if schema.get("type") in ("number", "integer") and rest and set(rest) <= set(field_words(field))
        ]
        return Filter(by=f"{found[0]} {sign} args.{leaf.slot}", field=found[0]) if found else None
    if leaf.type != "text" or not (_is_day(leaf) or _is_moment(leaf, told)):
        return None
    days = [
        field
        for field, schema in fields.items()
        if schema.get("format") in ("date", "date-time") and (_is_day(leaf) or schema["format"] == "date-time")
    ]
    fitting = [field for field in days if set(rest) & set(field_words(field))] if rest else days
    if fitting:
        return Filter(by=f"{fitting[0]} {sign} args.{leaf.slot}", field=fitting[0])
    if len(rest) != 1 or rest[0] not in word_lists()["made"] or not _is_day(leaf):
        return None
    return Filter(
        by=f"{rest[0]} {sign} args.{leaf.slot}",
        field=rest[0],
        schema={"type": "string", "format": "date", "x-when": "past"},
    )


def _is_day(leaf: ArgumentLeaf) -> bool:
    return leaf.schema.get("format") == "date" or (
        "format" not in leaf.schema
        and ("YYYY-MM-DD" in leaf.description and "T" not in leaf.description.partition("YYYY-MM-DD")[2][:1])
    )


def _is_moment(leaf: ArgumentLeaf, told: DerivedTool) -> bool:
    return leaf.schema.get("format") == "date-time" or told.values[leaf.slot].kind == "date_time"


def _where(leaf: ArgumentLeaf, told: DerivedTool) -> Filter | None:
    """Return the filter of a required argument that says where something is: a field of whatever is there."""
    if not leaf.required or leaf.slot not in told.pairs or not leaf.slot.isidentifier():
        return None
    return Filter(by=leaf.slot, field=leaf.slot, schema=field_schema(leaf, told))


def _own_field(leaf: ArgumentLeaf, told: DerivedTool, written: Collection[str]) -> Filter | None:
    """Return the filter of an argument whose values are known and that is not about how results are shown."""
    bounds = {*word_lists()["least"], *word_lists()["most"]}
    if {leaf.name[0], leaf.name[-1]} & {*word_lists()["options"], *bounds} or not leaf.slot.isidentifier():
        return None
    schema = field_schema(leaf, told)
    if leaf.type == "list":
        one = "_".join(singular(leaf.name))
        return (
            Filter(by=one, field=one, schema=schema)
            if schema and leaf.slot not in written and one != leaf.slot
            else None
        )
    return Filter(by=leaf.slot, field=leaf.slot, schema=schema) if schema and leaf.type == "text" else None


def field_schema(leaf: ArgumentLeaf, told: DerivedTool) -> Schema:
    """Return the schema of a field with the values that an argument has; empty when they are not known."""
    values = told.values[leaf.slot]
    inner = leaf.schema.get("items", {}) if leaf.type == "list" else leaf.schema
    kind = {"number": "number", "boolean": "boolean"}.get(leaf.type, "string")
    if not values.known or values.opaque:
        return {}
    if values.kind:
        return {"type": kind, "x-kind": values.kind}
    if values.pattern:
        return {"type": kind, "pattern": f"^(?:{values.pattern})$"}
    if values.examples:
        return {"type": kind, "examples": list(values.examples)}
    told_plainly = {key: inner[key] for key in _KEPT if key in inner}
    if "enum" in told_plainly:
        told_plainly["enum"] = [value for value in told_plainly["enum"] if value not in word_lists()["anything"]]
        return {"type": kind, "enum": told_plainly["enum"]} if told_plainly["enum"] else {}
    return {**told_plainly, "type": kind}
