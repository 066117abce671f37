"""The page of a review: each tool before and after, what was dropped and why, and decisions to take, in one HTML file."""

import html
from collections.abc import Sequence

from generator.run.authoring.review.review import Review, ReviewedRow, ReviewedText, ReviewedTool, counts

_STATES = ("disputed", "dropped", "kept")
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem;color:#1c1c1c;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid #e4e4e4}
.disputed td:first-child{border-left:4px solid #b8860b}.dropped td:first-child{border-left:4px solid #a33}.kept td:first-child{border-left:4px solid #2a7}
.rows{display:grid;grid-template-columns:1fr 1fr;gap:1rem}.row{background:#f6f6f4;padding:.5rem .8rem;margin:.4rem 0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:13px}
.row.bad{border-left:4px solid #a33}.why{color:#a33}.muted{color:#666}code{font-size:13px}input[type=text]{width:100%}
#out{position:sticky;bottom:0;background:#fff;border-top:2px solid #333;padding:.6rem 0}textarea{width:100%;height:6rem;font:13px monospace}
"""
_SCRIPT = """
const file = document.body.dataset.file;
function quoted(text) { return JSON.stringify(text); }
function collect() {
  const lines = [];
  for (const row of document.querySelectorAll('tr[data-tool]')) {
    const chosen = row.querySelector('input[type=radio]:checked');
    const now = row.querySelector('input[type=text]').value;
    const was = row.dataset.text;
    const about = `tool: ${quoted(row.dataset.tool)}, piece: ${quoted(row.dataset.piece)}, text: ${quoted(was)}`;
    if (now !== was) lines.push(`  - {${about}, do: edit, to: ${quoted(now)}}`);
    else if (chosen) lines.push(`  - {${about}, do: ${chosen.value}}`);
  }
  document.getElementById('yaml').value = lines.length ? 'decisions:\\n' + lines.join('\\n') + '\\n' : '';
}
document.addEventListener('input', collect);
document.getElementById('save').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([document.getElementById('yaml').value], {type: 'text/yaml'}));
  link.download = file;
  link.click();
});
"""


def page_of(review: Review, decisions: str) -> str:
    """Return the page as HTML; it refers to nothing outside itself, and what stands in texts is shown, never run.

    Args:
        review: What came of an authoring.
        decisions: Name of the file that decisions belong into.
    """
    parts = "\n".join(_tool(number, tool) for number, tool in enumerate(review.tools))
    dropped = "".join(f"<li>{_said(name)}: {_said(why)}</li>" for name, why in review.entities_dropped.items())
    entities = f"<p>Entities that were dropped:</p><ul>{dropped}</ul>" if dropped else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Review of {_said(review.title)}</title><style>{_STYLE}</style></head>
<body data-file="{_said(decisions)}"><h1>Review of {_said(review.title)}</h1>
<p>{_sum(review)} Accept or reject texts, or write them anew; what you decide goes into <code>{_said(decisions)}</code>,
beside the tools, which the next <code>tools author</code> honours.</p>{entities}
{parts}
<div id="out"><textarea id="yaml" readonly aria-label="decisions"></textarea><button id="save">Save {_said(decisions)}</button></div>
<script>{_SCRIPT}</script></body></html>
"""


def _sum(review: Review) -> str:
    found = counts([text for tool in review.tools for text in tool.texts])
    return f"{len(review.tools)} tools: {found['kept']} texts kept, {found['disputed']} disputed, {found['dropped']} dropped."


def _tool(number: int, tool: ReviewedTool) -> str:
    order = sorted(tool.texts, key=lambda text: _STATES.index(text.state))
    rows = "\n".join(_text(f"{number}-{at}", tool.name, text) for at, text in enumerate(order))
    notes = "".join(f'<p class="why">{_said(note)}</p>' for note in [tool.refused] if note)
    notes += "".join(f'<p class="muted">missing: {_said(gap)}</p>' for gap in tool.gaps)
    return f"""<h2>{_said(tool.name)}</h2><p class="muted">{_said(tool.description)}</p>{notes}
<div class="rows"><div><b>Before</b>{_rows(tool.before)}</div><div><b>After</b>{_rows(tool.after)}</div></div>
<table><tr><th>text</th><th>piece</th><th>state</th><th>accept</th><th>reject</th></tr>
{rows}</table>"""


def _rows(rows: Sequence[ReviewedRow]) -> str:
    return "".join(
        f'<div class="row{" bad" if row.faults else ""}">{_said(chr(10).join(row.lines))}'
        + (f'\n<span class="why">{_said(", ".join(row.faults))}: {_said(row.why)}</span>' if row.faults else "")
        + "</div>"
        for row in rows
    )


def _text(name: str, tool: str, text: ReviewedText) -> str:
    why = f'<div class="why">{_said(text.why)}</div>' if text.why else ""
    choices = "".join(
        f'<td><input type="radio" name="{name}" value="{do}" aria-label="{do}"></td>' for do in ("accept", "reject")
    )
    return (
        f'<tr class="{text.state}" data-tool="{_said(tool)}" data-piece="{_said(text.piece)}" data-text="{_said(text.text)}">'
        f'<td><input type="text" value="{_said(text.text)}" aria-label="text">{why}</td>'
        f"<td><code>{_said(text.piece)}</code></td><td>{text.state}</td>{choices}</tr>"
    )


def _said(text: str) -> str:
    return html.escape(text, quote=True)
