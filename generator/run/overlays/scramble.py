"""Other names for tools, parameters and enum values, so that a model cannot answer from memory.

Descriptions stay, and are completed where only the old name told what something is. Names that a description mentions
are replaced there too. What is said, called and answered stays the same otherwise.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Renamed, Tool, ToolMessage, calls_in
from generator.core.pointers import escape, split
from generator.core.seeds import Draw
from generator.core.toolbox import name_as_words
from generator.core.yaml_values import own_data
from generator.dialogue.proof.scrambled import is_code_name

Renaming = dict[str, Renamed]
"""Old name of a tool → its new names."""


@cache
def _words() -> dict[str, Any]:
    """Return the syllables and stems of new names, and the keys of plain schemas."""
    loaded: dict[str, Any] = own_data(__file__)
    return loaded


def scramble(conversation: Conversation, proof: Proof, draw: Draw) -> tuple[Conversation, Proof, Renaming] | None:
    """Return the row with other names; None when a text of it mentions the old ones."""
    fixed = _taken_from_elsewhere(conversation, proof)
    name = _namer(draw)
    renaming = {
        tool.name: Renamed(tool=name("tool"), arguments=arguments, values=values)
        for tool in conversation.tools
        for arguments, values in [_rename_arguments(tool, fixed, name)]
    }
    if _mentions_old_names(conversation, renaming):
        return None
    messages = tuple([renamed_message(message, renaming) for message in conversation.messages])
    tools = tuple([_renamed_tool(tool, renaming) for tool in conversation.tools])
    return Conversation(messages, tools), rename_claims(conversation, proof, renaming), renaming


def _namer(draw: Draw) -> Callable[[str], str]:
    """Return a maker of new names for tools, arguments and values, no two of them the same."""
    used: set[str] = set()
    style = draw.choice(("neutral", "syllables"))
    stems = {kind: draw.choice(stems) for kind, stems in _words()["neutral"].items()}

    def name(kind: str) -> str:
        """Return a new name for a `tool`, an `argument` or a `value`."""
        while True:
            if style == "neutral":
                new = f"{stems[kind]}{draw.between(1, 99 + 2 * len(used))}"
            else:
                words = ["".join([draw.choice(_words()["syllables"]) for _ in range(draw.between(2, 3))]) for _ in "12"]
                new = "_".join(words if kind == "tool" else words[:1])
            if new not in used:
                used.add(new)
                return new

    return name


def _taken_from_elsewhere(conversation: Conversation, proof: Proof) -> set[tuple[str, str]]:
    """Return tools and names of arguments whose values come from results or system messages: these are not renamed."""
    tools = {call.id: call.name for call in calls_in(conversation.messages)}
    return {
        (tools.get(claim.call_id, ""), step)
        for claim in proof.arguments
        if claim.source in ("result", "context", "expression")
        for step in split(claim.pointer)
    }


def _rename_arguments(
    tool: Tool, fixed: set[tuple[str, str]], name: Callable[[str], str]
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return new names of a tool's arguments, and by old name new values; none for schemas that say more than usual."""
    properties: list[tuple[str, tuple[Any, ...]]] = []
    if not isinstance(tool.parameters, dict) or not _has_plain_keys(tool.parameters):
        return {}, {}
    _collect_properties(tool.parameters, "", properties)
    names = list(dict.fromkeys([key for key, _ in properties]))
    arguments = {key: name("argument") for key in names}
    values = {}
    for key in names:
        enums = [members for other, members in properties if other == key]
        members = [member for member in (enums[0] if enums else ()) if isinstance(member, str)]
        if len(enums) == 1 and len(members) > 1 and (tool.name, key) not in fixed:
            values[key] = {member: name("value") for member in members}
    return arguments, values


def _has_plain_keys(schema: Any) -> bool:
    """Whether a schema and all below it use only keys whose names of arguments can be exchanged."""
    if not isinstance(schema, dict):
        return True
    if any(key not in _words()["plain"] and not key.startswith("x-") for key in schema):
        return False
    if (
        schema.get("type") == "object"
        and "properties" not in schema
        and schema.get("additionalProperties", True) is not False
    ):
        return False  # keys of the user's own
    inner = [*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", ())]
    return not isinstance(schema.get("additionalProperties", False), dict) and all(map(_has_plain_keys, inner))


def _collect_properties(schema: Any, name: str, properties: list[tuple[str, tuple[Any, ...]]]) -> None:
    """Add every property, at any depth, with the members of its enum: `("unit", ("metric", "imperial"))`."""
    if not isinstance(schema, dict):
        return
    for key, inner in schema.get("properties", {}).items():
        properties.append((key, tuple(_members(inner))))
        _collect_properties(inner, key, properties)
    _collect_properties(schema.get("items"), name, properties)
    for branch in schema.get("anyOf", ()):
        _collect_properties(branch, name, properties)


def _members(schema: Any) -> Iterator[Any]:
    """Yield the members of a property's enum, also in its items and branches."""
    if isinstance(schema, dict):
        yield from schema.get("enum", ())
        yield from _members(schema.get("items"))
        for branch in schema.get("anyOf", ()):
            yield from _members(branch)


def _mentions_old_names(conversation: Conversation, renaming: Renaming) -> bool:
    """Whether a text, or a result that reports a fault, mentions an old name."""
    old_names = {name for tool, new in renaming.items() for name in (tool, *new.arguments) if is_code_name(name)}
    texts = [
        message.content or ""
        for message in conversation.messages
        if not isinstance(message, ToolMessage) or message.is_error
    ]
    faulty = any(isinstance(message, ToolMessage) and message.is_error for message in conversation.messages)
    words = {word for text in texts for word in re.findall(r"[\w-]+", text)}
    names_to_find = (
        old_names if not faulty else old_names | {name for new in renaming.values() for name in new.arguments}
    )
    return not words.isdisjoint(names_to_find)


def restore(conversation: Conversation, proof: Proof, renaming: Renaming) -> tuple[Conversation, Proof]:
    """Return the row with the usual names in its calls and claims; the tools on offer have them, but no more."""
    back = {
        new.tool: Renamed(
            tool=old,
            arguments={after: before for before, after in new.arguments.items()},
            values={
                new.arguments.get(name, name): {after: before for before, after in members.items()}
                for name, members in new.values.items()
            },
        )
        for old, new in renaming.items()
    }
    messages = tuple([renamed_message(message, back) for message in conversation.messages])
    tools = tuple([msgspec.structs.replace(tool, name=back[tool.name].tool) for tool in conversation.tools])
    return Conversation(messages, tools), rename_claims(conversation, proof, back)


# -- the parts of a row --------------------------------------------------------------------------------------------------


def renamed_message(message: Any, renaming: Renaming) -> Any:
    """Return a message with other names in its calls."""
    if isinstance(message, AssistantMessage) and message.tool_calls:
        calls = [
            msgspec.structs.replace(
                call, name=renaming[call.name].tool, arguments=renamed_value(call.arguments, "", renaming[call.name])
            )
            for call in message.tool_calls
        ]
        return msgspec.structs.replace(message, tool_calls=tuple(calls))
    if isinstance(message, ToolMessage) and message.name in renaming:
        return msgspec.structs.replace(message, name=renaming[message.name].tool)
    return message


def renamed_value(value: Any, name: str, new: Renamed) -> Any:
    """Return arguments with new keys, and new values of enums; `name` is the property that holds the value."""
    if isinstance(value, dict):
        return {new.arguments.get(key, key): renamed_value(inner, key, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [renamed_value(inner, name, new) for inner in value]
    return new.values.get(name, {}).get(value, value) if isinstance(value, str) else value


def _renamed_tool(tool: Tool, renaming: Renaming) -> Tool:
    """Return a tool with new names, also in its description and schema."""
    new = renaming[tool.name]
    described = tool.description or f"{name_as_words(tool.name).capitalize()}."
    parameters = _renamed_schema(tool.parameters, "", new, renaming) if new.arguments else tool.parameters
    return msgspec.structs.replace(
        tool, name=new.tool, description=_reworded(described, new, renaming), parameters=parameters
    )


def _renamed_schema(schema: Any, name: str, new: Renamed, renaming: Renaming) -> Any:
    """Return a schema with new names, and with descriptions where an old name was its only description."""
    if not isinstance(schema, dict):
        return schema
    return {key: _renamed_part(key, part, name, new, renaming) for key, part in schema.items()}


def _renamed_part(key: str, part: Any, name: str, new: Renamed, renaming: Renaming) -> Any:
    """Return what stands under a keyword of a schema."""
    match key:
        case "properties":
            return {
                new.arguments.get(inner, inner): _described(_renamed_schema(schema, inner, new, renaming), inner, new)
                for inner, schema in part.items()
            }
        case "required":
            return [new.arguments.get(inner, inner) for inner in part]
        case "items":
            return _renamed_schema(part, name, new, renaming)
        case "anyOf":
            return [_renamed_schema(branch, name, new, renaming) for branch in part]
        case "enum" | "examples" | "default":
            return renamed_value(part, name, new)
        case "description" | "title" if isinstance(part, str):
            return _reworded(part, new, renaming)
        case _:
            return part


def _described(schema: Any, name: str, new: Renamed) -> Any:
    """Return a property with a description, and what its values mean."""
    if not isinstance(schema, dict):
        return schema
    meanings = [f"{value} means {name_as_words(old) or old}" for old, value in new.values.get(name, {}).items()]
    if not meanings and schema.get("description"):
        return schema
    text = str(schema.get("description") or name_as_words(name).capitalize()).rstrip(". ")
    return {**schema, "description": f"{text}: {'; '.join(meanings)}" if meanings else text}


def _reworded(text: str, new: Renamed, renaming: Renaming) -> str:
    """Return a description with new names in place of old ones: of identifiers everywhere, of common words where they are quoted."""
    names = {**{old: other.tool for old, other in renaming.items()}, **new.arguments}
    for members in new.values.values():
        names |= members
    for old, instead in sorted([pair for pair in names.items() if pair[0] in text], key=lambda pair: -len(pair[0])):
        pattern = rf"(?<![\w-]){re.escape(old)}(?![\w-])"
        if not is_code_name(old):
            pattern = rf"(?<=[`'\"]){re.escape(old)}(?=[`'\"])"
        text = re.sub(pattern, lambda _, instead=instead: instead, text)  # type: ignore[misc]
    return text


def rename_claims(conversation: Conversation, proof: Proof, renaming: Renaming) -> Proof:
    """Return the claims with the new names of what they are about; a tool that is not on offer keeps its name."""
    tools = {call.id: call.name for call in calls_in(conversation.messages)}
    tools |= {wish.call_id: wish.tool for wish in proof.wishes}
    replace = msgspec.structs.replace

    def new_of(call_id: str) -> Renamed | None:
        return renaming.get(tools.get(call_id, ""))

    def moved(claim: Any) -> Any:
        """Return a claim about an argument with the pointer that has the new names."""
        new = new_of(claim.call_id)
        if new is None or getattr(claim, "of", "arguments") == "result":
            return claim
        return replace(claim, pointer=renamed_pointer(claim.pointer, new))

    def wished(wish: Any) -> Any:
        """Return a wish with the new names of its tool and of the arguments of a call that is not made."""
        new = renaming.get(wish.tool)
        if new is None:
            return wish
        return replace(wish, tool=new.tool, unmade=None if wish.unmade is None else renamed_value(wish.unmade, "", new))

    def tool(name: str) -> str:
        return renaming[name].tool if name in renaming else name

    return replace(
        proof,
        arguments=tuple(map(moved, proof.arguments)),
        answers=tuple(map(moved, proof.answers)),
        asks=tuple(map(moved, proof.asks)),
        retracted=tuple(map(moved, proof.retracted)),
        wishes=tuple(map(wished, proof.wishes)),
        declines=tuple(
            [
                replace(
                    decline, instead=tuple(map(tool, decline.instead)), like=tool(decline.like) if decline.like else ""
                )
                for decline in proof.declines
            ]
        ),
    )


def renamed_pointer(pointer: str, new: Renamed) -> str:
    """Return a pointer into arguments with the new keys."""
    return "".join([f"/{escape(new.arguments.get(step, step))}" for step in split(pointer)])
