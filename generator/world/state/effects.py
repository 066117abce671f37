"""The effect of one tool: which entities a call is about, whether it may be made, what it changes."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import msgspec
import orjson

from generator.core.entities import Effect, Need
from generator.world.expressions import EVERY, FAULTS, RELATED, Expression, ReadableNames, readable_arguments
from generator.world.functions import MissingError
from generator.world.state.population import EntityFields
from generator.world.state.state import State
from generator.world.state.texts import Refused, refusal

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
    equal: tuple[tuple[str, str], ...]
    """(argument, field that must equal it)."""
    names: dict[str, tuple[str, ...]]
    """Argument → other fields that may equal it instead."""
    tests: tuple[tuple[str | None, Expression, tuple[str, ...]], ...]
    """(argument that makes it count or None, expression that must be true, fields that it reads by their names: sets have another order in each process)."""
    given: tuple[tuple[str, str, Expression], ...]
    """(argument that makes it count, field, its value): what those have that are found, beside what must be equal."""
    refers: tuple[tuple[str, str, str], ...]
    """(argument, title, noun) of the entities that arguments name beside the one the call is about."""
    needs: tuple[tuple[Need, Expression | None], ...]
    changes: tuple[tuple[str, Any, Expression | None], ...]
    """(field, plain value, expression)."""
    said: frozenset[str]
    """Fields that `set` gives a value: no formula of theirs is computed anew."""
    taken: tuple[str, ...]
    """Arguments that become the value of the field of their name."""
    told: frozenset[str]
    """Fields whose value after a call depends on its arguments."""
    states: dict[str, dict[str, tuple[str, ...]]]
    arrange: Callable[[list[Any], Arguments], list[Any]] | None
    most: int | None
    """How long the list in the result can be."""
    defaults: dict[str, Any]
    """What arguments are that a call leaves out."""
    required: frozenset[str]
    can_refuse: bool
    """Whether a call may fail because of the entity that it is about."""
    choices: dict[str, tuple[Any, ...]]
    """The values that the schema leaves to arguments about fields, where it names them."""
    settled: frozenset[str]
    """Arguments that must name an entity which exists."""
    naming: tuple[str, ...]
    """The fields each of which is enough to tell an entity from all others, as a rule: the key and the first of its names."""
    naming_arguments: tuple[str, ...]
    """The arguments that say such a field."""
    filters: frozenset[str]
    """The arguments that must equal a field."""
    holds: tuple[tuple[str, str], ...]
    """(argument, title): filters of a search that hold the key of another kind of entity."""
    must_change: bool = False
    """Whether nobody asks for a call that would set what is set already: of tools under an overlay."""
    within: tuple[tuple[str, str], ...] = ()
    """(argument, field): words that stand within the field of what a search finds, among others."""

    @property
    def names_one_by(self) -> tuple[str, ...]:
        """The fields by which every call names the one that it is about, where these are neither its key nor what it is called."""
        if self.effect.kind in ("find", "create") or self.tests or self.names:
            return ()
        fields = tuple(sorted({field for name, field in self.equal if name in self.required}))
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
        found, arguments = list(entities), self.completed(arguments) if self.defaults else arguments
        for argument, field in self.equal:
            value = arguments.get(argument)
            if value is None or not found:
                continue
            names = self.names.get(argument, ())
            if not names and type(value) is not list:
                found = [fields for fields in found if fields[field] == value]
                continue
            values = value if type(value) is list else [value]
            named = (field, *names)
            found = [
                fields
                for fields in found
                if fields[field] == value or any(map(values.__contains__, map(fields.__getitem__, named)))
            ]
        passes = self.tester(arguments, day, state) if found else None
        return found if passes is None else list(filter(passes, found))

    def tester(self, arguments: Arguments, day: str, state: State | None = None) -> Fits | None:
        """Return whether an entity passes the tests that the arguments ask for; None when they ask for none."""
        arguments = self.completed(arguments) if self.defaults else arguments
        tests = [test for name, test, _ in self.tests if name is None or arguments.get(name) is not None]
        if not tests:
            return None
        around = _names({}, arguments, day, state)

        def passes(fields: EntityFields) -> bool:
            """Whether all of the expressions are true of an entity."""
            names = ReadableNames(fields, **around)
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
        return all(fields[field] in self.choices[name] for name, field in self.equal if name in self.choices)

    def known(self, arguments: Arguments, day: str) -> EntityFields:
        """Return what the arguments of a search say of an entity that it finds."""
        arguments = self.completed(arguments) if self.defaults else arguments
        known = {
            field: value
            for name, field in self.equal
            if (value := arguments.get(name)) is not None and type(value) is not list
        }
        for name, field, expression in self.given:
            if arguments.get(name) is not None:
                with suppress(*FAULTS):  # another argument is missing
                    known[field] = expression(_names({}, arguments, day))
        return known

    def found(self, state: State, arguments: Arguments, day: str) -> list[EntityFields]:
        """Return the entities that a call is about, in the order of the result."""
        everything, arguments = state.all(self.title), self.completed(arguments) if self.defaults else arguments
        if len(self.equal) == 1 and not self.tests and not self.names and self.equal[0][1] == self.key:
            value = arguments.get(self.equal[0][0])
            if value is not None:
                values = value if type(value) is list else [value]
                return [everything[one] for one in values if isinstance(one, str | int) and one in everything]
        if not (self.equal or self.tests) and self.effect.kind not in ("find", "get"):
            return []
        found = self.select(everything.values(), arguments, day, state)
        if self.effect.kind == "find":
            if self.arrange is not None:
                found = self.arrange(found, arguments)
            found = found[: self._limit(arguments)]
        return found

    def refuse(self, state: State, arguments: Arguments, day: str) -> "Refused | list[EntityFields]":
        """Return why a call fails, or the entities that it is about when it succeeds."""
        kind, arguments = self.effect.kind, self.completed(arguments) if self.defaults else arguments
        if kind == "find":
            return self.refuse_new(state, arguments, day) or self.found(state, arguments, day)
        fault = self._unknown(state, arguments)
        if fault is not None:
            return fault
        found = self.found(state, arguments, day) if self.title and kind != "create" else []
        fault = self._missing(found, arguments)
        if fault is not None:
            return fault
        if not found:
            return self.refuse_new(state, arguments, day) or found
        for fields in found if self.can_refuse else ():
            fault = self.refuse_one(state, fields, arguments, day)
            if fault is not None:
                return fault
        return found

    def _unknown(self, state: State, arguments: Arguments) -> "Refused | None":
        """Return the error of a call that names another entity which is not there."""
        for argument, title, noun in self.refers:
            value = arguments.get(argument)
            for one in value if type(value) is list else () if value is None else (value,):
                if one not in state.all(title):
                    return refusal("not_found", noun, f"there is no {noun} {one}")
        return None

    def refuse_one(self, state: State | None, fields: EntityFields, arguments: Arguments, day: str) -> "Refused | None":
        """Return why a call about an entity fails because of that entity (with a state, also because of others)."""
        arguments = self.completed(arguments) if self.defaults else arguments
        for need, expression in self.needs:
            if not self._holds(need, expression, state, fields, arguments, day):
                return refusal(need.error, self.noun, "", need, fields, arguments, self.key)
        if self.states and self.effect.kind in CHANGING:
            after = self.changed(fields, arguments, day, state)
            for field, states in self.states.items():
                old, new = fields[field], after[field]
                if new not in states[old] and (new != old or self.effect.kind == "move"):
                    what = f"{self.noun} {fields.get(self.key)} is {_words(old)}"
                    return refusal("wrong_state", self.noun, what)
        return None

    def changed(self, fields: EntityFields, arguments: Arguments, day: str, state: State | None = None) -> EntityFields:
        """Return the entity with what the call changes."""
        arguments = self.completed(arguments) if self.defaults else arguments
        changes: EntityFields = {name: arguments[name] for name in self.taken if name in arguments}
        for field, value, expression in self.changes:
            if field in self.taken and field in arguments:
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
        if not self.must_change or not (self.changes or any(name in arguments for name in self.taken)):
            return False
        return self.changed(fields, arguments, day, state) == fields

    def apply(self, state: State, found: list[EntityFields], arguments: Arguments, day: str) -> list[EntityFields]:
        """Change the state; return the entities as the call leaves them (those that are deleted as they were)."""
        kind = self.effect.kind
        if not self.title or self.effect.reads:
            return found
        own = state.kind(self.title)
        everything = state.all(self.title)
        if kind == "create":
            call = self.tool.encode() + b"\x1f" + orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)
            number = state.created.get(call, 0)
            state.created[call] = number + 1
            known = self.changed({}, arguments, day, state)
            known = {name: value for name, value in known.items() if name not in own.tests or own.tests[name](value)}
            made = state.make(own, known, call + str(number).encode())
            everything[made[self.key]] = made
            return [made]
        after = []
        for fields in found:
            if kind == "delete":
                everything.pop(fields[self.key], None)
                after.append(fields)
                continue
            new = self.changed(fields, arguments, day, state)
            if new is not fields:
                different = {name for name, value in new.items() if value is not fields.get(name)}
                new = {**new, **{name: fields[name] for name in different if not own.tests.get(name, _any)(new[name])}}
                new = state.computed(own, new, different | self.said)
                everything[fields[self.key]] = new
            after.append(new)
        return after

    def _limit(self, arguments: Arguments) -> int | None:
        limit = self.effect.limit
        asked = arguments.get(limit) if isinstance(limit, str) else limit
        if type(asked) is not int:
            return self.most
        return max(asked, 0) if self.most is None else min(max(asked, 0), self.most)

    def _missing(self, found: list[EntityFields], arguments: Arguments) -> "Refused | None":
        """Return the error of a call about entities that are not there, or about more than one where one is meant."""
        if self.effect.kind in ("find", "create") or not (self.equal or self.tests):
            return None
        told = [arguments[name] for name, _ in self.equal if arguments.get(name) is not None]
        wanted = next((value for value in told if type(value) is list), None)
        if wanted is not None:
            ((argument, field),) = [pair for pair in self.equal if arguments.get(pair[0]) is wanted]
            there = {fields[name] for fields in found for name in (field, *self.names.get(argument, ()))}
            absent = [value for value in wanted if value not in there]
            return refusal("not_found", self.noun, f"there is no {self.noun} {absent[0]}") if absent else None
        if not told and not any(name and arguments.get(name) is not None for name, _, _ in self.tests):
            return None
        if not found:
            what = " ".join(
                [self._as_named(name, arguments[name]) for name, _ in self.equal if arguments.get(name) is not None]
            )
            return refusal("not_found", self.noun, f"there is no {self.noun} {what}".rstrip())
        if len(found) > 1:
            return refusal(
                "conflict", self.noun, f"{len(found)} {_plural(self.noun)} fit {' '.join(map(str, told))}".rstrip()
            )
        return None

    def _as_named(self, argument: str, value: Any) -> str:
        """Return what a call names as an error says it: titles stand in quotation marks, keys and names of people do not."""
        is_title = not _TITLES.isdisjoint(self.names.get(argument, ())) and " " in str(value)
        return f'"{value}"' if is_title else str(value)

    def refuse_new(self, state: State, arguments: Arguments, day: str) -> "Refused | None":
        """Return why a call that is about no entity yet fails, or None."""
        arguments = self.completed(arguments) if self.defaults else arguments
        new = self.changed({}, arguments, day, state) if self.effect.kind == "create" else {}
        if self.effect.kind == "create" and new.get(self.key) in state.all(self.title):
            return refusal("duplicate", self.noun, f"there already is a {self.noun} {new[self.key]}")
        for need, expression in self.needs:
            if not self._holds(need, expression, state, new, arguments, day):
                return refusal(need.error, self.noun, "", need, new, arguments, self.key)
        return None

    def _holds(
        self,
        need: Need,
        expression: Expression | None,
        state: State | None,
        fields: EntityFields,
        arguments: Arguments,
        day: str,
    ) -> bool:
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
        new = self.changed(fields, arguments, day, state)
        others = [one for key, one in state.all(self.title).items() if key != fields.get(self.key)]
        if need.unique:
            same = [one for one in others if all(one[field] == new.get(field, _ABSENT) for field in need.unique)]
            return not same
        alike = [one for one in others if all(one[field] == new.get(field, _ABSENT) for field in need.per)]
        return need.most is None or len(alike) < need.most


_TITLES = frozenset({"title", "subject", "headline", "label"})
"""Fields of words that need quotation marks within a sentence."""


def _names(fields: Mapping[str, Any], arguments: Arguments, day: str, state: State | None = None) -> ReadableNames:
    given = (
        arguments.readable
        if isinstance(arguments, Completed)
        else ReadableNames({name: value for name, value in arguments.items() if value is not None})
    )
    names = ReadableNames(fields, args=given, today=day)
    if state is not None:
        names[RELATED], names[EVERY] = state.find, state.every
    return names


def _words(state: str) -> str:
    return state.replace("_", " ")


def _plural(noun: str) -> str:
    return noun if noun.endswith("s") else f"{noun}s"


def _any(value: Any) -> bool:
    return True


_ABSENT = object()
