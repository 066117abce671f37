"""Numbers of a probability distribution, clipped to what a schema allows and rounded to its grid."""

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import exp, log
from statistics import NormalDist

from generator.arguments.reading.nodes import NumberNode
from generator.arguments.sampling.leaves import Maker
from generator.arguments.sampling.numbers import allows
from generator.core.errors import SchemaError
from generator.core.seeds import Draw
from generator.recipe import Distribution

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
    step = _grid(node, low, high, law)
    first, last = _inside(node, low, high, step)
    if law.name == "zipf":
        return _zipf(node, law.parameters["exponent"], first, last, step)
    draw_one, middle = _continuous(law)
    if (low is not None and middle < low) or (high is not None and middle > high):
        between = f"from {_told(low)} to {_told(high)}"
        raise SchemaError(f"the middle of this {law.name}, {middle:g}, lies outside of what is allowed, {between}")

    def make(draw: Draw) -> int | float:
        value = Fraction(draw_one(min(max(draw.rand(), _SURE), 1 - _SURE)))
        place = round(value / step)
        if first is not None:
            place = max(place, first)
        if last is not None:
            place = min(place, last)
        return _number(node, place * step)

    return make


def _continuous(law: Distribution) -> tuple[Callable[[float], float], float]:
    """Return the quantile function of a distribution, and its median."""
    told = law.parameters
    if law.name == "normal":
        mean, deviation = told["mean"], told["deviation"]
        return (lambda share: mean + deviation * _STANDARD.inv_cdf(share)), mean
    median, sigma = told["median"], told["sigma"]
    center = log(median)
    return (lambda share: exp(min(center + sigma * _STANDARD.inv_cdf(share), 700.0))), median


def _zipf(node: NumberNode, exponent: float, first: int | None, last: int | None, step: Fraction) -> Maker:
    """Return a maker that takes the n-th smallest value with the weight n ** -exponent; from 1 where the schema names no smallest."""
    begin = round(1 / step) if first is None else first
    count = _RANKS if last is None else min(_RANKS, last - begin + 1)
    if count < 1:
        raise SchemaError("zipf counts from 1 upwards, and that is not allowed here; give it a min")
    values = tuple(_number(node, (begin + rank) * step) for rank in range(count))
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
        raise SchemaError(f"nothing lies between {_told(low)} and {_told(high)}")
    return low, high


def _grid(node: NumberNode, low: Fraction | None, high: Fraction | None, law: Distribution) -> Fraction:
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


def _inside(
    node: NumberNode, low: Fraction | None, high: Fraction | None, step: Fraction
) -> tuple[int | None, int | None]:
    """Return the first and the last grid index that is allowed."""
    first = None if low is None else -(-low // step)
    last = None if high is None else high // step
    if first is not None and not allows(node, _number(node, first * step)):
        first += 1
    if last is not None and not allows(node, _number(node, last * step)):
        last -= 1
    if first is not None and last is not None and first > last:
        raise SchemaError(f"nothing lies between {_told(low)} and {_told(high)}")
    return first, last


def _number(node: NumberNode, value: Fraction) -> int | float:
    return int(value) if node.whole or value.denominator == 1 else float(value)


def _told(bound: Fraction | None) -> str:
    return "anywhere" if bound is None else f"{float(bound):g}"
