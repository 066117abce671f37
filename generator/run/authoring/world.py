"""The world of a server: entities, and what each tool does to them and returns, as a writer says it, until it is sound.

What is said is an overlay (docs/tool-specs.md) with one short form more: `result`, the names of what a tool returns. It is held against
the loader piece by piece, so that one bad piece costs itself, and results of all tools are shown back with what in them contradicts.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent
from typing import Any

import msgspec

from generator.arguments import KINDS, compile_value
from generator.core.documents import Document, nearest
from generator.core.errors import GeneratorError, SpecError
from generator.core.overlays import Pieces, name_of_piece, split_pieces
from generator.core.toolbox import Toolbox, ToolSpec
from generator.run.authoring.asking import Answering, Asked, prompt, text_of, yaml_of
from generator.tools.sampled import sampled_lines, sampled_tools
from generator.tools.specs.load import declaring
from generator.tools.specs.overlay_files import overlay_text
from generator.tools.specs.overlays import Overlay, layer_of, name_at_source, overlaid_as_far_as_it_fits, overlay_in
from generator.world.expressions import grammar
from generator.world.state import compile_population

MENDS = 3
"""How often a world is shown back at most."""
_TITLE = "world"
_KEYS = ("entities", "tools", "refused")
_SEED = 20260302
_MOST_LISTED = 12
_EXAMPLES = 3
"""Things of each kind that are shown to those who write scripts."""
_RESULT = (("returns",), ("effect",))
_EFFECTS = ("find", "get", "create", "update", "delete", "move", "act", "read")

Said = dict[str, dict[str, Any]]
"""What a writer says, by `entities`, `tools` and `refused`, and there by name."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """A world, as far as it can be."""

    tools: Toolbox
    """All that are not refused; those of which nothing was said are as they were."""
    pieces: dict[str, Pieces] = {}
    """What is kept of what was said of each tool."""
    entities: dict[str, Any] = {}
    refused: dict[str, str] = {}
    faults: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    """Calls of each tool and what they return, in lines for people."""

    @property
    def callable(self) -> list[str]:
        """The tools of which it is known what they return."""
        return [name for name, spec in self.tools.items() if spec.returns is not None or spec.effect is not None]

    def text(self, title: str) -> str:
        """Return the overlay."""
        tools = [(self.tools[name], pieces) for name, pieces in self.pieces.items() if name in self.tools]
        return overlay_text(tools, "model", title, self.entities, refused=self.refused)

    def told(self) -> str:
        """Return the kinds of things with a few examples, and what each tool does to them, for those who write scripts."""
        entities_by_name = {
            name: entity for spec in self.tools.values() for name, entity in spec.declared.entities.items()
        }
        entities = {
            name: {"key": entity.key, "called": entity.called, "fields": entity.fields}
            | ({"states": entity.states} if entity.states else {})
            | ({"examples": entity.examples[:_EXAMPLES]} if entity.examples else {})
            for name, entity in entities_by_name.items()
        }
        effects = {name: spec.written["effect"] for name, spec in self.tools.items() if "effect" in spec.written}
        sections = [*entities.items(), ("what each tool does to them", effects)]
        return "\n".join([f"{name}: {msgspec.json.encode(value).decode()}" for name, value in sections])


def known_world(tools: Toolbox) -> World:
    """Return the world of tools that somebody has described."""
    return World(tools=tools, results=tuple([line for one in sampled_tools(tools) for line in sampled_lines(one)]))


def functions_text(tools: Toolbox) -> str:
    """Return functions as they are, one a line."""
    shown = [
        {"name": spec.name, "description": spec.tool.description, "parameters": spec.tool.parameters}
        for spec in tools.values()
    ]
    return "\n".join([json.dumps(function, ensure_ascii=False) for function in shown])


def world_request(tools: Toolbox) -> Asked:
    """Return the request for a world."""
    kinds = ", ".join(sorted(KINDS))
    return Asked(
        name="1-world", messages=prompt("world", tools=functions_text(tools), kinds=kinds, expressions=grammar())
    )


async def write_world(writer: Answering, tools: Toolbox, judged: Sequence[str] = ()) -> World:
    """Have a world written, and shown back until whoever writes it finds nothing more to change, `MENDS` times at most.

    Args:
        writer: Who is asked; what has been answered before is not asked again.
        tools: The tools.
        judged: What a judge of rows finds wrong with the world, for which it is shown back once more.
    """
    asked = world_request(tools)
    answer = await writer.answer(asked)
    said, fault = _merged_answer(text_of(answer), answer.fault, {})
    for number in range(1, MENDS + 1):
        world = heard(tools, said, fault)
        if number > 1 and not world.faults:
            break
        shown_again = {
            "faults": "\n".join(world.faults) or "(nothing)",
            "results": "\n".join(world.results) or "(nothing)",
        }
        asked = asked.then(f"1-world-shown-{number}", text_of(answer), "shown", **shown_again)
        answer = await writer.answer(asked)
        previous = said
        said, fault = _merged_answer(text_of(answer), answer.fault, said)
        if said == previous and not fault:
            break
    world = heard(tools, said, fault)
    if judged:
        shown_again = {
            "faults": "\n".join([*world.faults, *judged]),
            "results": "\n".join(world.results) or "(nothing)",
        }
        answer = await writer.answer(asked.then("1-world-judged", text_of(answer), "shown", **shown_again))
        world = heard(tools, *_merged_answer(text_of(answer), answer.fault, said))
    return world


def _merged_answer(text: str, fault: str, earlier: Said) -> tuple[Said, str]:
    """Return what is said by now, with a later answer in place of what it says anew, and why that is of no use."""
    value, fault = yaml_of(text, fault)
    if not isinstance(value, dict):
        value, fault = _read_in_pieces(text, fault) if fault else ({}, "a mapping with entities and tools is expected")
    merged: Said = {key: dict(earlier.get(key, {})) for key in _KEYS}
    for key, part in value.items():
        for name, entry in part.items() if key in _KEYS and isinstance(part, dict) else ():
            earlier_entry = merged[key].pop(name, None)
            if key == "tools" and isinstance(entry, dict):
                new = {"returns": None, **entry} if "result" in entry else entry
                entry = {**(earlier_entry or {}), **new}
            if entry is not None:
                merged[key][str(name)] = entry
    unknown = [f"{key}: there is no such key{nearest(str(key), _KEYS)}" for key in value if key not in _KEYS]
    return merged, "\n".join(filter(None, [fault, *unknown]))


def _read_in_pieces(text: str, fault: str) -> tuple[Said, str]:
    """Return what can be read of a text that is no YAML as a whole: entity by entity and tool by tool, and what is wrong with the others."""
    read_sections: Said = {}
    faults: list[str] = []
    for section in re.split(r"^(?=\w+:)", text, flags=re.MULTILINE):
        key, _, body = section.partition(":")
        inside = re.search(r"^ +(?=\S)", body, re.MULTILINE)
        for piece in re.split(rf"^(?={inside[0]}\w)", body, flags=re.MULTILINE) if key in _KEYS and inside else ():
            value, wrong = yaml_of(dedent(piece), "")
            if isinstance(value, dict):
                read_sections[key] = {**read_sections.get(key, {}), **value}
            elif piece.strip():
                faults.append(f"{key}.{piece.partition(':')[0].strip()}: {wrong or 'a mapping is expected'}")
    return read_sections, "\n".join(faults) or fault


def heard(tools: Toolbox, said: Said, fault: str = "") -> World:
    """Return what is said of a world as far as it can be, with what is wrong with the rest; `fault` is wrong with the answer itself."""
    faults = [fault] if fault else []
    names = {name_at_source(spec): spec.name for spec in tools.values()}
    of_tools: dict[str, Any] = {name: one for name, one in said.get("tools", {}).items() if isinstance(one, dict)}
    refused = said.get("refused", {})
    unknown = [name for name in (*of_tools, *refused) if name not in names]
    faults += [f"tools.{name}: there is no such tool{nearest(name, names)}" for name in unknown]
    entities, declared = _possible_entities([*tools.values()], said.get("entities", {}), faults)
    lost = said.get("entities", {}).keys() - entities.keys()
    found: Toolbox = {}
    pieces: dict[str, Pieces] = {}
    results: list[str] = []
    for spec in declared:
        own = of_tools.get(name_at_source(spec))
        if name_at_source(spec) in refused and not own:
            continue
        kept, wrong = _fitting_pieces(spec, own, entities)
        found[spec.name], pieces[spec.name], lines, more = _tried_tool(spec, kept)
        if not (own or spec.effect or spec.returns):
            faults.append(
                f"tools.{spec.name}: nothing says what it returns: effect and result, or `refused: {{TOOL: why}}`"
            )
        elif not lost & {*re.findall(r"\w+", str((own or {}).get("effect")))}:  # else it is told of the entity
            faults += [f"tools.{spec.name}: {one}" for one in (*wrong, *more, *_unused_arguments(found[spec.name]))]
            results += lines
    return World(
        tools=found,
        pieces={name: one for name, one in pieces.items() if one},
        entities=entities,
        refused={name: str(why) for name, why in refused.items() if name in names and names[name] not in found},
        faults=tuple(dict.fromkeys(faults)),
        results=tuple(results),
    )


def _possible_entities(
    specs: Sequence[ToolSpec], written: Mapping[str, Any], faults: list[str]
) -> tuple[dict[str, Any], list[ToolSpec]]:
    """Return the entities that can be, and the tools with them; what is wrong with the others is added to `faults`."""
    kept = {name: dict(entry) if isinstance(entry, dict) else entry for name, entry in written.items()}
    while kept:
        overlay = Overlay(document=Document(_TITLE, "", {"entities": kept}), layers={})
        try:
            declared = declaring(specs, {}, [overlay])
            population = compile_population({spec.name: spec for spec in declared[:1]}, compile_value, _SEED, {})
            for title in population.kinds:
                population.ready(title)
        except SpecError as fault:
            gone = {
                str(entry.get("key")) for name, entry in written.items() if name not in kept and isinstance(entry, dict)
            }
            if not gone & {*re.findall(r"\w+", str(fault))}:  # else it follows from another one
                faults.append(str(fault).removeprefix(f"{_TITLE}:1: "))
            match = re.search(r"entities\.(\w+)(?:\.examples\[(\d+)\])?", str(fault))
            name = match[1] if match and match[1] in kept else list(kept)[-1]
            if match and match[2] and name == match[1]:
                kept[name]["examples"] = [
                    example for at, example in enumerate(kept[name]["examples"]) if at != int(match[2])
                ]
            else:
                del kept[name]
        else:
            return kept, declared
    return {}, list(specs)


def _fitting_pieces(spec: ToolSpec, written: Any, entities: Mapping[str, Any]) -> tuple[Pieces, list[str]]:
    """Return the pieces of what is said of a tool that fit its function, and what is wrong with the others."""
    written = written or {}
    spec_keys = {
        str(key): part for key, part in written.items() if key not in ("result", "phrases") and part is not None
    }
    effect = spec_keys.get("effect")
    about = next((effect[kind] for kind in _EFFECTS if kind in effect), "") if isinstance(effect, dict) else ""
    entity = entities.get(about) if isinstance(about, str) else None
    wrong: list[str] = []
    if written.get("result") is not None:
        fields = entity.get("fields", {}) if isinstance(entity, dict) else {}
        spec_keys["returns"] = _schema_of_result(written["result"], {**spec.properties, **fields}, entities, wrong)
    if isinstance(entity, dict) and isinstance(effect, dict) and not {"find", "get", "read"} & effect.keys():
        spec_keys |= _values_of_fields(spec, entity, spec_keys)
    try:
        layer = overlay_in(Document(_TITLE, "", {"origin": "model", "tools": {spec.name: spec_keys}})).layers[spec.name]
        _, dropped = overlaid_as_far_as_it_fits(spec, [layer])
    except SpecError as fault:
        return {}, [*wrong, str(fault).removeprefix(f"{_TITLE}:1: ").removeprefix(f"tools.{spec.name}: ")]
    wrong += [f"{name_of_piece(piece)}: {why}" for piece, why in dropped.items()]
    return {piece: value for piece, value in split_pieces(spec_keys).items() if piece not in dropped}, wrong


def _values_of_fields(spec: ToolSpec, entity: Mapping[str, Any], spec_keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return `examples` and `kinds` for the arguments that set fields and of which nothing else tells the values: those of the fields."""
    values_by_key = {key: dict(spec_keys.get(key) or {}) for key in ("examples", "kinds")}
    slots_with_values = {
        name for key in ("examples", "texts", "kinds", "patterns") for name in spec_keys.get(key) or ()
    }
    for name, schema in spec.properties.items():
        field = entity.get("fields", {}).get(name)
        is_open = isinstance(schema, dict) and not schema.keys() & {"enum", "pattern", "format", "const", "$ref"}
        if isinstance(field, dict) and is_open and name not in slots_with_values and name != entity.get("key"):
            whole = [example[name] for example in entity.get("examples", ()) if name in example]
            values_by_key["examples"] |= (
                {name: values} if (values := whole or field.get("examples") or field.get("enum")) else {}
            )
            values_by_key["kinds"] |= {name: field["x-kind"]} if "x-kind" in field else {}
    return {key: values for key, values in values_by_key.items() if values}


def _schema_of_result(
    shape: Any, fields: Mapping[str, Any], entities: Mapping[str, Any], wrong: list[str]
) -> dict[str, Any]:
    """Return the JSON Schema that a result in short stands for: names of fields, `{NAME: SCHEMA}`, and lists as lists of objects."""
    properties: dict[str, Any] = {}
    for name, part in _fields(shape):
        if isinstance(part, list):
            items = _schema_of_result(part, fields, entities, wrong)
            properties[name] = {"type": "array", "maxItems": _MOST_LISTED, "items": items}
        elif isinstance(part, dict) and part:
            properties[name] = part
        elif name in fields:
            properties[name] = _schema_of_field(name, fields[name], entities)
        else:
            wrong.append(f"result: {name}: there is no such field or argument{nearest(name, fields)}")
    return {"type": "object", "properties": properties, "required": list(properties)}


def _fields(shape: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names in a short form of a result, each with what stands for it, or None."""
    for element in shape if isinstance(shape, list) else [shape]:
        if isinstance(element, dict):
            yield from ((str(name), part) for name, part in element.items())
        else:
            yield str(element), None


def _schema_of_field(name: str, schema: Any, entities: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a result shows a field: its type and choices, without how its values are made; what a call sets may lie beyond."""
    schema = schema if isinstance(schema, dict) else {}
    if "states" in schema:
        return {"type": "string", "enum": [str(state) for state in schema["states"]]}
    if "type" in schema:
        return {key: part for key, part in schema.items() if key in ("type", "enum", "format", "items", "properties")}
    for other, entity in entities.items():  # the key of another entity
        key = entity.get("key") if isinstance(entity, dict) else None
        if key and (other == schema.get("of") or (key == name and entity.get("fields", {}).get(key))):
            return _schema_of_field(str(key), entity["fields"].get(key), {})
    return {"type": "string"}


def _unused_arguments(spec: ToolSpec) -> Iterator[str]:
    """Yield the arguments that its effect does nothing with, so that results could contradict them."""
    effect = spec.effect
    if effect is None or effect.kind in ("act", "read"):
        return
    entity = spec.declared.entities[effect.entity]
    used_names = {*re.findall(r"\w+", str(spec.written["effect"])), *re.findall(r"args\.(\w+)", str(spec.returns))}
    if effect.kind != "find":  # what a result repeats, it was made for
        used_names |= {
            entity.key,
            *(spec.returns or {}).get("properties", {}),
            *(() if effect.reads else entity.fields),
        }
    for name in spec.properties:
        if (
            name not in used_names
            and spec.say.get(name) != "never"
            and (name in spec.required or effect.kind == "find")
        ):
            yield f"the argument {name} has no part in the effect (by, limit, set), so that results could contradict it"


def _tried_tool(spec: ToolSpec, pieces: Pieces) -> tuple[ToolSpec, Pieces, list[str], list[str]]:
    """Return a tool under its pieces, these, calls with results in lines, and what is wrong; without a result that no call can have."""
    read, _ = overlaid_as_far_as_it_fits(spec, [layer_of(pieces, "model", spec)])
    try:
        (sampled,) = sampled_tools({read.name: read})
        fault = "" if sampled.calls else sampled.faults[0].message
    except GeneratorError as why:
        fault = str(why)
    if fault:
        left = {piece: value for piece, value in pieces.items() if piece not in _RESULT}
        bare, _ = overlaid_as_far_as_it_fits(spec, [layer_of(left, "model", spec)])
        return bare, left, [], [fault.removeprefix(f"{spec.where}: ").removeprefix(f"{spec.name}: ")]
    wrong = [
        f"{fault_of_tool.piece}: {fault_of_tool.message}"
        for fault_of_tool in sampled.faults
        if not fault_of_tool.is_told
    ]
    if not any(outcome.ok for _, outcome in sampled.calls):
        wrong.append(f"no call goes through: {sampled.calls[0][1].content}")
    return read, pieces, [*sampled_lines(sampled)], wrong
