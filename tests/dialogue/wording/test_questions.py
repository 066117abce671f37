"""Questions made from the name of an argument read like questions a person asks."""

import pytest
from workbench import TODAY, load

from generator.core.seeds import Draw
from generator.dialogue.acts.ask import question, questions_about


@pytest.mark.parametrize(
    ("name", "is_number", "question"),
    [
        ("city", False, "What's the city?"),
        ("toppings", False, "What are the toppings?"),
        ("guests", True, "How many guests?"),
        ("duration", True, "What's the duration?"),
        ("address", False, "What's the address?"),
        ("status", False, "What's the status?"),
        ("", False, "What's the value?"),
    ],
)
def test_questions_fit_the_name(name: str, is_number: bool, question: str) -> None:
    assert questions_about(name, is_number=is_number)[0] == question


def test_a_number_of_people_is_asked_for_as_one(tmp_path) -> None:
    spec = load(tmp_path)["book_table"]
    asked = {question(spec, "guests", Draw(seed, TODAY))[0].rpartition(". ")[2] for seed in range(40)}
    assert asked == set(questions_about("guests", is_number=True))
