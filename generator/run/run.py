"""A whole run: rows in order, each written in every format, files named when they are whole."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from generator.conversation import AnswerClaim, AssistantMessage, Claim, Conversation, Row
from generator.errors import CannotCarryError
from generator.formats import FORMATS
from generator.recipe import Recipe
from generator.run.progress import Listener, RowsMade, RunFinished, RunStarted, Tally, Written, ignore
from generator.run.row import MadeRow, RejectedRow, make_row, prepare
from generator.sinks import JsonlSink, OutputFolder

PROOFS = "proofs.jsonl"
REJECTED = "rejected.jsonl"


class ProofLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the proofs file: how a row was meant and where its values come from."""

    index: int
    scenario: str
    tags: tuple[str, ...]
    calls: tuple[str, ...]
    """Ids of all calls in order: formats without ids are matched by it."""
    arguments: tuple[Claim, ...]
    answers: tuple[AnswerClaim, ...]


def run(recipe: Recipe, out: Path, listener: Listener = ignore) -> RunFinished:
    """Make all rows of a recipe and write them to the folder `out`.

    Raises:
        GeneratorError: when the tools cannot serve the recipe, a row cannot be made, or the folder cannot be
            written. The folder is then as it was before.
    """
    workshop = prepare(recipe)
    listener(RunStarted(recipe, out))
    rows = (make_row(workshop, index) for index in range(recipe.rows))
    finished = write_rows(recipe, rows, out, listener)
    listener(finished)
    return finished


def write_rows(recipe: Recipe, rows: Iterable[MadeRow], out: Path, listener: Listener = ignore) -> RunFinished:
    """Write finished rows to every format's file, their proofs, and what was rejected."""
    tally = Tally()
    encode_proof = msgspec.json.Encoder().encode
    with OutputFolder(out) as folder:
        formats = [(name, folder.jsonl(f"{name}.jsonl")) for name in recipe.formats]
        proofs, rejected = folder.jsonl(PROOFS), folder.jsonl(REJECTED)
        for made in rows:
            for attempt in made.rejected:
                _note_rejected(attempt, rejected, tally)
            for name, sink in formats:
                _write_row(name, made, sink, rejected, tally)
            proofs.write_line(encode_proof(proof_line(made.row)) + b"\n")
            tally.rows += 1
            tally.scenarios[made.row.scenario] += 1
            listener(RowsMade(tally.rows, recipe.rows))
        sinks = [*(sink for _, sink in formats), proofs, rejected]
        folder.commit()
    return RunFinished(tally, tuple(Written(sink.path, sink.rows, sink.bytes) for sink in sinks))


def proof_line(row: Row) -> ProofLine:
    """What the proofs file says about a row."""
    return ProofLine(
        index=row.index,
        scenario=row.scenario,
        tags=row.tags,
        calls=call_ids(row.conversation),
        arguments=row.proof.arguments,
        answers=row.proof.answers,
    )


def call_ids(conversation: Conversation) -> tuple[str, ...]:
    """Ids of all calls, in order."""
    return tuple(
        [
            call.id
            for message in conversation.messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        ]
    )


def _write_row(name: str, made: MadeRow, sink: JsonlSink, rejected: JsonlSink, tally: Tally) -> None:
    if name == "deepfabric":  # rendered already, because the rules read it
        sink.write(made.record)
        return
    try:
        record: dict[str, Any] = FORMATS[name].render(made.row.conversation)
    except CannotCarryError as fault:
        _, _, reason = str(fault).partition(": ")  # without the place, so that like is counted together
        tally.refused[name, reason or str(fault)] += 1
        rejected.write({"index": made.row.index, "format": name, "reason": str(fault)})
        return
    sink.write(record)


def _note_rejected(attempt: RejectedRow, rejected: JsonlSink, tally: Tally) -> None:
    tally.rejected.update({violation.rule for violation in attempt.violations})
    violations = [{"rule": v.rule, "path": v.path, "message": v.message} for v in attempt.violations]
    rejected.write({"index": attempt.index, "attempt": attempt.attempt, "violations": violations})
