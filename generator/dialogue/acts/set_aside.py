"""Set aside: the user speaks of something that a tool on offer could do, and that has been done already or is not to be done yet.

The assistant takes note of it and makes no call. What the user says of it is said in the words, and with the values, of a request.
"""

from collections.abc import Iterator
from typing import Any

from generator.core.planning import Say, Tell
from generator.core.yaml_values import own_data
from generator.dialogue.acts.leave import either_stop
from generator.dialogue.proof.ledger import Act, Sentence, fault_unless
from generator.dialogue.proof.tongues import ORDERS
from generator.dialogue.wording.claiming import claim_unmade
from generator.dialogue.wording.clauses import WordedWish, said_by_user
from generator.dialogue.wording.doing import do
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import closes, moved

_FORMS: dict[str, dict[str, list[str]]] = own_data(__file__)
AROUND = 0.6
"""How often it stands in a sentence that is no request, and not in a request that is taken back at once."""


# --- saying ---


def say(talk: Transcript, event: Say, text: str) -> str:
    """Return the sentence around the words of a request, or, behind a text that makes it, the one that takes it back."""
    (wish,), draw, call = event.wishes, talk.draw, talk.call_for((event.id, 0))
    forms = _FORMS[wish.set_aside]
    if text:
        return talk.say_further(text, (draw.choice(forms["after"]), [], []), call, f"{wish.set_aside}_after")
    values = said_by_user(WordedWish(talk.phrases[wish.tool], 0, wish.spoken, {}))
    before, _, after = draw.choice(forms["around"]).partition("…")
    doing, spans, uses = do(talk.phrases[wish.tool], values, (0,), tuple(values), draw, talk.voice, to_user=False)
    talk.spots[event.id, 0] = [(pointer, start, end, way) for start, end, way, pointer, _ in moved(spans, len(before))]
    after = after.removeprefix(".") if closes(doing) else after
    said_of = [(len(before) + start, form, (call,)) for start, form, _ in uses]
    return talk.say_further("", (f"{before}{doing}{after}", [], said_of), call, wish.set_aside)


def reply(talk: Transcript, event: Tell) -> None:
    """Add that the assistant takes note of it."""
    assert event.wish is not None
    kind = talk.wish_at(event.wish).set_aside
    call = claim_unmade(talk, event.wish)
    talk.tell_apart((talk.draw.choice(_FORMS[kind]["reply"]), [], []), call, f"{kind}_noted")


# --- checking ---


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why the user does not set that call aside there."""
    made = sentence.made
    if not made.is_unmade:
        yield "the call is made all the same"
    if made.asked_at != sentence.index:
        yield "it is not of that call that the user speaks there"
    if sentence.end != len(sentence.ledger.contents[sentence.index]):
        yield "more is said after it"


def _acts(kind: str, forms: dict[str, Any]) -> Iterator[Act]:
    """Yield the acts of one kind (`settled`, `waits`): what the user says around a request or behind it, and the reply."""
    around, after, replies = tuple(either_stop(forms["around"])), forms["after"], forms["reply"]
    yield Act(kind, "user", "PF136", lambda sentence: around, _faults, ORDERS)
    yield Act(f"{kind}_after", "user", "PF136", lambda sentence: after, _faults)
    is_said = fault_unless(
        lambda said: said.made.is_unmade and said.follows(kind, f"{kind}_after"), "the user has not said so"
    )
    yield Act(f"{kind}_noted", "assistant", "PF136", lambda sentence: replies, is_said)


ACTS = tuple([act for kind, forms in _FORMS.items() for act in _acts(kind, forms)])
NOTED = frozenset([f"{kind}_noted" for kind in _FORMS])
"""The acts that take note of it."""
