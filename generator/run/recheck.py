"""Make the conversations of a finished run again from their start, replay each, and compare what becomes of their entities.

Rows that a model has played are its transcripts: these are played again, and must have the score that they had.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from generator.core.conversation import Solved
from generator.core.errors import GeneratorError, OutputError
from generator.episodes.replay import read_transcript, replay
from generator.episodes.scoring import Score
from generator.formats.run_folder.files import TRANSCRIPTS
from generator.formats.run_folder.manifest import read_manifest
from generator.formats.run_folder.proof_line import call_ids
from generator.formats.sinks import reading
from generator.recipe import Recipe, change_recipe
from generator.report.files.contamination import duplicate_key
from generator.report.files.verify import FileCheck
from generator.run.authoring.author import add_written, as_written
from generator.run.engine.checked_row import FailedRow, make_checked_row
from generator.run.engine.passes.decide import MOST_REMADE
from generator.run.episodes import RecipeTasks, as_planned
from generator.run.row import PreparedRecipe
from generator.run.usable import prepare_usable

_PROOFS = "proofs"


class _ProofLine(msgspec.Struct):
    """What of a line of the proofs follows from the row's calls."""

    index: int
    calls: tuple[str, ...] = ()
    state: str = ""
    key: int | None = None
    solved: Solved | None = None

    @property
    def is_a_try(self) -> bool:
        """Whether the row is a transcript."""
        return self.solved is not None and self.solved.by is not None


class _TranscriptLine(msgspec.Struct):
    """What a line of transcripts says beside the messages."""

    index: int
    attempt: int
    score: Score


def recheck_states(recipe: Recipe, folder: Path) -> Iterator[FileCheck]:
    """Compare the calls and the `state` of every row in a run's proofs with those of the row made again.

    Raises:
        OutputError: when there is no finished run, or its proofs cannot be read.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise OutputError(f"{folder}: there is no finished run")
    recipe = as_written(recipe, folder)
    seed = manifest.made_from.get("seed")
    recipe = change_recipe(recipe, seed=seed if isinstance(seed, int) else None, known_formats=recipe.formats)
    prepared = prepare_usable(msgspec.structs.replace(as_planned(recipe), replay=1.0))
    add_written(prepared, folder)
    proofs = next((folder / name for name in manifest.files if name.startswith(_PROOFS)), None)
    if proofs is None:
        return
    yield _recheck_rows(prepared, proofs)
    for name in manifest.files:
        if name.startswith(Path(TRANSCRIPTS).stem):
            yield _replay_transcripts(RecipeTasks(prepared), folder / name, proofs)


def _proof_lines(path: Path) -> Iterator[_ProofLine]:
    """Yield the lines of a file of proofs; raises OutputError for what is none."""
    with reading(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                yield msgspec.json.decode(line, type=_ProofLine)
            except msgspec.DecodeError as fault:
                raise OutputError(f"{path}:{number}: not a line of proofs: {fault}") from None


def _replay_transcripts(tasks: RecipeTasks, path: Path, proofs: Path) -> FileCheck:
    """Play the transcripts of a run again, and hold its rows against those that they are."""
    rows, proof_lines, episode = 0, _proof_lines(proofs), tasks.episode()
    proof_line = next(proof_lines, None)
    with reading(path) as file:
        for rows, line in enumerate(file, start=1):
            try:
                transcript_line = msgspec.json.decode(line, type=_TranscriptLine)
                transcript = read_transcript(msgspec.json.decode(line), f"{path}:{rows}")
            except (msgspec.DecodeError, GeneratorError) as fault:
                raise OutputError(f"{path}:{rows}: not a transcript: {fault}") from None
            row_and_try = f"row {transcript_line.index}, try {transcript_line.attempt}"
            replayed = replay(episode, transcript)
            if replayed.faults:
                return FileCheck(path.name, rows, f"{row_and_try}: {replayed.faults[0]}")
            if replayed.score != transcript_line.score:
                return FileCheck(
                    path.name,
                    rows,
                    f"{row_and_try}: its score is {replayed.score.reward}, not {transcript_line.score.reward}",
                )
            while proof_line is not None and proof_line.index < transcript_line.index:
                proof_line = next(proof_lines, None)
            if (
                proof_line is None
                or proof_line.index != transcript_line.index
                or proof_line.solved is None
                or proof_line.solved.by != transcript_line.attempt
            ):
                continue
            ids = [call["id"] for message in transcript.messages for call in message.get("tool_calls") or ()]
            if (
                proof_line.calls != tuple(ids)
                or proof_line.solved.parts != transcript_line.score.parts
                or not transcript_line.score.passed
            ):
                return FileCheck(path.name, rows, f"{row_and_try}: the proofs tell something else of the row")
    episode.close()
    return FileCheck(path.name, rows)


def _recheck_rows(prepared: PreparedRecipe, path: Path) -> FileCheck:
    """Make every row of a file of proofs again, and compare its calls and the state that they leave."""
    rows = 0
    unique = prepared.recipe.unique
    for rows, proof_line in enumerate(_proof_lines(path), start=1):
        for again in range(MOST_REMADE + 1 if unique else 1):
            made = make_checked_row(prepared, proof_line.index, again)
            if isinstance(made, FailedRow):
                return FileCheck(path.name, rows, f"row {proof_line.index} cannot be made again: {made.why}")
            row = made.row
            # the key of a row that was made anew is unlike those of the rows that it was before
            if not unique or duplicate_key(row, unique) == proof_line.key:
                break
        if proof_line.is_a_try:
            continue
        if call_ids(row.conversation) != proof_line.calls:
            return FileCheck(path.name, rows, f"the recipe makes other calls in row {proof_line.index}")
        if row.state != proof_line.state:
            return FileCheck(
                path.name, rows, f"row {proof_line.index} leaves its entities in another state than it says"
            )
    return FileCheck(path.name, rows)
