"""Which rows are pairs, of which the second one calls nothing: decided by the index alone, like everything about a row."""

from math import ceil

import msgspec

from generator.recipe.settings import NoCall

_APART = 32
"""How many rows lie between a row and its twin, where they shall not follow each other."""


class PairPlace(msgspec.Struct, frozen=True):
    """Where a row stands in its pair."""

    pair: int
    first: int
    """The index of the pair's first row."""
    is_first: bool


def rows_together(settings: NoCall) -> int:
    """Return how many rows in a row are never parted by a split: those of a pair, or of pairs that lie in each other."""
    return 2 if settings.twins == "beside" else 2 * _APART


def pair_place(settings: NoCall, index: int) -> PairPlace | None:
    """Return a row's place in its pair; None for a row of the recipe's other scenarios."""
    if settings.twins == "beside":
        pair, member = divmod(index, 2)
        first = 2 * pair
    else:
        block, at = divmod(index, 2 * _APART)
        member, within = divmod(at, _APART)
        pair, first = block * _APART + within, block * 2 * _APART + within
    share = 2 * settings.share
    return PairPlace(pair, first, member == 0) if ceil((pair + 1) * share) > ceil(pair * share) else None
