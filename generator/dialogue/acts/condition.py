"""Condition: the user wants a call made only if a result is so, and the assistant says so when it is not."""

from collections.abc import Callable, Iterator
from typing import Any

from generator.core.claims import ConditionClaim
from generator.core.connectives import field_in_words, measure_in_field
from generator.core.planning import Say, Step, Tell, Test
from generator.core.pointers import resolve
from generator.core.toolbox import ToolSpec
from generator.core.yaml_values import own_data
from generator.dialogue.proof.ledger import NEVER, Act, ClaimedCall, ClaimedSpan, Ledger, Sentence
from generator.dialogue.proof.tongues import ANSWERS, DOINGS, ORDERS
from generator.dialogue.proof.verbalizations import verbalization
from generator.dialogue.wording.claiming import claim_unmade
from generator.dialogue.wording.clauses import WordedWish, said_by_user
from generator.dialogue.wording.doing import do, do_call
from generator.dialogue.wording.pieces import closes, later, moved
from generator.dialogue.wording.transcript import Transcript, say_plainly

_FORMS: dict[str, Any] = own_data(__file__)
_NAMED = 0.85
"""How often the call that is not made is named."""


def _in_words(spec: ToolSpec, field: str) -> tuple[str, str]:
    """Return what people call a field of a tool's result ("the flight" of its status), and the unit of its value."""
    name, unit = field_in_words(spec.phrases.fields, [answer.say for answer in spec.phrases.answer], field)
    return name.removesuffix(" status"), unit or measure_in_field(field)[1]


# --- saying ---


def ask(talk: Transcript, event: Say, number: int, test: Test, text: str) -> str:
    """Return a message with one more sentence: "If the sky is rainy, cancel the picnic."."""
    wish, draw = event.wishes[number], talk.draw
    book, source = talk.books[wish.tool], talk.books[event.wishes[test.of].tool]
    name, unit = _in_words(source.spec, test.field)
    value, verbalizer = say_plainly(test.value, talk.voice)
    before = draw.choice(_FORMS["if"]) + name + draw.choice(_FORMS["is"][test.op])
    then = unit + draw.choice(_FORMS["then"])
    said = said_by_user(WordedWish(book, number, wish.spoken, {}))
    doing, spans, uses = do(book, said, (number,), tuple(said), draw, talk.voice, to_user=False)
    begin, message = len(text) + 1, len(talk.messages)
    at = begin + len(before)
    talk.spots[event.id, number] = [
        (pointer, start, end, way) for start, end, way, pointer, _ in moved(spans, at + len(value) + len(then))
    ]
    call, of = talk.call_for((event.id, number)), talk.call_for((event.id, test.of))
    compared = (verbalizer, call, of, "/" + test.field, test.op, test.value)
    talk.conditions.append(ConditionClaim(message, at, at + len(value), *compared))
    said_of = [(at - begin + len(value) + len(then) + start, form, (call,)) for start, form, _ in uses]
    stop = "" if closes(doing) else "."
    return talk.say_further(text, (f"{before}{value}{then}{doing}{stop}", [], said_of), call, "condition")


def tell_whether_met(talk: Transcript, event: Tell) -> None:
    """Add whether a condition is fulfilled, and what follows: "The wave height is over your limit, so I went ahead."."""
    assert event.wish is not None
    say = talk.log.events[event.wish[0]]
    assert isinstance(say, Say)
    test = say.wishes[event.wish[1]].when
    assert test is not None
    is_met = event.how == "held"
    name = talk.call_for(event.wish) if is_met else claim_unmade(talk, event.wish)
    call_id, call = talk.calls[event.wish[0], test.of][0]
    step = next(one for one in talk.log.events if isinstance(one, Step) and call in one.calls)
    found = resolve(step.outcomes[step.calls.index(call)].value, test.field)
    words, unit = _in_words(talk.books[call.tool].spec, test.field)
    form = talk.draw.choice(_FORMS["met" if is_met else "unmet"][test.op]).format(name=words, value="{value}")
    before, stated, _ = form.partition("{value}")
    value, verbalizer = say_plainly(found, talk.answering) if stated else ("", "")
    span = (len(before), len(before) + len(value), verbalizer, "/" + test.field, (call_id, "result"))
    text, spans = before + value + (unit if stated else ""), [span] if stated else []
    wish = talk.wish_at(event.wish)
    if is_met or wish.meant or not talk.draw.chance(_NAMED):
        text += talk.draw.choice(_FORMS["on" if is_met else "left"])
        talk.tell_apart((text, spans, []), name, "held" if is_met else "untrue")
        return
    text += talk.draw.choice(_FORMS["unmade"])
    doing, said, uses = do_call(talk.books[wish.tool], wish.said, name, (), talk.draw, talk.answering)
    spans = [*spans, *moved(said, len(text))]
    whole = f"{text}{doing}{'' if closes(doing) else '.'}"
    talk.tell_apart((whole, spans, later(uses, len(text), 0)), name, "untrue")


# --- checking ---


def check(ledger: Ledger) -> None:
    """Note the values with which users compare results; report conditions that nobody names."""
    for claim in ledger.proof.conditions:
        at = ("message", claim.message, claim.start, claim.end)
        source, sentence = ledger.calls.get(claim.of), ledger.sentence_at(claim.message, claim.start)
        if claim.call_id not in ledger.calls or source is None or sentence is None or sentence.act.how != "condition":
            ledger.report("PF122", at, "there is no such condition")
            continue
        saying = verbalization(source.spec, ANSWERS, "result", claim.pointer, claim.verbalizer)
        ledger.parts[claim.message].append(ClaimedSpan(claim.start, claim.end, source.id, saying, claim.value))


def _claim(sentence: Sentence) -> ConditionClaim | None:
    claims = sentence.ledger.proof.conditions
    within = [one for one in claims if one.message == sentence.index and sentence.start <= one.start < sentence.end]
    return within[0] if len(within) == 1 else None


def _condition(sentence: Sentence) -> Iterator[str]:
    claim = _claim(sentence)
    source = None if claim is None else sentence.ledger.calls.get(claim.of)
    if claim is None or source is None:
        return
    name, unit = _in_words(source.spec, claim.pointer[1:])
    for begin in dict.fromkeys(_FORMS["if"]):
        for way in _FORMS["is"].get(claim.op, ()):
            for then in _FORMS["then"]:
                form = f"{begin}{name}{way}{{{claim.pointer[1:]}}}{unit}{then}…"
                yield from (form, form + ".")


def _faults_of_condition(sentence: Sentence) -> Iterator[str]:
    """Yield why a call does not follow its condition."""
    claim, made, ledger = _claim(sentence), sentence.made, sentence.ledger
    source = None if claim is None else ledger.calls.get(claim.of)
    if claim is None or source is None or claim.call_id != made.id:
        yield "it is not the condition of that call"
        return
    if {made.asked_at, source.asked_at} != {sentence.index}:
        yield "the user does not ask for that call there"
    if source.told_at == NEVER:
        if not ledger.prefix:
            yield "the result on which it hangs is not there"
        return
    said = sentence.text[: claim.start - sentence.start].casefold()
    if not any(said.endswith(way) for way in _FORMS["is"].get(claim.op, ())):
        yield "the words do not compare in this way"
    yield from _unfollowed(claim, source, made)


def _unfollowed(claim: ConditionClaim, source: ClaimedCall, made: ClaimedCall) -> Iterator[str]:
    try:
        found, value = resolve(source.result, claim.pointer), claim.value
    except LookupError:
        found, value = None, claim.value
    if type(found) is not type(value) and not {type(found), type(value)} <= {int, float}:
        yield "the result cannot be compared with that"
    elif made.is_unmade == Test(0, "", claim.op, value).holds(found):
        yield "the call is not made although the condition is fulfilled, or made although it is not"
    elif not source.told_at < made.at:
        yield "the call does not wait for the result on which it hangs"


def _condition_of(sentence: Sentence) -> ConditionClaim | None:
    """Return the condition on which the call hangs that a sentence of the assistant is about."""
    claims = [one for one in sentence.ledger.proof.conditions if one.call_id == sentence.made.id]
    return claims[0] if len(claims) == 1 and claims[0].of in sentence.ledger.calls else None


def _whether_met(met: str, then: str) -> Callable[[Sentence], Iterator[str]]:
    """Return what yields the forms that say that a condition is fulfilled, or that it is not."""

    def yield_forms(sentence: Sentence) -> Iterator[str]:
        claim = _condition_of(sentence)
        if claim is None:
            return
        field = claim.pointer[1:]
        name, unit = _in_words(sentence.ledger.calls[claim.of].spec, field)
        for form in _FORMS[met].get(claim.op, ()):
            said = form.format(name=name, value=f"{{{field}}}{unit}")
            yield from [said + so for so in _FORMS[then]]
            for so in _FORMS["unmade"] if then == "left" else ():
                yield from [f"{said}{so}…{stop}" for stop in (".", "")]

    return yield_forms


def _faults_of_untrue(sentence: Sentence) -> Iterator[str]:
    made = sentence.made
    if not made.is_unmade or not sentence.ledger.tells(made.asked_at, made, "condition"):
        yield "the call hangs on no condition"


def _faults_of_held(sentence: Sentence) -> Iterator[str]:
    made = sentence.made
    if (
        made.is_unmade
        or not made.told_at < sentence.index
        or not sentence.ledger.tells(made.asked_at, made, "condition")
    ):
        yield "no call is made that hangs on a condition"


def _may_state(sentence: Sentence, made: ClaimedCall, of: str) -> bool:
    """Whether a sentence may state a value: of the result on which the call hangs."""
    claim = _condition_of(sentence)
    if made is sentence.made and of == "arguments":
        return made.is_unmade
    return claim is not None and of == "result" and made.id == claim.of and made.told_at < sentence.index


ACTS = (
    Act("condition", "user", "PF122", _condition, _faults_of_condition, ORDERS),
    Act(
        "untrue",
        "assistant",
        "PF122",
        _whether_met("unmet", "left"),
        _faults_of_untrue,
        DOINGS,
        claims=True,
        may_state=_may_state,
    ),
    Act("held", "assistant", "PF122", _whether_met("met", "on"), _faults_of_held, claims=True, may_state=_may_state),
)
