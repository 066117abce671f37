"""One conversation as a scenario plans it: wishes with drawn arguments, and calls that serve them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from generator.core.conversation import ToolCall
from generator.core.errors import CannotFillError
from generator.core.exact_json import is_among, same
from generator.core.planning import USUAL, Meant, Outcome, Persona, PlannedFailure, Ref, Wish
from generator.core.pointers import escape, split, without
from generator.core.seeds import Draw
from generator.core.toolbox import Pick, ToolSpec
from generator.dialogue.from_results.choosing import without_lost
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import UNRELATED, InCommon, Purpose, agree, agrees
from generator.scenarios.affordances.links import Edge, other_known_values, picks_for, works_unseen
from generator.scenarios.policies import Rules
from generator.world.state import Entities

_TRIES = 20
"""How often arguments are drawn anew to differ from those of the other wishes."""


Drawn = dict[str, Any]
NOTHING_THEN: Mapping[str, Sequence[str]] = {}
Picked = dict[tuple[str, str | None], tuple[Pick, ...]]
"""How an element is singled out, by the tool that finds the list and the list's slot."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Everything from which the events of one row are made."""

    toolkit: Toolkit
    draw: Draw
    arguments: dict[str, Callable[[Draw], Drawn]]
    """Returns drawn arguments, by tool."""
    states_today: bool = False
    """Whether the system message states today's date."""
    world: Entities | None = None
    """The entities that calls act on, if the tools have any; then arguments name some of them."""
    planned: dict[str, Drawn] = {}
    """Arguments that have been decided before, by tool."""
    short: bool = False
    """Whether results should be short: calls use the tools' own limit on how much they find."""
    kept: dict[str, Any] = {}
    """Values of arguments that are the same in all calls of the row (`context: {service_desk_id: same}`)."""
    common: InCommon | None = None
    """The values that several requests have in common, where the row is about one goal."""
    prefers: Callable[[Any], bool] | None = None
    """Whether an option should be preferred in this row, because a coverage target needs it."""
    persona: Persona = USUAL
    """Who the user is."""
    rules: Rules | None = None
    """The clauses that the row's policy states, if it has one."""
    faults: list[PlannedFailure] = msgspec.field(default_factory=list)
    """The calls that are to fail in this row's world."""

    def decide(self, options: Sequence[Any]) -> Any:
        """Return one of the options at random, one that a coverage target needs if there is any."""
        options = self.preferred(options) or options
        return options[int(self.draw.rand() * len(options))]

    def preferred(self, options: Sequence[Any]) -> tuple[Any, ...]:
        """Return the options that a coverage target needs; none in most rows."""
        return tuple(filter(self.prefers, options)) if self.prefers is not None else ()

    def wish(self, tool: str, *then: str, fewest: int = 1) -> Wish:
        """Return a wish all of whose values the user says, such that the tools `then` succeed for what it finds.

        A search in a world with entities finds at least the `fewest`.
        """
        return Wish(tool, self._drawn_unlike(tool, [], then=then, fewest=fewest))

    def drawn(self, tool: str, then: Sequence[str] = (), meant: Collection[str] = (), fewest: int = 1) -> Drawn:
        """Return drawn arguments with which a call succeeds, and after it the tools `then` for the same entity.

        Arguments that are `meant` will come from results.
        """
        if tool in self.planned:
            return self.planned[tool]
        said = self._without_lost_arguments(then, tool, self._drawn_at_random(tool, meant))
        return self.fitted(tool, said, then, meant, fewest)

    def _without_lost_arguments(self, then: Sequence[str], tool: str, said: Drawn) -> Drawn:
        """Return drawn arguments without optional ones that would be lost in the calls of the tools `then`."""
        required = self.toolkit.toolbox[tool].required
        for name in then:
            kept = without_lost(said, self.toolkit.toolbox[name], {})
            said = {slot: kept.get(slot, value) for slot, value in said.items() if slot in kept or slot in required}
        return said

    def _drawn_at_random(self, tool: str, meant: Collection[str] = ()) -> Drawn:
        """Return drawn arguments, with what the row keeps and has in common."""
        said = self._with_kept_values(tool, self.arguments[tool](self.draw))
        if self.short:
            said = _with_smallest_limits(self.toolkit.toolbox[tool], said)
        if self.common is not None and not meant:
            said = self.common.given_to(self.toolkit.toolbox[tool], said, self.draw)
        return said

    def fitted(
        self,
        tool: str,
        said: Drawn,
        then: Sequence[str] = (),
        meant: Collection[str] = (),
        fewest: int = 1,
        *,
        agreed: bool = False,
    ) -> Drawn:
        """Return arguments with which a call succeeds in the row's world; those that are `agreed` on with other wishes are kept where it can be."""
        if self.world is None:
            return said
        agreed = agreed or self.common is not None
        found = self.world.fit(tool, said, self.draw, then, meant, fewest, agreed=agreed)
        spec = self.toolkit.toolbox[tool]
        return (
            self._with_context_of_before(spec, found, meant)
            if spec.context and "model" in spec.origins.values()
            else found
        )

    def _with_context_of_before(self, spec: ToolSpec, said: Drawn, meant: Collection[str]) -> Drawn:
        """Return arguments of a call that goes on from another one with the values which that was fitted with; else note them."""
        for slot in [slot for slot in spec.context if slot in said and slot not in meant]:
            if meant and slot in self.kept:
                said = {**said, slot: self.kept[slot]}
            else:
                self.kept[slot] = said[slot]
        return said

    def _with_kept_values(self, tool: str, said: Drawn) -> Drawn:
        """Return drawn arguments with the values that are the same in all calls of the row."""
        spec = self.toolkit.toolbox[tool]
        for slot in (*spec.context, *[slot for slot, often in spec.say.items() if often == "never"]):
            if slot in said:
                said = {**said, slot: self.kept.setdefault(slot, said[slot])}
        return said

    def peek(self, tool: str, arguments: Drawn) -> Outcome:
        """Return the outcome that a call would have now, without making it."""
        if self.world is None:
            raise CannotFillError("the tools of this row act on no entities")
        return self.world.peek(ToolCall("peek", tool, arguments))

    def wishes(self, tools: Sequence[str]) -> tuple[Wish, ...]:
        """Return a wish for each of the tools; wishes for the same tool are about different things."""
        found: list[Wish] = []
        repeated = len(set(tools)) < len(tools)
        for tool in tools:
            others = [wish.said for wish in found if wish.tool == tool]
            found.append(Wish(tool, self._drawn_unlike(tool, others, repeated)))
        return tuple(found)

    @property
    def drafts(self) -> "Scene":
        """Return the scene for wishes that are fitted to the world only when they agree with each other (`agreed`)."""
        return msgspec.structs.replace(self, world=None)

    def agreed(
        self, purpose: Purpose | None, drafts: tuple[Wish, ...], then: Mapping[str, Sequence[str]] = NOTHING_THEN
    ) -> tuple[Wish, ...]:
        """Return drafted wishes with the shared values that the goal asks for, if there is a goal, and fitted to the world.

        Args:
            purpose: The goal.
            drafts: Wishes for different tools.
            then: By tool, those that will be called for what its call is about.

        Raises:
            CannotFillError: when what is shared does not fit the rest of a wish, or the world.
        """
        wishes = drafts if purpose is None else agree(purpose, drafts, self.toolkit.toolbox, self.draw)
        return tuple(
            [
                self._fitted_wish(wish, then.get(wish.tool, ()), agreed=wish.said != draft.said)
                for wish, draft in zip(wishes, drafts, strict=True)
            ]
        )

    def _fitted_wish(self, wish: Wish, then: Sequence[str], *, agreed: bool) -> Wish:
        """Return a wish with arguments that fit the world, which keeps those that are agreed on where it can."""
        kept = self._without_lost_arguments(then, wish.tool, wish.said)
        said = self.fitted(wish.tool, kept, then, tuple(wish.meant), agreed=agreed)
        for slot in wish.meant:
            said = without(said, split(slot))
        return msgspec.structs.replace(wish, said=said)

    def purpose(self, firsts: tuple[str, ...]) -> tuple[str, Purpose] | None:
        """Return one of some tools with goals, and a goal that it serves together with others; None where there is none, and now and then."""
        if not firsts or self.prefers is not None or self.draw.chance(UNRELATED):
            return None
        first = self.draw.choice(firsts)
        return first, self.draw.choice(self.toolkit.purposes[first])

    def wishes_that_vary(self, tool: str, slot: str, number: int) -> tuple[Wish, ...]:
        """Return wishes for one tool that differ in one argument only."""
        found: list[Drawn] = []
        for _ in range(number):
            found.append(self._drawn_with_another_value(tool, slot, found))
        return tuple([Wish(tool, said) for said in found])

    def another(self, wish: Wish, slot: str) -> Any:
        """Return another value for one argument of a wish that still fits the other arguments."""
        return self._drawn_with_another_value(wish.tool, slot, [wish.said])[slot]

    def dependent_wish(self, edge: Edge, made: dict[str, Ref], *then: str, picked: Picked | None = None) -> Wish:
        """Return a wish for the link's target that takes all it can from results.

        Args:
            edge: The link that must be used.
            made: Tools whose results there will be, and their wishes (`at` is left out).
            then: Tools that will be called for what this call is about.
            picked: How elements are singled out by other wishes of the request, which this one takes over and adds to: who
                speaks of one element of a list goes on speaking of it.
        """
        toolkit, draw = self.toolkit, self.draw
        chosen = {edge.link.argument: edge}
        for other in toolkit.edges:
            if other.target == edge.target and other.source in made and other.link.argument not in chosen:
                chosen[other.link.argument] = other
        required = toolkit.toolbox[edge.target].required
        picks: Picked = {} if picked is None else picked
        taken: set[tuple[str, str]] = set()
        meant: dict[str, Meant] = {}
        for argument, link in chosen.items():
            if link is not edge and argument.split("/")[0] not in required and not draw.chance(0.3):
                continue
            if not works_unseen(link, toolkit.toolbox):
                continue
            if (link.source, link.link.result) in taken:
                continue  # one field cannot give two arguments, unless two elements are meant
            taken.add((link.source, link.link.result))
            key = (link.source, link.list_slot)
            if key not in picks:
                picks[key] = picks_for(link, toolkit.toolbox, draw, False, then)
            source = made[link.source]
            meant[argument] = Meant(Ref(source.event, source.of, link.link.result), picks[key])
        return self.wish_with(edge.target, meant, then=then)

    def wish_with(self, tool: str, meant: dict[str, Any], for_each: bool = False, then: Sequence[str] = ()) -> Wish:
        """Return a wish some of whose values come from elsewhere; the user says the rest."""
        said = self.drawn(tool, then, tuple(meant))
        for slot in meant:
            said = without(said, split(slot))
        return Wish(tool, said, meant, for_each)

    def _drawn_unlike(
        self,
        tool: str,
        others: list[Drawn],
        repeated: bool = False,
        then: Sequence[str] = (),
        fewest: int = 1,
    ) -> Drawn:
        """Return arguments that differ from those of other wishes for the same tool: for "Oslo" and "Rome", not "Oslo" again."""
        if not others:
            arguments = self.drawn(tool, then, fewest=fewest)
            if arguments or not repeated:
                return arguments
        scene, spec = self, self.toolkit.toolbox[tool]
        needed = [name for name in spec.required if name not in spec.context and spec.say.get(name) != "never"]
        differs = partial(_is_about_another, needed=needed)
        for attempt in range(_TRIES):
            key = next(iter(others[0]), None) if others and attempt < _TRIES - 2 else None
            is_settled = key is not None and self._is_settled(tool, key)
            arguments = scene._drawn_at_random(tool)
            if is_settled or differs(arguments, others, key):
                arguments = scene.fitted(tool, arguments, then, (), fewest)
                if arguments and differs(arguments, others, key):  # nobody asks a second time without saying for what
                    return arguments
            scene = msgspec.structs.replace(self, common=None)
        raise CannotFillError("the calls of a step could not be made to differ")

    def _is_settled(self, tool: str, slot: str) -> bool:
        """Whether the world decides the value of an argument, since it names an entity."""
        return self.world is not None and self.world.settles(tool, slot)

    def _drawn_with_another_value(self, tool: str, slot: str, others: list[Drawn]) -> Drawn:
        """Return the first of the others with a value for `slot` that none of them has: `{"city": "Oslo", "days": 3}` → `{"city": "Rome", "days": 3}`; drawn anew where there are no others."""
        values_taken = [other[slot] for other in others]
        scene = msgspec.structs.replace(self, common=None) if others else self
        spec = self.toolkit.toolbox[tool]
        listed_calls = spec.only_calls
        if listed_calls and others and is_among(others[0], listed_calls):
            values_left = [
                value
                for value in other_known_values(listed_calls, others[0], slot)
                if not is_among(value, values_taken)
            ]
            if not values_left:
                raise CannotFillError(f"no call is known that differs in {slot} only")
            return {**others[0], slot: self.draw.choice(tuple(values_left))}
        is_drawn = bool(others) and not self._is_settled(tool, slot)
        for _ in range(_TRIES):
            arguments = scene._drawn_at_random(tool) if is_drawn else scene.drawn(tool)
            value = arguments.get(slot)
            if (
                listed_calls
                and not others
                and is_among(arguments, listed_calls)
                and len(other_known_values(listed_calls, arguments, slot)) < 2
            ):
                continue  # nothing that is known differs from it in this argument only
            if value is not None and not is_among(value, values_taken):
                changed_arguments = {**others[0], slot: value} if others else arguments
                fits = agrees(spec, changed_arguments) and not any(spec.groups.broken(changed_arguments))
                # a search is to find something; entities are added for it while that is possible
                if fits and (self.world is None or self.world.finds(tool, changed_arguments, self.draw)):
                    return changed_arguments
        raise CannotFillError(f"no different values came up for {slot}")


def _is_about_another(said: Drawn, others: Sequence[Drawn], key: str | None, needed: Sequence[str]) -> bool:
    """Whether arguments are about something else than all others: they differ in one argument, or else in one that is needed.

    Where none is needed, each says something that the other does not: "the open ones" is no other thing than "all".
    """
    if key is not None and key in said and all(key in other for other in others):
        return not is_among(said[key], [other[key] for other in others])
    if key is None and needed:
        told = {name: said.get(name) for name in needed}
        return not is_among(told, [{name: other.get(name) for name in needed} for other in others])
    return not any(_includes(said, other) or _includes(other, said) for other in others)


def _includes(more: Drawn, less: Drawn) -> bool:
    """Whether arguments have all that others have."""
    return all(name in more and same(value, more[name]) for name, value in less.items())


def _with_smallest_limits(spec: ToolSpec, said: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call with the smallest limit that its tool allows; unchanged for a tool without limits."""
    properties: dict[str, Any] = spec.properties
    changed = dict(said)
    for name in sorted(_limiting_arguments(spec) & properties.keys()):
        least = [value for value in spec.examples.get(escape(name), ()) if type(value) is int] or [
            properties[name].get("minimum")
        ]
        if spec.say.get(name) != "never" and type(least[0]) is int:
            changed[name] = min(least)
    return {key: changed[key] for key in (*properties, *changed) if key in changed}


def _limiting_arguments(spec: ToolSpec) -> set[str]:
    """Return the arguments that limit lists of the result."""
    own = spec.effect.limit if spec.effect is not None else None
    return _arguments_named_as_maximum(spec.returns) | ({own} if isinstance(own, str) else set())


def _arguments_named_as_maximum(schema: Any) -> set[str]:
    """Return the arguments that `x-maximum` names, at any depth of a result's schema."""
    own = schema.get("x-maximum") if isinstance(schema, dict) else None
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return ({own} if isinstance(own, str) else set[str]()).union(*map(_arguments_named_as_maximum, parts))
