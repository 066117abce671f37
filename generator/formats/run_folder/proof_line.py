"""One line of the proofs file: a row's scenario and tags, and where its values come from."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from generator.core.claims import (
    AnswerClaim,
    AskClaim,
    Claim,
    DeclineClaim,
    RetractedClaim,
    ScriptProof,
    TellClaim,
    UseClaim,
    WishClaim,
)
from generator.core.conversation import AssistantMessage, Conversation, Judgement, Renamed, Row, Solved
from generator.core.errors import FormatError
from generator.formats.sinks import reading


class ProofLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the proofs file says about a row."""

    index: int
    scenario: str
    tags: tuple[str, ...]
    split: str | None = None
    family: int | None = None
    """Number of the family of twins that the row is one of."""
    calls: tuple[str, ...]
    """Ids of all calls in order: formats without ids are matched by it."""
    arguments: tuple[Claim, ...]
    answers: tuple[AnswerClaim, ...]
    wishes: tuple[WishClaim, ...] = ()
    asks: tuple[AskClaim, ...] = ()
    tells: tuple[TellClaim, ...] = ()
    retracted: tuple[RetractedClaim, ...] = ()
    declines: tuple[DeclineClaim, ...] = ()
    uses: tuple[UseClaim, ...] = ()
    """Of which forms the texts are made, where the templates' words still stand and tools have their own names."""
    scripts: tuple[ScriptProof, ...] = ()
    """Of a row of scripts: the expressions that all its values are computed by."""
    judgement: Judgement | None = None
    solved: Solved | None = None
    renamed: dict[str, Renamed] = {}
    """For a row with other names: old name of each tool → its new names."""
    state: str = ""
    """Digest of the entities that the calls were about, as they are left."""
    key: int | None = None
    """What rows that are alike would share, where the recipe says `unique`."""
    left_out: dict[str, str] = {}
    """Format (or `qwen as text`) → why it has no line of the row."""
    lines: dict[str, list[int]] = {}
    """File (before it is packed) → the row's lines in it, from 1: of a table its rows, of plain text its documents. Several
    where a row is several records."""

    def claims_by_call(self) -> list[list[Claim]]:
        """Return the claims of each call, in order."""
        claims: dict[str, list[Claim]] = {call_id: [] for call_id in self.calls}
        for claim in self.arguments:
            claims.setdefault(claim.call_id, []).append(claim)
        return [claims[call_id] for call_id in self.calls]


_ALL_CARRY: Mapping[str, str] = {}


def proof_line(
    row: Row, split: str | None = None, key: int | None = None, left_out: Mapping[str, str] = _ALL_CARRY
) -> ProofLine:
    """Return the line of a row, without its `lines`, which are known when the files are put together.

    Where tools have other names the derivation is left out: it has the usual ones.
    """
    claims = {
        name: value for name, value in msgspec.structs.asdict(row.proof).items() if name != "uses" or not row.renamed
    }
    return ProofLine(
        index=row.index,
        scenario=row.scenario,
        tags=row.tags,
        split=split,
        family=row.family,
        calls=call_ids(row.conversation),
        **claims,
        judgement=row.judgement,
        solved=row.solved,
        renamed=row.renamed,
        state=row.state,
        key=key,
        left_out=dict(left_out),
    )


def call_ids(conversation: Conversation) -> tuple[str, ...]:
    """Return ids of all calls, in order."""
    return tuple(
        [
            call.id
            for message in conversation.messages
            if type(message) is AssistantMessage
            for call in message.tool_calls
        ]
    )


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
