"""Python functions with hints and docstrings, modules of the standard library, and modules with TOOLS."""

import statistics
import textwrap
from pathlib import Path

import pytest
from specs.reading import ToolFile, tools, verdicts

from generator.errors import SpecError
from generator.specs.read import read_tools

FUNCTIONS = '''
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal, Optional
from pydantic import BaseModel, Field
import secrets

class Unit(Enum):
    METRIC = "metric"
    IMPERIAL = "imperial"

class Place(BaseModel):
    """A place."""
    lat: float = Field(ge=-90, le=90)
    lon: float

class Answer(BaseModel):
    sky: str

def get_weather(city: str, days: Annotated[int, Field(ge=1, le=7)] = 3, unit: Unit = Unit.METRIC,
                place: Optional[Place] = None, mode: Literal["now", "later"] = "now", _hidden=None) -> Answer:
    """Look the weather up.

    For one city at a time.

    Args:
        city: Name of the city.
        days: How many days.
    """

def numpy_style(tags: list[str], *more: int, **rest):
    """Join.

    Parameters
    ----------
    tags : list of str
        What to join.
    """

def no_hints(a, b=2, c="x"): ...

def opaque(lock: secrets.SystemRandom): ...

def _private(): ...
'''


def test_functions_by_hints_and_docstrings(tmp_path: Path):
    found = {verdict.name: verdict for verdict in verdicts(tmp_path, FUNCTIONS, "weather.py")}
    assert {name: verdict.verdict for name, verdict in found.items()} == {
        "get_weather": "loaded",
        "numpy_style": "loaded",
        "no_hints": "loaded",
        "opaque": "refused",
    }
    spec = found["get_weather"].spec
    assert spec.tool.description == "Look the weather up.\n\nFor one city at a time."
    properties = spec.tool.parameters["properties"]
    assert properties["city"] == {"type": "string", "description": "Name of the city."}
    assert properties["days"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 7,
        "default": 3,
        "description": "How many days.",
    }
    assert properties["mode"] == {"enum": ["now", "later"], "type": "string", "default": "now"}
    assert properties["place"] == {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]}
    assert spec.tool.parameters["$defs"]["Place"]["properties"]["lat"] == {
        "type": "number",
        "minimum": -90,
        "maximum": 90,
    }
    assert spec.tool.parameters["$defs"]["Unit"]["enum"] == ["metric", "imperial"]
    assert spec.tool.parameters["required"] == ["city"]
    assert spec.returns["properties"] == {"sky": {"type": "string"}}
    assert found["numpy_style"].spec.tool.parameters["properties"]["tags"]["description"] == "What to join."
    assert found["numpy_style"].spec.tool.parameters["additionalProperties"] is True
    assert found["no_hints"].spec.tool.parameters["properties"] == {
        "a": {},
        "b": {"type": "integer", "default": 2},
        "c": {"type": "string", "default": "x"},
    }


@pytest.mark.parametrize("module", [textwrap, statistics])
def test_functions_of_the_standard_library(module):
    found = read_tools(ToolFile(module=module.__name__, kind="functions"))
    names = {name for name in module.__all__ if not isinstance(getattr(module, name), type)}
    assert {verdict.name for verdict in found} == names
    assert all(verdict.spec is not None and verdict.spec.tool.description for verdict in found)


TOOLS = """
TOOLS = [{"type": "function", "function": {"name": "roll", "description": "Roll dice.",
          "parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}}}}]
def handle_tool_call(tool_name, tool_input): return "4"
"""


def test_modules_with_tools(tmp_path: Path):
    spec = tools(tmp_path, TOOLS, "dice.py")["roll"]
    assert (spec.origin.kind, spec.domain, spec.tool.description) == ("python", "dice", "Roll dice.")


def test_a_module_with_tools_that_fail_says_its_state_and_error(tmp_path: Path):
    with pytest.raises(SpecError, match=r"FAILED_VALIDATION: InvalidName: TOOLS\[0\]\.function\.name: '_roll'"):
        verdicts(tmp_path, TOOLS.replace('"roll"', '"_roll"'), "dice.py")


def test_what_a_module_prints_while_it_is_read_goes_nowhere(tmp_path: Path, capfd):
    assert list(tools(tmp_path, f"print('noise', flush=True)\n{TOOLS}", "dice.py")) == ["roll"]
    assert capfd.readouterr() == ("", "")
