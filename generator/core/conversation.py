"""The data model: everything that a finished row is made of, and what rows that are documents are cut from.

Arguments are native objects everywhere inside; a format that wants a string encodes it.
Nothing here is checked: data from outside is checked where it is read.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from generator.core.claims import Proof


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One callable as a model sees it (an OpenAI function definition)."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    """JSON Schema of the arguments, verbatim as the spec file had it."""
    strict: bool | None = None


class ToolCall(msgspec.Struct, frozen=True):
    """One call of one tool."""

    id: str
    name: str
    arguments: dict[str, Any]
    accepts: dict[str, list[Any]] | None = None
    """Pointer of a value -> others that are as right; `""` among them: the argument may be left out."""


class SystemMessage(msgspec.Struct, frozen=True, tag="system", tag_field="role"):
    """Instructions to the model before the conversation."""

    content: str
    name: str | None = None


class UserMessage(msgspec.Struct, frozen=True, tag="user", tag_field="role"):
    """What a person says."""

    content: str
    name: str | None = None


class Thoughts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the model thinks before it speaks or calls: the three blocks of OpenChatML v0.1, section 4."""

    reflect: str | None = None
    """About the user's emotions and intentions."""
    introspect: str | None = None
    """About its own."""
    reason: str | None = None
    """Why these tools, and where each value comes from."""


class AssistantMessage(msgspec.Struct, frozen=True, tag="assistant", tag_field="role"):
    """What the model says, calls, or both."""

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    name: str | None = None
    thoughts: Thoughts | None = None
    train: bool = True
    """Whether a model is to learn to say this; formats with a place for it carry it."""


class ToolMessage(msgspec.Struct, frozen=True, tag="tool", tag_field="role"):
    """The answer to one call."""

    tool_call_id: str
    content: str
    name: str | None = None
    is_error: bool = False
    """Whether the call failed; formats without a place for it leave it to the content."""


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


class Rejected(msgspec.Struct, frozen=True):
    """What a model should not say in place of a message, and the one thing that is wrong with it."""

    message: AssistantMessage
    defect: str
    """A name of `NAMED_DEFECTS`."""


class Conversation(msgspec.Struct, frozen=True):
    """The finished messages and the tools that were offered."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    rejected: Rejected | None = None
    """In preference data: what should not be said in place of the last message."""


class FillIn(msgspec.Struct, frozen=True, kw_only=True):
    """A text with a gap: a model is to write the middle, given the text before and after it."""

    prefix: str
    suffix: str
    middle: str | None = None
    """The text of the gap; None where it is to be predicted."""


class FileSequence(msgspec.Struct, frozen=True, kw_only=True):
    """Files in one sequence, each whole or with a gap. It is no conversation, and few formats carry it."""

    files: tuple[str | FillIn, ...]


class Renamed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The new names that a row gives a tool, its arguments and their values."""

    tool: str
    arguments: dict[str, str] = {}
    """Old name of a property, at any depth → new name."""
    values: dict[str, dict[str, str]] = {}
    """Old name of a property → old enum value → new one."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """The score that a model gave a row, with its reason."""

    score: int
    """From 1 to 5."""
    reason: str


class Solved(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a model's tries at a row's episode."""

    tries: int
    right: int
    """How many tries did all that the row asks for: with `tries`, how hard the row is."""
    by: int | None = None
    """Number of the try, from 0, that the row is; None: no try is right, and the row has the templates' words."""
    parts: dict[str, float] = {}
    """The parts of that try's score: each is 1.0, and playing its transcript again gives them."""
    failed: dict[str, int] = {}
    """How often each part did not hold in the other tries."""
    proof: Literal["", "none", "read"] = ""
    """Whether what it says is proven: `read` where another model has listed it as claims and all are so, else `none`; empty for the templates' words."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row: the conversation, how it was meant, and its proof."""

    index: int
    scenario: str
    conversation: Conversation
    proof: Proof
    tags: tuple[str, ...] = ()
    judgement: Judgement | None = None
    solved: Solved | None = None
    """Where a model has played it. Then `proof` is empty if the row is one of its tries."""
    state: str = ""
    """Digest of the final state of all entities that its calls were about; empty when there are none."""
    renamed: dict[str, Renamed] = {}
    """Old name of each tool on offer → its new names, in a row whose names are scrambled."""
    family: int | None = None
    """Number of the family of twins that it is one of."""
    preferences: tuple[Conversation, ...] = ()
    """Beginnings of the conversation, each with what is rejected in place of its last message."""
    document: FileSequence | None = None
    """For a row that is a document instead: then the conversation is empty."""


class Violation(msgspec.Struct, frozen=True):
    """One fault of checked data."""

    rule: str
    """Code of the rule that is broken, e.g. `DF201`."""
    path: str
    """JSON path of the fault, e.g. `$.messages[2].tool_calls[0].id`."""
    message: str


def calls_in(messages: Iterable[Message]) -> Iterator[ToolCall]:
    """Return the calls of the assistant's messages, in order."""
    return (call for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls)


def later_system(conversation: Conversation) -> list[int]:
    """Return the indexes of the system messages that are not the first message."""
    return [at for at, message in enumerate(conversation.messages) if at and type(message) is SystemMessage]


def failed_messages(conversation: Conversation) -> list[int]:
    """Return indexes of the assistant messages that are not to be learnt because all of their calls failed.

    Their arguments may be wrong on purpose: a format that cannot say what is not to be learnt must not carry them.
    """
    failed_calls = {m.tool_call_id for m in conversation.messages if type(m) is ToolMessage and m.is_error}
    if not failed_calls:
        return []
    return [
        at
        for at, message in enumerate(conversation.messages)
        if type(message) is AssistantMessage
        and not message.train
        and message.tool_calls
        and all(call.id in failed_calls for call in message.tool_calls)
    ]


def results_before(messages: Sequence[Message], at: int) -> list[ToolMessage]:
    """Return the results directly before message `at`, the last one first."""
    results: list[ToolMessage] = []
    for message in reversed(messages[:at]):
        if not isinstance(message, ToolMessage):
            break
        results.append(message)
    return results


class SourceText(msgspec.Struct, frozen=True):
    """A text or source file that documents are made from."""

    name: str
    """Its path as the recipe writes it."""
    text: str


class DocumentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What documents are made from, and how."""

    texts: tuple[SourceText, ...] = ()
    cuts: tuple[tuple[str, float], ...] = (("line", 1.0),)
    """How the ends of a gap are chosen, with weights: `character`, `line`, `syntax`."""
    together: tuple[int, int] = (2, 3)
    """How many files stand in one sequence."""
    gaps: float = 0.0
    """How often the last of several files has a gap."""
    longest: int = 4000
    """Most characters of one file; of a longer file a part is taken."""


class PlannedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row that is a document."""

    scenario: str
    document: FileSequence
    tags: tuple[str, ...]
    """Where it is from: `file:NAME` for every file, and `cut:KIND` where there is a gap."""
