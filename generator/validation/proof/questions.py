"""Questions for a value: it is missing, the question is one of the tool's, and the user answers it."""

from collections.abc import Sequence
from typing import Any

from generator.choosing import questions_which
from generator.connectives import ASKING_LEADS, COMING_BACK, questions_about
from generator.conversation import AskClaim, Proof
from generator.pointers import schema_at, split
from generator.validation.phrase_grammar.phrases import name_in_words
from generator.validation.phrase_grammar.tongues import ANSWERS
from generator.validation.proof.ledger import ClaimedCall, Finding, Ledger


def questions_by_message(ledger: Ledger, proof: Proof, *, prefix: bool) -> dict[int, list[AskClaim]]:
    """Check the questions; return the claims about them by message."""
    asks: dict[int, list[AskClaim]] = {}
    for ask in proof.asks:
        asks.setdefault(ask.message, []).append(ask)
        _check_ask(ask, proof.asks, ledger, prefix=prefix)
    return asks


def _check_ask(ask: AskClaim, asks: Sequence[AskClaim], ledger: Ledger, *, prefix: bool) -> None:
    """Check that the assistant asks for a value that is missing, and that the user answers."""
    index, made = ask.message, ledger.calls.get(ask.call_id)
    fault: tuple[str, tuple[Any, ...]] | None = None
    if ledger.tongues.get(index) is not ANSWERS:
        fault = "the assistant asks nothing there", ()
    elif made is None:
        fault = "there is no call {}", (ask.call_id,)
    else:
        made.asked_for[ask.pointer] = index
        said = {where for (where, _), pointer in made.said.items() if pointer == ask.pointer}
        replies = {position for position, at in ledger.replies.items() if at == index}
        asked_again = any(other.message > index and _asks_the_same(other, ask) for other in asks)
        if any(where < index for where in said):
            fault = "{} has been said before it is asked for", (ask.pointer,)
        elif not (replies or prefix or asked_again):
            fault = "nobody replies to the question", ()
        elif replies and not said & replies:
            fault = "the reply does not give {}", (ask.pointer,)
    if fault is not None:
        ledger.found.append(Finding("PF115", ("message", index, ask.start, ask.end), *fault))


def _asks_the_same(one: AskClaim, other: AskClaim) -> bool:
    return one.call_id == other.call_id and one.pointer == other.pointer


def check_question(asks: list[AskClaim], content: str, ledger: Ledger, *, phrases: bool) -> str:
    """Check that a message ends with the claimed question; return its text without the question."""
    ask = asks[0]
    at = ("message", ask.message, ask.start, ask.end)
    made, question = ledger.calls.get(ask.call_id), content[max(ask.start, 0) : ask.end]
    before, after = content[: max(ask.start, 0)], content[max(ask.end, 0) :]
    if not 0 <= ask.start < ask.end <= len(content) or any((other.start, other.end) != at[2:] for other in asks):
        ledger.found.append(Finding("PF115", at, "there is no such question"))
        return content
    if not phrases:
        return before + " " * len(question) + after
    if after or (made is not None and question not in _questions(made, ask.pointer)):
        ledger.found.append(Finding("PF115", at, "{!r} is no question for {}", (question + after, ask.pointer)))
    leads = [lead for lead in (*ASKING_LEADS, *COMING_BACK) if before.endswith(lead)]
    return before.removesuffix(max(leads, key=len)).rstrip(" ")


def _questions(made: ClaimedCall, pointer: str) -> tuple[str, ...]:
    """Return the questions for a slot: those of the tool's phrases, or those made of its name."""
    if pointer in made.chosen:
        return questions_which(made.chosen[pointer])
    slot = pointer.removeprefix("/")
    own = made.spec.phrases.ask.get(slot, ())
    steps = split(pointer) or ("",)
    schema = schema_at(made.spec.tool.parameters, slot) or {}
    return own or questions_about(name_in_words(steps[-1]), is_number=schema.get("type") == "integer")
