"""Texts of agents that repeat one pattern up to the limit, said in an episode or as a completion: reading them takes no time to speak of."""

import copy
from collections.abc import Iterator
from itertools import product

from hostile.cases import Case, as_json
from hostile.transcripts import scored, transcript

LONGEST = 64_000
PIECES = (
    *(
        "1:",
        "how can ",
        "7 nov ",
        "12:30 pm to ",
        '{"a":',
        "'a': 1, ",
        '"',
        "[",
        "1,",
        "1.",
        "1/2 ",
        "-",
        "a",
        "ü",
        ".",
    ),
    *(
        "i was not ",
        "an error ",
        "nothing was ",
        "please tell ",
        "which ",
        "no problem ",
        "twenty-one ",
        "$1.50 ",
        "\n- ",
    ),
    *(
        "<think>",
        "</think>",
        "<think></think>",
        "<tool_call>",
        '<tool_call>\n{"name": "find"',
        "[TOOL_CALLS]",
        "<arg_key>",
    ),
)
ROW = {
    "id": "1",
    "messages": [{"role": "user", "content": "?"}],
    "answer": {"content": None, "calls": [{"name": "find", "arguments": {"title": "Dune", "copies": 2}}]},
}


def _cases(piece: str) -> Iterator[Case]:
    text = piece * (LONGEST // len(piece))
    record = copy.deepcopy(transcript())
    record["messages"] = [one for one in record["messages"] if one["role"] != "assistant" or one.get("tool_calls")]
    record["messages"] += [{"role": "assistant", "content": text}] * 3
    yield scored(f"said {piece!r}", record)
    files = {"rows.jsonl": as_json(ROW) + b"\n", "x.jsonl": as_json(text) + b"\n"}
    yield Case(f"completion {piece!r}", files, ("score", "rows.jsonl", "x.jsonl"))


def always() -> Iterator[Case]:
    """Those that were slow once."""
    for piece in ("1:", "how can "):
        yield from _cases(piece)


def some() -> Iterator[Case]:
    """Every pattern, and every two of them."""
    for pieces in (*((piece,) for piece in PIECES), *product(PIECES, PIECES)):
        yield from _cases("".join(pieces))
