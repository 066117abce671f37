"""A row in words: the templates' own, those of a register, what stands beside calls, and which of them are to be learnt."""

from collections.abc import Callable

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, ToolMessage
from generator.core.planning import USUAL, EventLog, Persona
from generator.core.seeds import Draw, stream_seed
from generator.dialogue.acts import word
from generator.dialogue.proof.styles import style_faults
from generator.dialogue.styles import ANY, style_in
from generator.dialogue.thoughts import Because, think
from generator.run.overlays import Worded, drawn_persona, write_as_persona, write_beside_calls
from generator.run.overlays.personas import personas
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt
from generator.run.stages.events import RowEvents
from generator.run.stages.offer import choose_offer
from generator.run.stages.shortened import fit_length
from generator.scenarios.policies.compliance import grounds


class WordedRow(msgspec.Struct, frozen=True):
    """A conversation with the claims about it."""

    conversation: Conversation
    proof: Proof
    tags: tuple[str, ...]
    plain: tuple[Conversation, Proof]
    """The same in the templates' words."""


def put_in_words(prepared: PreparedRecipe, row_events: RowEvents, attempt: Attempt, draw: Draw) -> WordedRow:
    """Choose the tools on offer, and return the events in words with the claims about them."""
    recipe = prepared.recipe
    planned = () if attempt.twin is None else attempt.twin.offered
    assert row_events.scenario is not None
    if row_events.scenario.governed:  # the words of a request do not depend on what the clauses make of it
        draw.reseed(stream_seed(prepared.seed, "words", attempt.origin, attempt.number), draw.today)
    who = drawn_persona(recipe.overlays, prepared.seed, attempt.origin)
    log = EventLog(
        events=row_events.events,
        offered=planned or choose_offer(prepared, row_events.scenario, row_events.events, draw, row_events.rules),
        otherwise=recipe.arguments.otherwise,
        persona=_OF_TWINS if attempt.twin is not None else USUAL if who is None else personas()[who[0]],
    )
    if attempt.twin is not None:
        draw.reseed(attempt.twin.words(prepared.seed, attempt.number), draw.today)
    plain = _worded(prepared, log, attempt, draw)
    conversation, proof, tags = (*plain, ()) if who is None else write_as_persona(plain, *who, prepared.toolbox)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        why = {} if row_events.rules is None else _why(prepared, conversation, proof)
        conversation = think(conversation, proof, prepared.toolbox, recipe.thoughts, draw, why)
    return WordedRow(fit_length(conversation, recipe), proof, tags, plain)


def _why(prepared: PreparedRecipe, conversation: Conversation, proof: Proof) -> dict[int, list[Because]]:
    """Return the clauses because of which the assistant does what it does, by index of its message."""
    grounds_by_message = grounds(conversation, proof, prepared.toolkit.policies, prepared.toolbox)
    return {
        at: [Because(ground.text, ground.seen) for ground in grounds_of_message]
        for at, grounds_of_message in grounds_by_message.items()
    }


_OF_TWINS = Persona(reasons=0)
"""Who asks in rows that are twins: all say the same, without a reason."""


def _worded(prepared: PreparedRecipe, log: EventLog, attempt: Attempt, draw: Draw) -> Worded:
    """Return the events in the templates' words; answers look as the system message says, or it does not say so."""
    note = log.note
    while True:
        worded = word(log, prepared.phrases, draw, draw.today)
        style = ANY if note is None else style_in(note.text)
        if style.beside != "no":
            worded = write_beside_calls(
                worded, prepared.recipe.overlays, prepared.toolbox, prepared.seed, attempt.origin
            )
        if note is None or not note.style or not any(style_faults(worded[0], style)):
            return worded
        note = note.without_style
        log = msgspec.structs.replace(
            log, events=tuple([note if event.id == note.id else event for event in log.events])
        )


_LEARNT: dict[str, Callable[[AssistantMessage, bool, bool], bool]] = {
    "last": lambda message, is_last, reports: is_last,
    "calls": lambda message, is_last, reports: bool(message.tool_calls),
    "answers": lambda message, is_last, reports: not message.tool_calls,
    "decisions": lambda message, is_last, reports: not reports,
}
"""Whether a message is learnt, also by whether it is the last one of the assistant, and whether it reports results."""


def mark_training(conversation: Conversation, train: str) -> Conversation:
    """Return the conversation with `train` set on its assistant messages; `all` leaves it as it is."""
    if train == "all":
        return conversation
    learnt = _LEARNT[train]
    last = max(i for i, message in enumerate(conversation.messages) if isinstance(message, AssistantMessage))
    messages: list[Message] = []
    for i, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            reports = not message.tool_calls and isinstance(conversation.messages[i - 1], ToolMessage)
            is_learnt = message.train and learnt(message, i == last, reports)
            messages.append(msgspec.structs.replace(message, train=is_learnt))
        else:
            messages.append(message)
    return msgspec.structs.replace(conversation, messages=tuple(messages))
