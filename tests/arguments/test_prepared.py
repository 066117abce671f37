"""Pools that one process fills and another takes over: the same values, and no slow maker is asked again."""

import pytest
from arguments.making import arguments_of, tool

from generator.arguments import dump_pools, load_pools, property_based
from generator.arguments.vocabulary import prepared

SPEC = tool(
    {"person": {"type": "string", "minLength": 3}, "count": {"type": "integer"}}, kinds={"person": "person_name"}
)
POOLED = (("property_based", 0.5), ("realistic", 0.5))


@pytest.fixture(autouse=True)
def _empty(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prepared, "_faked", {})
    monkeypatch.setattr(prepared, "_drawn", {})


def test_taken_over(monkeypatch: pytest.MonkeyPatch):
    values = arguments_of(SPEC, 50, source=POOLED)
    data = dump_pools()
    prepared._faked.clear()
    prepared._drawn.clear()
    load_pools(data)
    monkeypatch.setattr(property_based, "draw_pool", lambda *_: pytest.fail("drawn again"))
    monkeypatch.setattr("generator.arguments.vocabulary.kinds._fill_faker_pool", lambda *_: pytest.fail("faked again"))
    assert arguments_of(SPEC, 50, source=POOLED) == values


def test_seeds_of_any_size():
    prepared.faked_pool(("person_name", 10**40), lambda: ("Ada",))
    prepared.drawn_pool((b"{}", "", 10**40), lambda: (b"1",))
    data = dump_pools()
    prepared._faked.clear()
    prepared._drawn.clear()
    load_pools(data)
    assert prepared._faked == {("person_name", 10**40): ("Ada",)}
    assert prepared._drawn == {(b"{}", "", 10**40): (b"1",)}
