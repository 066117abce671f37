"""Writes `docs/rules.md` from the rules themselves: `python docs/pages/rules.py > docs/rules.md`."""

import sys

from generator.cli.rules import ROW_CODES
from generator.dialogue.acts.check import CODES
from generator.dialogue.proof import reader
from generator.formats import FORMATS
from generator.formats.files.validate import LINE_CODE, LINE_STATEMENT, PROFILE_CODES
from generator.formats.rules import HUNDREDS

_INTRODUCTION = """\
# Rules

```bash
python -m generator validate outputs/parallel/openai.jsonl
```

These rules are what it checks, and what every row passes before it is written. A rule yields all faults it finds, each with its JSON path.

This page is made from the rules: `python docs/pages/rules.py > docs/rules.md`.
"""
_OWN = """
A format adds rules about its own encoding, which are checked first. The rules above then read the record in the
DeepFabric shape.
"""
_PROFILES = "\nChecked where a profile is chosen: character, openai, mistral, anthropic or gemini.\n"
_PROOFS = "\nA run also checks where each value of a row comes from. Files do not say that, so `validate` cannot.\n"
_READ = "\nChecked with `validate --reader MODEL`, and where `solve` has a `reader`: see [language-models.md](language-models.md#texts-that-nobody-proved).\n"
_WHOLE = "\nThe other reasons for which an attempt at a row is rejected.\n"


def rules_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION, "\n## Lines of a file\n", _table([(LINE_CODE, LINE_STATEMENT)])]
    for heading, hundred in HUNDREDS.items():
        rules = [(code, statement + _waived(code)) for code, statement in hundred.items()]
        parts += [f"\n## {heading}\n", _table(rules)]
    parts += ["\n## Encodings of the formats\n", _OWN]
    parts += [_table(list(faults)) for faults in dict.fromkeys(fmt.faults for fmt in FORMATS.values()) if faults]
    parts += ["\n## Limits of a profile\n", _PROFILES, _table(list(PROFILE_CODES.items()))]
    parts += ["\n## Proofs of made rows\n", _PROOFS, _table(list(CODES.items()))]
    parts += ["\n## Texts that a reader has read\n", _READ, _table(list(reader.CODES.items()))]
    parts += ["\n## Made rows as a whole\n", _WHOLE, _table(list(ROW_CODES.items()))]
    return "".join(parts)


def _waived(code: str) -> str:
    """Where a rule does not hold: families all of whose choices waive it, and single choices of others."""
    holds = {fmt.family for fmt in FORMATS.values() if code not in fmt.waives}
    waiving = {fmt.name if fmt.family in holds else fmt.family: None for fmt in FORMATS.values() if code in fmt.waives}
    return f" (Not in {', '.join(waiving)}.)" if waiving else ""


def _table(entries: list[tuple[str, str]]) -> str:
    rows = "".join(f"| `{code}` | {statement} |\n" for code, statement in entries)
    return f"\n| code | rule |\n|---|---|\n{rows}"


if __name__ == "__main__":
    sys.stdout.write(rules_page())
