"""Finished blocks become the files of the data set: joined in order, then given their names all at once."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from generator.core.errors import OutputError, RowError
from generator.core.files import is_remote, put_file, read_regular
from generator.core.sandbox.sandbox import is_confined
from generator.formats import FORMATS
from generator.formats.columns import columns_of
from generator.formats.run_folder.card import card
from generator.formats.run_folder.files import (
    CARD,
    DATASET_INFO,
    MANIFEST,
    PAGE,
    PARTS,
    PROOFS,
    REPORT,
    Layout,
    has_dataset_info,
    has_report,
    is_file_of_run,
    packed_name,
    planned_files,
)
from generator.formats.run_folder.manifest import FileEntry, Manifest, check_file_names, decode, encode, is_as_written
from generator.formats.run_folder.tally import Shared, Tally
from generator.formats.sinks import (
    SINKS,
    GrowingFile,
    pack,
    read_all,
    reading,
    sync_folder,
    unpacked_name,
    write_whole,
    writing,
)
from generator.llm.asking import Account
from generator.recipe import Recipe
from generator.report.files.contamination import Against
from generator.report.run_report import compare_run, main_figures, measure_run
from generator.run.engine.blocks import Block, BlockRecord, Job, part_path, record_path, runs_python
from generator.run.engine.checked_row import FAILED, check_share
from generator.run.engine.ledger import FINAL, RunPlan, read_block_record, read_plan, remove_final, remove_parts
from generator.run.engine.lines import with_moved_line_numbers
from generator.run.engine.passes.decide import Unique


class Assembly:
    """The files of a run while blocks are added to them; whatever way it ends, they have no final name yet."""

    def __init__(
        self,
        job: Job,
        plan: RunPlan,
        found: Mapping[int, Path],
        unique: Unique | None = None,
        against: Against | None = None,
    ) -> None:
        """Begin with nothing.

        Args:
            job: The run.
            plan: Its blocks.
            found: First row of each block that is finished → the folder that holds it; grows while blocks are made.
            unique: Makes blocks anew that hold rows like those before, where the recipe wants that.
            against: What all rows are compared with.
        """
        self.tally = Tally()
        self.cpu_seconds = 0.0
        self._why_failed: dict[Path, str] = {}
        """By the record of each block with rows that could not be made: why the first of them could not."""
        self._job = job
        self._out = job.out
        self.stage = open_stage(job.out)
        """Where files stand until they have their names."""
        self._plan = plan
        self._digest = plan.digest
        self._blocks: Iterator[Block] = plan.blocks()
        self._next = next(self._blocks, None)
        self._found = found
        self._unique = unique
        self._against = against
        self._shared: Shared | None = None
        self._rows: dict[str, int] = {}
        self._files: dict[str, GrowingFile] = {}

    def __enter__(self) -> Self:
        folder = self.stage / FINAL
        try:
            remove_final(self._out)  # what is there of an assembly that ended too early
            with writing(folder):
                folder.mkdir(exist_ok=True)
            self._open_files(folder)
            if self._plan.kept:
                self._begin_with(self._plan.kept)
        except BaseException:
            self._give_up()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._give_up()

    def add_finished(self) -> None:
        """Add all blocks that are whole and whose turn it is."""
        while self._next is not None and self._next.start in self._found:
            record = read_block_record(self._found[self._next.start], self._next, self._digest)
            if record is None:
                return
            if self._unique is not None:
                record = self._unique.settle(record)
            self._append(record, self._found[record.start])
            self._next = next(self._blocks, None)

    def finish(self, recipe_sha256: str, wall_seconds: float, account: Account | None = None) -> Manifest:
        """Make everything durable and say what there is, ready for `give_names`.

        Raises:
            RowError: when too many rows could not be made.
        """
        if self._next is not None:
            folder = self._found.get(self._next.start, self._out)
            raise OutputError(f"{part_path(folder, self._next.start)}: the block went away")
        try:
            check_share(self.tally.removed.get(FAILED, {}), self._plan.rows, next(iter(self._why_failed.values()), ""))
        except RowError:
            for record in self._why_failed:  # the same command makes these blocks again, and keeps the others
                record.unlink(missing_ok=True)
            raise
        self._write_descriptions()
        for file in self._files.values():
            file.finish()
        lengths = {name: counts.summary() for name, counts in sorted(self.tally.lengths.items())}
        manifest = Manifest(
            name=self._job.recipe.name,
            recipe_sha256=recipe_sha256,
            rows=self.tally.rows,
            made_from=self._plan.made_from,
            tally=self.tally.in_order(),
            lengths={name: summary for name, summary in lengths.items() if summary is not None},
            shared=self._shared,
            left_out=self._plan.left_out,
            files={
                name: FileEntry(rows=self._rows[name], bytes=file.bytes, sha256=file.sha256)
                for name, file in self._files.items()
            },
            cpu_seconds=round(self.cpu_seconds, 6),
            wall_seconds=round(wall_seconds, 6),
            llm=account,
            confined=is_confined() if runs_python(self._job.recipe) else None,
        )
        sync_folder(self.stage / FINAL)
        write_whole(self.stage / MANIFEST, [encode(manifest)])
        return manifest

    def _open_files(self, folder: Path) -> None:
        """Open all files of rows of the data set."""
        layout = self._job.layout
        for planned in planned_files(self._job.recipe, layout):
            columns = columns_of(planned.format) if planned.format else {}
            make = SINKS[planned.sink].make
            self._files[planned.name] = make(folder / planned.name, planned.name, layout.packing, columns)
            self._rows[planned.name] = 0

    def _write_descriptions(self) -> None:
        """Add what tells people and programs about the rows."""
        recipe, layout = self._job.recipe, self._job.layout
        report, shown = None, ""
        paths = {name: file.path for name, file in self._files.items()}
        if self._against is not None:
            self._shared = compare_run(self._against, recipe, layout, paths, self._rows)
        if has_report(layout):
            report, shown = measure_run(recipe, layout, paths, self._rows)
        self._add_text(CARD, self._card(main_figures(report) if report else ()))
        if has_dataset_info(recipe, layout):
            self._add_text(DATASET_INFO, _dataset_info(recipe, layout))
        if report:
            self._add_text(REPORT, encode(report).decode())
            self._add_text(PAGE, shown)

    def _card(self, figures: Sequence[tuple[str, str]]) -> str:
        """Return the dataset card."""
        job, left_out = self._job, self._plan.left_out
        digests = {name: file.sha256 for name, file in self._files.items()}
        return card(job.recipe, job.layout, self.tally, self._rows, digests, figures, self._shared, left_out)

    def _add_text(self, name: str, text: str) -> None:
        """Add a file that is no file of rows: the card, the report."""
        self._files[name] = file = GrowingFile(self.stage / FINAL / name, name)
        file.add(text.encode())
        self._rows[name] = text.count("\n")

    def _begin_with(self, kept: Manifest) -> None:
        """Begin with the rows of the run that is extended; `start.begin` has looked at them."""
        for name, file in self._files.items():
            path, entry = self._out / name, kept.files.get(name)
            if entry is None or not entry.rows:
                continue
            file.keep(path, entry.bytes)
            self._rows[name] = entry.rows
        if self._unique is not None:
            self._unique.keep(_keys_in_proofs(self._out / packed_name(PROOFS, self._job.layout)))
        self.tally.add(kept.tally)
        self.cpu_seconds = kept.cpu_seconds

    def _append(self, record: BlockRecord, folder: Path) -> None:
        """Append the parts of a block to the files, and its counts to the tally."""
        layout = self._job.layout
        before = {unpacked_name(Path(name)): self._rows.get(name, 0) for name in record.parts}
        with reading(part_path(folder, record.start)) as source:
            for name, entry in record.parts.items():
                if name not in self._files:
                    where = record_path(folder, record.start)
                    raise OutputError(f"{where}: names {name!r}, which this run does not write; remove {where}")
                if name == packed_name(PROOFS, layout):
                    proofs = with_moved_line_numbers(read_all(source, entry.bytes), before)
                    self._files[name].add(pack(proofs, layout.packing))
                else:
                    self._files[name].add_from(source, entry.bytes)
                self._rows[name] += entry.rows
        self.tally.add(record.tally)
        if record.why_failed:
            self._why_failed[record_path(folder, record.start)] = record.why_failed
        self.cpu_seconds += record.cpu_seconds

    def _give_up(self) -> None:
        """Remove what was put together of the files of the run; its blocks stay."""
        remove_final(self._out)
        close_stage(self._out, self.stage)


class _Key(msgspec.Struct):
    """What of a proof tells which rows are alike."""

    key: int


def _keys_in_proofs(proofs: Path) -> Iterator[int]:
    """Yield the key of each row in a file of proofs: what `unique` compares."""
    with reading(proofs) as file:
        for line in file:
            yield msgspec.json.decode(line, type=_Key).key


def open_stage(out: Path) -> Path:
    """Return where the files of a run are put together: in its folder, or on the disk of this machine for an object store."""
    return Path(tempfile.mkdtemp(prefix="generator-")) if is_remote(out) else out / PARTS


def close_stage(out: Path, stage: Path) -> None:
    """Remove what was put together for an object store."""
    if is_remote(out):
        shutil.rmtree(stage, ignore_errors=True)


def give_names(out: Path, stage: Path | None = None) -> None:
    """Give the files of an assembled run, which wait in `stage`, their names, the manifest last; goes on where an earlier try ended."""
    stage = stage or out / PARTS
    if is_remote(stage):
        return  # a try that failed left nothing there
    try:
        manifest = decode(read_regular(stage / MANIFEST), Manifest)
        check_file_names(manifest.files)
    except (OSError, ValueError):
        return
    waiting = [name for name, entry in manifest.files.items() if _has_size(stage / FINAL / name, entry)]
    if not all(name in waiting or _has_size(out / name, entry) for name, entry in manifest.files.items()):
        return
    try:
        with writing(out):
            # until the new manifest is there, nothing here claims to be whole
            (out / MANIFEST).unlink(missing_ok=True)
            for name in waiting:
                put_file(stage / FINAL / name, out / name)
            _remove_replaced(out, manifest)
            sync_folder(out)
            put_file(stage / MANIFEST, out / MANIFEST)
            sync_folder(out)
    finally:
        close_stage(out, stage)  # of an object store: a try that failed puts them together again from the blocks
    remove_parts(out)


def _remove_replaced(out: Path, manifest: Manifest) -> None:
    """Remove the files of an earlier run that this one has none in place of."""
    plan = read_plan(out)
    for name, entry in plan.replaces.items() if plan else ():
        if name not in manifest.files and is_file_of_run(name) and is_as_written(out / name, entry):
            (out / name).unlink()


def _has_size(path: Path, entry: FileEntry) -> bool:
    return path.is_file() and path.stat().st_size == entry.bytes


def _dataset_info(recipe: Recipe, layout: Layout) -> str:
    """Return the file's text: an entry for each file of a format that LLaMA-Factory reads, `<recipe>_<format>[_<split>]`."""
    entries = {
        "_".join([recipe.name, planned.format, *([planned.split] if planned.split else [])]): {
            "file_name": planned.name,
            **(FORMATS[planned.format].dataset_info or {}),
        }
        for planned in planned_files(recipe, layout)
        if planned.format and planned.sink == "jsonl" and FORMATS[planned.format].dataset_info
    }
    return json.dumps(entries, indent=2) + "\n"
