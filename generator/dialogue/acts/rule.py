"""Rule: a policy's own sentences: why the assistant does not make a call, and what a call is about that it proposes.

The sentences stand in the policy's file, with names of fields of the thing that a look-up found: "It's {status} already, and only
open tickets can be escalated." Whether the reason is a true one is checked apart, from the messages and the clauses alone
(`generator/scenarios/policies/compliance`); here, that the values are those of the result.
"""

import re
from collections.abc import Callable

from generator.core.planning import Ruled, Tell
from generator.core.pointers import resolve, schema_at
from generator.core.toolbox import ToolSpec
from generator.dialogue.acts import remark
from generator.dialogue.proof.ledger import Act, ClaimedCall, Sentence, fault_unless
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.choose import verbalizers_for, verbalizers_for_result
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.claiming import claim_unmade, wanted_arguments
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import Spans

_SLOT = re.compile(r"\{([\w.]+)(?::(\w+))?\}")


def tell(talk: Transcript, event: Tell) -> None:
    """Add why a wish is not served, or what a proposed call is about: "It was ordered on 4 May, more than 30 days ago."."""
    ruled = event.ruled
    assert ruled is not None
    if event.again:
        remark.stand_firm(talk, event)
    if ruled.form:
        _tell_form(talk, event, ruled)
    is_left = event.how == "put_off" and not talk.calls.get(ruled.call.serves)
    if (event.how == "ruled_out" and not event.again) or is_left:
        claim_unmade(talk, ruled.call.serves)


def _tell_form(talk: Transcript, event: Tell, ruled: Ruled) -> None:
    """Add the policy's sentence, with the values of the thing and of the call."""
    name = talk.call_for(ruled.call.serves)
    arguments = wanted_arguments(talk, ruled.call)
    found = [talk.made_at(place) for place in event.about]
    value = talk.step_at(event.about[0][0]).outcomes[event.about[0][1]].value if event.about else None
    text, spans, at = "", Spans(), 0
    for slot in _SLOT.finditer(ruled.form):
        text += ruled.form[at : slot.start()]
        own = slot[1].removeprefix("args.")
        if own != slot[1]:
            spec, pointer = talk.phrases[ruled.call.tool].spec, f"/{own}"
            owner, said = (name, "arguments"), arguments[own]
        else:
            spec, pointer = talk.phrases[found[0].name].spec, f"/{ruled.at}/{own}" if ruled.at else f"/{own}"
            owner, said = (found[0].id, "result"), resolve(value, pointer)
        found_words = value_in_words(spec, pointer, owner[1], said, talk.answering, slot[2])
        if found_words is None:
            raise LookupError(f"{spec.name} has nothing to say at {pointer}")
        words, way = found_words
        words = words[:1].upper() + words[1:] if not text and way == "enum" else words
        spans.append((len(text), len(text) + len(words), way, pointer, owner))
        text += words
        at = slot.end()
    talk.tell_apart((text + ruled.form[at:], spans, []), name, event.how)


def value_in_words(
    spec: ToolSpec, pointer: str, of: str, value: object, voice: Voice, asked: str | None = None
) -> tuple[str, str] | None:
    """Return the words for a value of the tool's result or arguments (`of`), and their verbalizer; None where there are none."""
    schema = schema_at(spec.returns if of == "result" else spec.tool.parameters, _pattern(pointer)) or {}
    ways = verbalizers_for_result if of == "result" else verbalizers_for
    for way in ways(schema, pointer.rpartition("/")[2], asked):
        words = VERBALIZERS[way].say(value, voice)
        if words is not None:
            return words, way
    return None


def _pattern(pointer: str) -> str:
    """Return a pointer with `*` for places in lists: `orders/*/status`."""
    return "/".join(["*" if step.isdecimal() else step for step in pointer.removeprefix("/").split("/")])


# --- checking ---


def _may_state(sentence: Sentence, made: ClaimedCall, of: str) -> bool:
    """Whether the value is one of a look-up before, or of the call itself."""
    return (made.told_at < sentence.index and made.spec.looks_up and not made.failed) or (
        made is sentence.made and of == "arguments"
    )


_KINDS: dict[str, tuple[Callable[[Sentence], bool], str]] = {
    "ruled_out": (
        lambda said: said.made.is_unmade and said.made.asked_at < said.index,
        "the call is made all the same, or nobody has asked for it",
    ),
    "instead": (lambda said: said.beside("ruled_out"), "nothing is refused there"),
    "shown": (
        lambda said: said.made.asked_at < said.index < said.made.at and said.beside("proposed"),
        "the call is not proposed there",
    ),
}
"""What must hold of a sentence of a policy, and the fault where that does not."""
ACTS = tuple(
    [
        Act(
            how,
            "assistant",
            "PF137",
            lambda sentence: sentence.made.spec.ruled,
            fault_unless(holds, fault),
            claims=True,
            may_state=_may_state,
        )
        for how, (holds, fault) in _KINDS.items()
    ]
)
