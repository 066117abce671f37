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
A format never changes a row in silence: what it has no place for is said below and counted among `convert`'s losses; a row that it
cannot hold is left out, counted by reason, and listed in `rejected.jsonl`. Required arguments of a call stand first.

An option is chosen in a recipe, `{name: deepfabric, arguments: string}`, or by the name of the choice: `--format deepfabric-string`.
Formats that are texts carry no names of speakers; where there are no ids, calls are numbered.

What `validate` finds no fault in, its trainer learns as it is meant, and what a trainer would learn otherwise is a fault: the readers of
TRL, mlx-lm, Axolotl, LLaMA-Factory, ms-swift, OpenAI, mistral-common, DeepFabric and Anthropic are run on rows as people have them, on
what `convert` makes of those, and on broken rows (`tests/formats/test_consumers.py`; ms-swift where it is installed). verl gives rows to
a chat template as TRL does. Below, "checked with" says what else was run.

This page is made from the formats: `python docs/pages/formats.py > docs/formats.md`.

## What each can hold

- **holds**: whole conversations (all), or one request and the calls that the assistant makes first (one)
- **parallel**: several calls at once stay as they are (ok), become one call after another (split), or the row is refused
- **text beside calls**: a message that says something and calls, too
- **no content**: how a message that only calls says that it has no text
- **system**: where the first system message stands; "+ later" where more may stand among the other messages
- **error**: a failed call is marked
- **not learnt**: how a message that is not to be learnt is marked: by a `flag` (or stands in the prompt of a completion), or by `spans`
  of what is learnt, for trainers that read them; else `run` leaves out rows with a call that is wrong on purpose, and `convert` counts them
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
    """A row for all formats that hold the same."""
    names: dict[str, dict[str, list[str]]] = {}
    for fmt in FORMATS.values():
        names.setdefault(_holds(fmt), {}).setdefault(fmt.family, []).append(fmt.name)
    return [
        f"{', '.join(_listed(same, family) for family, same in families.items())} | {holds}"
        for holds, families in names.items()
    ]


def _listed(names: list[str], family: str) -> str:
    """The names of choices: the first one in full, of the others what differs."""
    first, *others = names
    return ", ".join([f"[`{first}`](#{family})", *(f"`{name.removeprefix(family)}`" for name in others)])


def _holds(fmt: Format) -> str:
    policy = fmt.policy
    return " | ".join(
        [
            "all" if policy.requests == "any" else "one",
            policy.parallel,
            policy.text_beside_calls,
            policy.no_content,
            policy.system + (" + later" if policy.later_system else ""),
            policy.ids.replace("any non-empty string", "any").replace("none: calls are numbered", "none"),
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
        parts.append("\nChecked with:\n\n")
        for reader, names in readers.items():
            of = "" if len(names) == len(choices) else ", ".join(f"`{name}`" for name in names) + ": "
            parts.append(f"- {reader.name} {reader.version}: {of}{reader.what}\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(formats_page())
