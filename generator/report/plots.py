"""Plots as inline SVG. Every text is escaped, every mark carries its number, and colours come from the page's style."""

from html import escape

from generator.report.metrics.base import Chart

_WIDTH = 420
_BAR = 20
_LABEL = 190
_NUMBER = 62
_GAP = 8
_LETTER = 6.7
"""Width of a letter, about."""
_HEIGHT = 150
_PARTS = 7


def plot(chart: Chart) -> str:
    """Return the SVG of a chart."""
    return {"columns": _columns, "bars": _bars, "shares": _shares}[chart.kind](chart)


def _opening(chart: Chart, height: float) -> str:
    told = "; ".join(f"{label}: {_number(value)}" for label, value in chart.counts)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{safe(f"{chart.title}. {told}")}"'
        ' xmlns="http://www.w3.org/2000/svg">'
    )


def _bars(chart: Chart) -> str:
    """Return the SVG of named things, one bar each; long names stand above their bars."""
    most = max((value for _, value in chart.counts), default=0) or 1
    above = any(len(label) * _LETTER > _LABEL - _GAP for label, _ in chart.counts)
    left, line = (0, 2 * _BAR - 4) if above else (_LABEL, _BAR)
    room = _WIDTH - left - _NUMBER
    parts = [_opening(chart, len(chart.counts) * line)]
    for place, (label, value) in enumerate(chart.counts):
        bar = place * line + (_BAR - 3 if above else 0)
        length = room * value / most
        parts.append(
            f"<g><title>{safe(f'{label}: {_number(value)}')}</title>"
            f'<text x="0" y="{place * line + 14}">{safe(_cut(label, _WIDTH if above else _LABEL - _GAP))}</text>'
            f'<rect class="first" x="{left}" y="{bar + 4}" width="{max(1, length):.1f}" height="{_BAR - 7}" rx="2"/>'
            f'<text class="quiet" x="{left + length + 6:.1f}" y="{bar + 14}">{_number(value)}</text></g>'
        )
    return "".join([*parts, "</svg>"])


def _columns(chart: Chart) -> str:
    """Return the SVG of numbers in order along an axis."""
    most = max((value for _, value in chart.counts), default=0) or 1
    step = _WIDTH / max(4, len(chart.counts))
    crowded = max((len(label) for label, _ in chart.counts), default=0) * _LETTER > step - 4
    foot = 62 if crowded else 20
    parts = [_opening(chart, 18 + _HEIGHT + foot + 14)]
    for place, (label, value) in enumerate(chart.counts):
        height = _HEIGHT * value / most
        left, top, middle = place * step, 18 + _HEIGHT - height, place * step + step / 2
        turned = (
            f' text-anchor="end" transform="rotate(-40 {middle:.1f} {_HEIGHT + 32})"'
            if crowded
            else ' text-anchor="middle"'
        )
        number = f'<text class="quiet" x="{middle:.1f}" y="{top - 4:.1f}" text-anchor="middle">{_short(value)}</text>'
        parts.append(
            f"<g><title>{safe(f'{label}: {_number(value)}')}</title>"
            f'<rect class="first" x="{left + 3:.1f}" y="{top:.1f}" width="{step - 6:.1f}" height="{height:.1f}" rx="2"/>'
            f'{number if value else ""}<text x="{middle:.1f}" y="{_HEIGHT + 32}"{turned}>{safe(label)}</text></g>'
        )
    base = 18 + _HEIGHT
    parts.append(f'<line class="axis" x1="0" y1="{base}" x2="{_WIDTH}" y2="{base}"/>')
    parts.append(
        f'<text class="quiet" x="{_WIDTH}" y="{18 + _HEIGHT + foot + 10}" text-anchor="end">{safe(chart.axis)}</text>'
    )
    return "".join([*parts, "</svg>"])


def _shares(chart: Chart) -> str:
    """Return the SVG of parts of a whole as one bar, with a key that has the numbers."""
    total = sum(value for _, value in chart.counts) or 1
    parts, keys, left = [_opening(chart, 34)], [], 0.0
    for place, (label, value) in enumerate(chart.counts):
        width, style = _WIDTH * value / total, f"s{place % _PARTS}"
        told = safe(f"{label}: {100 * value / total:.1f} % ({_number(value)})")
        parts.append(
            f'<rect class="{style}" x="{left:.1f}" y="2" width="{width:.1f}" height="30"><title>{told}</title></rect>'
        )
        keys.append(f'<li><i class="{style}"></i>{told}</li>')
        left += width
    return "".join([*parts, '</svg><ul class="key">', *keys, "</ul>"])


def _number(value: float) -> str:
    return f"{value:,}"


def _short(value: float) -> str:
    """Return a number that fits above a column."""
    for size, letter in ((1_000_000, "M"), (10_000, "k")):
        if value >= size:
            return f"{value / (size if letter == 'M' else 1000):.3g}{letter}"
    return f"{value:g}"


def _cut(label: str, width: float) -> str:
    most = int(width / _LETTER)
    return label if len(label) <= most else f"{label[: most - 1]}…"


def safe(text: str) -> str:
    """Return a text as a page may hold it: escaped, without what cannot be seen."""
    return escape(visible(text))


def visible(text: str) -> str:
    """Return the text without characters that a page may not hold or that turn the direction of others."""
    return "".join(letter if letter.isprintable() or letter == " " else "\ufffd" for letter in text)
