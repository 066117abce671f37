"""Python functions with hints and docstrings, modules of the standard library, and modules with TOOLS."""

import calendar
import statistics
import textwrap
from pathlib import Path

import pytest
from arguments.making import arguments_of
from tools.specs.reading import ToolFile, tools, verdicts

from generator.core.errors import SpecError
from generator.tools.specs.read import read_tools

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
        "no_hints": "refused",
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
    assert found["no_hints"].reasons == (
        "the type of 'a' is not known: no type hint, default, docstring or usual name tells it",
    )


UNTYPED = """
def by_default(a=2, b="x", c=1.5, d=True, e=(80, 24), f=None): ...
def by_name(theyear, month, text, latitude, src, is_open=None, limit=None): ...
def by_docstring(a, b, c, d, e):
    '''Do it.

    Args:
        a (int): One.
        b (str, optional): Two.
        c (list of str): Three.
        d ({"up", "down"}): Four.
        e (bool): Five.
    '''
def by_examples(a, b, c, d):
    '''Do it.

    >>> data = [1, 2.5]
    >>> by_examples(data, "x", ("a", "b"), d=-3)
    '''
def broken_example(a, count):
    '''>>> broken_example(1, 2, 3)'''
def unknown(r, g, weights, *more, **rest): ...
def all_left_out(*more, r=None): ...
"""


def test_untyped_functions_by_defaults_docstrings_examples_and_names(tmp_path: Path):
    found = {verdict.name: verdict for verdict in verdicts(tmp_path, UNTYPED, "untyped.py")}
    assert {name: _types(verdict.spec) for name, verdict in found.items() if verdict.spec} == {
        "by_default": {"a": "integer", "b": "string", "c": "number", "d": "boolean"},
        "by_name": {
            "theyear": "integer",
            "month": "integer",
            "text": "string",
            "latitude": "number",
            "src": "string",
            "limit": "integer",
        },
        "by_docstring": {"a": "integer", "b": "string", "c": "array of string", "d": ["up", "down"], "e": "boolean"},
        "by_examples": {"a": "array of number", "b": "string", "c": "array of string", "d": "integer"},
        "all_left_out": {},
    }
    reasons = {name: verdict.reasons[0] for name, verdict in found.items() if verdict.spec is None}
    assert reasons.keys() == {"broken_example", "unknown"}
    assert reasons["unknown"].startswith("the type of 'r', 'weights' is not known")


def _types(spec):
    properties = spec.tool.parameters.get("properties", {})
    return {
        name: part.get("enum") or (f"array of {part['items']['type']}" if part["type"] == "array" else part["type"])
        for name, part in properties.items()
    }


@pytest.mark.parametrize(
    ("module", "refused"),
    [
        (calendar, {"leapdays", "setfirstweekday", "timegm"}),
        (textwrap, set()),
        (statistics, {"median_grouped", "quantiles", "linear_regression"}),
    ],
)
def test_functions_of_the_standard_library(module, refused):
    found = read_tools(ToolFile(module=module.__name__, kind="functions"))
    names = {name for name in module.__all__ if not isinstance(getattr(module, name), type)}
    assert {verdict.name for verdict in found} <= names
    assert {verdict.name for verdict in found if verdict.spec is None} == refused
    assert all(verdict.spec.tool.description or module is calendar for verdict in found if verdict.spec)


def test_arguments_of_untyped_functions_are_sensible():
    spec = next(v.spec for v in read_tools(ToolFile(module="calendar", kind="functions")) if v.name == "calendar")
    for arguments in arguments_of(spec, 30):
        assert 1900 <= arguments["theyear"] <= 2100, arguments
    spec = next(v.spec for v in read_tools(ToolFile(module="calendar", kind="functions")) if v.name == "weekday")
    for arguments in arguments_of(spec, 30):
        calendar.weekday(**arguments)


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


FIELDS = '''
from typing import Annotated
from pydantic import Field

class Doc:
    documentation = "Where to"

def plain(city: Annotated[str, "Name of the city"], days: Annotated[int, Field(ge=1, le=7, description="Days")] = 3,
          to: Annotated[str | None, Doc()] = None, code: Annotated[str, 5, "Code", frozenset()] = "x") -> str:
    """Get the forecast.

    Args:
        city: Another text.
        days: Another text.
    """
    return "sunny"

def by_default(city: str = Field(description="City", min_length=2), days: int = Field(3, ge=1), tag: str = Field(default_factory=str),
               unit: str | None = Field(None, alias="the_unit")) -> str:
    """Get it."""
    return "sunny"
'''


def test_what_pydantic_s_fields_say_is_kept_and_what_is_not_is_told(tmp_path: Path):
    (tmp_path / "tools.py").write_text(FIELDS)
    plain, by_default = read_tools(ToolFile(file=tmp_path / "tools.py"))
    assert plain.spec is not None
    assert by_default.spec is not None
    schema = plain.spec.tool.parameters or {}
    assert (schema["required"], schema["properties"]) == (
        ["city"],
        {
            "city": {"type": "string", "description": "Name of the city"},
            "days": {"type": "integer", "description": "Days", "minimum": 1, "maximum": 7, "default": 3},
            "to": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Where to"},
            "code": {"type": "string", "description": "Code", "default": "x"},
        },
    )
    assert (plain.verdict, plain.reasons) == (
        "loaded",
        ("left out of its type hints: code: 5", "left out of its type hints: code: frozenset()"),
    )
    schema = by_default.spec.tool.parameters or {}
    assert (schema["required"], schema["properties"]) == (
        ["city"],
        {
            "city": {"type": "string", "description": "City", "minLength": 2},
            "days": {"type": "integer", "minimum": 1, "default": 3},
            "tag": {"type": "string"},
            "the_unit": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    )
    assert by_default.reasons == ()
