"""Where the rows of a run stand, as its proofs say: which row is on which line of which file."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from generator.core.errors import FormatError
from generator.formats.sinks import reading


class Placed(msgspec.Struct, frozen=True):
    """What a proof line says of a row as a whole."""

    index: int
    scenario: str = ""
    tags: tuple[str, ...] = ()
    lines: dict[str, list[int]] = {}
    left_out: dict[str, str] = {}


def placed_rows(proofs: Path) -> Iterator[tuple[Placed, bytes]]:
    """Yield every row of a proofs file with its line there.

    Raises:
        OutputError: when the file cannot be read.
        FormatError: when a line is no proof.
    """
    decode = msgspec.json.Decoder(Placed).decode
    with reading(proofs) as file:
        for number, text in enumerate(file, start=1):
            try:
                yield decode(text), text
            except msgspec.MsgspecError as fault:
                raise FormatError(f"{proofs}:{number}: not a proof: {fault}") from None


def proofs_by_line(proofs: Path, file: str) -> Iterator[tuple[int, bytes]]:
    """Yield (line, proof of the row on it) of a file of the run, which is named as before it is packed, in its order."""
    for row, text in placed_rows(proofs):
        for line in row.lines.get(file, ()):
            yield line, text
