"""Ask: a value is missing, the assistant asks for it in one of the tool's questions, and the user answers."""

from collections.abc import Iterator
from typing import Any

from generator.core.claims import AskClaim
from generator.core.connectives import CONNECTIVES, Frame
from generator.core.conversation import UserMessage
from generator.core.planning import Ask, Say, Tell
from generator.core.pointers import schema_at
from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.core.yaml_values import own_data
from generator.dialogue.acts import refuse
from generator.dialogue.proof.ledger import ClaimedCall, Ledger
from generator.dialogue.proof.tongues import ANSWERS
from generator.dialogue.wording.claiming import claim_unmade
from generator.dialogue.wording.transcript import Transcript
from generator.tools.productions import spoken_name

_FORMS: dict[str, Any] = own_data(__file__)


def questions_for(spec: ToolSpec, slot: str) -> tuple[str, ...]:
    """Return the questions for the value of a slot: those of the tool's phrases, or those made of its name."""
    schema = schema_at(spec.tool.parameters, slot) or {}
    own = spec.phrases.ask.get(slot, ())
    return own or questions_about(spoken_name(slot), is_number=schema.get("type") == "integer")


def questions_about(name: str, *, is_number: bool) -> tuple[str, ...]:
    """Return questions for a value by the words of its name.

    Args:
        name: The words, such as `departure date`; empty when the name cannot be spoken.
        is_number: Whether the value is a whole number.
    """
    last = name.rpartition(" ")[2]
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is", "ics")) and last not in _FORMS["no_plurals"]
    kind = "one" if not is_plural else "how_many" if is_number else "several"
    return tuple([form.format(name or "value") for form in _FORMS[kind]])


# --- saying ---


def tell(talk: Transcript, event: Ask) -> None:
    """Add a question for one value, after what is accepted if the one that was given is not."""
    if event.refuses:
        refuse.tell(talk, event)
    text, start = question(
        talk.phrases[talk.wish_at(event.wish).tool].spec,
        event.slot,
        talk.draw,
        _leads(talk, event),
        "\n".join([one.content or "" for one in talk.messages]),
    )
    begin = talk.add(text)
    served = [call_id for call_id, _ in talk.calls.get(event.wish, ())]
    if not served and event.wish in talk.unmade:  # it is answered, and then the call is ruled out or not allowed
        served = [talk.call_for(event.wish)]
    if not served and event.id == len(talk.log.events) - 1:  # nobody answers, and no call is made
        served = [claim_unmade(talk, event.wish, event.slot)]
    for call_id in served:
        place = (len(talk.messages), begin + start, begin + len(text))
        talk.asks.append(AskClaim(*place, call_id, "/" + event.slot))


def _leads(talk: Transcript, event: Ask) -> str:
    """Return what the words before a question are."""
    if event.refuses or follows_a_failure(talk, event):
        return ""
    before = talk.log.events[event.id - 1]
    return "next" if isinstance(before, Say) and before.to is not None and not before.yes else "leads"


def follows_a_failure(talk: Transcript, event: Ask) -> bool:
    """Whether it is asked because the value given before has led to nothing."""
    before = talk.log.events[event.id - 1]
    return isinstance(before, Tell) and before.how == "failed"


def identifying(talk: Transcript, event: Ask, reply: Say) -> tuple[Frame, ...]:
    """Return what stands around the answer to the question who the user is."""
    (value,) = reply.wishes[0].said.values()
    if not follows_a_failure(talk, event):
        is_said = any(str(value) in (one.content or "") for one in talk.messages if type(one) is UserMessage)
        return CONNECTIVES.identifying_again if is_said else CONNECTIVES.identifying
    tried = next(one.content or "" for one in reversed(talk.messages) if type(one) is UserMessage)
    domain = str(value).partition("@")[2]
    is_mistyped = f"@{domain}" in tried if domain else True  # a number of theirs is the only one that they have
    return CONNECTIVES.mistaken if is_mistyped else CONNECTIVES.otherwise_known


def question(spec: ToolSpec, slot: str, draw: Draw, leads: str = "leads", said: str = "") -> tuple[str, int]:
    """Return a question for the value of a slot, and the index at which it begins after one of the leads.

    What has been `said` before is not said again, where there is something else.
    """
    before = [lead for lead in _FORMS.get(leads, ("",)) if not lead or lead.strip() not in said]
    questions = questions_for(spec, slot)
    lead = draw.choice(before or ("",))
    return lead + draw.choice([one for one in questions if one not in said] or questions), len(lead)


# --- checking ---


def check(ledger: Ledger, left: dict[int, str]) -> None:
    """Check that the assistant asks for values that are missing, and that the user answers; leave the rest of these messages."""
    asks: dict[int, list[AskClaim]] = {}
    for ask in ledger.proof.asks:
        asks.setdefault(ask.message, []).append(ask)
        made, at = ledger.calls.get(ask.call_id), ("message", ask.message, ask.start, ask.end)
        if ledger.tongues.get(ask.message) is not ANSWERS:
            ledger.report("PF115", at, "the assistant asks nothing there")
        elif made is None:
            ledger.report("PF115", at, "there is no call {}", ask.call_id)
        else:
            for fault in _faults(ask, made, ledger):
                ledger.report("PF115", at, fault, ask.pointer)
    for index, own in asks.items():
        if index in ledger.parts:
            left[index] = _without_question(own, left.get(index, ledger.contents[index]), ledger)


def _faults(ask: AskClaim, made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why the assistant should not ask for a value there, or why the user does not give it."""
    said = {where for (where, _), pointer in made.said.items() if pointer == ask.pointer}
    replies = {position for position, at in ledger.replies.items() if at == ask.message}
    later = [other for other in ledger.proof.asks if other.message > ask.message]
    is_again = any((other.call_id, other.pointer) == (ask.call_id, ask.pointer) for other in later)
    is_last = ask.message == len(ledger.contents) - 1
    if made.is_unmade and is_last and not _is_needed(ask, made, ledger):
        yield "the call can be made without {}"
    if any(where < ask.message for where in said):
        yield "{} has been said before it is asked for"
    elif not (replies or ledger.prefix or is_again or (made.is_unmade and is_last)):
        yield "nobody replies to the question"
    elif replies and not said & replies:
        yield "the reply does not give {}"


def _is_needed(ask: AskClaim, made: ClaimedCall, ledger: Ledger) -> bool:
    """Whether the call that is not made lacks a required value, or one in place of that which the tool refuses."""
    slot = ask.pointer.removeprefix("/")
    is_refused = ledger.tells(ask.message, made, "refused")
    return slot not in (made.arguments or {}) and (is_refused or slot in made.spec.required)


def _without_question(asks: list[AskClaim], content: str, ledger: Ledger) -> str:
    """Check that a message ends with the claimed question; return its text without the question."""
    ask = asks[0]
    at = ("message", ask.message, ask.start, ask.end)
    call, question = ledger.calls.get(ask.call_id), content[max(ask.start, 0) : ask.end]
    before, after = content[: max(ask.start, 0)], content[max(ask.end, 0) :]
    if not 0 <= ask.start < ask.end <= len(content) or any((other.start, other.end) != at[2:] for other in asks):
        ledger.report("PF115", at, "there is no such question")
        return content
    if not ledger.phrases:
        return before + " " * len(question) + after
    if after or (call is not None and question not in questions_for(call.spec, ask.pointer.removeprefix("/"))):
        ledger.report("PF115", at, "{!r} is no question for {}", question + after, ask.pointer)
    leads = [lead for lead in (*_FORMS["leads"], *_FORMS["next"]) if before.endswith(lead)]
    return before.removesuffix(max(leads, key=len)).rstrip(" ")
