"""Preference data: beginnings of a finished row, each with what is rejected in place of its last message.

What is rejected is drawn from a random stream of its own, so the rows are the same without it. A continuation is used only
when the checker of rows, which did not make it, finds the one defect that it was made to have (`validation/rejected.py`).
Which defects are tried first is weighed so that all of them occur about equally often.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from generator.arguments.sampling.relations import broken
from generator.core.claims import AnswerClaim, AskClaim, Proof
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Rejected,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    calls_in,
    results_before,
)
from generator.core.defects import DEFECTS_OF_CALLS
from generator.core.errors import RowError
from generator.core.pointers import expand, parts_of_object, resolve, schema_at, split
from generator.core.seeds import Draw, call_id, stream_seed
from generator.core.toolbox import ToolSpec
from generator.dialogue.acts.ask import question
from generator.dialogue.acts.rejected import Continuation, asked_values, defect_of, is_right
from generator.dialogue.proof.opening import parsed
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import Clock, DateStyle, Voice, assistant_voice
from generator.dialogue.wording.answers import ReportedCall, word_answer
from generator.formats.defects import MAKERS as CALL_MAKERS
from generator.formats.defects import nearby_values
from generator.recipe.settings import Preferences
from generator.run.overlays import OverlaidRow
from generator.run.overlays.scramble import renamed_message
from generator.run.prepared import PreparedRecipe
from generator.scenarios.affordances.links import is_single
from generator.scenarios.defects import why_never
from generator.world.state import State, state_of


class FinishedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row, and what is needed to make continuations of it."""

    conversation: Conversation
    proof: Proof
    prepared: PreparedRecipe
    draw: Draw
    salt: int
    """The salt of the row's world."""
    state: State | None
    """The entities after the row's last call."""

    def message(self, at: int) -> AssistantMessage:
        """Return the assistant's message at index `at`."""
        message = self.conversation.messages[at]
        assert isinstance(message, AssistantMessage)
        return message

    def arguments(self, tool: str) -> dict[str, Any]:
        """Return arguments that a call of a tool might have."""
        try:
            return self.prepared.sources[tool](self.draw) if tool in self.prepared.toolbox else {}
        except RowError:
            return {}

    def voices(self) -> list[Voice]:
        """Return voices that the assistant may have, first those that say most of what it says in the row in its words."""
        today, notes = self.draw.today, [m.content for m in self.conversation.messages if isinstance(m, SystemMessage)]
        knows = (True, False) if any(str(today.year) in note for note in notes) else (False,)
        styles: tuple[DateStyle, ...] = ("day_first", "month_first")
        clocks: tuple[Clock, ...] = (24, 12)
        candidates = [
            assistant_voice(Voice(today, is_known, style, clock))
            for is_known in knows
            for style in styles
            for clock in clocks
        ]
        results_by_call = results(self, len(self.conversation.messages))
        said_values: list[tuple[str, Any, str]] = []
        for claim in self.proof.answers:
            message = self.conversation.messages[claim.message]
            if (
                claim.verbalizer in VERBALIZERS
                and claim.call_id in results_by_call
                and isinstance(message, AssistantMessage)
            ):
                call, result = results_by_call[claim.call_id]
                with suppress(LookupError):
                    value = resolve(result if claim.of == "result" else call.arguments, claim.pointer)
                    said_values.append((claim.verbalizer, value, (message.content or "")[claim.start : claim.end]))
        return sorted(
            candidates,
            key=lambda voice: -sum(say(verbalizer, value, voice) == text for verbalizer, value, text in said_values),
        )


def say(verbalizer: str, value: Any, voice: Voice) -> str | None:
    """Return the words for a value; None for one of another type than the verbalizer says."""
    try:
        return VERBALIZERS[verbalizer].say(value, voice)
    except (TypeError, ValueError):
        return None


def results(row: FinishedRow, at: int) -> dict[str, tuple[ToolCall, Any]]:
    """Return the calls before a message with their results, by id."""
    messages = row.conversation.messages[:at]
    calls = {call.id: call for call in calls_in(messages)}
    return {m.tool_call_id: (calls[m.tool_call_id], parsed(m.content)) for m in messages if isinstance(m, ToolMessage)}


def answer(row: FinishedRow, call: ToolCall, *, at: int | None, salt: int) -> Any:
    """Return the result of a call in a world without planned faults; None where it fails there, too.

    The calls of the row before message `at` are made first; `salt` is that of the world.
    """
    with row.prepared.backend.open(row.draw.today, salt) as world:
        try:
            state = state_of(world)
            if at is not None and state is not None and row.state is not None:
                state.restore(row.state.added)
            for message in row.conversation.messages[: at or 0]:
                if isinstance(message, AssistantMessage) and message.tool_calls and message.train:
                    world.step([other for other in message.tool_calls if other.id != call.id])
            (outcome,) = world.step([call])
        except RowError:
            return None
    return outcome.value if outcome.ok else None


def extra_call(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls with one more; or one call in place of a text that asks nothing."""
    if row.message(at).tool_calls:
        yield from calls_with("extra_call", row, at)
    elif not any(ask.message == at for ask in row.proof.asks):
        for tool in row.draw.shuffled(row.conversation.tools):
            if arguments := row.arguments(tool.name):
                yield Continuation(
                    message=AssistantMessage(tool_calls=(ToolCall(call_id(row.draw.rand), tool.name, arguments),))
                )


def calls_with(name: str, row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield other calls in place of calls."""
    message = row.message(at)
    if message.tool_calls:
        tools = {tool.name: tool for tool in row.conversation.tools}
        some = list(CALL_MAKERS[name](message.tool_calls, tools, row.arguments))
        for calls in (
            some if name == "wrong_tool" else row.draw.shuffled(some)
        ):  # those are in order: the likeliest first
            if name == "swapped_values" or not any(
                broken(row.prepared.toolbox[call.name].relations, call.arguments) for call in calls
            ):
                yield Continuation(message=msgspec.structs.replace(message, tool_calls=calls))


def dependent_calls(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls, together with a later one that takes a value from their results."""
    message, call_ids = row.message(at), {call.id for call in row.message(at).tool_calls}
    answers = {
        index for index, other in enumerate(row.conversation.messages)
        if isinstance(other, ToolMessage) and other.tool_call_id in call_ids
    }  # fmt: skip
    later = {call.id: call for call in calls_in(row.conversation.messages[at + 1 :])}
    taking = [claim.call_id for claim in row.proof.arguments if claim.source == "result" and claim.message in answers]
    for call in [later[other] for other in dict.fromkeys(taking) if other in later]:
        yield Continuation(message=msgspec.structs.replace(message, tool_calls=(*message.tool_calls, call)))


def call_instead_of_question(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls that are made later, with a value in place of the one that is asked for, or without the user's leave."""
    proposed = {tell.call_id for tell in row.proof.tells if tell.message == at and tell.how == "proposed"}
    pointers_by_call: dict[str, list[str]] = {}
    for asking, pointer in sorted(asked_values(row.conversation, row.proof, at)):
        pointers_by_call.setdefault(asking, []).append(pointer)
    for message in row.conversation.messages[at + 1 :]:
        calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
        if proposed & {call.id for call in calls}:
            yield Continuation(message=AssistantMessage(tool_calls=calls))
        elif pointers_by_call.keys() & {call.id for call in calls}:
            for _ in range(_GUESSES):
                guessed = [
                    _with_guessed_values(row, call, pointers_by_call[call.id], at)
                    if call.id in pointers_by_call
                    else call
                    for call in calls
                ]
                calls_with_guesses = tuple([call for call in guessed if call is not None])
                if len(calls_with_guesses) == len(calls):
                    yield Continuation(message=AssistantMessage(tool_calls=calls_with_guesses))


_GUESSES = 6
"""How many values are tried in place of one that is asked for."""


def _with_guessed_values(row: FinishedRow, call: ToolCall, pointers: list[str], at: int) -> ToolCall | None:
    """Return the call with other values at pointers; None where there is no other value."""
    drawn, arguments = row.arguments(call.name), dict(call.arguments)
    for pointer in pointers:
        key = split(pointer)[0]
        value = _other_list_element(row, call, pointer, at) or drawn.get(key)
        if value is None or value == call.arguments.get(key):
            return None
        arguments[key] = value
    is_broken = broken(row.prepared.toolbox[call.name].relations, arguments)
    return None if is_broken else msgspec.structs.replace(call, arguments=arguments)


def _other_list_element(row: FinishedRow, call: ToolCall, pointer: str, at: int) -> Any:
    """Return a value for an argument from any element of the list that it is taken from; None where it is taken from no list before `at`."""
    for claim in row.proof.arguments:
        if (
            (claim.call_id, claim.pointer) == (call.id, pointer)
            and claim.result_pointer
            and claim.message is not None
            and claim.message < at
        ):
            result = parsed(row.conversation.messages[claim.message].content or "")
            places = expand(result, re.sub(r"/\d+", "/*", claim.result_pointer))
            return resolve(result, row.draw.choice(places)) if places else None
    return None


def question_instead_of_call(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield questions for a value that the user has said."""
    tools = {call.id: row.prepared.toolbox[call.name] for call in row.message(at).tool_calls}
    user_claims = [claim for claim in row.proof.arguments if claim.source == "user" and claim.call_id in tools]
    for claim in row.draw.shuffled(
        [claim for claim in user_claims if _can_be_asked_for(tools[claim.call_id], claim.pointer)]
    ):
        text, start = question(tools[claim.call_id], claim.pointer.removeprefix("/"), row.draw)
        ask = AskClaim(at, start, len(text), claim.call_id, claim.pointer)
        yield Continuation(message=AssistantMessage(text), asks=(ask,))


def _can_be_asked_for(spec: ToolSpec, pointer: str) -> bool:
    """Whether there are words to ask for an argument: the tool's own, or those made of its name, as for any value that is needed."""
    slot = pointer.removeprefix("/")
    properties, required = parts_of_object(spec.tool.parameters)
    is_named = slot in properties and is_single(properties[slot]) and properties[slot].get("type") != "boolean"
    return slot in spec.phrases.ask or (is_named and slot in required)


def unfounded_claim(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the answer with another value in place of one that a result holds."""
    content = row.message(at).content or ""
    claims = [claim for claim in row.proof.answers if claim.message == at]
    if row.message(at).tool_calls or not claims:
        return
    results_by_call, voices = results(row, at), row.voices()
    for claim in row.draw.shuffled(
        [claim for claim in claims if claim.of == "result" and claim.verbalizer in VERBALIZERS]
    ):
        call, result = results_by_call.get(claim.call_id, (None, None))
        if call is None:
            continue
        words = content[claim.start : claim.end]
        for right, value in _other_values(row, call, result, claim):
            voice = next((voice for voice in voices if say(claim.verbalizer, right, voice) == words), voices[0])
            wrong_words = say(claim.verbalizer, value, voice)
            if wrong_words and wrong_words.casefold() != words.casefold():
                yield _reworded(content, claims, claim, wrong_words)


def _other_values(row: FinishedRow, call: ToolCall, result: Any, claim: AnswerClaim) -> Iterator[tuple[Any, Any]]:
    """Yield the value that a call returned with each value that it returns in other worlds, and with values near it."""
    try:
        value = resolve(result, claim.pointer)
    except LookupError:
        return
    for salt in range(3):
        other = answer(row, call, at=None, salt=stream_seed(row.salt, "other", salt))
        try:
            other_value = resolve(other, claim.pointer)
        except LookupError:
            continue
        if (
            type(other_value) is type(value)
            and other_value != value
            and not isinstance(other_value, list | dict)
            and _is_as_many(value, other_value)
        ):
            yield value, other_value
    if isinstance(value, float):
        yield value, round(value * row.draw.choice((0.8, 0.9, 1.1, 1.2)), len(str(value).partition(".")[2]))
    schema = schema_at(row.prepared.toolbox[call.name].returns, claim.pointer) or {}
    if not isinstance(value, str) or schema.keys() & {
        "enum",
        "format",
    }:  # a title without its last word is no other title
        step = next((step for step in (15, 10, 5) if isinstance(value, int) and value > step and value % step == 0), 1)
        yield from [
            (value, other)
            for other in nearby_values(value, {"multipleOf": step, **schema})
            if _is_as_many(value, other)
        ]


def _is_as_many(value: Any, other: Any) -> bool:
    """Whether words in the singular or plural beside one value are right beside another, too."""
    return not isinstance(value, int | float) or (value == 1) == (other == 1)


def _reworded(content: str, claims: list[AnswerClaim], claim: AnswerClaim, new_words: str) -> Continuation:
    """Return a text with other words in place of a claimed span; the claims after it move."""
    added_length = len(new_words) - (claim.end - claim.start)
    moved = [
        msgspec.structs.replace(other, end=other.end + added_length) if other is claim
        else msgspec.structs.replace(other, start=other.start + added_length, end=other.end + added_length) if other.start >= claim.end
        else other
        for other in claims
    ]  # fmt: skip
    text = content[: claim.start] + new_words + content[claim.end :]
    return Continuation(message=AssistantMessage(text), answers=tuple(moved))


def early_stop(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield an answer about what has been found so far, in place of calls."""
    reported_calls = _successful_calls_of_turn(row, at)
    if row.message(at).tool_calls and reported_calls:
        yield _answer_about(row, at, reported_calls)


def ignored_error(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield an answer that reports a result for a call that has just failed: what it returns in a world where it does not fail."""
    failed = [m for m in results_before(row.conversation.messages, at) if m.is_error]
    calls = {call.id: call for call in calls_in(row.conversation.messages[:at])}
    reported_calls = _successful_calls_of_turn(row, at)
    for call in [calls[message.tool_call_id] for message in failed]:
        result = answer(row, call, at=at, salt=row.salt)
        if result is not None:
            reported_calls.append(ReportedCall(row.prepared.phrases[call.name], call, result))
    if failed and len(reported_calls) >= len(failed):
        yield _answer_about(row, at, reported_calls)


def _answer_about(row: FinishedRow, at: int, reported_calls: list[ReportedCall]) -> Continuation:
    """Return an answer that reports the results of calls."""
    text, spans, _ = word_answer(reported_calls, row.draw, row.voices()[0])
    answers = [
        AnswerClaim(at, start, end, verbalizer, reported_id, of, pointer)
        for start, end, verbalizer, pointer, (reported_id, of) in spans
    ]
    return Continuation(message=AssistantMessage(text), answers=tuple(answers))


def _successful_calls_of_turn(row: FinishedRow, at: int) -> list[ReportedCall]:
    """Return the calls since the user's last message that succeeded."""
    messages = row.conversation.messages
    last_user_index = max([index for index in range(at) if isinstance(messages[index], UserMessage)], default=0)
    failed = {m.tool_call_id for m in messages[:at] if isinstance(m, ToolMessage) and m.is_error}
    ids_of_turn = {call.id for call in calls_in(messages[last_user_index:at])}
    results_by_call = results(row, at)
    return [
        ReportedCall(row.prepared.phrases[results_by_call[call_id][0].name], *results_by_call[call_id])
        for call_id in results_by_call
        if call_id in ids_of_turn - failed
    ]


Found = tuple[int, Continuation, str]
"""The index of a message, the rejected continuation in its place, and the defect of that."""


def weigh_defects(
    prepared: PreparedRecipe, rejected_of_row: Callable[[PreparedRecipe, int], Iterable[Conversation]]
) -> None:
    """Set the weights of the recipe's defects by the rejected conversations that `rejected_of_row` returns of a sample of rows."""
    recipe = prepared.recipe
    usual = tuple([(name, 1.0) for name in MAKERS if why_never(name, recipe) is None])
    wanted_weights = recipe.preferences.defects or usual
    all_defects = Preferences(defects=wanted_weights, per_row=len(MAKERS))
    sampled = msgspec.structs.replace(
        prepared,
        recipe=msgspec.structs.replace(recipe, preferences=all_defects),
        defects=wanted_weights,
        backend=prepared.simulated,
        uses=None,
    )
    shown = [
        frozenset(
            [conversation.rejected.defect for conversation in rejected_of_row(sampled, index) if conversation.rejected]
        )
        for index in range(_SAMPLE)
    ]
    prepared.defects = _balanced_weights(dict(wanted_weights), shown)


def write_preferences(
    prepared: PreparedRecipe,
    salt: int,
    index: int,
    worded: tuple[Conversation, Proof],
    shown: OverlaidRow,
    state: State | None,
    draw: Draw,
) -> tuple[Conversation, ...]:
    """Return the rejected conversations of a row: up to `preferences.per_row`, each with another defect.

    `worded` has the usual names, `shown` those that are written. Nothing is drawn from `draw`, which holds the day.
    """
    draw = Draw(stream_seed(prepared.seed, "preferences", index), draw.today)
    row = FinishedRow(conversation=worded[0], proof=worded[1], prepared=prepared, draw=draw, salt=salt, state=state)
    continuations: list[Found] = []
    for name in draw.ordered(prepared.defects or ()):
        continuation = _find_continuation(row, name)
        if continuation is not None:
            continuations.append(continuation)
        if len(continuations) == prepared.recipe.preferences.per_row:
            break
    return tuple([_preference_of(continuation, shown) for continuation in continuations])


def _find_continuation(row: FinishedRow, name: str) -> Found | None:
    """Return a continuation with that defect and no other, in place of any message that is to be learnt; None if none is found."""
    messages, toolbox = row.conversation.messages, row.prepared.toolbox
    places = [at for at, message in enumerate(messages) if isinstance(message, AssistantMessage) and message.train]
    for at in row.draw.shuffled(places):
        is_checked = False
        for tried, wrong in enumerate(MAKERS[name](row, at)):
            if not is_checked and not is_right(row.conversation, row.proof, at, toolbox):
                break
            is_checked = True
            if defect_of(row.conversation, row.proof, at, wrong, toolbox) == name:
                return at, wrong, name
            if tried == _MOST_TRIED:
                break
    return None


_MOST_TRIED = 12
"""The most continuations of one kind that are tried in place of one message."""


def _preference_of(continuation: Found, shown: OverlaidRow) -> Conversation:
    """Return the beginning of the row as it is written, with the rejected continuation."""
    at, wrong, name = continuation
    message = renamed_message(wrong.message, shown.renamed) if shown.renamed else wrong.message
    messages = shown.conversation.messages[: at + 1]
    return msgspec.structs.replace(shown.conversation, messages=messages, rejected=Rejected(message, name))


MakeContinuations = Callable[[FinishedRow, int], Iterator[Continuation]]
"""(row, index of the message) → continuations that might stand in its place."""

MAKERS: dict[str, MakeContinuations] = {
    **{name: partial(calls_with, name) for name in DEFECTS_OF_CALLS},
    "extra_call": extra_call,
    "dependent_calls": dependent_calls,
    "call_instead_of_question": call_instead_of_question,
    "question_instead_of_call": question_instead_of_call,
    "unfounded_claim": unfounded_claim,
    "early_stop": early_stop,
    "ignored_error": ignored_error,
}
"""Name of the defect → its makers."""
_SAMPLE = 100
"""How many rows are made for it."""
_ROUNDS = 30
_MOST = 1000.0
"""How much more weight a defect has than wanted at most: it is then tried before all others."""


def _balanced_weights(wanted: Mapping[str, float], shown: Iterable[frozenset[str]]) -> tuple[tuple[str, float], ...]:
    """Return the weights with which defects are drawn so that they occur as wanted, though few rows can show some of them.

    Args:
        wanted: Defect → how often it is wanted, beside the others: `{"wrong_tool": 2.0, "early_stop": 1.0}`.
        shown: The defects that each row of a sample can show.
    """
    rows = Counter([defects for defects in shown if defects])
    shown_defects = frozenset().union(*rows)
    share = sum(rows.values()) / (sum(wanted[name] for name in shown_defects) or 1)
    weights = dict(wanted)
    for _ in range(_ROUNDS):
        expected = dict.fromkeys(shown_defects, 0.0)
        for defects_of_row, number in rows.items():
            whole = sum(weights[name] for name in defects_of_row)
            for name in defects_of_row:
                expected[name] += number * weights[name] / whole
        for name in shown_defects:
            weights[name] = min(weights[name] * share * wanted[name] / expected[name], _MOST * wanted[name])
    return tuple([(name, weights[name] if name in shown_defects else _MOST * wanted[name]) for name in wanted])
