"""From a story to the finished conversation and the claims about where its values come from."""

import msgspec

from generator.conversation import (
    AnswerClaim,
    AssistantMessage,
    Claim,
    Conversation,
    Message,
    Proof,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from generator.planning import Bound, FilledCall, Story
from generator.pointers import expand
from generator.seeds import Draw
from generator.toolbox import Toolbox
from generator.wording.answers import word_answer
from generator.wording.phrasebook import Books
from generator.wording.pieces import Pieces
from generator.wording.requests import word_request
from generator.wording.voice import assistant_voice, draw_voice


def compile_books(toolbox: Toolbox) -> Books:
    """The phrases of all tools; raises SpecError for one that cannot be said."""
    return Books(toolbox)


def word(story: Story, books: Books, draw: Draw) -> tuple[Conversation, Proof]:
    """Word a whole row."""
    voice = draw_voice(draw, story.today, story.knows_today)
    answering = assistant_voice(voice)
    messages: list[Message] = []
    claims: list[Claim] = []
    answers: list[AnswerClaim] = []
    if story.system is not None:
        messages.append(SystemMessage(story.system))
    for steps in story.turns:
        before = len(claims)
        text, references = _as_said(word_request(books, steps, draw, voice), len(messages), claims)
        messages.append(UserMessage(text))
        told_at: dict[str, int] = {}
        is_bound = False
        for step in steps:
            messages.append(AssistantMessage(None, tuple([made.call for made in step.calls])))
            for made in step.calls:
                call = made.call
                told_at[call.id] = len(messages)
                messages.append(ToolMessage(call.id, made.content, call.name))
                if made.bound or books[call.name].constants:
                    is_bound = True
                    claims += _other_claims(made, books, told_at, references)
        if is_bound:
            _mean_the_same(claims, before, text)
        messages.append(AssistantMessage(_as_told(word_answer(books, steps, draw, answering), len(messages), answers)))
    return Conversation(tuple(messages), story.offered), Proof(tuple(claims), tuple(answers))


References = dict[tuple[str, str], tuple[int, int]]
"""(call id, pointer) → where the user says which element is meant."""


def _as_said(pieces: Pieces, message: int, claims: list[Claim]) -> tuple[str, References]:
    """The text of a user's message, and where it only says which element is meant; adds the claims of its values."""
    texts: list[str] = []
    references: References = {}
    at = 0
    for piece in pieces:
        if type(piece) is str:
            texts.append(piece)
            at += len(piece)
            continue
        text, spans, _ = piece
        for start, end, verbalizer, pointer, calls in spans:
            for call_id in calls:
                if verbalizer == "reference":
                    references[call_id, pointer] = (at + start, at + end)
                else:
                    claims.append(Claim(call_id, pointer, "user", message, at + start, at + end, verbalizer))
        texts.append(text)
        at += len(text)
    return "".join(texts), references


def _as_told(pieces: Pieces, message: int, claims: list[AnswerClaim]) -> str:
    """The text of an answer; adds the claims of what it states."""
    texts: list[str] = []
    at = 0
    for piece in pieces:
        if type(piece) is str:
            texts.append(piece)
            at += len(piece)
            continue
        text, spans, _ = piece
        for start, end, verbalizer, pointer, (call_id, of) in spans:
            claims.append(AnswerClaim(message, at + start, at + end, verbalizer, call_id, of, pointer))
        texts.append(text)
        at += len(text)
    return "".join(texts)


def _other_claims(
    call: FilledCall, books: Books, told_at: dict[str, int], references: References
) -> list[Claim]:
    """Values the user does not say: those from results and those the schema fixes."""
    claims = [
        Claim(
            call_id=call.call.id,
            pointer="/" + bound.argument,
            source="result",
            message=told_at[bound.call_id],
            start=_reference_to(call, bound, references)[0],
            end=_reference_to(call, bound, references)[1],
            result_pointer=bound.pointer,
            pick=bound.pick.by if bound.pick else None,
        )
        for bound in call.bound
    ]
    book = books[call.spec.name]
    if book.constants:
        bound = {bound.argument for bound in call.bound}
        given = [slot for slot in book.slots if slot in book.constants and slot not in bound and "*" not in slot]
        given = [slot for slot in given if expand(call.call.arguments, slot)]
        claims += [Claim(call_id=call.call.id, pointer="/" + slot, source="default") for slot in given]
    return claims


def _mean_the_same(claims: list[Claim], first: int, request: str) -> None:
    """In the claims from the `first` on, let "it" stand for what was spoken of before, for the reason that was given there."""
    reasons: dict[tuple[int | None, str | None], str | None] = {}
    for index, claim in enumerate(claims[first:], start=first):
        if claim.source == "result" and claim.start is not None:
            place = claim.message, claim.result_pointer
            if request[claim.start : claim.end].casefold() == "it" and reasons.get(place, claim.pick) != claim.pick:
                claims[index] = msgspec.structs.replace(claim, pick=reasons[place])
            reasons.setdefault(place, claim.pick)


def _reference_to(call: FilledCall, bound: Bound, references: References) -> tuple[int | None, int | None]:
    """Where the user says which element this argument comes from; arguments of one element share the words."""
    own = references.get((call.call.id, "/" + bound.argument))
    if own is not None or bound.pick is None:
        return own or (None, None)
    for other in call.bound:
        found = references.get((call.call.id, "/" + other.argument))
        if found is not None and other.call_id == bound.call_id and other.pick == bound.pick:
            return found
    return None, None
