"""The text formats of dialects.yaml: turns with tags, Llama, Mistral, DeepSeek, GLM, Kimi, Harmony.

The results of one step stand in one turn of the role `user` where models have `<tool_call>` tags, which is what their templates
write; in a turn of the role `tool`, as older models of the family have them, they are read as well.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import Conversation, Tool
from generator.core.errors import CannotCarryError, SchemaError
from generator.core.schema_walk import inlined
from generator.core.toolbox import once_per_tool
from generator.core.yaml_values import own_data
from generator.formats.format import Format, Policy, Read, whole_entries
from generator.formats.text import Scanner, any_of, read_text_record, text_record
from generator.formats.texts.dialect import OWN_ID, Dialect
from generator.formats.texts.reading import read
from generator.formats.texts.writing import TokenGuard, carried, check_calls, check_messages, write


def format_of(dialect: Dialect) -> Format:
    """Return the format whose texts are written in this dialect."""
    token = any_of(dialect.tokens)
    guard = TokenGuard(token, dialect.call_syntax.tool_names)

    def render(conversation: Conversation) -> dict[str, Any]:
        """Return the record of a conversation: its text in pieces; raises CannotCarryError for what the text cannot hold."""
        guard.check(conversation)
        check_messages(conversation, dialect)
        kept = carried(conversation, dialect)
        check_calls(conversation, kept, dialect)
        return text_record(write(kept, dialect))

    def read_text(record: Any) -> Read:
        return read_text_record(record, dialect.fault[0], lambda text: read(Scanner(text, token), dialect))

    ids = "nine letters or digits" if dialect.id == OWN_ID else dialect.id_of("NAME", "NUMBER")
    return Format(
        name=dialect.name,
        about=dialect.about,
        page=dialect.page,
        render=render,
        read=read_text,
        carries=lambda conversation: carried(conversation, dialect),
        policy=Policy(
            parallel=dialect.parallel,
            text_beside_calls=dialect.text_beside_calls,
            system="user" if dialect.system_in_user else "message",
            later_system=dialect.later_system == "written",
            no_content=dialect.no_content,
            ids=ids or "none: calls are numbered",
            id_pattern=dialect.id_pattern,
            thoughts=dialect.thoughts is not None,
            train="spans",
            refuses=dialect.tokens,
        ),
        waives=(("DF301",) if dialect.id not in ("", OWN_ID) else ())
        + (("DF501",) if dialect.later_system == "written" else ()),
        faults=(dialect.fault,),
        consumers=dialect.consumers,
        options=tuple(dialect.options.items()),
    )


_ENTRIES = whole_entries({entry["name"]: entry for entry in own_data(__file__)})
DIALECTS = msgspec.convert(_ENTRIES, dict[str, Dialect])


def _formats() -> Iterator[Format]:
    """Yield the formats of all dialects but OpenChatML."""
    for name, dialect in DIALECTS.items():
        if name != "openchatml":  # it has documents, too: see openchatml.py
            fmt = format_of(dialect)
            yield from _with_and_without_references(fmt) if dialect.inline_refs else [fmt]


def _with_and_without_references(fmt: Format) -> tuple[Format, Format]:
    """Return a format, and a variant whose tools have schemas without references."""

    def inlined(conversation: Conversation) -> Conversation:
        tools = [_without_references(tool) for tool in conversation.tools]
        return msgspec.structs.replace(conversation, tools=tuple(tools))

    name, about = f"{fmt.name}-inline_refs", f"{fmt.about}; schemas without `$ref`"
    return (
        msgspec.structs.replace(fmt, options=(("inline_refs", "false"),)),
        fmt.of_changed(inlined, name=name, about=about, options=(("inline_refs", "true"),)),
    )


@once_per_tool
def _without_references(tool: Tool) -> Tool:
    """Return the tool with `$ref` replaced by what it refers to; raises CannotCarryError where that is endless."""
    if tool.parameters is None:
        return tool
    try:
        return msgspec.structs.replace(tool, parameters=inlined(tool.parameters))
    except SchemaError as fault:
        raise CannotCarryError(f"$.tools: the parameters of {tool.name[:80]!r}: {fault}") from None


FORMATS = tuple(_formats())
