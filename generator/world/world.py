"""The world of one conversation: it answers calls, and what its answers say stays true in later ones.

Results are lean, or have more fields, as services give them. What is added to a thing follows from its key, so that all results
agree and a replay gives the same; nothing is taken away or moved: what links, picks and answers point at stays where it is.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import orjson

from generator.core.conversation import ToolCall
from generator.core.planning import Outcome
from generator.core.pointers import schema_at
from generator.core.toolbox import Toolbox, ToolSpec
from generator.core.yaml_values import own_data
from generator.world.making import ABSENT
from generator.world.state import State
from generator.world.state.effects import CompiledEffect, Refused
from generator.world.state.entities import Entities
from generator.world.state.population import EntityFields
from generator.world.state.state import mixed

SIZES = ("lean", "usual", "full")
"""How large results are; the first is what `returns` says and nothing else."""
_ADDED: dict[str, dict[str, dict[str, Any]]] = own_data(__file__, "fuller.yaml")


_ONLY_IN_LOOK_UPS = "sync"
"""What other systems know of a thing, which a call that changes it does not tell."""


class ResultContext(NamedTuple):
    """What a result depends on beside what it is about."""

    mark: str
    """Tells the call from all others of the conversation."""
    day: str
    """Today, for moments."""
    made: frozenset[str]
    """Keys of things that the conversation has made, about which no other system knows yet."""
    total: int | None
    """How many there are of what a search has found, where it may have been cut."""
    looks_up: bool


def size_at(weights: tuple[tuple[str, float], ...], number: int) -> str:
    """Return the size of the results of the conversation with a number of 64 bits; the first one without weights."""
    if not weights:
        return SIZES[0]
    bounds = tuple(accumulate(weight for _, weight in weights))
    return weights[min(bisect_right(bounds, number / 2**64 * bounds[-1]), len(weights) - 1)][0]


def enlarged(result: Any, size: str, call: ResultContext) -> Any:
    """Return the result of a call with the fields, page and service data that fuller.yaml adds in a size; a result that is no object stays as it is."""
    if type(result) is not dict or size == SIZES[0]:
        return result
    added = _ADDED[size]
    larger = {
        name: [_enlarged_record(element, added["element"], call) for element in value] if type(value) is list else value
        for name, value in result.items()
    }
    larger = _enlarged_record(larger, added["thing"], call)
    listed = next(
        (value for value in result.values() if type(value) is list and value and type(value[0]) is dict), None
    )
    if listed is not None and size == SIZES[-1]:
        more = call.total is not None and call.total > len(listed)
        cursor = f"c_{crc32(call.mark.encode()):08x}" if more else None
        page = {"size": len(listed), "total": max(call.total or 0, len(listed)), "has_more": more}
        larger.setdefault("page", {**page, "next_cursor": cursor})
    for subject, key in (("result", call.mark), ("service", call.day)):
        for name, value in added[subject].items():
            larger.setdefault(name, _added_value(value, "", key, call.day, name))
    return larger


def _enlarged_record(record: Any, added: dict[str, Any], call: ResultContext) -> Any:
    """Return an object with the fields that fuller.yaml adds to an entity, if it has a key (its first `…_id`) that the conversation did not create."""
    if type(record) is not dict:
        return record
    key = next((name for name in record if name[-3:] == "_id" and type(record[name]) is str), None)
    if key is None or record[key] in call.made:
        return record
    larger = dict(record)
    for name, value in added.items():
        if name not in larger and (call.looks_up or name != _ONLY_IN_LOOK_UPS):
            larger[name] = _added_value(value, key[:-3], record[key], call.day, name)
    return larger


def _added_value(value: Any, kind: str, key: str, day: str, at: str) -> Any:
    """Return the value of an added field, drawn by the key: a moment, a number, one of a list, or a text with `{key}`, `{hex}`, `{one}`, `{many}`.

    `kind` is the noun of the entity (`order`), `at` the path of the field.
    """
    if type(value) is dict:
        return {name: _added_value(inner, kind, key, day, f"{at}/{name}") for name, inner in value.items()}
    if value is None:
        return None
    number = crc32(f"{key}/{at}".encode())
    if type(value) is list:
        return value[number % len(value)]
    if value == "moment":
        return f"{day}T{number % 5:02}:{number // 5 % 60:02}:{number // 300 % 60:02}Z"
    if value == "number":
        return number % 1000
    return value.format(one=kind, many=_plural(kind), key=key, hex=f"{number:08x}")


def _plural(noun: str) -> str:
    """Return the plural of a noun: `entry` → `entries`."""
    if noun[-1:] == "y" and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


Kind = int
"""A number for a kind of entity."""
IdentifierSlot = tuple[str, str, str]
"""(tool, `argument` or `result`, slot): where identifiers stand."""


def kinds_of_entities(toolbox: Toolbox) -> dict[IdentifierSlot, Kind]:
    """Return the kind of entity that the identifiers at each slot which links name belong to; linked slots share one."""
    kinds: dict[IdentifierSlot, Kind] = {}
    members: dict[Kind, list[IdentifierSlot]] = {}
    for left, right in _slots_of_one_kind(toolbox):
        for slot in (left, right):
            if slot not in kinds:
                kinds[slot] = len(kinds)
                members[kinds[slot]] = [slot]
        kept_kind, merged_kind = kinds[left], kinds[right]
        if kept_kind != merged_kind:
            for slot in members[merged_kind]:
                kinds[slot] = kept_kind
            members[kept_kind] += members.pop(merged_kind)
    return kinds


def _slots_of_one_kind(toolbox: Toolbox) -> Iterator[tuple[IdentifierSlot, IdentifierSlot]]:
    """Yield pairs of slots whose identifiers are of one kind of entity, as the tools' links say."""
    for name, spec in toolbox.items():
        for link in spec.links:
            yield (name, "argument", link.argument), (link.tool, "result", link.result)
            if link.tool in toolbox:
                repeated = _repeated_argument(toolbox[link.tool], link.result)
                yield (link.tool, "argument", repeated), (link.tool, "result", link.result)


def _repeated_argument(spec: ToolSpec, result_slot: str) -> str:
    """Return the argument that stands at a place of the result again."""
    schema = schema_at(spec.returns, result_slot) or {}
    argument = schema.get("x-from")
    return argument if isinstance(argument, str) else result_slot


if TYPE_CHECKING:
    from generator.world.backend import Backend, CompiledTool


class MadeResult(NamedTuple):
    """The result of a call, as it was made."""

    value: Any
    undecided: Collection[str]
    """The slots that nothing decided but chance, where results are compiled for proposed values."""
    extras: dict[tuple[Any, str], Any]
    """What it shows of entities beside their fields: `{("B-1", "weather"): "sunny"}`, by key and property."""


class _ShowingCall(NamedTuple):
    """A call whose result shows entities; in order, calls that only read come first."""

    entity_kind: str
    changes_entities: bool
    tool: str
    arguments: bytes
    """As canonical JSON."""


class SimulatedWorld:
    """The world of one conversation: it answers calls and remembers what the answers said."""

    __slots__ = (
        *(
            "_backend",
            "_day",
            "_digest",
            "_draw",
            "_earlier",
            "_extras",
            "_effects",
            "_facts",
            "_made",
            "_size",
            "_step_calls",
            "_step_extras",
            "_tools",
        ),
        "state",
    )

    def __init__(self, backend: "Backend", today: date, salt: int) -> None:
        """Begin a conversation; `salt` (64 bits) sets its entities and answers apart from those of others."""
        self._digest = blake2b(digest_size=8, salt=salt.to_bytes(8, "big"))
        self._tools = backend.tools
        self._day = today
        self._draw = backend.draw
        self._facts: dict[tuple[Kind, Any], dict[str, Any]] = {}
        self._step_calls: list[AnsweredCall] | None = [] if backend.is_linked else None
        self._earlier: list[AnsweredCall] = []
        self._step_extras: dict[_ShowingCall, dict[tuple[Any, str], Any]] = {}
        """By call: what its result shows of entities beside their fields, `{("B-1", "weather"): "sunny"}`."""
        self._extras: dict[str, dict[tuple[Any, str], Any]] = {}
        """What earlier results showed beside the fields of entities, by kind, key and property; only where values are proposed."""
        self._backend, self._effects = backend, backend.effects
        self.state = State(backend.population, today, salt)
        self._size = size_at(backend.sizes, mixed(salt ^ _SIZE)) if backend.sizes else SIZES[0]
        self._made: frozenset[str] = frozenset()
        """Keys of what calls have made, where results are not lean."""

    def __enter__(self) -> "SimulatedWorld":
        return self

    def __exit__(self, *_: object) -> None:
        """Close nothing."""

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the outcomes of calls that are made at once; their order makes no difference.

        Those that only read see what was there before the step; the others are made one after the other in the order of
        their names and arguments, and each result shows what is there after all of them.
        """
        self.state.begin()
        outcomes = self._entity_outcomes(calls) if self._effects else {}
        for index, call in enumerate(calls):
            if index not in outcomes:
                result = self.answer(call.name, call.arguments)
                if self._size != SIZES[0]:
                    result = self._resized(call, result)
                outcomes[index] = Outcome(True, content_of(result), result)
        self.settle()
        return tuple([outcomes[index] for index in range(len(calls))])

    @property
    def effects(self) -> dict[str, CompiledEffect]:
        """The effects of the tools that have one."""
        return self._effects

    @property
    def entities(self) -> Entities | None:
        """The entities as scenarios see them, if some tool acts on entities."""
        return Entities(self, self._day.isoformat()) if self._effects else None

    def peek(self, call: ToolCall) -> Outcome:
        """Return the outcome that a call would have now, without making it."""
        other = SimulatedWorld(self._backend, self._day, 0)
        other._digest, other.state = self._digest, self.state.copy()
        other._size, other._made = self._size, self._made
        other._facts, other._earlier, other._extras = (dict(self._facts), list(self._earlier), dict(self._extras))
        return other.step((call,))[0]

    def _entity_outcomes(self, calls: Sequence[ToolCall]) -> dict[int, Outcome]:
        """Return the outcomes of the calls of tools with an effect, by the calls' indexes; all that read before all that change something."""
        state, day = self.state, self._day.isoformat()
        outcomes: dict[int, Outcome] = {}
        writing: list[tuple[str, bytes, int]] = []
        for index, call in enumerate(calls):
            effect = self._effects.get(call.name)
            if effect is None:
                continue
            if effect.title:
                state.touched.add(effect.title)
            if effect.effect.reads:
                selected = effect.refuse(state, call.arguments, day)
                outcomes[index] = self._outcome(call, effect, selected)
            else:
                writing.append((call.name, _canonical(call.arguments, option=_SORTED), index))
        if writing:
            self._make_changes(calls, sorted(writing), outcomes)
        return outcomes

    def _make_changes(
        self, calls: Sequence[ToolCall], writing: list[tuple[str, bytes, int]], outcomes: dict[int, Outcome]
    ) -> None:
        """Make the calls that change something, in order of (tool, arguments, index), and add all their outcomes afterwards."""
        state, day = self.state, self._day.isoformat()
        changed: list[tuple[int, list[dict[str, Any]]]] = []
        for name, _, index in writing:
            effect, arguments = self._effects[name], calls[index].arguments
            selected = effect.refuse(state, arguments, day)
            if isinstance(selected, Refused):
                outcomes[index] = Outcome(False, selected.content)
            else:
                changed.append((index, effect.apply(state, selected, arguments, day)))
        state.refresh()
        for index, entities in changed:
            effect = self._effects[calls[index].name]
            present = state.all(effect.title) if effect.title else {}
            outcomes[index] = self._outcome(
                calls[index], effect, [present.get(fields[effect.key], fields) for fields in entities]
            )

    def _outcome(self, call: ToolCall, effect: CompiledEffect, selected: Refused | list[dict[str, Any]]) -> Outcome:
        """Return the outcome of a call about the selected entities, or of one that was refused."""
        if isinstance(selected, Refused):
            return Outcome(False, selected.content)
        result = self.answer(call.name, call.arguments, selected)
        if self._size != SIZES[0]:
            if effect.effect.kind == "create":
                self._made |= {str(fields[effect.key]) for fields in selected if effect.key in fields}
            result = self._resized(call, result, effect)
        return Outcome(True, content_of(result), result)

    def _resized(self, call: ToolCall, result: Any, effect: CompiledEffect | None = None) -> Any:
        """Return a result with what is usual beside it, in the size of the conversation's results."""
        day, total = self._day.isoformat(), None
        if effect is not None and effect.effect.kind == "find" and effect.title:
            total = len(effect.select(self.state.every(effect.title), call.arguments, day, self.state))
        mark = call.name + _canonical(call.arguments, option=_SORTED).decode()
        looks_up = effect is None or effect.effect.reads
        return enlarged(result, self._size, ResultContext(mark, day, self._made, total, looks_up))

    def answer(self, tool: str, arguments: dict[str, Any], entities: Sequence[EntityFields] = ()) -> Any:
        """Return the result of a call about these entities, and note it for later steps; calls of one step do not see each other's results."""
        result, compiled = self.result_of(tool, arguments, entities), self._tools[tool]
        if self._step_calls is not None:
            self._step_calls.append((compiled, arguments, result.value))
        if result.extras and compiled.effect is not None:
            effect = compiled.effect
            call = _ShowingCall(effect.title, not effect.effect.reads, tool, _canonical(arguments, option=_SORTED))
            self._step_extras[call] = result.extras
        return result.value

    def result_of(
        self, tool: str, arguments: dict[str, Any], entities: Sequence[EntityFields], proposed: Any = ABSENT
    ) -> MadeResult:
        """Return the result of a call without noting it; `proposed` values stand in it as far as arguments, facts and formulas leave them open."""
        compiled, draw, digest = self._tools[tool], self._draw, self._digest.copy()
        effect = compiled.effect
        digest.update(compiled.address + _canonical(arguments, option=_SORTED))
        if effect is not None and (effect.title or not compiled.identifying_arguments):
            facts = entities[0] if entities and effect.effect.kind != "find" else _NOTHING
        else:  # about something that only results know, such as a file's versions
            facts = (
                self._facts_for(compiled, arguments)
                if compiled.identifying_arguments and (self._earlier or self._facts)
                else _NOTHING
            )
        draw.start(int.from_bytes(digest.digest(), "big"), self._day)
        if effect is not None:
            draw.related, draw.every = self.state.find, self.state.every
            draw.remembered_extras = self._extras.get(effect.title, _NOTHING)
        draw.take(arguments, facts, entities)
        draw.proposed = proposed
        return MadeResult(compiled.make(draw), draw.undecided, draw.extras)

    def settle(self) -> None:
        """End a step: later calls answer in line with its results, and with what these showed of an entity beside its fields."""
        if self._step_calls:
            self._earlier += self._step_calls
            self._step_calls.clear()
        for call in sorted(self._step_extras):  # whatever the order of the calls; what changes something is believed
            shown_before = self._extras.get(call.entity_kind, {})
            self._extras[call.entity_kind] = shown_before | self._step_extras[call]
        self._step_extras.clear()

    def _facts_for(self, compiled: "CompiledTool", arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that earlier results showed of the entities that a call's arguments identify; the first one's go before."""
        if self._earlier:
            self._collect_facts()
        facts: dict[str, Any] = {}
        for kind, identifier_of in compiled.identifying_arguments:
            key = identifier_of(arguments)
            known_facts = self._facts.get((kind, key)) if isinstance(key, _KEYS) else None
            if known_facts is not None:
                facts = {**known_facts, **facts}
        return facts

    def _collect_facts(self) -> None:
        """Note the fields of each identified object in earlier results; done only when a call could use them."""
        for compiled, arguments, result in self._earlier:
            for kind, objects_in in compiled.identified_objects:
                for key, fields in objects_in(result):
                    self._add_facts(kind, key, fields)
            if isinstance(result, dict):
                for kind, identifier_of in compiled.identifying_arguments:
                    self._add_facts(kind, identifier_of(arguments), result)
        self._earlier.clear()

    def _add_facts(self, kind: Kind, key: Any, fields: dict[str, Any]) -> None:
        """Note the fields of an entity, but objects and lists; later ones replace earlier ones."""
        if isinstance(key, _KEYS):
            simple_fields = {
                name: value for name, value in fields.items() if type(value) is not dict and type(value) is not list
            }
            known_facts = self._facts.setdefault((kind, key), simple_fields)
            if known_facts is not simple_fields:
                known_facts.update(simple_fields)


AnsweredCall = tuple["CompiledTool", dict[str, Any], Any]
"""A call that was answered: of which tool, its arguments and its result."""
_NOTHING: dict[Any, Any] = {}
_SIZE = 0x2545F4914F6CDD1D
_canonical, _encoded, _SORTED = orjson.dumps, orjson.dumps, orjson.OPT_SORT_KEYS
_KEYS = (str, int)
"""Types of values that identify things."""


def content_of(result: Any) -> str:
    """Return a result as the tool message carries it: text as it is, everything else as JSON."""
    return result if type(result) is str else _encoded(result).decode()
