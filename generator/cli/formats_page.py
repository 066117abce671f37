"""Writes `docs/formats.md` from the formats themselves: `python -m generator.cli.formats_page > docs/formats.md`."""

import inspect
import sys

from generator.formats import FORMATS, Format, format_options

_INTRODUCTION = """\
# Formats

One conversation in every shape that trainers, servers and evaluators read. `run` writes the formats that a recipe names,
`convert` turns files from one into another, `validate` checks them, `show` prints their rows.

A format never changes a row in silence. What it has no place for is said below and comes back as `convert`'s losses; a
row that it cannot hold is left out, counted by reason, and listed in `rejected.jsonl`.

All of them write the arguments of a call in the order in which the grammars of some servers expect them: required ones
first, each part as the tool declares it.

An option is chosen in a recipe, `{name: deepfabric, arguments: string}`, or by the name of the choice:
`--format deepfabric-string`. The file is named after it.

This page is made from the formats: `python -m generator.cli.formats_page > docs/formats.md`.

## What each can hold

- **holds**: whole conversations, or one request and the calls that the assistant makes first
- **parallel**: several calls at once stay as they are (ok), become one call after another (split), or the row is refused
- **text beside calls**: a message that says something and calls, too
- **system**: where the first system message stands; "+ later" where more of them may stand among the other messages
- **no content**: how a message that only calls says that it has no text
- **error**: a failed call is marked, beside what its result says
- **train**: how the record says what is to be learnt
"""
_HEADINGS = ("format", "holds", "parallel", "text beside calls", "no content", "system", "ids", "error", "train")


def formats_page() -> str:
    """The page as Markdown."""
    rows = [_row(fmt) for fmt in FORMATS.values()]
    lines = [" | ".join(_HEADINGS), "|".join("---" for _ in _HEADINGS), *rows]
    parts = [_INTRODUCTION, "\n", "".join(f"| {line} |\n" if "---" not in line else f"|{line}|\n" for line in lines)]
    families = dict.fromkeys(fmt.family for fmt in FORMATS.values())
    parts += [_section(family) for family in families]
    return "".join(parts)


def _row(fmt: Format) -> str:
    policy = fmt.policy
    return " | ".join(
        [
            f"[`{fmt.name}`](#{fmt.family})",
            "conversations" if policy.requests == "any" else "one request",
            policy.parallel,
            policy.text_beside_calls,
            policy.no_content,
            policy.system + (" + later" if policy.later_system else ""),
            policy.ids,
            "flag" if policy.error_flag else "",
            "" if policy.train == "none" else policy.train,
        ]
    )


def _section(family: str) -> str:
    """A format and its choices: what it says of itself, what no value may hold, who reads it."""
    choices = [fmt for fmt in FORMATS.values() if fmt.family == family]
    text = inspect.cleandoc(choices[0].page)
    parts = [f"\n## {family}\n\n{text}\n"]
    for option, values in format_options().get(family, {}).items():
        parts.append(f"\nOption `{option}`: {', '.join(f'`{value}`' for value in values)} (the first is usual).\n")
    refused = choices[0].policy.refuses
    if refused:
        parts.append(f"\nNo value may hold {', '.join(f'`{token}`' for token in refused)}.\n")
    readers = [(fmt, reader) for fmt in choices for reader in fmt.consumers]
    if readers:
        parts.append("\n| checked with | version | what reads the rows |\n|---|---|---|\n")
        several = len(choices) > 1
        parts += [
            f"| {reader.name} | {reader.version} | {f'`{fmt.name}`: ' if several else ''}{reader.what} |\n"
            for fmt, reader in readers
        ]
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(formats_page())
