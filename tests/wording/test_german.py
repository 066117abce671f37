"""Whatever is said in German, the German reader of the same name turns back into exactly that value."""

from datetime import date, timedelta

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.validation.readers import READERS_IN, SpanContext
from generator.wording.verbalizers import SAYERS
from generator.wording.voice import Voice

TODAY = date(2026, 3, 12)  # a Thursday
SAY, READ = SAYERS["de"], READERS_IN["de"]
OWN = sorted({*SAY} - {"literal", "block", "json", "code", "url", "digits", "enum"})

voices = st.builds(
    Voice,
    today=st.just(TODAY),
    knows_today=st.booleans(),
    date_style=st.sampled_from(["day_first", "month_first", "iso"]),
    clock=st.sampled_from([12, 24]),
    small_numbers_as_words=st.booleans(),
    thousands_comma=st.booleans(),
    straight_quotes=st.booleans(),
    relative=st.booleans(),
    tight_meridiem=st.booleans(),
)
days = st.one_of(
    st.dates().map(date.isoformat),
    st.integers(-10, 400).map(lambda ahead: (TODAY + timedelta(days=ahead)).isoformat()),
)
clocks = st.times().map(lambda time: time.isoformat("minutes"))
numbers = st.one_of(
    st.integers(),
    st.integers(-20_000, 20_000),
    st.integers(-(10**7), 10**7).map(lambda number: number / 100),
    st.integers(-(10**5), 10**5).map(lambda number: number / 1000),
    st.floats(),
)
moments = st.builds("{}T{}".format, days, clocks)
quotations = st.one_of(st.text(max_size=12), st.text(" ab\"'„“”", max_size=6))
OF_KIND = {"date": days, "date_of": days, "date_alone": days, "time": clocks, "datetime": moments, "quoted": quotations}
lengths = st.one_of(st.integers(-5, 400), st.integers(0, 4000).map(lambda n: n / 8))
OF_KIND |= {
    "minutes": lengths,
    "hours": lengths,
    "words": st.integers(-1, 20),
    "titled": st.one_of(
        st.text(max_size=6), st.text(max_size=6).map("Dr {}".format), st.text(max_size=6).map("Dr. {}".format)
    ),
    "yes_no": st.booleans(),
}
anything = st.one_of(st.none(), st.booleans(), numbers, days, clocks, quotations)


@st.composite
def names_and_values(draw: st.DrawFn) -> tuple[str, object]:
    """A verbalizer, and a value that it can mostly say."""
    name = draw(st.sampled_from(OWN))
    return name, draw(st.one_of(OF_KIND.get(name, numbers), OF_KIND.get(name, numbers), anything))


def reading(voice: Voice) -> SpanContext:
    return SpanContext(voice.today if voice.knows_today else None)


def test_each_has_a_reader():
    assert SAY.keys() == READ.keys()


@settings(max_examples=examples(400))
@given(drawn=names_and_values(), voice=voices)
def test_a_reader_restores_what_is_said(drawn, voice):
    name, value = drawn
    text = SAY[name].say(value, voice)
    if text is None:
        return
    restored = READ[name](text, reading(voice))
    assert restored == value
    assert isinstance(restored, bool) == isinstance(value, bool)
    if name not in ("quoted", "usd", "eur"):  # words may be capitalised
        assert READ[name](text[:1].upper() + text[1:], reading(voice)) == value


def test_each_says_something():
    said = {
        "date": "2026-05-04",
        "time": "09:30",
        "datetime": "2026-05-04T09:30",
        "quoted": "so",
        "yes_no": True,
        "titled": "Dr Ida Roth",
    }
    for name in OWN:
        value = next((said[word] for word in said if name == word or name.startswith(f"{word}_")), 2)
        assert SAY[name].say(value, Voice(TODAY)), name


@pytest.mark.parametrize(
    ("name", "value", "habits", "text"),
    [
        ("date", "2026-05-04", {}, "am 4. Mai 2026"),
        ("date", "2026-05-04", {"knows_today": True}, "am 4. Mai"),
        ("date", "2026-05-04", {"date_style": "iso"}, "am 04.05.2026"),
        ("date", "2026-03-13", {"knows_today": True, "relative": True}, "morgen"),
        ("date", "2026-03-16", {"knows_today": True, "relative": True}, "am Montag"),
        ("date_of", "2026-03-01", {"knows_today": True, "relative": True}, "vom 1. März 2026"),
        ("date_of", "2026-03-11", {"knows_today": True, "relative": True}, "von gestern"),
        ("date_alone", "2026-03-14", {"knows_today": True, "relative": True}, "übermorgen"),
        ("time", "15:30", {}, "15:30 Uhr"),
        ("time", "09:00", {}, "9 Uhr"),
        ("time", "09:00", {"clock": 24}, "9:00 Uhr"),
        ("datetime", "2026-05-04T15:30", {}, "am 4. Mai 2026 um 15:30 Uhr"),
        ("number", 1234.5, {}, "1234,5"),
        ("number", 12345.5, {"thousands_comma": True}, "12.345,5"),
        ("count", 3, {"small_numbers_as_words": True}, "drei"),
        ("percentage", 15, {}, "15 %"),
        ("percent", 0.075, {}, "7,5 %"),
        ("eur", 12.5, {}, "12,50 €"),
        ("eur", 1234.5, {"thousands_comma": True}, "1.234,50 €"),
        ("usd", 40, {"tight_meridiem": True}, "40 Dollar"),
        ("minutes", 90, {}, "anderthalb Stunden"),
        ("minutes", 80, {"small_numbers_as_words": True}, "eine Stunde und 20 Minuten"),
        ("minutes", 120, {"small_numbers_as_words": True}, "zwei Stunden"),
        ("hours", 2.5, {}, "2,5 Stunden"),
        ("yes_no", True, {}, "ja"),
        ("titled", "Dr Ida Roth", {}, "Dr. Ida Roth"),
        ("titled", "Ida Roth", {}, "Ida Roth"),
        ("titled", "Dr. Ida Roth", {}, None),
        ("quoted", "Es ist spät", {"straight_quotes": False}, "„Es ist spät“"),
        ("quoted", 'Sag "ja"', {}, None),
    ],
)
def test_values_are_said_as_people_say_them(name, value, habits, text):
    assert SAY[name].say(value, Voice(TODAY, **habits)) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("date", "4. Mai 2026"),  # "am" is a part of it
        ("date", "am 31. April 2026"),
        ("date", "am Donnerstag"),  # today, or in a week
        ("date_of", "vom 4. Mai 20266"),
        ("time", "24 Uhr"),
        ("time", "15:30"),
        ("number", "1,234.5"),
        ("number", "1.23"),
        ("number", "-0"),
        ("eur", "12,5 €"),
        ("eur", "12,50 $"),
        ("count", "eins"),
        ("minutes", "eine Stunde und 70 Minuten"),
        ("minutes", "20 Minuten und eine Stunde"),
        ("minutes", "1 Minuten"),
        ("minutes", "zwei Stunde"),
        ("hours", "eine Stunden"),
        ("yes_no", "jein"),
        ("quoted", "„so"),
    ],
)
def test_what_is_no_value_is_not_read(name, text):
    with pytest.raises(ValueError, match=r"."):
        READ[name](text, SpanContext(TODAY, {"type": "number"}))
