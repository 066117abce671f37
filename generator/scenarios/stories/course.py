"""How far a story has come: what has been said, found and done."""

from collections.abc import Sequence
from typing import Any

import msgspec

from generator.execution.expressions import ReadableNames
from generator.picking import single_out
from generator.planning import HERE, Back, Call, Meant, Origin, Ref, Say, Step, Wish
from generator.pointers import escape, resolve, unescape
from generator.scenarios.scene import Scene, serve
from generator.scenarios.service.course import Course as Desk
from generator.scenarios.stories.drafting import Draft, Known, part_of, wish_of
from generator.stories import Goal, Source
from generator.stories.read import place_of
from generator.toolbox import Pick

NOT_YET = {"done": False, "refused": False, "left": False}
"""What is known of a goal before it is wanted."""


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
    things: dict[str, dict[str, Any]]
    """What the results say of the things that it is about, by the look-up."""
    places: dict[str, tuple[int, int, str]]
    """Where they say that: step, call and pointer."""


class Course(msgspec.Struct):
    """A conversation so far."""

    scene: Scene
    desk: Desk
    """The policy's clauses, and what they have asked for."""
    served: dict[str, Served]
    """By goal, and by tool, the last one."""
    known: Known
    steps: list[Step]

    def holds(self, goal: Goal) -> bool:
        """Whether a goal is wanted, after what has happened."""
        sources = [source.goal for want in goal.every for source in want.sources.values()]
        if any(self.known.get(name, {}).get("done") is False for name in sources):
            return False
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
            if source is not None:
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
        if "*" not in at:
            return Meant(Ref(*of.wish, at))
        own = toolbox[of.tool].phrases.pick.get(at.partition("/*")[0], ())
        able = [pick for pick in own if source.by in ("", pick.by)]
        return Meant(Ref(*of.wish, at), tuple(self.scene.draw.shuffled(able)))

    def settled(self, asked: Say, number: int) -> Settled:
        """Return the call for a wish, with the elements of lists that it takes.

        Raises:
            CannotFillError: when no element of a list stands out.
        """
        call = serve(asked, number, *self.steps)
        args: dict[str, Origin] = dict(call.args)
        values = dict(asked.wishes[number].said)
        things: dict[str, Any] = {}
        places: dict[str, tuple[int, int, str]] = {}
        steps = {step.id: step for step in self.steps}
        for slot, ref in call.args.items():
            if not isinstance(ref, Ref) or ref.event not in steps or asked.wishes[number].for_each:
                continue
            meant, step = asked.wishes[number].meant[slot], steps[ref.event]
            assert isinstance(meant, Meant)
            value = step.outcomes[ref.of].value
            pointer, pick = single_out(value, ref.at, meant.picks)
            at = pointer.removeprefix("/")
            args[slot] = Ref(ref.event, ref.of, at, (asked.id, number, slot), pick)
            values[unescape(slot)] = resolve(value, at)
            tool = step.calls[ref.of].tool
            things[tool], places[tool] = part_of(value, at), (ref.event, ref.of, at.rpartition("/")[0])
        return Settled(msgspec.structs.replace(call, args=args), values, things, places)

    def note(self, goal: Goal, drafts: Sequence[Draft], **facts: Any) -> None:
        """Note what has come of a goal."""
        last = drafts[-1]
        served = self.served[last.tool]
        steps = [step for step in self.steps if step.id > served.wish[0]]
        values = {
            call.tool: {**made.arguments, **(outcome.value if isinstance(outcome.value, dict) else {})}
            for step in steps
            for call, made, outcome in zip(step.calls, step.made, step.outcomes, strict=True)
        }
        for draft in drafts:
            self.known[draft.tool] = {**NOT_YET, **values.get(draft.tool, {}), "done": draft.tool in values}
        found = {**NOT_YET, **values.get(last.tool, {}), **facts}
        for name in (goal.goal, *([goal.again] if goal.again else [])):
            self.served[name], self.known[name] = served, found
