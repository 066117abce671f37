"""Overlays of rows: changes to a share of the rows of any scenario (other names, other words, other system messages).

All but system messages (`run/stages/offer.py` draws those) are drawn from random streams of their own, so that an overlay changes
nothing in the rows that it is not applied to.
"""

from datetime import date

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import Conversation, Renamed, Violation
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Toolbox
from generator.dialogue.acts.check import check_row
from generator.dialogue.proof.scrambled import scramble_faults
from generator.recipe import Overlays
from generator.run.overlays.beside import say_beside
from generator.run.overlays.personas import personas
from generator.run.overlays.register import write_as
from generator.run.overlays.scramble import scramble

__all__ = [
    "OverlaidRow",
    "Worded",
    "drawn_persona",
    "overlay_draw",
    "scramble_names",
    "write_as_persona",
    "write_beside_calls",
]

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
    return (say_beside(worded[0], toolbox, draw), worded[1]) if draw.chance(overlays.beside) else worded


def drawn_persona(overlays: Overlays, seed: int, index: int) -> tuple[str, Draw] | None:
    """Return the name of a row's persona and the stream from which its words are drawn; None for a user of no particular kind."""
    if not overlays.personas:
        return None
    draw = overlay_draw(seed, "persona", index)
    place = draw.rand()
    for name, share in overlays.personas:
        place -= share
        if place < 0:
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
