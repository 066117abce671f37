"""Grammars of free texts: every choice occurs, none of the texts twice, and there are never too many."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench import load

from generator.core.errors import SpecError
from generator.core.text_grammars import MOST, expand_texts

WORDS = st.text("abcdefgh", min_size=1, max_size=4)
LINES = st.lists(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=5), min_size=1, max_size=4)


@given(LINES)
def test_texts_are_made_of_the_choices_of_one_line(lines: list[list[list[str]]]) -> None:
    made = expand_texts(tuple([" ".join("{" + "|".join(choices) + "}" for choices in line) for line in lines]))
    assert 1 <= len(made) == len(set(made)) <= MOST
    patterns = [" ".join("(?:" + "|".join(choices) + ")" for choices in line) for line in lines]
    for text in made:
        assert any(re.fullmatch(pattern, text) for pattern in patterns)
    for pattern in patterns:
        assert any(re.fullmatch(pattern, text) for text in made)


def test_a_small_grammar_stands_for_all_its_texts() -> None:
    assert set(expand_texts(("{Bring|Take} the {key|map}", "{|Please }call"))) == {
        "Bring the key", "Bring the map", "Take the key", "Take the map", "call", "Please call",
    }  # fmt: skip


def test_a_grammar_stands_beside_examples_and_is_checked(tmp_path: Path) -> None:
    spec = """
tools:
  - function: {name: note, description: Note it., parameters: {type: object, properties: {text: {type: string, maxLength: 8}}}}
    examples: {text: [milk]}
    texts: {text: ["buy {tea|jam}"]}
"""
    (made,) = load(tmp_path, spec).values()
    assert set(made.examples["text"]) == {"milk", "buy tea", "buy jam"}
    with pytest.raises(SpecError, match="a brace stands alone"):
        load(tmp_path, spec.replace("{tea|jam}", "{tea|jam"), "other.yaml")
    with pytest.raises(SpecError, match="much too long"):
        load(tmp_path, spec.replace("{tea|jam}", "{tea|what is much too long}"), "long.yaml")


def test_the_texts_within_an_object_are_grammars_of_one_value(tmp_path: Path) -> None:
    spec = """
tools:
  - function:
      name: send
      description: Send it.
      parameters: {type: object, properties: {to: {type: object, properties: {town: {type: string}, code: {type: string}, floor: {type: integer}}}}}
    texts: {to: [{town: Bath, code: "BA{1|2}", floor: 3}, {town: York, code: YO1}]}
"""
    (made,) = load(tmp_path, spec).values()
    assert sorted(made.examples["to"], key=lambda value: value["code"]) == [
        {"town": "Bath", "code": "BA1", "floor": 3}, {"town": "Bath", "code": "BA2", "floor": 3}, {"town": "York", "code": "YO1"},
    ]  # fmt: skip
