"""Mutations: arguments that are not valid JSON, or not an object."""

import json
import re
from collections.abc import Callable

from generator.core.seeds import Draw
from generator.corpus.mutations.draft import (
    BrokenCompletion,
    Draft,
    Mutate,
    in_arguments,
    with_arguments,
    with_replaced,
)
from generator.formats.wire.calls import ExpectedCall


def _change_json(draft: Draft, draw: Draw, change: Callable[[str], str | None]) -> BrokenCompletion | None:
    """Change the JSON text of one call's arguments."""
    index = with_arguments(draft, draw) if draft.fmt.arguments == "json" else None
    if index is None:
        return None
    old = draft.arguments_text(index)
    at, new = in_arguments(draft, index), change(old)
    if at < 0 or new is None or new == old or not draft.text.startswith(old, at):
        return None
    return with_replaced(draft.text, at, len(old), new)


def single_quotes(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """Texts stand in single quotes."""
    return _change_json(draft, draw, lambda old: old.replace('"', "'"))


def trailing_comma(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A comma stands behind the last argument."""
    return _change_json(draft, draw, lambda old: f"{old[:-1].rstrip()},}}")


def missing_brace(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The brace that closes the arguments is missing."""
    return _change_json(draft, draw, lambda old: old[:-1])


def extra_brace(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """One brace too many closes the arguments."""
    return _change_json(draft, draw, lambda old: f"{old}}}")


def double_braces(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """Braces are doubled, as in a template."""
    return _change_json(draft, draw, lambda old: f"{{{old}}}")


def missing_quote(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A quote is missing."""

    def change(old: str) -> str:
        at = draw.choice([match.start() for match in re.finditer('"', old)])
        return old[:at] + old[at + 1 :]

    return _change_json(draft, draw, change)


def bare_key(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A key stands without quotes."""
    return _change_json(draft, draw, lambda old: re.sub(r'"(\w+)"(\s*:)', r"\1\2", old, count=1))


def comment(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """JSON holds a comment."""
    return _change_json(draft, draw, lambda old: f"{{ /* as asked */ {old[1:]}")


def _replace_arguments(new: Callable[[str], str]) -> Mutate:
    def mutate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
        return _change_json(draft, draw, new)

    return mutate


def arguments_as_string(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """The arguments are a JSON text inside a text; some servers write them so."""
    return _change_json(draft, draw, lambda old: json.dumps(old, ensure_ascii=False))


arguments_as_list = _replace_arguments(lambda old: f"[{old}]")
arguments_as_null = _replace_arguments(lambda old: "null")
arguments_empty_text = _replace_arguments(lambda old: "")


def name_missing(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A call has no name."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    return BrokenCompletion(
        text=draft.again(draft.with_call(index, ExpectedCall("", draft.calls[index].arguments))), at=0
    )
