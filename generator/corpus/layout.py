"""A corpus on disk, in the layout that fuzzers and test harnesses take as it is.

    INDEX.json                    what it was made from, formats, counts, special tokens
    tools.json                    all tools (OpenAI shape), by name
    <format>/manifest.jsonl       one line a case, sorted by id: verdict, oracle, chunk plans, …
    <format>/cases/<id>.txt       the raw bytes
    <format>/seeds/<sha1>         the same bytes for libFuzzer, AFL++ and atheris, each text once
    <format>/<format>.dict        markers for -dict= and -x
    <format>/<format>_seed_corpus.zip   the seeds as OSS-Fuzz wants them

A corpus is made beside its place and moved there when it is whole.
"""

import hashlib
import json
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from generator import __version__
from generator.core.documents import nearest
from generator.core.errors import FormatError, OutputError
from generator.core.exact_json import loads
from generator.core.files.regular import open_regular, read_regular
from generator.corpus.case import INVARIANTS, Case
from generator.formats.files.records import bounded_lines
from generator.formats.run_folder.manifest import check_file_names
from generator.formats.sinks.disk import write_whole, writing
from generator.formats.wire.format import WireFormat

Model = TypeVar("Model")

INDEX = "INDEX.json"
TOOLS = "tools.json"
MANIFEST = "manifest.jsonl"
WORDS = (
    '"name": "', '"arguments": ', '"parameters": ', "{}", "[]", "null", "true", "false", "None", "True", "\\u00", "\\ud83d", '\\"', "```",
    "\r\n", '"role":"', '"content":', '"tool_calls":[', '"tool_call_id":"', '"function":{',
)  # fmt: skip
"""What JSON, Python and messages are made of, for dictionaries."""
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_FIXED = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive: equal cases make equal bytes."""


# -------------------------------------------------------------------------------------------------------- writing


def write_format(folder: Path, name: str, cases: Iterable[Case], words: Iterable[str], suffix: str) -> Counter[str]:
    """Write all of one format into a folder that is not there yet; gives the number of cases by verdict.

    Args:
        folder: The folder of the format.
        name: The format's name.
        cases: All cases.
        words: What goes into the dictionary.
        suffix: What names of cases end with, `.txt`.
    """
    counts: Counter[str] = Counter()
    lines: list[tuple[str, bytes]] = []
    seeds: dict[str, bytes] = {}
    with writing(folder):
        for inner in ("cases", "seeds"):
            (folder / inner).mkdir(parents=True)
        for case in cases:
            path = f"{folder}/cases/{case.id}{suffix}"
            _write(path, case.text)
            seed = hashlib.sha1(case.text, usedforsecurity=False).hexdigest()
            if seed not in seeds:
                seeds[seed] = case.text
                _copy(path, f"{folder}/seeds/{seed}")
            lines.append((case.id, manifest_line(case)))
            counts[case.verdict] += 1
        (folder / MANIFEST).write_bytes(b"".join([line for _, line in sorted(lines)]))
        (folder / f"{name}.dict").write_text(dictionary(words), encoding="ascii")
        (folder / f"{name}_seed_corpus.zip").write_bytes(_archive(seeds))
    return counts


def _write(path: str, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)  # a third of what Path.open takes
    try:
        while data:
            data = data[os.write(file, data) :]
    finally:
        os.close(file)


def _copy(path: str, to: str) -> None:
    """The same bytes under another name, as one file where the disk can do that."""
    try:
        os.link(path, to)
    except OSError:
        shutil.copyfile(path, to)


def manifest_line(case: Case) -> bytes:
    """Return a case without its bytes, as one line of JSON; keys without a value are left out."""
    told = msgspec.to_builtins(case, builtin_types=(bytes,))
    plain = {key: value for key, value in told.items() if value and key != "text"}
    plain["bytes"] = len(case.text)
    plain["sha256"] = hashlib.sha256(case.text).hexdigest()
    if is_cut_off(case):
        plain["invariants"] = [name for name in INVARIANTS if name != "strict_json"]
    return _ENCODER.encode(plain).encode() + b"\n"


def is_cut_off(case: Case) -> bool:
    """Whether a text ends early, so that arguments may, too."""
    return any(mutation.op in ("truncate", "drop_last_marker") for mutation in case.mutations)


def dictionary(words: Iterable[str]) -> str:
    """Return words as libFuzzer and AFL++ read them: one a line, in quotes, bytes outside of ASCII in hexadecimal."""
    lines = []
    for index, word in enumerate(dict.fromkeys(words)):
        text = "".join([chr(b) if 0x20 <= b < 0x7F and b not in (0x22, 0x5C) else f"\\x{b:02X}" for b in word.encode()])
        lines.append(f'kw{index}="{text}"\n')
    return "".join(lines)


def text_pieces(fmt: WireFormat) -> list[str]:
    """Return markers of a format, their halves, and what JSON and Python are made of."""
    halves = [marker[: len(marker) // 2] for marker in fmt.markers if len(marker) > 3]
    return [*fmt.markers, *fmt.end, *halves, *WORDS]


def _archive(seeds: dict[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(seeds):
            archive.writestr(zipfile.ZipInfo(name, _FIXED), seeds[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write_json(path: Path, value: Any) -> None:
    """A JSON file for people, whole or not at all."""
    write_whole(path, [json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"])


def version() -> str:
    """Return the version of the program, for the index."""
    return __version__


def move_in(made: Path, out: Path, names: Iterable[str]) -> None:
    """Put finished folders at their place, instead of what is there."""
    with writing(out):
        for name in names:
            if (out / name).exists():
                shutil.rmtree(out / name)
            (made / name).rename(out / name)


# -------------------------------------------------------------------------------------------------------- reading


class FormatEntry(msgspec.Struct, frozen=True):
    """One format of a corpus, as its index says."""

    kind: Literal["wire", "rows", "client"]
    suffix: Literal[".txt", ".jsonl", ".sse"]
    """What names of its cases end with."""
    cases: dict[str, int]
    """By verdict."""


class Index(msgspec.Struct, frozen=True):
    """What a corpus was made from, and its formats by name."""

    formats: dict[str, FormatEntry]
    made_from: dict[str, Any] = {}


class _Function(msgspec.Struct, frozen=True):
    name: str
    parameters: dict[str, Any] | None = None


class _Tool(msgspec.Struct, frozen=True):
    function: _Function


class _Stored(msgspec.Struct, frozen=True):
    """What a line of a manifest says of the file of its case."""

    id: str
    size: int = msgspec.field(name="bytes")
    sha256: str


def formats_in(corpus: Path, kind: str = "") -> list[str]:
    """Return names of the formats of a corpus (of a kind, `wire`, `rows` or `client`), in order; raises OutputError when it is none."""
    return [name for name, entry in read_index(corpus).formats.items() if kind in ("", entry.kind)]


def read_index(corpus: Path) -> Index:
    """Return what a corpus was made from, and its formats; raises OutputError when it is no corpus."""
    index = _read(corpus / INDEX, Index)[1]
    try:
        check_file_names(index.formats)
    except ValueError as fault:
        raise _not_as_written(corpus / INDEX, fault) from None
    return index


def tools_of_corpus(corpus: Path) -> dict[str, dict[str, Any]]:
    """Return tools of a corpus by name, each as `{"type": "function", "function": …}`."""
    plain, tools = _read(corpus / TOOLS, list[_Tool])
    return {tool.function.name: entry for entry, tool in zip(plain, tools, strict=True)}


def _read(path: Path, kind: type[Model]) -> tuple[Any, Model]:
    """Return the value of a JSON file, plain and checked; raises OutputError."""
    try:
        plain = loads(read_regular(path))
        return plain, msgspec.convert(plain, kind)
    except OSError as fault:
        raise OutputError(f"{path.parent}: is no corpus: {path.name} cannot be read ({fault.strerror})") from None
    except ValueError as fault:  # msgspec's faults are some
        raise _not_as_written(path, fault) from None


def _not_as_written(where: object, fault: ValueError) -> OutputError:
    return OutputError(f"{where}: not as it was written: {str(fault)[:300]}")


def read_cases(corpus: Path, name: str) -> Iterator[Case]:
    """Yield the cases of one format, in order of their ids.

    Raises:
        OutputError: the corpus is none, or a file of it is not as it was written.
        FormatError: the format is not in it.
    """
    known = read_index(corpus).formats
    if name not in known:
        raise FormatError(f"{name}: this format is not in {corpus}{nearest(name, known)}")
    path = corpus / name / MANIFEST
    before = ""
    for number, line in enumerate(manifest_lines(path), start=1):
        try:
            case = _case_of(line, name, known[name], corpus / name / "cases")
            if case.id <= before:
                raise ValueError(f"the case {case.id!r} stands behind {before!r}")
        except OSError as fault:
            raise OutputError(f"{path}:{number}: the file of its case cannot be read ({fault.strerror})") from None
        except ValueError as fault:
            raise _not_as_written(f"{path}:{number}", fault) from None
        yield case
        before = case.id


def manifest_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a manifest; raises OutputError when it cannot be read."""
    try:
        with open_regular(path) as file:
            yield from bounded_lines(file)
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror})") from None


def _case_of(line: bytes, name: str, entry: FormatEntry, folder: Path) -> Case:
    """Return the case of a line of a manifest; raises ValueError for one that nobody wrote so, OSError for its file."""
    plain = loads(line)
    stored = msgspec.convert(plain, _Stored)
    file = f"{stored.id}{entry.suffix}"
    check_file_names([file])
    data = read_regular(folder / file)
    if len(data) != stored.size or hashlib.sha256(data).hexdigest() != stored.sha256:
        raise ValueError(f"{folder / file} has another size or sha256")
    case = msgspec.convert({**plain, "text": data}, Case)
    if fault := next(_faults(case, name, entry, len(data)), ""):
        raise ValueError(fault)
    return case


def _faults(case: Case, name: str, entry: FormatEntry, size: int) -> Iterator[str]:
    """Yield what no case says."""
    if case.format != name:
        yield f"the format is {case.format!r}"
    if case.verdict != "i" and entry.kind == "wire" and case.oracle is None:
        yield f"a case {case.verdict!r} without an oracle"
    if case.verdict == "n" and entry.kind == "rows" and not case.mutations:
        yield "a case 'n' without a mutation"
    if any(min(plan.sizes, default=0) < 0 or sum(plan.sizes) != size for plan in case.plans):
        yield "the sizes of a plan are not those of the text"
    if case.stretch is not None and not 0 <= case.stretch[0] < case.stretch[1] <= size:
        yield "the stretch is not in the text"
