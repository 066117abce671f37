"""`docs/rules.md` says what the rules say."""

import re
from pathlib import Path

from pages.rules import rules_page

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == rules_page(), "python docs/pages/rules.py > docs/rules.md"


def test_a_code_stands_for_one_rule() -> None:
    """Profiles, proofs, whole rows, records and formats number their rules apart."""
    rows = re.findall(r"^\| `([A-Z]+[0-9]+)` \| (.*) \|$", rules_page(), re.MULTILINE)
    said: dict[str, set[str]] = {}
    for code, rule in rows:
        said.setdefault(code, set()).add(rule)
    assert len(said) > 60
    assert {code: rules for code, rules in said.items() if len(rules) > 1} == {}
