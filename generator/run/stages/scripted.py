"""A row of scripts: a world that suits them, their turns, and what is laid over any row."""

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import Conversation, Tool
from generator.core.errors import CannotFillError
from generator.core.planning import USUAL, Note
from generator.core.profiles import PROFILES
from generator.core.seeds import Draw, stream_seed
from generator.core.yaml_values import own_data
from generator.dialogue.proof.styles import style_faults
from generator.dialogue.styles import ANY, style_in
from generator.dialogue.thoughts import think
from generator.dialogue.values.voice import assistant_voice, draw_voice, with_manners
from generator.run.overlays import drawn_persona, on_that_day, write_as_persona, write_beside_calls
from generator.run.overlays.personas import personas
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt
from generator.run.stages.events import RowEvents
from generator.run.stages.offer import beside_called, choose_system
from generator.run.stages.shortened import fit_length
from generator.run.stages.words import WordedRow, mark_training
from generator.scenarios.scripts import ALSO, ATTEMPTS_A_SCRIPT, ChosenScripts, Performed, Speakers, check_day, perform
from generator.world.state import state_of
from generator.world.world import SimulatedWorld

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
    for script in chosen.scripts:
        check_day(script, draw.today)
    note = _note(prepared, chosen, draw)
    origin = attempt.origin
    who = drawn_persona(recipe.overlays, prepared.seed, origin)
    for tried in range(_WORLDS):
        salt = stream_seed(prepared.seed, "world", origin, attempt.number, tried)
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
        plain = write_beside_calls(plain, recipe.overlays, prepared.toolbox, prepared.seed, origin)
    conversation, proof, tags = (*plain, ()) if who is None else write_as_persona(plain, *who, prepared.toolbox)
    conversation = mark_training(conversation, recipe.train)
    if recipe.thoughts:
        conversation = think(conversation, proof, prepared.toolbox, recipe.thoughts, draw, {})
    tags = (*tags, *[f"script:{script.name}" for script in chosen.scripts])
    row_events = RowEvents(name=chosen.scenario, today=draw.today, state=state, salt=salt, pair=chosen.pair)
    return row_events, WordedRow(fit_length(conversation, recipe), proof, tags, plain)


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
    return msgspec.structs.replace(performed, messages=messages, proof=_with_shorter_system(performed.proof, cut))


def _with_shorter_system(proof: Proof, cut: int) -> Proof:
    """Return claims about a row whose system message is shorter before what a script says in it."""
    replace = msgspec.structs.replace
    first, *others = proof.scripts
    spans = [
        replace(span, start=span.start - cut, end=span.end - cut) if not span.message else span for span in first.spans
    ]
    arguments = [
        replace(claim, start=claim.start - cut, end=claim.end - cut)
        if not claim.message and claim.start is not None and claim.end is not None
        else claim
        for claim in proof.arguments
    ]
    return replace(proof, arguments=tuple(arguments), scripts=(replace(first, spans=tuple(spans)), *others))


def _offered(prepared: PreparedRecipe, chosen: ChosenScripts, draw: Draw) -> tuple[Tool, ...]:
    """Return the tools on offer: the called ones and others, as the scripts say or else the recipe."""
    if chosen.pair is not None:  # both rows of a pair offer the same tools in the same order
        draw = Draw(stream_seed(prepared.seed, "offer of a pair of scripts", chosen.pair.first), draw.today)
    turns = [turn for script in chosen.scripts for turn in script.turns]
    called = [*chosen.offering] or list(dict.fromkeys([call.tool for turn in turns for call in turn.calls]))
    first = chosen.scripts[0]
    if first.declines and not (first.only or chosen.offering):  # of what else its tools can do
        tools_of_domains = [name for name in prepared.names if prepared.toolbox[name].domain in first.domains]
        called = list(dict.fromkeys([*called, *tools_of_domains]))
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
