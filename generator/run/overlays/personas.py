"""Personas: kinds of users, and the registers that their messages are put in."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from generator.core.claims import AnswerClaim, Proof, RetractedClaim
from generator.core.conversation import Conversation, UserMessage
from generator.core.planning import Persona
from generator.core.seeds import Draw
from generator.core.yaml_values import own_data


@cache
def personas() -> dict[str, Persona]:
    """Return the personas of `personas.yaml` by name."""
    return msgspec.convert(own_data(__file__), dict[str, Persona])


Span = tuple[int, int]
Edit = tuple[int, int, str]
"""Start and end of a text, and what stands there instead."""
_SENTENCE = re.compile(r"(?:^|(?<=[.!?] )|(?<=\n\n))")


@cache
def _registers() -> dict[str, Any]:
    """Return the registers of `register.yaml` by name, their patterns compiled."""
    loaded: dict[str, Any] = own_data(__file__, "register.yaml")
    loaded["kept"] = set(" ".join(loaded["kept"]).split())
    for habits in [loaded[register] for register in loaded if register != "kept"]:
        for position in _PLACES.intersection(habits):
            habits[position] = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in habits[position]]
    return loaded


_PLACES = frozenset({"sentence", "instead", "end"})
"""The parts of a register that are replacements."""


def write_as(conversation: Conversation, proof: Proof, register: str, draw: Draw) -> tuple[Conversation, Proof]:
    """Return the conversation with all messages of the user in one register, and the claims at their new places."""
    spans = _spans_by_message(proof)
    messages, moves = list(conversation.messages), dict[int, Callable[[int], int]]()
    lowers = draw.chance(_registers()[register].get("lower", 0.0))
    for index, message in enumerate(messages):
        if type(message) is UserMessage:
            text = _Text(message.content, spans.get(index, []))
            _put_in_register(text, register, lowers, draw)
            messages[index] = msgspec.structs.replace(message, content=text.content)
            moves[index] = text.place_now
    return msgspec.structs.replace(conversation, messages=tuple(messages)), _moved_claims(proof, moves)


class _Text:
    """A text that is edited around the values in it."""

    def __init__(self, content: str, spans: list[Span]) -> None:
        self.content = content
        self.spans = spans
        """Where values stand in it now."""
        self._rounds: list[list[Edit]] = []
        """All edits so far."""

    def is_free(self, start: int, end: int) -> bool:
        """Whether a part touches no value."""
        return all(end <= first or start >= last for first, last in self.spans)

    def edited(self, edits: list[Edit]) -> str:
        """Return the text after some edits, which are in order."""
        text, end = "", 0
        for start, stop, new in edits:
            text += self.content[end:start] + new
            end = stop
        return text + self.content[end:]

    def edit(self, edits: list[Edit]) -> None:
        """Make some edits, which are in order."""
        self.content = self.edited(edits)
        self.spans = [(_place_after(start, edits), _place_after(stop, edits)) for start, stop in self.spans]
        self._rounds.append(edits)

    def place_now(self, index: int) -> int:
        """Return where a character of the first text, given by its index, is now."""
        for edits in self._rounds:
            index = _place_after(index, edits)
        return index


def _place_after(place: int, edits: list[Edit]) -> int:
    """Return where a place of a text is after some edits: those that end before it move it."""
    return place + sum([len(new) - (end - start) for start, end, new in edits if end <= place])


def _put_in_register(text: _Text, register: str, lowers: bool, draw: Draw) -> None:
    """Write one message in a register."""
    habits: dict[str, Any] = _registers()[register]
    for pattern, instead in habits.get("sentence", ()):
        _replace(text, pattern, instead, draw, at_sentences=True)
    for pattern, instead in (*habits.get("instead", ()), *habits.get("end", ())):
        _replace(text, pattern, instead, draw)
    if "mistakes" in habits:
        text.edit(_typing_mistakes(text, draw.between(*habits["mistakes"]), draw))
    if lowers:
        text.content = _lowered(text)
    elif register != "typos":
        text.content = _capitalised(text)


def _replace(
    text: _Text, pattern: re.Pattern[str], instead: str | list[str], draw: Draw, *, at_sentences: bool = False
) -> None:
    """Replace what matches a pattern around the values; never all of a message."""
    starts = (
        {match_at_sentence.start() for match_at_sentence in _SENTENCE.finditer(text.content)} if at_sentences else None
    )
    edits: list[Edit] = []
    for match in pattern.finditer(text.content):
        if text.is_free(match.start(), match.end()) and (starts is None or match.start() in starts):
            new = instead if isinstance(instead, str) else draw.choice(instead)
            edits.append((match.start(), match.end(), match.expand(new)))
    changed = text.edited(edits)
    if edits and re.search(r"\w", changed) is not None and changed[-1:] not in {",", ":"}:
        text.edit(edits)


def _lowered(text: _Text) -> str:
    """Return a text in small letters, except for the values."""
    content, lowered, end = text.content, "", 0
    for start, stop in [*text.spans, (len(content), len(content))]:
        around = content[end : max(start, end)]
        low = around.lower()
        lowered += (low if len(low) == len(around) else around) + content[max(start, end) : stop]
        end = max(end, stop)
    return lowered


def _capitalised(text: _Text) -> str:
    """Return a text with a capital at the beginning of each sentence that does not begin with a value."""
    content = text.content
    for start in [match.start() for match in _SENTENCE.finditer(content)]:
        first = content[start : start + 1]
        if len(first.upper()) == 1 and text.is_free(start, start + 1):
            content = content[:start] + first.upper() + content[start + 1 :]
    return content


def _typing_mistakes(text: _Text, number: int, draw: Draw) -> list[Edit]:
    """Return edits that mistype some words around the values: letters exchanged, left out or doubled."""
    kept = _registers()["kept"]
    words = [
        word
        for word in re.finditer(r"(?<![\w'’@.-])[A-Za-z]{4,}(?![\w'’@-])", text.content)
        if word[0].lower() not in kept and text.is_free(word.start(), word.end())
    ]
    chosen = sorted(draw.shuffled(words)[:number], key=lambda word: word.start())
    return [(word.start(), word.end(), _mistyped(word[0], draw)) for word in chosen]


def _mistyped(word: str, draw: Draw) -> str:
    """Return a word with two letters exchanged, or one left out or doubled: `flihgt`, `fligt`, `flliight`."""
    at = draw.between(1, len(word) - 2)
    kind = draw.below(3)
    if kind == 0 and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at + 1 :] if kind == 1 else word[:at] + word[at] + word[at:]


# -- claims --------------------------------------------------------------------------------------------------------------


def _spans_by_message(proof: Proof) -> dict[int, list[Span]]:
    """Return where values and descriptions stand in the user's messages."""
    spans_by_message: dict[int, set[Span]] = {}
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    for claim in (*proof.arguments, *[claim for decline in proof.declines for claim in decline.said]):
        for span in (claim.words_at(asked_at.get(claim.call_id)), claim.referred):
            if span is not None:
                spans_by_message.setdefault(span[0], set()).add(span[1:])
    further_claims: tuple[RetractedClaim | AnswerClaim, ...] = (*proof.retracted, *proof.answers)
    for claim_of_span in further_claims:
        spans_by_message.setdefault(claim_of_span.message, set()).add((claim_of_span.start, claim_of_span.end))
    return {message: sorted(spans) for message, spans in spans_by_message.items()}


def _moved_claims(proof: Proof, moves: dict[int, Callable[[int], int]]) -> Proof:
    """Return the claims, with their spans where they are now."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    replace = msgspec.structs.replace

    def moved(claim: Any) -> Any:
        """Return a claim with its spans where the edited messages have them."""
        chosen = getattr(claim, "referred", None)
        if chosen is not None and chosen[0] in moves:
            move = moves[chosen[0]]
            claim = replace(claim, referred=(chosen[0], move(chosen[1]), move(chosen[2])))
        message = asked_at.get(claim.call_id) if getattr(claim, "source", "") == "result" else claim.message
        if message not in moves or claim.start is None or claim.end is None:
            return claim
        move = moves[message]
        return replace(claim, start=move(claim.start), end=move(claim.end))

    return replace(
        proof,
        arguments=tuple(map(moved, proof.arguments)),
        answers=tuple([moved(claim) if claim.message in moves else claim for claim in proof.answers]),
        tells=tuple([moved(claim) if claim.message in moves else claim for claim in proof.tells]),
        retracted=tuple(map(moved, proof.retracted)),
        declines=tuple([replace(decline, said=tuple(map(moved, decline.said))) for decline in proof.declines]),
        uses=tuple([use for use in proof.uses if use.message not in moves]),  # the others are in other words now
    )
