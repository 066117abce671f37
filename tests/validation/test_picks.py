"""Which step of a pointer is a place in a list: keys may look like numbers, and numbers stand in keys."""

import pytest

from generator.conversation import Claim
from generator.toolbox import Pick
from generator.validation.picks import list_index, pick_fault

RESULT = {"2024": {"2fa_codes": [{"id": "a", "n": 3}, {"id": "b", "n": 1}]}}
POINTER = "/2024/2fa_codes/1/id"


def claim(pick: str | None) -> Claim:
    return Claim(call_id="x", pointer="/id", source="result", message=2, result_pointer=POINTER, pick=pick)


@pytest.mark.parametrize(
    ("pointer", "at"), [(POINTER, 2), ("/2024/2fa_codes", None), ("/2024", None), ("/nothing/0", None), ("", None)]
)
def test_only_lists_have_places(pointer: str, at: int | None) -> None:
    assert list_index(RESULT, pointer) == at


def test_the_element_that_the_words_single_out() -> None:
    picks = (Pick("the lowest one", "min n"),)
    assert pick_fault(claim("min n"), RESULT, "the lowest one", picks) is None
    assert pick_fault(claim("last"), RESULT, "the lowest one", picks) is not None
    assert pick_fault(claim("max n"), RESULT, "the lowest one", picks) is not None
    assert pick_fault(claim(None), RESULT, "the lowest one", picks) is not None
