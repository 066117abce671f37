"""Texts of scripts: what is filled in, what is claimed of it, what is refused."""

from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import CannotFillError
from generator.core.seeds import Draw
from generator.dialogue.proof.expressions import Names, read_expression
from generator.dialogue.values.voice import Voice
from generator.scenarios.scripts.text import fill, read_text, slots_with_words_before, words_of

TODAY = date(2026, 3, 1)
KNOWN = Names(
    found={
        "papers": [{"title": "Tides", "on": "2026-03-02", "pages": 1}, {"title": "Ice", "on": "2026-04-10", "pages": 9}]
    },
    lamp={"name": "Floor lamp", "colour": "orange"},
    days=["2026-03-02", "2026-03-05"],
    n=1,
)


def _filled(text: str, seed: int = 1):
    return fill(read_text(text), KNOWN, Draw(seed, TODAY), Voice(TODAY, knows_today=True, relative=True), is_heard=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Take the {lamp.name:lower}", "Take the floor lamp"),
        ("{lamp.name:lower} is on. {lamp.name:lower} is new.", "Floor lamp is on. Floor lamp is new."),
        ("Take a {lamp.colour} one", "Take an orange one"),
        ("on {days[0]}, please", "Tomorrow, please"),
        ("{n} {n?lamp|lamps}", "1 lamp"),
        (
            "{each p in found.papers: {p.title:quoted} ({p.pages} {p.pages?page|pages})}",
            '"Tides" (1 page) and "Ice" (9 pages)',
        ),
        ("Here:\n{lines p in found.papers: {p.title}}", "Here:\n- Tides\n- Ice"),
        ("{lines p in found.papers: {p.title}}", "- Tides\n- Ice"),
        ("{[p.title for p in found.papers]}", "Tides and Ice"),
        ("Make it {'relax' ~ nice and cosy}.", "Make it nice and cosy."),
        ("Go[| on] [| now].", "Go ."),
    ],
)
def test_a_text_is_filled(text: str, said: str) -> None:
    texts = {_filled(text, seed).text for seed in range(12)}
    assert said in texts


def test_each_value_is_claimed_where_it_stands() -> None:
    filled = _filled("{each p in found.papers: {p.title:quoted} from {p.on}}: {len(found.papers)} in all.")
    for span in filled.spans:
        if span.verbalizer == "list":
            assert (span.start, span.end, span.value) == (0, 0, 2)
            continue
        value = read_expression(span.expression).value(KNOWN)
        assert value == span.value
        said = filled.text[span.start : span.end]
        assert said == f'"{value}"' if span.verbalizer == "quoted" else said
    assert [span.expression for span in filled.spans][1:3] == ["found.papers[0].title", "found.papers[0].on"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a {b", "is not closed"),
        ("a } b", "stands alone"),
        ("a | b", "stands alone"),
        ("[one]", "has no choices"),
        ("{x:quotd}", 'did you mean "quoted"?'),
        ("{each p in found}", "a colon is expected"),
        ("{}", "empty"),
        ("{x ~ words}", "a constant is expected"),
        ("{a b}", "not an expression"),
    ],
)
def test_what_is_no_text_is_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=r".+") as fault:
        read_text(text)
    assert told in str(fault.value)


def test_an_empty_list_or_value_fits_no_world() -> None:
    for text in ("{each p in found.none: {p}}", "{found.papers[5].title}", "{found:usd}"):
        with pytest.raises(CannotFillError):
            _filled(text)


def test_words_and_values_are_told_apart() -> None:
    text = read_text("[Turn|Switch] the {lamp.name:lower} {'on' ~ on} [to {n}|]")
    assert words_of(text.parts).split() == ["Turn", "Switch", "the", "_", "on", "to", "_"]
    assert [(before.split()[-1:], slot.expression.text) for before, slot in slots_with_words_before(text.parts)] == [
        (["the"], "lamp.name"),
        (["to"], "n"),
    ]


@given(st.text(alphabet="ab {}[]|:~?'\".n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = read_text(text)
    except ValueError:
        return
    with suppress(CannotFillError):
        fill(read, KNOWN, Draw(1, TODAY), Voice(TODAY), is_heard=False)
