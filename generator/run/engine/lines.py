"""The lines of a block of rows, by file: every row in every format, its proof, and what was thrown away."""

from operator import itemgetter
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, SystemMessage, refused_calls
from generator.data.files import PROOFS, REJECTED, Layout, format_file, takes
from generator.data.proof_line import proof_line
from generator.data.splits import split_of
from generator.data.tally import Tally
from generator.errors import CannotCarryError
from generator.exact_json import holds_stray_number
from generator.formats import FORMATS
from generator.run.engine.without_system import LOSS, without_system
from generator.run.row import MadeRow, PreparedRecipe, RejectedRow
from generator.sinks import MARK, SINKS, encode_line, encode_made_line


class BlockLines:
    """The lines of a block, by file."""

    def __init__(self, layout: Layout, prepared: PreparedRecipe) -> None:
        recipe = prepared.recipe
        self.tally = Tally()
        self._lines: dict[str, list[tuple[int, bytes]]] = {}
        """(row, line) pairs by file."""
        self._aims = prepared.aims
        if self._aims is not None:
            self.tally.possible = {name: len(tool.goals) for name, tool in self._aims.tools.items()}
        self._sinks = {name: [sink for sink in layout.sinks if takes(sink, name)] for name in recipe.formats}
        self._shard_rows = layout.shard_rows
        self._split_of = split_of(recipe)
        self._prepared = prepared
        self._encode_proof = msgspec.json.Encoder().encode

    def add(self, made: MadeRow) -> None:
        """Write a row in every format, its proof, and the attempts that failed before it. Rows may come in any order."""
        row, tally = made.row, self.tally
        index = row.index
        split = self._split_of(index)
        for attempt in made.rejected:
            self._add_rejected(attempt)
        encode = encode_line if _holds_stray_number(row.conversation) else encode_made_line
        for name, sinks in self._sinks.items():
            try:
                record = self._render(name, made)
                line = encode(record)
            except CannotCarryError as fault:
                _, _, reason = str(fault).partition(": ")  # without the place, so that like is counted together
                self._refuse(index, name, reason or str(fault), str(fault))
            else:
                self._write_record(name, sinks, record, line, split, index)
        self._write(PROOFS, index, self._encode_proof(proof_line(row, split)) + b"\n")
        tally.rows += 1
        _count(tally.scenarios, row.scenario)
        _count_answers(tally, made)
        if self._aims is not None:
            for tool, goals in self._aims.reached(row.conversation).items():
                tally.reach(tool, goals)
        if split:
            _count(tally.splits, split)

    @property
    def rows(self) -> dict[str, int]:
        """Lines by file."""
        return {name: len(lines) for name, lines in self._lines.items()}

    def joined(self) -> dict[str, bytes]:
        """What each file holds of the block: the lines of its rows in their order."""
        return {
            name: b"".join([line for _, line in sorted(lines, key=_row)]) for name, lines in self._lines.items()
        }

    def _render(self, name: str, made: MadeRow) -> dict[str, Any]:
        fmt, row = FORMATS[name], made.row
        if row.document is not None:
            return fmt.write_document(row.document)
        refused = refused_calls(row.conversation) if fmt.policy.train == "none" else ()
        if refused:
            raise CannotCarryError(f"$.messages[{refused[0]}]: a wrong call, and the format cannot say that it is not to be learnt")
        if name == "deepfabric":  # rendered already, because the rules read it
            return made.record
        try:
            if fmt.policy.system != "reject" or not any(isinstance(m, SystemMessage) for m in row.conversation.messages):
                return fmt.render(row.conversation)
            record = fmt.render(without_system(row, self._prepared.toolbox, fmt))
        except RecursionError:
            raise CannotCarryError("$: is nested too deep") from None
        _count(self.tally.lost.setdefault(name, {}), LOSS)
        return record

    def _write_record(
        self, name: str, sinks: list[str], record: dict[str, Any], line: bytes, split: str | None, index: int
    ) -> None:
        size = self._shard_rows
        shard = None if size is None else index // size
        for sink in sinks:
            if SINKS[sink].texts_only and size != 1 and MARK in record["text"]:
                self._refuse(index, f"{name} as {sink}", _MARKED, _MARKED)
            else:
                self._write(format_file(name, sink, split, shard), index, line)

    def _refuse(self, index: int, what: str, reason: str, fault: str) -> None:
        _count(self.tally.refused.setdefault(what, {}), reason)
        self._write(REJECTED, index, encode_line({"index": index, "format": what, "reason": fault}))

    def _add_rejected(self, attempt: RejectedRow) -> None:
        for violation in attempt.violations:
            _count(self.tally.rejected, violation.rule)
        violations = [{"rule": v.rule, "path": v.path, "message": v.message} for v in attempt.violations]
        line = {"index": attempt.index, "attempt": attempt.attempt, "violations": violations}
        self._write(REJECTED, attempt.index, encode_line(line))

    def _write(self, name: str, index: int, line: bytes) -> None:
        lines = self._lines.get(name)
        if lines is None:
            lines = self._lines[name] = []
        lines.append((index, line))


_row = itemgetter(0)
_MARKED = "the text holds U+001E, which stands between documents"


def _holds_stray_number(conversation: Conversation) -> bool:
    """Whether a number is NaN or infinite: all that a conversation holds is text, but for arguments and tools."""
    for message in conversation.messages:
        if type(message) is AssistantMessage:
            for call in message.tool_calls:
                if holds_stray_number(call.arguments):
                    return True
    return False


def _count_answers(tally: Tally, made: MadeRow) -> None:
    """Count what became of a model's answers."""
    for use, outcome in made.notes:
        _count(tally.llm.setdefault(use, {}), outcome)
    if made.row.judgement is not None:
        _count(tally.scores, str(made.row.judgement.score))


def _count(counts: dict[str, int], key: str) -> None:
    counts[key] = counts.get(key, 0) + 1
