"""Make an edition: one file of lines a format, and what is needed to use them without this program."""

import base64
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from generator.core.errors import OutputError
from generator.core.exact_json import loads
from generator.core.files.regular import read_regular
from generator.corpus import layout
from generator.corpus.case import Case, ChunkPlan, Oracle
from generator.corpus.chunks import letter_plan
from generator.corpus.grid import grid_cases, hazards
from generator.corpus.making import CaseMaker
from generator.corpus.toolbox import load_tools, usable
from generator.formats.format import tool_object
from generator.formats.sinks.disk import writing
from generator.formats.wire.encodings import plain_values
from generator.formats.wire.format import WireFormat, wire_formats
from generator.recipe.corpus import CorpusRecipe

FORMAT_VERSION = 1
"""Of the keys of a line; another one when a reader of the old lines could not read the new ones."""
_MOST_LETTERS = 75
"""Bytes of a text up to which it is also cut at every letter."""
_MOST_PIECES = 400


def release_line(case: Case, fmt: WireFormat) -> bytes:
    """Return the line of a case of the grid; keys without a value are left out.

    Every line is UTF-8 without escaped halves of surrogate pairs, which strict readers refuse: a text that is no UTF-8
    stands in `base64`, and calls with values that are none are left out.
    """
    plain: dict[str, Any] = {"id": case.id, "verdict": case.verdict, "hazard": case.hazard}
    try:
        plain["text"] = case.text.decode()
    except UnicodeDecodeError:
        plain["base64"] = base64.b64encode(case.text).decode()
    if case.prefix:
        plain["prefix"] = case.prefix
    if case.oracle is not None and _can_be_encoded(case.oracle):
        plain["oracle"] = _plain(case.oracle)
    allowed = [_plain(oracle) for oracle in case.allowed if _can_be_encoded(oracle)]
    if allowed and len(allowed) == len(case.allowed):
        plain["allowed"] = allowed
    if case.emissions is not None:
        plain["names_at"] = [start for start, _ in case.emissions.names]
    plans = _plans(case, fmt) if "text" in plain else ()
    plain["plans"] = {plan.kind: list(plan.sizes) for plan in plans}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _plain(oracle: Oracle) -> dict[str, Any]:
    told = {"content": oracle.content, "reasoning": oracle.reasoning}
    calls = [msgspec.structs.asdict(call) for call in oracle.tool_calls]
    return {"tool_calls": calls, **{key: text for key, text in told.items() if text is not None}}


def _can_be_encoded(oracle: Oracle) -> bool:
    """Whether no text holds half of a surrogate pair."""
    texts = [leaf for call in oracle.tool_calls for leaf in plain_values(call.arguments) if isinstance(leaf, str)]
    return not any("\ud800" <= letter <= "\udfff" for text in texts for letter in text)


def _plans(case: Case, fmt: WireFormat) -> tuple[ChunkPlan, ...]:
    """Return the plans that a server could deliver, but for the whole text in one piece."""
    plans = [*case.plans, *([letter_plan(case.chars, fmt.special)] if 0 < len(case.text) <= _MOST_LETTERS else ())]
    return tuple(
        [
            plan
            for plan in plans
            if plan.utf8_safe and not plan.splits_special_token and 1 < len(plan.sizes) < _MOST_PIECES
        ]
    )


RELEASE = "RELEASE.json"
_HERE = Path(__file__).parent
_FILES = _HERE / "files"
_ALL = ("LICENSE", "case.schema.json", "test_tool_parser.py", "tool_parser.test.mjs")
"""Files that every edition holds as they are."""


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an edition was published with."""

    hazards: tuple[str, ...]
    sha256: dict[str, str]
    """By format: the digest of its lines."""


class MadeEdition(msgspec.Struct, frozen=True):
    """An edition in memory."""

    files: dict[str, bytes]
    counts: dict[str, Counter[str]]
    """By format: cases by verdict."""
    is_published: bool


@cache
def editions() -> dict[int, Edition]:
    """Return the editions that were published, by number; each keeps its bytes whatever is added later."""
    return msgspec.json.decode(read_regular(_HERE / "editions.json"), type=dict[int, Edition])


@cache
def release_makers() -> dict[str, CaseMaker]:
    """Return a maker for each wire format, over the built-in tools only."""
    recipe = CorpusRecipe(
        path=Path("release"), text="", name="release", seed=0, cases=1, tools=(), corner_tools=True,
        formats=tuple(wire_formats()), mix=(("valid", 1.0),), mutations={},
    )  # fmt: skip
    tools = {name: usable(spec, recipe.seed) for name, spec in load_tools(recipe).items()}
    return {name: CaseMaker(recipe, tools, fmt) for name, fmt in wire_formats().items()}


def release_lines(maker: CaseMaker, names: frozenset[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield (id, line) of each case of one format, by id; `names` are the hazards of the edition, else all."""
    cases = [case for case in grid_cases(maker) if names is None or case.hazard in names]
    for case in sorted(cases, key=lambda case: case.id):
        yield case.id, release_line(case, maker.fmt)


def make_edition(version: int) -> MadeEdition:
    """Return an edition; the one behind the last published one holds all formats and hazards there are.

    Raises:
        OutputError: there is no such edition, or its lines are no longer made as they were published.
    """
    last = max(editions(), default=0)
    if version > last + 1:
        raise OutputError(f"--version {version}: editions 1 to {last} are published; the next one is {last + 1}")
    known = editions().get(version)
    formats = known.sha256 if known else wire_formats()
    names = frozenset(known.hazards) if known else None
    files: dict[str, bytes] = {}
    counts: dict[str, Counter[str]] = {}
    for name in formats:
        lines = list(release_lines(release_makers()[name], names))
        files[f"cases/{name}.jsonl"] = b"".join([line for _, line in lines])
        counts[name] = Counter(sorted(case_id[0] for case_id, _ in lines))
        if known and _digest(files[f"cases/{name}.jsonl"]) != known.sha256[name]:
            raise OutputError(
                f"{name}: edition {version} was published with other lines; make the next edition instead"
            )
    files |= {name: read_regular(_FILES / name) for name in _ALL}
    tools = next(iter(release_makers().values())).tools
    files["tools.json"] = _json([tool_object(known_tool.tool) for known_tool in tools.values()])
    files["known_results.jsonl"] = _known_results(files)
    told = {hazard.name: hazard.about for hazard in hazards() if names is None or hazard.name in names}
    files["README.md"] = _readme(version, counts, told)
    files[RELEASE] = _json(_index(version, counts, told, files))
    return MadeEdition(files, counts, known is not None)


def write_edition(version: int, out: Path, *, overwrite: bool = False) -> MadeEdition:
    """Write an edition to a new folder, whole or not at all; over another one, file by file, the index last.

    What else stands beside the files of an edition, such as an adapter, stays.

    Raises:
        OutputError: see `make_edition`; something else is there, or the folder cannot be written.
    """
    there = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if there and not (overwrite and (out / RELEASE).is_file()):
        hint = "; --overwrite replaces it" if (out / RELEASE).is_file() else ", which is no edition"
        raise OutputError(f"{out}: holds something{hint}")
    made = make_edition(version)
    beside = out.with_name(f".{out.name}.making")
    with writing(out):
        try:
            shutil.rmtree(beside, ignore_errors=True)
            for name, data in made.files.items():
                (beside / name).parent.mkdir(parents=True, exist_ok=True)
                (beside / name).write_bytes(data)
            if there:
                _put_over(out, beside, made)
            else:
                if out.exists():
                    out.rmdir()  # it is empty
                beside.rename(out)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return made


def _put_over(out: Path, beside: Path, made: MadeEdition) -> None:
    """Replace the files of an edition, and remove cases of formats that the new one does not have."""
    if (out / "cases").is_symlink():
        raise OutputError(f"{out / 'cases'}: is a link, which is not followed")
    (out / "cases").mkdir(exist_ok=True)
    for name in sorted(made.files, key=lambda name: name == RELEASE):
        (beside / name).replace(out / name)
    for path in (out / "cases").glob("*.jsonl"):
        if f"cases/{path.name}" not in made.files:
            path.unlink()


def _index(
    version: int, counts: dict[str, Counter[str]], told: dict[str, str], files: dict[str, bytes]
) -> dict[str, Any]:
    formats = wire_formats()
    return {
        "name": "tool-call-cases",
        "version": version,
        "format_version": FORMAT_VERSION,
        "licence": "Apache-2.0",
        "made_by": f"tool-use-generator {layout.version()}",
        "formats": {
            name: {
                "source": formats[name].source,
                "cases": dict(by),
                "special_tokens": list(formats[name].special),
                "end": list(formats[name].end),
            }
            for name, by in counts.items()
        },
        "hazards": told,
        "sha256": {name: _digest(data) for name, data in sorted(files.items())},
    }


def _readme(version: int, counts: dict[str, Counter[str]], told: dict[str, str]) -> bytes:
    rows = [
        f"| `{name}` | {wire_formats()[name].source} | {by['y']} | {by['n']} | {by['i']} |"
        for name, by in counts.items()
    ]
    table = [f"| `{name}` | {about} |" for name, about in told.items()]
    text = Template(read_regular(_FILES / "README.md").decode())
    return text.substitute(
        version=version, format_version=FORMAT_VERSION, formats="\n".join(rows), hazards="\n".join(table)
    ).encode()


def _known_results(files: dict[str, bytes]) -> bytes:
    """Return what is known of engines, of the cases that are in the edition."""
    kept = []
    for line in read_regular(_HERE / "known_results.jsonl").splitlines():
        known = loads(line)
        lines = files.get(f"cases/{known['format']}.jsonl", b"")
        known["cases"] = [case for case in known["cases"] if f'"id":"{case}"'.encode() in lines]
        if known["cases"]:
            kept.append(json.dumps(known, ensure_ascii=False).encode() + b"\n")
    return b"".join(kept)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"
