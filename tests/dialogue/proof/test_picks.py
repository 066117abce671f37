"""Which step of a pointer is a place in a list: keys may look like numbers, and numbers stand in keys."""

from typing import Any

import pytest

from generator.core.claims import Claim
from generator.core.toolbox import Pick
from generator.dialogue.proof.picks import list_indexes, pick_faults

RESULT = {"2024": {"2fa_codes": [{"id": "a", "n": 3}, {"id": "b", "n": 1}]}}
POINTER = "/2024/2fa_codes/1/id"


def pick_fault(*args: Any) -> str | None:
    return next(pick_faults(*args), None)


def claim(pick: str | None) -> Claim:
    return Claim(call_id="x", pointer="/id", source="result", message=2, result_pointer=POINTER, pick=pick)


@pytest.mark.parametrize(
    ("pointer", "at"), [(POINTER, [2]), ("/2024/2fa_codes", []), ("/2024", []), ("/nothing/0", []), ("", [])]
)
def test_only_lists_have_places(pointer: str, at: list[int]) -> None:
    assert list_indexes(RESULT, pointer) == at


def test_the_element_that_the_words_single_out() -> None:
    picks = (Pick("the lowest one", "min n"),)
    assert pick_fault(claim("min n"), RESULT, "the lowest one", picks) is None
    assert pick_fault(claim("last"), RESULT, "the lowest one", picks) is not None
    assert pick_fault(claim("max n"), RESULT, "the lowest one", picks) is not None
    assert pick_fault(claim(None), RESULT, "the lowest one", picks) is not None


NESTED = {
    "orders": [{"n": 2, "items": [{"id": "a", "n": 3}, {"id": "b", "n": 1}]}, {"n": 5, "items": [{"id": "c", "n": 4}]}]
}


def nested(pointer: str, pick: str) -> Claim:
    return Claim(call_id="x", pointer="/id", source="result", message=2, result_pointer=pointer, pick=pick)


@pytest.mark.parametrize(
    ("pointer", "pick", "holds"),
    [
        ("/orders/0/items/1/id", "min n", True),
        ("/orders/0/items/0/id", "min n", False),  # the order is, the item is not
        ("/orders/1/items/0/id", "min n", False),  # the item is, the order is not
        ("/orders/1/items/0/id", "max n", True),
        ("/orders/0/items/0/id", "first", True),
        ("/orders/0/items/1/id", "first", False),
    ],
)
def test_every_list_on_the_way_counts(pointer: str, pick: str, holds: bool) -> None:
    picks = (Pick("that one", pick),)
    assert (pick_fault(nested(pointer, pick), NESTED, "that one", picks) is None) is holds


def test_a_list_of_one_element_leaves_no_choice() -> None:
    """The order is singled out by its date; its only item has none."""
    result = {"orders": [{"day": 1, "items": [{"id": "a"}]}, {"day": 2, "items": [{"id": "b"}]}]}
    picks = (Pick("the latest one", "max day"),)
    assert pick_fault(nested("/orders/1/items/0/id", "max day"), result, "the latest one", picks) is None
    assert pick_fault(nested("/orders/0/items/0/id", "max day"), result, "the latest one", picks) is not None


def test_the_only_element_of_a_list() -> None:
    picks = (Pick("that order", "only"),)
    assert pick_fault(nested("/orders/0/id", "only"), {"orders": [{"id": "a"}]}, "that order", picks) is None
    assert (
        pick_fault(nested("/orders/0/id", "only"), {"orders": [{"id": "a"}, {"id": "b"}]}, "that order", picks)
        is not None
    )
