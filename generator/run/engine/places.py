"""On which lines of the files of a run its rows stand.

A block knows only how many lines of a file its own rows take. So it writes what `number` gives, counted from its own first
line, and whoever joins the blocks moves that behind the lines that are there (`moved`). Proof lines end with these numbers.
"""

from collections.abc import Iterable, Mapping, Sequence

import orjson

from generator.formats.run_folder.files import PROOFS, REJECTED, TRANSCRIPTS

_LINES = b',"lines":'


def number(proofs: Iterable[tuple[int, bytes]], files: Mapping[str, Sequence[tuple[int, bytes]]]) -> bytes:
    """Return the proof lines of a block, each with its row's lines in every file, from 1.

    Args:
        proofs: (row, proof line) pairs.
        files: (row, line) pairs of every file, in their order, by its name before it is packed.
    """
    lines: dict[int, dict[str, list[int]]] = {}
    for name, held in files.items():
        if name in (PROOFS, REJECTED, TRANSCRIPTS):
            continue
        for at, (row, _) in enumerate(held, start=1):
            lines.setdefault(row, {}).setdefault(name, []).append(at)
    return b"".join([proof[:-2] + _LINES + orjson.dumps(lines.get(row, {})) + b"}\n" for row, proof in proofs])


def moved(proofs: bytes, before: Mapping[str, int]) -> bytes:
    """Return the proof lines of a block as they stand in the run, where `before` is how many lines each file has already."""
    if not any(before.values()):
        return proofs
    told = []
    for proof in proofs.splitlines(keepends=True):
        rest, _, lines = proof.rpartition(_LINES)
        at = {name: [before[name] + line for line in held] for name, held in orjson.loads(lines[:-2]).items()}
        told.append(rest + _LINES + orjson.dumps(at) + b"}\n")
    return b"".join(told)
