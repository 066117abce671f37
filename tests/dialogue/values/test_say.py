"""Whatever a verbalizer says, the reader of the same name turns back into exactly that value."""

from datetime import date, timedelta

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from nightly import one_in

from generator.arguments.kinds.other_words import WRITTEN_NAMES, all_other_words, meanings_of, other_words, prefix_of
from generator.arguments.kinds.places import PLACES
from generator.arguments.kinds.units import SIGNS, UNITS
from generator.core.seeds import Draw
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.choose import FAMILIES, verbalizers_for
from generator.dialogue.values.dates import takes_on
from generator.dialogue.values.numbers import Money, currency_in
from generator.dialogue.values.texts import enum_forms
from generator.dialogue.values.voice import SpanContext, Voice, assistant_voice, draw_voice
from generator.dialogue.wording.phrases.value_wording import what_follows

TODAY = date(2026, 3, 12)  # a Thursday


def voice(**habits):
    return Voice(today=habits.pop("today", TODAY), **habits)


voices = st.builds(
    Voice,
    today=st.one_of(st.just(TODAY), st.dates()),
    knows_today=st.booleans(),
    date_style=st.sampled_from(["day_first", "month_first", "iso"]),
    clock=st.sampled_from([12, 24]),
    small_numbers_as_words=st.booleans(),
    thousands_comma=st.booleans(),
    straight_quotes=st.booleans(),
    relative=st.booleans(),
    ordinal_days=st.booleans(),
    short_months=st.booleans(),
    tight_meridiem=st.booleans(),
)

letters = st.characters(exclude_categories=["Cs"])
texts = st.one_of(st.text(letters), st.text(" abc'\"“”\n\t\u2028\\é€", max_size=12), st.text("ab_- AB", max_size=8))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
days = st.one_of(
    st.dates().map(date.isoformat),
    st.integers(-10, 400).map(lambda ahead: (TODAY + timedelta(days=ahead)).isoformat()),
)
clocks = st.times().map(lambda time: time.isoformat("minutes"))
seconds = st.one_of(clocks.map(lambda clock: clock + ":00"), st.times().map(lambda time: time.isoformat("seconds")))
offsets = st.sampled_from(["+02:00", "-05:30", "+00:00", "-00:00", "+14:00"])
cents = st.integers(-(10**7), 10**7).map(lambda number: number / 100)
numbers = st.one_of(
    st.integers(),
    st.integers(-20_000, 20_000),
    cents,
    st.floats(),
    st.sampled_from([0.0, -0.0, 12.0, 1e15, 1e16, 1e22, 1e-7, 0.1 + 0.2, 1234567.891, 10**18]),
)


def moments(between, times, tail=""):
    return st.builds(lambda day, time: f"{day}{between}{time}{tail}", days, times)


VALUES = {
    "literal": texts,
    "quoted": texts,
    "block": st.lists(texts).map("\n".join),
    "pairs": st.dictionaries(st.sampled_from(["Name", "due_on", "X2"]), st.one_of(texts, st.integers(), st.booleans())),
    "json": json_values,
    "yes_no": st.booleans(),
    "enum": texts,
    "number": numbers,
    "digits": st.one_of(st.integers(), st.integers(-20_000, 20_000)),
    "words": st.one_of(st.integers(-5, 120), st.integers(0, 30).map(lambda number: number * 50)),
    "count": st.integers(-5, 20_000),
    "counted": st.integers(-5, 20_000),
    "ordinal": st.integers(-5, 20_000),
    "percent": st.one_of(numbers, st.integers(-1000, 1000).map(lambda number: number / 1000)),
    "percentage": numbers,
    "amount": numbers,
    "usd": numbers,
    "eur": numbers,
    "gbp": numbers,
    "money": st.builds(Money, numbers, st.sampled_from([*SIGNS, "PLN", "KRW", "CHF"])),
    "date": days,
    "time": st.one_of(clocks, clocks.map(lambda time: time + " (next day)")),
    "time_seconds": seconds,
    "time_utc": seconds.map(lambda time: time + "Z"),
    "datetime": moments("T", clocks),
    "datetime_seconds": moments("T", seconds),
    "datetime_utc": moments("T", seconds, "Z"),
    "datetime_offset": st.builds(lambda moment, offset: moment + offset, moments("T", seconds), offsets),
    "datetime_space": moments(" ", clocks),
    "minutes": st.one_of(st.integers(-5, 400), st.integers(), st.integers(0, 400).map(lambda n: n * 30)),
    "seconds": st.one_of(st.integers(-5, 8000), st.integers(), st.integers(0, 400).map(lambda n: n * 1800)),
    "hours": st.one_of(st.integers(-5, 400), st.floats(), st.integers(0, 4000).map(lambda n: n / 8)),
    **{
        unit: st.one_of(st.integers(-5, 5000), st.floats(), st.integers(0, 40_000).map(lambda n: n / 100))
        for unit in UNITS
        if unit not in {"seconds", "minutes", "hours"}
    },
    **{kind: st.sampled_from([*table, "Atlantis"]) for kind, table in WRITTEN_NAMES.items()},
    "meaning": texts,
    "code": st.from_regex(r"(JOB|TEC)-[0-9]{1,6}(-[0-9]+)?|(JOB|TEC)[0-9]{4,7}", fullmatch=True),
    "url": st.from_regex(r"https?://[a-z]{1,8}\.example(/[a-zA-Z0-9_.-]{0,9}){0,2}", fullmatch=True),
    "phone": st.from_regex(r"\+(1[0-9]{10}|447[0-9]{9}|[0-9]{8,12})", fullmatch=True),
    "iso_duration": st.one_of(
        st.from_regex(r"P(T([0-9]{1,2}H)?([0-9]{1,2}M)?|[0-9]{1,2}D)", fullmatch=True),
        st.sampled_from(["PT1H", "PT90M", "P1D", "P7D", "P14D", "PT24H"]),
    ),
    "month_of_year": st.from_regex(r"[12][0-9]{3}-[01][0-9]", fullmatch=True),
    "cents": st.integers(-5, 10**10),
    "thousands": st.one_of(
        numbers, st.integers(0, 10**4).map(lambda n: n * 10**5), st.integers(0, 999).map(lambda n: n * 1000)
    ),
    "share": st.one_of(numbers, st.integers(-2, 22).map(lambda n: n / 20)),
    "city_and_state": st.builds("{}, {}".format, texts, st.sampled_from([*WRITTEN_NAMES["state_code"], "ZZ"])),
    "commas": st.lists(
        texts | st.from_regex(r"[a-z]{1,9}( and|-[0-9])?( [a-z]{1,5})?", fullmatch=True), max_size=4
    ).map(",".join),
    "coordinates": st.sampled_from([*[f"{lat},{lon}" for _, (lat, lon) in PLACES.values()], "1.5,2.5", "Lisbon"]),
    "version": st.from_regex(r"v?[0-9]{1,5}([.][0-9]{1,5}){0,4}", fullmatch=True),
    **dict.fromkeys(
        ("place", "where"),
        st.one_of(st.sampled_from([point for _, point in PLACES.values()]), st.tuples(st.floats(-90, 90), st.floats())),
    ),
}


DRAWN = {*UNITS, *WRITTEN_NAMES} - {"seconds", "minutes", "hours"}
"""Verbalizers that differ in their data alone: one test draws them."""
EACH = [name for name in VERBALIZERS if name not in DRAWN]


def reading(voice, schema=None, synonyms=()):
    return SpanContext(today=voice.today if voice.knows_today else None, schema=schema or {}, synonyms=synonyms)


def schema_of(name, value):
    """The schema of a leaf with such a value."""
    if name == "code" and isinstance(value, str):
        return {"description": f"Identifier, such as {value[:3]}{'-' * ('-' in value)}20417"}
    if name == "version":
        return {"description": "Such as 2.4.1"}
    return {"enum": [value]} if name == "enum" else {}


def is_same(left, right):
    """Equal in Python and JSON: 12 is 12.0, but neither is True."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def test_every_verbalizer_has_values_here():
    assert VERBALIZERS.keys() == VALUES.keys()
    assert set(sum(FAMILIES.values(), ())) <= set(VERBALIZERS)


@pytest.mark.parametrize("text", ["null", "None", "TRUE", "false", "NaN", "undefined", "yes", "No"])
def test_text_that_means_something_else_is_neither_said_nor_read_without_quotation_marks(text):
    assert VERBALIZERS["literal"].say(text, voice()) is None
    assert VERBALIZERS["quoted"].say(text, voice()) == f'"{text}"'
    with pytest.raises(ValueError, match="only in quotation marks"):
        VERBALIZERS["literal"].read(text, reading(voice()))


@pytest.mark.parametrize("name", EACH)
@given(data=st.data(), voice=voices)
def test_a_reader_restores_what_its_verbalizer_says(name, data, voice):
    value = data.draw(VALUES[name])
    text = VERBALIZERS[name].say(value, voice)
    if text is None:
        return
    restored = VERBALIZERS[name].read(text, reading(voice, schema_of(name, value)))
    assert text
    if type(value) is Money:
        assert currency_in(text) == value.currency
        value = value.amount
    assert is_same(restored, value), text
    if type(value) in (int, str):
        assert type(restored) is type(value)


@pytest.mark.parametrize(("name", "value"), [("seconds", 100), ("minutes", 6000), ("hours", 100)])
def test_a_length_of_a_hundred_in_words_is_read(name: str, value: int):
    speaker = voice(small_numbers_as_words=True)
    text = VERBALIZERS[name].say(value, speaker)
    assert text.startswith("one hundred ")
    assert VERBALIZERS[name].read(text, reading(speaker, schema_of(name, value))) == value


@given(data=st.data(), name=st.sampled_from(sorted(DRAWN)), voice=voices)
def test_a_number_of_any_unit_and_a_name_of_any_table_is_restored(data, name, voice):
    value = data.draw(st.one_of(VALUES[name], json_values))
    text = VERBALIZERS[name].say(value, voice)
    if text is not None:
        read = VERBALIZERS[name].read
        assert is_same(read(text, reading(voice)), value), text
        assert read(text.upper(), reading(voice)) == read(text.lower(), reading(voice)) == value


@pytest.mark.parametrize("name", one_in(3, EACH))
@given(data=st.data(), value=json_values, voice=voices)
def test_a_value_of_any_kind_is_restored_or_not_said(name, data, value, voice):
    text = VERBALIZERS[name].say(value, voice)
    if text is not None:
        assert is_same(VERBALIZERS[name].read(text, reading(voice, schema_of(name, value))), value)


@pytest.mark.parametrize("name", VERBALIZERS)
def test_a_number_with_more_digits_than_python_writes_is_not_said(name):
    long = 10**5000
    assert [VERBALIZERS[name].say(value, voice()) for value in (long, {"a": long}, [long])] == [None] * 3


@pytest.mark.parametrize(
    "name",
    sorted(
        set(EACH)
        - {"literal", "quoted", "block", "pairs", "json", "yes_no", "enum"}
        - {"meaning", "url", "code", "city_and_state", "version", "commas", "money"}
    ),
)
@given(data=st.data(), voice=voices)
def test_words_may_be_capitalised(name, data, voice):
    text = VERBALIZERS[name].say(data.draw(VALUES[name]), voice)
    if text is not None:
        read, circumstances = VERBALIZERS[name].read, reading(voice)
        assert read(text.upper(), circumstances) == read(text, circumstances) == read(text.lower(), circumstances)


@settings(max_examples=examples(25))
@given(voice=voices)
def test_days_around_today_are_all_said_differently(voice):
    first = voice.today.toordinal()
    near = [date.fromordinal(day) for day in range(max(first - 500, 1), min(first + 500, date.max.toordinal()))]
    said = [VERBALIZERS["date"].say(day.isoformat(), voice) for day in near]
    assert None not in said
    assert len(set(said)) == len(near)


@pytest.mark.parametrize("clock", [12, 24])
def test_all_minutes_of_a_day_are_said_differently(clock):
    times = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60)]
    assert len({VERBALIZERS["time"].say(time, voice(clock=clock)) for time in times}) == len(times)


@pytest.mark.parametrize("name", ["minutes", "seconds", "hours", "number", "count", "ordinal", "usd", "percentage"])
@settings(max_examples=examples(15))
@given(voice=voices)
def test_whole_numbers_are_all_said_differently(name, voice):
    said = [VERBALIZERS[name].say(number, voice) for number in range(1, 1500)]
    assert len(set(said)) == len(said)


@given(voice=voices, day=days)
def test_nothing_relative_is_said_when_nobody_knows_the_day(voice, day):
    habits = {**{field: getattr(voice, field) for field in voice.__struct_fields__}, "knows_today": False}
    text = VERBALIZERS["date"].say(day, Voice(**habits))
    assert str(int(day[:4])) in text


@pytest.mark.parametrize(
    ("name", "value", "habits", "text"),
    [
        ("date", "2026-03-14", {}, "14 March 2026"),
        ("date", "2026-03-14", {"date_style": "month_first"}, "March 14, 2026"),
        ("date", "2026-03-14", {"date_style": "iso"}, "2026-03-14"),
        ("date", "2026-04-14", {"knows_today": True}, "14 April"),
        ("date", "2026-04-14", {"knows_today": True, "date_style": "month_first", "ordinal_days": True}, "April 14th"),
        ("date", "2026-09-02", {"short_months": True}, "2 Sep 2026"),
        ("date", "2027-03-10", {"knows_today": True}, "10 March 2027"),
        ("date", "2026-03-13", {"relative": True}, "13 March 2026"),
        ("date", "2026-03-13", {"knows_today": True, "relative": True}, "tomorrow"),
        ("date", "2026-03-16", {"knows_today": True, "relative": True}, "Monday"),
        ("date", "2026-03-19", {"knows_today": True, "relative": True}, "a week from today"),
        ("date", "2026-03-20", {"knows_today": True, "relative": True}, "20 March"),
        ("time", "15:30", {}, "3:30 pm"),
        ("time", "15:00", {"tight_meridiem": True}, "3pm"),
        ("time", "12:00", {}, "noon"),
        ("time", "09:05", {"clock": 24}, "09:05"),
        ("time", "03:16 (next day)", {}, "3:16 am the next day"),
        ("datetime", "2026-03-14T15:30", {}, "14 March 2026 at 3:30 pm"),
        ("datetime", "2026-03-13T00:00", {"knows_today": True, "relative": True}, "tomorrow at 12 am"),
        ("datetime_utc", "2026-03-14T15:30:00Z", {"clock": 24}, "14 March 2026 at 15:30 UTC"),
        ("datetime_offset", "2026-03-14T15:30:20+02:00", {"clock": 24}, "14 March 2026 at 15:30:20 +02:00"),
        ("number", 1250, {"thousands_comma": True}, "1250"),
        ("number", 12500.5, {"thousands_comma": True}, "12,500.5"),
        ("number", 12.0, {}, "12"),
        ("number", 1e-5, {}, "0.00001"),
        ("words", 21, {}, "twenty-one"),
        ("count", 3, {"small_numbers_as_words": True}, "three"),
        ("counted", 0, {}, "no"),
        ("counted", 2, {}, "2"),
        ("ordinal", 3, {}, "3rd"),
        ("ordinal", 12, {"small_numbers_as_words": True}, "12th"),
        ("percent", 0.15, {}, "15%"),
        ("percent", 0.075, {}, "7.5%"),
        ("percentage", 15, {}, "15%"),
        ("percentage", 15, {"small_numbers_as_words": True}, "fifteen percent"),
        ("usd", 49.5, {}, "$49.50"),
        ("gbp", 1200, {"thousands_comma": True}, "£1,200"),
        ("money", Money(12.5, "EUR"), {}, "€12.50"),
        ("money", Money(3400, "JPY"), {"thousands_comma": True}, "¥3,400"),
        ("money", Money(45, "PLN"), {}, "PLN 45"),
        ("usd", 49.123, {}, None),
        ("usd", 50, {"small_numbers_as_words": True}, "fifty dollars"),
        ("gbp", 1.0, {"small_numbers_as_words": True}, "one pound"),
        ("eur", 120, {"small_numbers_as_words": True}, "€120"),
        ("usd", 25_000, {"tight_meridiem": True}, "$25k"),
        ("amount", 7.9, {}, "7.90"),
        ("minutes", 90, {}, "an hour and a half"),
        ("minutes", 45, {}, "45 minutes"),
        ("minutes", 140, {"small_numbers_as_words": True}, "two hours and twenty minutes"),
        ("minutes", 2880, {}, "2 days"),
        ("seconds", 90, {}, "90 seconds"),
        ("seconds", 200, {}, "3 minutes and 20 seconds"),
        ("hours", 2.5, {}, "2.5 hours"),
        ("hours", 2.5, {"small_numbers_as_words": True}, "two and a half hours"),
        ("hours", 0.5, {}, "half an hour"),
        ("enum", "in_progress", {}, "in progress"),
        ("enum", "USD", {}, "USD"),
        ("enum", "MEDIUM", {}, "medium"),
        ("enum", "inProgress", {}, "in progress"),
        ("yes_no", False, {}, "no"),
        ("quoted", "It's late", {}, '"It\'s late"'),
        ("quoted", 'Say "hi"', {}, "'Say \"hi\"'"),
        ("quoted", 'It\'s "late"', {}, None),
        ("quoted", "two\nlines", {}, None),
        ("quoted", "Hello", {"straight_quotes": False}, "“Hello”"),
        ("block", "# Setup\n\nRun it.", {}, "```\n# Setup\n\nRun it.\n```"),
        ("block", "ends with a line\n", {}, None),
        ("block", "```", {}, None),
        ("pairs", {"Name": "Landing page", "Pages": 24}, {}, 'Name "Landing page" and Pages 24'),
        ("pairs", {"Name": 'the "new" page'}, {}, None),
        ("literal", "Oslo", {}, "Oslo"),
        ("literal", " Oslo", {}, None),
        ("literal", 'the "Blue" room', {}, None),
        ("literal", "x" * 81, {}, None),
        ("json", {"a": "é\u202e"}, {}, '{"a": "é\\u202e"}'),
        ("json", float("nan"), {}, None),
        ("kilograms", 0.75, {}, "750 grams"),
        ("kilograms", 0.5, {}, "half a kilo"),
        ("kilograms", 12.5, {"tight_meridiem": True}, "12.5 kg"),
        ("kilograms", 0.005, {}, "5 grams"),
        ("meters", 1600, {"tight_meridiem": True}, "1.6 km"),
        ("meters", 1650, {}, "1650 metres"),
        ("meters", 400, {"date_style": "month_first"}, "400 meters"),
        ("kilometers", 1, {"date_style": "month_first"}, "1 kilometer"),
        ("milliseconds", 1500, {}, "1.5 seconds"),
        ("days", 14, {"small_numbers_as_words": True}, "two weeks"),
        ("days", 10, {}, "10 days"),
        ("months", 24, {}, "2 years"),
        ("months", 18, {}, "18 months"),
        ("megabytes", 1 / 3, {}, None),
        ("celsius", 21, {"tight_meridiem": True}, "21 °C"),
        ("country_code", "NO", {}, "Norway"),
        ("currency_code", "JPY", {"short_months": True}, "yen"),
        ("currency_code", "XYZ", {}, None),
        ("timezone", "America/New_York", {}, "New York time"),
        ("hex_color", "#000080", {}, "navy blue"),
        ("code", "JOB-20417", {}, "20417"),
        ("code", "PX3016864", {}, "3016864"),
        ("code", "LH450", {}, None),
        ("words", 250, {}, "two hundred and fifty"),
        ("words", 250, {"date_style": "month_first"}, "two hundred fifty"),
        ("words", 1000, {}, "a thousand"),
        ("words", 1050, {}, None),
        ("words", 260, {}, None),
        ("commas", "red,green", {}, "red and green"),
        ("commas", "red,bright green,blue", {}, "red, bright green and blue"),
        ("commas", "salt and pepper,oil", {}, None),
        ("commas", "red, green", {}, None),
        ("commas", "red", {}, None),
        ("version", "2.150", {"small_numbers_as_words": True}, "v2.150"),
        ("version", "2.4.1", {}, "v2.4.1"),
        ("version", "2.10", {"small_numbers_as_words": True}, "two point ten"),
        ("version", "2.101", {"small_numbers_as_words": True}, "v2.101"),
        ("url", "https://wiki.example.com/style-guide", {}, "wiki.example.com/style-guide"),
        ("url", "http://wiki.example.com", {}, None),
        ("phone", "+14155550102", {}, "+1 415 555 0102"),
        ("phone", "312-555-0100", {}, None),
        ("iso_duration", "PT1H30M", {}, "an hour and a half"),
        ("iso_duration", "P7D", {}, "a week"),
        ("iso_duration", "PT90M", {}, None),
        ("month_of_year", "2026-03", {}, "March 2026"),
        ("cents", 4950, {}, "49.50"),
        ("thousands", 25_000, {}, "25 thousand"),
        ("thousands", 25_000, {"tight_meridiem": True}, "25k"),
        ("thousands", 1_500_000, {}, "1.5 million"),
        ("thousands", 25_300, {}, None),
    ],
)
def test_values_are_said_as_people_type_them(name, value, habits, text):
    assert VERBALIZERS[name].say(value, voice(**habits)) == text


def test_on_is_left_out_before_relative_days():
    assert not takes_on("tomorrow at 3 pm")
    assert not takes_on("the day after tomorrow")
    assert takes_on("Friday")
    assert takes_on("14 March")


@given(
    members=st.lists(st.text("ab_- AB", max_size=5), max_size=5, unique=True),
    extra=st.lists(st.tuples(st.integers(0, 4), st.text("ab_- AB", min_size=1, max_size=5)), max_size=5),
)
def test_a_form_of_an_enum_value_stands_for_that_value_alone(members, extra):
    synonyms = tuple((members[index], (form,)) for index, form in extra if index < len(members))
    forms = enum_forms(members, synonyms)
    circumstances = SpanContext(schema={"enum": members}, synonyms=synonyms)
    for value, texts_of_value in forms.items():
        for text in texts_of_value:
            assert VERBALIZERS["enum"].read(text, circumstances) == value


def test_synonyms_come_first_and_ambiguous_forms_are_dropped():
    synonyms = (("premium_economy", ("premium economy", "comfort class")), ("business", ("comfort class",)))
    assert enum_forms(["economy", "premium_economy", "business"], synonyms) == {
        "premium_economy": ("premium economy",),
        "business": ("business",),
        "economy": ("economy",),
    }
    assert enum_forms(["a_b", "a-b", "c"]) == {"c": ("c",)}
    assert enum_forms(["LOW", "MEDIUM"]) == {"LOW": ("low",), "MEDIUM": ("medium",)}
    assert enum_forms(["USD", "EUR"]) == {"USD": ("USD",), "EUR": ("EUR",)}
    assert enum_forms(["YYYY-MM-DD", "READ-ONLY"]) == {"YYYY-MM-DD": ("YYYY-MM-DD",), "READ-ONLY": ("read-only",)}


@pytest.mark.parametrize(
    ("schema", "name", "names"),
    [
        ({"type": "string"}, "city", ("literal", "quoted", "json")),
        ({"type": "string"}, "body", ("quoted", "json")),
        ({"type": "string"}, "messageText", ("quoted", "json")),
        ({"type": "string"}, "message_id", ("literal", "quoted", "json")),
        ({"type": "string", "maxLength": 1000}, "bulletin", ("quoted", "json")),
        ({"type": "string", "format": "date"}, "day", ("date", "literal", "quoted", "json")),
        ({"type": "string", "format": "email"}, "to", ("literal", "quoted", "json")),
        ({"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}, "at", ("time", "literal", "quoted", "json")),
        (
            {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$"},
            "start",
            ("datetime", "literal", "quoted", "json"),
        ),
        ({"type": "string", "pattern": "^ORD-[0-9]{6}$"}, "order_id", ("literal", "quoted", "json")),
        ({"type": "string", "pattern": "^.+$"}, "label", ("literal", "quoted", "json")),
        ({"enum": ["in_progress", "done"]}, "status", ("enum", "literal", "quoted", "json")),
        ({"enum": ["a_b", "a-b"]}, "status", ("literal", "quoted", "json")),
        ({"type": "integer"}, "guests", ("number", "words", "json")),
        ({"type": "integer"}, "order_number", ("digits", "number", "json")),
        ({"type": "number"}, "price", ("amount", "number", "json")),
        ({"type": "number"}, "distance_km", ("number", "json")),
        ({"type": "boolean"}, "direct_only", ("yes_no", "json")),
        ({"type": ["string", "null"]}, "note", ("quoted", "json")),
        (
            {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
            "until",
            ("date", "literal", "quoted", "json"),
        ),
        ({"type": "array", "items": {}}, "tags", ("json",)),
        ({}, "anything", ("literal", "quoted", "number", "yes_no", "json")),
    ],
)
def test_verbalizers_are_chosen_by_schema_and_name(schema, name, names):
    assert verbalizers_for(schema, name) == names


@given(
    schema=st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"]),
            "enum": st.lists(json_values, max_size=3),
            "format": st.sampled_from(["date", "time", "date-time", "email", "other"]),
            "pattern": st.sampled_from(["(", "^a$", r"^\d\d:\d\d$"]),
        },
    ),
    name=st.text(max_size=8),
    value=json_values,
    voice=voices,
)
def test_there_is_always_a_way_to_say_a_value(schema, name, value, voice):
    names = verbalizers_for(schema, name)
    assert names[-1] == "json"
    assert any(VERBALIZERS[found].say(value, voice) is not None for found in names)


def test_the_kind_of_a_value_says_how_it_is_said():
    assert verbalizers_for({"type": "string"}, "x", kind="message") == ("quoted", "json")
    assert verbalizers_for({"type": "number"}, "max_price_per_hour") == ("amount", "number", "json")
    assert verbalizers_for({"type": "integer"}, "x", kind="year") == ("number", "json")
    assert verbalizers_for({"type": "string"}, "x", kind="local_date_time_seconds")[0] == "datetime_seconds"
    assert verbalizers_for({"type": "string"}, "date") == ("literal", "quoted", "json")


def test_a_template_may_ask_for_a_verbalizer():
    assert verbalizers_for({"type": "string"}, "body", "quoted") == ("quoted", "json")
    assert verbalizers_for({"type": "string"}, "start", "datetime")[:3] == (
        "datetime",
        "datetime_seconds",
        "datetime_utc",
    )


@given(seed=st.integers(0, 2**32), knows_today=st.booleans())
def test_the_same_draw_gives_the_same_voice(seed, knows_today):
    first, second = (draw_voice(Draw(seed, TODAY), TODAY, knows_today) for _ in range(2))
    assert first == second
    assert (first.today, first.knows_today) == (TODAY, knows_today)


@given(voice=voices, day=days)
def test_the_assistant_says_no_relative_days(voice, day):
    text = VERBALIZERS["date"].say(day, assistant_voice(voice))
    assert any(character.isdigit() for character in text)


def test_voices_differ():
    draw = Draw(1, TODAY)
    drawn = {repr(draw_voice(draw, TODAY, True)) for _ in range(200)}
    assert len(drawn) > 60


def test_lists_are_joined_with_commas_and_one_word():
    assert what_follows(0) == what_follows(1) == ("",)
    assert what_follows(2) == (" and ", "")
    assert what_follows(4) == (", ", ", ", " and ", "")


@pytest.mark.parametrize(
    ("name", "schema", "found"),
    [
        ("radius_km", {"type": "number"}, ("kilometers", "words")),
        ("km", {"type": "number"}, ("kilometers", "words")),
        ("duration", {"type": "integer", "description": "Duration in minutes"}, ("minutes", "words")),
        ("weight", {"type": "number", "description": "Weight (kg)"}, ("kilograms", "words")),
        ("speed", {"type": "number", "description": "Speed in km/h"}, ()),
        ("time", {"type": "number", "description": "In hours or in minutes"}, ()),
        ("pause", {"type": "integer", "description": "Pause in milliseconds"}, ("milliseconds", "words")),
        ("amount", {"type": "integer", "description": "Amount in cents"}, ("cents",)),
        ("amount", {"type": "number", "description": "Amount in EUR"}, ("eur",)),
        ("budget", {"type": "integer"}, ("thousands", "words")),
        ("threshold", {"type": "number", "minimum": 0, "maximum": 1}, ("share", "percent")),
        ("temperature", {"type": "number", "minimum": 0, "maximum": 1}, ()),
        ("discount", {"type": "number", "description": "Discount as a fraction"}, ("share", "percent")),
        ("location", {"type": "string", "description": "City and state"}, ("city", "airport_code", "city_and_state")),
        ("version", {"type": "string", "description": "A version, e.g. 2.4.1"}, ("version",)),
        ("coordinates", {"type": "string", "description": "Latitude and longitude, as lat,lng"}, ("coordinates",)),
        ("lat_lng", {"type": "string"}, ("coordinates",)),
        ("coordinates", {"type": "string", "description": "longitude,latitude"}, ()),
        ("tags", {"type": "string", "description": "Comma-separated tags"}, ("commas",)),
        ("tags", {"type": "string", "description": "Tags, separated by commas, e.g. 'red, green'"}, ()),
        ("tags", {"type": "string", "description": "Tags"}, ()),
        ("coordinates", {"type": "string"}, ()),
        ("coordinates", {"type": "string", "description": "lat,lng (not lng,lat)"}, ()),
        ("version", {"type": "string", "pattern": r"^\d+\.\d+$"}, ("version",)),
        ("version", {"type": "string", "pattern": r"^v?\d+\.\d+$"}, ()),
        ("version", {"type": "string"}, ()),
        ("vat_percent", {"type": "number"}, ("percentage",)),
        ("limit", {"type": "integer"}, ("words",)),
        ("user_id", {"type": "integer"}, ()),
        ("port", {"type": "integer"}, ()),
        (
            "country",
            {"type": "string", "description": "ISO 3166 code of the country"},
            ("country_code", "country_code_3", "country"),
        ),
        ("to", {"type": "string", "enum": ["EUR", "USD"], "description": "Currency code"}, ("currency_code",)),
        ("order", {"type": "string", "enum": ["asc", "desc"]}, ("meaning",)),
        ("job_id", {"type": "string", "description": "e.g. 'JOB-20417'"}, ("code",)),
        ("job_id", {"type": "string", "description": "e.g. 'JOB-20417' or 'OPS-12'"}, ()),
        ("link", {"type": "string", "format": "uri"}, ("url",)),
        ("phone", {"type": "string", "description": "In E.164 format"}, ("phone",)),
        ("colour", {"type": "string", "description": "Hex color"}, ("hex_color",)),
        ("to", {"type": "string", "format": "email"}, ()),
        ("note", {"type": "string"}, ()),
        ("ready", {"type": "boolean"}, ()),
    ],
)
def test_what_is_known_of_a_leaf_tells_in_which_words_its_values_may_be_said(name, schema, found):
    assert other_words(schema, name) == found
    assert set(found) <= set(VERBALIZERS)


def test_all_other_words_have_verbalizers():
    assert set(all_other_words()) <= set(VERBALIZERS)


def test_a_form_that_could_mean_two_members_is_left_out():
    assert meanings_of(["done", "cancelled"])["done"] == ("finished", "completed")
    assert "done" not in meanings_of(["done", "completed", "finished"])
    assert meanings_of(["asc", "desc"])["asc"][-1] == "lowest first"


@given(
    members=st.lists(
        st.sampled_from(["done", "finished", "completed", "open", "asc", "desc", "mon", "In_Transit", "paid"]),
        unique=True,
    )
)
def test_what_a_member_means_stands_for_that_member_alone(members):
    for member, forms in meanings_of(members).items():
        for form in forms:
            assert VERBALIZERS["meaning"].read(form.upper(), SpanContext(schema={"enum": members})) == member


@pytest.mark.parametrize("kind", WRITTEN_NAMES)
def test_a_name_stands_for_one_value(kind):
    for value, forms in WRITTEN_NAMES[kind].items():
        assert [VERBALIZERS[kind].read(form, SpanContext()) for form in forms] == [value] * len(forms)
    with pytest.raises(ValueError, match="no value"):
        VERBALIZERS[kind].read("Atlantis", SpanContext())


def test_letters_that_several_identifiers_share_are_told_by_the_schema():
    assert prefix_of({"pattern": "^PRJ-[0-9]{4}$"}) == "PRJ-"
    assert prefix_of({"description": "such as PX3016864"}) == "PX"
    assert prefix_of({"pattern": "^[A-Z]{3}-[0-9]{4}$"}) is None
    with pytest.raises(ValueError, match="not the number"):
        VERBALIZERS["code"].read("20417", SpanContext(schema={"description": "JOB-1 or TEC-2"}))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kilograms", "5 miles"),
        ("cents", "49.5"),
        ("thousands", "2.5k"),
        ("days", "a fortnight"),
        ("url", "https://x.example"),
        ("phone", "555 0102"),
    ],
)
def test_words_that_say_something_else_are_refused(name, text):
    with pytest.raises(ValueError, match="is no"):
        VERBALIZERS[name].read(text, SpanContext())
