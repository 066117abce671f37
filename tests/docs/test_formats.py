"""docs/formats.md says what the formats say, and the programs it names are installed here."""

from importlib.metadata import version
from pathlib import Path

import pytest
from pages.formats import formats_page

from generator.formats import FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
TRAINERS = Path(__file__).parents[1] / "trainers.txt"
CONSUMERS = {(consumer.name, consumer.version) for fmt in FORMATS.values() for consumer in fmt.consumers}


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == formats_page(), "python docs/pages/formats.py > docs/formats.md"


@pytest.mark.parametrize(("name", "named"), sorted(CONSUMERS))
def test_the_rows_are_checked_with_such_a_version(name: str, named: str):
    pinned = dict(line.split("==") for line in TRAINERS.read_text().splitlines() if "==" in line)
    there = pinned.get(name) or version(name)  # trainers are installed for their own tests only
    assert there.partition(".")[0] == named.partition(".")[0], f"{name} {there} is installed"


def test_every_format_has_a_section_and_a_row():
    text = formats_page()
    for fmt in FORMATS.values():
        assert f"\n## {fmt.family}\n" in text
        choice = f", `{fmt.name.removeprefix(fmt.family)}`"
        rows = [line for line in text.splitlines() if line.startswith("| [") and f"](#{fmt.family})" in line]
        assert any(f"[`{fmt.name}`]" in row or choice in row for row in rows), fmt.name
