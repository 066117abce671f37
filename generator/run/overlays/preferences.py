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
        some = [
            assistant_voice(Voice(today, known, style, clock))
            for known in knows
            for style in styles
            for clock in clocks
        ]
        known = results(self, len(self.conversation.messages))
        said: list[tuple[str, Any, str]] = []
        for claim in self.proof.answers:
            message = self.conversation.messages[claim.message]
            if claim.verbalizer in VERBALIZERS and claim.call_id in known and isinstance(message, AssistantMessage):
                call, result = known[claim.call_id]
                with suppress(LookupError):
                    value = resolve(result if claim.of == "result" else call.arguments, claim.pointer)
                    said.append((claim.verbalizer, value, (message.content or "")[claim.start : claim.end]))
        return sorted(
            some, key=lambda voice: -sum(say(verbalizer, value, voice) == text for verbalizer, value, text in said)
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
                    world.step([one for one in message.tool_calls if one.id != call.id])
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
    message, own = row.message(at), {call.id for call in row.message(at).tool_calls}
    answers = {
        place for place, other in enumerate(row.conversation.messages)
        if isinstance(other, ToolMessage) and other.tool_call_id in own
    }  # fmt: skip
    later = {call.id: call for call in calls_in(row.conversation.messages[at + 1 :])}
    taking = [one.call_id for one in row.proof.arguments if one.source == "result" and one.message in answers]
    for call in [later[other] for other in dict.fromkeys(taking) if other in later]:
        yield Continuation(message=msgspec.structs.replace(message, tool_calls=(*message.tool_calls, call)))


def call_instead_of_question(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls that are made later, with a value in place of the one that is asked for, or without the user's leave."""
    proposed = {tell.call_id for tell in row.proof.tells if tell.message == at and tell.how == "proposed"}
    asked: dict[str, list[str]] = {}
    for asking, pointer in sorted(asked_values(row.conversation, row.proof, at)):
        asked.setdefault(asking, []).append(pointer)
    for message in row.conversation.messages[at + 1 :]:
        calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
        if proposed & {call.id for call in calls}:
            yield Continuation(message=AssistantMessage(tool_calls=calls))
        elif asked.keys() & {call.id for call in calls}:
            for _ in range(_GUESSES):
                guessed = [
                    _with_guessed_values(row, call, asked[call.id], at) if call.id in asked else call for call in calls
                ]
                made = tuple([call for call in guessed if call is not None])
                if len(made) == len(calls):
                    yield Continuation(message=AssistantMessage(tool_calls=made))


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
    said = [claim for claim in row.proof.arguments if claim.source == "user" and claim.call_id in tools]
    for claim in row.draw.shuffled([claim for claim in said if _can_be_asked_for(tools[claim.call_id], claim.pointer)]):
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
    own = [claim for claim in row.proof.answers if claim.message == at]
    if row.message(at).tool_calls or not own:
        return
    known, voices = results(row, at), row.voices()
    for claim in row.draw.shuffled(
        [claim for claim in own if claim.of == "result" and claim.verbalizer in VERBALIZERS]
    ):
        call, result = known.get(claim.call_id, (None, None))
        if call is None:
            continue
        words = content[claim.start : claim.end]
        for right, value in _other_values(row, call, result, claim):
            voice = next((voice for voice in voices if say(claim.verbalizer, right, voice) == words), voices[0])
            said = say(claim.verbalizer, value, voice)
            if said and said.casefold() != words.casefold():
                yield _reworded(content, own, claim, said)


def _other_values(row: FinishedRow, call: ToolCall, result: Any, claim: AnswerClaim) -> Iterator[tuple[Any, Any]]:
    """Yield the value that a call returned with each value that it returns in other worlds, and with values near it."""
    try:
        value = resolve(result, claim.pointer)
    except LookupError:
        return
    for salt in range(3):
        other = answer(row, call, at=None, salt=stream_seed(row.salt, "other", salt))
        try:
            found = resolve(other, claim.pointer)
        except LookupError:
            continue
        if (
            type(found) is type(value)
            and found != value
            and not isinstance(found, list | dict)
            and _is_as_many(value, found)
        ):
            yield value, found
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


def _reworded(content: str, own: list[AnswerClaim], claim: AnswerClaim, said: str) -> Continuation:
    """Return a text with other words in place of a claimed span; the claims after it move."""
    more = len(said) - (claim.end - claim.start)
    moved = [
        msgspec.structs.replace(one, end=one.end + more) if one is claim
        else msgspec.structs.replace(one, start=one.start + more, end=one.end + more) if one.start >= claim.end
        else one
        for one in own
    ]  # fmt: skip
    text = content[: claim.start] + said + content[claim.end :]
    return Continuation(message=AssistantMessage(text), answers=tuple(moved))


def early_stop(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield an answer about what has been found so far, in place of calls."""
    told = _successful_calls_of_turn(row, at)
    if row.message(at).tool_calls and told:
        yield _answer_about(row, at, told)


def ignored_error(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield an answer that reports a result for a call that has just failed: what it returns in a world where it does not fail."""
    failed = [m for m in results_before(row.conversation.messages, at) if m.is_error]
    calls = {call.id: call for call in calls_in(row.conversation.messages[:at])}
    told = _successful_calls_of_turn(row, at)
    for call in [calls[message.tool_call_id] for message in failed]:
        result = answer(row, call, at=at, salt=row.salt)
        if result is not None:
            told.append(ReportedCall(row.prepared.phrases[call.name], call, result))
    if failed and len(told) >= len(failed):
        yield _answer_about(row, at, told)


def _answer_about(row: FinishedRow, at: int, told: list[ReportedCall]) -> Continuation:
    """Return an answer that reports the results of calls."""
    text, spans, _ = word_answer(told, row.draw, row.voices()[0])
    answers = [
        AnswerClaim(at, start, end, verbalizer, told_id, of, pointer)
        for start, end, verbalizer, pointer, (told_id, of) in spans
    ]
    return Continuation(message=AssistantMessage(text), answers=tuple(answers))


def _successful_calls_of_turn(row: FinishedRow, at: int) -> list[ReportedCall]:
    """Return the calls since the user's last message that succeeded."""
    messages = row.conversation.messages
    begin = max([place for place in range(at) if isinstance(messages[place], UserMessage)], default=0)
    failed = {m.tool_call_id for m in messages[:at] if isinstance(m, ToolMessage) and m.is_error}
    own = {call.id for call in calls_in(messages[begin:at])}
    known = results(row, at)
    return [ReportedCall(row.prepared.phrases[known[one][0].name], *known[one]) for one in known if one in own - failed]


Found = tuple[int, Continuation, str]
"""The index of a message, the rejected continuation in its place, and the defect of that."""


def weigh_defects(prepared: PreparedRecipe, made: Callable[[PreparedRecipe, int], Iterable[Conversation]]) -> None:
    """Set the weights of the recipe's defects by the rejected conversations that `made` returns of rows."""
    recipe = prepared.recipe
    usual = tuple([(name, 1.0) for name in MAKERS if why_never(name, recipe) is None])
    wanted = recipe.preferences.defects or usual
    every = Preferences(defects=wanted, per_row=len(MAKERS))
    sampled = msgspec.structs.replace(
        prepared,
        recipe=msgspec.structs.replace(recipe, preferences=every),
        defects=wanted,
        backend=prepared.simulated,
        uses=None,
    )
    shown = [
        frozenset([one.rejected.defect for one in made(sampled, index) if one.rejected]) for index in range(_SAMPLE)
    ]
    prepared.defects = _balanced_weights(dict(wanted), shown)


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
    found: list[Found] = []
    for name in draw.ordered(prepared.defects or ()):
        one = _find_continuation(row, name)
        if one is not None:
            found.append(one)
        if len(found) == prepared.recipe.preferences.per_row:
            break
    return tuple([_preference_of(one, shown) for one in found])


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


def _preference_of(found: Found, shown: OverlaidRow) -> Conversation:
    """Return the beginning of the row as it is written, with the rejected continuation."""
    at, wrong, name = found
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
    rows = Counter([one for one in shown if one])
    seen = frozenset().union(*rows)
    share = sum(rows.values()) / (sum(wanted[name] for name in seen) or 1)
    weights = dict(wanted)
    for _ in range(_ROUNDS):
        expected = dict.fromkeys(seen, 0.0)
        for able, number in rows.items():
            whole = sum(weights[name] for name in able)
            for name in able:
                expected[name] += number * weights[name] / whole
        for name in seen:
            weights[name] = min(weights[name] * share * wanted[name] / expected[name], _MOST * wanted[name])
    return tuple([(name, weights[name] if name in seen else _MOST * wanted[name]) for name in wanted])
