"""Messages of the user about one value: a reply, a correction, the same request with another value."""

from generator.connectives import (
    ANSWERING,
    CHANGING,
    CHOOSING,
    CORRECTING,
    LEADING,
    REPLYING,
    REPLYING_IN_A_FRAME,
    SAME_AGAIN,
    SAME_AGAIN_ALONE,
    SETTLING,
    STOPPING,
    Frame,
)
from generator.seeds import Draw
from generator.wording.clauses import WordedWish, add_one, value_alone
from generator.wording.pieces import Phrase, Pieces, capital, capitalise
from generator.wording.sentences import is_closed
from generator.wording.verbalizers import FAMILIES
from generator.wording.voice import Voice


def word_same_again(wanted: WordedWish, slot: str, draw: Draw, voice: Voice, *, corrects: bool = False) -> Pieces:
    """Return the request before with another value, the only one that is said again: "And in Rome?", "What about Rome?"."""
    phrase = add_one(wanted, slot, draw, voice)
    leads = phrase is not None and _first_word(phrase) in LEADING
    wording = wanted.book.slots[slot]
    is_name = wording.schema.get("type") == "string" and not wording.forms
    if is_name and (not leads or (slot in wanted.book.spec.phrases.vary and draw.chance(0.5))):
        before, after = draw.choice(CORRECTING if corrects else SAME_AGAIN_ALONE)
        return [before, value_alone(wanted, slot, draw, voice), after]
    assert phrase is not None, f"{wanted.book.spec.name} has no frame that says {slot} alone"
    before, after = draw.choice(_correcting(phrase) if corrects else SAME_AGAIN)
    return [before, phrase, after]


def _correcting(phrase: Phrase) -> tuple[Frame, ...]:
    """Return the frames in which a phrase reads well as a correction: "No wait, to Rome.", not "I meant to Rome."."""
    frames = (
        [frame for frame in CORRECTING if not frame[0].endswith("I meant ")]
        if _first_word(phrase) == "to"
        else CORRECTING
    )
    return tuple(frames)


def word_reply(wanted: WordedWish, slot: str, draw: Draw, voice: Voice, identifying: tuple[Frame, ...] = ()) -> Pieces:
    """Return the answer to a question for one value: the value alone, or in a frame of its slot.

    `identifying` are the frames for a value that was not forgotten in the request: nobody is sorry for that.
    """
    alone = value_alone(wanted, slot, draw, voice)
    framed = add_one(wanted, slot, draw, voice) if draw.chance(0.3) or _stays_small(alone) else None
    if framed is not None and _first_word(framed) in ANSWERING:
        phrase, frames = framed, REPLYING_IN_A_FRAME
    else:
        phrase, frames = alone, REPLYING + CHOOSING if alone[1][0][2] in _CHOSEN else REPLYING
        if _stays_small(alone):
            frames = tuple([frame for frame in frames if frame[0]])
    if identifying:
        phrase, frames = alone, identifying
    before, after = draw.choice(frames)
    pieces: Pieces = [phrase]
    if not (after in STOPPING and is_closed(pieces)):
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
        (before, after), phrase = CHANGING[0], alone
    pieces: Pieces = [before, phrase] if before else [phrase]
    return pieces if is_closed(pieces) else [*pieces, after]


def _framed(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return the value in a frame of its slot; None where the tool's phrases have none."""
    frames = wanted.book.frames.get(slot)
    return add_one(wanted, slot, draw, voice) if frames is not None and frames.lines else None


def word_corrected(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Pieces:
    """Return another value for one that was said before, as a sentence: "Sorry, I meant for two people."."""
    framed = _framed(wanted, slot, draw, voice)
    leads = framed is not None and _first_word(framed) in LEADING | {"with"}
    phrase = framed if framed is not None and leads else value_alone(wanted, slot, draw, voice)
    before, after = draw.choice(tuple([frame for frame in _correcting(phrase) if ". " not in frame[0]]))
    return [before, phrase] if after == "." and is_closed([phrase]) else [before, phrase, after]


def word_tried(
    wanted: WordedWish, slot: str, draw: Draw, voice: Voice, forms: dict[str, list[str]]
) -> tuple[str, Phrase, str]:
    """Return a value with what stands around it in one of the forms: `alone`, or `framed` as numbers need it for their unit."""
    phrase, kind = value_alone(wanted, slot, draw, voice), "alone"
    more = _framed(wanted, slot, draw, voice) if phrase[1][0][2] in _MEASURED or draw.chance(0.4) else None
    if more is not None and _first_word(more) in LEADING | {"within", "with"}:
        phrase, kind = more, "framed"
    before, _, after = draw.choice(forms[kind]).partition("…")
    return before, phrase, after


_MEASURED = {"number", "words"}
"""Verbalizers of values that need their unit beside them."""


def word_settled(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Pieces:
    """Return another value in place of one that was not accepted: "24 then."."""
    alone = value_alone(wanted, slot, draw, voice)
    frames = [frame for frame in SETTLING if frame[0] or not _stays_small(alone)]
    before, after = draw.choice(tuple(frames))
    pieces: Pieces = [before, alone, after] if before else [alone, after]
    if not before or before.endswith(". "):
        pieces[pieces.index(alone)] = capital(alone)
    return pieces


_CHOSEN = {"date", "number", "words", "minutes", *FAMILIES["time"], *FAMILIES["datetime"]}
"""Verbalizers of values for which "… then." reads well."""


def _first_word(phrase: Phrase) -> str:
    return phrase[0].partition(" ")[0].lower()


def _stays_small(phrase: Phrase) -> bool:
    """Whether a message cannot begin with it, because it starts with a value that must stay in small letters."""
    return capital(phrase)[0][:1].islower()
