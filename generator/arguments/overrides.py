"""Overrides of a recipe: makers of one tool's overridden arguments; every value is checked against its schema.

Each way to override (`choose`, `file`, `faker`, …) is a function in WAYS from the override to a maker. Hypothesis strategies that a
user wrote are drawn from in a process of their own, a sandbox (generator/core/sandbox): Hypothesis also draws constants that it finds
in the modules of the program it runs in, so in this process the values would depend on what else is loaded.
"""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import date, datetime, time
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import orjson

from generator.arguments.kinds.records import split_values
from generator.arguments.reading.nodes import NumberNode, Schema, node_at
from generator.arguments.sampling.leaves import pick_from, tester
from generator.arguments.sampling.numbers import Maker, make_distributed
from generator.arguments.vocabulary.kinds import KINDS
from generator.arguments.vocabulary.prepared import Locale, drawn_pool
from generator.core.documents import nearest, read_lines, read_text, shown
from generator.core.errors import RecipeError, SchemaError
from generator.core.files import read_regular
from generator.core.offline_schemas import validator
from generator.core.pointers import schema_at
from generator.core.sandbox.sandbox import FEW_VARIABLES, MODULE_LIMITS, Sandbox, output_tail
from generator.core.sandbox.wire import DisconnectedError, MalformedAnswerError, NoAnswerError
from generator.core.seeds import stream_seed
from generator.core.toolbox import ToolSpec
from generator.core.yaml_values import own_data
from generator.recipe import ArgumentSettings, Override
from generator.recipe.overrides import FakerProvider, Script, ValueFile

STRATEGY_POOL = 200
_STRATEGY_SECONDS = 60.0
_DRIVER = Path(__file__).with_name("strategy_process.py")


class _Drawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    values: list[Any] = []
    known: list[str] | None = None
    """Names in the file, which has not the one that is asked for."""
    fault: str | None = None


def strategy_values(script: Script, key: str, seed: int, refuse: Callable[[str], RecipeError]) -> tuple[Any, ...]:
    """Return different values of a strategy for the argument `key`, in the order in which they were drawn.

    Raises:
        RecipeError: the file cannot be run, has no such strategy, or draws a value that is not JSON.
    """
    try:
        source = read_regular(script.file)
    except OSError as fault:
        raise refuse(f"{script.file}: cannot be read ({fault.strerror})") from None
    name = orjson.dumps(["strategy", hashlib.sha256(source).hexdigest(), script.name])
    return tuple(
        map(orjson.loads, drawn_pool((name, key, seed), lambda: _draw_strategy(script, source, key, seed, refuse)))
    )


def _draw_strategy(
    script: Script, source: bytes, key: str, seed: int, refuse: Callable[[str], RecipeError]
) -> tuple[bytes, ...]:
    """Run the user's file in a sandbox and return the values that its strategy drew, each as JSON."""
    label = f"{script.file.name}:{script.name}"
    job = {
        "file": str(script.file.resolve()),
        "source": source.decode("utf-8-sig", "replace"),
        "name": script.name,
        "seed": stream_seed("strategy", key, script.name, seed),
        "size": STRATEGY_POOL,
    }
    sandbox = Sandbox(FEW_VARIABLES)
    try:
        sandbox.start_code(_DRIVER, job, MODULE_LIMITS, [script.file.resolve().parent])
        answer = sandbox.receive(_Drawn, _STRATEGY_SECONDS)
    except NoAnswerError:
        raise refuse(f"{label}: no {STRATEGY_POOL} values came in {_STRATEGY_SECONDS:g} seconds") from None
    except MalformedAnswerError as fault:
        raise refuse(f"{label}: could not be run: it sent something else than values: {fault}") from None
    except DisconnectedError:
        ended = sandbox.end()
        raise refuse(
            f"{label}: could not be run: its process ended ({ended.reason}) {output_tail(ended)}".strip()
        ) from None
    finally:
        sandbox.close()
    if answer.known is not None:
        raise refuse(f"{label}: {script.file.name} has no {script.name!r}{nearest(script.name, answer.known)}")
    if answer.fault is not None:
        raise refuse(f"{label}: {answer.fault}")
    try:
        return tuple([orjson.dumps(orjson.loads(json.dumps(value))) for value in answer.values])
    except ValueError as fault:
        raise refuse(f"{label}: it drew a value that is no JSON ({fault})") from None


class ArgumentOverride(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of a tool that a recipe overrides."""

    spec: ToolSpec
    slot: str
    override: Override
    place: tuple[str | int, ...]
    """Where the recipe says so."""
    schema: dict[str, Any]
    """Of its values, references resolvable."""
    read: Schema
    """The whole tool's."""
    seed: int
    locale: Locale = ()

    def refuse(self, what: str) -> RecipeError:
        """Return a fault of the recipe at this override."""
        return RecipeError(what, self.place)

    def fault(self, value: Any) -> str | None:
        """Return which rule of the argument's schema a value breaks, or None."""
        try:
            orjson.dumps(value)
        except TypeError:
            return "not a JSON value, or a whole number beyond 64 bits"
        error = next(validator(self.schema).iter_errors(value), None)
        if error is None:
            return None
        return f"{error.message} ({error.schema_path[-1]})" if error.schema_path else error.message

    def refuse_value(self, value: Any, fault: str, source: str = "") -> RecipeError:
        """Return the fault of one value, with tool, pointer, value and rule."""
        return self.refuse(f"{source}{shown(value)} is not valid for {self.spec.name} at /{self.slot}: {fault}")


class Overrides(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's overrides, ready to make values."""

    source: str | None = None
    """The source of all its arguments."""
    sources: dict[str, str] = {}
    """Slot → the source of that argument."""
    kinds: dict[str, str] = {}
    """Slot → kind."""
    makers: dict[str, Maker] = {}
    """Slot → maker of exactly the values that the recipe wants."""

    @property
    def slots(self) -> tuple[str, ...]:
        """All arguments that are overridden."""
        return (*self.sources, *self.kinds, *self.makers)


def read_overrides(spec: ToolSpec, schema: Schema, settings: ArgumentSettings, seed: int) -> Overrides:
    """Return a tool's overrides, checked.

    Raises:
        RecipeError: an override names what is not there, or a value that the argument's schema does not allow.
    """
    overrides = Overrides(sources={}, kinds={}, makers={})
    for argument in _overridden_arguments(spec, schema, settings, seed):
        override = argument.override
        if override.source is not None:
            if argument.slot:
                overrides.sources[argument.slot] = override.source
            else:
                overrides = msgspec.structs.replace(overrides, source=override.source)
        elif override.kind is not None:
            if override.kind not in KINDS or not argument.slot:
                raise argument.refuse(f"no kind of value {override.kind!r}{nearest(override.kind, KINDS)}")
            overrides.kinds[argument.slot] = override.kind
        else:
            overrides.makers[argument.slot] = next(
                make(argument) for word, make in WAYS.items() if getattr(argument.override, word)
            )
    return overrides


def check_reached(overrides: Overrides, makers: dict[str, Maker], spec: ToolSpec, settings: ArgumentSettings) -> None:
    """Raise RecipeError for an override that would have no effect, such as of a part of an overridden object."""
    for key, place in _override_keys(settings):
        tool, _, pointer = key.partition("#")
        slot = pointer.removeprefix("/")
        if tool == spec.name and slot and slot not in makers:
            above = next((other for other in overrides.makers if slot.startswith(f"{other}/")), None)
            reason = f"{tool}#/{above} is overridden as a whole" if above else "it is not made by itself"
            hint = "; items of a list are named with *" if any(step.isdecimal() for step in slot.split("/")) else ""
            raise RecipeError(f"{slot!r} cannot be overridden: {reason}{hint}", place)


def _override_keys(settings: ArgumentSettings) -> list[tuple[str, tuple[str | int, ...]]]:
    """Return the keys (`tool#/pointer`) of all overrides, each with its place in the recipe."""
    return [
        *[(key, ("arguments", "overrides", key)) for key in settings.overrides],
        *[(key, ("strategies", key)) for key in settings.strategies],
    ]


def _overridden_arguments(
    spec: ToolSpec, schema: Schema, settings: ArgumentSettings, seed: int
) -> list[ArgumentOverride]:
    """Return the overridden arguments of one tool; raises RecipeError for one that it has not."""
    overrides = settings.overrides | {key: Override(strategy=script) for key, script in settings.strategies.items()}
    root = schema.source
    overridden = []
    for key, place in _override_keys(settings):
        tool, _, pointer = key.partition("#")
        if tool != spec.name:
            continue
        slot = pointer.removeprefix("/")
        part = schema_at(root, slot)
        if slot and part is None:
            parameter_names = [name for name in (root.get("properties") or {}) if "/" not in name]
            raise RecipeError(f"{tool} has no parameter {slot!r}{nearest(slot, parameter_names)}", place)
        definitions: dict[str, Any] = {word: root[word] for word in ("$schema", "$defs", "definitions") if word in root}
        overridden.append(
            ArgumentOverride(
                spec=spec, slot=slot, override=overrides[key], place=place, schema={**definitions, **(part or {})},
                read=schema, seed=seed, locale=settings.locale,
            )
        )  # fmt: skip
    return overridden


def _maker_of_choose(argument: ArgumentOverride) -> Maker:
    """Return a maker of the values in `choose:`, weighted."""
    override = argument.override
    values = tuple(_as_allowed_value(argument, value) for value in override.choose)
    return pick_from(values, override.weights)


def _maker_of_file(argument: ArgumentOverride) -> Maker:
    """Return a maker of the values in a JSONL, CSV or text file."""
    assert argument.override.file is not None
    values = []
    for line, value in read_values(argument.override.file, argument.refuse):
        try:
            values.append(_as_allowed_value(argument, value))
        except RecipeError as fault:
            raise RecipeError(f"{argument.override.file.file}:{line}: {fault}") from None
    return pick_from(tuple(values))


def _maker_of_faker(argument: ArgumentOverride) -> Maker:
    """Return a maker that takes values of a Faker provider, of which those count that the argument's schema allows."""
    assert argument.override.faker is not None
    is_valid = tester(argument.schema)
    key = (argument.spec.name, argument.slot)
    fake = fake_values(
        argument.override.faker, argument.locale, seed_parts=(*key, argument.seed), refuse=argument.refuse
    )
    fitting = tuple(value for value in fake if is_valid(value))
    if not fitting:
        fault = argument.fault(fake[0])
        raise argument.refuse_value(fake[0], fault or "not valid", f"faker: {argument.override.faker.name}: ")
    return pick_from(fitting)


def _maker_of_strategy(argument: ArgumentOverride) -> Maker:
    """Return a maker of values that the user's Hypothesis strategy drew."""
    script = argument.override.strategy
    assert script is not None
    values = strategy_values(script, f"{argument.spec.name}#/{argument.slot}", argument.seed, argument.refuse)
    for value in values:
        fault = argument.fault(value)
        if fault is not None:
            raise argument.refuse_value(value, fault, f"{script.file.name}:{script.name} drew what is not allowed: ")
    return pick_from(values)


def _maker_of_distribution(argument: ArgumentOverride) -> Maker:
    """Return a maker of numbers that follow the override's distribution."""
    law = argument.override.distribution
    assert law is not None
    node = _number_at(argument)
    if node is None:
        raise argument.refuse(f"distribution: {argument.spec.name} takes no number at /{argument.slot}")
    try:
        return make_distributed(node, law)
    except SchemaError as fault:
        raise argument.refuse(f"distribution: {fault}") from None


def _number_at(argument: ArgumentOverride) -> NumberNode | None:
    """Return the number among the argument's types (null beside it is allowed, and never made)."""
    try:
        node = node_at(argument.read.root, argument.slot)
    except LookupError:
        return None
    branches = getattr(node, "branches", (node,))
    return next((branch for branch in branches if isinstance(branch, NumberNode)), None)


WAYS: dict[str, Callable[[ArgumentOverride], Maker]] = {
    "choose": _maker_of_choose,
    "file": _maker_of_file,
    "faker": _maker_of_faker,
    "strategy": _maker_of_strategy,
    "distribution": _maker_of_distribution,
}
"""Keys of an override that say which values there are, and how a maker is made of them."""


def _as_allowed_value(argument: ArgumentOverride, value: Any) -> Any:
    """Return the value, or what its text means as JSON where only that is allowed (a mapping's keys and cells are text)."""
    fault = argument.fault(value)
    if fault is None:
        return value
    if isinstance(value, str):
        try:
            parsed = orjson.loads(value)
        except orjson.JSONDecodeError:
            parsed = value
        parsed_fault = argument.fault(parsed)
        if parsed_fault is None:
            return parsed
        if not isinstance(parsed, str) and "(type)" in fault:
            value, fault = parsed, parsed_fault
    raise argument.refuse_value(value, fault)


Refuse = Callable[[str], RecipeError]
Values = Iterator[tuple[int, Any]]


def read_values(source: ValueFile, refuse: Refuse) -> list[tuple[int, Any]]:
    """Return (line, value) pairs of a JSONL, CSV or text file, in order; a value that stands there twice counts twice.

    Raises:
        RecipeError: for a file that is empty, of another kind, or without the column.
    """
    ending = source.file.suffix.lower()
    if ending not in _READERS:
        raise refuse(f"file: {source.file.name} does not end in {', '.join(_READERS)}")
    values = list(_READERS[ending](source, refuse))
    if not values:
        raise refuse(f"file: {source.file} holds no values")
    return values


def _values_of_jsonl(source: ValueFile, refuse: Refuse) -> Values:
    """Yield (line, value), or the value at the key that the override names."""
    for document in read_lines(source.file, RecipeError):
        value = document.value
        if source.column is not None:
            if not isinstance(value, dict) or source.column not in value:
                hint = nearest(source.column, value) if isinstance(value, dict) else ""
                raise RecipeError(f"{document.where()}: no key {source.column!r} here{hint}")
            value = value[source.column]
        yield document.first_line, value


def _values_of_csv(source: ValueFile, refuse: Refuse) -> Values:
    """Yield (line, cell) of the column that the override names, or of the only one."""
    reader = csv.reader(io.StringIO(read_text(source.file, RecipeError), newline=""), strict=True)
    try:
        header = next(reader, [])
        column = source.column if source.column is not None else header[0] if len(header) == 1 else None
        if column is None:
            raise refuse(
                f"file: {source.file.name} has several columns; say which: {{file: …, column: {header[0] if header else 'NAME'}}}"
            )
        if column not in header:
            raise refuse(f"column: {source.file.name} has no column {column!r}{nearest(column, header)}")
        index = header.index(column)
        for cells in reader:
            if any(cells):
                if len(cells) != len(header):
                    raise RecipeError(f"{source.file}:{reader.line_num}: {len(cells)} cells, but {len(header)} columns")
                yield reader.line_num, cells[index]
    except csv.Error as fault:
        raise RecipeError(f"{source.file}:{reader.line_num}: not valid CSV: {fault}") from None


def _values_of_text(source: ValueFile, refuse: Refuse) -> Values:
    """Yield (line number, text) of each line that is not blank."""
    if source.column is not None:
        raise refuse(f"column: {source.file.name} is plain text, one value a line, and has no columns")
    yield from (
        (number, line.strip())
        for number, line in enumerate(read_text(source.file, RecipeError).splitlines(), start=1)
        if line.strip()
    )


_READERS: dict[str, Callable[[ValueFile, Refuse], Values]] = {
    ".jsonl": _values_of_jsonl,
    ".csv": _values_of_csv,
    ".txt": _values_of_text,
}


_FAKED_POOL = 400
_BY_CLOCK = ("faker.providers.date_time",)
"""Modules of providers that read the clock."""
_BY_CLOCK_TOO, _FILES, _NOT_PROVIDERS = (
    frozenset(split_values(own_data(__file__)[key])) for key in ("by_clock", "makes_bytes", "no_providers")
)


def fake_values(
    provider: FakerProvider, locale: Locale, *, seed_parts: tuple[object, ...], refuse: Callable[[str], RecipeError]
) -> tuple[Any, ...]:
    """Return a few hundred values of a provider; the same for the same provider, arguments, locales and `seed_parts`, which name the random stream.

    Raises:
        RecipeError: there is no such provider, or it cannot be called so.
    """
    from generator.arguments.vocabulary.pools import new_faker, shares_of  # Faker only where it is wanted

    values: list[Any] = []
    for name, size in shares_of(locale or (("en_US", 1.0),), _FAKED_POOL):
        call = _provider_function(
            new_faker(name, stream_seed("faker", provider.name, name, *seed_parts)), provider.name, refuse
        )
        with redirect_stdout(StringIO()):  # some providers print
            values += [_fake_value(call, provider, refuse) for _ in range(size)]
    return tuple(values)


def _provider_function(fake: Any, name: str, refuse: Callable[[str], RecipeError]) -> Callable[..., Any]:
    """Return the function of a Faker provider; raises for an unknown one, and for those that read the clock or make bytes."""
    factory = fake.factories[0]
    names = [one for one in dir(factory) if not one.startswith("_") and one not in _NOT_PROVIDERS]
    if name not in names:
        raise refuse(f"faker: there is no provider {name!r}{nearest(name, names) if _is_near(name, names) else ''}")
    call = getattr(factory, name)
    defining_module = type(getattr(call, "__self__", None)).__module__
    if defining_module.startswith(_BY_CLOCK) or name in _BY_CLOCK_TOO:
        raise refuse(
            f"faker: {name!r} reads the clock, so rows would differ from day to day; use 'kind: date' or the like"
        )
    if name in _FILES:
        raise refuse(f"faker: {name!r} makes bytes, which are no JSON")
    function: Callable[..., Any] = call
    return function


def _is_near(name: str, known_names: list[str]) -> bool:
    """Whether some known name is similar to this one; else a hint would list all of them."""
    return "did you mean" in nearest(name, known_names)


def _fake_value(call: Callable[..., Any], provider: FakerProvider, refuse: Callable[[str], RecipeError]) -> Any:
    """Return one value of a Faker provider as JSON has it; what the provider raises becomes an error of the recipe."""
    text = f"faker: {provider.name}({', '.join(f'{key}={shown(value)}' for key, value in provider.arguments.items())})"
    try:
        value = _plain(call(**provider.arguments))
    except Exception as fault:  # whatever a provider raises is told to the person who chose it
        raise refuse(f"{text}: {type(fault).__name__}: {fault}") from None
    try:
        orjson.dumps(value)
    except TypeError as fault:
        raise refuse(f"{text} makes no JSON value: {fault}") from None
    return value


def _plain(value: Any) -> Any:
    """Return the value as a JSON value."""
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return {str(key): _plain(part) for key, part in value.items()} if isinstance(value, dict) else value
