"""Mutations: named changes that break a valid completion.

Each takes a draft (a text and the calls it was written from) and gives the broken text, or None where it does not apply.
After any of them a parser may read the calls, other calls, or none, so the verdict is `i`: only the invariants count. Where
all sensible readings can be listed, the mutation lists them. To add one: a function in one of the modules, and its name in the tuple below.
"""

from generator.corpus.mutations.draft import BrokenCompletion, Calls, Draft, Mutate
from generator.corpus.mutations.json_faults import JSON_FAULTS, name_missing
from generator.corpus.mutations.markers import (
    calls_twice,
    drop_last_marker,
    drop_marker,
    fenced,
    half_marker_before,
    repeat_marker,
    tear_marker,
    text_after,
    text_between,
)
from generator.corpus.mutations.odd_arguments import ODD_VALUES, duplicate_key, extra_keys, odd_name, unknown_function
from generator.corpus.mutations.torn import (
    byte_order_mark,
    crlf,
    drop_slice,
    flip_character,
    insert_nul,
    truncate,
)

_MUTATIONS: tuple[Mutate, ...] = (
    truncate, drop_slice, flip_character, insert_nul, byte_order_mark, crlf, drop_marker, drop_last_marker, repeat_marker,
    tear_marker, half_marker_before, calls_twice, text_after, text_between, fenced, *JSON_FAULTS, name_missing, *ODD_VALUES,
    duplicate_key, unknown_function, odd_name, extra_keys,
)  # fmt: skip

MUTATIONS: dict[str, Mutate] = {mutate.__name__: mutate for mutate in _MUTATIONS}
"""Mutations by name."""

AMBIGUOUS = "ambiguous_value"
"""Not a change of the text: a value is called with that the format cannot tell from another."""

__all__ = ["AMBIGUOUS", "MUTATIONS", "BrokenCompletion", "Calls", "Draft", "Mutate"]
