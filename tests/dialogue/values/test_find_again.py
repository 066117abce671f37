"""Values of a text are found again in other words for it, and numbers and negations around them stay."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.values import same
from generator.dialogue.values.find_again import SaidValue, find_again, guarded
from generator.dialogue.values.read import READERS, SpanContext

OLD = "Can you find flights from Oslo to New York on 12 April for 2 people, not with York Air?"


def said(old: str, words: str, reader: str = "", at: int | None = None) -> SaidValue:
    """Words in the old text, and what reads other words for them."""
    start = old.index(words) if at is None else at

    def reads(other: str) -> bool:
        names = ("number", "words") if reader == "number" else (reader,)
        values = [value for name in names for value in (read(name, other),) if value is not None]
        return any(same(value, read(reader, words)) for value in values)

    return SaidValue(span=(start, start + len(words)), is_quoted=words[:1] == '"', reads=reads if reader else None)


def read(reader: str, text: str) -> object:
    try:
        return READERS[reader](text, SpanContext(date(2026, 3, 1)))
    except ValueError:
        return None


VALUES = [
    said(OLD, "Oslo"),
    said(OLD, "New York"),
    said(OLD, "12 April", "date"),
    said(OLD, "2", "number", OLD.index("2 people")),
]


def again(new: str, old: str = OLD, values: list[SaidValue] = VALUES, *, is_english: bool = True) -> str:
    """Why the new text is refused, or the words that were found in it."""
    spans, fault = find_again(old, new, values)
    fault = fault or guarded(old, [one.span for one in values], new, spans, is_english=is_english)
    return f"refused: {fault}" if fault else "|".join(new[slice(*span)] for span in spans)


@pytest.mark.parametrize(
    ("new", "found"),
    [
        ("Not York Air: 2 of us go from Oslo to New York on 12 April", "Oslo|New York|12 April|2"),
        ("We're two, going Oslo - New York, 12 April. No York Air!", "Oslo|New York|12 April|two"),
        ("Oslo, I'm leaving Oslo for New York on 12 April. 2 people, don't take York Air.", "Oslo|New York|12 April|2"),
        (
            "No more than 2 of us: Oslo to New York, 12 April, couldn't you find a flight, and not York Air?",
            "Oslo|New York|12 April|2",
        ),
        ("1. Oslo to New York\n2. on 12 April, without York Air\n3. for 2 people", "Oslo|New York|12 April|2"),
    ],
)
def test_values_are_found_again(new: str, found: str):
    assert again(new) == found


@pytest.mark.parametrize(
    ("new", "fault"),
    [
        ("Flights to New York on 12 April for 2 people, not York Air", "does not say: Oslo"),
        ("Flights from Oslo to York on 12 April for 2 people, not York Air", "does not say: New York"),
        ("Flights from Oslo to New York on 13 April for 2 people, not York Air", "does not say: 12 April"),
        ("Flights from Oslo to New York on 12 April for 3 people, not York Air", "does not say: 2"),
        ("Flights from Oslo to New York on 12 April for 2 people and 2 dogs, not York Air", "says too often: 2"),
        ("Flights from Oslo to New York on 12 April for 2 people, 5 bags, not York Air", "adds a number: 5"),
        ("Flights from Oslo to New York on 12 April for 2 people, three bags, not York Air", "adds a number: 3"),
        ("Flights from Oslo to New York on 12 April for 2 people, with York Air", "is not as negative"),
        ("I can't find flights from Oslo to New York on 12 April for 2 people, not York Air", "is not as negative"),
        ("Flights from Oslofjord to New York on 12 April for 2 people, not York Air", "does not say: Oslo"),
    ],
)
def test_what_is_lost_or_added_is_refused(new: str, fault: str):
    assert again(new) == f"refused: {fault}"


def test_of_other_languages_only_digits_are_known():
    values = VALUES[:2]
    assert again("Von Oslo nach New York, bitte", values=values, is_english=False) == "Oslo|New York"
    assert "adds a number: 5" in again("5 Flüge von Oslo nach New York", values=values, is_english=False)


def test_a_quotation_may_have_other_marks_but_not_none():
    old = 'Add "buy milk" to my list.'
    values = [said(old, '"buy milk"')]
    assert again("Please put “buy milk” on my list.", old, values) == "buy milk"
    assert again("On my list should be 'buy milk.'", old, values) == "buy milk"
    assert again("Please put buy milk on my list.", old, values) == 'refused: does not say: "buy milk"'


def test_a_sentence_may_begin_with_a_value():
    old = "Is the fern dry?"
    assert again("Fern: is it dry?", old, [said(old, "fern")]) == "Fern"


def test_the_same_words_are_told_apart_by_their_order():
    old = "Ring 2 bells, then 2 more."
    values = [SaidValue(span=(5, 6)), SaidValue(span=(19, 20))]
    assert find_again(old, "2 bells first, then 2.", values)[0] == [(0, 1), (20, 21)]


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=4))
def test_any_text_is_read_without_an_error_and_spans_never_overlap(new: str, places: list[tuple[int, int]]):
    values = [SaidValue(span=(start, min(start + size, len(OLD)))) for start, size in dict(places).items()]
    spans, fault = find_again(OLD, new, values)
    assert fault or len(spans) == len(values)
    guarded(OLD, [one.span for one in values], new, spans, is_english=True)
    ordered = sorted(spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(ordered))


def test_a_text_says_itself():
    assert again(OLD) == "Oslo|New York|12 April|2"
