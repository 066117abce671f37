"""Make an edition: one file of lines a format, and what is needed to use them without this program."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from generator import __version__
from generator.core.errors import OutputError
from generator.core.exact_json import loads
from generator.core.files import read_regular
from generator.corpus import layout
from generator.corpus.case import Case, ChunkPlan, Oracle
from generator.corpus.check import judge
from generator.corpus.chunks import letter_plan
from generator.corpus.generation import CaseMaker
from generator.corpus.grid import grid_cases, hazards
from generator.corpus.toolbox import usable_tools
from generator.formats.format import tool_object
from generator.formats.sinks import write_whole, writing
from generator.formats.wire.encodings import plain_values
from generator.formats.wire.format import WireFormat, wire_formats
from generator.recipe.corpus import CorpusRecipe

FORMAT_VERSION = 2
"""Of the keys of a line; another one when a reader of the old lines could not read the new ones."""
_MOST_LETTERS = 75
"""Bytes of a text up to which it is also cut at every letter."""
_MOST_PIECES = 400
_KEYS = ("id", "verdict", "hazard", "text", "base64", "prefix", "oracle", "allowed", "emissions", "mutations", "plans")


def release_line(case: Case, fmt: WireFormat) -> bytes:
    """Return the line of a case of the grid: that of a corpus, but for what all cases share.

    Every line is UTF-8 without escaped halves of surrogate pairs, which strict readers refuse: calls with values that are none are
    left out.
    """
    allowed = case.allowed if all(map(_can_be_encoded, case.allowed)) else ()
    oracle = case.oracle if case.oracle is not None and _can_be_encoded(case.oracle) else None
    plain = msgspec.structs.replace(case, oracle=oracle, allowed=allowed, plans=_plans(case, fmt)).plain()
    return layout.line_of({key: plain[key] for key in _KEYS if key in plain} | {"plans": plain.get("plans", ())})


def _can_be_encoded(oracle: Oracle) -> bool:
    """Whether no text holds half of a surrogate pair."""
    texts = [leaf for call in oracle.tool_calls for leaf in plain_values(call.arguments) if isinstance(leaf, str)]
    return not any("\ud800" <= letter <= "\udfff" for text in texts for letter in text)


def _plans(case: Case, fmt: WireFormat) -> tuple[ChunkPlan, ...]:
    """Return the plans that a server could deliver."""
    plans = [*case.plans]
    if plans and len(case.text) <= _MOST_LETTERS:
        plans.append(letter_plan(case.chars, fmt.special))
    whole = [plan for plan in plans if plan.utf8_safe and not plan.splits_special_token]
    return tuple([plan for plan in whole if len(plan.sizes) < _MOST_PIECES])


RELEASE = "RELEASE.json"
_HERE = Path(__file__).parent
_FILES = _HERE / "files"
_ALL = {
    name: _FILES / name for name in ("LICENSE", "case.schema.json", "test_tool_parser.py", "tool_parser.test.mjs")
} | {"tool_call_judge.py": Path(judge.__file__), "withdrawn.json": _HERE / "withdrawn.json"}
"""Files that every edition holds as they are."""
WHEEL = "tool_call_cases-{}-py3-none-any.whl"
_METADATA = """Metadata-Version: 2.3
Name: tool-call-cases
Version: {}
Summary: Texts as language models write them when they call tools, and what a parser must read from each.
Requires-Python: >=3.10
License-Expression: Apache-2.0
License-File: LICENSE
Description-Content-Type: text/markdown

{}"""
_WHEEL_TELLS = "Wheel-Version: 1.0\nGenerator: tool-use-generator\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an edition was published with."""

    hazards: tuple[str, ...]
    sha256: dict[str, str]
    """By format: the digest of its lines."""


class EditionFiles(msgspec.Struct, frozen=True):
    """An edition in memory."""

    files: dict[str, bytes]
    counts: dict[str, Counter[str]]
    """By format: cases by verdict."""
    is_published: bool


@cache
def editions() -> dict[int, Edition]:
    """Return the editions that were published, by number; each keeps its bytes whatever is added later."""
    return msgspec.json.decode(read_regular(_HERE / "editions.json"), type=dict[int, Edition])


def withdrawn_cases() -> dict[str, dict[str, str]]:
    """Return what turned out to be wrong, by number of the edition: `format/id` and why, `*` for all of an edition."""
    return msgspec.json.decode(read_regular(_HERE / "withdrawn.json"), type=dict[str, dict[str, str]])


@cache
def release_makers() -> dict[str, CaseMaker]:
    """Return a maker for each wire format, over the built-in tools only."""
    recipe = CorpusRecipe(
        path=Path("release"), text="", name="release", seed=0, cases=1, tools=(), corner_tools=True,
        formats=tuple(wire_formats()), mix=(("valid", 1.0),), mutations={},
    )  # fmt: skip
    tools = usable_tools(recipe)
    return {name: CaseMaker(recipe, tools, fmt) for name, fmt in wire_formats().items()}


def release_lines(maker: CaseMaker, names: frozenset[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield (id, line) of each case of one format, by id; `names` are the hazards of the edition, else all."""
    cases = [case for case in grid_cases(maker) if names is None or case.hazard in names]
    for case in sorted(cases, key=lambda case: case.id):
        yield case.id, release_line(case, maker.fmt)


def make_edition(version: int) -> EditionFiles:
    """Return an edition; the one behind the last published one holds all formats and hazards there are.

    Raises:
        OutputError: there is no such edition, or its lines are no longer made as they were published.
    """
    reasons_by_version = {int(number): cases["*"] for number, cases in withdrawn_cases().items() if "*" in cases}
    if version in reasons_by_version:
        raise OutputError(f"--version {version}: this edition is withdrawn: {reasons_by_version[version]}")
    last = max((*editions(), *reasons_by_version), default=0)
    if version > last + 1:
        raise OutputError(f"--version {version}: editions 1 to {last} are published; the next one is {last + 1}")
    published = editions().get(version)
    formats = published.sha256 if published else wire_formats()
    names = frozenset(published.hazards) if published else None
    files: dict[str, bytes] = {}
    counts: dict[str, Counter[str]] = {}
    for name in formats:
        lines = list(release_lines(release_makers()[name], names))
        files[f"cases/{name}.jsonl"] = b"".join([line for _, line in lines])
        counts[name] = Counter(sorted(line.partition(b'"verdict":"')[2][:1].decode() for _, line in lines))
        if published and _digest(files[f"cases/{name}.jsonl"]) != published.sha256[name]:
            reason = "was published with other lines; make the next edition instead"
            raise OutputError(f"{name}: edition {version} {reason}")
    files |= {name: read_regular(path) for name, path in _ALL.items()}
    tools = next(iter(release_makers().values())).tools
    files["tools.json"] = _json([tool_object(known_tool.tool) for known_tool in tools.values()])
    files["known_results.jsonl"] = _known_results(files)
    about_hazards = {hazard.name: hazard.about for hazard in hazards() if names is None or hazard.name in names}
    files["README.md"] = _readme(version, counts, about_hazards)
    files[RELEASE] = _json(_release_index(version, counts, about_hazards, files))
    files[WHEEL.format(version)] = _wheel(version, files)
    return EditionFiles(files, counts, published is not None)


def _wheel(version: int, files: dict[str, bytes]) -> bytes:
    """Return an edition as a package to install: its files are the module `tool_call_cases`."""
    info = f"tool_call_cases-{version}.dist-info"
    metadata = _METADATA.format(version, files["README.md"].decode())
    packed_files = {f"tool_call_cases/{name}": data for name, data in files.items()}
    packed_files |= {f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": _WHEEL_TELLS.encode()}
    packed_files |= {"tool_call_cases/__init__.py": b"", f"{info}/licenses/LICENSE": files["LICENSE"]}
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode() for name, data in packed_files.items()
    }
    record = [f"{name},sha256={digests[name].rstrip('=')},{len(data)}\n" for name, data in sorted(packed_files.items())]
    packed_files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    return layout.archive(packed_files)


def write_edition(version: int, out: Path, *, overwrite: bool = False) -> EditionFiles:
    """Write an edition to a folder, file by file, the index last.

    What else stands beside the files of an edition, such as an adapter, stays.

    Raises:
        OutputError: see `make_edition`; something else is there, or the folder cannot be written.
    """
    is_occupied = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if is_occupied and not (overwrite and (out / RELEASE).is_file()):
        hint = "; --overwrite replaces it" if (out / RELEASE).is_file() else ", which is no edition"
        raise OutputError(f"{out}: holds something{hint}")
    edition = make_edition(version)
    with writing(out):
        if (out / "cases").is_symlink():
            raise OutputError(f"{out / 'cases'}: is a link, which is not followed")
        (out / "cases").mkdir(parents=True, exist_ok=True)
        for path in [*out.glob("cases/*.jsonl"), *out.glob(WHEEL.format("*")), *out.glob(RELEASE)]:
            path.unlink()
    for name in sorted(edition.files, key=lambda name: name == RELEASE):
        write_whole(out / name, [edition.files[name]])
    return edition


def _release_index(
    version: int, counts: dict[str, Counter[str]], about_hazards: dict[str, str], files: dict[str, bytes]
) -> dict[str, Any]:
    """Return what RELEASE.json says of an edition."""
    formats = wire_formats()
    return {
        "name": "tool-call-cases",
        "version": version,
        "format_version": FORMAT_VERSION,
        "licence": "Apache-2.0",
        "made_by": f"tool-use-generator {__version__}",
        "formats": {
            name: {
                "source": formats[name].source,
                "cases": dict(by),
                "special_tokens": list(formats[name].special),
                "end": list(formats[name].end),
            }
            for name, by in counts.items()
        },
        "hazards": about_hazards,
        "sha256": {name: _digest(data) for name, data in sorted(files.items())},
    }


def _readme(version: int, counts: dict[str, Counter[str]], about_hazards: dict[str, str]) -> bytes:
    """Return the page of an edition, with tables of its formats and hazards."""
    formats = "\n".join(
        f"| `{name}` | {wire_formats()[name].source} | {by['y']} | {by['n']} | {by['i']} |"
        for name, by in counts.items()
    )
    table = "\n".join(f"| `{name}` | {about} |" for name, about in about_hazards.items())
    text = Template(read_regular(_FILES / "README.md").decode())
    page = text.substitute(version=version, format_version=FORMAT_VERSION, formats=formats, hazards=table)
    return page.encode()


def _known_results(files: dict[str, bytes]) -> bytes:
    """Return what is known of engines, of the cases that are in the edition."""
    kept = []
    for line in read_regular(_HERE / "known_results.jsonl").splitlines():
        result = loads(line)
        lines = files.get(f"cases/{result['format']}.jsonl", b"")
        result["cases"] = [case for case in result["cases"] if f'"id":"{case}"'.encode() in lines]
        if result["cases"]:
            kept.append(json.dumps(result, ensure_ascii=False).encode() + b"\n")
    return b"".join(kept)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"
