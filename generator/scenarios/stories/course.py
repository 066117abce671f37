"""How far a story has come: what has been said, found and done."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Back, Calc, Call, Meant, Origin, Ref, Say, Step, Wish
from generator.core.pointers import escape, expand, resolve, schema_at, unescape
from generator.core.toolbox import Pick, ToolSpec, arguments_written, is_same_kind
from generator.core.values import same
from generator.dialogue.from_results.picking import single_out
from generator.formats.rules.schemas import accepts
from generator.scenarios.affordances.filters import finds
from generator.scenarios.affordances.links import FIRST, LAST
from generator.scenarios.calculating import calculate
from generator.scenarios.goals import Goal, Source
from generator.scenarios.goals.goals import NOT_YET
from generator.scenarios.goals.read import SAID, place_of
from generator.scenarios.scene import Scene
from generator.scenarios.service.course import Course as Desk
from generator.scenarios.service.replies import Places
from generator.scenarios.service.settling import names_in
from generator.scenarios.serving import serve
from generator.scenarios.stories.drafting import Draft, Known, part_of, wish_of
from generator.world.expressions import ReadableNames

_BY_NAME = 0.93
"""How often one of several things that the user has seen is called by what it has and no other, not by what it is most of."""
_NAMED = 3
"""How often names are drawn for what is always called by its name, as some of them are places in the list."""
Things = dict[str, dict[str, Any]]


class Served(msgspec.Struct, frozen=True):
    """A want that has been asked for."""

    tool: str
    wish: tuple[int, int]
    said: dict[str, Ref]
    """Where the user says each argument."""


class Settled(msgspec.Struct, frozen=True):
    """A call with the elements of lists that it takes."""

    call: Call
    args: dict[str, Any]


class Course(msgspec.Struct):
    """A conversation so far."""

    scene: Scene
    desk: Desk
    """The policy's clauses, and what they have asked for."""
    served: dict[str, Served]
    """By goal, and by tool, the last one."""
    known: Known
    steps: list[Step]
    left: list[tuple[str, dict[str, Any]]] = []
    """Calls that were wanted and not made, or failed: the tool and the arguments."""

    def holds(self, goal: Goal) -> bool:
        """Whether a goal is wanted, after what has happened."""
        sources = [source for want in goal.every for source in want.sources.values()]
        of = [(source, self.known.get(source.goal, {})) for source in sources if not source.argument]
        if any(facts.get("done") is False or (facts.get("empty") and not source.at) for source, facts in of):
            return False
        goals = self.known.keys()
        if any(source.argument and source.goal in goals - self.served.keys() for source in sources):
            return False  # nobody has said it
        names = {name: ReadableNames(facts) for name, facts in self.known.items()}
        return goal.test is None or bool(goal.test({**names, "today": self.scene.draw.today.isoformat()}))

    def wishes(self, drafts: Sequence[Draft]) -> list[Wish]:
        """Return the wishes of a message of the user."""
        found: list[Wish] = []
        here: dict[str, Served] = {}
        for draft in drafts:
            meant = self._meant(draft, {**self.served, **here})
            found += [wish_of(draft, said, meant) for said in draft.said]
            here[draft.tool] = Served(draft.tool, (HERE, len(found) - 1), {})
        return found

    def with_old_values(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Return drafts in which the user says what an earlier result has shown.

        Raises:
            CannotFillError: when that cannot be said, or is so already.
        """
        return [self._with_old_values(draft) for draft in drafts]

    def _with_old_values(self, draft: Draft) -> Draft:
        sources = draft.want.sources
        shown = {slot: self._shown(draft.tool, source) for slot, source in sources.items() if source.op == SAID}
        for slot, value in shown.items():
            schema = schema_at(self.scene.toolkit.toolbox[draft.tool].tool.parameters, slot)
            if not accepts(schema, value):
                raise CannotFillError(f"{slot} of {draft.tool} cannot be {value!r} again")
        left = {slot: source for slot, source in sources.items() if slot not in shown}
        want = msgspec.structs.replace(draft.want, sources=left) if shown else draft.want
        return msgspec.structs.replace(draft, want=want, said=tuple([{**one, **shown} for one in draft.said]))

    def check_changes(self, tool: str, args: dict[str, Any]) -> None:
        """Raise CannotFillError for a value that is to be given to a thing that has it already, as earlier calls about this thing show."""
        toolbox = self.scene.toolkit.toolbox
        spec = toolbox[tool]
        effect = spec.effect
        key = _key_given(spec, args, {}) if effect is not None and effect.kind == "update" else None
        new = (
            [] if effect is None else [name for name in args if name not in (*effect.by, *effect.refers, *spec.context)]
        )
        facts: dict[str, Any] = {}
        for call, outcome in [(step.made[0], step.outcomes[0]) for step in self.steps if key is not None]:
            own, result = toolbox[call.name], outcome.value if isinstance(outcome.value, dict) else {}
            if is_same_kind(own, spec) and same(_key_given(own, call.arguments, result), key):
                given = {field: call.arguments.get(name) for field, name in arguments_written(own).items()}
                fields = {**given, **result}
                shown = {name: fields[field] for field, name in arguments_written(spec).items() if field in fields}
                facts |= {**call.arguments, **shown}
        if any(name in facts and same(facts[name], args[name]) for name in new):
            raise CannotFillError(f"{tool} would change nothing")

    def _shown(self, tool: str, source: Source) -> Any:
        """Return what a result holds at a place: in a list, of the element that the last call of the tool was about."""
        step = next((one for one in self.steps if one.calls[0].serves == self.served[source.goal].wish), None)
        if step is None:
            raise CannotFillError(
                f"{source.goal} is not the first of several calls made at once, so what it has shown cannot be said"
            )
        at, items = source.at, source.at.partition("*")[0]
        if "*" in at:
            calls = [call for one in self.steps for call in one.calls if call.tool == tool]
            taken = [ref.at for ref in calls[-1].args.values() if isinstance(ref, Ref) and ref.event == step.id]
            at = next(
                (f"{one.rpartition('/')[0]}/{at.rpartition('/')[2]}" for one in taken if one.startswith(items)), at
            )
        try:
            return resolve(step.outcomes[0].value, at)
        except LookupError:
            raise CannotFillError(f"nothing is shown at {source.at}") from None

    def hear(self, asked: Say, drafts: Sequence[Draft]) -> None:
        """Note what has been asked for, and where its arguments are said."""
        number = 0
        for draft in drafts:
            said = {slot: Ref(asked.id, number, slot) for slot in map(escape, draft.said[0])}
            number += len(draft.said)
            meant = asked.wishes[number - 1].meant
            back = {slot: one.source for slot, one in meant.items() if isinstance(one, Back)}
            self.served[draft.tool] = Served(draft.tool, (asked.id, number - 1), {**said, **back})

    def _meant(self, draft: Draft, served: dict[str, Served]) -> dict[str, Meant | Back]:
        """Return what the user does not say: descriptions of what was found, and what holds on."""
        found: dict[str, Meant | Back] = {}
        again = served.get(getattr(draft.want, "again", ""))
        for slot in draft.held:
            source = draft.want.sources.get(slot)
            if source is not None and source.argument:
                found[slot] = Back(served[source.goal].said[escape(source.argument)], draft.words.get(slot, ""))
            elif again is not None:
                found[slot] = Back(again.said[slot])
        for slot, source in draft.want.sources.items():
            if not source.argument:
                found[slot] = self._described(draft, slot, source, served[source.goal])
        return found

    def _described(self, draft: Draft, slot: str, source: Source, of: Served) -> Meant:
        toolbox = self.scene.toolkit.toolbox
        at = place_of(source, slot, toolbox[of.tool], toolbox[draft.tool])
        assert at is not None
        if draft.want.each:
            return Meant(Ref(*of.wish, at), (Pick("each of them", "each"),))
        calc = Calc(source.op) if source.op else None
        if "*" not in at:
            return Meant(Ref(*of.wish, at), calc=calc)
        own = toolbox[of.tool].phrases.pick.get(at.partition("/*")[0], ()) or (FIRST, LAST)
        able = self.scene.draw.shuffled([pick for pick in own if source.by in ("", "name", pick.by)])
        step = next((one for one in self.steps if one.calls[0].serves == of.wish), None)
        if step is not None and not calc and len(only := expand(step.outcomes[0].value, at)) == 1:
            if resolve(step.outcomes[0].value, only[0]) in self._taken(draft):
                raise CannotFillError(f"there is no other {slot} for {draft.tool}")
            return Meant(Ref(*of.wish, at))
        if step is not None and source.by in ("", "name"):
            named = [] if calc else self._by_name(draft, step, at, always=source.by == "name")
            able = self._new_ones(draft, step, at, [*named, *able], calc)
        if not able:
            raise CannotFillError(f"nobody can say which {slot} of {draft.tool} is meant")
        return Meant(Ref(*of.wish, at), tuple(able), calc)

    def _by_name(self, draft: Draft, step: Step, at: str, *, always: bool) -> list[Pick]:
        """Return picks that call a thing in a list that the user has seen by what it has and no other; now and then none, or `always` some."""
        toolkit, tool = self.scene.toolkit, step.calls[0].tool
        is_last = step is self.steps[-1]  # after another result it would not be clear which one is meant
        if not always and not (is_last and self.scene.draw.chance(_BY_NAME)):
            return []
        found: list[Pick] = []
        for edge in toolkit.edges:
            for _ in range(_NAMED if always else 1):
                if (edge.source, edge.target, edge.link.result) == (tool, draft.tool, at):
                    found += names_in(self.scene, self.desk.rules, edge, step)
        return [pick for pick in found if not always or pick.by.startswith("is ")]

    def _new_ones(self, draft: Draft, step: Step, at: str, picks: list[Pick], calc: Calc | None) -> list[Pick]:
        """Return the picks that single out what nothing has been done with yet, nor been refused, and what can be computed with."""
        value, taken = step.outcomes[0].value, self._taken(draft)
        found: list[Pick] = []
        for pick in picks:
            with suppress(CannotFillError):
                pointer = single_out(value, at, [pick])[0]
                one = resolve(value, pointer)
                if not is_sensible(value, at, pointer, draft.want.prefers):
                    continue
                if one not in taken and (calc is None or calculate(calc, one, None) is not None):
                    found.append(pick)
        return found

    def _taken(self, draft: Draft) -> list[Any]:
        """Return what something has been done with already, or been refused: it is not wanted again."""
        look_ups = self.scene.toolkit.look_ups
        made = [call for step in self.steps for call in step.made]
        taken = [
            argument
            for call in made
            for argument in call.arguments.values()
            if call.name == draft.tool or not (call.name in look_ups or draft.tool in look_ups)
        ]
        return taken + [value for tool, args in self.left if tool == draft.tool for value in args.values()]

    def settled(self, asked: Say, number: int) -> Settled:
        """Return the call for a wish, with the elements of lists that it takes.

        Raises:
            CannotFillError: when no element of a list stands out.
        """
        call = serve(asked, number, *self.steps)
        args: dict[str, Origin] = dict(call.args)
        values = dict(asked.wishes[number].said)
        steps = {step.id: step for step in self.steps}
        for slot, ref in call.args.items():
            if not isinstance(ref, Ref) or ref.event not in steps or asked.wishes[number].for_each:
                continue
            meant, step = asked.wishes[number].meant[slot], steps[ref.event]
            assert isinstance(meant, Meant)
            value = step.outcomes[ref.of].value
            pointer, pick = single_out(value, ref.at, meant.picks)
            at = pointer.removeprefix("/")
            args[slot] = Ref(ref.event, ref.of, at, (asked.id, number, slot), pick, ref.calc)
            found = resolve(value, at)
            values[unescape(slot)] = found if ref.calc is None else calculate(ref.calc, found, None)
        return Settled(msgspec.structs.replace(call, args=args), values)

    def told_of(self, tool: str, args: dict[str, Any]) -> tuple[Things, Places]:
        """Return what results so far tell of the thing that a call is about, by the look-up, and where; first those that the tool is linked to."""
        things: Things = {}
        places: Places = {}
        links = self.scene.toolkit.toolbox[tool].links
        for step in reversed(self.steps):
            call, value = step.calls[0], step.outcomes[0].value
            spec = self.scene.toolkit.toolbox[call.tool]
            found = [(link.result, args.get(unescape(link.argument))) for link in links if link.tool == call.tool]
            found += [(escape(name), args.get(name)) for name in spec.required] if spec.looks_up else []
            for pattern, key in found if len(step.calls) == 1 and call.tool not in things else ():
                at = next((one for one in expand(value, pattern) if resolve(value, one) == key), None)
                if at is not None and key is not None:
                    parent = at.removeprefix("/").rpartition("/")[0]
                    things[call.tool], places[call.tool] = part_of(value, at.removeprefix("/")), (step.id, parent)
                    break
        linked = [name for name in dict.fromkeys(link.tool for link in links) if name in things]
        order = [*linked, *[name for name in things if name not in linked]]
        return {name: things[name] for name in order}, {name: places[name] for name in order}

    def note(self, goal: Goal, drafts: Sequence[Draft], **facts: Any) -> None:
        """Note what has come of a goal."""
        last = drafts[-1]
        served = self.served[last.tool]
        steps = [step for step in self.steps if step.id > served.wish[0]]
        values = {
            call.tool: {**made.arguments, **(outcome.value if isinstance(outcome.value, dict) else {})}
            for step in steps
            for call, made, outcome in zip(step.calls, step.made, step.outcomes, strict=True)
            if outcome.ok
        }
        toolbox = self.scene.toolkit.toolbox
        outcomes = [(call.tool, one) for step in steps for call, one in zip(step.calls, step.outcomes, strict=True)]
        empty = {tool for tool, outcome in outcomes if outcome.ok and not finds(toolbox[tool], outcome)}
        for draft in drafts:
            self.known[draft.tool] = {
                **NOT_YET,
                **values.get(draft.tool, {}),
                "done": draft.tool in values,
                "empty": draft.tool in empty,
            }
        found = {**NOT_YET, **values.get(last.tool, {}), "empty": last.tool in empty, **facts}
        self.served[goal.goal], self.known[goal.goal] = served, found


def _key_given(spec: ToolSpec, args: dict[str, Any], result: dict[str, Any]) -> Any:
    """Return the key of the one thing that a call is about; None where neither its arguments nor its result have one."""
    effect = spec.effect
    if effect is None or effect.entity not in spec.declared.entities:
        return None
    key = spec.declared.entities[effect.entity].key
    return next((args.get(name) for name, field in effect.by.items() if field == key), result.get(key))


def is_sensible(value: Any, at: str, pointer: str, prefers: Sequence[str]) -> bool:
    """Whether no other element of a list beats one of them in what people look at: as good in all, and better in something."""
    elements = resolve(value, at.partition("/*")[0])
    own, wanted = part_of(value, pointer.removeprefix("/")), [by.split(" ") for by in prefers]
    if any(kind == "some" and not own.get(field) for kind, field in wanted):
        return False
    extremes = [(kind, field) for kind, field in wanted if kind != "some"]
    return not any(_beats(one, own, extremes) for one in elements)


def _beats(one: dict[str, Any], other: dict[str, Any], prefers: Sequence[tuple[str, str]]) -> bool:
    pairs: list[tuple[str, Any, Any]] = [(extreme, one.get(field), other.get(field)) for extreme, field in prefers]
    if any(None in values for _, *values in pairs):
        return False
    ahead = [(left, right) if extreme == "max" else (right, left) for extreme, left, right in pairs]
    return all(left >= right for left, right in ahead) and any(left > right for left, right in ahead)
