"""Messages of the user about one value: a reply, a correction, the same request with another value."""

from generator.core.connectives import CONNECTIVES, Frame
from generator.core.seeds import Draw
from generator.dialogue.values.choose import FAMILIES
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.clauses import WordedWish, add_one, in_a_clause, value_alone
from generator.dialogue.wording.pieces import Phrase, Pieces, capital, capitalise, is_closed


def word_same_again(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Pieces:
    """Return the request before with another value, the only one that is said again: "And in Rome?", "What about Rome?"."""
    phrase = add_one(wanted, slot, draw, voice)
    phrases, wording = wanted.book.spec.phrases, wanted.book.slots[slot]
    has_frame = slot in phrases.slots or not phrases.request
    leads = phrase is not None and has_frame and _first_word(phrase) in CONNECTIVES.leading
    is_name = wording.schema.get("type") == "string" and not wording.forms
    if is_name and (not leads or (slot in phrases.vary and draw.chance(0.5))):
        before, after = draw.choice(CONNECTIVES.same_again_alone)
        return [before, value_alone(wanted, slot, draw, voice), after]
    assert phrase is not None, f"{wanted.book.spec.name} has no frame that says {slot} alone"
    before, after = draw.choice(CONNECTIVES.same_again)
    return [before, phrase, after]


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


def word_tried(
    wanted: WordedWish, slot: str, draw: Draw, voice: Voice, forms: dict[str, list[str]]
) -> tuple[str, Phrase, str]:
    """Return a value with what stands around it in one of the forms: `alone`, or `framed` as numbers need it for their unit."""
    phrase, kind = value_alone(wanted, slot, draw, voice), "alone"
    more = _framed(wanted, slot, draw, voice) if phrase[1][0][2] in _MEASURED or draw.chance(0.4) else None
    if more is not None and _first_word(more) in CONNECTIVES.leading | {"within", "with"}:
        phrase, kind = more, "framed"
    before, _, after = draw.choice(forms[kind]).partition("…")
    return before, phrase, after


_MEASURED = {"number", "words"}
"""Verbalizers of values that need their unit beside them."""


def word_settled(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Pieces:
    """Return another value in place of one that was not accepted: "24 then."."""
    alone = value_alone(wanted, slot, draw, voice)
    frames = [frame for frame in CONNECTIVES.settling if frame[0] or not _stays_small(alone)]
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
