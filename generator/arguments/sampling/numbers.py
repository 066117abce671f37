"""Numbers as people use them: small counts, prices with cents, round figures where the range is wide; those of a distribution, clipped to what a schema allows."""

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate
from math import exp, log
from statistics import NormalDist
from typing import Any

from generator.arguments.kinds.records import UsualNumbers
from generator.arguments.reading.nodes import NumberNode
from generator.core.errors import SchemaError
from generator.core.seeds import Draw
from generator.recipe.overrides import Distribution

Maker = Callable[[Draw], Any]
"""What makes a value of random numbers."""
_STANDARD = NormalDist()
_SURE = 1e-12
"""How near to 0 and 1 a probability may come."""
_CENT = Fraction(1, 100)
"""Real numbers without a step are rounded to this, and to finer ones where the range is narrow."""
_RANKS = 1000
"""The most different values that zipf takes."""


def make_distributed(node: NumberNode, law: Distribution) -> Maker:
    """Return a maker of numbers that follow the distribution as far as the schema allows.

    Raises:
        SchemaError: the schema allows no number of the distribution.
    """
    low, high = _bounds(node, law)
    step = _grid_step(node, low, high, law)
    first, last = _grid_bounds(node, low, high, step)
    if law.name == "zipf":
        return _zipf_maker(node, law.parameters["exponent"], first, last, step)
    draw_one, middle = _quantile_and_median(law)
    if (low is not None and middle < low) or (high is not None and middle > high):
        between = f"from {_shown_bound(low)} to {_shown_bound(high)}"
        raise SchemaError(f"the middle of this {law.name}, {middle:g}, lies outside of what is allowed, {between}")

    def make(draw: Draw) -> int | float:
        """Draw a number of the distribution, rounded to the grid and clipped to what is allowed."""
        value = Fraction(draw_one(min(max(draw.rand(), _SURE), 1 - _SURE)))
        index = round(value / step)
        if first is not None:
            index = max(index, first)
        if last is not None:
            index = min(index, last)
        return number_of(node, index * step)

    return make


def _quantile_and_median(law: Distribution) -> tuple[Callable[[float], float], float]:
    """Return the quantile function of a distribution, and its median."""
    parameters = law.parameters
    if law.name == "normal":
        mean, deviation = parameters["mean"], parameters["deviation"]
        return (lambda share: mean + deviation * _STANDARD.inv_cdf(share)), mean
    median, sigma = parameters["median"], parameters["sigma"]
    center = log(median)
    return (lambda share: exp(min(center + sigma * _STANDARD.inv_cdf(share), 700.0))), median


def _zipf_maker(node: NumberNode, exponent: float, first: int | None, last: int | None, step: Fraction) -> Maker:
    """Return a maker that takes the n-th smallest value with the weight n ** -exponent; from 1 where the schema names no smallest."""
    begin = round(1 / step) if first is None else first
    count = _RANKS if last is None else min(_RANKS, last - begin + 1)
    if count < 1:
        raise SchemaError("zipf counts from 1 upwards, and that is not allowed here; give it a min")
    values = tuple(number_of(node, (begin + rank) * step) for rank in range(count))
    bounds = tuple(accumulate((rank + 1) ** -exponent for rank in range(count)))
    return lambda draw: values[min(bisect_right(bounds, draw.rand() * bounds[-1]), count - 1)]


def _bounds(node: NumberNode, law: Distribution) -> tuple[Fraction | None, Fraction | None]:
    """Return the range of the schema, narrowed by the recipe's `min` and `max`."""
    low, high = node.low, node.high
    if "min" in law.parameters:
        wanted = Fraction(repr(law.parameters["min"]))
        low = wanted if low is None else max(low, wanted)
    if "max" in law.parameters:
        wanted = Fraction(repr(law.parameters["max"]))
        high = wanted if high is None else min(high, wanted)
    if low is not None and high is not None and low > high:
        raise SchemaError(f"nothing lies between {_shown_bound(low)} and {_shown_bound(high)}")
    return low, high


def _grid_step(node: NumberNode, low: Fraction | None, high: Fraction | None, law: Distribution) -> Fraction:
    """Return the distance between neighbouring values: the schema's, 1 for whole numbers, else a cent or less where the range is narrow."""
    if node.step is not None:
        return node.step
    if node.whole or law.name == "zipf":
        return Fraction(1)
    spread = min([high - low] if low is not None and high is not None else [Fraction(1000)])
    spread = min(spread, Fraction(repr(law.parameters.get("deviation", law.parameters.get("median", 1000.0)))))
    step = _CENT
    while spread and spread < step * 100:
        step /= 10
    return step


def _grid_bounds(
    node: NumberNode, low: Fraction | None, high: Fraction | None, step: Fraction
) -> tuple[int | None, int | None]:
    """Return the first and the last index of the grid `index * step` that is allowed; None: no bound."""
    first = None if low is None else -(-low // step)
    last = None if high is None else high // step
    if first is not None and not allows(node, number_of(node, first * step)):
        first += 1
    if last is not None and not allows(node, number_of(node, last * step)):
        last -= 1
    if first is not None and last is not None and first > last:
        raise SchemaError(f"nothing lies between {_shown_bound(low)} and {_shown_bound(high)}")
    return first, last


def number_of(node: NumberNode, value: Fraction) -> int | float:
    """Return a number as a value of a node: an integer if it may be one."""
    return int(value) if node.whole or value.denominator == 1 else float(value)


def _shown_bound(bound: Fraction | None) -> str:
    """Return a bound as error messages write it."""
    return "anywhere" if bound is None else f"{float(bound):g}"


Grid = tuple[int, int, int, int]
"""(start, count, step, under): values are (start + i * step) / under for i < count."""

_FARTHEST = 2**53 - 1
_GREATEST = Fraction(sys.float_info.max)
_TRIES = 40


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
    low, high = _range_to_draw_from(node, kind)
    if kind.is_money and not node.whole and (node.step is None or node.step == _CENT) and high - low > 3:
        return _maker_of_grids(node, _price_grids(node, low, high))
    grids = _grids(node, low, high, None if kind.step is None else Fraction(kind.step))
    return _maker_of_grids(node, grids if kind.is_round and prefers_round else grids[-1:])


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
    return _maker_of_grids(node, tuple(grids)) if grids else make_number(node, None)


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
    step = node.step or _CENT
    exact_values: list[Fraction] = []
    for bound, inward in ((node.low, step), (node.high, -step)):
        exact_values += [] if bound is None else [bound, bound + inward]
    if node.low is None or node.high is None:
        exact_values += [step * part for part in (0, 1, -1)]
        exact_values += [Fraction(large // step) * step for large in (10**6, 2**31, -(10**6))]
    values = [_quotient(exact.numerator, exact.denominator) for exact in exact_values]
    return tuple(value for value in dict.fromkeys(values) if abs(value) < 2**63 and allows(node, value))


def _divides(step: Fraction, exact: Fraction, value: float) -> bool:
    """Whether a number is a multiple of a step, exactly and in floating-point arithmetic."""
    return (exact / step).denominator == 1 and (step.denominator == 1 or (value / float(step)).is_integer())


def _range_to_draw_from(node: NumberNode, kind: UsualNumbers) -> tuple[Fraction, Fraction]:
    """Return the range to draw from: the schema's bounds narrowed by what is usual; defaults where it is open."""
    low, high = node.low, node.high
    if kind.low is not None and kind.high is not None and not _is_narrow(node, kind):
        narrow_low = Fraction(kind.low) if low is None else max(low, Fraction(kind.low))
        narrow_high = Fraction(kind.high) if high is None else min(high, Fraction(kind.high))
        if narrow_low < narrow_high:
            return narrow_low, narrow_high
    if low is None:
        if high is None:
            return Fraction(1), Fraction(100 if node.whole else 500)
        return (Fraction(1) if high > 1 else high - 100), high
    if high is None:
        width = max(Fraction(99), abs(low) * 4)
        return low, min(low + width + (1 if low == 0 else 0), max(low, _GREATEST))
    return max(low, Fraction(-_FARTHEST)), min(high, Fraction(_FARTHEST))


def _is_narrow(node: NumberNode, kind: UsualNumbers) -> bool:
    """Whether the schema's own range is closed and narrow enough to draw from all of it."""
    if node.low is None or node.high is None or not kind.is_round:
        return False
    return node.high <= 20 * Fraction(kind.high or 0)


def _grids(node: NumberNode, low: Fraction, high: Fraction, step: Fraction | None) -> tuple[Grid, ...]:
    """Return grids to draw from, coarse ones (round figures) more often than fine ones."""
    fine = _fine_step(node, low, high, step)
    finest = _grid(node, low, high, fine)
    while finest is None and node.step is None and fine > Fraction(1, 10**15):
        fine /= 10
        finest = _grid(node, low, high, fine)
    if finest is None:
        finest = _grid(
            node, node.low if node.low is not None else low, node.high if node.high is not None else high, fine
        )
    if finest is None:  # the range holds less than one step of the grid: take the bound itself
        bound = low if not node.low_open else high
        return ((bound.numerator, 1, 0, bound.denominator),)
    grids = [finest]
    for factor in _round_factors():
        if finest[1] // factor < 12:
            break
        coarse = _grid(node, low, high, fine * factor)
        grids += [] if coarse is None else [coarse]
    return (*(grids[-1:] * 4), *(grids[-2:-1] * 2), grids[0])


def _fine_step(node: NumberNode, low: Fraction, high: Fraction, step: Fraction | None) -> Fraction:
    """Return the step of the finest grid: the schema's, what is usual for the kind, or one that suits the width of the range."""
    if node.step is not None:
        fits = step is not None and (step / node.step).denominator == 1 and high - low >= step * 2
        return step if fits and step is not None else node.step
    if step is not None:
        return step
    width = high - low
    return _CENT if width <= 1 else Fraction(1, 10) if width <= 20 else Fraction(1, 2)


def _round_factors() -> Iterator[int]:
    """Yield the factors that make round steps: 2, 5, 10, 20, 50, 100 and so on."""
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
    """Return grids of prices: all cents, whole and round amounts, and amounts that end as prices do (.99, .95, .50)."""
    cents = _grid(node, low, high, _CENT)
    grids = [cents, *[_grid(node, low, high, Fraction(step)) for step in (1, 5, 5, 10, 10)]]
    grids += [_grid(node, low, high, Fraction(1), Fraction(ending, 100)) for ending in (99, 95, 50, 49, 90)]
    return tuple(grid for grid in grids if grid is not None)


def _maker_of_grids(node: NumberNode, grids: tuple[Grid, ...]) -> Maker:
    """Return a maker that draws a grid and then one of its values."""
    size = len(grids)
    if all(grid[3] == 1 for grid in grids):
        if len(set(grids)) == 1:
            first, number, unit, _ = grids[0]
            return lambda draw: first + _draw_index(draw, number) * unit

        def whole(draw: Draw) -> int:
            start, count, step, _ = grids[int(draw.rand() * size)]
            return start + _draw_index(draw, count) * step

        return whole
    divisor = None if node.step is None else float(node.step)

    def real(draw: Draw) -> float:
        """Draw a grid and a number of it, again where division by the step is not exact in floating point."""
        value: float = 0
        for _ in range(_TRIES):
            start, count, step, under = grids[int(draw.rand() * size)]
            value = _quotient(start + _draw_index(draw, count) * step, under)
            if divisor is None or (value / divisor).is_integer():  # a multiple by floating-point division, too
                break
        return value if abs(value) < 2**63 else float(value)

    return real


def _draw_index(draw: Draw, count: int) -> int:
    """Draw an index of a grid; with integers where the grid has more places than a float can tell apart."""
    rand = draw.rand()
    return int(rand * count) if count <= 2**53 else int(rand * 2**53) * count >> 53


def _quotient(numerator: int, denominator: int) -> float:
    """Return the quotient; as an integer if it is whole and every JSON reader keeps it exactly."""
    is_whole = numerator % denominator == 0 and (denominator == 1 or abs(numerator // denominator) <= _FARTHEST)
    return numerator // denominator if is_whole else numerator / denominator
