"""What a row expects of the agent, read from its conversation and its proof."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from generator.core.claims import AnswerClaim, AskClaim, TellClaim
from generator.core.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage
from generator.core.exact_json import same
from generator.core.toolbox import ToolSpec
from generator.episodes import Task, calls_in
from generator.episodes.answer_text import reports_problem, says
from generator.episodes.rewards import match
from generator.formats.rows.evaluation import Accepted, accepted
from generator.world.outcome import read_outcome

LEAVE = frozenset({"proposed"})
"""Claims about texts of the assistant that ask for leave."""
TOLD_AS_BAD = frozenset({"failed", "not_done"})
"""Reports (`TellClaim.how`) of which a text must say that something did not work out."""
_NOT_FINE = TOLD_AS_BAD | {"no", "refused", *LEAVE}
"""Reports and questions in turns in which not everything that was wished for is done."""
_OF_THE_USER = frozenset({"yes", "no"})


class ExpectedCall(msgspec.Struct, kw_only=True):
    """A call of the row."""

    call: ToolCall
    right: Accepted
    """The call, with the differences that are allowed."""
    ok: bool
    result: Any
    earliest: int
    """The first turn in which it may be made: what it needs has been said, or allowed, then."""
    writes: bool
    needed: bool = False
    """Whether it must be made although it changes nothing: its result is reported, decides or is compared, or its failure is reported."""
    told: list[AnswerClaim] = msgspec.field(default_factory=list)
    """The values of its result that the row's answers state, and that were not known before."""

    def fits(self, made: ToolCall) -> bool:
        """Whether a call is as good as this one."""
        if made.name != self.call.name:
            return False
        return same(made.arguments, self.call.arguments) or match([(made.name, made.arguments)], [self.right]).exact


class Expected(msgspec.Struct, kw_only=True):
    """All that a row expects."""

    calls: list[ExpectedCall]
    declined: list[int]
    """The turns in which a text must say that something cannot be done, or did not work out."""
    asked: list[int]
    """The turns that end with a question for a value without which nothing can be done, and which nobody answers."""
    fine: frozenset[int]
    """The turns in which all goes well and nothing is asked for."""
    replied: list[tuple[int, list[str]]]
    """Turns without calls, and words of which the reply must say some: a day, a number, one of several choices."""
    asks: bool
    """Whether the user must be asked something on the way."""

    @property
    def writes(self) -> list[ExpectedCall]:
        """The calls that change something."""
        return [one for one in self.calls if one.writes and one.ok]


def is_writing(spec: ToolSpec) -> bool:
    """Whether a tool changes something. Where no effect is known, as of tools that are really run, MCP's hints say it, or nothing."""
    return not spec.effect.reads if spec.effect is not None else spec.origin.annotations.get("readOnlyHint") is False


def canonical(call: ToolCall) -> tuple[str, bytes]:
    """Return a call as what is the same for equal calls: its name, and its arguments as bytes."""
    return call.name, orjson.dumps(call.arguments, option=orjson.OPT_SORT_KEYS)


def turns_of(task: Task) -> list[int]:
    """Return the turn of each message of a row: how many of the user's come before it or are it, less one."""
    turns, turn = [], -1
    for message in task.opening.conversation.messages:
        turn += type(message) is UserMessage
        turns.append(turn)
    return turns


def expected_of(task: Task) -> Expected:
    """Return what a row expects."""
    proof, turns = task.opening.proof, turns_of(task)
    calls = _expected_calls(task, turns)
    for call in calls.values():
        call.told = _claims_to_tell(task, [claim for claim in proof.answers if claim.call_id == call.call.id])
    told_calls = {claim.call_id for claim in proof.tells if claim.how not in _OF_THE_USER}
    needed_calls = {*told_calls, *(claim.call_id for claim in proof.answers)}
    for call_id, call in calls.items():
        call.needed = call_id in needed_calls if call.ok else call_id in told_calls
    failed_for_good = {canonical(call.call) for call in calls.values() if call.needed and not call.ok}
    for call in calls.values():  # it was tried more than once before it was told as failed
        call.needed = call.needed or (not call.ok and canonical(call.call) in failed_for_good)
    declined = [turns[claim.message] for claim in proof.declines]
    refused_turns = {turns[claim.message] for claim in proof.tells if claim.how == "no"}  # by the user, who knows it
    declined += [
        turns[claim.message]
        for claim in proof.tells
        if claim.how in TOLD_AS_BAD and not (claim.how == "not_done" and turns[claim.message] in refused_turns)
    ]
    replies = [*_replies_of_scripts(task, turns)]
    declined += [turn for turn, words in replies if not words]
    unlike = {*declined, *(turns[claim.message] for claim in proof.asks)}
    unlike |= {turns[claim.message] for claim in proof.tells if claim.how in _NOT_FINE}
    return Expected(
        calls=list(calls.values()),
        declined=sorted(set(declined)),
        asked=[turns[ask.message] for ask in proof.asks if ask.message == len(turns) - 1],
        fine=frozenset(range(turns[-1] + 1)) - unlike,
        replied=[(turn, words) for turn, words in replies if words],
        asks=bool(proof.asks) or any(claim.how in LEAVE for claim in proof.tells),
    )


def _claims_to_tell(task: Task, claims: list[AnswerClaim]) -> list[AnswerClaim]:
    """Return the claims about a call's result, without what the user has said, and how many things there are where these are reported."""
    messages = task.opening.conversation.messages
    user_text = "\n".join(str(message.content) for message in messages if type(message) is UserMessage)
    claims = [claim for claim in claims if claim.of == "result"]
    things = {thing_of(claim.pointer) for claim in claims}
    new_claims = [
        claim
        for claim in claims
        if not says(user_text, str(messages[claim.message].content)[claim.start : claim.end])
        and not (claim.verbalizer == "count" and any(thing.startswith(f"{claim.pointer}/") for thing in things))
    ]
    return new_claims or claims


def thing_of(pointer: str) -> str:
    """Return the pointer to the first element of a list that a pointer leads through; itself where it leads through none."""
    match = re.match(r"(?:/[^/]*?)*?/[0-9]+(?=/|$)", pointer)
    return match[0] if match else pointer


def _expected_calls(task: Task, turns: list[int]) -> dict[str, ExpectedCall]:
    """Return the calls of a row by id, each with its result and the first turn in which it may be made."""
    messages = task.opening.conversation.messages
    results = {message.tool_call_id: message for message in messages if type(message) is ToolMessage}
    tools = task.toolbox
    earliest = _earliest_turns(task, turns)
    expected_calls: dict[str, ExpectedCall] = {}
    for index, message in enumerate(messages):
        for call in message.tool_calls if type(message) is AssistantMessage else ():
            result = results[call.id]
            spec = tools[call.name]
            writes = is_writing(spec)
            expected_calls[call.id] = ExpectedCall(
                call=call,
                right=accepted(call, spec.tool),
                ok=not result.is_error,
                result=read_outcome(result.content).value,
                earliest=turns[index] if writes else earliest.get(call.id, 0),
                writes=writes,
            )
    return expected_calls


def _earliest_turns(task: Task, turns: list[int]) -> dict[str, int]:
    """Return the turn in which the user has asked for each call, allowed it, and said what it needs."""
    question_of_argument = {(claim.call_id, claim.pointer): claim.message for claim in task.opening.proof.asks}
    turn_by_call = {wish.call_id: turns[wish.message] for wish in task.opening.proof.wishes}
    for tell in task.opening.proof.tells:
        if tell.how == "yes":
            later_calls = {call.id for call in calls_in(task.opening.conversation.messages[tell.message :])}
            for wish in task.opening.proof.wishes:
                if wish.call_id in later_calls and tell.call_id == wish.call_id:
                    turn_by_call[wish.call_id] = turns[tell.message]
    for claim in task.opening.proof.arguments:
        messages_saying_it = [claim.message] if claim.source == "user" else []
        messages_saying_it += [claim.referred[0]] if claim.referred is not None else []
        for index in messages_saying_it:
            if index is not None and question_of_argument.get((claim.call_id, claim.pointer), index) < index:
                turn_by_call[claim.call_id] = max(turn_by_call.get(claim.call_id, 0), turns[index])
    return turn_by_call


def _replies_of_scripts(task: Task, turns: list[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield what texts of scripts say in turns in which no field of a result is reported; no words: that something cannot be done."""
    messages, proof = task.opening.conversation.messages, task.opening.proof
    claims: tuple[AnswerClaim | AskClaim | TellClaim, ...] = (*proof.answers, *proof.asks, *proof.tells)
    turns_with_reports = {turns[claim.message] for claim in claims}
    for index, message in enumerate(messages):
        if (
            not proof.scripts
            or type(message) is not AssistantMessage
            or message.tool_calls
            or turns[index] in turns_with_reports
        ):
            continue
        text, request = (
            message.content or "",
            [span.content for span in messages[:index] if type(span) is UserMessage][-1],
        )
        spans = [
            text[span.start : span.end] for script in proof.scripts for span in script.spans if span.message == index
        ]
        values_told = [] if reports_problem(text) else [span for span in spans if not says(request, span)] or spans
        if values_told or reports_problem(text):
            yield turns[index], values_told
