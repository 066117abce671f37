"""Where wording has a quick way for the usual case, it gives what the general way gives."""

from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.conversation import Tool
from generator.core.pointers import leaves, resolve
from generator.core.seeds import Draw
from generator.core.templates import Root, parse_template
from generator.core.toolbox import ToolSpec
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import Voice, draw_voice
from generator.dialogue.wording.clauses import WordedWish, ask, said_by_user
from generator.dialogue.wording.phrases.parts import compile_elements
from generator.dialogue.wording.phrases.slots import SlotWording
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases
from generator.dialogue.wording.utterance import Utterance, capital

KEYS = ("name", "price", "id", ".", "a/b", "a~b", "0", "args.x", "*")
values = st.none() | st.booleans() | st.integers(-3, 300) | st.sampled_from(["", "Ana", "in_progress"]) | st.just([])
flat = st.dictionaries(st.sampled_from(KEYS), values, max_size=5)
nested = st.dictionaries(st.sampled_from(KEYS), values | flat, max_size=5)
TODAY = date(2026, 3, 14)
PARAMETERS = {
    "type": "object",
    "properties": {
        **{key: {} for key in KEYS},
        "id": {"const": 1},
        "name": {"type": "object", "properties": {"price": {"type": "integer"}, "id": {"const": "Ana"}}},
    },
}


def _spec(name: str = "find_things") -> ToolSpec:
    return ToolSpec(tool=Tool(name=name, parameters=PARAMETERS), domain="things", where="things.yaml:1")


def _is_said(value: Any, said: tuple[str, str], voice: Voice) -> bool:
    """Whether these words say the value, by what the verbalizer itself says."""
    text, verbalizer = said
    return VERBALIZERS[verbalizer].say(value, voice) == text


@given(
    st.lists(flat | nested | values, max_size=4),
    st.sampled_from(["arguments", "result"]),
    st.floats(0, 0.999),
    st.integers(0, 50),
)
def test_an_element_is_said_by_the_phrases_that_fit_its_fields(
    elements: list[Any], of: Root, which: float, start: int
) -> None:
    prefix = "things/*/" if of == "arguments" else ""
    texts = ("{name} for {price}", "{name}", "{price} {price?one|many} of {id}", "{name/price} and {a~1b}", "{.}")
    texts = tuple(text.replace("{", "{" + prefix) for text in texts)
    templates = tuple(parse_template(text, of) for text in texts)
    wording = SlotWording(
        slot="things", schema={}, verbalizers=("json",), forms={}, shape="objects", elements=templates
    )
    ways_to_say = compile_elements(wording, {}, of, "user" if of == "arguments" else "assistant")
    draw = Draw(1, TODAY)
    voice = draw_voice(draw, TODAY, False)
    for element in elements * 2:  # the second time from what is known
        fitting = ways_to_say(element)
        if fitting:
            utterance = Utterance(draw, voice)
            utterance.add("-" * start)
            fitting[int(which * len(fitting))](element, "/things/0", ("call00000",), utterance)
            text, spans = utterance.text, utterance.spans
            assert spans
            for begin, end, verbalizer, pointer, _ in spans:
                value = resolve({"things": [element]}, pointer)
                assert _is_said(value, (text[begin:end], verbalizer), voice)


@given(nested)
def test_what_the_user_says_of_a_wish_is_every_leaf_that_is_not_fixed(arguments: dict[str, Any]) -> None:
    before = msgspec.json.encode(arguments)
    found = said_by_user(WordedWish(ToolPhrases(_spec()), 0, arguments, {}))
    assert msgspec.json.encode(arguments) == before
    assert all(resolve(arguments, slot) == value for slot, value in found.items())
    said = {pointer for slot, value in found.items() for pointer, _ in leaves(value, f"/{slot}")}
    assert not [p for p, _ in leaves(arguments) if p not in said and not p.startswith(("/id", "/name/id")) and p]
    assert said.isdisjoint({"/id"})


USED = ToolPhrases(_spec())
"""Phrases that have been used for all calls so far."""


@given(nested, st.integers(0, 99))
def test_what_was_said_of_other_calls_changes_nothing(arguments: dict[str, Any], seed: int) -> None:
    def ask_by(phrases: ToolPhrases) -> object:
        draw = Draw(seed, TODAY)
        voice = draw_voice(draw, TODAY, True)
        clause = ask(WordedWish(phrases, 0, arguments, {}), draw, voice, ("request", "question", "want"))
        said = [clause.body, *clause.sentences]
        made_of = [[(start, form.key, whose) for start, form, whose in uses] for _, _, uses in said]
        return clause.kind, [(text, spans) for text, spans, _ in said], made_of

    assert ask_by(USED) == ask_by(ToolPhrases(_spec()))


def _found(source: Any, slot: str) -> Any:
    try:
        return resolve(source, "" if slot == "." else slot)
    except LookupError:
        return None


@given(nested | values, flat)
def test_an_answer_has_the_values_at_the_places_it_names(result: Any, arguments: dict[str, Any]) -> None:
    draw = Draw(1, TODAY)
    voice = draw_voice(draw, TODAY, True)
    for text in ("{name} {price} {a/b} {a~0b} {name/id} {args.id}", "{price}", "So: {.}", "{name/id} {args.price}"):
        template = parse_template(text, "result")
        told = AnswerSentence(template=template, when=(("id", 1),), results={}, arguments={}).tell(
            result, arguments, "call00000", draw, voice
        )
        sources = [("result", slot, _found(result, slot)) for slot in template.needs]
        sources += [("arguments", slot, _found(arguments, slot)) for slot in template.arguments]
        if _found(result, "id") != 1 or any(value is None or value == [] for _, _, value in sources):
            assert told is None
            continue
        assert told is not None
        whole, spans, _ = told
        expected = {(of, "" if slot == "." else "/" + slot): value for of, slot, value in sources}
        assert {(whose[1], pointer) for *_, pointer, whose in spans} == expected.keys()
        for start, end, verbalizer, pointer, (call_id, of) in spans:
            assert call_id == "call00000"
            assert _is_said(expected[of, pointer], (whole[start:end], verbalizer), voice)


@given(
    st.sampled_from(["ßa ", "on ", "ŉ ", "", "x"]), st.sampled_from(["date", "enum", "literal"]), st.text(min_size=1)
)
def test_a_capital_moves_the_spans_that_come_after_it(before: str, verbalizer: str, value: str) -> None:
    """The capital of "ß" is two letters."""
    end = len(before) + len(value)
    spans = [(len(before), end, verbalizer, "/x", ("a",)), (end + 2, end + 5, "literal", "/y", ("a",))]
    text, moved, _ = capital((f"{before}{value}, abc", spans, []))
    said = [text[start:stop] for start, stop, *_ in moved]
    is_changed = not before and verbalizer != "literal"
    assert said == [value[:1].upper() + value[1:] if is_changed else value, "abc"]
    assert text.startswith(before[:1].upper() if before else said[0])


@pytest.mark.parametrize(
    ("before", "first", "verbalizer", "text", "said"),
    [
        ("get a ", "apple", "literal", "get an apple and plum", ["apple", "plum"]),
        ("get a ", "pear", "literal", "get a pear and plum", ["pear", "plum"]),
        ("On ", "tomorrow", "date", "Tomorrow and plum", ["Tomorrow", "plum"]),
        ("for on ", "today", "date", "for today and plum", ["today", "plum"]),
    ],
)
def test_a_list_is_fitted_to_the_words_before_it(
    before: str, first: str, verbalizer: str, text: str, said: list[str]
) -> None:
    utterance = Utterance(Draw(1, TODAY), Voice(TODAY))
    utterance.add(before)
    utterance.add_value(first, verbalizer, "/x/0", ("a",))
    utterance.add(" and ")
    utterance.add_value("plum", "literal", "/x/1", ("a",))
    assert utterance.text == text
    assert [text[begin:end] for begin, end, *_ in utterance.spans] == said


def test_days_are_forgotten_when_there_are_too_many() -> None:
    voice = Voice(TODAY, date_style="iso")
    days = [date.fromordinal(number).isoformat() for number in range(500_000, 510_000)]
    assert [VERBALIZERS["date"].say(day, voice) for day in days * 2] == days * 2
