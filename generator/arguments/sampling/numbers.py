"""Numbers as people use them: small counts, prices with cents, round figures where the range is wide."""

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from generator.arguments.kinds.records import UsualNumbers
from generator.arguments.reading.nodes import NumberNode
from generator.core.seeds import Draw

Maker = Callable[[Draw], Any]
Grid = tuple[int, int, int, int]
"""(start, count, step, under): values are (start + i * step) / under for i < count."""

_FARTHEST = 2**53 - 1
_GREATEST = Fraction(sys.float_info.max)
_TRIES = 40
_CENTS = Fraction(1, 100)


def make_number(node: NumberNode, kind: UsualNumbers | None, prefers_round: bool = True) -> Maker:
    """Return a maker of numbers that the node allows."""
    kind = kind or UsualNumbers()
    if kind.real is not None and not node.whole and node.step is None:
        kind = kind.real
    if kind.yields and node.low is not None and node.high is not None:
        kind = UsualNumbers()
    usual = [value for value in kind.usual if allows(node, value)]
    if len(set(usual)) > 1 or (usual and len(set(kind.usual)) == 1):
        chosen = tuple(usual)
        size = len(chosen)
        return lambda draw: chosen[int(draw.rand() * size)]
    low, high = _range(node, kind)
    if kind.is_money and not node.whole and (node.step is None or node.step == _CENTS) and high - low > 3:
        return _from_grids(node, _price_grids(node, low, high))
    grids = _grids(node, low, high, None if kind.step is None else Fraction(kind.step))
    return _from_grids(node, grids if kind.is_round and prefers_round else grids[-1:])


def make_any_number(node: NumberNode) -> Maker:
    """Return a maker of any numbers that the node allows, near zero and far from it, in steps of all sizes."""
    low = Fraction(-_FARTHEST) if node.low is None else node.low
    high = Fraction(_FARTHEST) if node.high is None else node.high
    steps = (
        [node.step or Fraction(1)] if node.whole or node.step else [Fraction(1, 10**power) for power in (0, 1, 3, 6)]
    )
    if node.low is not None and node.high is not None and len(steps) > 1 and high > low:
        steps.append((high - low) / 64)
    ranges = [(max(low, Fraction(-_SMALL)), min(high, Fraction(_SMALL))), (low, high)]
    grids = [
        grid for step in steps for first, last in ranges if first <= last and (grid := _grid(node, first, last, step))
    ]
    return _from_grids(node, tuple(grids)) if grids else make_number(node, None)


_SMALL = 99


def allows(node: NumberNode, value: float) -> bool:
    """Whether the value satisfies the node, by exact and by floating-point division alike."""
    exact = Fraction(value) if isinstance(value, int) else Fraction(repr(value))
    if (node.whole and exact.denominator != 1) or (node.step is not None and not _divides(node.step, exact, value)):
        return False
    if node.low is not None and (exact < node.low or (node.low_open and exact == node.low)):
        return False
    return node.high is None or exact < node.high or (exact == node.high and not node.high_open)


def edge_numbers(node: NumberNode) -> tuple[float, ...]:
    """Return boundary values: least and greatest, their neighbors, zero, very large and very small."""
    step = node.step or _CENTS
    found: list[Fraction] = []
    for bound, inward in ((node.low, step), (node.high, -step)):
        found += [] if bound is None else [bound, bound + inward]
    if node.low is None or node.high is None:
        found += [step * part for part in (0, 1, -1)]
        found += [Fraction(big // step) * step for big in (10**6, 2**31, -(10**6))]
    values = [_plain(exact.numerator, exact.denominator) for exact in found]
    return tuple(value for value in dict.fromkeys(values) if abs(value) < 2**63 and allows(node, value))


def _divides(step: Fraction, exact: Fraction, value: float) -> bool:
    if (exact / step).denominator != 1:
        return False
    return step.denominator == 1 or (value / float(step)).is_integer()


def _range(node: NumberNode, kind: UsualNumbers) -> tuple[Fraction, Fraction]:
    """Return the range to draw from: the schema's bounds narrowed by what is usual; defaults where it is open."""
    low, high = node.low, node.high
    if kind.low is not None and kind.high is not None and not _is_told(node, kind):
        narrow_low = Fraction(kind.low) if low is None else max(low, Fraction(kind.low))
        narrow_high = Fraction(kind.high) if high is None else min(high, Fraction(kind.high))
        if narrow_low < narrow_high:
            return narrow_low, narrow_high
    if low is None:
        if high is None:
            return Fraction(1), Fraction(100 if node.whole else 500)
        return (Fraction(1) if high > 1 else high - 100), high
    if high is None:
        room = max(Fraction(99), abs(low) * 4)
        return low, min(low + room + (1 if low == 0 else 0), max(low, _GREATEST))
    return max(low, Fraction(-_FARTHEST)), min(high, Fraction(_FARTHEST))


def _is_told(node: NumberNode, kind: UsualNumbers) -> bool:
    """Whether the schema's own range is closed and narrow enough to draw from all of it."""
    if node.low is None or node.high is None or not kind.is_round:
        return False
    return node.high <= 20 * Fraction(kind.high or 0)


def _grids(node: NumberNode, low: Fraction, high: Fraction, step: Fraction | None) -> tuple[Grid, ...]:
    """Return grids to draw from, coarse ones (round figures) more often than fine ones."""
    fine = _fine_step(node, low, high, step)
    found = _grid(node, low, high, fine)
    while found is None and node.step is None and fine > Fraction(1, 10**15):
        fine /= 10
        found = _grid(node, low, high, fine)
    if found is None:
        found = _grid(
            node, node.low if node.low is not None else low, node.high if node.high is not None else high, fine
        )
    if found is None:  # the range holds less than one step of the grid: take the bound itself
        bound = low if not node.low_open else high
        return ((bound.numerator, 1, 0, bound.denominator),)
    grids = [found]
    for factor in _round_factors():
        if found[1] // factor < 12:
            break
        coarse = _grid(node, low, high, fine * factor)
        grids += [] if coarse is None else [coarse]
    return (*(grids[-1:] * 4), *(grids[-2:-1] * 2), grids[0])


def _fine_step(node: NumberNode, low: Fraction, high: Fraction, step: Fraction | None) -> Fraction:
    if node.step is not None:
        fits = step is not None and (step / node.step).denominator == 1 and high - low >= step * 2
        return step if fits and step is not None else node.step
    if step is not None:
        return step
    width = high - low
    return _CENTS if width <= 1 else Fraction(1, 10) if width <= 20 else Fraction(1, 2)


def _round_factors() -> Iterator[int]:
    for power in range(18):
        yield from (2 * 10**power, 5 * 10**power, 10 * 10**power)


def _grid(
    node: NumberNode, low: Fraction, high: Fraction, step: Fraction, offset: Fraction = Fraction(0)
) -> Grid | None:
    """Return the numbers `offset` + a multiple of `step` in [low, high] that the node allows; None when there are none."""
    first = -(-(low - offset) // step)
    last = (high - offset) // step
    if node.low_open and node.low == first * step + offset:
        first += 1
    if node.high_open and node.high == last * step + offset:
        last -= 1
    if last < first:
        return None
    under = step.denominator * offset.denominator
    return int((first * step + offset) * under), int(last - first) + 1, int(step * under), under


def _price_grids(node: NumberNode, low: Fraction, high: Fraction) -> tuple[Grid, ...]:
    cents = _grid(node, low, high, _CENTS)
    grids = [cents, *[_grid(node, low, high, Fraction(step)) for step in (1, 5, 5, 10, 10)]]
    grids += [_grid(node, low, high, Fraction(1), Fraction(ending, 100)) for ending in (99, 95, 50, 49, 90)]
    return tuple(grid for grid in grids if grid is not None)


def _from_grids(node: NumberNode, grids: tuple[Grid, ...]) -> Maker:
    size = len(grids)
    if all(grid[3] == 1 for grid in grids):
        if len(set(grids)) == 1:
            first, number, unit, _ = grids[0]
            return lambda draw: first + _place(draw, number) * unit

        def whole(draw: Draw) -> int:
            start, count, step, _ = grids[int(draw.rand() * size)]
            return start + _place(draw, count) * step

        return whole
    divisor = None if node.step is None else float(node.step)

    def real(draw: Draw) -> float:
        value: float = 0
        for _ in range(_TRIES):
            start, count, step, under = grids[int(draw.rand() * size)]
            value = _plain(start + _place(draw, count) * step, under)
            if divisor is None or (value / divisor).is_integer():  # a multiple by floating-point division, too
                break
        return value if abs(value) < 2**63 else float(value)

    return real


def _place(draw: Draw, count: int) -> int:
    """Draw an index of a grid; with integers where the grid has more places than a float can tell apart."""
    rand = draw.rand()
    return int(rand * count) if count <= 2**53 else int(rand * 2**53) * count >> 53


def _plain(numerator: int, denominator: int) -> float:
    """Return the quotient; as an integer if it is whole and every JSON reader keeps it exactly."""
    is_whole = numerator % denominator == 0 and (denominator == 1 or abs(numerator // denominator) <= _FARTHEST)
    return numerator // denominator if is_whole else numerator / denominator
