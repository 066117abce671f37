"""What singles out an element has other words."""

import pytest

from generator.dialogue.values.texts import reference_forms


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
