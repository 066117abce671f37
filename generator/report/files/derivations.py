"""Why the words of a message stand there: which form of a tool says them, of which calls, or which act; the rest joins these."""

from collections.abc import Iterator

import msgspec

from generator.core.claims import TellClaim, UseClaim
from generator.core.conversation import Conversation
from generator.formats.run_folder.proof_line import ProofLine

JOINING = "joins"
"""Why the words between forms and acts stand there."""


class ShownWords(msgspec.Struct, frozen=True):
    """Some words of a message, and why they stand there."""

    text: str
    why: str
    """The key of a form (`request: book {table}`), the name of an act (`act: failed`), or `JOINING`."""
    calls: tuple[str, ...] = ()
    """The calls of which they are said, as `2 find_orders`."""


Piece = tuple[int, int, str, tuple[str, ...]]
"""Start, end, why, and ids of calls."""


def derived_words(conversation: Conversation, proof: ProofLine) -> dict[int, list[ShownWords]]:
    """Return the words of each message that the proof says anything about, by the message's index."""
    names = {call.id: call.name for message in conversation.messages for call in getattr(message, "tool_calls", ())}
    made = list(names.values())
    numbers = {call: f"{at + 1} {made[at]}" for at, call in enumerate(proof.calls) if at < len(made)}
    found = {}
    for index, message in enumerate(conversation.messages):
        content = message.content or ""
        pieces = [(start, end, why, calls) for start, end, why, calls in _pieces(index, content, proof) if start < end]
        if pieces:
            found[index] = [
                ShownWords(
                    content[start:end], why, tuple([numbers.get(call, "a call that is not made") for call in calls])
                )
                for start, end, why, calls in pieces
            ]
    return found


def _pieces(index: int, content: str, proof: ProofLine) -> Iterator[Piece]:
    """Yield the pieces of a message in order; nothing where the proof says nothing of it."""
    uses = [use for use in proof.uses if use.message == index and use.start < len(content)]
    acts = sorted(
        [(tell.start, tell.end, tell) for tell in proof.tells if tell.message == index], key=lambda one: one[:2]
    )
    if not uses and not acts:
        return
    values, at = _ends_of_values(index, proof), 0
    starts = [*[use.start for use in uses], len(content)]
    for use, limit in zip(uses, starts[1:], strict=True):
        end = _end_of(use, limit, content, values)
        yield from _between(at, use.start, acts)
        yield use.start, end, use.key, use.calls
        at = end
    yield from _between(at, len(content), acts)


def _between(at: int, end: int, acts: list[tuple[int, int, TellClaim]]) -> Iterator[Piece]:
    """Yield the pieces of a text in which no form stands: those of acts, and what joins them and forms."""
    for start, stop, tell in acts:
        if start < end and at < stop:
            yield at, max(at, start), JOINING, ()
            yield max(at, start), min(end, stop), f"act: {tell.how}", (tell.call_id,)
            at = min(end, stop)
    yield at, end, JOINING, ()


def _ends_of_values(index: int, proof: ProofLine) -> list[tuple[int, int]]:
    """Return where values, and words that refer to them, begin and end in a message."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    said = [*proof.arguments, *[claim for wish in proof.wishes for claim in wish.said]]
    found = [
        (claim.start, claim.end)
        for claim in said
        if index == (asked_at.get(claim.call_id) if claim.source == "result" else claim.message)
    ]
    found += [(answer.start, answer.end) for answer in proof.answers if answer.message == index]
    return [(start, end) for start, end in found if start is not None and end is not None]


def _end_of(use: UseClaim, limit: int, content: str, values: list[tuple[int, int]]) -> int:
    """Return where a form ends: behind the last of its values, and what its text has behind the last slot."""
    text = use.key.partition(": ")[2]
    ends = [end for start, end in values if use.start <= start < limit]
    if not ends and "{" not in text:
        return min(limit, use.start + len(text))
    end = max(ends, default=use.start)
    tail = text.rpartition("}")[2] if "{" in text else ""
    at = content.find(tail, end, limit)
    return end if at < 0 else at + len(tail)
