"""The phrase language: what it reads, and what it refuses."""

import pytest

from generator.core.templates import Plural, Slot, parse_template


def test_text_slots_verbalizers_and_plurals() -> None:
    template = parse_template("book {nights} {nights?night|nights} in {city:literal}")
    assert template.segments == (
        "book ",
        Slot("nights", "arguments"),
        " ",
        Plural("nights", "arguments", "night", "nights"),
        " in ",
        Slot("city", "arguments", "literal"),
    )
    assert template.says == {"nights", "city"}


def test_answers_speak_of_results_and_of_arguments() -> None:
    template = parse_template("{flights#} {flights#?flight|flights} to {args.city}", "result")
    assert template.needs == {"flights"}
    assert template.arguments == {"city"}
    assert template.segments[0] == Slot("flights", "result", None, count=True)


def test_a_plural_needs_its_number_but_does_not_say_it() -> None:
    template = parse_template("for {n?one person|several people}")
    assert template.says == frozenset()
    assert template.needs == {"n"}


def test_a_capital_makes_a_sentence() -> None:
    assert parse_template("Direct flights only.").is_sentence
    assert not parse_template("in {cabin}").is_sentence


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("in {cabin", "brace"),
        ("in cabin}", "brace"),
        ("for {}", "not a slot"),
        ("for 2 people", "digit"),
        (" in {city}", "space"),
        ("", "empty"),
        ("{n?only one form}", "not a slot"),
        ("{city:no such thing!}", "not a slot"),
    ],
)
def test_what_is_not_a_phrase_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_template(text)
