"""Writes `docs/formats.md` from the formats themselves: `python docs/pages/formats.py > docs/formats.md`."""

import inspect
import sys

from generator.formats import FORMATS, Format, format_options
from generator.formats.format import Consumer, Policy

_INTRODUCTION = """\
# Formats

```bash
python -m generator convert outputs/mixed/openai.jsonl for-axolotl.jsonl --from openai --to axolotl
```

```text
for-axolotl.jsonl: 200 of 200 rows
```

`run` writes the formats that a recipe names, `convert` turns files from one into another, `validate` checks them, `show` prints rows.
A format never changes a row in silence. What it has no place for is said below and counted among `convert`'s losses; a row that it
cannot hold is left out, counted by reason, and listed in `rejected.jsonl`. Arguments of a call stand in the order in which the grammars
of some servers expect them: required ones first, each part as the tool declares it.

An option is chosen in a recipe, `{name: deepfabric, arguments: string}`, or by the name of the choice, after which the file is named:
`--format deepfabric-string`. Of the formats that are texts none carries names of speakers; where there are no ids, calls are numbered.

This page is made from the formats: `python docs/pages/formats.py > docs/formats.md`.

## What each can hold

- **holds**: whole conversations, or one request and the calls that the assistant makes first
- **parallel**: several calls at once stay as they are (ok), become one call after another (split), or the row is refused
- **text beside calls**: a message that says something and calls, too
- **system**: where the first system message stands; "+ later" where more of them may stand among the other messages
- **no content**: how a message that only calls says that it has no text
- **error**: a failed call is marked, beside what its result says
- **not learnt**: how a record marks a message that is not to be learnt: a `flag` beside it (or, of a completion, a prompt before
  it), or `spans` of what is learnt, which only helps where the trainer reads them; without either, a row with a call that is
  wrong on purpose is left out by `run`, and kept and counted ("marks of what is not learnt") by `convert`; in records of preferences it stands in prompts only
"""
_HEADINGS = ("format", "holds", "parallel", "text beside calls", "no content", "system", "ids", "error", "not learnt")


def formats_page() -> str:
    """The page as Markdown."""
    rows = _table()
    lines = [" | ".join(_HEADINGS), "|".join("---" for _ in _HEADINGS), *rows]
    parts = [_INTRODUCTION, "\n", "".join(f"| {line} |\n" if "---" not in line else f"|{line}|\n" for line in lines)]
    families = dict.fromkeys(fmt.family for fmt in FORMATS.values())
    parts += [_section(family) for family in families]
    return "".join(parts)


def _table() -> list[str]:
    """A row for all choices of a format that hold the same."""
    names: dict[tuple[str, str], list[str]] = {}
    for fmt in FORMATS.values():
        names.setdefault((fmt.family, _holds(fmt)), []).append(fmt.name)
    return [f"{_listed(same, family)} | {holds}" for (family, holds), same in names.items()]


def _listed(names: list[str], family: str) -> str:
    """The names of choices: the first one in full, of the others what differs."""
    first, *others = names
    return ", ".join([f"[`{first}`](#{family})", *(f"`{name.removeprefix(family)}`" for name in others)])


def _holds(fmt: Format) -> str:
    policy = fmt.policy
    return " | ".join(
        [
            "conversations" if policy.requests == "any" else "one request",
            policy.parallel,
            policy.text_beside_calls,
            policy.no_content,
            policy.system + (" + later" if policy.later_system else ""),
            policy.ids,
            "flag" if policy.error_flag else "",
            _not_learnt(policy),
        ]
    )


def _not_learnt(policy: Policy) -> str:
    """How a message that is not to be learnt is kept from it."""
    if policy.records in ("preferences", "unpaired"):
        return "in prompts"
    return "left out" if policy.train == "none" else policy.train


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
    readers: dict[Consumer, list[str]] = {}
    for fmt in choices:
        for reader in fmt.consumers:
            readers.setdefault(reader, []).append(fmt.name)
    if readers:
        parts.append("\n| checked with | version | what reads the rows |\n|---|---|---|\n")
        for reader, names in readers.items():
            of = "" if len(names) == len(choices) else ", ".join(f"`{name}`" for name in names) + ": "
            parts.append(f"| {reader.name} | {reader.version} | {of}{reader.what} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(formats_page())
