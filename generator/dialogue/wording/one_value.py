"""Messages of the user about one value: a reply, a correction, the same request with another value."""

from generator.core.connectives import CONNECTIVES, Frame
from generator.core.seeds import Draw
from generator.dialogue.values.choose import FAMILIES
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.clauses import WordedWish, add_one, in_a_clause, value_alone
from generator.dialogue.wording.pieces import Phrase, Pieces, capital, capitalise, is_closed


def word_reply(wanted: WordedWish, slot: str, draw: Draw, voice: Voice, identifying: tuple[Frame, ...] = ()) -> Pieces:
    """Return the answer to a question for one value: the value alone, or in a frame of its slot.

    `identifying` are the frames for a value that was not forgotten in the request: nobody is sorry for that.
    """
    alone, clause = value_alone(wanted, slot, draw, voice), in_a_clause(wanted, slot, draw, voice)
    framed = add_one(wanted, slot, draw, voice) if draw.chance(0.3) or _stays_small(alone) else None
    if clause is not None and not identifying:
        phrase, frames = clause, CONNECTIVES.replying_in_a_frame[:1]
    elif framed is not None and _first_word(framed) in CONNECTIVES.answering:
        phrase, frames = framed, CONNECTIVES.replying_in_a_frame
    else:
        phrase, frames = (
            alone,
            CONNECTIVES.replying + CONNECTIVES.choosing if alone[1][0][2] in _CHOSEN else CONNECTIVES.replying,
        )
        if _stays_small(alone):
            frames = tuple([frame for frame in frames if frame[0]])
    if identifying:
        phrase, frames = alone, identifying
    before, after = draw.choice(frames)
    pieces: Pieces = [phrase]
    if not (after in CONNECTIVES.stopping and is_closed(pieces)):
        pieces.append(after)
    if before:
        pieces.insert(0, before)
    else:
        capitalise(pieces)
    return pieces


def word_change(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Pieces:
    """Return another value for one that was said before, as it follows "Yes, but": "for two people.", "make it 7 pm."."""
    alone = value_alone(wanted, slot, draw, voice)
    framed = _framed(wanted, slot, draw, voice)
    if framed is not None and (draw.chance(0.6) or alone[1][0][2] not in _CHOSEN):
        before, phrase, after = "", framed, "."
    else:
        (before, after), phrase = CONNECTIVES.changing[0], alone
    pieces: Pieces = [before, phrase] if before else [phrase]
    return pieces if is_closed(pieces) else [*pieces, after]


def _framed(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return the value in a frame of its slot; None where the tool's phrases have none."""
    frames = wanted.book.frames.get(slot)
    return add_one(wanted, slot, draw, voice) if frames is not None and frames.lines else None


_CHOSEN = {"date", "number", "words", "minutes", *FAMILIES["time"], *FAMILIES["datetime"]}
"""Verbalizers of values for which "… then." reads well."""


def _first_word(phrase: Phrase) -> str:
    return phrase[0].partition(" ")[0].lower()


def _stays_small(phrase: Phrase) -> bool:
    """Whether a message cannot begin with it, because it starts with a value that must stay in small letters."""
    return capital(phrase)[0][:1].islower()
