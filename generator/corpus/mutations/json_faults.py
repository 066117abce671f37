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
from generator.formats.wire.format import ExpectedCall


def _json_fault(name: str, about: str, change: Callable[[str, Draw], str]) -> Mutate:
    """Return a mutation that changes the JSON text of one call's arguments."""

    def mutate(draft: Draft, draw: Draw) -> BrokenCompletion | None:
        index = with_arguments(draft, draw) if draft.fmt.arguments == "json" else None
        if index is None:
            return None
        old, at = draft.arguments_text(index), in_arguments(draft, index)
        new = change(old, draw)
        if at < 0 or new == old or not draft.text.startswith(old, at):
            return None
        return with_replaced(draft.text, at, len(old), new)

    mutate.__name__, mutate.__doc__ = name, about
    return mutate


def _without_a_quote(old: str, draw: Draw) -> str:
    at = draw.choice([match.start() for match in re.finditer('"', old)])
    return old[:at] + old[at + 1 :]


JSON_FAULTS: tuple[Mutate, ...] = (
    _json_fault("single_quotes", "Texts stand in single quotes.", lambda old, draw: old.replace('"', "'")),
    _json_fault("trailing_comma", "A comma stands behind the last argument.", lambda old, draw: f"{old[:-1].rstrip()},}}"),
    _json_fault("missing_brace", "The brace that closes the arguments is missing.", lambda old, draw: old[:-1]),
    _json_fault("extra_brace", "One brace too many closes the arguments.", lambda old, draw: f"{old}}}"),
    _json_fault("double_braces", "Braces are doubled, as in a template.", lambda old, draw: f"{{{old}}}"),
    _json_fault("missing_quote", "A quote is missing.", _without_a_quote),
    _json_fault(
        "bare_key", "A key stands without quotes.", lambda old, draw: re.sub(r'"(\w+)"(\s*:)', r"\1\2", old, count=1)
    ),
    _json_fault("comment", "JSON holds a comment.", lambda old, draw: f"{{ /* as asked */ {old[1:]}"),
    _json_fault(
        "arguments_as_string",
        "The arguments are a JSON text inside a text; some servers write them so.",
        lambda old, draw: json.dumps(old, ensure_ascii=False),
    ),
    _json_fault("arguments_as_list", "The arguments are a list of one object.", lambda old, draw: f"[{old}]"),
    _json_fault("arguments_as_null", "The arguments are null.", lambda old, draw: "null"),
    _json_fault("arguments_empty_text", "The arguments are left out.", lambda old, draw: ""),
)  # fmt: skip


def name_missing(draft: Draft, draw: Draw) -> BrokenCompletion | None:
    """A call has no name."""
    if not draft.calls:
        return None
    index = draw.below(len(draft.calls))
    nameless = ExpectedCall("", draft.calls[index].arguments)
    return BrokenCompletion(text=draft.again(draft.with_call(index, nameless)), at=0)
