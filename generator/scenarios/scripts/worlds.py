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
        for one in script.lets:
            self.known[one.name] = self._value_of(one)
            for test in [test for test in tests if test.names <= self.known.keys()]:  # at once: little is in vain
                tests.remove(test)
                self._require(test)
        self.begin()

    def begin(self) -> None:
        """See that all is still so when the script begins, with the things as they are now; raises UnfitError."""
        for one in self.script.lets:
            if not isinstance(one.how, Let) or not (one.how.a or one.how.some):
                continue
            title, key = self._title_and_key(one.how.a or one.how.some)
            had = self.known[one.name]
            now = [self.state.find(title, thing[key]) for thing in ([had] if one.how.a else had)]
            if None in now:
                raise UnfitError(f"{one.name} is no longer there")
            self.known[one.name] = now[0] if one.how.a else now
            if one.how.a:
                self._check_fits(one, now[0])
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

    def _draw_arguments(self, named: Named, how: Let) -> dict[str, Any]:
        """Return arguments of a tool: those that are given, the others as they are drawn for it."""
        spec = self.tools.toolbox[how.args]
        kept = {*spec.required, *how.also}
        drawn = self.tools.sources[how.args](self.draw)
        for _ in range(_DRAWS):  # optional ones are drawn now and then only
            drawn = drawn if all(key in drawn for key in how.also) else self.tools.sources[how.args](self.draw)
        has = {key: self._evaluated(value) for key, value in named.has.items()}
        said = {key: value for key, value in drawn.items() if key in kept} | has
        if how.find is not None:
            fewest, most = how.find
            fit = TargetCall(
                self.state, self.world.effects, self.world.effects[how.args], self.draw, self.draw.today.isoformat()
            )
            found = ensure_found(fit, said, self.draw.between(fewest, most))
            if not fewest <= found <= most:
                raise UnfitError(f"{named.name}: {how.args} finds {found}")
        self._check_fits(named, said)
        return said

    def _check_fits(self, named: Named, value: Any) -> None:
        """Raise UnfitError where a value is not as the name's `if` says."""
        known = Names(self.known)
        known[named.name] = value
        for test in named.fits:
            if not test.value(known):
                raise UnfitError(f"{named.name}: {test.text}")

    def _find_or_put_in(self, named: Named, how: Let) -> Any:
        """Return a thing of the world that is as it should be, or a list of such; things are put in where there are too few."""
        title, key = self._title_and_key(how.a or how.some)
        has = {field: self._evaluated(value) for field, value in named.has.items()}
        known = Names(self.known)

        def fits(thing: EntityFields) -> bool:
            """Whether a thing is as it should be."""
            known[named.name] = thing
            return all(thing.get(field) == value for field, value in has.items()) and all(
                test.value(known) for test in named.fits
            )

        fewest, most = (1, 1) if how.a else how.count
        wanted = self.draw.between(fewest, most)
        free = [thing for thing in self.state.every(title) if (title, thing[key]) not in self.named_things]
        found = [] if how.new else [thing for thing in self.draw.shuffled(free) if fits(thing)]
        found = found[:1] if how.a else found
        while len(found) < wanted:
            added = add_entities(self.state, title, self.draw, has, fits)
            if not added:
                raise UnfitError(f"no {named.name} fits")
            found += added
        if len(found) > most:
            raise UnfitError(f"there are {len(found)} {named.name}")
        self.named_things += [(title, thing[key]) for thing in found]
        return found[0] if how.a else found


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
