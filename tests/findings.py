"""What parsers of real servers get wrong: found with the shipped recipe, kept as a corpus of their own.

`python tests/findings.py` makes tests/findings/ and docs/findings.md anew (some minutes); tests/corpus/test_findings.py
runs every one of them again.
"""

import importlib.metadata
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests/findings"
PAGE = ROOT / "docs/findings.md"
CASES = 100
SECONDS = 0.5
"""Of the processor, that a parser has for a text."""
LONGEST = 1200
"""Bytes of a case that is tried: shorter ones are sooner small."""
_INTRO = """# Findings in parsers of tool calls

Found with `recipes/fuzz_parsers.yaml`; the smallest case of each kind of failure is told. Those of `y_` are valid texts: what the
model's chat template writes for the calls that are told as expected (`tests/corpus/template_agreement.yaml` says where there is
none, or a reason to differ), with no value that the format cannot hold. Those of `n_` hold no call. Streams are
cut between whole characters, special tokens whole, as a server delivers them; at the end of a stream the adapter sends what
SGLang's server then still sends.

Every finding is reproduced by one command; each prints the finding and exits 1. The adapters are in `tests/servers.py`, the
packages come with `pip install --no-deps -r tests/consumers.txt`. This page is made by `python tests/findings.py`, and
`tests/corpus/test_findings.py` runs all of it again.

"""


def package_of(parser: str) -> str:
    """The package that a parser of `servers` is from, with its version."""
    names = {"sglang": "llm-router-utils", "mlx": "mlx-lm", "openai": "openai-harmony", "agent": "agent-tool-parser"}
    name = names[parser.partition("_")[0]]
    return f"{name} {importlib.metadata.version(name)}"


def how_of(parser: str, streams: bool):
    """How a parser is checked."""
    from generator.corpus.check.run import CheckOptions

    servers = ROOT / "tests/servers.py"
    stream = f"{servers}:{parser}_stream" if streams else None
    return CheckOptions(parser=f"{servers}:{parser}", stream=stream, content=False, seconds=SECONDS)


def entries() -> list[dict]:
    """All findings that are kept."""
    return json.loads((FOLDER / "findings.json").read_text())


def _found(corpus: Path) -> Iterator[tuple[str, str, object]]:
    """(format, parser, finding): for each parser the shortest valid case of each kind of failure and of each limit."""
    from parser_limits import LIMITS, values_of
    from servers import READERS

    from generator.corpus import cases, layout
    from generator.corpus.check.run import check_corpus
    from generator.formats.wire.format import wire_format

    schemas = {name: tool["function"].get("parameters") or {} for name, tool in layout.tools_of_corpus(corpus).items()}
    seen: set[tuple[str, str]] = set()
    for name, parsers in READERS.items():
        for parser in parsers:
            if (parser, wire_format(name).arguments) in seen:
                continue
            seen.add((parser, wire_format(name).arguments))
            tried = {case.id: case for case in cases(corpus, name) if len(case.text) < LONGEST and case.verdict != "i"}
            ids = tuple(tried)
            report = check_corpus(corpus, how_of(parser, parser.startswith("sglang")), formats=(name,), ids=ids)
            groups: dict[tuple, list] = {}
            for finding in report.findings:
                if (
                    finding.verdict != "y" and finding.label != "call from prose"
                ) or finding.label == "superlinear time":
                    continue
                detail = finding.detail.partition(":")[0] if finding.label in ("stream differs", "exception") else ""
                values = values_of(tried[finding.case], schemas)
                limits = [
                    limit for limit, shows in LIMITS.get(parser, {}).items() if shows(tried[finding.case], values)
                ]
                for limit in limits if len(limits) == 1 and not finding.plans else [""]:
                    groups.setdefault((finding.label, detail, limit), []).append(finding)
            _tell(name, parser, {key: len(found) for key, found in groups.items()})
            for found in groups.values():
                yield (
                    name,
                    parser,
                    min(found, key=lambda finding: finding.bytes),
                )


def _tell(*parts: object) -> None:
    sys.stdout.write(" ".join(map(str, parts)) + "\n")
    sys.stdout.flush()


def make() -> None:
    """Find, store, and write the page."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from generator.corpus import cases, layout
    from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
    from generator.corpus.rows import row_formats
    from generator.corpus.run import make_corpus
    from generator.formats.wire.format import wire_formats
    from generator.recipe.corpus import change_corpus, load_corpus

    recipe = load_corpus(
        ROOT / "recipes/fuzz_parsers.yaml", wire=wire_formats(), rows=row_formats(), mutations=(*MUTATIONS, AMBIGUOUS)
    )
    recipe = change_corpus(recipe, cases=CASES, seed=None, formats=tuple(wire_formats()), known=wire_formats())
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        make_corpus(recipe, corpus)
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
        kept: list[dict] = []
        chosen: dict[str, list] = {}
        used: set[str] = set()
        for name, parser, finding in _found(corpus):
            streams = bool(finding.plans)
            case = next(case for case in cases(corpus, name) if case.id == finding.case)
            plans = tuple([plan for plan in case.plans if plan.kind in finding.plans][:1])
            small = msgspec.structs.replace(
                case, id=f"{case.verdict}_{parser}-{len(kept):03d}", parent=None, plans=plans
            )
            small = msgspec.structs.replace(small, tools=_called(small))
            used |= set(small.tools)
            if any((e["parser"], e["label"], e["detail"]) == (parser, finding.label, finding.detail) for e in kept):
                continue
            chosen.setdefault(name, []).append(small)
            kept.append(
                {
                    "format": name,
                    "parser": parser,
                    "case": small.id,
                    "streams": streams,
                    "label": finding.label,
                    "detail": finding.detail,
                }
            )
            _tell("  ", finding.label, finding.detail[:100], repr(small.chars[:150]))
            _write(kept, chosen, layout, corpus, used)
    PAGE.write_text(page(), encoding="utf-8")


def _called(case) -> tuple[str, ...]:
    names = dict.fromkeys(call.name for call in case.oracle.tool_calls)
    return tuple(names) or case.tools[:1]


def _write(kept, chosen, layout, corpus, used) -> None:
    entries = {name: layout.write_format(FOLDER, name, "wire", own) for name, own in chosen.items()}
    tools = [tool for name, tool in layout.tools_of_corpus(corpus).items() if name in used]
    layout.write_json(FOLDER / layout.TOOLS, tools)
    formats = {name: msgspec.to_builtins(entry) for name, entry in entries.items()}
    layout.write_json(FOLDER / layout.INDEX, {"made_from": {"command": "python tests/findings.py"}, "formats": formats})
    layout.write_json(FOLDER / "findings.json", kept)


def page() -> str:
    """docs/findings.md."""
    from generator.corpus import cases

    parts = [_INTRO, _table()]
    for entry in entries():
        case = next(case for case in cases(FOLDER, entry["format"]) if case.id == entry["case"])
        expected = (
            [{"name": call.name, "arguments": call.arguments} for call in case.oracle.tool_calls] if case.oracle else []
        )
        stream = f" --stream tests/servers.py:{entry['parser']}_stream" if entry["streams"] else ""
        stream += f" --seconds {SECONDS}" if entry["label"] == "hang" else ""
        pieces = _pieces(case) if entry["streams"] else ""
        parts.append(
            f"## {entry['case']}\n\n{package_of(entry['parser'])}, parser `{entry['parser']}`, format `{entry['format']}`.\n\n"
            f"Input:\n\n```json\n{_shown(case.chars)}\n```\n\n{pieces}"
            f"Expected: `{_shown(expected)}`\n\nObserved: {entry['label']}: `{_plain(entry['detail'])}`\n\n"
            f"```bash\npython -m generator corpus check tests/findings --no-content --format {entry['format']} --case {entry['case']} "
            f"--parser tests/servers.py:{entry['parser']}{stream}\n```\n\n"
        )
    return "".join(parts).rstrip() + "\n"


def _table() -> str:
    rows = [
        f"| [{e['case']}](#{e['case']}) | {e['format']} | {package_of(e['parser'])} | {e['label']} | {_plain(e['detail'], 60)} |\n"
        for e in entries()
    ]
    return "| finding | format | package | what | detail |\n|---|---|---|---|---|\n" + "".join(rows) + "\n"


def _plain(text: str, most: int = 300) -> str:
    text = json.dumps(text, ensure_ascii=False)[1:-1].replace("`", "'").replace("|", "¦").replace('\\"', '"')
    return text if len(text) <= most else text[: most - 1] + "…"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 700 else f"{text[:400]} … {text[-200:]}"


def _pieces(case) -> str:
    from generator.corpus.chunks import cut

    if not case.plans:
        return ""
    pieces = [piece.decode() for piece in cut(case.text, case.plans[0])]
    return f"Pieces: `{_plain(_shown(pieces), 700)}`\n\n" if len(pieces) > 1 else "Pieces: the whole text in one.\n\n"


if __name__ == "__main__":
    make()
