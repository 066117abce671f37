"""How fast values are drawn from a schema, beside jsf, polyfactory and plain Hypothesis in the same run.

    python benchmarks/draws.py [--draws 2000] [--rounds 3] [--json FILE]

Eight schemas from tiny to nested. Rounds are interleaved and the best counts; times are CPU microseconds of one process.
Beside each time stands the share of draws that are valid (formats asserted). `loading` is checking and compiling a schema,
without the pools that all tools of a run share. polyfactory samples a model of the schema's
types, which knows no formats, patterns or bounds; plain Hypothesis draws from strategies written for the schema's
keywords. jsf and polyfactory are no dependencies of this program: what is missing is named and left out.
"""

import argparse
import importlib
import json
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import Field, create_model

from generator.arguments import check_schema, compile_source
from generator.core.conversation import Tool
from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.recipe import ArgumentSettings

Sample = Callable[[int], list[Any]]

_OTHERS = {"jsf": "jsf==0.11.2", "polyfactory": "polyfactory==3.5.0"}
_FEW = 10
"""The others draw so many times less."""


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split(), "additionalProperties": False}


_TEXT: dict[str, Any] = {"type": "string"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 9}
_CODE: dict[str, Any] = {"type": "string", "pattern": "^[A-Z]{3}$"}
_DAY: dict[str, Any] = {"type": "string", "format": "date"}
_ADDRESS = _object("street city", street=_TEXT, city=_TEXT, postal_code={"type": "string", "pattern": "^[0-9]{5}$"})
_LINE = _object(
    "sku quantity",
    sku={"type": "string", "pattern": "^SKU-[0-9]{6}$"},
    quantity=_COUNT,
    price={"type": "number", "minimum": 0, "maximum": 500},
)
SCHEMAS: dict[str, dict[str, Any]] = {
    "one text": _object("city", city=_TEXT),
    "weather": _object("city", city=_TEXT, unit={"enum": ["celsius", "fahrenheit"]}),
    "order": _object("order_id", order_id={"type": "string", "pattern": "^ORD-[0-9]{6}$"}, reason=_TEXT, express={"type": "boolean"}),
    "search": _object("query", query=_TEXT, limit={"type": "integer", "minimum": 1, "maximum": 100}, tags={"type": "array", "items": {"enum": ["new", "sale", "used"]}, "maxItems": 3}),
    "event": _object("title start", title=_TEXT, start={"type": "string", "format": "date-time"}, guest={"type": "string", "format": "email"}, hours={"type": "number", "multipleOf": 0.5, "minimum": 0.5, "maximum": 8}),
    "flight": _object("origin destination date", origin=_CODE, destination=_CODE, date=_DAY, passengers=_COUNT, cabin={"enum": ["economy", "business"]}),
    "customer": _object("id name address", id={"type": "string", "format": "uuid"}, name=_TEXT, email={"type": "string", "format": "email"}, address=_ADDRESS, note={"type": ["string", "null"]}),
    "invoice": _object("number lines billing", number={"type": "string", "pattern": "^INV-[0-9]{4}$"}, due=_DAY, lines={"type": "array", "items": _LINE, "minItems": 1, "maxItems": 4}, billing=_ADDRESS, shipping=_ADDRESS),
}  # fmt: skip


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="Microseconds per draw.")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = {name: _measure(schema, options.draws, options.rounds) for name, schema in SCHEMAS.items()}
    columns = list(next(iter(found.values())))
    print("| schema | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, row in found.items():
        print(f"| {name} | " + " | ".join(row[column] for column in columns) + " |")
    missing = [wanted for name, wanted in _OTHERS.items() if _module(name) is None]
    if missing:
        print(f"Left out: pip install {' '.join(missing)}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _measure(schema: dict[str, Any], draws: int, rounds: int) -> dict[str, str]:
    """A row of the table: the time of a draw and the share of valid ones for each, and how long a schema takes to load."""
    check_schema(schema)
    compile_source(
        _tool(schema), ArgumentSettings(), 1
    )  # fills the pools of names and the like, once for all tools of a run
    again = {"title": "Again", **schema}
    started = time.process_time()
    check_schema(again)
    make = compile_source(_tool(again), ArgumentSettings(), 1)
    loading = time.process_time() - started
    draw = Draw(1, date(2026, 3, 1))
    samplers: dict[str, Sample] = {"this program": lambda count: [make(draw) for _ in range(count)]}
    for name, sampler in {"jsf": _jsf, "polyfactory": _polyfactory}.items():
        if _module(name) is not None:
            samplers[name] = sampler(schema)
    samplers["Hypothesis"] = _hypothesis(schema)
    times: dict[str, float] = {}
    values: dict[str, list[Any]] = {}
    for _ in range(rounds):
        for name, sample in samplers.items():
            count = draws if name == "this program" else max(draws // _FEW, 1)
            started = time.process_time()
            values[name] = sample(count)
            times[name] = min(times.get(name, 1e9), (time.process_time() - started) / max(len(values[name]), 1))
    valid = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid
    shares = {name: sum(map(valid, drawn)) / max(len(drawn), 1) for name, drawn in values.items()}
    row = {name: f"{seconds * 1e6:.1f} µs, {shares[name]:.0%}" for name, seconds in times.items()}
    if "jsf" in times:
        row["jsf / this program"] = f"{times['jsf'] / times['this program']:.0f}"
    return {**row, "loading": f"{loading * 1e3:.1f} ms"}


def _tool(schema: dict[str, Any]) -> ToolSpec:
    return ToolSpec(tool=Tool(name="measure", parameters=schema), domain="benchmark", where="draws.py")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _jsf(schema: dict[str, Any]) -> Sample:
    fake = _module("jsf").JSF(schema)
    return lambda count: [fake.generate() for _ in range(count)]


def _polyfactory(schema: dict[str, Any]) -> Sample:
    factories = importlib.import_module("polyfactory.factories.pydantic_factory")
    factory = factories.ModelFactory.create_factory(_model(schema, "Sampled"))
    return lambda count: [factory.build().model_dump(exclude_none=True) for _ in range(count)]


def _model(schema: dict[str, Any], name: str) -> Any:
    """A model with the types of an object schema."""
    fields: dict[str, Any] = {}
    for key, part in schema["properties"].items():
        kind = _type(part, f"{name}{key.title()}")
        fields[key] = (kind, Field()) if key in schema["required"] else (kind | None, Field(default=None))
    return create_model(name, **fields)


def _type(schema: dict[str, Any], name: str) -> Any:
    kind = schema.get("type", "string")
    if kind == "object":
        return _model(schema, name)
    if kind == "array":
        return list[_type(schema["items"], name)]  # type: ignore[misc]
    simple: dict[str, Any] = {"integer": int, "number": float, "boolean": bool}
    return simple.get(kind, str) if isinstance(kind, str) else str | None


def _hypothesis(schema: dict[str, Any]) -> Sample:
    strategy = _strategy(schema)

    def sample(count: int) -> list[Any]:
        found: list[Any] = []

        @settings(
            max_examples=count,
            database=None,
            phases=[Phase.generate],
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def keep(value: Any) -> None:
            found.append(value)

        keep()
        return found

    return sample


def _strategy(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Strategies as one would write them for these schemas."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    if "format" in schema:
        return _FORMATS[schema["format"]]
    return _TYPES[str(schema["type"])](schema)


def _dictionaries(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    parts = {name: _strategy(part) for name, part in schema["properties"].items()}
    required = {name: part for name, part in parts.items() if name in schema["required"]}
    return st.fixed_dictionaries(
        required, optional={name: part for name, part in parts.items() if name not in required}
    )


def _numbers(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    step, low, high = schema.get("multipleOf"), schema["minimum"], schema["maximum"]
    if step is not None:
        return st.integers(round(low / step), round(high / step)).map(lambda count: count * step)
    return st.floats(low, high)


_FORMATS: dict[str, st.SearchStrategy[Any]] = {
    "date": st.dates().map(date.isoformat),
    "date-time": st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
    "email": st.emails(),
    "uuid": st.uuids().map(str),
}
_TYPES: dict[str, Callable[[dict[str, Any]], st.SearchStrategy[Any]]] = {
    "string": lambda schema: st.text(),
    "['string', 'null']": lambda schema: st.one_of(st.none(), st.text()),
    "boolean": lambda schema: st.booleans(),
    "integer": lambda schema: st.integers(schema["minimum"], schema["maximum"]),
    "number": _numbers,
    "array": lambda schema: st.lists(
        _strategy(schema["items"]), min_size=schema.get("minItems", 0), max_size=schema["maxItems"]
    ),
    "object": _dictionaries,
}


if __name__ == "__main__":
    main()
