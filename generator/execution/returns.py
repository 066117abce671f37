"""From a `returns` schema to a function that makes results of one call (code.py says how it is written).

A property's value is, in this order: the argument that `x-from` names, the argument of the same name, a fact known
of the entity, what `x-compute` says (which goes before an argument of the same name), or a value drawn from its
schema, kept within the bounds that arguments give (`x-minimum`, `x-maximum`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from generator.errors import SpecError
from generator.execution.bounds import own_bounds
from generator.execution.code import InResult, ResultFunction
from generator.execution.expressions import (
    always_read,
    compile_computation,
    is_no_number,
    is_number,
    names_in,
    write_expression,
)
from generator.execution.keywords import check_keywords, check_order, fault, hidden_keyword, read_expression
from generator.execution.lists import ListShape, marks_of, write_list
from generator.execution.making import CompileValue, Make
from generator.execution.objects import ObjectWriter
from generator.execution.order import compile_order
from generator.execution.references import NOTES, dereferenced, implies, stand_alone
from generator.execution.trial import Trial, fitting, sampler, try_out, watched
from generator.offline_schemas import validator
from generator.pointers import escape, schema_at, split, variants
from generator.seeds import Draw
from generator.toolbox import ToolSpec
from generator.written import Code, code_of, indented

NOTHING_SAID: dict[str, Any] = {
    "type": "object",
    "properties": {"status": {"const": "success"}},
    "required": ["status"],
}
"""The result of a tool whose spec does not say what it returns."""

_COMBINING = frozenset({"anyOf", "oneOf", "allOf"})


_SURE = {"string": "str", "boolean": "bool", "integer": "int"}
"""Python's types all of whose values are valid where a schema asks for the type and nothing else."""


class Place(NamedTuple):
    """Where in the result a schema stands."""

    at: str
    """Pointer into the schema."""
    name: str
    """The nearest property's name."""
    level: str
    """`top`, `element` (of a list) or `inner`: only the first two take facts or echo arguments."""
    depth: int = 0
    """How many values it stands in."""


class ResultMakers:
    """The makers of one tool's results, each written when it is wanted first.

    Nearly all calls are about nothing that is known yet: their maker does not look for facts.
    """

    usual: Make
    """For calls that nothing is known for."""
    knowing: Make

    def __init__(self, write: Callable[[bool], Make]) -> None:
        def first_usual(*given: Any) -> Any:
            self.usual = write(False)
            return self.usual(*given)

        def first_knowing(*given: Any) -> Any:
            self.knowing = write(True)
            return self.knowing(*given)

        self.usual, self.knowing = first_usual, first_knowing


def compile_returns(spec: ToolSpec, compile_value: CompileValue, seed: int) -> ResultMakers:
    """The makers of whole results; raises SpecError for an `x-` keyword that cannot be.

    Args:
        spec: The tool.
        compile_value: Makes the values of leaves.
        seed: The recipe's seed, for pools of values.
    """
    returns = NOTHING_SAID if spec.returns is None else spec.returns
    parameters = spec.tool.parameters or {}
    trials: dict[str, Trial] = {}
    tried = _Compiler(returns, parameters, compile_value, seed, bool(spec.links), trials)
    code = tried.whole()
    if trials:
        make = tried.function.finish(code, spec.name)
        try_out(make, list(trials.values()), sampler(parameters, compile_value, seed, spec.kinds, spec.examples))

    def write(has_facts: bool, is_alone: bool = True) -> Make:
        compiler = _Compiler(
            returns, parameters, compile_value, seed, has_facts, trials, is_tried=True, is_alone=is_alone
        )
        code = compiler.whole()
        if is_alone and not compiler.function.can_walk_alone(code):
            return write(has_facts, is_alone=False)
        return compiler.function.finish(code, spec.name)

    return ResultMakers(write)


_MOST_PARTS = 100
"""Objects and lists of one schema that are made part by part."""
_MOST_LISTS = 3
"""Lists in each other that are."""


class _Compiler:
    """One schema being compiled: holds the root for `$ref`."""

    def __init__(
        self,
        root: dict[str, Any],
        parameters: dict[str, Any],
        compile_value: CompileValue,
        seed: int,
        has_facts: bool,
        trials: dict[str, Trial],
        *,
        is_tried: bool = False,
        is_alone: bool = False,
    ) -> None:
        self.root = root
        self.parameters = parameters
        self.has_facts = has_facts
        self.compile_value = compile_value
        self.seed = seed
        self.trials = trials
        self.is_tried = is_tried
        self.function = ResultFunction(is_alone)
        self._open: set[int] = set()
        self._lists = 0
        """Lists that what is being compiled stands in."""
        self._parts = 0

    def whole(self) -> Code:
        """How results are made."""
        return self.value(self.root, Place("", "result", "top"))

    def value(self, schema: Any, place: Place) -> Code:
        """How the values of a schema are made."""
        plain = dereferenced(self.root, schema)
        check_keywords(plain, self.parameters, place.at)
        parts = plain.get("properties") if _is_object(plain) else plain.get("items") if _is_array(plain) else None
        if parts is None:
            hidden = hidden_keyword(plain)
            if hidden:
                raise fault(place.at, f"{hidden} does nothing here; it is for values that are not drawn as a whole")
            return self.leaf(plain, place)
        self._parts += 1
        # what holds itself, is very large or lists of lists of lists is drawn as a whole, which ends it soon
        if id(parts) in self._open or self._parts > _MOST_PARTS or self._lists > _MOST_LISTS:
            return self.leaf(plain, place)
        self._open.add(id(parts))
        self._lists += not _is_object(plain)
        code = self.object(plain, place) if _is_object(plain) else self.array(plain, place)
        self._lists -= not _is_object(plain)
        self._open.discard(id(parts))
        return self.function.nested(code, place.depth)

    def object(self, schema: dict[str, Any], place: Place) -> Code:
        required = set(schema.get("required", ()))
        before: list[str] = []
        writer = ObjectWriter(self.function)
        for key, part in schema["properties"].items():
            if part is not False:
                at = f"{place.at}/properties/{escape(key)}"
                field = self.field(part, Place(at, key, place.level, place.depth + 1), before, writer)
                writer.add(key, field, is_sure=key in required)
            before.append(key)
        return writer.finish()

    def array(self, schema: dict[str, Any], place: Place) -> Code:
        element = self.value(schema["items"], Place(f"{place.at}/items", place.name, "element", place.depth + 1))
        fewest = int(schema.get("minItems", min(1, schema.get("maxItems", 1))))
        most = int(schema.get("maxItems", max(3, fewest)))
        elements = self.elements(schema, place)
        element_schema = dereferenced(self.root, schema["items"])
        shape = ListShape(
            fewest=fewest,
            most=most,
            limit=schema.get("x-maximum"),
            may_repeat=schema.get("uniqueItems") is not True,
            marks=marks_of(elements, {key for key, part in elements.items() if self.echoes(key, part)}),
            is_object=_is_object(element_schema),
            always=_always_there(element_schema) if _is_object(element_schema) else frozenset(),
            arrange=compile_order(schema.get("x-sort")),
        )
        return write_list(shape, element, self.function)

    def elements(self, schema: dict[str, Any], place: Place) -> dict[str, Any]:
        """The properties of a list's elements; checks the order of the list, which is about them."""
        element = dereferenced(self.root, schema["items"])
        if "x-sort" in schema:
            check_order(schema["x-sort"], element if _is_object(element) else {}, self.parameters, place.at)
        properties = element.get("properties", {})
        return dict(properties) if isinstance(properties, dict) else {}

    def leaf(self, schema: dict[str, Any], place: Place) -> Code:
        function = self.function
        drawn = code_of(self.drawn(schema, place), function)
        if "x-minimum" not in schema and "x-maximum" not in schema:
            return drawn
        bounds = {
            key: function.argument(schema[key], "None") for key in ("x-minimum", "x-maximum") if key in schema
        }
        low, high = bounds.get("x-minimum"), bounds.get("x-maximum")
        value, own = function.name("value"), function.keep("own", own_bounds(schema))
        is_bounded = " or ".join([_may_exceed(schema, value, key, bound) for key, bound in bounds.items()])
        bounded = f" {value} = {function.called(f'within({value}, {low}, {high}, {own}, draw)')}"
        return Code([*drawn.lines, f"{value} = {drawn.value}", f"if {is_bounded}:", bounded], value)

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

    def field(self, schema: Any, place: Place, before: list[str], writer: ObjectWriter) -> Code:
        """How the value of an object's property is made."""
        key, function = place.name, self.function
        plain = dereferenced(self.root, schema)
        explicit = plain.get("x-from")
        echoes = place.level != "inner" and self.echoes(key, schema)
        takes_facts = place.level == "top" and self.has_facts
        code = self.value(schema, place._replace(level="inner"))
        if not (explicit or takes_facts or echoes or "x-compute" in plain):
            return code
        source = explicit or (escape(key) if echoes and "x-compute" not in plain else None)
        if "x-compute" in plain:
            code = self.computed(plain, place, before, code, writer)
        if takes_facts:
            fact = f"facts[{key!r}]"
            code = _either(f"{key!r} in facts and {self.validity(plain, fact, place)}", fact, code, function)
        if source:
            given = function.argument(source, "ABSENT")
            known = _argument_at(self.parameters, source)
            test = f"{given} is not ABSENT"
            if known is None or not implies(known, plain):
                test = function.once("takes", f"{test} and {self.validity(plain, given, place)}")
            code = _either(test, given, code, function)
        return code

    def validity(self, schema: dict[str, Any], given: str, place: Place) -> str:
        """The test whether a value is valid: a quick one first where there is one."""
        full = f"{self.function.keep('is_valid', self.validator(schema, place))}({given})"
        quick = _surely_valid(schema, given, self.function)
        return f"({quick} or {full})" if quick else full

    def echoes(self, key: str, schema: Any) -> bool:
        """Whether a property takes the value of the argument that has its name."""
        return (
            schema_at(self.parameters, escape(key)) is not None
            and "x-from" not in dereferenced(self.root, schema)
        )

    def computed(self, schema: dict[str, Any], place: Place, before: list[str], inner: Code, writer: ObjectWriter) -> Code:
        """What the expression says, or a drawn value when an argument is missing, no date, or divides by nothing."""
        text, function = str(schema["x-compute"]), self.function
        found, value = function.name("found"), function.name("value")
        expression, missing = self.expression(schema, place, before, value, writer)
        takes_value = "value" in names_in(text).properties
        instead = value if takes_value else "ABSENT"
        lines = [
            "try:",
            f" {found} = {expression}",
            *indented(_kept_small(text, found, instead)),
            "except FAULTS:",
            f" {found} = {instead}",
        ]
        if missing:
            lines = [f"if {missing}:", f" {found} = {instead}", "else:", *indented(lines)]
        if takes_value:
            return Code([*inner.lines, f"{value} = {inner.value}", *lines], found)
        return Code([*lines, f"if {found} is ABSENT:", *indented([*inner.lines, f"{found} = {inner.value}"])], found)

    def expression(
        self, schema: dict[str, Any], place: Place, before: list[str], value: str, writer: ObjectWriter
    ) -> tuple[str, str]:
        """The source of an `x-compute`, and of the test that it lacks an argument; a call as long as it is on trial."""
        writer.settle()
        text = str(schema["x-compute"])
        if not self.is_tried:
            plain, _ = read_expression(text, place.name, before, self.parameters, place.at)
            trial = self.trials[place.at] = Trial(place.at, text, place.name, _types(self.root, schema))
            compute = watched(plain, trial)
        elif self.trials[place.at].strays:
            compute = fitting(compile_computation(text), self.trials[place.at].types)
        else:
            scope = InResult(self.function, writer, value, always_read(text))
            return write_expression(text, scope), scope.lacks()
        usual = value if "value" in names_in(text).properties else "None"
        return f"{self.function.keep('compute', compute)}({writer.names()}, arguments, today, {usual})", ""

    def validator(self, schema: dict[str, Any], place: Place) -> Callable[[Any], bool]:
        try:
            return validator(stand_alone(self.root, schema)).is_valid
        except ValueError as wrong:
            raise fault(place.at, f"not a valid JSON Schema: {wrong}") from None


def _always_there(schema: dict[str, Any]) -> frozenset[str]:
    return frozenset([key for key in schema.get("required", ()) if schema["properties"][key] is not False])


def _either(test: str, then: str, otherwise: Code, function: ResultFunction) -> Code:
    if not otherwise.lines:
        return Code([], f"({then} if {test} else {otherwise.value})")
    value = function.name("value")
    last = f"{value} = {otherwise.value}"
    return Code([f"if {test}:", f" {value} = {then}", "else:", *indented([*otherwise.lines, last])], value)


def _may_exceed(schema: dict[str, Any], value: str, key: str, bound: str) -> str:
    """The test whether a bound has to be looked at: not where the drawn value keeps it and both are of the usual type."""
    beyond = f"{value} {'<' if key == 'x-minimum' else '>'} {bound}"
    if schema.get("type") in {"integer", "number"}:
        return f"{bound} is not None and (type({bound}) is not int or {beyond})"
    if schema.get("type") == "string":
        return f"{bound} is not None and (type({bound}) is not str or len({bound}) != len({value}) or {beyond})"
    return f"{bound} is not None"


def _kept_small(text: str, found: str, instead: str) -> list[str]:
    """The lines that refuse numbers which JSON has no way to write."""
    if is_no_number(text):
        return []
    usual = f"not -999999999 <= {found} <= 999999999" if is_number(text) else f"(type({found}) is float or type({found}) is int)"
    return [f"if {usual} and not -MOST <= {found} <= MOST:", f" {found} = {instead}"]


def _argument_at(parameters: Any, slot: str) -> Any:
    """What the schema says of an argument, where it says that in one place; None where it does not."""
    for step in split(slot):
        parameters = parameters.get("properties", {}).get(step) if isinstance(parameters, dict) else None
    return parameters


def _surely_valid(schema: dict[str, Any], given: str, function: ResultFunction) -> str | None:
    """A quick test for values that the schema allows, where it is so simple that there is one; others may be valid too."""
    named = schema.get("type")
    deciding = {key for key in schema if key not in NOTES and key[:2] != "x-"}
    if deciding == {"type"} and isinstance(named, str) and named in _SURE:
        return f"type({given}) is {_SURE[named]}"
    if "enum" in deciding and deciding <= {"type", "enum"} and schema.get("type", "string") == "string":
        texts = frozenset([value for value in schema["enum"] if isinstance(value, str)])
        return f"type({given}) is str and {given} in {function.keep('texts', texts)}"
    return None


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
