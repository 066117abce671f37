"""The patterns of finished conversations: what their language says, and that every kind is written in it."""

import pytest

from generator.scenarios import SCENARIOS
from generator.scenarios.scripts import SCRIPTED
from generator.scenarios.shape import CONDITIONS, ConversationShape, Pattern, ShapedCall


def call(name: str = "find", *, dependent: bool = False) -> ShapedCall:
    return ShapedCall(name, dependent, ())


def shape(order: str, *steps: tuple[ShapedCall, ...], told: tuple[str, ...] = ()) -> ConversationShape:
    return ConversationShape(order, steps or tuple([(call(),)] * order.count("C")), 2, told)


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        ("U C A", ["UCA"], ["UA", "UCCA", "UCAU", ""]),
        ("U C A (U A)?", ["UCA", "UCAUA"], ["UCAUAUA", "UCAU"]),
        ("U (C A U)+ A", ["UCAUA", "UCAUCAUA"], ["UA", "UCAA"]),
        ("(U A){2+}", ["UAUA", "UAUAUA"], ["UA", "UAU"]),
        ("(U (A U)? C A){1-2}", ["UCA", "UAUCA", "UCAUAUCA"], ["UCAUCAUCA", ""]),
    ],
)
def test_messages(pattern: str, fitting: list[str], others: list[str]):
    assert all(Pattern(pattern).fits(shape(order)) for order in fitting)
    assert not any(Pattern(pattern).fits(shape(order)) for order in others)


@pytest.mark.parametrize(
    ("width", "fitting"), [("", {1}), ("{2}", {2}), ("{2+}", {2, 3, 4}), ("{1-3}", {1, 2, 3}), ("{1+}", {1, 2, 3, 4})]
)
def test_calls_at_once(width: str, fitting: set[int]):
    found = {many for many in range(1, 5) if Pattern(f"U C{width} A").fits(shape("UCA", (call(),) * many))}
    assert found == fitting


def test_conditions_hold_of_the_calls_of_their_own_message():
    pattern = Pattern("U C{2}:one_tool (C:dependent)? A", told=("failed",))
    same, other, later = (call(), call()), (call(), call("act")), (call(dependent=True),)
    assert pattern.fits(shape("UCA", same, told=("failed",)))
    assert pattern.fits(shape("UCCA", same, later, told=("failed",)))
    assert not pattern.fits(shape("UCCA", other, later, told=("failed",)))
    assert not pattern.fits(shape("UCCA", same, (call(),), told=("failed",)))
    assert not pattern.fits(shape("UCCA", same, later))


def test_every_kind_has_patterns_and_every_condition_is_used():
    written = [pattern.messages for scenario in SCENARIOS.values() for pattern in scenario.patterns]
    without = [name for name, scenario in SCENARIOS.items() if not scenario.patterns]
    assert without == [*SCRIPTED]  # files of scripts say how they go
    assert {word for text in written for part in text.split() for word in part.rstrip(")?+").split(":")[1:]} == {
        *CONDITIONS
    }


def test_what_is_wrong_says_what_was_expected():
    (fault,) = SCENARIOS["held_back"].faults(shape("UCA"))
    assert fault.startswith("not held_back: U C A (nothing else told), expected U A (settled, settled_noted) or U A (")
