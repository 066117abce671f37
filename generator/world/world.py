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


_OF_LOOK_UPS = "sync"
"""What other systems know of a thing, which a call that changes it does not tell."""


class Shown(NamedTuple):
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


def enlarged(result: Any, size: str, call: Shown) -> Any:
    """Return the result of a call with what is usual beside what was asked for; what is no object stays as it is."""
    if type(result) is not dict or size == SIZES[0]:
        return result
    added = _ADDED[size]
    larger = {
        name: [_thing(one, added["element"], call) for one in value] if type(value) is list else value
        for name, value in result.items()
    }
    larger = _thing(larger, added["thing"], call)
    listed = next(
        (value for value in result.values() if type(value) is list and value and type(value[0]) is dict), None
    )
    if listed is not None and size == SIZES[-1]:
        more = call.total is not None and call.total > len(listed)
        cursor = f"c_{crc32(call.mark.encode()):08x}" if more else None
        page = {"size": len(listed), "total": max(call.total or 0, len(listed)), "has_more": more}
        larger.setdefault("page", {**page, "next_cursor": cursor})
    for part, key in (("result", call.mark), ("service", call.day)):
        for name, value in added[part].items():
            larger.setdefault(name, _value(value, "", key, call.day, name))
    return larger


def _thing(one: Any, added: dict[str, Any], call: Shown) -> Any:
    """Return an object with what is added to a thing, if its first `…_id` is the key of one."""
    if type(one) is not dict:
        return one
    key = next((name for name in one if name[-3:] == "_id" and type(one[name]) is str), None)
    if key is None or one[key] in call.made:
        return one
    larger = dict(one)
    for name, value in added.items():
        if name not in larger and (call.looks_up or name != _OF_LOOK_UPS):
            larger[name] = _value(value, key[:-3], one[key], call.day, name)
    return larger


def _value(value: Any, kind: str, key: str, day: str, at: str) -> Any:
    """Return the value of an added field: of a kind that fuller.yaml names, for the thing with a key."""
    if type(value) is dict:
        return {name: _value(part, kind, key, day, f"{at}/{name}") for name, part in value.items()}
    if value is None:
        return None
    number = crc32(f"{key}/{at}".encode())
    if type(value) is list:
        return value[number % len(value)]
    if value == "moment":
        return f"{day}T{number % 5:02}:{number // 5 % 60:02}:{number // 300 % 60:02}Z"
    if value == "number":
        return number % 1000
    return value.format(one=kind, many=_many(kind), key=key, hex=f"{number:08x}")


def _many(noun: str) -> str:
    if noun[-1:] == "y" and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


Kind = int
"""A number for a kind of entity."""
IdentifierSlot = tuple[str, str, str]
"""(tool, `argument` or `result`, slot): where identifiers stand."""


def kinds_of_entities(toolbox: Toolbox) -> dict[IdentifierSlot, Kind]:
    """Return the kind of what each place that links name identifies."""
    kinds: dict[IdentifierSlot, Kind] = {}
    members: dict[Kind, list[IdentifierSlot]] = {}
    for left, right in _of_one_kind(toolbox):
        for place in (left, right):
            if place not in kinds:
                kinds[place] = len(kinds)
                members[kinds[place]] = [place]
        kept, gone = kinds[left], kinds[right]
        if kept != gone:
            for place in members[gone]:
                kinds[place] = kept
            members[kept] += members.pop(gone)
    return kinds


def _of_one_kind(toolbox: Toolbox) -> Iterator[tuple[IdentifierSlot, IdentifierSlot]]:
    for name, spec in toolbox.items():
        for link in spec.links:
            yield (name, "argument", link.argument), (link.tool, "result", link.result)
            if link.tool in toolbox:
                repeated = _repeated_argument(toolbox[link.tool], link.result)
                yield (link.tool, "argument", repeated), (link.tool, "result", link.result)


def _repeated_argument(spec: ToolSpec, place: str) -> str:
    """Return the argument that stands at a place of the result again."""
    schema = schema_at(spec.returns, place) or {}
    named = schema.get("x-from")
    return named if isinstance(named, str) else place


if TYPE_CHECKING:
    from generator.world.backend import Backend, CompiledTool


class MadeResult(NamedTuple):
    """The result of a call, as it was made."""

    value: Any
    open: Collection[str]
    """The slots that nothing decided but chance, where results are compiled for proposed values."""
    beside: dict[tuple[Any, str], Any]
    """What it shows of entities beside their fields, by key and property."""


class SimulatedWorld:
    """The world of one conversation: it answers calls and remembers what the answers said."""

    __slots__ = (
        *(
            "_answered",
            "_backend",
            "_beside",
            "_day",
            "_digest",
            "_draw",
            "_effects",
            "_facts",
            "_made",
            "_remembered",
            "_settled",
            "_size",
            "_tools",
        ),
        "state",
    )

    def __init__(self, backend: "Backend", today: date, salt: int) -> None:
        self._digest = blake2b(digest_size=8, salt=salt.to_bytes(8, "big"))
        self._tools = backend.tools
        self._day = today
        self._draw = backend.draw
        self._facts: dict[tuple[Kind, Any], dict[str, Any]] = {}
        self._answered: list[AnsweredCall] | None = [] if backend.is_linked else None
        self._settled: list[AnsweredCall] = []
        self._beside: dict[_Shown, dict[tuple[Any, str], Any]] = {}
        """What results of this step show beside the fields of entities."""
        self._remembered: dict[str, dict[tuple[Any, str], Any]] = {}
        """What earlier results showed beside the fields of entities, by kind, key and property; only where values are proposed."""
        self._backend, self._effects = backend, backend.effects
        self.state = State(backend.population, today, salt)
        self._size = size_at(backend.sizes, mixed(salt ^ _SIZE)) if backend.sizes else SIZES[0]
        self._made: frozenset[str] = frozenset()
        """Keys of what calls have made, where results are not lean."""

    def __enter__(self) -> "SimulatedWorld":
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to close."""

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the outcomes of calls that are made at once; their order makes no difference.

        Those that only read see what was there before the step; the others are made one after the other in the order of
        their names and arguments, and each result shows what is there after all of them.
        """
        self.state.begin()
        outcomes = self._acted(calls) if self._effects else {}
        for place, call in enumerate(calls):
            if place not in outcomes:
                result = self.answer(call.name, call.arguments)
                if self._size != SIZES[0]:
                    result = self._shown(call, result)
                outcomes[place] = Outcome(True, content_of(result), result)
        self.settle()
        return tuple([outcomes[place] for place in range(len(calls))])

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
        other._facts, other._settled, other._remembered = dict(self._facts), list(self._settled), dict(self._remembered)
        return other.step((call,))[0]

    def _acted(self, calls: Sequence[ToolCall]) -> dict[int, Outcome]:
        """Return the outcomes of the calls that are about entities, by the calls' indexes."""
        state, day = self.state, self._day.isoformat()
        outcomes: dict[int, Outcome] = {}
        writing: list[tuple[str, bytes, int]] = []
        for place, call in enumerate(calls):
            effect = self._effects.get(call.name)
            if effect is None:
                continue
            if effect.title:
                state.touched.add(effect.title)
            if effect.effect.reads:
                found = effect.refuse(state, call.arguments, day)
                outcomes[place] = self._outcome(call, effect, found)
            else:
                writing.append((call.name, _canonical(call.arguments, option=_SORTED), place))
        if writing:
            self._write(calls, sorted(writing), outcomes)
        return outcomes

    def _write(
        self, calls: Sequence[ToolCall], writing: list[tuple[str, bytes, int]], outcomes: dict[int, Outcome]
    ) -> None:
        """Make the calls that change something, in this order, and then all their results."""
        state, day = self.state, self._day.isoformat()
        done: list[tuple[int, list[dict[str, Any]]]] = []
        for name, _, place in writing:
            effect, arguments = self._effects[name], calls[place].arguments
            found = effect.refuse(state, arguments, day)
            if isinstance(found, Refused):
                outcomes[place] = Outcome(False, found.content)
            else:
                done.append((place, effect.apply(state, found, arguments, day)))
        state.refresh()
        for place, after in done:
            effect = self._effects[calls[place].name]
            now = state.all(effect.title) if effect.title else {}
            outcomes[place] = self._outcome(
                calls[place], effect, [now.get(fields[effect.key], fields) for fields in after]
            )

    def _outcome(self, call: ToolCall, effect: CompiledEffect, found: Refused | list[dict[str, Any]]) -> Outcome:
        """Return the outcome of a call about entities."""
        if isinstance(found, Refused):
            return Outcome(False, found.content)
        result = self.answer(call.name, call.arguments, found)
        if self._size != SIZES[0]:
            if effect.effect.kind == "create":
                self._made |= {str(one[effect.key]) for one in found if effect.key in one}
            result = self._shown(call, result, effect)
        return Outcome(True, content_of(result), result)

    def _shown(self, call: ToolCall, result: Any, effect: CompiledEffect | None = None) -> Any:
        """Return a result in the size of the conversation's results."""
        day, total = self._day.isoformat(), None
        if effect is not None and effect.effect.kind == "find" and effect.title:
            total = len(effect.select(self.state.every(effect.title), call.arguments, day, self.state))
        mark = call.name + _canonical(call.arguments, option=_SORTED).decode()
        looks_up = effect is None or effect.effect.reads
        return enlarged(result, self._size, Shown(mark, day, self._made, total, looks_up))

    def answer(self, tool: str, arguments: dict[str, Any], found: Sequence[EntityFields] = ()) -> Any:
        """Return the result of a call about these entities. Calls of one step do not see each other's results."""
        made, compiled = self.result_of(tool, arguments, found), self._tools[tool]
        if self._answered is not None:
            self._answered.append((compiled, arguments, made.value))
        if made.beside and compiled.effect is not None:
            effect = compiled.effect
            self._beside[effect.title, not effect.effect.reads, tool, _canonical(arguments, option=_SORTED)] = (
                made.beside
            )
        return made.value

    def result_of(
        self, tool: str, arguments: dict[str, Any], found: Sequence[EntityFields], proposed: Any = ABSENT
    ) -> MadeResult:
        """Return the result of a call, with proposed values as far as nothing else fixes them; nothing is noted."""
        compiled, draw, digest = self._tools[tool], self._draw, self._digest.copy()
        effect = compiled.effect
        digest.update(compiled.address + _canonical(arguments, option=_SORTED))
        if effect is not None and (effect.title or not compiled.linked):
            facts = found[0] if found and effect.effect.kind != "find" else _NOTHING
        else:  # about something that only results know, such as a file's versions
            facts = (
                self._known_of(compiled, arguments) if compiled.linked and (self._settled or self._facts) else _NOTHING
            )
        draw.start(int.from_bytes(digest.digest(), "big"), self._day)
        if effect is not None:
            draw.related, draw.every = self.state.find, self.state.every
            draw.remembered = self._remembered.get(effect.title, _NOTHING)
        draw.take(arguments, facts, found)
        draw.proposed = proposed
        return MadeResult(compiled.make(draw), draw.open, draw.beside)

    def settle(self) -> None:
        """End a step: what its results say becomes known to later ones."""
        if self._answered:
            self._settled += self._answered
            self._answered.clear()
        for call in sorted(self._beside):  # whatever the order of the calls; what changes something is believed
            self._remembered[call[0]] = {**self._remembered.get(call[0], {}), **self._beside[call]}
        self._beside.clear()

    def _known_of(self, compiled: "CompiledTool", arguments: dict[str, Any]) -> dict[str, Any]:
        """Return what earlier results say of the entities that a call names; the first entity wins."""
        if self._settled:
            self._learn_all()
        facts: dict[str, Any] = {}
        for kind, read in compiled.linked:
            key = read(arguments)
            known = self._facts.get((kind, key)) if isinstance(key, _KEYS) else None
            if known is not None:
                facts = {**known, **facts}
        return facts

    def _learn_all(self) -> None:
        """Collect the facts of earlier results; done only when a call could use them."""
        for compiled, arguments, result in self._settled:
            for kind, find in compiled.entities:
                for key, fields in find(result):
                    self._learn(kind, key, fields)
            if isinstance(result, dict):
                for kind, read in compiled.linked:
                    self._learn(kind, read(arguments), result)
        self._settled.clear()

    def _learn(self, kind: Kind, key: Any, fields: dict[str, Any]) -> None:
        if isinstance(key, _KEYS):
            plain = {
                name: value for name, value in fields.items() if type(value) is not dict and type(value) is not list
            }
            known = self._facts.setdefault((kind, key), plain)
            if known is not plain:
                known.update(plain)


AnsweredCall = tuple["CompiledTool", dict[str, Any], Any]
"""A call that was answered: of which tool, its arguments and its result."""
_Shown = tuple[str, bool, str, bytes]
"""A call that shows entities: of which kind, whether it changes something, its tool and arguments."""
_NOTHING: dict[Any, Any] = {}
_SIZE = 0x2545F4914F6CDD1D
_canonical, _encoded, _SORTED = orjson.dumps, orjson.dumps, orjson.OPT_SORT_KEYS
_KEYS = (str, int)
"""Types of values that identify things."""


def content_of(result: Any) -> str:
    """Return a result as the tool message carries it: text as it is, everything else as JSON."""
    return result if type(result) is str else _encoded(result).decode()
