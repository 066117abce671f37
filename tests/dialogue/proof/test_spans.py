"""The quick ways of reading a span give what the careful ones give."""

from copy import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.conversation import Tool
from generator.core.toolbox import ToolSpec
from generator.dialogue.proof import spans
from generator.dialogue.proof.spans import place_at, span_faults

SPEC = ToolSpec(
    tool=Tool(name="book", parameters={"type": "object", "properties": {"n": {"type": "number"}}}),
    domain="test",
    where="test:1",
)


@pytest.mark.parametrize("value", ["5", "a", "a5", "5a", "-5", "x y"])
def test_what_commonly_stands_around_a_span_never_changes_it(value: str) -> None:
    for before in spans.AROUND:
        for after in spans.CLOSED:
            for rest in ("", "1", "a") if len(after) == 2 else ("",):
                content = before + value + after + rest
                assert spans.stands_alone(content, len(before), len(before) + len(value)), content


@given(
    st.sampled_from(["5", "1,000", "1.50", "five", "-3", "x"]),
    st.sampled_from([5, 5.0, True, "5", 1.5, 1000, -3, None]),
)
def test_words_that_were_read_before_are_read_the_same(text: str, value: Any) -> None:
    content = f"I say {text} to it"

    def faults(spec: ToolSpec) -> list[spans.SpanFault]:
        return [*span_faults(content, 6, 6 + len(text), value, place_at(spec, "/n", "number", "arguments"), None)]

    assert faults(SPEC) == faults(SPEC) == faults(copy(SPEC))


def test_places_and_words_are_not_kept_without_end() -> None:
    for index in range(3 * spans._MOST_PLACES):
        place_at(SPEC, f"/list/{index}", "number", "result")
    assert len(spans._places_of(SPEC)) <= spans._MOST_PLACES
    place = place_at(SPEC, "/n", "number", "arguments")
    for number in range(3 * spans._MOST_READ):
        text = str(number)
        assert not [*span_faults(f" {text} ", 1, 1 + len(text), number, place, None)]
    assert len(place.known) <= spans._MOST_READ
