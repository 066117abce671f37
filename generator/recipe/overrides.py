"""The language of overrides: other ways to make the values of one tool or of one argument."""

import re
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from generator.documents import nearest, shown

OVERRIDDEN = r"^[a-zA-Z0-9_.-]{1,64}(#(/[^/]+)+)?$"
ONE_ARGUMENT = r"^[a-zA-Z0-9_.-]{1,64}#(/[^/]+)+$"
SCRIPT = r"^[^:]+:[A-Za-z_][A-Za-z0-9_]*$"

LARGEST_WEIGHT = 1e100
"""Sums of larger ones could be infinite."""

DISTRIBUTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "normal": (("mean", "deviation"), ("min", "max")),
    "log_normal": (("median", "sigma"), ("min", "max")),
    "zipf": (("exponent",), ("min", "max")),
}
"""The parameters that a distribution must have, and those that it may have."""

WAYS = ("source", "value", "choose", "kind", "file", "faker", "strategy", "distribution")
"""The keys of which an override has exactly one."""

_COMPANIONS = {"column": "file", "with": "faker"} | dict.fromkeys(
    ("mean", "deviation", "median", "sigma", "exponent", "min", "max"), "distribution"
)


def _as_override(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise ValueError(f"a source, or a mapping such as {{choose: [...]}}, is expected, not {shown(value)}")
    return {"source": value} if isinstance(value, str) else value


def _check_key(name: str) -> str:
    if not re.fullmatch(OVERRIDDEN, name):
        raise ValueError("'tool' or 'tool#/argument' is expected, e.g. 'search_flights#/date'")
    return name


def _check_argument(name: str) -> str:
    if not re.fullmatch(ONE_ARGUMENT, name):
        raise ValueError("'tool#/argument' is expected, e.g. 'create_order#/quantity'")
    return name


def _read_choices(value: Any) -> tuple[tuple[Any, float], ...]:
    """Return (value, weight) pairs of a list of values, or of a mapping of values to weights."""
    if not isinstance(value, list | dict):
        raise ValueError(f"a list of values, or a mapping {{value: weight}}, is expected, not {shown(value)}")
    if not value:
        raise ValueError("at least 1 entry is expected, not none")
    if isinstance(value, list):
        return tuple((one, 1.0) for one in value)
    for one, weight in value.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight >= 0:
            raise ValueError(f"the weight of {one!r} must be a number of at least 0, not {shown(weight)}")
        if weight > LARGEST_WEIGHT:
            raise ValueError(
                f"the weight of {shown(one)} must be a number of at most {LARGEST_WEIGHT:g}, not {shown(weight)}"
            )
    if not any(value.values()):
        raise ValueError("at least one weight must be above 0")
    return tuple((one, float(weight)) for one, weight in value.items() if weight)


def _check_script(text: str) -> str:
    if not re.fullmatch(SCRIPT, text):
        raise ValueError(f"'file.py:name' is expected, e.g. 'my_strategies.py:quantities', not {shown(text)}")
    return text


ScriptText = Annotated[str, AfterValidator(_check_script), Field(json_schema_extra={"pattern": SCRIPT})]
Argument = Annotated[str, AfterValidator(_check_argument)]
Choices = Annotated[
    tuple[tuple[Any, float], ...],
    PlainValidator(_read_choices),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "minItems": 1},
                {"type": "object", "minProperties": 1, "additionalProperties": {"type": "number", "minimum": 0}},
            ]
        }
    ),
]
Parameter = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


SourceName = Annotated[str, Field(json_schema_extra={"x-names": "sources"})]


def _no_huge_numbers(given: dict[str, Any]) -> dict[str, Any]:
    """Refuse huge numbers: providers make texts and lists of any length that they are asked for."""
    for name, value in given.items():
        if name.startswith(_SIZES) and isinstance(value, int | float) and value > _LARGEST_SIZE:
            raise ValueError(f"{name}: at most {_LARGEST_SIZE:,} is expected")
    return given


_SIZES = ("max_nb", "nb", "max_chars", "length", "num", "size")
_LARGEST_SIZE = 10_000


class OverrideModel(BaseModel):
    """Another way to make the values of one tool or argument."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        defer_build=True,
        json_schema_extra={
            "oneOf": [{"required": [way]} for way in WAYS],
            "dependentRequired": {key: [way] for key, way in _COMPANIONS.items()},
            "allOf": [
                {
                    "if": {"properties": {"distribution": {"const": name}}, "required": ["distribution"]},
                    "then": {
                        "required": list(required),
                        "properties": {
                            key: False
                            for key, way in _COMPANIONS.items()
                            if way == "distribution" and key not in (*required, *allowed)
                        },
                    },
                }
                for name, (required, allowed) in DISTRIBUTIONS.items()
            ],
        },
    )

    source: SourceName = Field(default="", description="Make them with this source.")
    value: Any = Field(default=None, description="Always this value.")
    choose: Choices = Field(
        default=(), description="Take one of these values: a list, or values with weights, {Oslo: 3, Bergen: 1}."
    )
    kind: str = Field(default="", min_length=1, description="Make a realistic value of this kind, e.g. city.")
    file: str = Field(
        default="",
        min_length=1,
        description="Take values from this file (.jsonl, .csv or .txt), relative to this recipe.",
    )
    column: str = Field(default="", min_length=1, description="The column of a CSV file, or the key of JSONL objects.")
    faker: str = Field(default="", min_length=1, description="Take values from this provider of Faker, e.g. job.")
    with_: Annotated[dict[str, Any], AfterValidator(_no_huge_numbers)] = Field(
        default={}, alias="with", description="What the Faker provider is called with."
    )
    strategy: ScriptText = Field(
        default="", description="Take values from a Hypothesis strategy in a Python file: my_strategies.py:quantities."
    )
    distribution: Annotated[str, Field(json_schema_extra={"enum": list(DISTRIBUTIONS)})] = Field(
        default="", description="Draw numbers by this law, clipped and rounded to what the schema allows."
    )
    mean: Parameter = Field(default=0, description="normal: the middle.")
    deviation: Positive = Field(default=1, description="normal: the standard deviation.")
    median: Positive = Field(default=1, description="log_normal: half of the values lie below.")
    sigma: Positive = Field(default=1, description="log_normal: the standard deviation of the logarithm.")
    exponent: Positive = Field(default=1, description="zipf: the n-th smallest value has the weight n^-exponent.")
    min: Parameter = Field(default=0, description="No smaller number.")
    max: Parameter = Field(default=0, description="No larger number.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = {_NAMES.get(name, name) for name in self.model_fields_set}
        if len(given & set(WAYS)) != 1:
            raise ValueError(f"exactly one of {', '.join(map(repr, WAYS[:-1]))} and {WAYS[-1]!r} is expected")
        for key, way in _COMPANIONS.items():
            if key in given and way not in given:
                raise ValueError(f"{key!r} goes with {way!r}")
        if self.distribution or "distribution" in given:
            _check_parameters(self.distribution, given)
        return self


_NAMES = {"with_": "with"}


def _check_parameters(name: str, given: set[str]) -> None:
    if name not in DISTRIBUTIONS:
        raise ValueError(f"unknown distribution {name!r}{nearest(name, DISTRIBUTIONS)}")
    required, allowed = DISTRIBUTIONS[name]
    for key in required:
        if key not in given:
            raise ValueError(f"{name!r} needs {key!r}")
    for key, way in _COMPANIONS.items():
        if way == "distribution" and key in given and key not in (*required, *allowed):
            raise ValueError(f"{key!r} does not go with {name!r}; it takes {', '.join((*required, *allowed))}")


OverriddenKey = Annotated[str, AfterValidator(_check_key)]
OverrideValue = Annotated[
    OverrideModel, BeforeValidator(_as_override, json_schema_input_type=SourceName | OverrideModel)
]
