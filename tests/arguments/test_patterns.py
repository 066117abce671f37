"""Sampled texts match their pattern; what cannot be sampled is refused."""

import random
import re

import jsonschema_rs
import pytest
from arguments.making import arguments_of, tool_of
from hypothesis import given
from hypothesis import strategies as st

from generator.arguments import property_based
from generator.arguments.reading.patterns import compile_pattern, read_pattern
from generator.arguments.vocabulary.words import WORDS

ATOMS = st.sampled_from(
    [
        "a",
        "-",
        "\\.",
        "[a-z]",
        "[A-Z0-9]",
        "[^a-z]",
        "\\d",
        "\\w",
        "\\s",
        "\\S",
        ".",
        "[\\w-]",
        "[a\\-z]",
        "\\x41",
        "\\u00e9",
        " ",
        "/",
    ]
)
REPEATS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,3}", "{2,}", "+?", "{3,5}?"])


def _nested(children):
    group = st.tuples(st.sampled_from(["(", "(?:", "(?P<n>".replace("P", "")]), children, st.just(")"), REPEATS).map(
        "".join
    )
    return st.one_of(st.tuples(children, children).map("".join), st.tuples(children, children).map("|".join), group)


PATTERNS = st.recursive(st.tuples(ATOMS, REPEATS).map("".join), _nested, max_leaves=6)


@given(PATTERNS, st.integers(0, 2**32), st.sampled_from([6, 20]))
def test_every_sampled_text_matches(pattern, seed, stretch):
    names = iter(range(1000))
    distinct = re.sub(r"\(\?<n>", lambda _: f"(?<n{next(names)}>", pattern)
    matches = jsonschema_rs.validator_for({"pattern": f"^(?:{distinct})$"}).is_valid  # in linear time, unlike `re`
    write = compile_pattern(read_pattern(pattern), stretch)
    rand = random.Random(seed).random
    for _ in range(5):
        assert matches(write(rand)), pattern


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(?=a", "without"),
        ("(?=(a)\\1)", "back-reference"),
        ("(a)\\1", "back-reference"),
        ("(?<n>a)\\k<n>", "back-reference"),
        ("(?i)a", "is not handled"),
        ("\\p{Emoji}", "is not handled"),
        ("\\p{Script=Klingon}", "is not handled"),
        ("a**", "nothing to repeat"),
        ("(a", "without"),
        ("a)", "unexpected"),
        ("[a", "ends too early"),
        ("[z-a]", "backwards"),
        ("a{3,1}", "is not handled"),
        ("a\\", "ends too early"),
    ],
)
def test_what_cannot_be_sampled_is_refused(pattern, told):
    with pytest.raises(ValueError, match=told):
        read_pattern(pattern)


def test_words_are_written_where_words_fit():
    rand = random.Random(3).random
    slug = compile_pattern(read_pattern("^[a-z]+(-[a-z]+)*$"))
    assert all(part.isalpha() and len(part) > 1 for _ in range(20) for part in slug(rand).split("-"))
    name = compile_pattern(read_pattern("^[A-Z][a-z]+$"))
    assert all(name(rand).istitle() for _ in range(20))
    label = compile_pattern(read_pattern("^[a-z][a-z0-9-]{2,20}$"))
    assert all(set(label(rand).split("-")) <= set(WORDS) for _ in range(40))
    code = compile_pattern(read_pattern("^[a-z][a-z0-9]{7}$"))
    assert any(character.isdecimal() for character in code(rand))


AROUND = (
    "^(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9]).{8,}$",
    "^(?=.*\\d)(?=.*[!@#$%])[A-Za-z\\d!@#$%]{8,16}$",
    "^(?!admin)[a-z]{3,12}$",
    "^[0-9]+(?= kg) kg$",
    "(?<=EUR )[0-9]{2}",
    "^(?!.*--)[a-z0-9-]{1,20}(?<!-)$",
    "^\\p{Lu}\\p{Ll}+$",
    "^\\p{Letter}+$",
    "^[\\p{L}\\p{M}' -]{2,30}$",
    "^\\p{Script=Greek}{4,9}$",
    "^\\p{sc=Cyrillic}+$",
    "^\\P{Letter}{3}$",
    "^\\p{Currency_Symbol}[0-9]{2}$",
)


@pytest.mark.parametrize("pattern", AROUND)
@pytest.mark.parametrize("source", ["realistic", "property_based"])
def test_patterns_that_look_around_or_name_classes_of_letters_are_met(pattern, source, monkeypatch):
    monkeypatch.setattr(property_based, "POOL_SIZE", 10)
    schema = {"type": "object", "properties": {"x": {"type": "string", "pattern": pattern}}, "required": ["x"]}
    made = arguments_of(tool_of(schema), 20, source=((source, 1.0),))
    assert all(map(jsonschema_rs.validator_for(schema).is_valid, made))
    assert len({row["x"] for row in made}) > 4


@pytest.mark.parametrize(
    ("pattern", "numbers"), [("[a-f0-9]{24}", 24), ("[a-f0-9]{25}", 25), ("[a-f0-9]{40}", 40), ("([a-f]-){30}", 30)]
)
def test_a_text_of_a_fixed_length_takes_a_number_for_each_letter_that_varies(pattern: str, numbers: int) -> None:
    """A number more or less, and everything drawn after it would be another value."""
    stream, taken = random.Random(1), []

    def rand() -> float:
        taken.append(stream.random())
        return taken[-1]

    compile_pattern(read_pattern(pattern), 6)(rand)
    assert len(taken) == numbers
