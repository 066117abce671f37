"""A finished row as metrics see it: turns, calls with their results, and where each argument value comes from."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from generator.core.claims import Claim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.pointers import leaves
from generator.core.profiles import says_failure
from generator.formats.openai_messages import parse_or_text
from generator.formats.run_folder.proof_line import ProofLine
from generator.report.mentions import SearchedText
from generator.report.schemas import Shapes, ToolShape, slot_of, written

Origin = Literal[
    "as_is",
    "reworded",
    "result",
    "earlier_turn",
    "context",
    "default",
    "offered",
    "expression",
    "not_found",
    "not_sought",
]
"""Where a value comes from. `not_sought`: true, false, null or empty, which no search can find."""


class Value(msgspec.Struct, frozen=True):
    """One leaf of a call's arguments."""

    pointer: str
    value: Any
    origin: Origin
    message: int | None = None
    """The message that holds it, where that is known."""
    span: tuple[int, int] | None = None
    """Where in that message, when the user says it."""
    way: str = ""
    """The verbalizer, where a proof names it."""


class SeenCall(msgspec.Struct, frozen=True):
    """One call."""

    call: ToolCall
    message: int
    tool: ToolShape | None
    name: str
    """The tool's name; where a run has scrambled it, the usual one, as far as the row's proof tells."""
    values: tuple[Value, ...]
    result: Any
    """What it returned, as JSON where it is JSON; None when it was not answered."""
    failed: bool
    """Whether its result is marked as an error, or says so: `{"error": "timeout"}`, `Error: …`."""


class SeenTurn(msgspec.Struct, frozen=True):
    """From one request of the user to the next."""

    text: str
    """What the user says."""
    calls: tuple[SeenCall, ...]
    answer: str
    """All that the assistant says in messages without calls."""


class SeenRow(msgspec.Struct, frozen=True):
    """One row of a file."""

    number: int
    """Its place in what is read, from 0."""
    conversation: Conversation
    proof: ProofLine | None
    turns: tuple[SeenTurn, ...]
    tools: tuple[ToolShape, ...]
    violations: tuple[Violation, ...] = ()

    @property
    def calls(self) -> Iterator[SeenCall]:
        """All calls, in order."""
        for turn in self.turns:
            yield from turn.calls

    @property
    def offered(self) -> Iterator[str]:
        """The usual names of the tools that are offered."""
        usual = _usual_names(self.proof)
        for tool in self.tools:
            yield usual.get(tool.name, tool.name)


def see(
    number: int,
    conversation: Conversation,
    proof: ProofLine | None,
    shapes: Shapes,
    violations: Sequence[Violation] = (),
) -> SeenRow:
    """Arrange a conversation."""
    tools = tuple([shapes.of(tool) for tool in conversation.tools])
    return SeenRow(number, conversation, proof, tuple(_turns(conversation, proof, tools)), tools, tuple(violations))


def _turns(conversation: Conversation, proof: ProofLine | None, tools: tuple[ToolShape, ...]) -> Iterator[SeenTurn]:
    by_name = {tool.name: tool for tool in tools}
    answered: dict[str, ToolMessage] = {
        message.tool_call_id: message for message in conversation.messages if isinstance(message, ToolMessage)
    }
    find = _Origins(conversation, proof)
    usual = _usual_names(proof)
    started = False
    said: list[str] = []
    answers: list[str] = []
    calls: list[SeenCall] = []
    for index, message in enumerate(conversation.messages):
        if isinstance(message, UserMessage):
            if calls or answers:
                yield SeenTurn("\n".join(said), tuple(calls), "\n".join(answers))
                said, answers, calls = [], [], []
            said.append(message.content)
            started = True
        elif isinstance(message, AssistantMessage):
            started = True
            for call in message.tool_calls:
                usual_name = usual.get(call.name, call.name)
                calls.append(_call(call, usual_name, index, by_name.get(call.name), find, answered.get(call.id)))
            if message.content and not message.tool_calls:
                answers.append(message.content)
    if started:
        yield SeenTurn("\n".join(said), tuple(calls), "\n".join(answers))


def _usual_names(proof: ProofLine | None) -> dict[str, str]:
    """Return the usual name of each tool that a run has given another one."""
    return {new.tool: old for old, new in proof.renamed.items()} if proof is not None else {}


def _call(
    call: ToolCall,
    name: str,
    index: int,
    tool: ToolShape | None,
    find: "_Origins",
    answer: ToolMessage | None,
) -> SeenCall:
    return SeenCall(
        call=call,
        message=index,
        tool=tool,
        name=name,
        values=tuple(find.values(call, index, tool)),
        result=(result := None if answer is None else parse_or_text(answer.content)),
        failed=answer is not None and (answer.is_error or says_failure(result)),
    )


class _Origins:
    """Where the values of a conversation come from: as its proof claims, or by search."""

    def __init__(self, conversation: Conversation, proof: ProofLine | None) -> None:
        self._messages = conversation.messages
        self._texts: dict[int, SearchedText] = {}
        self._results: dict[int, frozenset[str] | None] = {}
        self._numbered = 0
        self._claims = None if proof is None else proof.claims_by_call()

    def values(self, call: ToolCall, before: int, tool: ToolShape | None) -> Iterator[Value]:
        """Yield the leaves of a call's arguments. Calls are to be asked for in their order."""
        number, self._numbered = self._numbered, self._numbered + 1
        if not call.arguments:
            return
        claims = [] if self._claims is None else self._claims[number]
        if not claims:  # nothing is claimed of calls that are wrong on purpose, or that the user only allows
            for pointer, value in leaves(call.arguments):
                yield self._sought(pointer, value, before, tool)
            return
        for pointer, value in leaves(call.arguments):
            yield self._claimed(pointer, value, claims)

    def _claimed(self, pointer: str, value: Any, claims: list[Claim]) -> Value:
        best: Claim | None = None
        for claim in claims:
            covers = pointer == claim.pointer or pointer.startswith(f"{claim.pointer}/")
            if covers and (best is None or len(claim.pointer) > len(best.pointer)):
                best = claim
        if best is None:
            return Value(pointer, value, "not_found")
        message = best.message if best.message is not None and best.message < len(self._messages) else None
        if best.source != "user":
            return Value(pointer, value, best.source, message)
        if best.start is None or best.end is None or message is None:
            return Value(pointer, value, "reworded", message)
        said = SearchedText((self._messages[message].content or "")[best.start : best.end])
        origin: Origin = "as_is" if said.find(value) is not None else "reworded"
        return Value(pointer, value, origin, message, (best.start, best.end), best.verbalizer or "")

    def _sought(self, pointer: str, value: Any, before: int, tool: ToolShape | None) -> Value:
        default = tool.defaults.get(slot_of(pointer)) if tool is not None else None
        is_default = default is not None and default == value
        if isinstance(value, bool) or value in (None, "", [], {}):
            return Value(pointer, value, "default" if is_default else "not_sought")
        found = self._stands(value, before)
        if found is not None:
            return Value(pointer, value, *found)
        return Value(pointer, value, "default" if is_default else "not_found")

    def _stands(self, value: Any, before: int) -> tuple[Origin, int, tuple[int, int] | None] | None:
        """Return where the value occurs: in user messages, results, the system message; then also reworded."""
        users = [index for index in range(before - 1, -1, -1) if isinstance(self._messages[index], UserMessage)]
        for place, index in enumerate(users):
            span = self._text(index).find(value)
            if span is not None:
                return ("earlier_turn" if place else "as_is"), index, span
        holder = self._source_message(value, before)
        if holder is not None:
            return ("context" if isinstance(self._messages[holder], SystemMessage) else "result"), holder, None
        holder = next((index for index in users if self._text(index).rewords(value)), None)
        return None if holder is None else ("reworded", holder, None)

    def _source_message(self, value: Any, before: int) -> int | None:
        """Return the index of the message that the value comes from: the latest result before that holds it, else the system message."""
        for index in range(before - 1, -1, -1):
            if isinstance(self._messages[index], ToolMessage) and self._returned(value, index):
                return index
        for index in range(before):
            if isinstance(self._messages[index], SystemMessage) and self._text(index).find(value) is not None:
                return index
        return None

    def _returned(self, value: Any, index: int) -> bool:
        if index not in self._results:
            result = parse_or_text(self._messages[index].content or "")
            is_json = isinstance(result, dict | list)
            self._results[index] = frozenset(written(leaf) for _, leaf in leaves(result)) if is_json else None
        known = self._results[index]
        return self._text(index).find(value) is not None if known is None else written(value) in known

    def _text(self, index: int) -> SearchedText:
        if index not in self._texts:
            self._texts[index] = SearchedText(self._messages[index].content or "")
        return self._texts[index]
