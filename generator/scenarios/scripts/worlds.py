"""The world that a script wants: what its names stand for is looked for in a world, or put in."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

import msgspec

from generator.core.documents import nearest
from generator.core.errors import SpecError
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.dialogue.proof.expressions import EVERY, Expression, Names, UnfitError
from generator.scenarios.scripts.script import TODAY, Let, Named, Script
from generator.world.state.entities import TargetCall, add_entities, ensure_found
from generator.world.state.population import EntityFields
from generator.world.state.state import State
from generator.world.world import SimulatedWorld

_DRAWS = 12
"""How often arguments are drawn until all that are wanted are there."""
Sources = Mapping[str, Callable[[Draw], dict[str, Any]]]
"""How each tool's arguments are drawn."""


class ScriptTools(msgspec.Struct, frozen=True):
    """What scripts need of a toolbox."""

    toolbox: Toolbox
    sources: Sources
    titles: dict[str, str]
    """What a script calls a kind of thing → its title: `order`, or `shop.order` where two files have an `order`."""
    of_domains: dict[frozenset[str], "ScriptTools"] = {}
    """What `within` has returned."""

    def within(self, domains: frozenset[str]) -> "ScriptTools":
        """Return the same for scripts of some spec files: a kind without the name of its file is one of theirs."""
        if domains not in self.of_domains:
            own = {
                title.partition(".")[2]: title for title in self.titles.values() if title.partition(".")[0] in domains
            }
            self.of_domains[domains] = ScriptTools(self.toolbox, self.sources, {**self.titles, **own})
        return self.of_domains[domains]

    def title(self, kind: str, where: str) -> str:
        """Return the title of a kind of thing; raises SpecError where there is none."""
        if kind not in self.titles:
            raise SpecError(f"{where}: there is no kind of thing {kind!r}{nearest(kind, self.titles)}")
        return self.titles[kind]


def script_tools(toolbox: Toolbox, sources: Sources) -> ScriptTools:
    """Return what scripts need of a toolbox."""
    titles = sorted({entity.title for spec in toolbox.values() for entity in spec.declared.entities.values()})
    short = [title.partition(".")[2] for title in titles]
    plain = {name: title for name, title in zip(short, titles, strict=True) if short.count(name) == 1}
    return ScriptTools(toolbox, sources, {**plain, **{title: title for title in titles}})


class SetUp:
    """What the names of a script stand for in a world in which it fits."""

    def __init__(
        self, script: Script, tools: ScriptTools, world: SimulatedWorld, draw: Draw, named_things: list[tuple[str, Any]]
    ) -> None:
        """Look for what the script wants, or put it in.

        Args:
            script: The script.
            tools: The tools.
            world: A world in which nothing has happened yet.
            draw: The row's random numbers.
            named_things: Kind and key of things that have a name in this row; more are added.

        Raises:
            CannotFillError: when the draws do not allow a world that suits it.
        """
        self.script, self.world, self.draw, self.named_things = script, world, draw, named_things
        self.tools = tools.within(script.domains)
        self.state: State = world.state
        self.known = Names(today=draw.today.isoformat())
        self.known[EVERY] = self._all_of_kind
        tests = [test for test in script.tests if "every" not in test.functions]
        for named in script.lets:
            self.known[named.name] = self._value_of(named)
            for test in [test for test in tests if test.names <= self.known.keys()]:  # at once: little is in vain
                tests.remove(test)
                self._require(test)
        self.begin()

    def begin(self) -> None:
        """See that all is still so when the script begins, with the things as they are now; raises UnfitError."""
        for named in self.script.lets:
            if not isinstance(named.how, Let) or not (named.how.a or named.how.some):
                continue
            title, key = self._title_and_key(named.how.a or named.how.some)
            things_before = self.known[named.name]
            things_now = [
                self.state.find(title, thing[key]) for thing in ([things_before] if named.how.a else things_before)
            ]
            if None in things_now:
                raise UnfitError(f"{named.name} is no longer there")
            self.known[named.name] = things_now[0] if named.how.a else things_now
            if named.how.a:
                self._check_fits(named, things_now[0])
        for test in self.script.tests:
            self._require(test)

    def _require(self, test: Expression) -> None:
        """Raise UnfitError where one of the script's `where` does not hold."""
        if not test.value(self.known):
            raise UnfitError(f"where: {test.text}")

    def _all_of_kind(self, kind: str) -> list[EntityFields]:
        """Return all things of a kind, for `every('event')` in expressions."""
        return list(self.state.every(self.tools.title(kind, self.script.where)))

    def _title_and_key(self, kind: str) -> tuple[str, str]:
        """Return the title of a kind of thing, and the field that identifies one."""
        title = self.tools.title(kind, self.script.where)
        return title, self.state.kind(title).entity.key

    def _value_of(self, named: Named) -> Any:
        """Return what a name stands for: `lamp: {a: light, has: {power: "on"}}` → the fields of a light that is on."""
        how = named.how
        if isinstance(how, Expression):
            return how.value(self.known)
        if how.args:
            return self._draw_arguments(named, how)
        if how.of is not None:
            options = named.options.value(self.known) if isinstance(named.options, Expression) else named.options
            return self._evaluated(self.draw.choice(list(options)))
        return self._find_or_put_in(named, how)

    def _evaluated(self, value: Any) -> Any:
        """Return a value of a script with the values of the expressions in it."""
        if isinstance(value, Expression):
            return value.value(self.known)
        return [self._evaluated(one) for one in value] if isinstance(value, list) else value

    def _draw_arguments(self, named: Named, let: Let) -> dict[str, Any]:
        """Return arguments of a tool: those that are given, the others as they are drawn for it."""
        spec = self.tools.toolbox[let.args]
        kept = {*spec.required, *let.also}
        drawn = self.tools.sources[let.args](self.draw)
        for _ in range(_DRAWS):  # optional ones are drawn now and then only
            drawn = drawn if all(key in drawn for key in let.also) else self.tools.sources[let.args](self.draw)
        given_values = {key: self._evaluated(value) for key, value in named.has.items()}
        arguments = {key: value for key, value in drawn.items() if key in kept} | given_values
        if let.find is not None:
            fewest, most = let.find
            fit = TargetCall(
                self.state, self.world.effects, self.world.effects[let.args], self.draw, self.draw.today.isoformat()
            )
            number_found = ensure_found(fit, arguments, self.draw.between(fewest, most))
            if not fewest <= number_found <= most:
                raise UnfitError(f"{named.name}: {let.args} finds {number_found}")
        self._check_fits(named, arguments)
        return arguments

    def _check_fits(self, named: Named, value: Any) -> None:
        """Raise UnfitError where a value is not as the name's `if` says."""
        known = Names(self.known)
        known[named.name] = value
        for test in named.fits:
            if not test.value(known):
                raise UnfitError(f"{named.name}: {test.text}")

    def _find_or_put_in(self, named: Named, let: Let) -> Any:
        """Return a thing of the world that is as the name's `has` and `if` say, or a list of such; things are put in where there are too few."""
        title, key = self._title_and_key(let.a or let.some)
        has = {field: self._evaluated(value) for field, value in named.has.items()}
        known = Names(self.known)

        def fits(thing: EntityFields) -> bool:
            """Whether a thing is as it should be."""
            known[named.name] = thing
            return all(thing.get(field) == value for field, value in has.items()) and all(
                test.value(known) for test in named.fits
            )

        fewest, most = (1, 1) if let.a else let.count
        number = self.draw.between(fewest, most)
        unnamed_things = [thing for thing in self.state.every(title) if (title, thing[key]) not in self.named_things]
        chosen = [] if let.new else [thing for thing in self.draw.shuffled(unnamed_things) if fits(thing)]
        chosen = chosen[:1] if let.a else chosen
        while len(chosen) < number:
            added = add_entities(self.state, title, self.draw, has, fits)
            if not added:
                raise UnfitError(f"no {named.name} fits")
            chosen += added
        if len(chosen) > most:
            raise UnfitError(f"there are {len(chosen)} {named.name}")
        self.named_things += [(title, thing[key]) for thing in chosen]
        return chosen[0] if let.a else chosen


def check_day(script: Script, today: date) -> None:
    """Raise UnfitError where the script fits in no world of this day: `where: ["weekday(today) < 5"]` on a Sunday."""
    for test in script.tests:
        if test.names == {TODAY} and "every" not in test.functions and not test.value({TODAY: today.isoformat()}):
            raise UnfitError(f"where: {test.text}")


def not_in_toolbox(script: Script, tools: ScriptTools) -> Iterable[str]:
    """Yield the tools and kinds of things of a script that a toolbox does not have."""
    tools = tools.within(script.domains)
    yield from (tool for tool in script.tools if tool not in tools.toolbox)
    yield from (kind for kind in script.kinds if kind not in tools.titles)
