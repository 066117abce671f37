"""Clauses as sentences."""

from collections.abc import Sequence

from generator.core.connectives import CONNECTIVES, Frame, Join
from generator.core.seeds import Draw
from generator.dialogue.wording.clauses import Clause
from generator.dialogue.wording.pieces import Phrase, Piece, Pieces, is_closed, opening

_SHORT = 4
"""The longest body, in pieces, after which "for me" still reads well."""


def sentence(clause: Clause, draw: Draw) -> Pieces:
    """Return a clause as one sentence (and its additions as further ones), with a small letter at the beginning."""
    pieces, kind = clause.body, clause.kind
    if kind == "question":
        pieces.append(CONNECTIVES.frames[kind][0][1])
    else:
        ways = (
            _ways_to_ask(clause) if kind != "want" else CONNECTIVES.needing if clause.looks_up else CONNECTIVES.wanting
        )
        before, after = ways[int(draw.rand() * len(ways))]
        if before == "go ahead and " and opening(pieces[0]).startswith("go "):
            before = "please "
        if not (after in CONNECTIVES.stopping and is_closed(pieces)):
            pieces.append(after)
        if before:
            pieces.insert(0, before)
    return pieces + further_sentences(clause) if clause.sentences else pieces


def _ways_to_ask(clause: Clause) -> tuple[Frame, ...]:
    if not clause.first_person:
        return CONNECTIVES.asking
    return CONNECTIVES.ways_to_ask[clause.looks_up][sum(map(_length, clause.body)) <= _SHORT]


def _length(piece: Piece) -> int:
    """Return the number of values in a piece and of texts between them."""
    if isinstance(piece, str):
        return 1
    _, spans, uses = piece
    said = sum([form.length for _, form, _ in uses]) + len(uses) - 1
    return said + 2 * (
        len(spans) - sum([form.slots for _, form, _ in uses])
    )  # what lists have beside their first value


def joined(bodies: Sequence[Pieces], join: Join, draw: Draw) -> Pieces:
    """Return the bodies of clauses joined to that of one sentence."""
    pieces = [*bodies[0]]
    for texts, body in zip(join.between(len(bodies)), bodies[1:], strict=True):
        pieces += (draw.choice(texts) if len(texts) > 1 else texts[0], *body)
    return pieces


def further_sentences(clause: Clause) -> Pieces:
    """Return the additions of a clause that are sentences of their own, each after a space."""
    pieces: Pieces = []
    for addition in clause.sentences:
        pieces += [" ", _unquoted_stop(addition)]
        if not is_closed(pieces):
            pieces.append(".")
    return pieces


def _unquoted_stop(phrase: Phrase) -> Phrase:
    """Return the phrase without the full stop after a quotation that has one."""
    text, spans, uses = phrase
    is_extra = text[-1:] == "." and bool(spans) and spans[-1][1] == len(text) - 1 and is_closed([text[:-1]])
    return (text[:-1], spans, uses) if is_extra else phrase
