"""The lines of a block of rows, by file: every row in every format, its proof, and what was thrown away.

On which lines of the files of a run its rows stand, a block knows only as far as its own rows go. So it writes what
`with_line_numbers` gives, counted from its own first line, and whoever joins the blocks moves that behind the lines that are there (`with_moved_line_numbers`).
Proof lines end with these numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec
import orjson

from generator.core.conversation import Conversation, Row, SystemMessage, failed_messages, later_system
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS, Format
from generator.formats.files.lengths import LengthCounts, measure_by
from generator.formats.run_folder.files import PROOFS, REJECTED, TRANSCRIPTS, Layout, format_file, takes
from generator.formats.run_folder.proof_line import proof_line
from generator.formats.run_folder.tally import Tally
from generator.formats.sinks import MARK, SINKS, encode_line
from generator.formats.steps import unrolled
from generator.report.files.contamination import duplicate_key, split_of
from generator.run.engine.checked_row import FAILED, FailedRow, check_block
from generator.run.engine.passes.facts import FactsOfBlock, Removed, nothing_removed
from generator.run.row import MadeRow, PreparedRecipe, RejectedRow
from generator.run.stages.shortened import CUT, without_system


class BlockLines:
    """The lines of a block, by file."""

    def __init__(self, layout: Layout, prepared: PreparedRecipe, without: Sequence[Removed] = ()) -> None:
        recipe = prepared.recipe
        self._removed = {removed.row: removed for removed in without}
        self.tally = Tally(removed=nothing_removed(recipe))
        self._lines: dict[str, list[tuple[int, bytes]]] = {}
        """(row, line) pairs by file."""
        self._left_out: dict[int, dict[str, str]] = {}
        """Why formats have no line of a row."""
        self._aims = prepared.aims
        if self._aims is not None:
            self.tally.possible = {name: len(tool.goals) for name, tool in self._aims.tools.items()}
        self._sinks = {name: [sink for sink in layout.sinks if takes(sink, name)] for name in recipe.formats}
        self._layout = layout
        self._split_of = split_of(recipe)
        self._measure = measure_by(recipe.lengths.tokenizer)
        self._recipe = recipe
        self._keys: dict[int, int] = {}
        self.facts = FactsOfBlock(recipe)
        self._failed: list[FailedRow] = []
        self._added = 0
        self._prepared = prepared
        self._encode_proof = msgspec.json.Encoder().encode

    def add(self, made: MadeRow | FailedRow) -> None:
        """Write a row in every format, its proof, and the attempts that failed before it. Rows may come in any order.

        Of a row that is removed or could not be made, only that and why is written.

        Raises:
            RowError: when too many could not be made.
        """
        self._added += 1
        if isinstance(made, FailedRow):
            self._add_failed(made)
            return
        row, tally = made.row, self.tally
        index = row.index
        split = self._split_of(index)
        self._add_tries(made)
        if made.left_out:
            self._leave_out(made)
            return
        self.facts.add(index, row)
        if index in self._removed:
            self._remove(self._removed[index])
            return
        self._write_formats(made, split)
        self._write_proof(row, split)
        tally.rows += 1
        tally.wrong_calls += bool(failed_messages(row.conversation))
        _count(tally.scenarios, row.scenario)
        for script in row.proof.scripts:
            _count(tally.scripts, script.script)
        _count_defects(tally, row)
        _count_answers(tally, made)
        if self._aims is not None:
            for tool, goals in self._aims.reached(row.conversation).items():
                tally.reach(tool, goals)
        if split:
            _count(tally.splits, split)

    def _write_proof(self, row: Row, split: str | None) -> None:
        """Write the line of a row in the file of proofs."""
        index = row.index
        key = duplicate_key(row, self._recipe.unique) if self._recipe.unique else None
        if key is not None:
            self._keys[index] = key
        line = proof_line(row, split, key, self._left_out.get(index, {}))
        self._write(PROOFS, index, self._encode_proof(line) + b"\n")

    def _add_failed(self, failed: FailedRow) -> None:
        """Write that a row could not be made, and its attempts."""
        for attempt in failed.rejected:
            self._add_rejected(attempt)
        self.facts.add(failed.index, None)
        if self._recipe.unique:
            self._keys[failed.index] = -1 - failed.index  # unlike all others
        _count(self.tally.removed.setdefault(FAILED, {}), failed.tool)
        self._write(REJECTED, failed.index, encode_line({"index": failed.index, "failed": failed.why}))
        self._failed.append(failed)
        check_block(self._failed, self._added)

    def _add_tries(self, made: MadeRow) -> None:
        """Write the attempts that failed before a row, and what a model has made of it."""
        for attempt in made.rejected:
            self._add_rejected(attempt)
        for transcript in made.tries:
            self._write(TRANSCRIPTS, made.row.index, encode_line(transcript))

    def _leave_out(self, made: MadeRow) -> None:
        """Say that a row is not written because of what a model has made of it."""
        self.facts.add(made.row.index, None)
        _count_answers(self.tally, made)
        _count(self.tally.removed.setdefault("solve", {}), made.left_out)
        line = {"index": made.row.index, "removed": made.left_out, "solved": msgspec.to_builtins(made.row.solved)}
        self._write(REJECTED, made.row.index, encode_line(line))

    def _write_formats(self, made: MadeRow, split: str | None) -> None:
        """Write the records of a row in every format; what a format cannot carry is told among the rejected rows."""
        index = made.row.index
        for name, sinks in self._sinks.items():
            try:
                lines = [(record, encode_line(record)) for record in self.records(name, made)]
                self._check_lengths(lines)
            except CannotCarryError as fault:
                # without the place, so that like is counted together
                self._refuse(index, name, str(fault).partition(": ")[2] or str(fault), str(fault))
            else:
                if CUT in made.row.tags:
                    _count(self.tally.lost.setdefault(name, {}), "early turns (lengths.cut_turns)")
                lengths = self.tally.lengths.setdefault(name, LengthCounts()) if lines else None
                for record, line in lines:
                    if lengths is not None:
                        lengths.add(self._measure(record, line))
                    self._write_record(name, sinks, record, line, split, index)

    @property
    def why_failed(self) -> str:
        """Return why the first row failed that could not be made; empty if all could."""
        return min(self._failed, key=lambda row: row.index).why if self._failed else ""

    @property
    def rows(self) -> dict[str, int]:
        """Lines by file."""
        return {name: len(lines) for name, lines in self._lines.items()}

    @property
    def keys(self) -> tuple[int, ...]:
        """What rows that are alike share, one for each row in order; empty where it is left to chance."""
        return tuple([self._keys[index] for index in sorted(self._keys)])

    def joined(self) -> dict[str, bytes]:
        """Return what each file holds of the block: the lines of its rows in their order."""
        files = {name: sorted(lines, key=_row_of_line) for name, lines in self._lines.items()}
        joined = {name: b"".join([line for _, line in lines]) for name, lines in files.items()}
        if PROOFS in files:
            joined[PROOFS] = with_line_numbers(files[PROOFS], files)
        return joined

    def records(self, name: str, made: MadeRow) -> list[dict[str, Any]]:
        """Return the records of a row in a format; raises CannotCarryError where the format refuses one."""
        fmt, row = FORMATS[name], made.row
        if row.document is not None:
            return [fmt.write_document(row.document)]
        is_preferred = fmt.policy.records in ("preferences", "unpaired")  # then a wrong call is in prompts only
        refused = failed_messages(row.conversation) if fmt.policy.train == "none" and not is_preferred else ()
        if refused:
            raise CannotCarryError(
                f"$.messages[{refused[0]}]: a wrong call, and the format cannot say that it is not to be learnt"
            )
        later = later_system(row.conversation) if name.startswith("deepfabric") else ()
        if later:
            raise CannotCarryError(
                f"$.messages[{later[0]}]: a system message among the others, which rule DF501 does not allow"
            )
        if name == "deepfabric" and self._recipe.records == "whole":  # rendered already, because the rules read it
            return [made.record]
        conversation = row.conversation
        bare = fmt.policy.system == "reject" and any(isinstance(m, SystemMessage) for m in conversation.messages)
        try:
            if bare:
                conversation = without_system(row, self._prepared.for_row(row.index).toolbox, fmt)
            records = [fmt.render(part) for part in self._parts(fmt, row, conversation)]
        except RecursionError:
            raise CannotCarryError("$: is nested too deep") from None
        if bare:
            _count(self.tally.lost.setdefault(name, {}), "system messages")  # as `convert` calls it
        return records if fmt.label is None else [record | fmt.label(row) for record in records]

    def _check_lengths(self, lines: list[tuple[dict[str, Any], bytes]]) -> None:
        """Raise CannotCarryError for a record with more tokens than the recipe allows."""
        most = self._recipe.lengths.max_tokens
        if most is not None and any(self._measure(record, line) > most for record, line in lines):
            raise CannotCarryError(
                f"$: longer than {most:,} tokens (lengths.max_tokens), however often it was made anew"
            )

    def _parts(self, fmt: Format, row: Row, conversation: Conversation) -> Iterable[Conversation]:
        """Return the conversations of which the format writes a record each."""
        if fmt.policy.records in ("preferences", "unpaired"):
            if not row.preferences:
                why = "nothing can be made of it that has just one of the wanted defects"
                raise CannotCarryError(f"$.messages: {'its early turns are cut' if CUT in row.tags else why}")
            if fmt.policy.records == "preferences":
                return row.preferences
            return [
                part
                for preference in row.preferences
                for part in (msgspec.structs.replace(preference, rejected=None), preference)
            ]
        is_apart = self._recipe.records == "unrolled" or fmt.policy.records == "unrolled"
        return unrolled(conversation, fmt) if is_apart else (conversation,)

    def _write_record(
        self, name: str, sinks: list[str], record: dict[str, Any], line: bytes, split: str | None, index: int
    ) -> None:
        """Write one record into every container of its format."""
        size = self._layout.shard_rows
        shard = None if size is None else index // size
        for sink in sinks:
            if SINKS[sink].texts_only and size != 1 and MARK in record["text"]:
                self._refuse(index, f"{name} as {sink}", _MARKED, _MARKED)
            else:
                self._write(format_file(name, sink, split, shard), index, line)

    def _refuse(self, index: int, what: str, reason: str, fault: str) -> None:
        """Say among the rejected rows why a format has no line of a row."""
        _count(self.tally.refused.setdefault(what, {}), reason)
        self._left_out.setdefault(index, {})[what] = fault
        self._write(REJECTED, index, encode_line({"index": index, "format": what, "reason": fault}))

    def _remove(self, removed: Removed) -> None:
        """Say among the rejected rows that a row is removed because of others."""
        _count(self.tally.removed.setdefault(removed.key, {}), removed.why)
        line = {"index": removed.row, "removed": removed.why}
        self._write(
            REJECTED, removed.row, encode_line(line if removed.like is None else {**line, "like": removed.like})
        )

    def _add_rejected(self, attempt: RejectedRow) -> None:
        """Write an attempt at a row that failed, with the rules that it broke."""
        for violation in attempt.violations:
            _count(self.tally.rejected, violation.rule)
        violations = [{"rule": v.rule, "path": v.path, "message": v.message} for v in attempt.violations]
        line = {
            "index": attempt.index,
            "attempt": attempt.attempt,
            "scenario": attempt.scenario,
            "violations": violations,
        }
        if attempt.record:
            line |= {"messages": attempt.record["messages"]}
        self._write(REJECTED, attempt.index, encode_line(line))

    def _write(self, name: str, index: int, line: bytes) -> None:
        """Add a line of a row to a file."""
        lines = self._lines.get(name)
        if lines is None:
            lines = self._lines[name] = []
        lines.append((index, line))


_row_of_line = itemgetter(0)
_MARKED = "the text holds U+001E, which stands between documents"


def _count_defects(tally: Tally, row: Row) -> None:
    """Count the defects of the rejected continuations of a row."""
    for preference in row.preferences:
        if preference.rejected is not None:
            _count(tally.defects, preference.rejected.defect)


def _count_answers(tally: Tally, made: MadeRow) -> None:
    """Count what became of a model's answers."""
    for use, outcome in made.notes:
        _count(tally.llm.setdefault(use, {}), outcome)
    if made.row.judgement is not None:
        _count(tally.scores, str(made.row.judgement.score))


def _count(counts: dict[str, int], key: str) -> None:
    counts[key] = counts.get(key, 0) + 1


_LINES = b',"lines":'


def with_line_numbers(proofs: Iterable[tuple[int, bytes]], files: Mapping[str, Sequence[tuple[int, bytes]]]) -> bytes:
    """Return the proof lines of a block, each with its row's lines in every file (named as before it is packed), from 1."""
    lines: dict[int, dict[str, list[int]]] = {}
    for name, lines_of_file in files.items():
        if name in (PROOFS, REJECTED, TRANSCRIPTS):
            continue
        for at, (row, _) in enumerate(lines_of_file, start=1):
            lines.setdefault(row, {}).setdefault(name, []).append(at)
    return b"".join([proof[:-2] + _LINES + orjson.dumps(lines.get(row, {})) + b"}\n" for row, proof in proofs])


def with_moved_line_numbers(proofs: bytes, before: Mapping[str, int]) -> bytes:
    """Return the proof lines of a block as they stand in the run, where `before` is how many lines each file has already."""
    if not any(before.values()):
        return proofs
    moved_lines = []
    for proof in proofs.splitlines(keepends=True):
        rest, _, lines = proof.rpartition(_LINES)
        at = {
            name: [before[name] + line for line in line_numbers]
            for name, line_numbers in orjson.loads(lines[:-2]).items()
        }
        moved_lines.append(rest + _LINES + orjson.dumps(at) + b"}\n")
    return b"".join(moved_lines)
