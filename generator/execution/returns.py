"""From a `returns` schema to a function that makes results of one call.

A property's value is, in this order: the argument that `x-from` names, the argument of the same name, a fact known
of the entity, what `x-compute` says (which goes before an argument of the same name), or a value drawn from its
schema, kept within the bounds that arguments give (`x-minimum`, `x-maximum`).
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jsonschema_rs

from generator.errors import SpecError
from generator.execution.bounds import own_bounds, within
from generator.execution.expressions import FAULTS, Expression
from generator.execution.keywords import check_keywords, check_order, fault, hidden_keyword, read_expression
from generator.execution.making import CompileValue, Maker, Making
from generator.execution.order import compile_order
from generator.execution.references import dereferenced, stand_alone
from generator.execution.trial import Trial, can_be_carried, fitting, sampler, try_out, watched
from generator.pointers import escape, resolve, schema_at, variants
from generator.seeds import Draw
from generator.toolbox import ToolSpec

NOTHING_SAID: dict[str, Any] = {
    "type": "object",
    "properties": {"status": {"const": "success"}},
    "required": ["status"],
}
"""The result of a tool whose spec does not say what it returns."""

_COMBINING = frozenset({"anyOf", "oneOf", "allOf"})


class Made(NamedTuple):
    """How the values of a schema are made."""

    draw_value: Callable[[Draw], Any] | None
    """There when nothing but the draw decides."""
    make: Maker


class Place(NamedTuple):
    """Where in the result a schema stands."""

    at: str
    """Pointer into the schema."""
    name: str
    """The nearest property's name."""
    level: str
    """`top`, `element` (of a list) or `inner`: only the first two take facts or echo arguments."""


def compile_returns(spec: ToolSpec, compile_value: CompileValue, seed: int) -> Callable[[Making], Any]:
    """The maker of whole results; raises SpecError for an `x-` keyword that cannot be.

    Args:
        spec: The tool.
        compile_value: Makes the values of leaves.
        seed: The recipe's seed, for pools of values.
    """
    returns = NOTHING_SAID if spec.returns is None else spec.returns
    parameters = spec.tool.parameters or {}
    compiler = _Compiler(returns, parameters, compile_value, seed, bool(spec.links))
    whole = compiler.value(returns, Place("", "result", "top")).make

    def make(making: Making) -> Any:
        return whole(making, {})

    if compiler.trials:
        try_out(make, compiler.trials, sampler(parameters, compile_value, seed, spec.kinds, spec.examples))
        for settle in compiler.after_trials:
            settle()
    return make


class _Compiler:
    """One schema being compiled: holds the root for `$ref`."""

    def __init__(
        self, root: dict[str, Any], parameters: dict[str, Any], compile_value: CompileValue, seed: int, has_facts: bool
    ) -> None:
        self.root = root
        self.parameters = parameters
        self.has_facts = has_facts
        self.compile_value = compile_value
        self.seed = seed
        self.trials: list[Trial] = []
        self.after_trials: list[Callable[[], None]] = []
        self._open: set[int] = set()

    def value(self, schema: Any, place: Place) -> Made:
        """How the values of a schema are made."""
        plain = dereferenced(self.root, schema)
        check_keywords(plain, self.parameters, place.at)
        parts = plain.get("properties") if _is_object(plain) else plain.get("items") if _is_array(plain) else None
        if parts is None:
            hidden = hidden_keyword(plain)
            if hidden:
                raise fault(place.at, f"{hidden} does nothing here; it is for values that are not drawn as a whole")
            return self.leaf(plain, place)
        if id(parts) in self._open:  # a schema that holds itself: from the second time on it is drawn as a whole
            return self.leaf(plain, place)
        self._open.add(id(parts))
        maker = self.object(plain, place) if _is_object(plain) else self.array(plain, place)
        self._open.discard(id(parts))
        return Made(None, maker)

    def object(self, schema: dict[str, Any], place: Place) -> Maker:
        required = set(schema.get("required", ()))
        before: list[str] = []
        fields = []
        for key, part in schema["properties"].items():
            if part is not False:
                made = self.field(part, Place(f"{place.at}/properties/{escape(key)}", key, place.level), before)
                fields.append((key, made.draw_value, made.make, key in required))
            before.append(key)

        def make(making: Making, siblings: dict[str, Any]) -> dict[str, Any]:
            made: dict[str, Any] = {}
            draw = making.draw
            for key, draw_value, maker, always in fields:
                if always or draw.rand() < 0.75:
                    made[key] = maker(making, made) if draw_value is None else draw_value(draw)
            return made

        return make

    def array(self, schema: dict[str, Any], place: Place) -> Maker:
        element = self.value(schema["items"], Place(f"{place.at}/items", place.name, "element")).make
        fewest = int(schema.get("minItems", min(1, schema.get("maxItems", 1))))
        most = int(schema.get("maxItems", max(3, fewest)))
        limit = _reader(schema["x-maximum"], None) if "x-maximum" in schema else None
        elements = self.elements(schema, place)
        marks = _marks_of(elements, {key for key, part in elements.items() if self.echoes(key, part)})
        may_repeat = schema.get("uniqueItems") is not True
        arrange = compile_order(schema.get("x-sort"))

        def make(making: Making, siblings: dict[str, Any]) -> list[Any]:
            wanted = making.draw.between(fewest, most)
            cap = limit(making.arguments) if limit else None
            if type(cap) is int:
                wanted = max(min(wanted, cap), min(fewest, 1))
            made = _different(element, marks, wanted, min(fewest, wanted), may_repeat, making)
            return made if arrange is None else arrange(made, making.arguments)

        return make

    def elements(self, schema: dict[str, Any], place: Place) -> dict[str, Any]:
        """The properties of a list's elements; checks the order of the list, which is about them."""
        element = dereferenced(self.root, schema["items"])
        if "x-sort" in schema:
            check_order(schema["x-sort"], element if _is_object(element) else {}, self.parameters, place.at)
        properties = element.get("properties", {})
        return dict(properties) if isinstance(properties, dict) else {}

    def leaf(self, schema: dict[str, Any], place: Place) -> Made:
        draw_value = self.drawn(schema, place)
        bounds = [_reader(schema[key], None) if key in schema else None for key in ("x-minimum", "x-maximum")]
        if bounds == [None, None]:
            return Made(draw_value, lambda making, siblings: draw_value(making.draw))
        own = own_bounds(schema)
        read_low, read_high = bounds

        def bounded(making: Making, siblings: dict[str, Any]) -> Any:
            low = read_low(making.arguments) if read_low else None
            high = read_high(making.arguments) if read_high else None
            return within(draw_value(making.draw), low, high, own, making.draw)

        return Made(None, bounded)

    def drawn(self, schema: dict[str, Any], place: Place) -> Callable[[Draw], Any]:
        """The function that draws a value of this schema alone."""
        plain = {key: part for key, part in stand_alone(self.root, schema).items() if not key.startswith("x-")}
        try:
            return self.compile_value(
                plain, place.name, self.seed, kind=schema.get("x-kind"), when=schema.get("x-when")
            )
        except SpecError as wrong:  # its message begins with a pointer below this place, or with the name
            text = str(wrong).removeprefix("/: ")
            raise SpecError(f"returns: {place.at}{text if text[:1] == '/' else f': {text}'}") from None

    def field(self, schema: Any, place: Place, before: list[str]) -> Made:
        """How a property is made."""
        key = place.name
        plain = dereferenced(self.root, schema)
        explicit = plain.get("x-from")
        echoes = place.level != "inner" and self.echoes(key, schema)
        takes_facts = place.level == "top" and self.has_facts
        inner = self.value(schema, place._replace(level="inner"))
        if not (explicit or takes_facts or echoes or "x-compute" in plain):
            return inner
        compute = self.computed(plain, place, before, inner.make) if "x-compute" in plain else None
        source = explicit or (escape(key) if echoes and compute is None else None)
        given = _reader(source, _ABSENT) if source else None
        return Made(None, _taking(key, given, takes_facts, self.validator(plain, place), compute or inner.make))

    def echoes(self, key: str, schema: Any) -> bool:
        """Whether a property takes the value of the argument that has its name."""
        return (
            schema_at(self.parameters, escape(key)) is not None
            and "x-from" not in dereferenced(self.root, schema)
        )

    def computed(self, schema: dict[str, Any], place: Place, before: list[str], inner: Maker) -> Maker:
        """What the expression says, or a drawn value when an argument is missing, no date, or divides by nothing."""
        text, key = schema["x-compute"], place.name
        plain, reads = read_expression(text, key, tuple(before), self.parameters, place.at)
        trial = Trial(place.at, str(text), key, _types(self.root, schema))
        compute: Expression = watched(plain, trial)

        def settle() -> None:
            nonlocal compute
            compute = fitting(plain, trial.types) if trial.strays else plain

        self.trials.append(trial)
        self.after_trials.append(settle)
        takes_value = "value" in reads.properties

        def make(making: Making, siblings: dict[str, Any]) -> Any:
            value = inner(making, siblings) if takes_value else None
            try:
                found = compute({**siblings, "args": making.arguments, "today": making.today, "value": value})
                if can_be_carried(found):
                    return found
            except FAULTS:
                pass
            return value if takes_value else inner(making, siblings)

        return make

    def validator(self, schema: dict[str, Any], place: Place) -> Callable[[Any], bool]:
        try:
            validator = jsonschema_rs.validator_for(stand_alone(self.root, schema), validate_formats=True)
        except (ValueError, jsonschema_rs.ReferencingError) as wrong:
            raise fault(place.at, f"not a valid JSON Schema: {wrong}") from None
        return validator.is_valid


_ABSENT = object()


def _taking(
    key: str,
    given: Callable[[Mapping[str, Any]], Any] | None,
    takes_facts: bool,
    is_valid: Callable[[Any], bool],
    otherwise: Maker,
) -> Maker:
    """A maker of a property that takes an argument or a known fact when it is valid there."""

    def make(making: Making, siblings: dict[str, Any]) -> Any:
        if given is not None:
            value = given(making.arguments)
            if value is not _ABSENT and is_valid(value):
                return value
        if takes_facts and key in making.facts and is_valid(making.facts[key]):
            return making.facts[key]
        return otherwise(making, siblings)

    return make


def _reader(slot: str, absent: Any) -> Callable[[Mapping[str, Any]], Any]:
    """A function that reads one argument; it gives `absent` when the call does not have it."""
    if "/" not in slot and "~" not in slot:
        return lambda arguments: arguments.get(slot, absent)

    def read(arguments: Mapping[str, Any]) -> Any:
        try:
            return resolve(arguments, slot)
        except LookupError:
            return absent

    return read


def _is_object(schema: dict[str, Any]) -> bool:
    """Whether objects can be made of it property by property."""
    properties = schema.get("properties")
    return (
        isinstance(properties, dict)
        and schema.get("type", "object") == "object"
        and "minProperties" not in schema
        and _COMBINING.isdisjoint(schema)
        and set(schema.get("required", ())) <= properties.keys()
    )


def _is_array(schema: dict[str, Any]) -> bool:
    """Whether lists can be made of it element by element."""
    return (
        isinstance(schema.get("items"), dict)
        and schema.get("type", "array") == "array"
        and "prefixItems" not in schema
        and _COMBINING.isdisjoint(schema)
    )


def _types(root: dict[str, Any], schema: dict[str, Any]) -> tuple[str, ...]:
    """The types that a schema allows; empty when it does not say."""
    types = [branch["type"] for branch in variants(root, schema) if "type" in branch]
    return tuple(dict.fromkeys(name for named in types for name in ([named] if isinstance(named, str) else named)))


def _marks_of(properties: dict[str, Any], echoed: set[str]) -> Callable[[Any], list[str]]:
    """What must not occur twice in a list: an element's first property, its name and its title.

    What an element takes from the arguments is the same in all of them and tells nothing apart.
    """
    own = [key for key in properties if key not in echoed]
    keys = tuple(dict.fromkeys([*own[:1], *(key for key in ("name", "title") if key in own)]))

    def marks(value: Any) -> list[str]:
        if isinstance(value, dict) and keys:
            return [f"{key}={value[key]!r}" for key in keys if key in value]
        return [repr(value)]

    return marks


def _different(
    element: Maker, marks: Callable[[Any], list[str]], wanted: int, fewest: int, may_repeat: bool, making: Making
) -> list[Any]:
    """Elements that differ; where there are too few of them, the rest are alike, if they may be."""
    made: list[Any] = []
    spare: list[Any] = []
    seen: set[str] = set()
    tries = wanted * 6
    while tries and len(made) < wanted:
        tries -= 1
        value = element(making, {})
        told = marks(value)
        if seen.isdisjoint(told):
            seen.update(told)
            made.append(value)
        elif may_repeat and len(spare) < fewest:
            spare.append(value)
        elif not tries and len(made) < fewest and not may_repeat:
            tries, wanted, fewest = 60 * fewest, fewest, 0
    return made + spare[: fewest - len(made)] if len(made) < fewest and may_repeat else made
