"""The one page of HTML: things to look at, and figures behind them. It needs nothing else and asks nothing of any network.

What is looked at: the records of files and runs, what was rejected and why, and transcripts beside the rows that were played.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from generator.core.conversation import Conversation, Row, UserMessage
from generator.core.errors import FormatError
from generator.core.exact_json import read_exactly
from generator.core.files import read_regular
from generator.core.yaml_values import own_data
from generator.episodes.episode import USUAL_END
from generator.episodes.table import Table, plain_table
from generator.formats.files.records import bounded_lines
from generator.formats.run_folder.files import REJECTED, companion_file
from generator.formats.run_folder.proof_line import ProofLine, proof_line
from generator.formats.sinks import reading
from generator.report.files.show import ShownMessage, ValueOrigin, show_row
from generator.report.measure import ReadRow, Report, RowsFile, files_to_measure, measure_rows, read_row, rows_of
from generator.report.metrics import FIGURES, METRICS
from generator.report.metrics.base import Metric

_BODY = ("raw", "offers", "messages", "faults")
"""What is read of an entry only when it is looked at; lists and filters need the rest."""


Entry = dict[str, Any]
"""One thing to look at: what page.js shows of a row, a rejected attempt, or a transcript."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A table of figures, with charts and rows to look at."""

    title: str
    about: str
    """What stands between backquotes is shown as code."""
    columns: Sequence[str] = ()
    lines: Sequence[Sequence[str]] = ()
    """Cells of the table; the first of a line is its heading."""
    charts: Sequence[tuple[str, Sequence[tuple[str, float]]]] = ()
    """(title, counts by what is counted)."""
    examples: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()
    """(what they are examples of, entries as (name, what people know it by))."""


def page(
    title: str,
    sources: Sequence[str],
    entries: Sequence[Entry],
    sections: Sequence[Section] = (),
    *,
    marks_of: str = "",
    pages: str = "",
) -> str:
    """Return the page; browsers keep marks under `marks_of`: pages of one thing share them, by default those with the same entries do."""
    bodies = "\n".join([_json_for_script({key: entry[key] for key in _BODY if key in entry}) for entry in entries])
    heads = [
        {key: value for key, value in entry.items() if key not in _BODY}
        | {"rules": [fault["rule"] for fault in entry["faults"]]}
        for entry in entries
    ]
    data = {"sources": sources, "rows": heads, "key": _digest(marks_of or bodies)}
    script = read_regular(Path(__file__).with_name("page.js")).decode()
    template = Template(read_regular(Path(__file__).with_name("page.html")).decode())
    return template.substitute(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script)}'",
        # without characters that a page may not hold or that turn the direction of others
        title=escape("".join(letter if letter.isprintable() or letter == " " else "\ufffd" for letter in title)),
        pages=pages,
        data=_json_for_script(data | {"figures": msgspec.to_builtins(sections)}),
        bodies=bodies,
        script=script,
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "replace")).digest()).decode()


def _json_for_script(data: Any) -> str:
    """Return JSON that no text in it can end the element of, or begin a comment in."""
    text = json.dumps(data, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


_LONGEST = 20_000
"""Characters of one text on the page; data may have texts of any length."""
_MOST_FAULTS = 20


def entry(kind: str, name: str, heading: str, **about: Any) -> Entry:
    """Return an entry (`row`, `rejected`, `left out`, `removed` or `played`) in which nothing is said; links and marks know it by its name."""
    empty: Entry = {"source": 0, "file": "", "line": None, "row": None, "scenario": "", "split": "", "format": ""}
    lists: Entry = {"tags": [], "tools": [], "offers": [], "messages": [], "faults": []}
    return {"kind": kind, "id": name, "heading": heading, "title": "", **empty, **lists, **about}


def noted(
    rows: Iterable[ReadRow | None],
    into: list[Entry],
    source: int = 0,
    *,
    wanted: Callable[[int], bool] = lambda _: True,
    raw: bool = False,
) -> Iterator[ReadRow | None]:
    """Pass rows on, and note `into` an entry of each that is read and wanted, with the text of its record if that is."""
    for row in rows:
        if row is not None and wanted(row.number):
            into.append(_entry_of_record(row, source, raw=raw))
        yield row


def _entry_of_record(row: ReadRow, source: int, *, raw: bool) -> Entry:
    """Return the entry of a record of a file."""
    heading = f"Row {row.proof_line.index}" if row.proof_line else f"Line {row.line}"
    about: Entry = {"source": source, "file": row.file.shown, "line": row.line, "format": row.format}
    if proof := row.proof_line:
        about |= {"row": proof.index, "scenario": proof.scenario, "tags": proof.tags, "split": proof.split or ""}
    record_of_row = entry("row", f"{source}/{row.number + 1}", heading, **about)
    if raw:
        record_of_row["raw"] = cut(json.dumps(row.record, indent=1, ensure_ascii=False))
    return record_of_row | _parsed_entry(row)


def _parsed_entry(row: ReadRow) -> Entry:
    """Return the part of an entry that shows a parsed row: its title, its messages, its faults."""
    if row.document is not None:
        return {"title": "a document", "messages": [message_of(m) for m in show_row(row.document, None).messages]}
    if row.parsed is None:
        return {"title": row.fault, "faults": [{"rule": "unreadable", "path": "$", "message": cut(row.fault)}]}
    faults = [
        {"rule": violation.rule, "path": cut(violation.path), "message": cut(violation.message)}
        for violation in row.parsed.violations[:_MOST_FAULTS]
    ]
    return conversation_entry(row.parsed.conversation, row.proof) | {"faults": faults}


def conversation_entry(conversation: Conversation, proof: ProofLine | None) -> Entry:
    """Return what a conversation says, with the origins of its values."""
    row = show_row(conversation, proof)
    request = next((m.content for m in conversation.messages if isinstance(m, UserMessage)), "")
    return {
        "title": (request or "")[:160],
        "tools": sorted({call.name for message in row.messages for call in message.calls}),
        "offers": row.tools,
        "messages": [message_of(message) for message in row.messages],
    }


def record_entry(record: dict[str, Any], format_name: str) -> Entry:
    """Return what a record says, whatever it is: one that is no conversation is shown as it is."""
    row = read_row(ReadRow(number=0, file=RowsFile(path=Path()), line=0, format=format_name, record=record))
    if row.parsed is not None:
        return conversation_entry(row.parsed.conversation, None)
    return {"messages": [message_of(ShownMessage("unreadable", json.dumps(record, indent=1, ensure_ascii=False)))]}


def message_of(message: ShownMessage) -> dict[str, Any]:
    """Return a message as the page has it."""
    extras = {key: getattr(message, key) for key in ("answers", "notes", "thoughts")}
    calls = [
        {"number": call.number, "name": call.name, "values": [_value_of(origin) for origin in call.origins]}
        for call in message.calls
    ]
    shown = {"role": message.role, "text": cut(message.text or ""), "json": message.is_json}
    return {**shown, **extras, "calls": calls}


def _value_of(origin: ValueOrigin) -> dict[str, Any]:
    """Return a value of a call's arguments as the page has it."""
    shown = {key: getattr(origin, key) for key in ("words", "found", "span")}
    value = cut(json.dumps(origin.value, ensure_ascii=False))
    return {"name": origin.pointer.removeprefix("/") or "(all)", "value": value, **shown}


def rejected_entries(path: Path, shown: str, most: int, source: int = 0) -> Iterator[Entry]:
    """Yield the first lines of a file of rejected rows, which people know by the name that is shown."""
    with reading(path) as file:
        for line, text in islice(enumerate(bounded_lines(file), start=1), most):
            yield _rejected(source, line, text) | {"file": shown}


def _rejected(source: int, line: int, text: bytes) -> Entry:
    """Return a line of rejected rows: an attempt with its faults, a format that refused a row, or a row that was removed."""
    try:
        rejected, reason_unreadable = read_exactly(text), "not an object"
    except FormatError as fault:
        rejected, reason_unreadable = None, str(fault)
    if not isinstance(rejected, dict):
        rejected = {"violations": [{"rule": "unreadable", "path": "$", "message": reason_unreadable}]}
    kind = "removed" if "removed" in rejected else "left out" if "format" in rejected else "rejected"
    index = rejected.get("index")
    heading = f"Line {line}" if index is None else f"Row {index}"
    about = {"source": source, "line": line, "row": index, "scenario": str(rejected.get("scenario") or "")}
    entry_of_line = entry(kind, f"{source}/rejected-{line}", heading, **about)
    if kind != "rejected":
        reason = str(rejected.get("reason") or rejected.get("removed") or "")
        rule = str(rejected.get("format") or "removed")
        faults = [{"rule": kind, "path": rule, "message": cut(reason)}]
        return entry_of_line | {"format": rule, "title": reason[:160], "faults": faults}
    listed = rejected.get("violations")
    objects = [fault for fault in listed if isinstance(fault, dict)] if isinstance(listed, list) else []
    faults = [{key: cut(str(fault.get(key, ""))) for key in ("rule", "path", "message")} for fault in objects]
    entry_of_line |= {"format": "deepfabric", "faults": faults, "title": " ".join(fault["rule"] for fault in faults)}
    if rejected.get("messages"):
        entry_of_line |= record_entry(
            {"messages": rejected["messages"], "tools": rejected.get("tools") or []}, "deepfabric"
        )
    return entry_of_line


def cut(text: str, longest: int = _LONGEST) -> str:
    """Return a text, of a very long one its beginning."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


MAIN: dict[str, str] = own_data(__file__)
"""The figures for a first look, and what a dataset card calls them."""


def shown_first(reports: Sequence[Report]) -> list[tuple[str, str]]:
    """Return (figure, what it is called) of the main figures; where only a sample was looked at, of those that a sample shows."""
    sampled = any(report.sampled for report in reports)
    return [(name, label) for name, label in MAIN.items() if not (sampled and FIGURES[name].grows)]


def figure_text(name: str, value: float | int | None) -> str:
    """Return a figure with its unit: `4.6 %`, `1,153 tokens`; a dash where there was nothing to measure."""
    if value is None:
        return "–"
    unit = FIGURES[name].unit
    text = (
        "0" if value == 0 else f"{value:,}" if isinstance(value, int) else f"{value:,.{2 if abs(value) < 10 else 1}f}"
    )
    return f"{text} {unit}".rstrip()


def sections_of(reports: Sequence[Report]) -> list[Section]:
    """Return what a page shows of reports, side by side: the main figures, then every metric.

    Reports belong to the sources of the page, in their order.
    """
    main = [
        (label, *[figure_text(name, report.figures.get(name)) for report in reports])
        for name, label in shown_first(reports)
    ]
    head = Section(title="Figures", about=" ".join(map(headline, reports)), columns=_columns("", reports), lines=main)
    return [head, *[_section(metric, reports) for metric in METRICS.values()]]


def _columns(first: str, reports: Sequence[Report], *last: str) -> list[str]:
    return [first, *([report.name for report in reports] if len(reports) > 1 else ["value"]), *last]


def headline(report: Report) -> str:
    """Return a sentence on a page of what was looked at, such as `rows.jsonl: 1,000 rows.`."""
    rows = "row" if report.measured == 1 and not report.sampled else "rows"
    text = f"{report.name}: {report.measured:,} {rows}{', not all there are' if report.sampled else ''}."
    if report.sampled:
        text += " What grows with the number of rows, such as the share of near-duplicates, is marked †:"
        text += " `python -m generator report` looks at all rows."
    text += f" {report.documents:,} of them are documents, which no figure is about." if report.documents else ""
    reasons = "; ".join([f"row {number}: {reason}" for number, reason in report.unread])
    return text + (f" {report.unreadable:,} cannot be read: {reasons}." if report.unreadable else "")


def _section(metric: Metric, reports: Sequence[Report]) -> Section:
    """Return the figures, charts and examples of one metric, the reports side by side."""
    named_results = [(report.name, report.metrics[metric.name]) for report in reports]
    sampled = any(report.sampled for report in reports)
    lines = []
    for figure in metric.figures:
        name = f"{metric.name}.{figure.name}"
        values = [figure_text(name, report.figures.get(name)) for report in reports]
        lines.append((f"`{name}`{' †' if figure.grows and sampled else ''}", *values, figure.about))
    return Section(
        title=metric.title,
        about=metric.about,
        columns=_columns("figure", reports, "what it counts"),
        lines=lines,
        charts=[
            (_titled(chart.title, name, reports), chart.counts)
            for title in dict.fromkeys(chart.title for _, result in named_results for chart in result.charts)
            for name, result in named_results
            for chart in result.charts
            if chart.title == title and chart.counts
        ],
        examples=[
            (_titled(kind, name, reports), [(f"{source}/{number + 1}", str(number)) for number in numbers])
            for source, (name, result) in enumerate(named_results)
            for kind, numbers in result.examples.items()
        ],
    )


def _titled(title: str, name: str, reports: Sequence[Report]) -> str:
    return f"{title}: {name}" if len(reports) > 1 else title


MOST = 2_000
"""Records of all sources together on one page."""


def browse_page(paths: Sequence[Path], start: int = 0, *, served: bool = False) -> tuple[str, int]:
    """Return a page with the records of files and runs, side by side, from number `start`, and how many there are.

    A page that is served has links to the others, `?from=N`.

    Raises:
        OutputError: when a file cannot be read.
    """
    share = max(1, MOST // len(paths))
    entries: list[Entry] = []
    reports = []
    for source, path in enumerate(paths):
        files = files_to_measure(path)
        read = islice(rows_of(files, range(start, start + share).__contains__), start + share + 1)
        reports.append(measure_rows(str(path), noted(read, entries, source, raw=len(paths) > 1)))
        rejected = companion_file(files[0].path, REJECTED) if not start else None
        if rejected is not None:
            entries += rejected_entries(rejected, str(rejected), share, source)
    cut = any(report.rows > start + share for report in reports)
    title = " and ".join(map(str, paths))
    names = [path.name or str(path) for path in paths]
    pages = _pages(start, share, cut=cut, served=served)
    return page(title, names, entries, sections_of(reports), marks_of=title, pages=pages), len(entries)


def _pages(start: int, share: int, *, cut: bool, served: bool) -> str:
    """Return which records stand on the page, with links to the others where it is served."""
    if not cut and not start:
        return ""
    numbers = f"records {start + 1:,} to {start + share:,} of each" if cut or start else ""
    if not served:
        return f"{numbers}; <code>browse --serve</code> pages through all"
    earlier = f' <a href="?from={max(0, start - share)}">earlier</a>' if start else ""
    later = f' <a href="?from={start + share}">later</a>' if cut else ""
    return f"{numbers}{earlier}{later}"


MOST_TRANSCRIPTS = 200
"""Transcripts on one page: those that did not pass come first."""
_COLUMNS = ("scenario", "episodes", "pass", "pass^", "reward", "calls", "needed", "parts that failed")


def transcript_page(
    title: str, table: Table, transcripts: Sequence[dict[str, Any]], row_of: Callable[[int], Row]
) -> str:
    """Return the page of what was played, and by whom."""
    chosen = sorted(
        transcripts,
        key=lambda transcript: (
            transcript["score"]["reward"] == 1.0,
            transcript["index"],
            transcript.get("attempt", 0),
        ),
    )
    entries = [_entry_of_transcript(transcript) for transcript in chosen[:MOST_TRANSCRIPTS]]
    entries += [
        _entry_of_played_row(row_of(index))
        for index in sorted({transcript["index"] for transcript in chosen[:MOST_TRANSCRIPTS]})
    ]
    beyond = len(chosen) - MOST_TRANSCRIPTS
    about = "What was played stands beside what the row does."
    about += f" {beyond:,} transcripts more are not shown." if beyond > 0 else ""
    return page(title, ["played", "the row"], entries, [_scores(table, about)])


def _entry_of_transcript(transcript: dict[str, Any]) -> Entry:
    """Return the page's entry of an episode that was played: its score, its faults, its messages."""
    score, attempt = transcript["score"], transcript.get("attempt", 0)
    parts = [(name, f"{part:.2f}", "") for name, part in score["parts"].items() if part < 1]
    reasons = [("why", "", text) for text in (*score.get("faults", ()), *{transcript["ended"]} - {"", USUAL_END})]
    heading = f"Row {transcript['index']}, try {attempt}: {score['reward']:.2f}"
    about = {
        "row": transcript["index"],
        "scenario": transcript["scenario"],
        "tags": ["passed" if score["reward"] == 1.0 else "failed"],
    }
    faults = [{"rule": rule, "path": path, "message": text} for rule, path, text in parts + reasons]
    conversation_part = record_entry({"messages": transcript["messages"], "tools": []}, "openai")
    return (
        entry("played", f"0/{transcript['index']}-{attempt}", heading, **about) | conversation_part | {"faults": faults}
    )


def _entry_of_played_row(row: Row) -> Entry:
    """Return the entry of the row that was played."""
    about = {"source": 1, "row": row.index, "scenario": row.scenario, "tags": row.tags}
    conversation_part = conversation_entry(row.conversation, proof_line(row))
    return entry("row", f"1/{row.index}", f"Row {row.index}", **about) | conversation_part


def _scores(table: Table, about: str) -> Section:
    """Return the table of scores by scenario."""
    plain = plain_table(table)
    tries = str(plain["tries"])
    lines = []
    for name, totals in {"all": plain["all"], **plain["scenarios"]}.items():
        failed = ", ".join(f"{part} {count}" for part, count in {**totals["failed"], **totals["ended"]}.items())
        shares = [f"{share:.3f}" for share in (totals["pass"], totals["pass^k"][tries], totals["reward"])]
        lines.append(
            [name, f"{totals['episodes']:,}", *shares, f"{totals['calls']:,}", f"{totals['needed']:,}", failed]
        )
    columns = [f"{column}{tries}" if column.endswith("^") else column for column in _COLUMNS]
    return Section(title="Scores", about=about, columns=columns, lines=lines)
