"""Expressions give what Python gives, read nothing that is not known, and no text of one does anything else."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import CannotFillError
from generator.dialogue.proof.expressions import EVERY, Names, UnfitError, UntoldError, read_expression

TRAINS = [
    {"id": "T1", "price": 30, "day": "2026-03-02", "stops": []},
    {"id": "T2", "price": 25, "day": "2026-03-04", "stops": [{"at": "Bern"}, {"at": "Thun"}]},
    {"id": "T3", "price": 25, "day": "2026-03-09", "stops": [{"at": "Bern"}]},
]
KNOWN = Names(found={"trains": TRAINS}, low=26, city="Bern", today="2026-03-01")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[t.id for t in found.trains if t.price < low]", ["T2", "T3"]),
        ("most(found.trains, 'price').id", "T1"),
        ("one([t for t in found.trains if t.price > low]).id", "T1"),
        ("len(found.trains) >= 2 and not any([t.price > 40 for t in found.trains])", True),
        ("[s.at for t in found.trains for s in t.stops]", ["Bern", "Thun", "Bern"]),
        ("set([s.at for t in found.trains for s in t.stops])", ["Bern", "Thun"]),
        ("days(today, 3)", "2026-03-04"),
        ("between(today, last(by(found.trains, 'day')).day)", 8),
        ("0.1 + 0.2", 0.3),
        ("sum([t.price for t in found.trains]) / 4", 20.0),
        ("'cheap' if low < 30 else 'dear'", "cheap"),
        ("1 < low <= 26 != 3", True),
        ("{'at': city, 'stops': [low]}", {"at": "Bern", "stops": [26]}),
        ("found.trains[1:][0].id", "T2"),
        ("has('The Bern line', city) and city in ['Bern']", True),
        ("weekday(today)", 6),
    ],
)
def test_an_expression_gives_what_it_says(text: str, value: object) -> None:
    expression = read_expression(text)
    assert expression.value(KNOWN) == value
    assert read_expression(expression.text).value(KNOWN) == value


@pytest.mark.parametrize(
    "text", ["least(found.trains, 'price')", "one(found.trains)", "first([])", "most([], 'price')"]
)
def test_a_selection_that_finds_not_one_thing_fits_no_world(text: str) -> None:
    with pytest.raises(UnfitError):
        read_expression(text).value(KNOWN)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lamp.name", "nothing before this tells 'lamp'"),
        ("foud.trains", 'did you mean "found"?'),
        ("found.trians", 'did you mean "trains"?'),
        ("city.name", "city is no object"),
        ("low + city", "low + city"),
        ("[t.cost for t in found.trains]", "cost"),
    ],
)
def test_what_is_not_known_is_named(text: str, told: str) -> None:
    with pytest.raises(UntoldError, match=None) as fault:
        read_expression(text).value(KNOWN)
    assert told in str(fault.value)


@pytest.mark.parametrize(
    "text",
    [
        *["__import__('os')", "open('x')", "(lambda: 1)()", "city.upper()", "[x for x, y in found]", "f'{low}'"],
        *["low ** low", "low << 9", "{**found}", "*found", "(x := 1)", "found[::2]", "one(things=found)", "", "a b"],
        *["await low", "{1: 2}", "1j", "b'x'", "'\\ud800'", "x" * 5000, "-" * 500 + "1", "[" * 300 + "]" * 300],
    ],
)
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_expression(text)


def test_names_of_python_are_fields_like_any_other() -> None:
    for text in ("city.__class__", "found.trains.append", "low.real"):
        with pytest.raises(UntoldError):
            read_expression(text).value(KNOWN)


@given(st.text(alphabet="abcxyz.()[]{}'\" ,:+-*/<>=!0123456789_forinifelseandnot|\n", max_size=60))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        expression = read_expression(text)
    except ValueError:
        return
    with suppress(CannotFillError):
        expression.value(KNOWN)


def test_the_world_is_read_only_where_it_is_given() -> None:
    expression = read_expression("len(every('light')) == 2")
    with pytest.raises(UntoldError):
        expression.value(KNOWN)
    assert expression.value(Names({EVERY: lambda kind: [1, 2]})) is True


def test_a_computed_name_is_read_as_soon_as_it_can_be() -> None:
    known = Names()
    known.computed = {"it": read_expression("one(found.trains)")}
    with pytest.raises(UntoldError):
        read_expression("it.id").value(known)
    known["found"] = {"trains": TRAINS[:1]}
    assert read_expression("it.id").value(known) == "T1"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x.from", "Oslo"),
        ("[y.class for y in x.in if y.is == 1]", ["a"]),
        ("x.from if x.to == 'from=' else 'to'", "to"),
        ("len(x.from) >= 4", True),
    ],
)
def test_fields_may_be_called_like_words_of_python(text: str, value: object):
    known = Names(x={"from": "Oslo", "to": "Rome", "in": [{"class": "a", "is": 1}, {"class": "b", "is": 2}]})
    assert read_expression(text).value(known) == value
    assert read_expression(read_expression(text).text).value(known) == value
