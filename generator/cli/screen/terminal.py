"""Text for a terminal: control characters in data are shown as escapes and have no effect."""

import re
from collections.abc import Iterable

import click

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
    # characters that are not seen, or that turn the direction of others
)
_MOST_LINES = 40
_LONGEST_MESSAGE = 1_800
_LONGEST_LAST = 400


def printable(text: str) -> str:
    """Return the text with every character that could control a terminal, or would be invisible, written as an escape."""
    return _UNSAFE.sub(_escape, text)


def capped(message: str) -> str:
    """Return a message cut to a readable length, because data and recipes can make it of any length.

    Of several lines the last is kept: it says how many faults there are that have no line.
    """
    if len(message) <= _LONGEST_MESSAGE:
        return message
    rest, _, last = message.rpartition("\n")
    if not rest or len(last) > _LONGEST_LAST:
        return f"{message[:_LONGEST_MESSAGE]}… (and {len(message) - _LONGEST_MESSAGE:,} characters more)"
    room = _LONGEST_MESSAGE - len(last)
    return f"{rest[:room]}… (and {len(rest) - room:,} characters more)\n{last}"


def on_one_line(text: str) -> str:
    """Return the text as `printable` does, with line breaks as escapes, too."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def count(number: int, one: str, many: str) -> str:
    """Return a number with its noun: `1 row`, `1,000 rows`."""
    return f"{number:,} {one if number == 1 else many}"


def print_table(title: str, lines: Iterable[tuple[str, str, str]]) -> None:
    """Print (name, number, remark) lines in columns under a title; nothing when there are none."""
    rows = [tuple(on_one_line(cell) for cell in line) for line in lines]
    if not rows:
        return
    left, right = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    click.echo(f"{title}:")
    for name, number, remark in rows[:_MOST_LINES]:
        click.echo(f"  {name:<{left}}  {number:>{right}}  {remark}".rstrip())
    if len(rows) > _MOST_LINES:
        click.echo(f"  … and {len(rows) - _MOST_LINES} more")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
