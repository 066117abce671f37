"""What spans say: nothing around them changes it, and what is looked up once stays the same."""

from copy import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.conversation import Tool
from generator.core.toolbox import ToolSpec
from generator.dialogue.proof import spans
from generator.dialogue.proof.spans import span_faults, verbalization

SPEC = ToolSpec(
    tool=Tool(name="book", parameters={"type": "object", "properties": {"n": {"type": "number"}}}),
    domain="test",
    where="test:1",
)


@pytest.mark.parametrize(
    ("content", "alone"),
    [
        ("(5)", True),
        ("5.", True),
        ("5, then", True),
        ("5,000", False),
        ("1.5", False),
        ("-5", False),
        ("15", False),
        ("5a", False),
    ],
)
def test_nothing_outside_a_span_changes_what_it_says(content: str, alone: bool) -> None:
    at = content.index("5")
    assert spans.stands_alone(content, at, at + 1) is alone


@given(
    st.sampled_from(["5", "1,000", "1.50", "five", "-3", "x"]),
    st.sampled_from([5, 5.0, True, "5", 1.5, 1000, -3, None]),
)
def test_words_that_were_read_before_are_read_the_same(text: str, value: Any) -> None:
    content = f"I say {text} to it"

    def faults(spec: ToolSpec) -> list[spans.SpanFault]:
        return [*span_faults(content, 6, 6 + len(text), value, verbalization(spec, "arguments", "/n", "number"), None)]

    assert faults(SPEC) == faults(SPEC) == faults(copy(SPEC))


def test_places_are_not_kept_without_end() -> None:
    for index in range(3 * spans._MOST_KNOWN):
        verbalization(SPEC, "result", f"/list/{index}", "number")
    assert len(spans._known(SPEC)) <= spans._MOST_KNOWN
