"""Remark: what the user says under a policy that is no request and no yes or no, and what the assistant says to it.

Who was refused insists, with an argument that no clause accepts; who was asked for leave says neither yes nor no. Some sentences
are those of the policy's file: what users say who want to talk to a person, or to know what is not told, and the replies.
"""

from collections.abc import Callable
from typing import Literal

from generator.core.conversation import UserMessage
from generator.core.planning import Say, Tell
from generator.core.yaml_values import own_data
from generator.dialogue.proof.ledger import Act, Sentence, fault_unless
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, list[str]] = own_data(__file__)


# --- saying ---


def say(talk: Transcript, event: Say) -> None:
    """Add a message that is one remark."""
    remark = event.remark
    assert remark is not None
    talk.said_at[event.id] = len(talk.messages)
    talk.spots[event.id, 0] = []
    words = remark.text or talk.draw.choice(_FORMS[remark.kind])
    text = talk.say_further("", (words, [], []), talk.call_for(remark.wish or (event.id, 0)), remark.kind)
    talk.messages.append(UserMessage(text))


def stand_firm(talk: Transcript, event: Tell) -> None:
    """Add that the assistant's answer is the same as before; the reason follows."""
    assert event.wish is not None
    said = " ".join([message.content or "" for message in talk.messages])
    forms = [form for form in _FORMS["unmoved"] if form not in said]
    talk.tell_apart((talk.draw.choice(forms), [], []), talk.call_for(event.wish), "unmoved")


def give_time(talk: Transcript, event: Tell) -> None:
    """Add that nothing is done before the user has decided."""
    assert event.wish is not None
    talk.tell_apart((talk.draw.choice(_FORMS["patient"]), [], []), talk.call_for(event.wish), "patient")


# --- checking ---


def _forms(kind: str) -> Callable[[Sentence], tuple[str, ...]]:
    """Return the function that gives the forms of a remark: its own, and those of the policies of its tool."""
    return lambda sentence: (*_FORMS.get(kind, ()), *sentence.made.spec.ruled)


def _is_given_time(sentence: Sentence) -> bool:
    """Whether the assistant gives time to a user who hesitates, if it has answered yet."""
    after = sentence.index + 1
    return after >= len(sentence.ledger.contents) or sentence.ledger.tells(after, sentence.made, "patient")


def _is_declined_before(sentence: Sentence) -> bool:
    """Whether the request that a remark repeats has been declined."""
    return any(
        one.tool == sentence.made.spec.name and one.asked_at == sentence.made.asked_at and one.message < sentence.index
        for one in sentence.ledger.proof.declines
    )


_KINDS: dict[str, tuple[Literal["user", "assistant"], Callable[[Sentence], bool], str]] = {
    "retry": ("user", _is_declined_before, "it has not been declined before"),
    "insists": (
        "user",
        lambda said: said.made.is_unmade and said.follows("ruled_out", "unmoved"),
        "the call has not been refused before, or is made all the same",
    ),
    "unsure": (
        "user",
        lambda said: said.follows("proposed") and _is_given_time(said),
        "nobody has asked for leave, or the user is given no time",
    ),
    "patient": ("assistant", lambda said: said.follows("unsure"), "the user has not hesitated"),
    "unmoved": ("assistant", lambda said: said.follows("insists"), "nobody has insisted"),
    "asks_for": ("user", lambda said: said.index >= said.made.asked_at, "it is asked for before"),
    "asks_of": ("user", lambda said: said.made.told_at < said.index, "nothing has been found of which it asks"),
    "put_off": (
        "assistant",
        lambda said: said.follows("asks_for") and said.made.at >= said.index,
        "nobody asks for it, or it is done already",
    ),
    "handed_over": (
        "assistant",
        lambda said: not said.made.failed and said.made.told_at < said.index,
        "the conversation has not been handed over",
    ),
    "told": ("assistant", lambda said: said.follows("asks_of"), "nobody asks for that"),
    "kept_back": ("assistant", lambda said: said.follows("asks_of"), "nobody asks for that"),
}
"""Who says a remark, what must hold of it, and the fault where that does not."""
ACTS = tuple(
    [
        Act(how, by, "PF137", _forms(how), fault_unless(holds, fault), claims=how == "told")
        for how, (by, holds, fault) in _KINDS.items()
    ]
)
