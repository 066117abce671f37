"""Rows of every scenario in every format: carried as the format says, or refused by name."""

from pathlib import Path

import orjson
import pytest
from workbench import CONVERSATIONS, rows, workshop

from generator.conversation import refused_calls
from generator.data.files import Layout
from generator.errors import CannotCarryError
from generator.formats import FORMATS
from generator.run.engine.lines import BlockLines


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_a_row_is_carried_or_refused_with_a_reason(tmp_path: Path, scenario: str):
    carried = set()
    for made in rows(workshop(tmp_path, scenario), 2):
        talk = made.row.conversation
        for name, fmt in FORMATS.items():
            try:
                record = orjson.loads(orjson.dumps(fmt.render(talk)))
            except CannotCarryError as refusal:
                place, _, reason = str(refusal).partition(": ")
                assert place.startswith("$")
                assert reason
            else:
                carried.add(name)
                assert fmt.parse(record) == fmt.carries(talk), name
    assert {"deepfabric", "openai", "anthropic", "qwen", "harmony"} <= carried


def test_a_wrong_call_is_refused_where_nothing_says_that_it_is_not_to_be_learnt(tmp_path: Path):
    shop = workshop(tmp_path, "error_recover", formats=("deepfabric", "openai", "anthropic"))
    lines = BlockLines(Layout(), shop)
    for made in rows(shop, 4):
        assert refused_calls(made.row.conversation)
        lines.add(made)
    written = lines.joined()
    assert len(written["openai.jsonl"].splitlines()) == 4
    for name in ("deepfabric", "anthropic"):
        assert list(lines.tally.refused[name].values()) == [4]
        assert not written.get(f"{name}.jsonl")
