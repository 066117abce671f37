"""A row in words: the templates' own, those of a register, or those of scripts with the world that suits them; and what is laid over it."""

from collections.abc import Callable

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, Tool, ToolMessage, Violation
from generator.core.errors import CannotCarryError, CannotFillError
from generator.core.planning import USUAL, EventLog, Note, Persona
from generator.core.profiles import PROFILES
from generator.core.seeds import Draw, stream_seed
from generator.core.yaml_values import own_data
from generator.dialogue.acts import word
from generator.dialogue.proof.styles import style_faults
from generator.dialogue.styles import ANY, style_in
from generator.dialogue.thoughts import Because, think
from generator.dialogue.values.voice import assistant_voice, draw_voice, with_manners
from generator.formats import FORMATS
from generator.formats.files.lengths import measure_by
from generator.formats.sinks import encode_line
from generator.recipe import Recipe
from generator.run.overlays import Worded, drawn_persona, write_as_persona, write_beside_calls
from generator.run.overlays.personas import personas
from generator.run.overlays.system import on_that_day
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt
from generator.run.stages.events import RowEvents
from generator.run.stages.offer import beside_called, choose_offer, choose_system
from generator.scenarios.policies.compliance import grounds
from generator.scenarios.scripts import ALSO, ATTEMPTS_A_SCRIPT, ChosenScripts, Performed, Speakers, perform
from generator.world.state import state_of
from generator.world.world import SimulatedWorld


class WordedRow(msgspec.Struct, frozen=True):
    """A conversation with the claims about it."""

    conversation: Conversation
    proof: Proof
    tags: tuple[str, ...]
    plain: tuple[Conversation, Proof]
    """The same in the templates' words."""


def put_in_words(prepared: PreparedRecipe, told: RowEvents, attempt: Attempt, draw: Draw) -> WordedRow:
    """Choose the tools on offer, and return the events in words with the claims about them."""
    recipe = prepared.recipe
    planned = () if attempt.twin is None else attempt.twin.offered
    assert told.scenario is not None
    if told.scenario.governed:  # the words of a request do not depend on what the clauses make of it
        draw.reseed(stream_seed(prepared.seed, "words", attempt.origin, attempt.number), draw.today)
    who = drawn_persona(recipe.overlays, prepared.seed, attempt.origin)
    log = EventLog(
        events=told.events,
        offered=planned or choose_offer(prepared, told.scenario, told.events, draw, told.rules),
        otherwise=recipe.arguments.otherwise,
        persona=_OF_TWINS if attempt.twin is not None else USUAL if who is None else personas()[who[0]],
    )
    if attempt.twin is not None:
        draw.reseed(attempt.twin.words(prepared.seed, attempt.number), draw.today)
    plain = _worded(prepared, log, attempt, draw)
    conversation, proof, tags = (*plain, ()) if who is None else write_as_persona(plain, *who, prepared.toolbox)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        why = {} if told.rules is None else _why(prepared, conversation, proof)
        conversation = think(conversation, proof, prepared.toolbox, recipe.thoughts, draw, why)
    return WordedRow(fit_length(conversation, recipe), proof, tags, plain)


def _why(prepared: PreparedRecipe, conversation: Conversation, proof: Proof) -> dict[int, list[Because]]:
    """Return the clauses because of which the assistant does what it does, by index of its message."""
    found = grounds(conversation, proof, prepared.toolkit.policies, prepared.toolbox)
    return {at: [Because(one.text, one.seen) for one in ones] for at, ones in found.items()}


_OF_TWINS = Persona(reasons=0)
"""Who asks in rows that are twins: all say the same, without a reason."""


def _worded(prepared: PreparedRecipe, log: EventLog, attempt: Attempt, draw: Draw) -> Worded:
    """Return the events in the templates' words; answers look as the system message says, or it does not say so."""
    note = log.note
    while True:
        worded = word(log, prepared.books, draw, draw.today)
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


CODE = "PL102"


def fit_length(conversation: Conversation, recipe: Recipe) -> Conversation:
    """Return the conversation, with tools that are not called left out until it is short enough."""
    most = recipe.lengths.max_tokens
    if most is None:
        return conversation
    called = {c.name for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls}
    while _tokens(conversation, recipe) > most:
        others = [at for at, tool in enumerate(conversation.tools) if tool.name not in called]
        if not others:
            break
        tools = conversation.tools[: others[-1]] + conversation.tools[others[-1] + 1 :]
        conversation = msgspec.structs.replace(conversation, tools=tools)
    return conversation


def too_long(conversation: Conversation, recipe: Recipe) -> list[Violation]:
    """Return what is wrong with a conversation that does not fit."""
    most = recipe.lengths.max_tokens
    if most is None or (tokens := _tokens(conversation, recipe)) <= most:
        return []
    return [Violation(CODE, "$", f"{tokens:,} tokens, and {most:,} are allowed")]


def _tokens(conversation: Conversation, recipe: Recipe) -> int:
    """Return tokens of the longest record that is written of the conversation."""
    longest, measure = 0, measure_by(recipe.lengths.tokenizer)
    for name in recipe.formats:
        try:
            record = FORMATS[name].render(conversation)
            longest = max(longest, measure(record, encode_line(record)))
        except CannotCarryError:  # the format gets no record
            continue
    return longest


_TEXTS: dict[str, list[str]] = own_data(__file__)
_WORLDS = 12
"""How many worlds are tried for some scripts in one attempt."""


def scripts_of(prepared: PreparedRecipe, attempt: Attempt) -> ChosenScripts | None:
    """Return the scripts of a row; None for one that is put together of phrases."""
    if prepared.scripts is None or attempt.twin is not None:
        return None
    return prepared.scripts.at(attempt.index, attempt.number + prepared.scripts_before * ATTEMPTS_A_SCRIPT)


def perform_scripts(
    prepared: PreparedRecipe, chosen: ChosenScripts, attempt: Attempt, draw: Draw
) -> tuple[RowEvents, WordedRow]:
    """Return what happens in a row of scripts, and its words.

    Raises:
        CannotFillError: when the world that was drawn does not suit them.
    """
    recipe = prepared.recipe
    note = _note(prepared, chosen, draw)
    who = drawn_persona(recipe.overlays, prepared.seed, attempt.origin)
    for tried in range(_WORLDS):
        salt = stream_seed(prepared.seed, "world", attempt.origin, attempt.number, tried)
        draw.reseed(salt, draw.today)
        with prepared.backend.open(draw.today, salt) as world:
            assert isinstance(world, SimulatedWorld)
            try:
                performed = _performed(prepared, chosen, draw, note, who, world)
            except CannotFillError:
                if tried == _WORLDS - 1:
                    raise
                continue
            state = state_of(world)
            break
    tools = _offered(prepared, chosen, draw)
    plain = Conversation(performed.messages, tools), performed.proof
    style = ANY if note is None else style_in(note.text)
    if style.beside != "no":
        plain = write_beside_calls(plain, recipe.overlays, prepared.toolbox, prepared.seed, attempt.origin)
    conversation, proof, tags = (*plain, ()) if who is None else write_as_persona(plain, *who, prepared.toolbox)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        conversation = think(conversation, proof, prepared.toolbox, recipe.thoughts, draw, {})
    tags = (*tags, *[f"script:{script.name}" for script in chosen.scripts])
    told = RowEvents(name=chosen.scenario, today=draw.today, state=state, salt=salt, pair=chosen.pair)
    return told, WordedRow(fit_length(conversation, recipe), proof, tags, plain)


def _note(prepared: PreparedRecipe, chosen: ChosenScripts, draw: Draw) -> Note | None:
    """Return the system message; one that states the day where something is computed from it."""
    note = choose_system(prepared, draw, draw.today)
    if (note is None or not note.states_today) and any(script.reads_today for script in chosen.scripts):
        today = on_that_day(draw.choice(_TEXTS["today"]), draw.today)
        text = today.text if note is None else f"{note.text} {today.text}"
        note = today if note is None else msgspec.structs.replace(note, text=text, states_today=True)
    return note


def _performed(
    prepared: PreparedRecipe,
    chosen: ChosenScripts,
    draw: Draw,
    note: Note | None,
    who: tuple[str, Draw] | None,
    world: SimulatedWorld,
) -> Performed:
    """Return the row in words; answers look as the system message says, or it does not say so."""
    persona = USUAL if who is None else personas()[who[0]]
    states_today = note is not None and note.states_today
    voice = draw_voice(draw, draw.today, states_today, prepared.recipe.arguments.otherwise)
    if voice.date_style == "iso":  # people who write whole sentences do not write dates as machines do
        voice = msgspec.structs.replace(voice, date_style="month_first")
    user = with_manners(voice, persona)
    style = ANY if note is None else style_in(note.text)
    speakers = Speakers(user, assistant_voice(user, style), tuple(_TEXTS["transitions"]))
    assert prepared.script_tools is not None
    performed = perform(chosen.scripts, prepared.script_tools, world, draw, note, speakers, wordings=chosen.wordings)
    if note is None or not note.style or not any(style_faults(Conversation(performed.messages), style)):
        return performed
    plain = note.without_style
    cut, first = len(note.text) - len(plain.text), performed.messages[0]
    content = f"{plain.text}{(first.content or '')[len(note.text) :]}"
    messages = (msgspec.structs.replace(first, content=content), *performed.messages[1:])
    return msgspec.structs.replace(performed, messages=messages, proof=_moved(performed.proof, cut))


def _moved(proof: Proof, cut: int) -> Proof:
    """Return claims about a row whose system message is shorter before what a script says in it."""
    replace = msgspec.structs.replace
    first, *others = proof.scripts
    spans = [replace(one, start=one.start - cut, end=one.end - cut) if not one.message else one for one in first.spans]
    arguments = [
        replace(one, start=one.start - cut, end=one.end - cut)
        if not one.message and one.start is not None and one.end is not None
        else one
        for one in proof.arguments
    ]
    return replace(proof, arguments=tuple(arguments), scripts=(replace(first, spans=tuple(spans)), *others))


def _offered(prepared: PreparedRecipe, chosen: ChosenScripts, draw: Draw) -> tuple[Tool, ...]:
    """Return the tools on offer: the called ones and others, as the scripts say or else the recipe."""
    if chosen.pair is not None:  # both rows of a pair offer the same tools in the same order
        draw = Draw(stream_seed(prepared.seed, "offer of a pair of scripts", chosen.pair.first), draw.today)
    turns = [turn for script in chosen.scripts for turn in script.turns]
    called = [*chosen.offering] or list(dict.fromkeys(one.tool for turn in turns for one in turn.calls))
    first = chosen.scripts[0]
    if first.declines and not (first.only or chosen.offering):  # of what else its tools can do
        own = [name for name in prepared.names if prepared.toolbox[name].domain in first.domains]
        called = list(dict.fromkeys([*called, *own]))
    without = {name for script in chosen.scripts for name in script.without}
    if first.only:
        names = [*called, *[name for name in first.only if name not in called]]
    else:
        names = beside_called(
            prepared,
            called,
            first.offer or prepared.recipe.offer.distractors,
            draw,
            look_alikes=chosen.scenario in ALSO,
        )
    names = [name for name in names if name not in without]
    most = PROFILES[prepared.recipe.profile].most_tools if prepared.recipe.profile else None
    return tuple([prepared.toolbox[name].tool for name in draw.shuffled(names[:most])])
