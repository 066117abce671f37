"""Rows of every scenario, with every overlay, in every format: read back as they are, or refused by name."""

from functools import cache

import msgspec
import orjson
import pytest
from nightly import night
from workbench import OF_FILES, SCENARIOS, TOOL_SPECS, recipe, with_scenario

from generator.core.conversation import Row
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS, Format
from generator.recipe.settings import Overlays
from generator.run.row import make_row, prepare

OVERLAYS = Overlays(system=0.5, personas=(("casual", 0.2), ("typos", 0.2)), beside=0.4, scramble=0.3)


EACH = 2


@cache
def made() -> tuple[Row, ...]:
    """Two rows of every scenario."""
    names = tuple(name for name in SCENARIOS if name not in OF_FILES)
    stems = ("travel.yaml", "mail.yaml", "shop.yaml", "weather.json", "calendar.yaml", "contacts.json", "notes.yaml")
    shop = prepare(recipe([TOOL_SPECS / stem for stem in stems], *names, overlays=OVERLAYS))
    return tuple([make_row(with_scenario(shop, name), index).row for name in names for index in range(EACH)])


@pytest.mark.parametrize("every", [EACH, pytest.param(1, marks=night)])
@pytest.mark.parametrize("fmt", FORMATS.values(), ids=FORMATS)
def test_rows_are_carried_or_refused_by_name(fmt: Format, every: int):
    """In each run one row of each scenario: the second one in every other format."""
    carried: set[str] = set()
    for row in made()[list(FORMATS).index(fmt.name) % every :: every]:
        try:
            record = orjson.loads(orjson.dumps(fmt.render(row.conversation)))
        except CannotCarryError as refusal:
            place, _, reason = str(refusal).partition(": ")
            assert place.startswith("$.")
            assert reason
            continue
        carried.add(row.scenario)
        parsed, expected = fmt.parse(record), fmt.carries(row.conversation)
        assert msgspec.json.encode(parsed) == msgspec.json.encode(expected)
    pairs = fmt.name.endswith(("preference", "ranking"))  # these set a wrong call beside a right one
    if fmt.policy.requests != "one" and not pairs:
        assert {"irrelevant", "near_miss"} <= carried
