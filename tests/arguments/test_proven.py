"""Values are checked when they are made unless all of them have been checked before."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.arguments import compile_value, sources
from generator.arguments.reading.patterns import read_pattern
from generator.arguments.sampling import leaves
from generator.arguments.sampling.leaves import choose_from
from generator.arguments.sampling.pattern_values import compile_pattern, letters_of
from generator.arguments.sampling.proven import is_proven, letter_by_letter
from generator.seeds import Draw

PART = st.sampled_from(["A", "%", "-", "[A-F]", "[0-9]", "[0-9]{6}", "\\d{2}", "[xy]{3}", "([A-Z]\\d){2}", "[A-Z][a-z]{5}"])


@given(st.lists(PART, min_size=1, max_size=5).map("".join), st.integers(0, 2**32))
def test_every_letter_of_a_sampled_text_is_one_that_was_tested(pattern: str, seed: int) -> None:
    tree = read_pattern(f"^{pattern}$")
    write, places = compile_pattern(tree), letters_of(tree)
    assert places is not None
    assert is_proven(letter_by_letter(lambda draw: "", places), leaves.tester({"pattern": f"^{pattern}$"}))
    text = write(Draw(seed, date(2026, 3, 1)).rand)
    assert len(text) == len(places)
    assert all(letter in place for letter, place in zip(text, places, strict=True))


@pytest.mark.parametrize("pattern", ["^a|b$", "^[0-9]+$", "^[a-z]{1,3}$", "^(ab?)$"])
def test_texts_of_several_lengths_or_ways_are_not_tested_by_letters(pattern: str) -> None:
    assert letters_of(read_pattern(pattern)) is None


def test_a_choice_is_proven_by_its_values() -> None:
    assert is_proven(choose_from(("a", "b")), leaves.tester({"enum": ["a", "b", "c"]}))
    assert not is_proven(choose_from(("a", "d")), leaves.tester({"enum": ["a", "b", "c"]}))
    assert not is_proven(lambda draw: "a", leaves.tester({"enum": ["a"]}))


@pytest.mark.parametrize(
    ("schema", "is_checked"),
    [
        ({"type": "string", "pattern": "^ORD-[0-9]{6}$"}, False),
        ({"type": "string", "pattern": "^ORD-[0-9]{2,6}$"}, True),
        ({"type": "string", "pattern": "^[a-z-]\\b[a-z-]$"}, True),
        ({"type": "string", "pattern": "^ORD-[0-9]{6}$", "allOf": [{"pattern": "[13579]$"}]}, True),
    ],
)
def test_only_what_is_proven_goes_unchecked(
    schema: dict[str, object], is_checked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = []
    monkeypatch.setattr(sources, "_checked", lambda make, *rest: checked.append(make) or make)
    monkeypatch.setattr(sources, "_made", {})
    compile_value(schema, "order_code", 1)
    assert bool(checked) == is_checked
