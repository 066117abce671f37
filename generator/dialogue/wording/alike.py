"""One sentence for several calls of a tool whose results differ in one value: "I've moved a.pdf, b.pdf and c.pdf to the trash."."""

import re
from collections.abc import Sequence

from generator.dialogue.wording.pieces import Phrase, Span, Spans

_BEGINNING = re.compile(r"(?:Done[ ,:—–]+)?I\b")
_OF_ONE = re.compile(r"\b(?:it|its|it's|is|has|was|this|that|one|invitation|link)\b|[,.;:] | and ")
"""Words that fit one thing only, and what makes a sentence of several parts."""


def in_one(answers: Sequence[Phrase]) -> Phrase | None:
    """Return one sentence that says what several say of a call each; None where that would not read well.

    The sentences must begin with "I", so that their verb fits one thing and several, and differ in one value.
    """
    first = answers[0]
    at = _what_differs(answers)
    if at is None:
        return None
    start, end, *_ = first[1][at]
    outside = f"{first[0][:start]}\0{first[0][end:]}"
    begun = _BEGINNING.match(outside)
    if begun is None or _OF_ONE.search(outside, begun.end()) or _is_of_its_kind(first, at):
        return None
    text, done = "", 0
    spans: Spans = []
    for number, (begin, close, *_) in enumerate(first[1]):
        text += first[0][done:begin]
        done = close
        for place, (own, others, _) in enumerate(answers):
            begin, close = others[number][:2]
            if number == at and place:
                text += " and " if place == len(answers) - 1 else ", "
            if number == at or not place:
                text += own[begin:close]
            spans.append(_moved(others[number], len(text)))
    return text + first[0][done:], spans, [(0, first[2][0][1], tuple([owner for _, _, ((_, _, (owner,)),) in answers]))]


def _is_of_its_kind(answer: Phrase, number: int) -> bool:
    """Whether the noun of one thing stands before a value: "job JOB-12", "the playlist "Calm Hours""."""
    text, spans, _ = answer
    start, _, _, pointer, _ = spans[number]
    before = text[:start].split()
    return bool(before) and (before[-1] in _WORD.findall(pointer) or before[-2:-1] == ["the"])


_WORD = re.compile("[a-z]+")


def _moved(span: Span, end: int) -> Span:
    start, stop, verbalizer, pointer, owner = span
    return end - (stop - start), end, verbalizer, pointer, owner


def _what_differs(answers: Sequence[Phrase]) -> int | None:
    """Return the number of the only span whose words differ; None where there is none, or where something else differs."""
    frames = {_outside(answer) for answer in answers}
    if len(frames) != 1:
        return None
    words = [[text[start:end] for start, end, *_ in spans] for text, spans, _ in answers]
    differing = [number for number, said in enumerate(zip(*words, strict=True)) if len(set(said)) > 1]
    return differing[0] if len(differing) == 1 and len({said[differing[0]] for said in words}) == len(words) else None


def _outside(answer: Phrase) -> tuple[str | tuple[str, str, str], ...]:
    """Return the texts between the values of a sentence, and what the values are."""
    text, spans, _ = answer
    parts: list[str | tuple[str, str, str]] = []
    end = 0
    for start, stop, verbalizer, pointer, (_, of) in spans:
        parts += [text[end:start], (verbalizer, pointer, of)]
        end = stop
    return (*parts, text[end:])
