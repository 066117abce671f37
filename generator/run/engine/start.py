"""How a run begins: from nothing, where an unfinished one ended, or where a finished one did."""

from collections.abc import Iterator
from typing import NoReturn

import msgspec

from generator.core.errors import OutputError
from generator.core.files import is_remote, names_in, read_regular, sha256_of
from generator.formats.run_folder.card import MARK
from generator.formats.run_folder.files import CARD, MANIFEST, PAGE, PARTS, REPORT, file_names, planned_files
from generator.formats.run_folder.manifest import Manifest, read_manifest
from generator.run.engine.blocks import Job, differences, files_of
from generator.run.engine.ledger import RunPlan, plan_path, read_plan
from generator.run.engine.passes.facts import looks_across

_MOST_TOLD = 12


def begin(job: Job, block_rows: int, overwrite: bool) -> RunPlan | Manifest:
    """Return the plan of the run; its manifest when it is finished already.

    Raises:
        OutputError: when something else is there, unless it may be overwritten.
    """
    _check_writes_over_nothing_read(job)
    unfinished = _unfinished(job, overwrite)
    if unfinished is not None:
        return unfinished
    manifest = _manifest_there(job, overwrite)
    new = RunPlan(made_from=job.made_from, rows=job.recipe.rows, block_rows=block_rows)
    if manifest is None:
        if overwrite:
            _check_card_is_ours(job)
        else:
            _check_nothing_is_there(job)
        return new
    if overwrite:
        _check_card_is_ours(job)
        return msgspec.structs.replace(new, replaces=manifest.files)
    return _lengthened(job, manifest, new)


def _unfinished(job: Job, overwrite: bool) -> RunPlan | None:
    """Return the plan of the unfinished run that is there, for as many rows as are wanted now; None when it is given up."""
    plan = read_plan(job.out)
    if plan is None:
        return None
    changed = list(differences(plan.made_from, job.made_from))
    if not changed and job.recipe.rows >= plan.rows:
        _check_extended(job, plan)
        damaged = list(_damaged(job, plan.kept))
        if not damaged:
            return msgspec.structs.replace(plan, rows=job.recipe.rows)
        if not overwrite:
            _refuse_damaged(damaged)
    elif not overwrite:
        _refuse(job, "an unfinished run", changed, plan.rows)
    return None


def _lengthened(job: Job, manifest: Manifest, new: RunPlan) -> RunPlan | Manifest:
    """Return the plan that makes a finished run longer; its manifest when it has all rows already."""
    changed = list(differences(manifest.made_from, job.made_from))
    if changed or job.recipe.rows < manifest.asked_for:
        _refuse(job, "a finished run", changed, manifest.asked_for)
    _check_sizes(job, manifest)
    if manifest.asked_for == job.recipe.rows:
        return manifest
    if looks_across(job.recipe):
        raise OutputError(
            f"{job.out}: holds a finished run of {manifest.asked_for:,} rows; with `dedup` or `max_share` it cannot be made longer\n"
            "With --overwrite all rows are made anew."
        )
    damaged = list(_damaged(job, manifest))
    if damaged:
        _refuse_damaged(damaged)
    return msgspec.structs.replace(new, kept=manifest, replaces=manifest.files)


def _manifest_there(job: Job, overwrite: bool) -> Manifest | None:
    """Return the manifest of a finished run; raises OutputError for one that cannot be read, unless it is replaced."""
    try:
        return read_manifest(job.out)
    except OutputError as fault:
        if overwrite:
            return None
        raise OutputError(f"{fault}\nWith --overwrite the run is made anew.") from None


def _refuse(job: Job, what: str, changed: list[str], rows: int) -> NoReturn:
    """Say what is there instead: a run of something else, or only a longer one."""
    wanted_rows = job.recipe.rows
    if not changed:
        raise OutputError(
            f"{job.out}: holds {what} of {rows:,} rows, {wanted_rows:,} are asked for (a run can only be made longer)\n"
            f"Its first {wanted_rows:,} rows are the same: use them, or another --out, or --overwrite to replace it."
        )
    differing = listed(f"{job.out}: holds {what} made from something else:", changed)
    raise OutputError(f"{differing}\nUse another --out, or --overwrite to replace it.")


def listed(what: str, faults: list[str]) -> str:
    """Return a message with a line for each of the first faults, and how many more there are."""
    more = [f"… and {len(faults) - _MOST_TOLD} more"] if len(faults) > _MOST_TOLD else []
    return "\n  ".join([what, *faults[:_MOST_TOLD], *more])


def _check_sizes(job: Job, manifest: Manifest) -> None:
    """Raise OutputError where files are missing or have another size than the manifest says; `verify` looks closely."""
    faults = []
    if not _are_its_files(job, manifest):
        faults.append("it does not name the files of this run")
    for name, entry in manifest.files.items():
        path = job.out / name
        if not path.is_file():
            faults.append(f"{name} is missing")
        elif path.stat().st_size != entry.bytes:
            faults.append(f"{name} has {path.stat().st_size} bytes instead of {entry.bytes}")
    if faults:
        raise OutputError(
            f"{job.out / MANIFEST}: does not fit the files: {'; '.join(faults)}\nWith --overwrite the run is made anew."
        )


def _damaged(job: Job, kept: Manifest | None) -> Iterator[str]:
    """Yield what is wrong with the rows that a longer run would begin with; the files beside them are written anew."""
    files = kept.files if kept else {}
    for planned in planned_files(job.recipe, job.layout):
        entry = files.get(planned.name)
        if entry is None or not entry.rows:
            continue
        path = job.out / planned.name
        try:
            sha256 = sha256_of(path)
        except OSError as fault:
            yield (
                f"{path}: is missing"
                if isinstance(fault, FileNotFoundError)
                else f"{path}: cannot be read ({fault.strerror or fault})"
            )
            continue
        if sha256 != entry.sha256:
            yield f"{path}: is not what its manifest says"


def _refuse_damaged(damaged: list[str]) -> NoReturn:
    told = "\n".join(damaged)
    raise OutputError(f"{told}\nSo the run cannot be made longer. With --overwrite it is made anew.")


def _check_extended(job: Job, unfinished: RunPlan) -> None:
    """Raise OutputError when the finished run that an unfinished one extends has other files."""
    kept = unfinished.kept
    if kept and not _are_its_files(job, kept):
        raise OutputError(f"{plan_path(job.out)}: the run it extends has other files; remove {job.out / PARTS}")


def _are_its_files(job: Job, manifest: Manifest) -> bool:
    """Whether a manifest names the files of the same run with so many rows; the report may be there or not."""
    names = file_names(msgspec.structs.replace(job.recipe, rows=manifest.asked_for), job.layout)
    return {REPORT, PAGE}.issuperset(set(manifest.files) ^ set(names))


def _check_card_is_ours(job: Job) -> None:
    """Never replace a README that somebody wrote."""
    path = job.out / CARD
    if path.is_file() and MARK.encode() not in read_regular(path):
        raise OutputError(
            f"{path}: was not written by a run, so it is not replaced; use another --out, or move it away"
        )


def _check_writes_over_nothing_read(job: Job) -> None:
    """Raise OutputError when the recipe, or a file that it names or that the run is compared with, has a name that the run writes."""
    if is_remote(job.out):
        return
    folder = job.out.resolve()
    written = {folder / name for name in (*file_names(job.recipe, job.layout), MANIFEST)}
    for path in (job.recipe.path, *files_of(job.recipe), *job.layout.against):
        if not written.isdisjoint((path.parent.resolve() / path.name, path.resolve())):
            raise OutputError(f"{path}: is read by this run, which would write over it; use another --out")


def _check_nothing_is_there(job: Job) -> None:
    """Raise OutputError when files of a run are there, and no manifest that tells where they come from."""
    names = names_in(job.out)
    there = [name for name in file_names(job.recipe, job.layout) if name in names]
    if there:
        raise OutputError(
            f"{job.out}: holds {', '.join(there)}, but no {MANIFEST} that tells where they come from\n"
            "Use another --out, or --overwrite to replace them."
        )
