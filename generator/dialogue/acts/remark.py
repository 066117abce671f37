"""Remark: what the user says under a policy that is no request and no yes or no, and what the assistant says to it.

Who was refused insists, with an argument that no clause accepts; who was asked for leave says neither yes nor no. Some sentences
are those of the policy's file: what users say who want to talk to a person, or to know what is not told, and the replies.
"""

from collections.abc import Callable, Iterator
from typing import Any

from generator.core.conversation import UserMessage
from generator.core.planning import Say, Tell
from generator.core.yaml_values import own_data
from generator.dialogue.proof.ledger import Act, Sentence
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


def _forms(kind: str) -> Callable[[Sentence], Iterator[str]]:
    def forms(sentence: Sentence) -> Iterator[str]:
        yield from _FORMS.get(kind, ())
        yield from sentence.made.spec.ruled

    return forms


def _faults_of_insisting(sentence: Sentence) -> Iterator[str]:
    if not sentence.made.is_unmade or not (_follows(sentence, "ruled_out") or _follows(sentence, "unmoved")):
        yield "the call has not been refused before, or is made all the same"


def _faults_of_standing(sentence: Sentence) -> Iterator[str]:
    if not _follows(sentence, "insists"):
        yield "nobody has insisted"


def _faults_of_unsure(sentence: Sentence) -> Iterator[str]:
    ledger, after = sentence.ledger, sentence.index + 1
    if not _follows(sentence, "proposed"):
        yield "nobody has asked for leave"
    elif after < len(ledger.contents) and not ledger.tells(after, sentence.made, "patient"):
        yield "the user is given no time"


def _faults_of_waiting(sentence: Sentence) -> Iterator[str]:
    if not _follows(sentence, "unsure"):
        yield "the user has not hesitated"


def _follows(sentence: Sentence, how: str) -> bool:
    return sentence.ledger.tells(sentence.index - 1, sentence.made, how)


def _faults_of_asking(sentence: Sentence) -> Iterator[str]:
    if sentence.index < sentence.made.asked_at:
        yield "it is asked for before"


def _faults_of_question(sentence: Sentence) -> Iterator[str]:
    if not sentence.made.told_at < sentence.index:
        yield "nothing has been found of which it asks"


def _faults_of_putting_off(sentence: Sentence) -> Iterator[str]:
    if not _follows(sentence, "asks_for") or sentence.made.at < sentence.index:
        yield "nobody asks for it, or it is done already"


def _faults_of_handing_over(sentence: Sentence) -> Iterator[str]:
    if sentence.made.failed or not sentence.made.told_at < sentence.index:
        yield "the conversation has not been handed over"


def _faults_of_telling(sentence: Sentence) -> Iterator[str]:
    if not _follows(sentence, "asks_of"):
        yield "nobody asks for that"


def _faults_of_retry(sentence: Sentence) -> Iterator[str]:
    declined = [one for one in sentence.ledger.proof.declines if one.tool == sentence.made.spec.name]
    if not any(one.asked_at == sentence.made.asked_at and one.message < sentence.index for one in declined):
        yield "it has not been declined before"


_KINDS: dict[str, tuple[Any, Any]] = {
    "retry": ("user", _faults_of_retry),
    "insists": ("user", _faults_of_insisting),
    "unsure": ("user", _faults_of_unsure),
    "patient": ("assistant", _faults_of_waiting),
    "unmoved": ("assistant", _faults_of_standing),
    "asks_for": ("user", _faults_of_asking),
    "asks_of": ("user", _faults_of_question),
    "put_off": ("assistant", _faults_of_putting_off),
    "handed_over": ("assistant", _faults_of_handing_over),
    "told": ("assistant", _faults_of_telling),
    "kept_back": ("assistant", _faults_of_telling),
}
ACTS = tuple([Act(how, by, "PF137", _forms(how), faults, claims=how == "told") for how, (by, faults) in _KINDS.items()])
