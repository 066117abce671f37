"""The effect of one tool: which entities a call is about, whether it may be made, what it changes; compiled from what its file declares."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import orjson

from generator.core.documents import nearest
from generator.core.entities import Effect, Entity, Need, references_of
from generator.core.errors import SpecError
from generator.core.pointers import schema_at
from generator.core.profiles import ERROR
from generator.core.toolbox import ToolSpec
from generator.world.expressions import (
    EVERY,
    FAULTS,
    RELATED,
    Expression,
    ReadableNames,
    compile_expression,
    defaults_of,
    readable_arguments,
)
from generator.world.functions import MissingError
from generator.world.result_fields import compile_order
from generator.world.state.population import EntityFields
from generator.world.state.state import State

_SLOT = re.compile(r"\{(args\.)?(\w+)\}")


class Refused(NamedTuple):
    """Why a call failed."""

    content: str
    """What the tool message says."""


def refusal(error: str, text: str) -> Refused:
    """Return an error of this name (`already_shipped`) with its text."""
    title = error.replace("_", " ").capitalize()
    return Refused(f"{ERROR}{title} - {text}" if text else f"{ERROR}{title}")


def _as_error_text(value: Any) -> str:
    """Return a value as an error says it: `in_transit` → `in transit`, True → `true`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("_", " ") if isinstance(value, str) else str(value)


Arguments = Mapping[str, Any]
ANY: Arguments = MappingProxyType({})
"""Stands for arguments of which nothing is known, not even whether they are given."""
Fits = Callable[[EntityFields], bool]
"""Whether an entity will do."""


class Completed(dict[str, Any]):
    """The arguments of a call, with defaults for what it leaves out."""

    __slots__ = ("readable",)
    readable: ReadableNames
    """As expressions read them."""


CHANGING = ("update", "move", "act")
"""Kinds of effects that need a state which another one may follow."""


class CompiledEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of one tool on the entities of a state."""

    tool: str
    effect: Effect
    title: str
    """Of the kind that it is about; empty when it is about none."""
    key: str
    noun: str
    equal_fields: tuple[tuple[str, str], ...]
    """(argument, field that must equal it)."""
    other_fields: dict[str, tuple[str, ...]]
    """Argument → other fields that may equal it instead."""
    tests: tuple[tuple[str | None, Expression, tuple[str, ...]], ...]
    """(argument that makes it count or None, expression that must be true, fields that it reads by their names: sets have another order in each process)."""
    implied_fields: tuple[tuple[str, str, Expression], ...]
    """(argument that makes it count, field, its value): what those have that are found, beside what must be equal."""
    references: tuple[tuple[str, str, str], ...]
    """(argument, title, noun) of the entities that arguments name beside the one the call is about."""
    needs: tuple[tuple[Need, Expression | None], ...]
    changes: tuple[tuple[str, Any, Expression | None], ...]
    """(field, plain value, expression)."""
    set_fields: frozenset[str]
    """Fields that `set` gives a value: no formula of theirs is computed anew."""
    copied: tuple[str, ...]
    """Arguments that become the value of the field of their name."""
    from_arguments: frozenset[str]
    """Fields whose value after a call depends on its arguments."""
    states: dict[str, dict[str, tuple[str, ...]]]
    arrange: Callable[[list[Any], Arguments], list[Any]] | None
    longest_list: int | None
    """How long the list in the result can be."""
    defaults: dict[str, Any]
    """What arguments are that a call leaves out."""
    required: frozenset[str]
    can_refuse: bool
    """Whether a call may fail because of the entity that it is about."""
    choices: dict[str, tuple[Any, ...]]
    """The values that the schema leaves to arguments about fields, where it names them."""
    existing: frozenset[str]
    """Arguments that must name an entity which exists."""
    naming_fields: tuple[str, ...]
    """The fields each of which is enough to tell an entity from all others, as a rule: the key and the first of its names."""
    naming_arguments: tuple[str, ...]
    """The arguments that say such a field."""
    filters: frozenset[str]
    """The arguments that must equal a field."""
    reference_filters: tuple[tuple[str, str], ...]
    """(argument, title): filters of a search that hold the key of another kind of entity."""
    must_change: bool = False
    """Whether nobody asks for a call that would set what is set already: of tools under an overlay."""
    word_filters: tuple[tuple[str, str], ...] = ()
    """(argument, field): words that stand within the field of what a search finds, among others."""

    @property
    def names_one_by(self) -> tuple[str, ...]:
        """The fields by which every call names the one that it is about, where these are neither its key nor what it is called."""
        if self.effect.kind in ("find", "create") or self.tests or self.other_fields:
            return ()
        fields = tuple(sorted({field for name, field in self.equal_fields if name in self.required}))
        return () if self.key in fields or not fields else fields

    def acts_on(self, title: str) -> bool:
        """Whether calls are about one entity of a kind, which is there before."""
        return self.title == title and self.effect.kind not in ("find", "create")

    def completed(self, arguments: Arguments) -> Arguments:
        """Return the arguments with defaults for what a call leaves out."""
        if arguments is ANY or type(arguments) is Completed:
            return arguments
        completed = Completed({**self.defaults, **arguments})
        completed.readable = readable_arguments(arguments, self.defaults)
        return completed

    def select(
        self, entities: Iterable[EntityFields], arguments: Arguments, day: str, state: State | None = None
    ) -> list[EntityFields]:
        """Return those entities that the arguments are about; without a state, tests that look at other entities do not count."""
        selected, arguments = list(entities), self.completed(arguments) if self.defaults else arguments
        for argument, field in self.equal_fields:
            value = arguments.get(argument)
            if value is None or not selected:
                continue
            alternatives = self.other_fields.get(argument, ())
            if not alternatives and type(value) is not list:
                selected = [fields for fields in selected if fields[field] == value]
                continue
            values = value if type(value) is list else [value]
            compared_fields = (field, *alternatives)
            selected = [
                fields
                for fields in selected
                if fields[field] == value or any(map(values.__contains__, map(fields.__getitem__, compared_fields)))
            ]
        passes = self.tester(arguments, day, state) if selected else None
        return selected if passes is None else list(filter(passes, selected))

    def tester(self, arguments: Arguments, day: str, state: State | None = None) -> Fits | None:
        """Return whether an entity passes the tests that the arguments ask for; None when they ask for none."""
        arguments = self.completed(arguments) if self.defaults else arguments
        tests = [test for name, test, _ in self.tests if name is None or arguments.get(name) is not None]
        if not tests:
            return None
        names_beside = _names({}, arguments, day, state)

        def passes(fields: EntityFields) -> bool:
            """Whether all of the expressions are true of an entity."""
            names = ReadableNames(fields, **names_beside)
            for test in tests:
                try:
                    if not test(names):
                        return False
                except FAULTS as fault:
                    if state is not None or fault.args[:1] not in ((RELATED,), (EVERY,)):
                        return False
            return True

        return passes

    def matches(self, fields: EntityFields, arguments: Arguments, day: str, state: State | None = None) -> bool:
        """Whether the arguments are about an entity."""
        return bool(self.select((fields,), arguments, day, state))

    def can_be_said(self, fields: EntityFields) -> bool:
        """Whether the schema lets arguments name an entity."""
        return all(fields[field] in self.choices[name] for name, field in self.equal_fields if name in self.choices)

    def known(self, arguments: Arguments, day: str) -> EntityFields:
        """Return the fields that an entity must have so that a search with these arguments finds it: `{"city": "Rome"}`."""
        arguments = self.completed(arguments) if self.defaults else arguments
        known = {
            field: value
            for name, field in self.equal_fields
            if (value := arguments.get(name)) is not None and type(value) is not list
        }
        for name, field, expression in self.implied_fields:
            if arguments.get(name) is not None:
                with suppress(*FAULTS):  # another argument is missing
                    known[field] = expression(_names({}, arguments, day))
        return known

    def entities_for(self, state: State, arguments: Arguments, day: str) -> list[EntityFields]:
        """Return the entities that a call is about, in the order of the result."""
        by_key, arguments = state.all(self.title), self.completed(arguments) if self.defaults else arguments
        if (
            len(self.equal_fields) == 1
            and not self.tests
            and not self.other_fields
            and self.equal_fields[0][1] == self.key
        ):
            value = arguments.get(self.equal_fields[0][0])
            if value is not None:
                values = value if type(value) is list else [value]
                return [by_key[key] for key in values if isinstance(key, str | int) and key in by_key]
        if not (self.equal_fields or self.tests) and self.effect.kind not in ("find", "get"):
            return []
        selected = self.select(by_key.values(), arguments, day, state)
        if self.effect.kind == "find":
            if self.arrange is not None:
                selected = self.arrange(selected, arguments)
            selected = selected[: self._limit(arguments)]
        return selected

    def refuse(self, state: State, arguments: Arguments, day: str) -> "Refused | list[EntityFields]":
        """Return why a call fails, or the entities that it is about when it succeeds."""
        kind, arguments = self.effect.kind, self.completed(arguments) if self.defaults else arguments
        if kind == "find":
            return self.refuse_new(state, arguments, day) or self.entities_for(state, arguments, day)
        fault = self._unknown_reference(state, arguments)
        if fault is not None:
            return fault
        entities = self.entities_for(state, arguments, day) if self.title and kind != "create" else []
        fault = self._not_just_one(entities, arguments)
        if fault is not None:
            return fault
        if not entities:
            return self.refuse_new(state, arguments, day) or entities
        for fields in entities if self.can_refuse else ():
            fault = self.refuse_one(state, fields, arguments, day)
            if fault is not None:
                return fault
        return entities

    def _unknown_reference(self, state: State, arguments: Arguments) -> "Refused | None":
        """Return the error of a call that names another entity which is not there."""
        for argument, title, noun in self.references:
            value = arguments.get(argument)
            for key in value if type(value) is list else () if value is None else (value,):
                if key not in state.all(title):
                    return refusal("not_found", f"there is no {noun} {key}")
        return None

    def refuse_one(self, state: State | None, fields: EntityFields, arguments: Arguments, day: str) -> "Refused | None":
        """Return why a call about an entity fails because of that entity (with a state, also because of others)."""
        arguments = self.completed(arguments) if self.defaults else arguments
        for need, expression in self.needs:
            if not self._is_met(need, expression, state, fields, arguments, day):
                return refusal(need.error, self._reason(need, fields, arguments))
        if self.states and self.effect.kind in CHANGING:
            after = self.changed(fields, arguments, day, state)
            for field, states in self.states.items():
                old, new = fields[field], after[field]
                if new not in states[old] and (new != old or self.effect.kind == "move"):
                    return refusal("wrong_state", f"{self.noun} {fields.get(self.key)} is {old.replace('_', ' ')}")
        return None

    def _reason(self, need: Need, fields: EntityFields, arguments: Arguments) -> str:
        """Return the text of an unmet need's error: its `say` with the slots filled, or what follows from its condition (`order 7: status is new`)."""
        if need.say:
            return _SLOT.sub(lambda slot: _as_error_text((arguments if slot[1] else fields).get(slot[2])), need.say)
        if need.values:
            field = next(field for field, allowed in need.values.items() if fields.get(field) not in allowed)
            return (
                f"{self.noun} {fields.get(self.key)}: {field.replace('_', ' ')} is {_as_error_text(fields.get(field))}"
            )
        if need.unique:
            text = " and ".join(
                f"{field.replace('_', ' ')} {_as_error_text(fields.get(field))}" for field in need.unique
            )
            return f"there already is a {self.noun} with {text}"
        return f"{need.most} is the most" if need.most is not None else ""

    def changed(self, fields: EntityFields, arguments: Arguments, day: str, state: State | None = None) -> EntityFields:
        """Return the entity with what the call changes."""
        arguments = self.completed(arguments) if self.defaults else arguments
        changes: EntityFields = {name: arguments[name] for name in self.copied if name in arguments}
        for field, value, expression in self.changes:
            if field in self.copied and field in arguments:
                continue
            if expression is None:
                changes[field] = value
                continue
            try:
                changes[field] = expression(_names({**fields, **changes}, arguments, day, state))
            except FAULTS:  # an argument that was not given
                continue
        return {**fields, **changes} if changes else fields

    def is_idle(self, fields: EntityFields, arguments: Arguments, day: str, state: State | None = None) -> bool:
        """Whether a call that sets fields, and that nobody would make for nothing, leaves an entity as it is."""
        if not self.must_change or not (self.changes or any(name in arguments for name in self.copied)):
            return False
        return self.changed(fields, arguments, day, state) == fields

    def apply(self, state: State, entities: list[EntityFields], arguments: Arguments, day: str) -> list[EntityFields]:
        """Change the state; return the entities as the call leaves them (those that are deleted as they were)."""
        effect_kind = self.effect.kind
        if not self.title or self.effect.reads:
            return entities
        own = state.kind(self.title)
        by_key = state.all(self.title)
        if effect_kind == "create":
            call = self.tool.encode() + b"\x1f" + orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)
            occurrence = state.created.get(call, 0)
            state.created[call] = occurrence + 1
            given = self.changed({}, arguments, day, state)
            given = {name: value for name, value in given.items() if name not in own.tests or own.tests[name](value)}
            created = state.make(own, given, call + str(occurrence).encode())
            by_key[created[self.key]] = created
            return [created]
        results = []
        for fields in entities:
            if effect_kind == "delete":
                by_key.pop(fields[self.key], None)
                results.append(fields)
                continue
            new = self.changed(fields, arguments, day, state)
            if new is not fields:
                different = {name for name, value in new.items() if value is not fields.get(name)}
                new = {**new, **{name: fields[name] for name in different if not own.tests.get(name, _any)(new[name])}}
                new = state.computed(own, new, different | self.set_fields)
                by_key[fields[self.key]] = new
            results.append(new)
        return results

    def _limit(self, arguments: Arguments) -> int | None:
        """Return how many entities a search may return at most, by the effect's `limit` (a number or an argument) and its schema; None: all."""
        limit = self.effect.limit
        requested = arguments.get(limit) if isinstance(limit, str) else limit
        if type(requested) is not int:
            return self.longest_list
        return max(requested, 0) if self.longest_list is None else min(max(requested, 0), self.longest_list)

    def _not_just_one(self, entities: list[EntityFields], arguments: Arguments) -> "Refused | None":
        """Return the error of a call that names entities that do not exist, or for one by values that several have; None where it is right."""
        if self.effect.kind in ("find", "create") or not (self.equal_fields or self.tests):
            return None
        given = [arguments[name] for name, _ in self.equal_fields if arguments.get(name) is not None]
        listed = next((value for value in given if type(value) is list), None)
        if listed is not None:
            ((argument, field),) = [pair for pair in self.equal_fields if arguments.get(pair[0]) is listed]
            present = {fields[name] for fields in entities for name in (field, *self.other_fields.get(argument, ()))}
            absent = [value for value in listed if value not in present]
            return refusal("not_found", f"there is no {self.noun} {absent[0]}") if absent else None
        if not given and not any(name and arguments.get(name) is not None for name, _, _ in self.tests):
            return None
        if not entities:
            text = " ".join(
                [
                    self._quoted_title(name, arguments[name])
                    for name, _ in self.equal_fields
                    if arguments.get(name) is not None
                ]
            )
            return refusal("not_found", f"there is no {self.noun} {text}".rstrip())
        if len(entities) > 1:
            return refusal(
                "conflict",
                f"{len(entities)} {(self.noun if self.noun.endswith('s') else f'{self.noun}s')} fit {' '.join(map(str, given))}".rstrip(),
            )
        return None

    def _quoted_title(self, argument: str, value: Any) -> str:
        """Return the value of an argument as an error says it: titles in quotation marks, keys and names of people without."""
        is_title = not _TITLES.isdisjoint(self.other_fields.get(argument, ())) and " " in str(value)
        return f'"{value}"' if is_title else str(value)

    def refuse_new(self, state: State, arguments: Arguments, day: str) -> "Refused | None":
        """Return why a call that is about no entity yet fails, or None."""
        arguments = self.completed(arguments) if self.defaults else arguments
        fields = self.changed({}, arguments, day, state) if self.effect.kind == "create" else {}
        if self.effect.kind == "create" and fields.get(self.key) in state.all(self.title):
            return refusal("duplicate", f"there already is a {self.noun} {fields[self.key]}")
        for need, expression in self.needs:
            if not self._is_met(need, expression, state, fields, arguments, day):
                return refusal(need.error, self._reason(need, fields, arguments))
        return None

    def _is_met(
        self,
        need: Need,
        expression: Expression | None,
        state: State | None,
        fields: EntityFields,
        arguments: Arguments,
        day: str,
    ) -> bool:
        """Whether a call about the entity with these fields meets a condition; without a state, those about other entities are met."""
        if need.values:
            return all(fields.get(field) in allowed for field, allowed in need.values.items())
        if expression is not None:
            try:
                return bool(expression(_names(fields, arguments, day, state)))
            except MissingError:  # it is about an argument that was not given
                return True
            except FAULTS:
                return False
        if state is None:
            return True
        changed = self.changed(fields, arguments, day, state)
        others = [one for key, one in state.all(self.title).items() if key != fields.get(self.key)]
        if need.unique:
            same = [one for one in others if all(one[field] == changed.get(field, _ABSENT) for field in need.unique)]
            return not same
        group = [one for one in others if all(one[field] == changed.get(field, _ABSENT) for field in need.per)]
        return need.most is None or len(group) < need.most


_TITLES = frozenset({"title", "subject", "headline", "label"})
"""Fields of words that need quotation marks within a sentence."""


def _names(fields: Mapping[str, Any], arguments: Arguments, day: str, state: State | None = None) -> ReadableNames:
    """Return what the expressions of an effect read: an entity's fields, `args`, `today` and, with a state, all other entities."""
    readable = (
        arguments.readable
        if isinstance(arguments, Completed)
        else ReadableNames({name: value for name, value in arguments.items() if value is not None})
    )
    names = ReadableNames(fields, args=readable, today=day)
    if state is not None:
        names[RELATED], names[EVERY] = state.find, state.every
    return names


def _any(value: Any) -> bool:
    return True


_ABSENT = object()

_WRITING_ARGUMENTS = ("create", "update", "move")
"""Effects for which an argument with the name of a field is its new value."""


def compile_effect(spec: ToolSpec) -> CompiledEffect | None:
    """Compile the effect of a tool; raises SpecError for an expression that cannot be."""
    effect = spec.effect
    if effect is None:
        return None
    entities = spec.declared.entities
    entity = entities.get(effect.entity)
    fields: Mapping[str, Any] = entity.fields if entity is not None else {}
    properties: dict[str, Any] = spec.properties
    writes = effect.kind in _WRITING_ARGUMENTS
    copied = tuple(name for name in properties if writes and name in fields and name not in effect.by)
    reader = _ExpressionReader(spec, fields, properties, copied)
    list_schema = schema_at(spec.returns, effect.at) if effect.kind == "find" else None
    equal_fields = tuple((name, field) for name, field in effect.by.items() if field in fields)
    tests = (
        *(reader.test(name, text, f"by.{name}") for name, text in effect.by.items() if text not in fields),
        *([reader.test(None, effect.where, "where")] if effect.where else []),
    )
    implied_fields = tuple(reader.implied_fields(effect))  # after the tests, in which faults of expressions are told
    naming_fields = (entity.key, *entity.called[:1]) if entity is not None else ()
    reference_fields = references_of(entity, entities) if entity is not None and effect.kind == "find" else {}
    existing = frozenset(_existing_arguments(effect, entity, entities))
    return CompiledEffect(
        tool=spec.name,
        effect=effect,
        title=entity.title if entity is not None else "",
        key=entity.key if entity is not None else "",
        noun=effect.entity.replace("_", " "),
        equal_fields=equal_fields,
        other_fields=effect.names,
        tests=tests,
        implied_fields=implied_fields,
        references=tuple(_referred(effect, entity, entities)),
        needs=tuple((need, reader.read(need.that, "needs")[0] if need.that else None) for need in effect.needs),
        changes=tuple(reader.change(field, value) for field, value in effect.set.items()),
        set_fields=frozenset(effect.set),
        copied=copied,
        from_arguments=frozenset(reader.from_arguments),
        states=entity.states if entity is not None else {},
        arrange=compile_order(effect.sort),
        longest_list=(list_schema or {}).get("maxItems"),
        can_refuse=bool(effect.needs or (entity is not None and entity.states and effect.kind in CHANGING)),
        choices={
            name: tuple(part["enum"])
            for name, part in properties.items()
            if (name in effect.by or name in fields) and isinstance(part, dict) and "enum" in part
        },
        defaults={
            name: value
            for name, value in defaults_of(spec.tool.parameters).items()
            if not (name in existing or (name in copied and effect.kind != "create"))
            and not (value is False and (name, effect.by.get(name)) in equal_fields)
        },
        required=frozenset(spec.required),
        existing=existing,
        naming_fields=naming_fields,
        naming_arguments=tuple(
            name for name, field in (*equal_fields, *[pair[:2] for pair in implied_fields]) if field in naming_fields
        ),
        filters=frozenset(name for name, _ in equal_fields),
        reference_filters=tuple(
            (name, entities[reference_fields[field]].title) for name, field in equal_fields if field in reference_fields
        ),
        must_change=effect.kind == "update" and spec.origins.get("effect") in ("model", "human"),
        word_filters=tuple(effect.words.items()) if spec.origins.get("effect") == "model" else (),
    )


def _referred(effect: Effect, entity: Entity | None, entities: Mapping[str, Entity]) -> Iterable[tuple[str, str, str]]:
    """Yield (argument, title, noun) of the entities that arguments name beside the call's own: `("customer_id", "customers", "customer")`."""
    for name, referred in effect.refers.items():
        is_own = entity is not None and entity.key == (name if effect.kind == "create" else effect.by.get(name))
        if not is_own:
            yield name, entities[referred].title, referred.replace("_", " ")


def _existing_arguments(effect: Effect, entity: Entity | None, entities: dict[str, Entity]) -> Iterable[str]:
    """Yield the arguments that must name an entity which exists: all that do, but for filters of a search by other fields."""
    yield from effect.refers
    key_fields = {entity.key, *references_of(entity, entities)} if entity is not None else set()
    yield from [name for name, field in effect.by.items() if effect.kind != "find" or field in key_fields]


class _ExpressionReader:
    """Reads the expressions of one effect."""

    def __init__(
        self, spec: ToolSpec, fields: Mapping[str, Any], properties: Mapping[str, Any], taken: Iterable[str]
    ) -> None:
        self._tables, self._entities = spec.declared.tables, spec.declared.entities
        self._fields, self._properties = fields, properties
        self.from_arguments = set(taken)
        """Fields that are set to values of arguments."""

    def read(self, text: str, location: str, target_field: str = "") -> tuple[Expression, frozenset[str]]:
        """Return an expression and the fields that it reads.

        `location` is where it stands in the file (`by.city`), `target_field` the field whose new value it is, if it is one.
        """
        try:
            expression, reads = compile_expression(text, self._tables, self._entities)
        except ValueError as wrong:
            raise SpecError(f"effect.{location}: {text!r}: {wrong}") from None
        self._check(reads.properties - {"today"}, self._fields, "field", f"effect.{location}: {text!r}")
        self._check(reads.arguments, self._properties, "argument", f"effect.{location}: {text!r}")
        if reads.arguments or not self.from_arguments.isdisjoint(reads.properties):
            self.from_arguments |= {target_field} - {""}
        return expression, reads.properties

    def test(self, name: str | None, text: str, at: str) -> tuple[str | None, Expression, tuple[str, ...]]:
        """Return (argument, expression that must be true of an entity if that is given, sorted names of the fields that it reads)."""
        expression, fields = self.read(text, at)
        return name, expression, tuple(sorted(fields))

    def implied_fields(self, effect: Effect) -> Iterable[tuple[str, str, Expression]]:
        """Yield (argument, field, expression of its value) for tests of a search that say what a field is: `name == args.first`."""
        yield from ((name, field, self.read(f"args.{name}", f"by.{name}")[0]) for name, field in effect.words.items())
        for name, text in effect.by.items():
            field, value = _equation(text)
            if field in self._fields:
                expression, reads = self.read(value, f"by.{name}")
                if not reads:
                    yield name, field, expression

    def change(self, field: str, value: Any) -> tuple[str, Any, Expression | None]:
        """Return (field, plain value, None) or (field, None, expression) for what `set` says of a field."""
        if isinstance(value, str) and value not in self._fields[field].get("enum", ()):
            return field, None, self.read(value, f"set.{field}", field)[0]
        return field, value, None

    @staticmethod
    def _check(names: Iterable[str], known: Mapping[str, Any], noun: str, context: str) -> None:
        """Raise SpecError for the first of the names that is not known: `effect.where: 'cost > 3': no field 'cost'`."""
        for name in sorted(names):
            if name not in known:
                raise SpecError(f"{context}: no {noun} {name!r}{nearest(name, known)}")


def _equation(text: str) -> tuple[str, str]:
    """Return the two sides of `name == args.first + args.last`, alone, before an `or` or behind `not given(…) or`; empty texts for anything else."""
    match ast.parse(text, mode="eval").body:
        case ast.BoolOp(op=ast.Or(), values=[ast.UnaryOp(operand=ast.Call(func=ast.Name(id="given"))), second]):
            return _equation(ast.unparse(second))
        case ast.BoolOp(op=ast.Or(), values=[first, *_]) if "args." in ast.unparse(first):
            return _equation(ast.unparse(first))
        case ast.Compare(left=ast.Name(id=field), ops=[ast.Eq()], comparators=[value]):
            return field, ast.unparse(value)
    return "", ""
