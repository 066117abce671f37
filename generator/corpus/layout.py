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
from typing import Any

import msgspec

from generator import __version__
from generator.corpus.case import INVARIANTS, Case
from generator.documents import nearest
from generator.errors import FormatError, OutputError
from generator.sinks.disk import write_whole, writing
from generator.wire.format import WireFormat

INDEX = "INDEX.json"
TOOLS = "tools.json"
MANIFEST = "manifest.jsonl"
WORDS = (
    '"name": "', '"arguments": ', '"parameters": ', "{}", "[]", "null", "true", "false", "None", "True", "\\u00", "\\ud83d", '\\"', "```",
    "\r\n", '"role":"', '"content":', '"tool_calls":[', '"tool_call_id":"', '"function":{',
)  # fmt: skip
"""What JSON, Python and messages are made of, for dictionaries."""
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
    with open(path, "xb", buffering=0) as file:  # noqa: PTH123 (Path.open takes half as long again)
        file.write(data)


def _copy(path: str, to: str) -> None:
    """The same bytes under another name, as one file where the disk can do that."""
    try:
        os.link(path, to)
    except OSError:
        shutil.copyfile(path, to)


def manifest_line(case: Case) -> bytes:
    """Return a case without its bytes, as one line of JSON."""
    plain = msgspec.to_builtins(case)
    del plain["text"]
    plain["bytes"] = len(case.text)
    plain["sha256"] = hashlib.sha256(case.text).hexdigest()
    plain["invariants"] = [name for name in INVARIANTS if name != "strict_json" or not is_cut_off(case)]
    return json.dumps(plain, separators=(",", ":")).encode() + b"\n"


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


def formats_in(corpus: Path, kind: str = "") -> list[str]:
    """Return names of the formats of a corpus (of a kind, `wire` or `rows`), in order; raises OutputError when it is none."""
    return [name for name, entry in read_index(corpus)["formats"].items() if kind in ("", entry["kind"])]


def read_index(corpus: Path) -> Any:
    """Return what a corpus was made from, and its formats; raises OutputError when it is no corpus."""
    return _read_json(corpus / INDEX, corpus)


def tools_of_corpus(corpus: Path) -> dict[str, dict[str, Any]]:
    """Return tools of a corpus by name, each as `{"type": "function", "function": …}`."""
    return {tool["function"]["name"]: tool for tool in _read_json(corpus / TOOLS, corpus)}


def _read_json(path: Path, corpus: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        raise OutputError(f"{corpus}: is no corpus: there is no readable {path.name} in it") from None


def read_cases(corpus: Path, name: str) -> Iterator[Case]:
    """Yield the cases of one format, in order of their ids.

    Raises:
        OutputError: the corpus is none, or a file of it is not as it was written.
        FormatError: the format is not in it.
    """
    known = formats_in(corpus)
    if name not in known:
        raise FormatError(f"{name}: this format is not in {corpus}{nearest(name, known)}")
    folder = corpus / name
    suffix = read_index(corpus)["formats"][name]["suffix"]
    try:
        lines = (folder / MANIFEST).read_bytes().splitlines()
    except OSError as fault:
        raise OutputError(f"{folder / MANIFEST}: cannot be read ({fault.strerror})") from None
    for line in lines:
        plain = json.loads(line)
        path = folder / "cases" / f"{plain['id']}{suffix}"
        try:
            data = path.read_bytes()
        except OSError as fault:
            raise OutputError(f"{path}: cannot be read ({fault.strerror})") from None
        if hashlib.sha256(data).hexdigest() != plain["sha256"]:
            raise OutputError(f"{path}: is not as it was written: its sha256 is another one")
        yield case_of(plain, data)


def case_of(plain: dict[str, Any], text: bytes) -> Case:
    """Return the case of a line of the manifest."""
    return msgspec.convert(plain | {"text": text}, Case)
