"""What the tools of a recipe can do together: a few facts worked out at once, and all that scenarios ask for when they ask for it."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import msgspec

from generator.core.conversation import DocumentSettings
from generator.core.pointers import escape
from generator.core.templates import parse_template
from generator.core.toolbox import Toolbox, ToolSpec, fields_written, found_by, name_as_words, restores, unsettles
from generator.core.yaml_values import own_data
from generator.dialogue.no_call.abilities import is_alien, is_sister
from generator.recipe.goals import Goal
from generator.scenarios.affordances.goals import Purpose, compile_purposes
from generator.scenarios.affordances.links import Edge, all_linked, edges_to, is_single, says_place, works_unseen
from generator.scenarios.policies import Policy
from generator.tools.productions import place_frames

ToolSlot = tuple[str, str]
"""A tool and one of its arguments."""
Chain = tuple[Edge, ...]
_MOST_CHAINS = 20_000
_WORDS = {key: frozenset(words) for key, words in own_data(__file__).items()}


class Toolkit(msgspec.Struct, frozen=True, dict=True, eq=False):
    """The tools and ranges of a recipe, and what scenarios ask of them, each found when it is first asked for."""

    toolbox: Toolbox
    calls: tuple[int, int]
    """How many calls a parallel step has, at least and at most."""
    steps: tuple[int, int]
    """How many steps a chain has, at least and at most."""
    sources: DocumentSettings = DocumentSettings()
    """What rows that are documents are made from."""
    dead_ends: frozenset[tuple[str, str]] = frozenset()
    """Links, as source and target, that lead to nothing in the row's world."""
    goals: tuple[Goal, ...] = ()
    policies: tuple[Policy, ...] = ()
    """The written policies that rows may state."""

    def __post_init__(self) -> None:
        """Raise RecipeError for a goal that names an argument which its tool does not have."""
        _ = self.purposes

    # --- tools, and their arguments ---

    @cached_property
    def starters(self) -> tuple[str, ...]:
        """Tools that need nothing from another tool's result."""
        found = [name for name, spec in self.toolbox.items() if not _needs_result(spec, self.toolbox)]
        return tuple(found or self.toolbox)

    @cached_property
    def repeatable(self) -> tuple[str, ...]:
        """Tools that people call several times in one request."""
        return (
            tuple([name for name in self.starters if _is_asked_for_several_times(self.toolbox[name])]) or self.starters
        )

    @cached_property
    def look_ups(self) -> frozenset[str]:
        """Tools that only look something up (readers); all others are writers."""
        return frozenset([name for name, spec in self.toolbox.items() if spec.looks_up])

    @cached_property
    def making(self) -> frozenset[str]:
        """Tools that make something, or do what a later call is about."""
        effects = {name: spec.effect for name, spec in self.toolbox.items()}
        return frozenset([name for name, one in effects.items() if one is not None and one.kind in ("create", "act")])

    @cached_property
    def purposes(self) -> dict[str, tuple[Purpose, ...]]:
        """The goals that each tool serves together with another one."""
        return compile_purposes(self.goals, self.toolbox, self.partner_sets)

    @cached_property
    def apart(self) -> frozenset[frozenset[str]]:
        """Pairs of tools that the files of goals keep apart whatever the goal: nobody asks for both in one request."""
        return frozenset().union(*[goal.always_apart for goal in self.goals])

    @cached_property
    def partners(self) -> dict[str, tuple[str, ...]]:
        """Tool → the starters that can be called beside it.

        No link leads from one to the other, neither changes what the other one looks up, and no file of goals keeps them apart.
        """
        box, apart = self.toolbox, self.apart.union([frozenset((edge.source, edge.target)) for edge in self.edges])
        return {
            name: tuple(
                [
                    other
                    for other in self.starters
                    if other != name
                    and frozenset((name, other)) not in apart
                    and not unsettles(spec, box[other])
                    and not unsettles(box[other], spec)
                ]
            )
            for name, spec in box.items()
        }

    @cached_property
    def partner_sets(self) -> dict[str, frozenset[str]]:
        """The same, for asking whether two tools are partners."""
        return {name: frozenset(others) for name, others in self.partners.items()}

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """Tool → its partners from the same domain."""
        domains = {name: spec.domain for name, spec in self.toolbox.items()}
        return {
            name: tuple([other for other in others if domains[other] == domains[name]])
            for name, others in self.partners.items()
        }

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Tools that can be called beside another one."""
        return tuple([name for name in self.starters if self.partners[name]])

    @cached_property
    def independent_with_goals(self) -> tuple[str, ...]:
        """Those that serve a goal together with other tools."""
        return tuple([name for name in self.independent if name in self.purposes])

    @cached_property
    def gaps(self) -> tuple[ToolSlot, ...]:
        """Required arguments that a request can leave out."""
        return tuple([(name, slot) for name in self.starters for slot in _slots_to_leave_out(self.toolbox[name])])

    @cached_property
    def limited(self) -> tuple[ToolSlot, ...]:
        """Arguments whose limits people may exceed, and for which a question can be asked."""
        found = [(name, slot) for name in self.starters for slot in _limited_slots(self.toolbox[name])]
        return tuple([(name, slot) for name, slot in found if any(True for _ in self.bad_values(name, slot))])

    def bad_values(self, tool: str, slot: str) -> Iterator[Any]:
        """Yield values that people could give for an argument but that its schema does not allow."""
        schema = self.toolbox[tool].properties[slot]
        if "enum" not in schema:
            yield from _beyond(schema["minimum"], schema["maximum"], schema.get("multipleOf", 1))
            return
        own = set(schema["enum"])
        spoken = {form.casefold() for _, forms in self.toolbox[tool].phrases.synonyms.get(slot, ()) for form in forms}
        spoken |= {name_as_words(value) for value in own}
        for name, other in self.toolbox.items():
            values = (other.properties.get(slot) or {}).get("enum", ()) if name != tool else ()
            if not own.isdisjoint([value for value in values if isinstance(value, str)]):
                others = [value for value in values if isinstance(value, str) and value not in own]
                yield from [value.replace("_", " ") for value in others if name_as_words(value) not in spoken]

    @cached_property
    def unrelated(self) -> dict[str, tuple[str, ...]]:
        """For each tool that can be asked for, those that have nothing to do with it."""
        return self._compared(is_alien)

    @cached_property
    def look_alikes(self) -> dict[str, tuple[str, ...]]:
        """For each tool that can be asked for, those that only seem to do what it does."""
        return self._compared(is_sister)

    def _compared(self, holds: Callable[[ToolSpec, ToolSpec], bool]) -> dict[str, tuple[str, ...]]:
        """Return, for each tool that can be asked for, those of which something holds beside it, where there are any."""
        box = self.toolbox
        found = {name: tuple([one for one in box if holds(box[one], box[name])]) for name in self.starters}
        return {name: others for name, others in found.items() if others}

    @cached_property
    def twin_tools(self) -> frozenset[str]:
        """Tools for which every row of a family of twins can be made: asked for without a value, and without being on offer."""
        return frozenset(tool for tool, _ in self.gaps) & self.unrelated.keys()

    # --- links ---

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Links between loaded tools that lead to something."""
        found = [edge for spec in self.toolbox.values() for edge in edges_to(spec, self.toolbox)]
        return tuple([edge for edge in found if (edge.source, edge.target) not in self.dead_ends])

    @cached_property
    def first_edges(self) -> tuple[Edge, ...]:
        """Links that a chain can begin with: their source needs no other tool."""
        first = [edge for edge in self.edges if edge.source in self.starters and edge.source != edge.target]
        complete = [edge for edge in first if all_linked(self.toolbox, self.edges, edge.target, {edge.source})]
        return tuple(complete or first)

    @cached_property
    def edges_to_each(self) -> tuple[Edge, ...]:
        """Links into lists with a call for each element: into lists of always at least two elements, if there are any."""
        edges = [edge for edge in self.first_edges if edge.list_slot is not None]
        long = [edge for edge in edges if edge.fewest >= 2] or edges
        usual = [
            edge
            for edge in long
            if edge.target.split("_")[0] not in _WORDS["for_one_only"] and not self._is_for_one(edge)
        ]
        return tuple(usual or long)

    def _is_for_one(self, edge: Edge) -> bool:
        """Whether the search is for one person by name, or the elements would all be moved to the same time.

        Nobody gives two people of a name the same telephone number.
        """
        target = self.toolbox[edge.target]
        entity = target.declared.entities.get(target.effect.entity) if target.effect is not None else None
        times = (entity.one_at_a_time or ())[:2] if entity is not None else ()
        required = self.toolbox[edge.source].required
        return not _WORDS["whole_names"].isdisjoint(required) or not fields_written(target).keys().isdisjoint(times)

    @cached_property
    def edges_beside(self) -> tuple[Edge, ...]:
        """Links whose source can be called beside another tool."""
        partners = self.partner_sets
        edges = [edge for edge in self.first_edges if partners[edge.source] - {edge.target}]
        return tuple([edge for edge in edges if works_unseen(edge, self.toolbox)])

    @cached_property
    def sources_with_goals(self) -> tuple[str, ...]:
        """Their sources that serve a goal together with other tools."""
        return tuple(dict.fromkeys([edge.source for edge in self.edges_beside if edge.source in self.purposes]))

    @cached_property
    def silent_edges(self) -> tuple[Edge, ...]:
        """Links from a search that nobody need ask for to a tool that needs no other search."""
        return tuple(filter(self._is_searched_silently, self.first_edges))

    def _is_searched_silently(self, edge: Edge) -> bool:
        """Whether people can say which element they want of a list that they have not searched for: "change the first match" is no way."""
        phrases = self.toolbox[edge.source].phrases
        own = phrases.pick.get(edge.list_slot or "", ())
        is_placed = bool(own) and all(map(says_place, own)) and edge.target not in self.look_ups
        has_noun = edge.source in self.look_ups and bool(phrases.found or found_by(edge.source))
        return bool(edge.list_slot) and not is_placed and has_noun

    # --- chains of links ---

    @cached_property
    def chains(self) -> dict[int, dict[str, tuple[Chain, ...]]]:
        """Chains of links that can be planned, by their number of steps, then by their last tool."""
        chains_by_length: dict[int, dict[str, tuple[Chain, ...]]] = {}
        firsts: list[Chain] = [
            (edge,)
            for edge in self.first_edges
            if works_unseen(edge, self.toolbox) and not self._makes_no_sense(edge.target, [edge.source])
        ]
        chains_of_length = firsts
        for steps in range(2, self.steps[1] + 1):
            ends: dict[str, list[Chain]] = {}
            for chain in chains_of_length:
                ends.setdefault(chain[-1].target, []).append(chain)
            if steps >= self.steps[0] and ends:
                chains_by_length[steps] = {end: tuple(chains) for end, chains in ends.items()}
            chains_of_length = [(*chain, edge) for chain in chains_of_length for edge in self._next_edges(chain)][
                :_MOST_CHAINS
            ]
        if not chains_by_length:  # no chain is as long as the recipe asks for
            chains_by_length[2] = {chain[0].target: (chain,) for chain in firsts}
        return chains_by_length

    def _next_edges(self, chain: Chain) -> list[Edge]:
        """Return the links from a tool of the chain to one outside it: only targets that need nothing else, if there are any."""
        made = [chain[0].source, *[edge.target for edge in chain]]
        if _ends_a_chain(made[-1]):
            return []
        following = [
            edge
            for edge in self.edges
            if edge.source in made
            and edge.target not in made
            and works_unseen(edge, self.toolbox)
            and not self._makes_no_sense(edge.target, made)
        ]
        if not self.look_ups.issuperset(made):
            # nobody has something changed and then has it taken away, or reads on about it
            acted = {(edge.source, edge.list_slot) for edge in chain if edge.target not in self.look_ups}
            following = [
                edge
                for edge in following
                if not _ends_a_chain(edge.target)
                and not (edge.target in self.look_ups and (edge.source, edge.list_slot) in acted)
            ]
        return [edge for edge in following if all_linked(self.toolbox, self.edges, edge.target, made)] or following

    def _makes_no_sense(self, tool: str, made: list[str]) -> bool:
        """Whether nobody asks for a tool after those of a chain: it undoes one of them, or the files of goals keep the two apart."""
        spec = self.toolbox[tool]
        return any(frozenset((tool, one)) in self.apart or restores(spec, self.toolbox[one]) for one in made)


def _ends_a_chain(tool: str) -> bool:
    """Whether nothing can be done afterwards with what this tool is called for, because it is gone."""
    words = name_as_words(tool).split()[:2]  # the name of a server may precede the verb
    return not _WORDS["endings"].isdisjoint(words)


_MOST_OPTIONS = 9
"""The most choices that an assistant lists."""


def _limited_slots(spec: ToolSpec) -> list[str]:
    """Return numbers with two bounds and enums for which the phrases have a question; without phrases, all of them."""
    schemas = {name: schema for name, schema in spec.properties.items() if escape(name) == name}
    return [name for name, schema in schemas.items() if isinstance(schema, dict) and _is_limited(spec, name, schema)]


def _is_limited(spec: ToolSpec, slot: str, schema: dict[str, Any]) -> bool:
    """Whether an argument has few values or two bounds, and people would be asked for it."""
    if "enum" in schema:  # who needs one thing seldom takes another in its place
        is_short = 2 <= len(schema["enum"]) <= _MOST_OPTIONS and all(isinstance(one, str) for one in schema["enum"])
        return is_short and schema.get("type") == "string" and slot not in spec.required and _has_frame(spec, slot)
    is_bounded = schema.get("type") in ("integer", "number") and {"minimum", "maximum"} <= schema.keys()
    return is_bounded and _is_asked_for(spec, slot)


def _is_asked_for(spec: ToolSpec, slot: str) -> bool:
    """Whether people would be asked for this number: it is no year, and no other argument limits it."""
    if not (spec.phrases.request or spec.phrases.question or spec.phrases.want):
        return True
    is_free = not any(slot in (relation.left, relation.right) for relation in spec.relations)
    return is_free and "year" not in name_as_words(slot) and (slot in spec.phrases.ask or slot in spec.required)


def _has_frame(spec: ToolSpec, slot: str) -> bool:
    """Whether any value of it can be said, not only those that have clauses of their own."""
    frames = spec.phrases.slots.get(slot)
    return frames is None or bool(frames.frames) or not frames.clauses


def _beyond(low: float, high: float, step: float) -> Iterator[float]:
    """Yield round numbers outside the bounds, not far from them."""
    one_more = (high + step, low - step) if high - low <= _FEW * step else ()
    for value in (*one_more, 1.25 * high, 1.5 * high, low / 2):
        near = _round(round(value / step) * step)
        if near > 1 and not low <= near <= high:
            yield near


_FEW = 30
"""The most steps between bounds which people may miss by one step."""


def _round(value: float) -> float:
    """Return the number with two significant digits, as an integer if possible."""
    near = float(f"{value:.2g}")
    return int(near) if near.is_integer() else near


def _heads(spec: ToolSpec) -> list[frozenset[str]]:
    """Return what each of a tool's requests says."""
    phrases = spec.phrases
    return [parse_template(text).needs for texts in (phrases.request, phrases.question, phrases.want) for text in texts]


def _slots_to_leave_out(spec: ToolSpec) -> list[str]:
    """Return the required arguments with a single value that at least one of the tool's requests does not say."""
    properties = spec.properties
    required = [name for name in spec.required if name in properties]
    phrases = spec.phrases
    heads = _heads(spec)
    linked = {frame for frames in phrases.slots.values() for text in frames.frames for frame in _said_together(text)}
    linked |= place_frames(spec).keys()
    return [
        name
        for name in required
        if spec.say.get(name) != "never"
        and name not in spec.context
        and is_single(properties[name])
        and escape(name) == name
        and name not in linked
        and (not heads or any(needs <= {*required} - {name} for needs in heads))
    ]


def _said_together(text: str) -> frozenset[str]:
    """Return the slots that a frame says together."""
    says = parse_template(text).says
    return says if len(says) > 1 else frozenset()


def _needs_result(spec: ToolSpec, toolbox: Toolbox) -> bool:
    """Whether it has an argument that people do not know by heart; one with examples, a kind or a pattern is known, unless nobody says it."""
    required = spec.required
    known = {slot for slot in (*spec.examples, *spec.kinds, *spec.patterns) if spec.say.get(slot) != "never"}
    return any(
        link.argument.split("/")[0] in required and link.tool in toolbox and link.argument not in known
        for link in spec.links
    )


def _is_asked_for_several_times(spec: ToolSpec) -> bool:
    """Whether the phrases of a tool can be said of several calls in one request; a tool without phrases is called by its name."""
    phrases = spec.phrases
    return bool(spec.properties) and bool(not phrases.request or phrases.again or phrases.entry or phrases.vary)
