"""Calls out of streamed pieces."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import FormatError
from generator.world.backends.states import StreamedCall, assemble

CALLS = st.lists(
    st.builds(
        StreamedCall,
        st.text(min_size=1),
        st.text("abc_", min_size=1),
        st.dictionaries(st.text(), st.integers()).map(json.dumps),
    ),
    max_size=4,
)


@given(CALLS, st.data())
def test_calls_cut_anywhere_and_mixed_are_put_together_again(calls: list[StreamedCall], data: st.DataObject):
    queues = []
    for index, call in enumerate(calls):
        first = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        cuts = sorted(data.draw(st.sets(st.integers(0, len(call.arguments)), max_size=4)))
        bounds = [0, *cuts, len(call.arguments)]
        parts = [call.arguments[a:b] for a, b in itertools.pairwise(bounds)]
        queues.append([first, *[{"index": index, "function": {"arguments": part}} for part in parts]])
    pieces = []
    while any(queues):
        queue = data.draw(st.sampled_from([queue for queue in queues if queue]))
        pieces.append(queue.pop(0))
    shape = data.draw(st.sampled_from(["entries", "deltas", "chunks"]))
    if shape != "entries":
        pieces = [{"tool_calls": [piece]} for piece in pieces]
    if shape == "chunks":
        pieces = [{"choices": [{"delta": piece}]} for piece in pieces]
        pieces += [{"choices": [{"delta": {"content": "x"}}]}, {"choices": []}]
    assert assemble(pieces) == calls


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([{"function": {"name": "a"}}], "no index"),
        (
            [{"index": 0, "id": "a", "function": {"name": "x"}}, {"index": 0, "id": "b", "function": {}}],
            "its id was 'a'",
        ),
        ([{"index": 0, "id": "a", "function": {"arguments": "{}"}}], "never got a name"),
    ],
)
def test_pieces_that_do_not_belong_together_are_told(pieces: list, words: str):
    with pytest.raises(FormatError, match=words):
        assemble(pieces)


def test_an_empty_name_is_one_that_was_told():
    assert assemble([{"index": 0, "function": {"name": "", "arguments": "{}"}}])[0].name == ""
