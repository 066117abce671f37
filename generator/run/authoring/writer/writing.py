"""What the writer is asked: one request about what the tools of a server act on, then a few tools a request."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments import KINDS
from generator.arguments.kinds.records import RECORDS
from generator.core.overlays import Pieces, join_pieces, split_pieces
from generator.core.toolbox import ToolSpec, name_as_words
from generator.llm.prompts import Prompt, load_prompt
from generator.run.authoring.asking import Asked
from generator.run.authoring.bench import ADDED, Bench
from generator.run.authoring.writer.values import values_known
from generator.world.grammar import grammar
from generator.world.references import dereferenced

BATCH = 5
"""Tools a request."""
_LONGEST_LINE = 160
_LONGEST_TEXT = 700
_MOST_CHOICES = 12
_OBJECT: dict[str, Any] = {"type": "object"}
SERVER_ANSWER: dict[str, Any] = {
    "type": "object",
    "properties": {"entities": _OBJECT, "tools": {"type": "object", "additionalProperties": _OBJECT}},
    "required": ["entities", "tools"],
}
TOOLS_ANSWER: dict[str, Any] = {
    "type": "object",
    "properties": {"tools": {"type": "object", "additionalProperties": _OBJECT}},
    "required": ["tools"],
}
"""JSON Schemas of the answers; what stands in them is held against the language piece by piece."""
_ALWAYS = (
    "person_name",
    "first_name",
    "email",
    "city",
    "company",
    "date",
    "url",
    "phone",
    "product_name",
    "project_name",
)
_PLAIN = frozenset({"id", "name", "text", "of", "in", "code", "number", "file"})


class Prompts(msgspec.Struct, frozen=True, kw_only=True):
    """The prompts of authoring."""

    server: Prompt
    tools: Prompt
    bank: Prompt
    read: Prompt
    read_second: Prompt
    judge: Prompt
    again: Prompt


def load_author_prompts(folder: Path | None) -> Prompts:
    """Return the shipped prompts, or those of the same names in a folder.

    Raises:
        RecipeError: when a file is broken.
    """
    return Prompts(
        server=load_prompt("author_server", ("server", "tools", "kinds", "expressions"), folder),
        tools=load_prompt("author_tools", ("siblings", "entities", "kinds", "functions"), folder),
        bank=load_prompt("author_bank", ("siblings", "functions"), folder),
        read=load_prompt("author_read", ("tools", "items"), folder),
        read_second=load_prompt("author_read_second", ("tools", "items"), folder),
        judge=load_prompt("author_judge", ("tools", "rows"), folder),
        again=load_prompt("again", ("faults",), folder),
    )


def server_request(bench: Bench, prompts: Prompts) -> Asked:
    """Return the request about a whole server."""
    specs = list(bench.bare.values())
    request = prompts.server.ask(
        SERVER_ANSWER,
        "author",
        server=_server_name(specs, bench.title),
        tools="\n".join(signature(spec, is_long=True) for spec in specs),
        kinds=", ".join(fitting_kinds(specs)),
        expressions=grammar(),
    )
    return Asked(name="1-server", request=request)


def tools_request(
    bench: Bench, chosen: Sequence[ToolSpec], said: Mapping[str, Pieces], prompts: Prompts, number: int
) -> Asked:
    """Return the request about a few tools.

    Args:
        bench: The source.
        chosen: The tools, under what is known of them by now.
        said: What the writer has said of them already.
        prompts: All prompts.
        number: Of the request among those about tools.
    """
    siblings = "\n".join(_line(spec) for spec in bench.bare.values())
    if bench.adds:
        functions = "\n\n".join(json.dumps(_described(spec, bench), ensure_ascii=False) for spec in chosen)
        request = prompts.bank.ask(TOOLS_ANSWER, "author", siblings=siblings, functions=functions)
    else:
        request = prompts.tools.ask(
            TOOLS_ANSWER,
            "author",
            siblings=siblings,
            entities=_entities(chosen) or "(nothing that is kept)",
            kinds=", ".join(fitting_kinds(chosen)),
            functions="\n\n".join(_function(spec, said.get(spec.name, {})) for spec in chosen),
        )
    return Asked(name=f"2-tools-{number:02d}-{chosen[0].name}", request=request)


def once_more(asked: Asked, answer: str, faults: Iterable[str], prompts: Prompts) -> Asked:
    """Return the request with what is wrong with the answer to it, and the parts of the answer that this is about."""
    own = _first_messages(asked) if asked.request.again else asked.request.messages
    messages = (
        *own,
        *([("assistant", answer[:_LONGEST_ANSWER])] if answer else []),
        *prompts.again.fill(faults="; ".join(faults) + _MENDING),
    )
    request = msgspec.structs.replace(asked.request, messages=tuple(messages), again=True)
    return Asked(name=f"{asked.name}-2" if asked.request.again else f"{asked.name}-again", request=request)


def _first_messages(asked: Asked) -> Sequence[tuple[str, str]]:
    """Return the messages of a request before anything was asked once more."""
    at = next((at for at, (role, _) in enumerate(asked.request.messages) if role == "user"), 0)
    return asked.request.messages[: at + 1]


_MENDING = (
    ". Answer with these tools and pieces only, mended. A piece (entities.NAME, effect, links.NAME, phrases.request, phrases.slots.NAME) is"
    " given whole and takes the place of the one before; null removes it. What is refused and not given again is gone;"
    " everything else stays"
)


_LONGEST_ANSWER = 24_000


def batches(specs: Sequence[ToolSpec]) -> list[list[ToolSpec]]:
    """Return the tools in batches of nearly the same size."""
    number = -(-len(specs) // BATCH)
    return [list(specs[at * len(specs) // number : (at + 1) * len(specs) // number]) for at in range(number)]


def _server_name(specs: Sequence[ToolSpec], title: str) -> str:
    return next((spec.origin.server or spec.origin.title for spec in specs if spec.origin.server), Path(title).stem)


def signature(spec: ToolSpec, *, is_long: bool = False, with_result: bool = False) -> str:
    """Return a tool on one line: name, arguments with types, what it does; with the fields of its result where wanted."""
    parameters = spec.tool.parameters or {}
    required = parameters.get("required", ())
    arguments = [
        f"{name}{'' if name in required else '?'}: {_type(schema, parameters)}{_told(schema) if is_long else ''}"
        for name, schema in parameters.get("properties", {}).items()
    ]
    about = " ".join((spec.tool.description or "").split())
    line = f"{spec.name}({', '.join(arguments)}): {about[: _LONGEST_TEXT if is_long else _LONGEST_LINE]}"
    hints = [key for key, value in spec.origin.annotations.items() if value is True]
    line += f" [{', '.join(hints)}]" if hints and is_long else ""
    return f"{line} -> {', '.join(fields_of(spec.returns))}" if with_result else line


def _line(spec: ToolSpec) -> str:
    about = (spec.tool.description or "").strip().splitlines()
    return f"{spec.name}: {about[0] if about else ''}"[:_LONGEST_LINE]


def _told(schema: Any) -> str:
    text = " ".join(str(schema.get("description", "")).split()) if isinstance(schema, dict) else ""
    return f' "{text[:_LONGEST_LINE]}"' if text else ""


def _type(schema: Any, root: Any = None, depth: int = 0) -> str:
    """Return what values a schema allows in a few words; with a root also what stands behind references and in objects, as far as it is not too deep."""
    if depth > _DEEPEST:
        return "anything"
    schema = dereferenced(root, schema) if isinstance(schema, dict) and isinstance(root, dict) else schema
    if not isinstance(schema, dict):
        return "anything"
    if "enum" in schema:
        return "one of " + "|".join("null" if value is None else str(value) for value in schema["enum"][:_MOST_CHOICES])
    types = schema.get("type", "anything")
    branches = schema.get("anyOf") or schema.get("oneOf")
    if types == "anything" and branches and root is not None:
        return " or ".join(dict.fromkeys(_type(branch, root, depth + 1) for branch in branches))
    if types == "array":
        return f"list of {_type(schema.get('items'), root, depth + 1)}"
    if types == "object" and root is not None and (parts := schema.get("properties")):
        return f"object of {', '.join(parts)}"
    if isinstance(types, list):
        return " or ".join(types)
    return str(schema.get("format", types)) if types == "string" else str(types)


_DEEPEST = 3


def fields_of(returns: Any, prefix: str = "") -> list[str]:
    """Return the fields of a result by the names that phrases have for them: `jobs`, `jobs/*/title`."""
    if not isinstance(returns, dict):
        return []
    found = []
    for name, schema in returns.get("properties", {}).items():
        found.append(f"{prefix}{name}: {_type(schema)}" if not _items(schema) else f"{prefix}{name}: list")
        found += (
            fields_of(_items(schema), f"{prefix}{name}/*/") if _items(schema) else fields_of(schema, f"{prefix}{name}/")
        )
    return found


def _items(schema: Any) -> Any:
    return schema.get("items") if isinstance(schema, dict) and isinstance(schema.get("items"), dict) else None


def _function(spec: ToolSpec, said: Pieces) -> str:
    """Return a function with what is known of its result."""
    function = {"name": spec.name, "description": (spec.tool.description or "")[:_LONGEST_TEXT]}
    value: dict[str, Any] = {**function, "parameters": _short(spec.tool.parameters or {})}
    lines = [json.dumps(value, ensure_ascii=False)]
    known = spec.returns is not None and (spec.effect is not None or spec.origins.get("returns") != "derived")
    lines.append(f"result: {', '.join(fields_of(spec.returns)) if known else 'not known'}")
    kept = {key: part for key, part in join_pieces(said).items() if key in ("together", "one_of", "links", "context")}
    if settled := _settled(spec):
        lines.append(f"values are known of: {', '.join(settled)}")
    if spec.effect is not None:
        lines.append(f"it does: {spec.effect.kind} {spec.effect.entity}".rstrip())
    if kept:
        lines.append(f"already said: {json.dumps(kept, ensure_ascii=False)}")
    return "\n".join(lines)


def _settled(spec: ToolSpec) -> list[str]:
    """Return the arguments whose values the things give that the tool acts on."""
    effect = spec.effect
    if effect is None or effect.entity not in spec.declared.entities:
        return []
    keys = {entity.key for entity in spec.declared.entities.values()}
    named = [name for name, field in effect.by.items() if field in keys or effect.kind != "find"]
    given = values_known(spec) | {*effect.refers, *named, *effect.words}
    return [name for name in spec.properties if name in given]


def _short(value: Any) -> Any:
    """Return a schema with its long texts cut, and without the titles of its parts; a property may be called `title`."""
    if isinstance(value, dict):
        kept = {
            key: part for key, part in value.items() if key != "$schema" and not (key == "title" and type(part) is str)
        }
        return {key: _short(part) for key, part in kept.items()}
    if isinstance(value, list):
        return [_short(part) for part in value]
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


def _described(spec: ToolSpec, bench: Bench) -> dict[str, Any]:
    """Return a tool that was described by hand, with its phrases."""
    pieces = split_pieces(bench.bare[spec.name].written)
    there = {piece: value for piece, value in pieces.items() if piece[0] == "phrases" and piece[1] in ADDED}
    return {
        "name": spec.name,
        "description": spec.tool.description,
        "parameters": _short(spec.tool.parameters),
        "result": fields_of(spec.returns),
        "there": join_pieces(there).get("phrases", {}),
    }


def _entities(specs: Sequence[ToolSpec]) -> str:
    """Return the things that some tools act on, one a line."""
    found = {
        spec.effect.entity: spec.declared.entities[spec.effect.entity]
        for spec in specs
        if spec.effect is not None and spec.effect.entity in spec.declared.entities
    }
    return "\n".join(f"{name}: {', '.join(entity.fields)}" for name, entity in found.items())


def fitting_kinds(specs: Sequence[ToolSpec]) -> list[str]:
    """Return the kinds of values that share a word with what some tools say of themselves, and a few that fit everywhere."""
    text = " ".join(name_as_words(f"{spec.name} {spec.tool.description} {spec.tool.parameters}") for spec in specs)
    words = set(text.split())
    words |= {word.removesuffix("s") for word in words}
    own = [kind for kind in KINDS if (set(kind.split("_")) - _PLAIN) & words or kind in words]
    own = [
        kind for kind in own if RECORDS[kind].names or not RECORDS[kind].formats
    ]  # else schemas ask for it, not people
    return sorted({*own, *(kind for kind in _ALWAYS if kind in KINDS)})
