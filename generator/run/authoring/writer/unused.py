"""What a description of a server leaves open: arguments that an effect does nothing with, and fields without values."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from generator.arguments.kinds.names import kind_of_name
from generator.core.toolbox import ToolSpec, fields_written
from generator.run.authoring.readers.items import is_identifier

_GIVEN = frozenset({"states", "of", "x-kind", "x-compute", "examples", "enum", "const", "pattern", "format"})
_VAGUE = frozenset({"proper_name", "text", "short_text"})


def fields_without_values(entity: Any) -> Iterator[str]:
    """Yield the text fields of an entity as somebody wrote it of which nothing says what values they have."""
    fields = entity.get("fields") if isinstance(entity, dict) else None
    whole = entity.get("examples") if isinstance(entity, dict) else None
    shown = [one for one in whole if isinstance(one, dict)] if isinstance(whole, list) else []
    for name, schema in fields.items() if isinstance(fields, dict) else ():
        if not isinstance(schema, dict) or not schema or _GIVEN & schema.keys():
            continue
        types = schema.get("type", "string")
        is_text = "string" in (types if isinstance(types, list) else [types])
        if is_text and not any(name in one for one in shown) and kind_of_name(str(name), (), False) in (None, *_VAGUE):
            yield str(name)


def told_without_values(entities: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the writer is told of fields without values."""
    for name, entity in entities.items():
        for field in fields_without_values(entity):
            yield (
                f'entities.{name}: fields.{field}: nothing says what values it has, so no result shows it: give it "examples", a '
                'pattern, "x-kind" or "x-compute", or let the whole "examples" of the entity hold it'
            )


def ignored_arguments(spec: ToolSpec) -> Iterator[str]:
    """Yield the required arguments and IDs that neither change, choose nor show anything, although the tool acts on something kept."""
    effect = spec.effect
    if effect is None or effect.entity not in spec.declared.entities:
        return
    text = msgspec.json.encode([effect.by, effect.where, effect.needs, effect.set]).decode() + str(spec.returns)
    used = {*effect.by, *effect.names, *effect.words, effect.limit}
    used |= {str(value).removeprefix("args.") for value in fields_written(spec).values()}
    shown = set(re.findall(r"\b(?:args\.|given\()(\w+)", text)) | {*(spec.returns or {}).get("properties", {})}
    for name in spec.properties:
        is_free = name not in spec.required and (name in spec.context or spec.say.get(name) == "never")
        is_asked = name in spec.required or is_identifier(name)
        if is_asked and not is_free and name not in used | shown:
            yield name


IGNORED = (
    'effect: the argument {name} does nothing: "by", "where", "needs" or "set" should say what it has to fit (things of '
    'another one: "count(member, board_id, args.board_id, user_id, user_id) > 0"), or "say": {{"{name}": "never"}}'
)
