"""What the writer says of a whole server: entities, and of each tool its effect, result, links and groups."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.core.overlays import Pieces, split_pieces
from generator.run.authoring.writer.unused import fields_without_values

KEYS = frozenset({"effect", "links", "together", "one_of", "context", "say", "relations", "returns"})
"""What may be said of a tool there; `result` beside it lists the fields of its entity that the result shows."""
_DROPPED = ("examples", "states", "of", "x-kind", "x-compute", "x-when", "minimum", "maximum")
"""What says how a field's values are made; what a call sets may lie beyond."""


def pieces_of_tool(value: Mapping[str, Any], entities: Mapping[str, Any]) -> Pieces:
    """Return the pieces that an answer about the server has of one tool."""
    said = {key: part for key, part in value.items() if key in KEYS}
    effect, result = value.get("effect"), value.get("result")
    if isinstance(effect, dict) and "returns" not in said:
        returns = _returns(effect, _usual(effect, entities) if result is None else result, entities)
        if returns:
            said["returns"] = returns
    return split_pieces(said)


def all_shown(schema: Any) -> Any:
    """Return the schema of a result in which every object always has all its properties, unless it says which it has."""
    if isinstance(schema, list):
        return [all_shown(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties")
    named = (
        {"properties": {key: all_shown(part) for key, part in properties.items()}}
        if isinstance(properties, dict)
        else {}
    )
    own = {key: all_shown(part) if key in ("items", "anyOf", "oneOf") else part for key, part in schema.items()} | named
    return {"required": list(named["properties"]), **own} if named else own


def unknown_keys(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of what is said of a tool that have no meaning."""
    yield from (key for key in value if key not in KEYS and key != "result")


def _returns(effect: Mapping[str, Any], result: Any, entities: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a result that shows some fields of the effect's entity."""
    name = next((effect[kind] for kind in _EFFECTS if isinstance(effect.get(kind), str)), "")
    entity = entities.get(name)
    if not isinstance(entity, dict) or not isinstance(entity.get("fields"), dict):
        return {}
    if isinstance(result, dict):
        at, fields = next(iter(result.items()), ("", []))
        items = _object(fields, entity["fields"], entities, fields_without_values(entity))
        if not items:
            return {}
        listed = {"type": "array", "maxItems": 6, "items": items}
        return {"type": "object", "properties": {str(at): listed}, "required": [str(at)]}
    return _object(result, entity["fields"], entities, fields_without_values(entity))


def _usual(effect: Mapping[str, Any], entities: Mapping[str, Any]) -> Any:
    """Return what a result shows of the effect's entity where nothing is said: what one is called, or most of a thing looked up."""
    kind = next((kind for kind in _EFFECTS if isinstance(effect.get(kind), str)), "")
    entity = entities.get(effect.get(kind, ""))
    if not isinstance(entity, dict) or not isinstance(entity.get("fields"), dict):
        return []
    called = entity.get("called")
    names = dict.fromkeys([entity.get("key"), *(called[:1] if isinstance(called, list) else ())])
    shown = list(dict.fromkeys([*names, *entity["fields"]]))[:_MOST_SHOWN] if kind in ("find", "get") else list(names)
    return {effect.get("at") or f"{effect[kind]}s": shown} if kind == "find" else shown


_MOST_SHOWN = 6
_EFFECTS = ("find", "get", "create", "update", "delete", "move", "act", "read")


def _object(
    fields: Any, known: Mapping[str, Any], entities: Mapping[str, Any], without: Iterator[str]
) -> dict[str, Any]:
    if not isinstance(fields, list):
        return {}
    empty = {*without}
    shown = {
        str(name): _shown(str(name), known[name], entities) for name in fields if name in known and name not in empty
    }
    for name in shown:  # the topmost of things within things of their own sort are within none
        of = known[name].get("of") if isinstance(known[name], dict) else None
        if isinstance(of, str) and entities[of].get("fields") is known:
            shown[name] = {**shown[name], "type": [shown[name]["type"], "null"]}
    return {"type": "object", "properties": shown, "required": list(shown)} if shown else {}


def _shown(name: str, schema: Any, entities: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a result shows a field: its type, without how its values are made."""
    if not isinstance(schema, dict):
        return {}
    if "states" in schema:
        return {"type": "string", "enum": [str(state) for state in schema["states"]]}
    if "type" in schema:
        return {key: part for key, part in schema.items() if key not in _DROPPED}
    named = entities.get(str(schema.get("of")))
    of = named.get("key") if isinstance(named, dict) else name
    for entity in entities.values():  # the key of another entity
        if isinstance(entity, dict) and entity.get("key") in (of, None) and isinstance(entity.get("fields"), dict):
            found = entity["fields"].get(of)
            if isinstance(found, dict) and "type" in found:
                return _shown(name, found, entities)
    return {"type": "string"}
