"""Have a model play a finished row. A try that does all that the row asks for becomes the row, in the model's own words.

The score judges what is done (`episodes/scoring.py`): playing the transcript again gives its parts. What is said is read by another
model, where the recipe names one, and its claims are evaluated (`dialogue/proof/reader.py`); else nothing proves it, and the row says so. A
try that is not right is what preference formats reject, from the message on after which no right end is reached.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Rejected,
    Solved,
    Thoughts,
    ToolCall,
    ToolMessage,
)
from generator.core.errors import CannotCarryError
from generator.dialogue.proof.reader import faults_of_reading, reading_of, requests_for
from generator.episodes import Task
from generator.episodes.episode import Episode
from generator.episodes.player import Turns, following, reference_requests, turns
from generator.episodes.player import play_actions as play
from generator.episodes.replay import transcript_of
from generator.episodes.scoring import Score
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.llm.asking import Account, Asker, Request
from generator.llm.reading import text_fault_within
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import MadeRow
from generator.run.stages.checking import faults_of_calls, faults_of_record
from generator.run.stages.shortened import too_long
from generator.run.stages.words import mark_training
from generator.run.worlds import OneTask

USE = "solve"
TAG = "llm_solved"
"""Tag of rows that a model has played; `proof_read` or `proof_none` stands beside it."""
UNSOLVED = "no try is right"
"""Why a row is left out."""
DEFECT = "failed_try"
_UNUSABLE, _UNTRUE = "text", "claims"
"""In place of a part of the score: words that no row may hold, or rules that they break; and a claim that is not so."""


class _Try(msgspec.Struct, kw_only=True):
    """One try at the row."""

    number: int
    episode: Episode
    thoughts: dict[int, str] = {}
    """The model's reasoning, by the message that it led to."""
    spent: Account = msgspec.field(default_factory=Account)
    score: Score | None = None
    conversation: Conversation | None = None
    """What a row may be made of; None where the try is not right."""
    wrong: str = ""
    """The first part of the score that does not hold."""
    proof: Literal["none", "read"] = "none"
    """`read` where a reader has found it true."""


def solved(made: MadeRow, prepared: PreparedRecipe) -> MadeRow:
    """Return the row as a model has played it; as it was where no try is right, or to be left out, as the recipe says."""
    uses, solve, worlds = prepared.uses, prepared.recipe.solve, prepared.worlds
    assert uses is not None
    assert solve is not None
    assert worlds is not None
    assert made.opening is not None
    tasks = OneTask(Task(row=made.row, opening=made.opening, toolbox=prepared.toolbox), worlds)
    index = made.row.index
    tries = [_Try(number=number, episode=Episode(tasks)) for number in range(solve.tries)]
    spare = Episode(tasks)
    try:
        read = requests_for(made.row.conversation)[:1] if solve.reader is not None else ()
        uses.asker.foresee(lambda: [*_asked_at_best(spare, index, range(solve.tries)), *read])
        _play(uses.asker, tries, index)
        for played in tries:
            _judge(played, prepared)
        right_tries = sorted(
            [played for played in tries if played.conversation is not None],
            key=lambda played: played.score.calls if played.score else 0,
        )
        best = next((played for played in right_tries if solve.reader is None or _is_so(uses.asker, played)), None)
        for played in tries:
            uses.asker.note_of(USE, f"wrong: {played.wrong}" if played.wrong else "right")
        return _made(made, prepared, tries, best, spare)
    finally:
        for episode in (spare, *[played.episode for played in tries]):
            episode.close()


def _asked_at_best(episode: Episode, index: int, tries: Sequence[int]) -> list[Request]:
    """Return what a model is asked that does what the row does."""
    episode.reset(index)
    return reference_requests(episode, tries, USE)


def _play(asker: Asker, tries: list[_Try], index: int) -> None:
    """Play all tries, each to its end; what they ask is asked at once."""
    open_tries: list[tuple[_Try, Turns, Request]] = []
    for played in tries:
        played.episode.reset(index)
        turns_of_try = turns(played.episode, played.number, USE)
        first = following(turns_of_try)
        open_tries += [(played, turns_of_try, first)] if first is not None else []
    while open_tries:
        answers = asker.ask(*[request for _, _, request in open_tries])
        still_open: list[tuple[_Try, Turns, Request]] = []
        for (played, turns_of_try, request), answer in zip(open_tries, answers, strict=True):
            asker.judge(request, answer, answer.fault if answer.fault != "empty" else "")
            played.spent.add(answer)
            if answer.reasoning:
                played.thoughts[len(played.episode.messages)] = answer.reasoning
            next_request = following(turns_of_try, answer)
            still_open += [(played, turns_of_try, next_request)] if next_request is not None else []
        open_tries = still_open


def _judge(played: _Try, prepared: PreparedRecipe) -> None:
    """Score a try, and see whether a row may be made of it."""
    played.score = played.episode.score()
    if not played.score.passed:
        played.wrong = next(name for name, part in played.score.parts.items() if part < 1)
        return
    conversation = _conversation(played, prepared.recipe.train)
    texts = [
        part
        for message in conversation.messages
        if isinstance(message, AssistantMessage)
        for part in (message.content, message.thoughts and message.thoughts.reason)
    ]
    try:
        record = DEEPFABRIC.render(conversation)
        broken = [
            *faults_of_record(prepared, record, conversation),
            *faults_of_calls(prepared, conversation),
            *too_long(conversation, prepared.recipe),
        ]
    except CannotCarryError:
        broken = []
        played.wrong = _UNUSABLE
    if broken or any(text_fault_within(part) for part in texts):
        played.wrong = _UNUSABLE
    if not played.wrong:
        played.conversation = conversation


def _is_so(asker: Asker, played: _Try) -> bool:
    """Whether a reader finds nothing said in a right try that is not so; what nobody can read stays unproven."""
    assert played.conversation is not None
    statements, fault = reading_of(asker, played.conversation)
    played.proof = "none" if fault else "read"
    if not fault and faults_of_reading(played.conversation, statements):
        played.conversation, played.wrong = None, _UNTRUE
    return not played.wrong


def _conversation(played: _Try, train: str) -> Conversation:
    """Return what was said and done, with the model's reasoning. A message of which all calls failed is not to be learnt."""
    messages: list[Message] = list(played.episode.messages)
    failed = {message.tool_call_id for message in messages if isinstance(message, ToolMessage) and message.is_error}
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            wrong = bool(message.tool_calls) and all(call.id in failed for call in message.tool_calls)
            reason = played.thoughts.get(at)
            messages[at] = msgspec.structs.replace(
                message, thoughts=Thoughts(reason=reason) if reason else None, train=not wrong
            )
    return mark_training(Conversation(messages=tuple(messages), tools=played.episode.tools), train)


def _made(made: MadeRow, prepared: PreparedRecipe, tries: list[_Try], best: _Try | None, spare: Episode) -> MadeRow:
    """Return the row that the best try makes, or the one that was there, with what the others are good for."""
    recipe, row, replace = prepared.recipe, made.row, msgspec.structs.replace
    assert recipe.solve is not None
    parts = {} if best is None or best.score is None else best.score.parts
    outcome = Solved(
        tries=len(tries),
        right=sum(played.conversation is not None for played in tries),
        by=None if best is None else best.number,
        parts=parts,
        failed=dict(sorted(Counter(played.wrong for played in tries if played.wrong).items())),
        proof="" if best is None else best.proof,
    )
    if best is not None and best.conversation is not None:
        row = replace(row, conversation=best.conversation, proof=Proof(), state=best.episode.state(), preferences=())
        row = replace(row, tags=(*row.tags, TAG, f"proof_{best.proof}"))
        made = replace(made, record=DEEPFABRIC.render(best.conversation))
    if prepared.writes_preferences:
        rejected = _rejected(row.conversation, [played for played in tries if played.wrong], spare, row.index)
        row = replace(row, preferences=(*rejected, *row.preferences)[: recipe.preferences.per_row])
    transcripts = [
        transcript_of(
            played.episode,
            attempt=played.number,
            spent={
                "requests": played.spent.answers,
                "tokens": [played.spent.prompt_tokens, played.spent.completion_tokens],
            },
        )
        for played in tries
    ]
    left_out = UNSOLVED if best is None and recipe.solve.keep == "right" else ""
    return replace(made, row=replace(row, solved=outcome), tries=tuple(transcripts), left_out=left_out)


# -- what is rejected ----------------------------------------------------------------------------------------------------


def _rejected(chosen: Conversation, tries: list[_Try], spare: Episode, index: int) -> list[Conversation]:
    """Return beginnings of the row, each with the message of a try in place of its last one."""
    wrong_by_index: dict[int, list[AssistantMessage]] = {}
    for played in tries:
        at = _parting(chosen.messages, played.episode.messages)
        if at is None:
            continue
        right_message, wrong = chosen.messages[at], played.episode.messages[at]
        assert isinstance(right_message, AssistantMessage)
        assert isinstance(wrong, AssistantMessage)
        wrong_messages = wrong_by_index.setdefault(at, [])
        if not right_message.train or any(_same(wrong, other) for other in wrong_messages):
            continue
        if (not wrong.content and not wrong.tool_calls) or text_fault_within(wrong.content):
            continue
        if not _can_be_mended(chosen, at, wrong, spare, index):
            wrong_messages.append(wrong)
    return [
        Conversation(messages=chosen.messages[: at + 1], tools=chosen.tools, rejected=Rejected(wrong, DEFECT))
        for at, messages in sorted(wrong_by_index.items())
        for wrong in messages
    ]


def _parting(chosen: tuple[Message, ...], other: list[Message]) -> int | None:
    """Return the place of the first message of the assistant that is another one; None where one conversation ends before."""
    for at, (first, second) in enumerate(zip(chosen, other, strict=False)):
        if isinstance(first, AssistantMessage) and isinstance(second, AssistantMessage):
            if not _same(first, second):
                return at
        elif first.content != second.content:
            return None
    return None


def _same(one: AssistantMessage, two: AssistantMessage) -> bool:
    return one.content == two.content and _named(one) == _named(two)


def _named(message: AssistantMessage) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in message.tool_calls]


def _can_be_mended(chosen: Conversation, at: int, wrong: AssistantMessage, spare: Episode, index: int) -> bool:
    """Whether doing what the chosen conversation does still leads to a right end after this message: then it is not to blame."""
    actions = [message for message in chosen.messages if isinstance(message, AssistantMessage)]
    number_before = sum(isinstance(message, AssistantMessage) for message in chosen.messages[:at])
    later = actions[number_before:]
    continuations = [_without(later, wrong.tool_calls), later[1:]]
    return any(_is_right([*actions[:number_before], wrong, *way], spare, index) for way in continuations)


def _without(actions: list[AssistantMessage], calls_made: tuple[ToolCall, ...]) -> list[AssistantMessage]:
    """Return actions without calls that have been made already."""
    calls_left, kept = [(call.name, call.arguments) for call in calls_made], list[AssistantMessage]()
    for action in actions:
        calls = []
        for call in action.tool_calls:
            if (call.name, call.arguments) in calls_left:
                calls_left.remove((call.name, call.arguments))
            else:
                calls.append(call)
        if calls or not action.tool_calls:
            kept.append(msgspec.structs.replace(action, tool_calls=tuple(calls)))
    return kept


def _is_right(actions: list[AssistantMessage], episode: Episode, index: int) -> bool:
    """Whether these actions of the assistant do all that the row asks for."""
    episode.reset(index)
    play(episode, actions)
    return episode.score().passed
