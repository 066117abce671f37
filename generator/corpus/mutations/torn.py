"""Mutations: texts that are cut off, or in which a few characters are changed."""

from generator.core.seeds import Draw
from generator.corpus.mutations.draft import BrokenCompletion, Draft, with_replaced


def truncate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The text ends early."""
    first = len(draft.content or "")
    if len(draft.text) - first < 2:
        return None
    at = draw.between(first + 1, len(draft.text) - 1)
    return BrokenCompletion(text=draft.text[:at], at=at)


def drop_slice(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A few characters are missing."""
    at = draw.below(len(draft.text))
    return with_replaced(draft.text, at, draw.between(1, 12), "")


_SIGNS = tuple("{}[]\"\\,:<>/|='() \n0-aZ`")


def flip_character(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """One character is another one."""
    at = draw.below(len(draft.text))
    new = draw.choice(_SIGNS)
    return None if draft.text[at] == new else with_replaced(draft.text, at, 1, new, new)


def insert_nul(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """U+0000 stands somewhere."""
    return with_replaced(draft.text, draw.below(len(draft.text) + 1), 0, "\0")


def byte_order_mark(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The text begins with U+FEFF."""
    return with_replaced(draft.text, 0, 0, "\ufeff")


def crlf(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """Every line ends with CR LF."""
    at = draft.text.find("\n")
    return BrokenCompletion(text=draft.text.replace("\n", "\r\n"), at=at) if at >= 0 else None
