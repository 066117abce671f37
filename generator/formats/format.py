"""Formats, and the plain record through which all of them are read.

Every format turns its own encoding into a *plain record*: the DeepFabric shape
(`{"messages": [...], "tools": [...]}`, arguments as objects). Rules check that shape, and
`conversation_of` makes the conversation from it.
"""

import hashlib
import json
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Literal

import msgspec
import orjson

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    Message,
    Rejected,
    Row,
    SystemMessage,
    Thoughts,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.errors import CannotCarryError, FormatError
from generator.core.toolbox import once_per_tool
from generator.core.yaml_values import own_data

Read = tuple[Any, list[Violation]]
"""A raw record as a plain record (None when nothing can be made of it; a Document when it is one), and the faults of
its encoding."""


def plain_record(messages: list[Any], tools: list[Any]) -> dict[str, Any]:
    """Return a plain record; one without tools has no key for them."""
    return {"messages": messages, "tools": tools} if tools else {"messages": messages}


def plain_call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    """Return a call as plain records have it: `{"id": "a1", "type": "function", "function": {"name": "f", "arguments": {}}}`."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What a format can hold; `docs/formats.md` shows the policies as a table."""

    requests: Literal["any", "one"] = "any"
    """Whole conversations, or one request and the calls that the assistant makes first."""
    parallel: Literal["ok", "split", "reject"] = "ok"
    """Several calls at once: as they are, one after another in messages of their own, or not at all."""
    text_beside_calls: Literal["ok", "reject"] = "ok"
    no_content: Literal["null", "empty", "absent"] = "null"
    """How a message that only calls says that it has no content."""
    system: Literal["message", "field", "user", "reject"] = "message"
    """Where the system message stands: among the messages, in a field of its own, in a user message, or nowhere."""
    later_system: bool = False
    """Whether system messages may stand behind the first message, too."""
    ids: str = "any non-empty string"
    """What an id looks like, in words."""
    id_pattern: str | None = ".+"
    """Regular expression that every id matches as a whole; None when the format has no ids, so that calls are numbered."""
    thoughts: bool = False
    """Whether what the model thinks before a message is written."""
    accepts: bool = False
    """Whether other values that are as right are written beside those of a call."""
    error_flag: bool = False
    """Whether a failed call is marked beside its content."""
    records: Literal["whole", "unrolled", "preferences", "unpaired"] = "whole"
    """Whether a run writes a conversation as one record, as one for each message that is to be learnt, as one for each
    continuation that is rejected, or as one for each of these and one for what is right in its place."""
    train: Literal["flag", "spans", "none"] = "none"
    """How a message says whether it is to be learnt: a flag of its own, character spans, or not at all."""
    learns: Literal["marked", "last", "calls"] = "marked"
    """What the trainer that the format is for learns: what is marked, the last message of a record only, or messages
    with calls only, which are the only ones that get records."""
    refuses: tuple[str, ...] = ()
    """Strings that no value may hold, because nothing escapes them."""


class Consumer(msgspec.Struct, frozen=True, array_like=True):
    """A program that reads the format, and that the tests give the rows to."""

    name: str
    version: str
    what: str
    """What of it is run."""


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """One way of writing a conversation as a JSON record."""

    name: str
    """One word; for a choice that is not the usual one `word-value`: `deepfabric-string`."""
    about: str
    page: str
    """Its section in docs/formats.md; the choices of one option share that of the first."""
    render: Callable[[Conversation], dict[str, Any]]
    """The record of a conversation; raises CannotCarryError (`<JSON path>: <reason>`)."""
    read: Callable[[Any], Read]
    """Take in any JSON value that claims to be such a record; never raises."""
    rejected: Callable[[Any], Rejected | None] | None = None
    """What a record that `read` takes says that should not be said, for formats of preferences."""
    carries: Callable[[Conversation], Conversation]
    """What is left of a conversation when it has been rendered and parsed again."""
    policy: Policy = Policy()
    waives: tuple[str, ...] = ()
    """Codes of rules that do not hold in this format."""
    faults: tuple[tuple[str, str], ...] = ()
    """(code, statement) of the format's own rules, which `read` checks."""
    render_document: Callable[[FileSequence], dict[str, Any]] | None = None
    """The record of a document, for formats that carry any; raises CannotCarryError."""
    label: Callable[[Row], dict[str, Any]] | None = None
    """What a run adds to the records of a row: keys that say where they are from."""
    options: tuple[tuple[str, str], ...] = ()
    """(option, value) pairs that make this choice; the first format of a family has the usual values."""
    consumers: tuple[Consumer, ...] = ()
    dataset_info: dict[str, Any] | None = None
    """What LLaMA-Factory's `dataset_info.json` says of such a file, beside its name."""

    @property
    def family(self) -> str:
        """The name without the choice."""
        return self.name.partition("-")[0]

    def of_changed(self, change: Callable[[Conversation], Conversation], **keys: Any) -> "Format":
        """Return the format that writes a conversation as this one writes what `change` makes of it; `keys` say what else differs."""
        render, carries = self.render, self.carries
        return msgspec.structs.replace(
            self,
            render=lambda conversation: render(change(conversation)),
            carries=lambda conversation: carries(change(conversation)),
            **keys,
        )

    def parse(self, record: Any) -> Conversation:
        """Return the conversation of a record; raises FormatError with the place and reason of the first fault."""
        plain, faults = self.read(record)
        if faults:
            raise FormatError(f"{faults[0].path}: {faults[0].message}")
        if isinstance(plain, FileSequence):
            raise FormatError("$: a document, not a conversation")
        return conversation_of(plain)

    def write_document(self, document: FileSequence) -> dict[str, Any]:
        """Return the record of a document; raises CannotCarryError, always where a format carries conversations only."""
        if self.render_document is None:
            raise CannotCarryError("$: a document, and the format carries conversations only")
        return self.render_document(document)


class _Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a format says of itself, as a table has it."""

    about: str
    policy: Policy = Policy()
    waives: tuple[str, ...] = ()
    faults: dict[str, str] = {}
    options: dict[str, str] = {}
    consumers: tuple[Consumer, ...] = ()
    dataset_info: dict[str, Any] | None = None


@cache
def _row_formats() -> dict[str, dict[str, Any]]:
    return whole_entries(own_data(__file__, "rows/formats.yaml"))


def whole_entries(entries: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the entries of a table, each with the keys of the one that it is `like` where it has none of its own."""

    def whole(name: str) -> dict[str, Any]:
        """Return an entry with the keys of the entries it is `like`."""
        entry = dict(entries[name])
        like = entry.pop("like", None)
        return entry if like is None else whole(like) | entry

    return {name: whole(name) for name in entries}


def row_format(
    name: str,
    page: str | None,
    *,
    render: Callable[[Conversation], dict[str, Any]],
    read: Callable[[Any], Read],
    carries: Callable[[Conversation], Conversation],
    label: Callable[[Row], dict[str, Any]] | None = None,
) -> Format:
    """Return the format of that name: what rows/formats.yaml says of it, its page, and how records are written and read."""
    description = msgspec.convert(_row_formats()[name], _Description)
    return Format(
        name=name,
        about=description.about,
        page=page or "",
        render=render,
        read=read,
        carries=carries,
        label=label,
        policy=description.policy,
        waives=description.waives,
        faults=tuple(description.faults.items()),
        options=tuple(description.options.items()),
        consumers=description.consumers,
        dataset_info=description.dataset_info,
    )


class _Function(msgspec.Struct, frozen=True):
    name: str
    arguments: dict[str, Any]
    accepts: dict[str, list[Any]] | None = None


class _Call(msgspec.Struct, frozen=True):
    id: str
    function: _Function
    type: Literal["function"]


class _Assistant(msgspec.Struct, frozen=True, tag="assistant", tag_field="role"):
    content: str | None = None
    tool_calls: list[_Call] | None = None
    name: str | None = None
    thoughts: Thoughts | None = None
    train: bool = True


class _DeclaredTool(msgspec.Struct, frozen=True):
    function: Tool
    type: Literal["function"]


class _Record(msgspec.Struct, frozen=True):
    messages: list[SystemMessage | UserMessage | _Assistant | ToolMessage]
    tools: list[Any] | None = None


def conversation_of(plain: Any) -> Conversation:
    """Return the conversation of a plain record; raises FormatError with the JSON path of what does not fit.

    Equal tools become one object, so that what formats write of a tool is made once for all rows of a file.
    """
    entry_path = "$"
    tools = []
    try:
        record = msgspec.convert(plain, _Record)
        for index, entry in enumerate(record.tools or ()):
            entry_path = f"$.tools[{index}]"
            tools.append(_converted_tool(entry))
    except msgspec.ValidationError as fault:
        reason, _, path = str(fault).partition(" - at ")
        raise FormatError(f"{entry_path}{path.strip('`').removeprefix('$')}: {reason[0].lower()}{reason[1:]}") from None
    return Conversation(
        messages=tuple([_converted_message(message) for message in record.messages]), tools=tuple(tools)
    )


def _converted_tool(entry: Any) -> Tool:
    """Return the tool of an entry of `tools`; equal entries give the same object."""
    try:
        text = orjson.dumps(entry)
    except TypeError:  # numbers beyond 64 bits, broken text, deep nesting: rare, so not worth a cache
        return msgspec.convert(entry, _DeclaredTool).function
    return _converted_tool_text(text)


@lru_cache(maxsize=2048)
def _converted_tool_text(text: bytes) -> Tool:
    return msgspec.convert(orjson.loads(text), _DeclaredTool).function


def _converted_message(message: SystemMessage | UserMessage | _Assistant | ToolMessage) -> Message:
    """Return a message of a plain record as one of a conversation; only the assistant's are converted."""
    if not isinstance(message, _Assistant):
        return message
    calls = [
        ToolCall(call.id, call.function.name, call.function.arguments, call.function.accepts)
        for call in message.tool_calls or ()
    ]
    return AssistantMessage(
        content=message.content,
        tool_calls=tuple(calls),
        name=message.name,
        thoughts=message.thoughts,
        train=message.train,
    )


@once_per_tool
def tool_object(tool: Tool) -> dict[str, Any]:
    """Return a tool as records declare it. All records of the tool share the object: it is not to be changed."""
    optional = {"description": tool.description, "parameters": tool.parameters, "strict": tool.strict}
    declared = {key: value for key, value in optional.items() if value is not None}
    return {"type": "function", "function": {"name": tool.name, **declared}}


def tool_text(tool: Tool) -> str:
    """Return a tool as records declare it, as compact JSON."""
    return compact_json(tool_object(tool))


def compact_json(value: Any) -> str:
    """Return JSON without spaces, non-ASCII letters kept."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # numbers beyond 64 bits, deep nesting
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_value(text: str) -> Any:
    """Return the object or list that a text is the compact JSON of; any other text as it is. `text_or_json` undoes it."""
    if text[:1] not in ("{", "["):
        return text
    try:
        value = orjson.loads(text)
        return value if orjson.dumps(value) == text.encode() else text
    except (ValueError, TypeError):
        return text


def text_or_json(value: Any) -> str:
    """Return a text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else compact_json(value)


def number_from_texts(*texts: str) -> int:
    """Return a whole number below 10^12 made from texts, for formats whose records have a number as their id."""
    digest = hashlib.blake2b("\0".join(texts).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % 10**12
