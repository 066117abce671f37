"""Finished rows to be changed, and the means to change one thing in them: everything else still fits."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec
import orjson
from workbench import CONVERSATIONS, TOOL_SPECS, recipe, rows, with_scenario, write_tools

from generator.core.claims import AnswerClaim, AskClaim, Claim, Proof, WishClaim
from generator.core.conversation import AssistantMessage, Conversation, Message, ToolCall, ToolMessage
from generator.core.errors import PlanError
from generator.core.pointers import resolve, set_at
from generator.core.toolbox import Toolbox
from generator.dialogue.acts.check import check_row, violations_of
from generator.dialogue.proof.ledger import Finding
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import prepare
from generator.scenarios import SCENARIOS

replace = msgspec.structs.replace
SERVICE = Path(__file__).parents[1] / "recipes" / "service.yaml"
_UNDER_POLICY = 12
"""How many times as many rows follow a policy, because they take many courses."""
PARTS = ("arguments", "answers", "wishes", "asks", "tells", "retracted", "uses")
"""What a proof is made of."""
AnyClaim = Claim | AnswerClaim | WishClaim | AskClaim

BARE = """
tools:
  - type: function
    function:
      name: bookRoom2
      description: Book a room.
      parameters:
        type: object
        properties:
          city: {type: string, enum: [Oslo, Rome, Lima]}
          departureDate: {type: string, format: date}
          guest_names: {type: array, items: {type: string, enum: [Ann, Bob, Cid]}, minItems: 1, maxItems: 3, uniqueItems: true}
          late: {type: boolean}
          extras: {type: object, properties: {note: {type: string, minLength: 1, maxLength: 9}}, required: [note], additionalProperties: false}
        required: [city]
        additionalProperties: false
    returns: {type: object, properties: {room: {type: string, pattern: "^R-[0-9]{3}$"}, price: {type: integer, minimum: 1, maximum: 99}}, required: [room, price]}
  - type: function
    function:
      name: list_rooms
      description: List rooms.
      parameters:
        type: object
        properties: {region: {type: string, enum: [north, south, west]}, limit: {type: integer, minimum: 1, maximum: 9}}
        required: [region]
    returns:
      type: object
      properties:
        rooms:
          type: array
          minItems: 3
          maxItems: 3
          items: {type: object, properties: {room: {type: string, pattern: "^R-[0-9]{3}$"}}, required: [room]}
        free: {type: integer, exclusiveMinimum: 0, exclusiveMaximum: 100}
      required: [rooms, free]
  - type: function
    function:
      name: cleanRoom
      parameters: {type: object, properties: {room: {type: string, pattern: "^R-[0-9]{3}$"}, hour: {type: integer, minimum: 1, maximum: 12}}, required: [room]}
    links: {room: "list_rooms#/rooms/*/room"}
"""
"""OpenAI functions and a link between two of them; no phrases."""


class Proven(NamedTuple):
    """A row, as it was made or after a change."""

    talk: Conversation
    proof: Proof
    scenario: str
    toolbox: Toolbox

    def findings(self, *, phrases: bool = True, prefix: bool = False) -> list[Finding]:
        """What the checker finds; every finding can be read by people."""
        found = check_row(self.talk, self.proof, self.toolbox, phrases=phrases, prefix=prefix)
        assert len(violations_of(found)) == len(found)
        return found

    def codes(self, *, phrases: bool = True) -> set[str]:
        """The rules that are broken."""
        return {finding.code for finding in self.findings(phrases=phrases)}

    def text(self, index: int) -> str:
        """What a message says."""
        return self.talk.messages[index].content or ""

    @property
    def calls(self) -> dict[str, ToolCall]:
        """By id."""
        return {call.id: call for m in self.talk.messages if isinstance(m, AssistantMessage) for call in m.tool_calls}

    @property
    def asked_at(self) -> dict[str, int]:
        """The message that asks for each call."""
        return {wish.call_id: wish.message for wish in self.proof.wishes}

    def at(self, kind: type[Message]) -> list[int]:
        """The messages of this kind."""
        return [index for index, message in enumerate(self.talk.messages) if isinstance(message, kind)]

    def claims(self, *sources: str) -> list[Claim]:
        """The claims about arguments from these sources."""
        return [claim for claim in self.proof.arguments if claim.source in sources]

    def arguments_of(self, call_id: str) -> dict[str, Any]:
        """The arguments of a call, made or never made."""
        unmade = {wish.call_id: wish.unmade for wish in self.proof.wishes if wish.unmade is not None}
        return unmade[call_id] if call_id in unmade else self.calls[call_id].arguments

    def value(self, claim: Claim) -> Any:
        """The argument that a claim is about."""
        return resolve(self.calls[claim.call_id].arguments, claim.pointer)


class Change(NamedTuple):
    """What was changed, and the row after it."""

    what: str
    row: Proven


@lru_cache
def made(number: int = 5) -> tuple[Proven, ...]:
    """Rows of every scenario, made with a small toolbox, with shipped tools, and with tools that have no phrases; and rows under a policy."""
    found: list[Proven] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = {
            (write_tools(folder),): CONVERSATIONS,
            tuple([TOOL_SPECS / f"{stem}.yaml" for stem in ("travel", "mail")]): CONVERSATIONS,
            (write_tools(folder, BARE, "bare.yaml"),): CONVERSATIONS,
        }
        for tools, scenarios in files.items():
            goals = () if tools[0].parent != TOOL_SPECS else (TOOL_SPECS / "goals" / "everyday.yaml",)
            shop = prepare(recipe(tools, *scenarios, calls=(2, 4), goals=goals))
            for scenario in scenarios:
                try:
                    of = with_scenario(shop, scenario)
                except PlanError:
                    continue
                for one in rows(of, number):
                    found.append(Proven(one.row.conversation, one.row.proof, scenario, of.toolbox))
    service = prepare(load_recipe(SERVICE, scenarios=SCENARIOS, formats=FORMATS))
    for one in rows(service, number * _UNDER_POLICY):
        found.append(Proven(one.row.conversation, one.row.proof, "under_policy", service.toolbox))
    return tuple(found)


# -- putting changed parts back ---------------------------------------------------------------------------------------


def with_proof(row: Proven, **parts: Iterable[Any]) -> Proven:
    """Other claims."""
    return row._replace(proof=replace(row.proof, **{name: tuple(claims) for name, claims in parts.items()}))


def with_claim(row: Proven, old: AnyClaim, *new: AnyClaim) -> Proven:
    """Other claims (or none) in place of one of any kind."""
    parts: dict[str, list[Any]] = {}
    for name in PARTS:
        claims: list[Any] = []
        for claim in getattr(row.proof, name):
            claims += new if claim is old else [claim]
        parts[name] = claims
    return with_proof(row, **parts)


def with_messages(row: Proven, messages: Iterable[Message]) -> Proven:
    """Other messages; the claims stay."""
    return row._replace(talk=replace(row.talk, messages=tuple(messages)))


def with_message(row: Proven, index: int, **parts: Any) -> Proven:
    """Another content or other calls of one message."""
    messages = list(row.talk.messages)
    messages[index] = replace(messages[index], **parts)
    return with_messages(row, messages)


def with_call(row: Proven, call_id: str, **parts: Any) -> Proven:
    """Another name, id or other arguments of one call."""
    for index in row.at(AssistantMessage):
        calls = row.talk.messages[index].tool_calls
        if any(call.id == call_id for call in calls):
            row = with_message(
                row, index, tool_calls=tuple(replace(c, **parts) if c.id == call_id else c for c in calls)
            )
    return row


def with_value(row: Proven, call_id: str, pointer: str, value: Any) -> Proven:
    """Another value of one argument."""
    arguments = copy_of(row.calls[call_id].arguments)
    set_at(arguments, pointer, value)
    return with_call(row, call_id, arguments=arguments)


def with_default(row: Proven, tool: str, argument: str, value: Any) -> Proven:
    """Another default of an argument in the schema of a tool."""
    spec = row.toolbox[tool]
    parameters = copy_of(spec.tool.parameters)
    parameters["properties"][argument]["default"] = value
    return row._replace(toolbox={**row.toolbox, tool: replace(spec, tool=replace(spec.tool, parameters=parameters))})


def with_result(row: Proven, index: int, result: Any) -> Proven:
    """Another result in a tool message."""
    return with_message(row, index, content=result if isinstance(result, str) else orjson.dumps(result).decode())


def rearranged(row: Proven, order: list[int]) -> Proven:
    """The messages in another order, or without some; what is claimed of a message stays with it.

    Claims about messages that are left out go too; calls that are left out lose their claims.
    """
    new = {old: place for place, old in enumerate(order)}
    changed = with_messages(row, [row.talk.messages[old] for old in order])
    there = {*changed.calls, *[wish.call_id for wish in row.proof.wishes if wish.unmade is not None]}

    def kept(claims: Iterable[Any]) -> Iterator[Any]:
        for claim in claims:
            if claim.call_id in there and (claim.message is None or claim.message in new):
                moved = claim if claim.message is None else replace(claim, message=new[claim.message])
                if getattr(claim, "referred", None) is not None:
                    moved = replace(moved, referred=(new.get(claim.referred[0], -1), *claim.referred[1:]))
                yield replace(moved, said=tuple(kept(moved.said))) if getattr(moved, "said", ()) else moved

    proof = row.proof
    return with_proof(
        changed,
        arguments=kept(proof.arguments),
        answers=kept(proof.answers),
        wishes=kept(proof.wishes),
        asks=kept(proof.asks),
        tells=kept(proof.tells),
        retracted=kept(proof.retracted),
        uses=[replace(use, message=new[use.message]) for use in proof.uses if use.message in new],
    )


def with_more_messages(row: Proven, index: int, *messages: Message) -> Proven:
    """Further messages before one; what is claimed of the later ones stays with them."""

    def moved(claim: Any) -> Any:
        found = claim
        if claim.message is not None and claim.message >= index:
            found = replace(found, message=claim.message + len(messages))
        if getattr(claim, "referred", None) is not None and claim.referred[0] >= index:
            found = replace(found, referred=(claim.referred[0] + len(messages), *claim.referred[1:]))
        return found

    changed = with_messages(row, (*row.talk.messages[:index], *messages, *row.talk.messages[index:]))
    return with_proof(changed, **{name: map(moved, getattr(row.proof, name)) for name in PARTS})


def without_call(row: Proven, call_id: str) -> Proven:
    """One call less, with its result and all that is claimed about it."""
    index = next(
        at for at in row.at(AssistantMessage) if any(call.id == call_id for call in row.talk.messages[at].tool_calls)
    )
    calls = tuple(call for call in row.talk.messages[index].tool_calls if call.id != call_id)
    row = with_message(row, index, tool_calls=calls)
    gone = [at for at in row.at(ToolMessage) if row.talk.messages[at].tool_call_id == call_id]
    if not calls and not row.text(index):
        gone.append(index)
    return rearranged(row, [at for at in range(len(row.talk.messages)) if at not in gone])


def copy_of(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value))


def other_value(value: Any) -> Any:
    """A value that is not this one but looks much like it."""
    if value is None or value == "":
        return "x"
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + other_letter(value[-1])
    return [*value, "x"] if isinstance(value, list) else {**value, "x": 1}


def other_letter(letter: str) -> str:
    if letter.isdigit():
        return "7" if letter == "5" else "5"
    return "q" if letter not in "qQ" else "z"


# -- changing texts ---------------------------------------------------------------------------------------------------


def place_of(row: Proven, claim: Any) -> int | None:
    """The message in which the words of a claim stand: for a value from a result the user's request."""
    return row.asked_at.get(claim.call_id) if getattr(claim, "source", "") == "result" else claim.message


def spliced(row: Proven, index: int, at: int, cut: int, text: str) -> Proven:
    """Other text in a message, with all spans that stand after it moved along; a span that ends there stays as it is."""
    shift = len(text) - cut

    def moved_span(start: int, end: int) -> tuple[int, int]:
        is_after = end > at + cut or (cut and end == at + cut)
        return start + shift if start >= at + cut else start, end + shift if is_after else end

    def moved(claim: Any) -> Any:
        chosen = getattr(claim, "referred", None)
        if chosen is not None and chosen[0] == index:
            claim = replace(claim, referred=(index, *moved_span(*chosen[1:])))
        if claim.start is None or place_of(row, claim) != index:
            return claim
        start, end = moved_span(claim.start, claim.end)
        return replace(claim, start=start, end=end)

    content = row.text(index)
    changed = with_message(row, index, content=content[:at] + text + content[at + cut :])
    proof = row.proof
    placed = ("arguments", "answers", "asks", "tells", "retracted")
    wishes = [replace(wish, said=tuple(map(moved, wish.said))) if wish.said else wish for wish in proof.wishes]
    uses = [
        replace(use, start=use.start + shift if use.start >= at + cut else min(use.start, at))
        if use.message == index and use.start >= at
        else use
        for use in proof.uses
    ]
    return with_proof(changed, **{name: map(moved, getattr(proof, name)) for name in placed}, wishes=wishes, uses=uses)


def spans_in(row: Proven, index: int) -> list[tuple[int, int]]:
    """Where values, descriptions and questions stand in a message, in order."""
    unmade = [claim for wish in row.proof.wishes for claim in wish.said]
    claims: list[Any] = [*row.proof.arguments, *row.proof.answers, *row.proof.asks, *row.proof.retracted, *unmade]
    chosen = [claim.referred for claim in row.proof.arguments if claim.referred is not None]
    spans = {(start, end) for at, start, end in chosen if at == index}
    return sorted(
        spans
        | {(claim.start, claim.end) for claim in claims if claim.start is not None and place_of(row, claim) == index}
    )


Kind = Callable[[Proven], Iterator[Change]]
