"""Which of several results is best: the user's question, and the assistant's answer to it."""

from collections.abc import Sequence

from generator.connectives import BEST_ARE, BEST_IS, COMPARING, measure_in_field, the_best, unit_in_sentences
from generator.planning import Comparison
from generator.seeds import Draw
from generator.templates import Slot, parse_template
from generator.toolbox import ToolSpec
from generator.wording.answers import ReportedCall
from generator.wording.phrases.phrasebook import Book
from generator.wording.phrases.telling import AnswerSentence
from generator.wording.pieces import Phrase, Spans, capital
from generator.wording.voice import Voice


def word_comparison(spec: ToolSpec, comparison: Comparison, draw: Draw) -> str:
    """Return the question: "Which one has the lowest index?"."""
    return draw.choice(COMPARING).format(draw.choice(best_value_words(spec, comparison)))


def best_value_words(spec: ToolSpec, comparison: Comparison) -> list[str]:
    """Return the words for what the best result has, in the tool's own words where it has some: "the lowest index"."""
    by = f"{comparison.extreme} {comparison.field}"
    return [best.say for best in spec.phrases.best if best.by == by] or [the_best(comparison.field, comparison.extreme)]


def word_best(told: Sequence[ReportedCall], comparison: Comparison, draw: Draw, voice: Voice) -> Phrase:
    """Return the answer, about the calls that are best: "Split has the lowest index: 22."."""
    spec = told[0].book.spec
    best = draw.choice(best_value_words(spec, comparison))
    is_small = str(told[0].call.arguments[comparison.slot])[:1].islower()  # no sentence begins with it
    forms = [form for form in (BEST_IS if len(told) == 1 else BEST_ARE) if not (is_small and form.startswith("{name}"))]
    form = draw.choice(tuple(forms))
    lead = form.partition("{name}")[0] if len(told) > 1 else ""
    form = form.removeprefix(lead)
    text, spans = lead, Spans()
    for place, one in enumerate(told):
        name = f"{{args.{comparison.slot}}}"
        if place == len(told) - 1:
            name = form.format(name=name, best=best, value=_value(spec, comparison, best))
        phrase = _sentence(one.book, name).tell(one.result, one.call.arguments, one.call.id, draw, voice)
        assert phrase is not None, f"{spec.name} has no {comparison.field} to tell"
        said, own, _ = phrase
        between = "" if not place else " and " if place == len(told) - 1 else ", "
        at = len(text) + len(between)
        text += between + said
        spans += [(start + at, end + at, way, pointer, whose) for start, end, way, pointer, whose in own]
    return capital((text, spans, 2 * len(spans) + 1))


def _sentence(book: Book, text: str) -> AnswerSentence:
    """Return the sentence, compiled once."""
    answer = book.compared.get(text)
    if answer is None:
        answer = book.compared[text] = AnswerSentence(parse_template(text, "result"), (), book.results, book.slots)
    return answer


def _value(spec: ToolSpec, comparison: Comparison, best: str) -> str:
    """Return the placeholder of the value in the sentence, with the verbalizer and the unit that the tool's answers use."""
    field = comparison.field
    name, unit = measure_in_field(field)
    parts = [part for answer in spec.phrases.answer for part in parse_template(answer.say, "result").segments]
    form = next(
        (part.verbalizer for part in parts if isinstance(part, Slot) and (part.slot, part.of) == (field, "result")),
        None,
    )
    unit = unit or unit_in_sentences([answer.say for answer in spec.phrases.answer], field)
    unit = "" if unit.strip() in best.split() else unit
    value = f"{{{field}:{form}}}" if form else f"{{{field}}}{unit}"
    is_named = any(word.rstrip("s") in best for word in name.split())
    return value if is_named or unit else f"{name} {value}"
