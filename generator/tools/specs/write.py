"""Tools that were read, as a file of our own language or as a portable JSON prompt."""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from generator.core.entities import Entity
from generator.core.errors import OutputError
from generator.core.portable import MODEL_SUFFIX
from generator.core.toolbox import ToolOrigin, ToolSpec
from generator.tools.specs.models import ToolVerdict
from generator.tools.specs.prompt_tools import prompt_file

_ENDINGS = (".yaml", ".yml", ".json", ".jsonl")
_BESIDE = (
    *("links", "examples", "texts", "kinds", "patterns", "worked", "example_calls", "relations", "together", "one_of"),
    *("context", "say", "effect", "phrases"),
)
_LIKE_A_NUMBER = re.compile(r"[-+.0-9]")


def check_ending(path: Path) -> None:
    """Raise OutputError for a file whose name does not say how it is written."""
    if path.suffix.lower() not in _ENDINGS:
        raise OutputError(f"{path}: a file that ends in {', '.join(_ENDINGS)} or {MODEL_SUFFIX} is written")


def file_text(path: Path, verdicts: Iterable[ToolVerdict]) -> str:
    """Return the text of the file with all tools that were not refused.

    Raises:
        OutputError: for an ending that is not known, for a portable prompt of several tools, and for entities of which the
            file cannot hold all.
    """
    check_ending(path)
    specs = [verdict.spec for verdict in verdicts if verdict.spec is not None]
    if path.name.lower().endswith(MODEL_SUFFIX):
        if len(specs) != 1:
            raise OutputError(f"{path}: a portable prompt is one tool, not {len(specs)}")
        return prompt_file(specs[0], str(path))
    values = [tool_value(spec) for spec in specs]
    declared = _declared_value(path, specs)
    if path.suffix.lower() == ".jsonl":
        return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    whole = {**declared, "tools": values}
    if path.suffix.lower() == ".json":
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    return yaml.dump(whole, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)


def _declared_value(path: Path, specs: Iterable[ToolSpec]) -> dict[str, Any]:
    """Return the entities and tables that the tools' effects and formulas are about, as a spec file at this path says them."""
    sections: dict[str, dict[str, Any]] = {}
    for declared in {id(spec.declared): spec.declared for spec in specs}.values():
        entities = {name: _entity_value(entity) for name, entity in declared.entities.items()}
        tables = {
            name: {"file": os.path.relpath(table.file, path.parent), "key": list(table.key)}
            for name, table in declared.tables.items()
        }
        for section, values_by_name in (("entities", entities), ("tables", tables)):
            for name, value in values_by_name.items():
                if sections.setdefault(section, {}).setdefault(name, value) != value:
                    raise OutputError(
                        f"{path}: two of the files that were read say differently what {name!r} is under {section!r}; save them one by one"
                    )
    if sections and path.suffix.lower() == ".jsonl":
        raise OutputError(
            f"{path}: a file of lines holds tools only, and these act on {', '.join(sections.get('entities', sections['tables']))}; save them as .yaml or .json"
        )
    return sections


def _entity_value(entity: Entity) -> dict[str, Any]:
    """Return an entity as a spec file says it."""
    fields: dict[str, Any] = {}
    for field, schema in entity.fields.items():
        states = entity.states.get(field)
        if states is None:
            fields[field] = schema
            continue
        free = all(set(after) == states.keys() - {state} for state, after in states.items())
        written = {key: part for key, part in schema.items() if key not in ("type", "enum")}
        fields[field] = {
            "states": list(states) if free else {state: list(after) for state, after in states.items()},
            **written,
        }
    value = {"key": entity.key, "count": list(entity.count), "fields": fields}
    if entity.one_at_a_time:
        value |= {"one_at_a_time": dict(zip(("on", "start", "minutes"), entity.one_at_a_time, strict=True))}
    value |= {"examples": list(entity.examples)} if entity.examples else {}
    return value | ({"called": list(entity.called)} if entity.called else {})


def tool_value(spec: ToolSpec) -> dict[str, Any]:
    """Return a tool as a spec file says it."""
    function: dict[str, Any] = {"name": spec.name}
    for key in ("description", "parameters", "strict"):
        if getattr(spec.tool, key) is not None:
            function[key] = getattr(spec.tool, key)
    value: dict[str, Any] = {"type": "function", "function": function}
    if spec.returns is not None:
        value["returns"] = spec.returns
    value |= {key: spec.written[key] for key in _BESIDE if key in spec.written}
    if spec.links and "links" in value:
        value["links"] = _links(spec)
    if spec.origin != ToolOrigin():
        value["origin"] = msgspec.to_builtins(spec.origin)
    return value


def _links(spec: ToolSpec) -> dict[str, list[str]]:
    """Return the links, by the names that tools have now."""
    sources_by_argument: dict[str, list[str]] = {}
    for link in spec.links:
        sources_by_argument.setdefault(link.argument, []).append(f"{link.tool}#/{link.result}")
    return sources_by_argument


class Dumper(yaml.SafeDumper):
    """Writes each value in full, and in quotes what another YAML version could take for a number."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: D102
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Return a text as YAML: in quotes where it looks like a number, as a block where it has several lines."""
    is_block = "\n" in text and all(line == line.rstrip() for line in text.split("\n")) and text == text.strip()
    style = '"' if _LIKE_A_NUMBER.match(text) else "|" if is_block else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Dumper.add_representer(str, _represent_text)
