"""Compare: the user asks which of several look-ups has the most or the least of something, and the assistant says which."""

from collections.abc import Iterator
from typing import Any

from generator.core.claims import ComparisonClaim
from generator.core.connectives import measure_in_field, unit_in_sentences
from generator.core.planning import Comparison, Say, Tell
from generator.core.pointers import resolve
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import ToolSpec
from generator.core.values import same
from generator.core.yaml_values import own_data
from generator.dialogue.no_call.talk import as_list_in_words
from generator.dialogue.proof.ledger import NEVER, Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.wording.phrases.phrasebook import Book
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.pieces import Phrase, Spans, capital
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)


def _bests(spec: ToolSpec, extreme: str, field: str) -> list[str]:
    """Return the words for what the best result has, in the tool's own words where it has some: "the lowest index"."""
    own = [best.say for best in spec.phrases.best if best.by == f"{extreme} {field}"]
    name = measure_in_field(field)[0]
    last = name.rpartition(" ")[2]
    is_many = last.endswith("s") and not last.endswith("ss")
    kind = "length" if last in _FORMS["lengths"] else "several" if is_many else "number"
    return own or [_FORMS["extremes"][kind][extreme].format(name)]


def _around(spec: ToolSpec, field: str, best: str) -> tuple[str, str, str]:
    """Return what stands before the value and after it, and the verbalizer that the tool's answers use for it, if any."""
    name, unit = measure_in_field(field)
    texts = [answer.say for answer in spec.phrases.answer]
    slots = [part for text in texts for part in parse_template(text, "result").segments if isinstance(part, Slot)]
    way = next((part.verbalizer for part in slots if (part.slot, part.of) == (field, "result")), None) or ""
    unit = unit or unit_in_sentences(texts, field)
    unit = "" if unit.strip() in best.split() else unit
    is_clear = unit or any(word.rstrip("s") in best for word in name.split())
    return "" if is_clear else f"{name} ", "" if way else unit, way


# --- saying ---


def ask(talk: Transcript, event: Say, comparison: Comparison, text: str) -> str:
    """Return a message with one more sentence: "Which one has the lowest index?"."""
    calls = tuple([talk.call_for((event.id, number)) for number in range(len(event.wishes))])
    form = talk.draw.choice(_FORMS["asks"])
    spec = talk.books[event.wishes[0].tool].spec
    question = form.format(best=talk.draw.choice(_bests(spec, comparison.extreme, comparison.field)))
    claim = ComparisonClaim(
        len(talk.messages),
        len(text) + 1,
        len(text) + 1 + len(question),
        calls,
        "/" + comparison.field,
        comparison.extreme,
    )
    talk.comparisons.append(claim)
    return talk.say_further(text, (question, [], []), calls[0], "comparison")


def tell(talk: Transcript, event: Tell) -> None:
    """Add which of the results are best in what the user compares: "Split has the lowest index: 22."."""
    told = talk.reported(event.about)
    say = talk.log.events[talk.call_at(event.about[0]).serves[0]]
    assert isinstance(say, Say)
    comparison = say.compares
    assert comparison is not None
    spec, slot, field = told[0].book.spec, comparison.slot, comparison.field
    best = talk.draw.choice(_bests(spec, comparison.extreme, field))
    is_small = str(told[0].call.arguments[slot])[:1].islower()  # no sentence begins with it
    forms = _FORMS["one" if len(told) == 1 else "tied"]
    form = talk.draw.choice([form for form in forms if not (is_small and form.startswith("{name}"))])
    lead = form.partition("{name}")[0] if len(told) > 1 else ""
    before, after, way = _around(spec, field, best)
    value = f"{before}{{{field}{':' if way else ''}{way}}}{after}"
    text, spans = lead, Spans()
    for place, one in enumerate(told):
        is_last, name = place == len(told) - 1, f"{{args.{slot}}}"
        whole = form.removeprefix(lead).format(name=name, best=best, value=value) if is_last else name
        phrase = _compiled(one.book, whole).tell(one.result, one.call.arguments, one.call.id, talk.draw, talk.answering)
        assert phrase is not None, f"{spec.name} has no {field} to tell"
        text += "" if not place else " and " if is_last else ", "
        spans += [(len(text) + start, len(text) + end, *rest) for start, end, *rest in phrase[1]]
        text += phrase[0]
    said: Phrase = capital((text, spans, []))
    talk.tell_apart(said, told[0].call.id, "best")


def _compiled(book: Book, text: str) -> AnswerSentence:
    """Return the sentence, compiled once."""
    answer = book.compared.get(text)
    if answer is None:
        answer = book.compared[text] = AnswerSentence(parse_template(text, "result"), (), book.results, book.slots)
    return answer


# --- checking ---


def _question(sentence: Sentence) -> Iterator[str]:
    claim, spec = _claim(sentence), sentence.made.spec
    for best in [] if claim is None else _bests(spec, claim.extreme, claim.pointer[1:]):
        yield from [form.format(best=best) for form in _FORMS["asks"]]


def _claim(sentence: Sentence) -> ComparisonClaim | None:
    """Return what is claimed of a question."""
    claims = sentence.ledger.proof.comparisons
    found = [one for one in claims if ("message", one.message, one.start, one.end) == sentence.place]
    return found[0] if len(found) == 1 and found[0].extreme in ("min", "max") else None


def _faults_of_question(sentence: Sentence) -> Iterator[str]:
    ledger, claim = sentence.ledger, _claim(sentence)
    if claim is None or claim.calls[:1] != (sentence.made.id,):
        yield "it is not said what is compared"
        return
    calls = [ledger.calls[call] for call in claim.calls if call in ledger.calls]
    if ledger.prefix and (len(calls) < len(claim.calls) or any(made.told_at == NEVER for made in calls)):
        return  # the calls are still to come
    asked = [made.id for made in ledger.calls.values() if made.asked_at == claim.message]
    numbers = _values(claim, calls)
    if len(calls) < 2 or sorted(asked) != sorted(claim.calls):
        yield "these are not the calls that it asks for"
    elif any(made.spec is not calls[0].spec or made.at != calls[0].at for made in calls) or _differing(calls) is None:
        yield "the calls are not made at once, or do not differ in just one argument"
    elif len(numbers) < len(calls):
        yield "the results have no numbers there"
    elif not ledger.prefix and len([one for one in ledger.spoken("best") if one.made in calls]) != 1:
        yield "nobody says which is the best, or somebody twice"


def _values(claim: ComparisonClaim, calls: list[ClaimedCall]) -> list[float]:
    """Return the numbers that are compared; fewer than there are calls where a result has none."""
    try:
        values = [resolve(made.result, claim.pointer) for made in calls]
    except LookupError:
        return []
    return [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]


def _differing(calls: list[ClaimedCall]) -> str | None:
    """Return the only argument in which the calls differ, if all of its values are different; None otherwise."""
    arguments = [made.arguments or {} for made in calls]
    first = arguments[0]
    keys = {
        key
        for one in arguments
        for key in {*one, *first}
        if not (key in one and key in first and same(one[key], first[key]))
    }
    return next(iter(keys)) if len(keys) == 1 else None


def _compared(sentence: Sentence) -> tuple[ComparisonClaim, list[ClaimedCall]] | None:
    """Return the question that an answer answers, and its calls."""
    ledger = sentence.ledger
    for question in ledger.spoken("comparison"):
        claim = _claim(question)
        if claim is not None and sentence.made.id in claim.calls:
            return claim, [ledger.calls[call] for call in claim.calls if call in ledger.calls]
    return None


def _answer(sentence: Sentence) -> Iterator[str]:
    found = _compared(sentence)
    if found is None:
        return
    spec, field = sentence.made.spec, found[0].pointer[1:]
    names = [f"{{args.{_differing(found[1])}}}" for part in sentence.parts if part.saying.leaf[0] == "arguments"]
    for best in _bests(spec, found[0].extreme, field):
        before, after, _ = _around(spec, field, best)
        for form in _FORMS["one" if len(names) == 1 else "tied"]:
            yield form.format(name=as_list_in_words(names), best=best, value=f"{before}{{{field}}}{after}")


def _faults_of_answer(sentence: Sentence) -> Iterator[str]:
    found = _compared(sentence)
    if found is None:
        yield "nothing is compared"
        return
    claim, calls = found
    values = _values(claim, calls)
    if len(values) < len(calls):
        return  # already reported of the question
    most = min(values) if claim.extreme == "min" else max(values)
    own = sentence.parts
    named = [part.call for part in own if part.saying.leaf == ("arguments", _differing(calls))]
    if sorted(named) != sorted([made.id for made, value in zip(calls, values, strict=True) if value == most]):
        yield "these are not all that are best, or others are named"
    elif sentence.made.id != named[0]:
        yield "it is about another call"
    stated = [part for part in own if part.saying.leaf[0] == "result"]
    if [part.saying.pointer for part in stated] != [claim.pointer] or stated[0].call not in named:
        yield "it does not say what the best one has"


def check(ledger: Ledger) -> None:
    """Check that what is claimed to be compared is asked."""
    for claim in ledger.proof.comparisons:
        sentence = ledger.sentence_at(claim.message, claim.start)
        if sentence is None or sentence.act.how != "comparison" or _claim(sentence) is not claim:
            ledger.report("PF128", ("message", claim.message, claim.start, claim.end), "there is no such question")


ACTS = (
    Act("comparison", "user", "PF128", _question, _faults_of_question),
    Act(
        "best",
        "assistant",
        "PF128",
        _answer,
        _faults_of_answer,
        claims=True,
        may_state=lambda sentence, made, of: made.told_at < sentence.index,
    ),
)
