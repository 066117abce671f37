"""A corpus on disk, and what fuzzers take.

    INDEX.json        what it was made from; formats, counts, special tokens
    tools.json        all tools (OpenAI shape)
    <format>.jsonl    one case a line, sorted by id: text, verdict, oracle, chunk plans, …

A corpus is made beside its place and moved there when it is whole. `write_seeds` adds folders for fuzzers.
"""

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from generator.core.documents import nearest
from generator.core.errors import FormatError, OutputError
from generator.core.exact_json import loads
from generator.core.files import open_regular, read_regular
from generator.core.yaml_values import own_data
from generator.corpus.case import Case
from generator.formats.files.records import bounded_lines
from generator.formats.run_folder.manifest import check_file_names
from generator.formats.sinks import write_whole, writing
from generator.formats.wire.format import wire_formats

Model = TypeVar("Model")

INDEX = "INDEX.json"
TOOLS = "tools.json"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_LINE_ENDS = tuple([(letter.encode(), b"\\u%04x" % ord(letter)) for letter in "\x85\u2028\u2029"])
_FIXED = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive: equal cases make equal bytes."""


# -------------------------------------------------------------------------------------------------------- writing


class FormatEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One format of a corpus, as its index says."""

    kind: Literal["wire", "rows", "client"]
    cases: dict[str, int]
    """By verdict."""
    sha256: str
    """Of its file."""
    special_tokens: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    source: str = ""


def write_format(
    folder: Path, name: str, kind: Literal["wire", "rows", "client"], cases: Iterable[Case]
) -> FormatEntry:
    """Write all cases of one format into a folder; gives what the index says of it."""
    lines: dict[str, bytes] = {}
    counts: Counter[str] = Counter()
    for case in cases:
        lines[case.id] = line_of(case.plain())
        counts[case.verdict] += 1
    assert len(lines) == counts.total(), f"{name}: two cases have one id"
    data = b"".join([lines[name] for name in sorted(lines)])
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_bytes(data)
    fmt = wire_formats().get(name)
    entry = FormatEntry(kind, dict(sorted(counts.items())), hashlib.sha256(data).hexdigest())
    format_facts = {"special_tokens": fmt.special, "end": fmt.end, "source": fmt.source} if fmt else {}
    return msgspec.structs.replace(entry, **format_facts)


def line_of(plain: dict[str, Any]) -> bytes:
    """Return a value as one line of JSON, also for who takes U+0085, U+2028 and U+2029 for line ends."""
    try:
        line = msgspec.json.encode(plain)
        for letters, escaped in _LINE_ENDS:
            line = line.replace(letters, escaped)
        return line + b"\n"
    except (OverflowError, UnicodeEncodeError, RecursionError):  # huge numbers, half letters, deep values
        return _ENCODER.encode(plain).encode() + b"\n"


def write_seeds(corpus: Path, name: str, out: Path) -> int:
    """Write the texts of one format for libFuzzer, AFL++, atheris and OSS-Fuzz into a folder; gives how many there are.

    Each text stands once: in `seeds/` as a file that its SHA-1 names, and in an archive; a dictionary (-dict=, -x) stands beside.
    """
    texts = {hashlib.sha1(case.text, usedforsecurity=False).hexdigest(): case.text for case in read_cases(corpus, name)}
    with writing(out):
        (out / "seeds").mkdir(parents=True, exist_ok=True)
        for digest, text in texts.items():
            (out / "seeds" / digest).write_bytes(text)
        (out / f"{name}_seed_corpus.zip").write_bytes(archive(texts))
        (out / f"{name}.dict").write_text(_dictionary(name), encoding="ascii")
    return len(texts)


def archive(files: dict[str, bytes]) -> bytes:
    """Return an archive of files, the same bytes for the same files."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in sorted(files.items()):
            zipped.writestr(zipfile.ZipInfo(name, _FIXED), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _dictionary(name: str) -> str:
    """Return words as libFuzzer and AFL++ read them: one a line, in quotes, bytes outside of ASCII in hexadecimal."""
    fmt = wire_formats().get(name)
    markers = (*fmt.markers, *fmt.end) if fmt else ()
    halves = [marker[: len(marker) // 2] for marker in markers if len(marker) > 3]
    lines = []
    for index, word in enumerate(dict.fromkeys((*markers, *halves, *own_data(__file__, "texts.yaml")["dictionary"]))):
        text = "".join([chr(b) if 0x20 <= b < 0x7F and b not in (0x22, 0x5C) else f"\\x{b:02X}" for b in word.encode()])
        lines.append(f'kw{index}="{text}"\n')
    return "".join(lines)


def write_json(path: Path, value: Any) -> None:
    """A JSON file for people, whole or not at all."""
    write_whole(path, [json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"])


# -------------------------------------------------------------------------------------------------------- reading


class Index(msgspec.Struct, frozen=True):
    """What a corpus was made from, and its formats by name."""

    formats: dict[str, FormatEntry]
    made_from: dict[str, Any] = {}


class _Function(msgspec.Struct, frozen=True):
    name: str
    parameters: dict[str, Any] | None = None


class _Tool(msgspec.Struct, frozen=True):
    function: _Function


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


def _not_as_written(where: object, fault: object) -> OutputError:
    return OutputError(f"{where}: not as it was written: {str(fault)[:300]}")


def read_cases(corpus: Path, name: str) -> Iterator[Case]:
    """Yield the cases of one format, in order of their ids.

    Raises:
        OutputError: the corpus is none, or a file of it is not as it was written.
        FormatError: the format is not in it.
    """
    entries = read_index(corpus).formats
    if name not in entries:
        raise FormatError(f"{name}: this format is not in {corpus}{nearest(name, entries)}")
    path = corpus / f"{name}.jsonl"
    last_id, digest = "", hashlib.sha256()
    try:
        with open_regular(path) as file:
            for number, line in enumerate(bounded_lines(file), start=1):
                case = _case_of(line, f"{path}:{number}", name, entries[name])
                if case.id <= last_id:
                    raise _not_as_written(f"{path}:{number}", f"the case {case.id!r} stands behind {last_id!r}")
                digest.update(line)
                yield case
                last_id = case.id
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror})") from None
    if digest.hexdigest() != entries[name].sha256:
        raise _not_as_written(path, "its sha256 is not that of the index")


def _case_of(line: bytes, where: str, name: str, entry: FormatEntry) -> Case:
    """Return the case of a line; raises OutputError for one that nobody wrote so."""
    try:
        plain = loads(line)
        if isinstance(plain, dict):
            text = plain.get("text")
            plain["text"] = text.encode() if isinstance(text, str) else plain.get("base64")
        case = msgspec.convert(plain, Case)
        fault: object = next(_case_faults(case, name, entry), "")
    except ValueError as error:
        fault = error
    if fault:
        raise _not_as_written(where, fault)
    return case


def _case_faults(case: Case, name: str, entry: FormatEntry) -> Iterator[str]:
    """Yield what no case says."""
    if case.format != name:
        yield f"the format is {case.format!r}"
    if case.verdict != "i" and entry.kind == "wire" and case.oracle is None:
        yield f"a case {case.verdict!r} without an oracle"
    if case.verdict == "n" and entry.kind == "rows" and not case.mutations:
        yield "a case 'n' without a mutation"
    size = len(case.text)
    if any(min(plan.sizes, default=0) < 0 or sum(plan.sizes) != size for plan in case.plans):
        yield "the sizes of a plan are not those of the text"
    if case.stretch is not None and not 0 <= case.stretch[0] < case.stretch[1] <= size:
        yield "the stretch is not in the text"
