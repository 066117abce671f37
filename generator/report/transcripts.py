"""Transcripts beside the rows that were played, as one page that needs nothing else: no script, no network, every text escaped."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from generator import __version__
from generator.episodes.scoring import Score
from generator.episodes.table import Table, plain_table
from generator.files.regular import read_regular
from generator.report.plots import safe

MOST = 200
"""Transcripts on one page: those that did not pass come first."""
_LONGEST = 4_000
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
details { border: 1px solid var(--line); border-radius: .5rem; margin: .6rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.pair > div { min-width: 0; }
.said { background: var(--panel); border-radius: .4rem; padding: .3rem .6rem; margin: .35rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.said b { color: var(--quiet); font-weight: 600; font-size: .8rem; display: block; }
.assistant { border-left: 3px solid var(--first); }
@media (max-width: 640px) { .pair { grid-template-columns: 1fr; } }
"""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One episode, and what the row does in its place."""

    index: int
    scenario: str
    score: Score
    messages: Sequence[dict[str, Any]]
    """As a transcript has them."""
    own: Sequence[dict[str, Any]]
    """The row's own."""
    attempt: int = 0
    ended: str = ""


def transcript_page(title: str, table: Table, shown: Iterable[Shown]) -> str:
    """Return the page: the table by scenario, then transcripts, those that did not pass first."""
    every = list(shown)
    chosen = sorted(every, key=lambda one: (one.score.passed, one.index, one.attempt))[:MOST]
    style = read_regular(Path(__file__).with_name("page.css")).decode() + _STYLE
    beyond = f" {len(every) - MOST:,} more are not shown." if len(every) > MOST else ""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
            f"<title>{safe(title)}: episodes</title><style>{style}</style></head><body><main>",
            f"<header><h1>{safe(title)}</h1></header>",
            _table(table),
            f"<section><h2>Transcripts</h2><p class=quiet>What was played is on the left, what the row does on the right.{beyond}</p>",
            *map(_episode, chosen),
            f'</section><p class="quiet">Made by tool-use-generator {__version__}.</p></main></body></html>\n',
        ]
    )


def _table(table: Table) -> str:
    plain = plain_table(table)
    tries = str(plain["tries"])
    heads = ("scenario", "episodes", "pass", f"pass^{tries}", "reward", "calls", "needed", "parts that failed")
    lines = []
    for name, one in {"all": plain["all"], **plain["scenarios"]}.items():
        failed = ", ".join(f"{part} {count}" for part, count in {**one["failed"], **one["ended"]}.items())
        cells = (
            f"{one['episodes']:,}",
            f"{one['pass']:.3f}",
            f"{one['pass^k'][tries]:.3f}",
            f"{one['reward']:.3f}",
            f"{one['calls']:,}",
            f"{one['needed']:,}",
        )
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        lines.append(f'<tr><th scope="row">{safe(name)}</th>{numbers}<td>{safe(failed)}</td></tr>')
    head = "".join(f'<th scope="col"{" class=number" if 0 < at < 7 else ""}>{one}</th>' for at, one in enumerate(heads))
    return (
        '<section><h2>Scores</h2><div class="scroll" role="region" tabindex="0" aria-label="Scores by scenario"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div></section>"
    )


def _episode(one: Shown) -> str:
    score = one.score
    parts = ", ".join(f"{name} {part:.2f}" for name, part in score.parts.items() if part < 1) or "all parts hold"
    told = f"row {one.index}, try {one.attempt} ({one.scenario}): {score.reward:.2f}: {parts}"
    faults = "".join(f"<li>{safe(fault)}</li>" for fault in (*score.faults, *([one.ended] if one.ended else [])))
    return (
        f"<details{'' if score.passed else ' open'}><summary>{safe(told)}</summary>"
        f'<ul class="rows">{faults}</ul><div class="pair">{_side("played", one.messages)}{_side("the row", one.own)}</div></details>'
    )


def _side(name: str, messages: Sequence[dict[str, Any]]) -> str:
    return f"<div><h3>{name}</h3>{''.join(_message(message) for message in messages)}</div>"


def _message(message: dict[str, Any]) -> str:
    role = str(message.get("role", ""))
    text = "\n".join([*_calls(message), *([str(message["content"])] if message.get("content") else [])])
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
    lines = "\n".join(safe(line) for line in shown.split("\n"))
    return f'<div class="said {"assistant" if role == "assistant" else "other"}"><b>{safe(role)}</b>{lines}</div>'


def _calls(message: dict[str, Any]) -> Iterator[str]:
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        arguments = function.get("arguments")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        yield f"→ {function.get('name')}({written})"
