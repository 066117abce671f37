"""Compile a tool's effect, as its spec file declares it, into one that can be run."""

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from generator.core.documents import nearest
from generator.core.entities import Effect, Entity, references_of
from generator.core.errors import SpecError
from generator.core.pointers import schema_at
from generator.core.toolbox import ToolSpec
from generator.world.expressions import Expression, compile_expression, defaults_of
from generator.world.order import compile_order
from generator.world.state.effects import CHANGING, CompiledEffect

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
    taken = tuple(name for name in properties if writes and name in fields and name not in effect.by)
    reader = _Reader(spec, fields, properties, taken)
    listed = schema_at(spec.returns, effect.at) if effect.kind == "find" else None
    equal = tuple((name, field) for name, field in effect.by.items() if field in fields)
    tests = (
        *(reader.test(name, text, f"by.{name}") for name, text in effect.by.items() if text not in fields),
        *([reader.test(None, effect.where, "where")] if effect.where else []),
    )
    given = tuple(reader.given(effect))  # after the tests, in which faults of expressions are told
    naming = (entity.key, *entity.called[:1]) if entity is not None else ()
    held = references_of(entity, entities) if entity is not None and effect.kind == "find" else {}
    settled = frozenset(_settled(effect, entity, entities))
    return CompiledEffect(
        tool=spec.name,
        effect=effect,
        title=entity.title if entity is not None else "",
        key=entity.key if entity is not None else "",
        noun=effect.entity.replace("_", " "),
        equal=equal,
        names=effect.names,
        tests=tests,
        given=given,
        refers=tuple(_refers(effect, entity, entities)),
        needs=tuple((need, reader.read(need.that, "needs")[0] if need.that else None) for need in effect.needs),
        changes=tuple(reader.change(field, value) for field, value in effect.set.items()),
        said=frozenset(effect.set),
        taken=taken,
        told=frozenset(reader.told),
        states=entity.states if entity is not None else {},
        arrange=compile_order(effect.sort),
        most=(listed or {}).get("maxItems"),
        can_refuse=bool(effect.needs or (entity is not None and entity.states and effect.kind in CHANGING)),
        choices={
            name: tuple(part["enum"])
            for name, part in properties.items()
            if (name in effect.by or name in fields) and isinstance(part, dict) and "enum" in part
        },
        defaults={
            name: value
            for name, value in defaults_of(spec.tool.parameters).items()
            if not (name in settled or (name in taken and effect.kind != "create"))
            and not (value is False and (name, effect.by.get(name)) in equal)
        },
        required=frozenset(spec.required),
        settled=settled,
        naming=naming,
        naming_arguments=tuple(name for name, field in (*equal, *[pair[:2] for pair in given]) if field in naming),
        filters=frozenset(name for name, _ in equal),
        holds=tuple((name, entities[held[field]].title) for name, field in equal if field in held),
        must_change=effect.kind == "update" and spec.origins.get("effect") in ("model", "human"),
        within=tuple(effect.words.items()) if spec.origins.get("effect") == "model" else (),
    )


def _refers(effect: Effect, entity: Entity | None, entities: Mapping[str, Entity]) -> Iterable[tuple[str, str, str]]:
    """Return (argument, title, noun) of the other entities that arguments name."""
    for name, other in effect.refers.items():
        is_own = entity is not None and entity.key == (name if effect.kind == "create" else effect.by.get(name))
        if not is_own:
            yield name, entities[other].title, other.replace("_", " ")


def _settled(effect: Effect, entity: Entity | None, entities: dict[str, Entity]) -> Iterable[str]:
    """Yield the arguments that must name an entity which exists: all that do, but for filters of a search by other fields."""
    yield from effect.refers
    held = {entity.key, *references_of(entity, entities)} if entity is not None else set()
    yield from [name for name, field in effect.by.items() if effect.kind != "find" or field in held]


class _Reader:
    """Reads the expressions of one effect."""

    def __init__(
        self, spec: ToolSpec, fields: Mapping[str, Any], properties: Mapping[str, Any], taken: Iterable[str]
    ) -> None:
        self._tables, self._entities = spec.declared.tables, spec.declared.entities
        self._fields, self._properties = fields, properties
        self.told = set(taken)
        """Fields that are set to values of arguments."""

    def read(self, text: str, at: str, sets: str = "") -> tuple[Expression, frozenset[str]]:
        """Return an expression, which may be the new value of a field, and the fields that it reads."""
        try:
            expression, reads = compile_expression(text, self._tables, self._entities)
        except ValueError as wrong:
            raise SpecError(f"effect.{at}: {text!r}: {wrong}") from None
        self._check(reads.properties - {"today"}, self._fields, "field", f"effect.{at}: {text!r}")
        self._check(reads.arguments, self._properties, "argument", f"effect.{at}: {text!r}")
        if reads.arguments or not self.told.isdisjoint(reads.properties):
            self.told |= {sets} - {""}
        return expression, reads.properties

    def test(self, name: str | None, text: str, at: str) -> tuple[str | None, Expression, tuple[str, ...]]:
        """Return what must be true of entities, where an argument is given, and the fields that it reads by their names."""
        expression, fields = self.read(text, at)
        return name, expression, tuple(sorted(fields))

    def given(self, effect: Effect) -> Iterable[tuple[str, str, Expression]]:
        """Yield arguments of a search whose test says what a field of the entities is, with the field and that value."""
        for name, field in effect.words.items():
            yield name, field, self.read(f"args.{name}", f"by.{name}")[0]
        for name, text in effect.by.items():
            field, value = _equation(text)
            if field in self._fields:
                expression, reads = self.read(value, f"by.{name}")
                if not reads:
                    yield name, field, expression

    def change(self, field: str, value: Any) -> tuple[str, Any, Expression | None]:
        """Return a field with its new value: a plain one, or an expression."""
        if isinstance(value, str) and value not in self._fields[field].get("enum", ()):
            return field, None, self.read(value, f"set.{field}", field)[0]
        return field, value, None

    @staticmethod
    def _check(names: Iterable[str], known: Mapping[str, Any], what: str, start: str) -> None:
        for name in sorted(names):
            if name not in known:
                raise SpecError(f"{start}: no {what} {name!r}{nearest(name, known)}")


def _equation(text: str) -> tuple[str, str]:
    """Return the two sides of `name == args.first + args.last`, alone or before an `or`; empty texts for anything else."""
    match ast.parse(text, mode="eval").body:
        case ast.BoolOp(op=ast.Or(), values=[first, *_]) if "args." in ast.unparse(first):
            return _equation(ast.unparse(first))
        case ast.Compare(left=ast.Name(id=field), ops=[ast.Eq()], comparators=[value]):
            return field, ast.unparse(value)
    return "", ""
