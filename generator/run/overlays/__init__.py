"""Overlays of rows: changes to a share of the rows of any scenario (other names, other words, other system messages).

All but system messages (`run/stages/offer.py` draws those) are drawn from random streams of their own, so that an overlay changes
nothing in the rows that it is not applied to.
"""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, Renamed, UserMessage, Violation
from generator.core.planning import Note
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Toolbox
from generator.core.yaml_values import own_data
from generator.dialogue.acts.check import check_row
from generator.dialogue.no_call.talk import begins_alike, texts_beside_calls
from generator.dialogue.proof.scrambled import scramble_faults
from generator.dialogue.styles import style_lines
from generator.recipe.settings import Overlays
from generator.run.overlays.personas import personas, write_as
from generator.run.overlays.scramble import scramble

PARTS: dict[str, Any] = own_data(__file__, "system.yaml")


def draw_system(draw: Draw, today: date, *, styled: bool = True) -> Note:
    """Return one system message for that day; with `styled` it may have a line about the looks of answers."""
    while True:
        order = draw.choice(PARTS["order"])
        line = draw.choice(style_lines()) if styled and draw.chance(PARTS["style"]) else None
        chosen = [(part, draw.choice(PARTS[part])) for part in order if part != "style"]
        if line is not None:
            chosen.insert(order.index("style"), ("style", line.say))
        sentences = [on_that_day(text, today).text for _, text in chosen if text]
        between = draw.choice(PARTS["between"])
        if not all(part.endswith(".") for part in sentences[:-1]):
            between = "\n"
        if sentences:
            states = any("{today}" in text for _, text in chosen)
            return Note(text=between.join(sentences), states_today=states, style=line.say if line else "")


@lru_cache(maxsize=4096)
def on_that_day(template: str, today: date) -> Note:
    """Return a system message with the day filled in."""
    text = template.replace("{today}", today.isoformat()).replace("{weekday}", PARTS["weekdays"][today.weekday()])
    in_words = PARTS["day"].format(day=today.day, month=PARTS["months"][today.month - 1], year=today.year)
    text = text.replace("{date}", in_words)
    return Note(
        text=text,
        states_today="{today}" in template,
        style=next((line.say for line in style_lines() if line.say in text), ""),
    )


Worded = tuple[Conversation, Proof]
"""A row in words."""


def overlay_draw(seed: int, overlay: str, index: int) -> Draw:
    """Return a row's stream for one overlay."""
    return Draw(stream_seed(seed, "overlay", overlay, index), date.min)


def write_beside_calls(worded: Worded, overlays: Overlays, toolbox: Toolbox, seed: int, index: int) -> Worded:
    """Return the row, with text beside its calls if this is one of the rows that have some."""
    if not overlays.beside:
        return worded
    draw = overlay_draw(seed, "beside", index)
    return (_with_text_beside_calls(worded[0], toolbox, draw), worded[1]) if draw.chance(overlays.beside) else worded


def drawn_persona(overlays: Overlays, seed: int, index: int) -> tuple[str, Draw] | None:
    """Return the name of a row's persona and the stream from which its words are drawn; None for a user of no particular kind."""
    if not overlays.personas:
        return None
    draw = overlay_draw(seed, "persona", index)
    share_left = draw.rand()
    for name, share in overlays.personas:
        share_left -= share
        if share_left < 0:
            return name, draw
    return None


def write_as_persona(
    worded: Worded, name: str, draw: Draw, toolbox: Toolbox
) -> tuple[Conversation, Proof, tuple[str, ...]]:
    """Return the row in the registers of a persona, and a tag for it; as it is where its values could not be read then.

    What it gives has been checked as text that is not made of the tools' phrases.
    """
    written = worded
    for register in personas()[name].registers:
        written = write_as(*written, register, draw)
    if written is not worded and check_row(*written, toolbox, phrases=False):
        return *worded, ()
    return *written, (f"persona:{name}",)


class OverlaidRow(msgspec.Struct, frozen=True):
    """A row as it is written."""

    conversation: Conversation
    proof: Proof
    tags: tuple[str, ...] = ()
    renamed: dict[str, Renamed] = {}
    faults: tuple[Violation, ...] = ()


def scramble_names(worded: Worded, overlays: Overlays, seed: int, index: int) -> OverlaidRow:
    """Return the row with other names of tools, parameters and values if this is one of those; with the usual ones otherwise."""
    if overlays.scramble:
        draw = overlay_draw(seed, "scramble", index)
        scrambled = scramble(*worded, draw) if draw.chance(overlays.scramble) else None
        if scrambled is not None:
            conversation, proof, renamed = scrambled
            faults = scramble_faults(worded[0], conversation, proof, renamed)
            return OverlaidRow(conversation, proof, ("scrambled",), renamed, tuple(faults))
    return OverlaidRow(*worded)


_TWICE = 0.3
"""How often there are two such texts where there may be."""


def _with_text_beside_calls(conversation: Conversation, toolbox: Toolbox, draw: Draw) -> Conversation:
    """Return the conversation with text beside the first calls of one turn or two, if there is a turn whose answer does not begin alike."""
    messages = list(conversation.messages)
    candidate_indexes = [at for at in range(1, len(messages)) if _may_have_text(messages, at)]
    texts: tuple[str, ...] = ()
    for at in draw.shuffled(candidate_indexes)[: 2 if draw.chance(_TWICE) else 1]:
        step = messages[at]
        assert type(step) is AssistantMessage
        fitting_texts = texts_beside_calls([toolbox[call.name] for call in step.tool_calls])
        text_beside = draw.choice([text for text in fitting_texts if text not in texts])
        messages[at], texts = replace(step, content=text_beside), (*texts, text_beside)
    return replace(conversation, messages=tuple(messages))


def _may_have_text(messages: Sequence[Message], at: int) -> bool:
    """Whether a message makes the first calls after the user has spoken, and says nothing yet; nor does the answer begin so."""
    step = messages[at]
    if (
        type(step) is not AssistantMessage
        or not step.tool_calls
        or step.content
        or type(messages[at - 1]) is not UserMessage
    ):
        return False
    later = (
        message.content or ""
        for message in messages[at:]
        if type(message) is AssistantMessage and not message.tool_calls
    )
    return not begins_alike(next(later, ""))
