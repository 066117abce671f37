"""Streams are addresses: same words, same numbers, in any process."""

import os
import re
import subprocess
import sys
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from generator.core.seeds import Draw, call_id, stream_seed

TODAY = date(2026, 3, 14)


@given(st.lists(st.text() | st.integers(), min_size=1, max_size=4))
def test_a_stream_is_named_by_its_words(words: list[object]) -> None:
    assert stream_seed(*words) == stream_seed(*words)
    assert stream_seed(*words) != stream_seed(*words, "another")


def test_words_are_kept_apart() -> None:
    assert stream_seed("ab", "c") != stream_seed("a", "bc")


def test_another_process_with_another_hash_seed_draws_the_same() -> None:
    code = (
        "from generator.core.seeds import *; from datetime import date; d = Draw(stream_seed(7, 'row', 3), date(2026, 1, 1));"
        "print([d.below(100) for _ in range(5)], d.shuffled(list('abcdef')), call_id(d.rand))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


@given(st.integers(0, 2**64 - 1))
def test_call_ids_have_nine_letters_and_digits(seed: int) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9]{9}", call_id(Draw(seed, TODAY).rand))


@given(st.integers(0, 2**64 - 1), st.integers(-50, 50), st.integers(0, 100))
def test_between_stays_within_both_ends(seed: int, low: int, width: int) -> None:
    assert low <= Draw(seed, TODAY).between(low, low + width) <= low + width


@given(st.integers(0, 2**64 - 1), st.lists(st.integers()))
def test_shuffling_keeps_every_element(seed: int, values: list[int]) -> None:
    shuffled = Draw(seed, TODAY).shuffled(values)
    assert sorted(shuffled) == sorted(values)


@given(st.integers(0, 2**64 - 1))
def test_reseeding_starts_the_same_stream_as_a_new_object(seed: int) -> None:
    used = Draw(1, TODAY)
    used.rand()
    used.reseed(seed, TODAY)
    fresh = Draw(seed, TODAY)
    assert [used.rand() for _ in range(5)] == [fresh.rand() for _ in range(5)]
