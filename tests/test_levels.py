"""docs/tool-specs.md shows one row of a user's own tool at each level of description, as it comes out.

To renew the table after a change of wording: `PYTHONPATH=. python tests/test_levels.py`.
"""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.core.conversation import AssistantMessage, ToolMessage, UserMessage
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parent.parent
SERVER = ROOT / "tool_specs" / "mcp" / "fieldworks.json"
TOOL = "fieldworks_get_job"
AUTHORED = {"question": ["what's the state of job {job_id}"]}
WRITTEN = {
    "request": ["check on {job_id}", "look into {job_id}"],
    "question": ["how is {job_id} coming along"],
    "want": None,
    "answer": ["{job_id} ({title:quoted}) is {status}."],
}
LEVELS: dict[str, tuple[str, dict[str, Any]]] = {
    "bare": ("", {"describe": "bare"}),
    "derived": ("", {}),
    "authored": ("model", AUTHORED),
    "written": ("human", WRITTEN),
}


def row_of(level: str, folder: Path) -> str:
    """The shortest of the first rows about the tool at a level, as a cell of a table."""
    origin, said = LEVELS[level]
    source: dict[str, Any] = {"file": str(SERVER)}
    if origin:
        overlay = folder / "overlay.yaml"
        overlay.write_text(yaml.safe_dump({"origin": origin, "tools": {TOOL: {"phrases": said}}}), encoding="utf-8")
        source["overlay"] = [str(overlay)]
    else:
        source |= said
    recipe = folder / "recipe.yaml"
    recipe.write_text(
        yaml.safe_dump(
            {"name": "own", "seed": 4, "rows": 1, "tools": [source], "scenarios": {"single": 1}, "formats": ["openai"]}
        ),
        encoding="utf-8",
    )
    prepared = prepare(load_recipe(recipe, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS)))
    found: list[str] = []
    for index in range(_ROWS):
        messages = make_row(prepared, index).row.conversation.messages
        asked = next(message.content for message in messages if isinstance(message, UserMessage))
        calls = [call for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls]
        if [call.name for call in calls] == [TOOL] and not (origin and not _is_said_with(asked, said)):
            result = next(message.content for message in messages if isinstance(message, ToolMessage))
            last = messages[-1]
            assert isinstance(last, AssistantMessage)
            found.append(f"{asked} → `{json.dumps(json.loads(result), ensure_ascii=False)}` → {last.content}")
    return min(found, key=len)


_ROWS = 200


def _is_said_with(asked: str, said: dict[str, Any]) -> bool:
    """Whether a request is made with a phrase of the overlay."""
    heads = [text for key in ("request", "question") for text in said.get(key, ())]
    return any(re.search(re.escape(text.partition("{")[0]), asked, re.IGNORECASE) for text in heads)


PAGE = ROOT / "docs" / "tool-specs.md"
_shown = re.compile(r"(?m)^\| \d `(?P<level>\w+)` \|.*\| (?P<row>[^|]+) \|$")


@pytest.mark.parametrize("level", LEVELS)
def test_the_page_shows_a_row_of_each_level_as_it_comes_out(level: str, tmp_path: Path) -> None:
    row = row_of(level, tmp_path)
    shown = {found["level"]: found["row"] for found in _shown.finditer(PAGE.read_text(encoding="utf-8"))}
    assert shown[level] == row, "PYTHONPATH=. python tests/test_levels.py"


def renew(folder: Path) -> None:
    """Write the rows into the table of the page."""
    rows = {level: row_of(level, folder) for level in LEVELS}
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        _shown.sub(lambda found: found[0].replace(found["row"], rows[found["level"]]), text), encoding="utf-8"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        renew(Path(name))
