"""Functions of a module are called in its room: their arguments as their hints have them, their results as text."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.core.errors import SpecError
from generator.world.backends.lifecycle import Handlers
from generator.world.backends.process import Limits

MODULE = '''
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal
from pydantic import BaseModel, Field

class Unit(Enum):
    METRIC = "metric"

class Place(BaseModel):
    city: str
    since: date | None = None

@dataclass
class Seat:
    row: int
    price: Decimal

seen = []

def monthly_payment(principal: float, annual_rate: float, years: int) -> float:
    rate, months = annual_rate / 1200, years * 12
    return round(principal * rate / (1 - (1 + rate) ** -months), 2)

def visit(place: Place, unit: Unit = Unit.METRIC) -> Place:
    seen.append(place.city)
    return Place(city=f"{place.city} {unit.name} {len(seen)}", since=place.since and place.since + timedelta(days=1))

def days_ahead(days: int = Field(3, ge=1, description="Days")) -> str:
    return (date.today() + timedelta(days=days)).isoformat()

async def seat(row: int) -> Seat:
    return Seat(row, Decimal("1.50"))

def joined(first, /, *more: int, last: str = "z", **rest) -> list:
    return [first, *more, last, rest]

def nothing(wanted: str) -> str:
    if wanted == "something":
        return wanted

def end() -> None:
    pass
    seen.clear()

def endless(x: int) -> float:
    return float("inf")

def opaque() -> object:
    return object()

def declared(city: str) -> dict:
    """Only tells what it would do."""
    raise NotImplementedError

def _private() -> int:
    return 1
'''


@pytest.fixture(scope="module")
def handlers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Handlers]:
    file = tmp_path_factory.mktemp("functions") / "m.py"
    file.write_text(MODULE)
    found = Handlers(str(file), Limits(seconds=2))
    yield found
    found.stop()


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("monthly_payment", {"principal": 220000, "annual_rate": 7.2, "years": 5}, "4377.05"),
        ("visit", {"place": {"city": "Oslo", "since": "2026-02-28"}}, '{"city": "Oslo METRIC 1", "since": "2026-03-01"}'),
        ("days_ahead", {}, "2026-01-04"),
        ("seat", {"row": 7}, '{"row": 7, "price": "1.50"}'),
        ("joined", {"first": 1, "more": [2, 3], "x": 4}, '[1, 2, 3, "z", {"x": 4}]'),
        ("nothing", {"wanted": "something"}, "something"),
        ("nothing", {"wanted": "nothing"}, "Error: it returns nothing, but its type hint promises something"),
        ("end", {}, "null"),
        ("endless", {"x": 1}, "Error: Out of range float values are not JSON compliant"),
        ("opaque", {}, "Error: Unable to serialize unknown type"),
        ("days_ahead", {"days": 0}, "Error: Invalid parameters - days: Input should be greater than or equal to 1"),
        ("visit", {"place": {"city": "Oslo", "since": "soon"}}, "Error: Invalid parameters"),
        ("declared", {"city": "Oslo"}, "Error: Unknown tool: declared"),
        ("_private", {}, "Error: Unknown tool: _private"),
    ],
)  # fmt: skip
def test_a_call(handlers: Handlers, name: str, arguments: dict[str, Any], text: str):
    handlers.open(1, date(2026, 1, 1))
    answer = handlers.call(name, arguments)
    assert answer == text or (text.startswith("Error: ") and answer.startswith(text))
    handlers.open(2, date(2026, 1, 1))
    assert handlers.call(name, arguments) == answer, "state is new in each conversation"


def test_functions_that_are_only_imported_are_those_of_a_module_without_its_own(tmp_path: Path):
    (tmp_path / "loans.py").write_text(MODULE)
    (tmp_path / "m.py").write_text("from dataclasses import dataclass\nfrom loans import monthly_payment\n")
    handlers = Handlers(str(tmp_path / "m.py"))
    assert [tool.name for tool in handlers.tools] == ["monthly_payment"]
    handlers.stop()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f():\n    retrun 1\n", r'm.py:2: it cannot be imported: invalid syntax .*\(did you mean "return"\?\)'),
        ("import math\nx = math.sqr(2)\n", r'm.py:2: .* has no attribute .*\(did you mean "sqrt"\?\)'),
        ("\ndef f(x: flaot): ...\n", r'm.py:2: .*\(did you mean "float"\?\)'),
        ("from math import sqr\n", r'm.py:1: .*\(did you mean "sqrt"\?\)'),
        ("import json\n\njson.loads('[')\n", r"m.py:3: it cannot be imported: Expecting value[^?]*"),
    ],
)
def test_a_fault_is_told_with_its_line_and_the_nearest_name(tmp_path: Path, text: str, told: str):
    (tmp_path / "m.py").write_text(text)
    with pytest.raises(SpecError, match=f"^{tmp_path}/{told}$"):
        Handlers(str(tmp_path / "m.py"))
