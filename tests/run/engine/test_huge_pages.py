"""Huge pages change where memory is, not what is in it."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.run.engine.huge_pages import ranges, use_huge_pages

HUGE = 1 << 21
ranged = st.tuples(st.integers(0, 1 << 47), st.integers(1, 64 << 20)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(ranged, st.sampled_from(["", "[heap]"]))
def test_all_whole_pages_of_plain_memory_and_nothing_else(area: tuple[int, int], name: str) -> None:
    low, high = area
    found = list(ranges(f"{low:x}-{high:x} rw-p 00000000 00:00 0 {name}\n"))
    assert len(found) <= 1
    for start, size in found:
        assert low <= start
        assert start + size <= high
        assert start % HUGE == size % HUGE == 0
        assert start - low < HUGE
        assert high - (start + size) < HUGE
    assert found or high // HUGE <= -(-low // HUGE)


@pytest.mark.parametrize(
    "line",
    [
        "7f0000000000-7f0008000000 r-xp 00000000 08:01 4711 /usr/lib/libpython3.11.so.1.0",
        "7f0000000000-7f0008000000 rw-p 00001000 08:01 4711 /some where/else",
        "7f0000000000-7f0008000000 rw-s 00000000 00:01 12 /dev/shm/x",
        "7f0000000000-7f0008000000 rw-p 00000000 00:00 0 [stack]",
        "7f0000000000-7f0008000000 ---p 00000000 00:00 0 ",
    ],
)
def test_files_stacks_and_shared_memory_are_left_alone(line: str) -> None:
    assert list(ranges(line)) == []


def test_what_a_process_holds_stays_as_it_is() -> None:
    held = [bytes([number % 251]) * 1000 for number in range(50_000)]
    use_huge_pages()
    use_huge_pages()
    assert all(part == bytes([number % 251]) * 1000 for number, part in enumerate(held))


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a /proc to be shut")
def test_a_system_without_them_is_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for text in (None, "", "no such line\n", "zz-yy rw-p 0 0 0\n"):
        maps = tmp_path / "maps"
        if text is not None:
            maps.write_text(text)
        monkeypatch.setattr("generator.run.engine.huge_pages._MAPS", maps)
        use_huge_pages()
