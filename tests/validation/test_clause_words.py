"""Clauses of a tool's phrases in other words say the same value or are refused."""

import pytest

from generator.validation.readers.clauses import read_clause
from generator.validation.readers.references import reference_forms

STOCK = (
    (True, ("that are in stock", "It has to be in stock.")),
    (False, ("including sold-out items", "Include things that are out of stock.")),
)
TRASH = ((True, ("for good", "Delete permanently, please.")), (False, ("but keep a copy in the trash",)))


@pytest.mark.parametrize(
    ("clauses", "text", "value"),
    [
        (STOCK, "in-stock items only", True),
        (STOCK, "available right now", True),
        (STOCK, "also those that are out of stock", False),
        (TRASH, "permanently", True),
        (TRASH, "keep a copy of it in the trash", False),
    ],
)
def test_other_words_say_the_same_value(clauses, text, value):
    assert read_clause(text, clauses, ("delete", "file")) is value


@pytest.mark.parametrize(
    ("clauses", "text"),
    [
        (STOCK, "that are not in stock"),
        (STOCK, "including those in stock"),
        (STOCK, "that are red"),
        (STOCK, ""),
        (TRASH, "without keeping a copy in the trash"),
    ],
)
def test_words_that_turn_it_round_or_say_something_else_are_refused(clauses, text):
    with pytest.raises(ValueError, match="says no clause"):
        read_clause(text, clauses, ("delete", "file"))


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("each of them", "all of them"),
        ("the next appointment", "the next one"),
        ("the oldest order", "the earliest of them"),
        ("the last item in it", "its last item"),
    ],
)
def test_references_have_other_words(words: str, form: str):
    assert form in reference_forms(words)
    assert "the newest one" not in reference_forms(words)
