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
    """Add the policy's sentence with the values of the thing and of the call: "A {room} costs {args.nights} nights' rent."."""
    call_id = talk.call_for(ruled.call.serves)
    arguments = wanted_arguments(talk, ruled.call)
    look_ups = [talk.made_at(place) for place in event.about]
    result = talk.step_at(event.about[0][0]).outcomes[event.about[0][1]].value if event.about else None
    text, spans, end = "", Spans(), 0
    for slot in _SLOT.finditer(ruled.form):
        text += ruled.form[end : slot.start()]
        field_name = slot[1].removeprefix("args.")
        if field_name != slot[1]:
            spec, pointer = talk.phrases[ruled.call.tool].spec, f"/{field_name}"
            owner, value_to_say = (call_id, "arguments"), arguments[field_name]
        else:
            spec, pointer = (
                talk.phrases[look_ups[0].name].spec,
                f"/{ruled.at}/{field_name}" if ruled.at else f"/{field_name}",
            )
            owner, value_to_say = (look_ups[0].id, "result"), resolve(result, pointer)
        value_wording = value_in_words(spec, pointer, owner[1], value_to_say, talk.answering, slot[2])
        if value_wording is None:
            raise LookupError(f"{spec.name} has nothing to say at {pointer}")
        text_of_value, verbalizer = value_wording
        text_of_value = (
            text_of_value[:1].upper() + text_of_value[1:] if not text and verbalizer == "enum" else text_of_value
        )
        spans.append((len(text), len(text) + len(text_of_value), verbalizer, pointer, owner))
        text += text_of_value
        end = slot.end()
    talk.tell_apart((text + ruled.form[end:], spans, []), call_id, event.how)


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
