"""The language of overrides: other ways to make the values of one tool or of one argument."""

import re
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from generator.core.documents import nearest, shown
from generator.core.forms import Form, Key

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

_PARAMETERS = ("mean", "deviation", "median", "sigma", "exponent", "min", "max")
_COMPANIONS = {"column": "file", "with": "faker"} | dict.fromkeys(_PARAMETERS, "distribution")


def _as_override(value: Any) -> Any:
    """Return `source: NAME` for a name that stands alone."""
    if not isinstance(value, str | dict):
        raise ValueError(f"a source, or a mapping such as {{choose: [...]}}, is expected, not {shown(value)}")
    return {"source": value} if isinstance(value, str) else value


def _check_key(name: str) -> str:
    """Return `tool` or `tool#/argument`; raises ValueError for anything else."""
    if not re.fullmatch(OVERRIDDEN, name):
        raise ValueError("'tool' or 'tool#/argument' is expected, e.g. 'search_flights#/date'")
    return name


def _check_argument(name: str) -> str:
    """Return `tool#/argument`; raises ValueError for anything else."""
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


_SIZES = ("max_nb", "nb", "max_chars", "length", "num", "size")
_LARGEST_SIZE = 10_000


def _no_huge_numbers(given: dict[str, Any]) -> dict[str, Any]:
    """Refuse huge numbers: providers make texts and lists of any length that they are asked for."""
    for name, value in given.items():
        if name.startswith(_SIZES) and isinstance(value, int | float) and value > _LARGEST_SIZE:
            raise ValueError(f"{name}: at most {_LARGEST_SIZE:,} is expected")
    return given


class ValueFile(Struct, frozen=True, kw_only=True):
    """A file of values, by its ending JSONL, CSV or text."""

    file: Path
    column: str | None = None
    """The column of a CSV file, or the key of JSONL objects."""


class FakerProvider(Struct, frozen=True, kw_only=True):
    """A provider of Faker and what it is called with."""

    name: str
    arguments: dict[str, Any] = {}


class Script(Struct, frozen=True, kw_only=True):
    """A Hypothesis strategy in a Python file."""

    file: Path
    name: str


class Distribution(Struct, frozen=True, kw_only=True):
    """A probability distribution of numbers."""

    name: str
    parameters: dict[str, float] = {}


class Override(Struct, frozen=True, kw_only=True):
    """Another way to make the arguments of one tool, or one argument; exactly one is set (weights go with choose)."""

    source: str | None = None
    choose: tuple[Any, ...] = ()
    weights: tuple[float, ...] = ()
    """One for each of `choose`; empty: all weigh the same."""
    kind: str | None = None
    file: ValueFile | None = None
    faker: FakerProvider | None = None
    strategy: Script | None = None
    distribution: Distribution | None = None


def _as_script(text: Any) -> dict[str, str]:
    """Return the strategy that `my_strategies.py:quantities` names; the ending may be left out."""
    if not isinstance(text, str) or not re.fullmatch(SCRIPT, text):
        raise ValueError(f"'file.py:name' is expected, e.g. 'my_strategies.py:quantities', not {shown(text)}")
    file, _, name = text.rpartition(":")
    return {"file": file if file.endswith(".py") else f"{file}.py", "name": name}


WrittenScript = Annotated[Script, Form(given=_as_script, schema={"type": "string", "pattern": SCRIPT})]
_Text = Annotated[str, Meta(min_length=1)]
_Source = Annotated[str, Form(schema={"type": "string", "x-names": "sources"})]
_Choices = Annotated[
    tuple[tuple[Any, float], ...],
    Form(
        type=Any,
        made=_read_choices,
        schema={
            "anyOf": [
                {"type": "array", "minItems": 1},
                {"type": "object", "minProperties": 1, "additionalProperties": {"type": "number", "minimum": 0}},
            ]
        },
    ),
]
_Positive = Annotated[float, Meta(gt=0)]


class WrittenOverride(Struct, frozen=True, kw_only=True):
    """Another way to make the values of one tool or argument."""

    more_schema: ClassVar[dict[str, Any]] = {
        "oneOf": [{"required": [way]} for way in WAYS],
        "dependentRequired": {key: [way] for key, way in _COMPANIONS.items()},
        "allOf": [
            {
                "if": {"properties": {"distribution": {"const": name}}, "required": ["distribution"]},
                "then": {
                    "required": list(required),
                    "properties": {key: False for key in _PARAMETERS if key not in (*required, *allowed)},
                },
            }
            for name, (required, allowed) in DISTRIBUTIONS.items()
        ],
    }

    source: _Source | UnsetType = UNSET
    """Make them with this source."""
    value: Any = UNSET
    """Always this value."""
    choose: _Choices | UnsetType = UNSET
    """Take one of these values: a list, or values with weights, {Oslo: 3, Bergen: 1}."""
    kind: _Text | UnsetType = UNSET
    """Make a realistic value of this kind, e.g. city."""
    file: Path | UnsetType = UNSET
    """Take values from this file (.jsonl, .csv or .txt), relative to this recipe."""
    column: _Text | UnsetType = UNSET
    """The column of a CSV file, or the key of JSONL objects."""
    faker: _Text | UnsetType = UNSET
    """Take values from this provider of Faker, e.g. job."""
    arguments: Annotated[Annotated[dict[str, Any], Form(made=_no_huge_numbers)] | UnsetType, Key("with")] = UNSET
    """What the Faker provider is called with."""
    strategy: WrittenScript | UnsetType = UNSET
    """Take values from a Hypothesis strategy in a Python file: my_strategies.py:quantities."""
    distribution: Annotated[str, Form(schema={"type": "string", "enum": list(DISTRIBUTIONS)})] | UnsetType = UNSET
    """Draw numbers by this law, clipped and rounded to what the schema allows."""
    mean: float | UnsetType = UNSET
    """normal: the middle."""
    deviation: _Positive | UnsetType = UNSET
    """normal: the standard deviation."""
    median: _Positive | UnsetType = UNSET
    """log_normal: half of the values lie below."""
    sigma: _Positive | UnsetType = UNSET
    """log_normal: the standard deviation of the logarithm."""
    exponent: _Positive | UnsetType = UNSET
    """zipf: the n-th smallest value has the weight n^-exponent."""
    min: float | UnsetType = UNSET
    """No smaller number."""
    max: float | UnsetType = UNSET
    """No larger number."""

    def __post_init__(self) -> None:
        """Raise ValueError for keys that do not go together."""
        given = self.given
        if len(given & set(WAYS)) != 1:
            raise ValueError(f"exactly one of {', '.join(map(repr, WAYS[:-1]))} and {WAYS[-1]!r} is expected")
        for key, way in _COMPANIONS.items():
            if key in given and way not in given:
                raise ValueError(f"{key!r} goes with {way!r}")
        if self.distribution is not UNSET:
            _check_parameters(self.distribution, given)

    @property
    def given(self) -> set[str]:
        """The keys that are written."""
        names = {"arguments": "with"}
        return {names.get(name, name) for name in self.__struct_fields__ if getattr(self, name) is not UNSET}

    def override(self) -> Override:
        """Return what the keys say."""
        choose = self.choose or ()
        weights = tuple(weight for _, weight in choose)
        parameters = {name: float(getattr(self, name)) for name in _PARAMETERS if name in self.given}
        return Override(
            source=self.source or None,
            choose=tuple(value for value, _ in choose) if self.value is UNSET else (self.value,),
            weights=weights if len(set(weights)) > 1 else (),
            kind=self.kind or None,
            file=ValueFile(file=self.file, column=self.column or None) if self.file else None,
            faker=FakerProvider(name=self.faker, arguments=self.arguments or {}) if self.faker else None,
            strategy=self.strategy or None,
            distribution=Distribution(name=self.distribution, parameters=parameters) if self.distribution else None,
        )


def _check_parameters(name: str, given: set[str]) -> None:
    """Raise ValueError for parameters that a distribution lacks or does not take."""
    if name not in DISTRIBUTIONS:
        raise ValueError(f"unknown distribution {name!r}{nearest(name, DISTRIBUTIONS)}")
    required, allowed = DISTRIBUTIONS[name]
    for key in required:
        if key not in given:
            raise ValueError(f"{name!r} needs {key!r}")
    for key in _PARAMETERS:
        if key in given and key not in (*required, *allowed):
            raise ValueError(f"{key!r} does not go with {name!r}; it takes {', '.join((*required, *allowed))}")


OverriddenKey = Annotated[str, Form(made=_check_key)]
Argument = Annotated[str, Form(made=_check_argument)]
WrittenAsOverride = Annotated[
    Override, Form(type=WrittenOverride, given=_as_override, made=WrittenOverride.override, short=_Source)
]
