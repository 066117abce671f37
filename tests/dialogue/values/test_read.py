"""Readers take the whole text or refuse it; they never guess."""

import re
from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nightly import one_in

from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import SpanContext

TODAY = date(2026, 3, 12)  # a Thursday
ENUM = SpanContext(
    today=TODAY,
    schema={"enum": ["in_progress", "in-progress", "done", "waitingForReply"]},
    synonyms=(("done", ("finished", "over")), ("in_progress", ("over", "under way"))),
)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("date", "Feb 29, 2028", "2028-02-29"),
        ("date", "14th of March 2026", "2026-03-14"),
        ("date", "sept 3", "2026-09-03"),
        ("date", "2 January", "2027-01-02"),
        ("date", "Tomorrow", "2026-03-13"),
        ("date", "Friday", "2026-03-13"),
        ("date", "wednesday", "2026-03-18"),
        ("date", "in ten days", "2026-03-22"),
        ("date", "in 10 days", "2026-03-22"),
        ("date", "in a week", "2026-03-19"),
        ("date", "two weeks from today", "2026-03-26"),
        ("time", "12 am", "00:00"),
        ("time", "12:05 PM", "12:05"),
        ("time", "3:30 p.m.", "15:30"),
        ("time", "Midnight", "00:00"),
        ("time_seconds", "15:30", "15:30:00"),
        ("datetime", "tomorrow at noon", "2026-03-13T12:00"),
        ("datetime_offset", "Friday at 9 am -05:00", "2026-03-13T09:00:00-05:00"),
        ("number", "1,250,000.5", 1250000.5),
        ("number", "-7", -7),
        ("words", "Twenty-One", 21),
        ("words", "a hundred", 100),
        ("count", "three", 3),
        ("count", "12", 12),
        ("ordinal", "111th", 111),
        ("ordinal", "Tenth", 10),
        ("percent", "29%", 0.29),
        ("percent", "200%", 2),
        ("usd", "-$1,200.05", -1200.05),
        ("minutes", "a quarter of an hour", 15),
        ("minutes", "one hour", 60),
        ("minutes", "2 days and 3 hours", 3060),
        ("hours", "45 minutes", 0.75),
        ("seconds", "half a minute", 30),
        ("hours", "two weeks", 336),
        ("quoted", "'ok'", "ok"),
        ("json", '{"a": [1, 2.0]}', {"a": [1, 2.0]}),
        ("yes_no", "Yes", True),
        ("minutes", "45 min", 45),
        ("minutes", "45-minute", 45),
        ("minutes", "2 hrs", 120),
        ("date", "the first of August", "2026-08-01"),
        ("date", "August 1st", "2026-08-01"),
        ("words", "twice", 2),
        ("usd", "49.50 dollars", 49.5),
        ("eur", "EUR 3,500", 3500),
    ],
)
def test_a_reader_understands(name, text, value):
    assert VERBALIZERS[name].read(text, SpanContext(today=TODAY)) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("date", "Feb 30"),
        ("date", "29 February 2027"),
        ("date", "14 Marchy"),
        ("date", "14 March 2026 then"),
        ("date", "14 March 26"),
        ("date", "March 14rd"),
        ("date", "04 March 2026"),
        ("date", "2026-02-30"),
        ("date", "2026-3-14"),
        ("date", "03/04/2026"),
        ("date", "12 March"),  # today: a year ago or from now?
        ("date", "1 March"),
        ("date", "Thursday"),  # today, or in a week?
        ("date", "next Friday"),
        ("date", "Fri"),
        ("date", "10 days"),
        ("date", "in 10 days from now"),
        ("date", "in 1 days"),
        ("date", "in zero days"),
        ("date", "in a wee\u212a"),
        ("date", "１4 March 2026"),
        ("time", "15 pm"),
        ("time", "0:30 am"),
        ("time", "3:60 pm"),
        ("time", "3:30"),
        ("time", "9:05"),
        ("time", "24:00"),
        ("time", "15:30:00"),
        ("time", "3 pm "),
        ("time_utc", "15:30"),
        ("datetime", "14 March 2026"),
        ("datetime", "tomorrow at midnight"),
        ("datetime", "tomorrow, 3 pm"),
        ("datetime", "Feb 30 at 3 pm"),
        ("datetime_offset", "14 March 2026 at 3 pm +25:00"),
        ("number", "1,25"),
        ("number", "12,5000"),
        ("number", "007"),
        ("number", "1e5"),
        ("number", "-0"),
        ("number", "+5"),
        ("number", "٣"),
        ("number", "$5"),
        ("number", "5%"),
        ("number", "5 "),
        ("number", "three"),
        ("words", "twenty-eleven"),
        ("words", "eleven hundred and one"),
        ("words", "3"),
        ("count", "-3"),
        ("count", "2.5"),
        ("ordinal", "3th"),
        ("ordinal", "11st"),
        ("ordinal", "0th"),
        ("percent", "15"),
        ("percent", "15%%"),
        ("percentage", "15 %"),
        ("usd", "49.50"),
        ("usd", "€49.50"),
        ("usd", "$49.5"),
        ("usd", "$49.505"),
        ("gbp", "£1,20"),
        ("money", "45"),
        ("money", "PLN45"),
        ("money", "€49.5"),
        ("money", "45 dollars"),
        ("minutes", "1 hours"),
        ("minutes", "2 hour"),
        ("minutes", "a hour"),
        ("minutes", "an minute"),
        ("minutes", "an hour and 90 minutes"),
        ("minutes", "20 minutes and 2 hours"),
        ("minutes", "an hour and a quarter"),
        ("minutes", "45 mi"),
        ("minutes", "45"),
        ("minutes", "2 hours and 5 minutes and 3 seconds"),
        ("literal", ""),
        ("literal", " Oslo"),
        ("literal", "Os\nlo"),
        ("quoted", '"'),
        ("quoted", "Oslo"),
        ("quoted", '"a" and "b"'),
        ("quoted", '“Oslo"'),
        ("quoted", '"Oslo".'),
        ("json", '{"a": 1} '),
        ("json", '{"a": 1, "a": 2}'),
        ("json", "NaN"),
        ("json", "[" * 100_000),
        ("json", ""),
        ("yes_no", "yeah"),
        ("yes_no", "true"),
    ],
)
def test_a_reader_refuses(name, text):
    with pytest.raises(ValueError, match=r".+"):
        VERBALIZERS[name].read(text, SpanContext(today=TODAY))


@pytest.mark.parametrize("text", ["14 March", "tomorrow", "Friday", "in 10 days"])
def test_a_day_without_its_year_needs_to_know_today(text):
    assert VERBALIZERS["date"].read(text, SpanContext(today=TODAY))
    with pytest.raises(ValueError, match=r"year|today"):
        VERBALIZERS["date"].read(text, SpanContext())


@pytest.mark.parametrize(("name", "text"), [("number", "2.5"), ("percent", "15%"), ("hours", "45 minutes")])
def test_whole_numbers_stay_whole(name, text):
    assert VERBALIZERS[name].read(text, SpanContext(schema={"type": ["number", "null"]}))
    with pytest.raises(ValueError, match="whole"):
        VERBALIZERS[name].read(text, SpanContext(schema={"type": "integer"}))


def test_an_enum_value_is_named_by_its_words_or_a_synonym():
    read = VERBALIZERS["enum"].read
    assert read("Done", ENUM) == read("finished", ENUM) == "done"
    assert read("under way", ENUM) == "in_progress"
    assert read("waiting for reply", ENUM) == read("waitingforreply", ENUM) == "waitingForReply"
    nullable = SpanContext(schema={"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}, synonyms=((True, ("always",)),))
    assert read("A", nullable) == "a"
    assert read("always", nullable) is True


@pytest.mark.parametrize("text", ["in progress", "over", "finishe", "", "--", "done."])
def test_an_ambiguous_or_unknown_word_names_no_enum_value(text):
    with pytest.raises(ValueError, match=r".+"):
        VERBALIZERS["enum"].read(text, ENUM)


WORDS = re.findall(
    r"\S+",
    "a an and half hour hours minutes days in at of 1 14 th March may Friday tomorrow am 3:30 2026 2.5 UTC "
    "999999999999999999999 one hundred week weeks from today",
)


@pytest.mark.parametrize("name", one_in(3, VERBALIZERS))
@given(
    text=st.one_of(
        st.text(), st.text("0123456789,.%$:-+ "), st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
    ),
    today=st.none() | st.dates(),
)
def test_any_text_is_read_or_refused(name, text, today):
    with suppress(ValueError):
        VERBALIZERS[name].read(text, SpanContext(today=today, schema={"enum": ["a", "half an"]}))
