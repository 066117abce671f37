"""Scripts tried before the first row: each wording of each turn in several worlds, proven like any row.

Beside the proof stands what only the world knows: what its things are called, and which of them the user means. A fault at one
wording takes that wording away; any other one, and a turn without a wording, refuses the script.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import msgspec

from generator.core.claims import Claim
from generator.core.conversation import AssistantMessage, Conversation, Message, UserMessage
from generator.core.errors import CannotFillError
from generator.core.planning import Note
from generator.core.seeds import Draw, stream_seed
from generator.dialogue.acts.check import check_row
from generator.dialogue.proof.expressions import read_expression
from generator.dialogue.proof.scripted import things_of
from generator.dialogue.values.voice import assistant_voice, draw_voice
from generator.scenarios.scripts.check import checked, without_wordings
from generator.scenarios.scripts.play import Forced, Performed, Speakers, perform
from generator.scenarios.scripts.script import Let, Script
from generator.scenarios.scripts.text import Text
from generator.scenarios.scripts.worlds import ScriptTools
from generator.world.world import SimulatedWorld

WORLDS = 8
"""In how many worlds each wording is tried."""
_TRIES = 60
"""How many worlds are drawn for one that suits."""
_SHORTEST_NAME = 4
_FIRST_DAY = date(2025, 1, 6)
_DAYS = 500
_SELECTING_FUNCTIONS = frozenset({"least", "most", "by", "first", "last", "min", "max"})
"""Functions that choose a thing that the user did not name."""

Opened = Callable[[date, int], SimulatedWorld]
"""Opens a world for a day and a salt."""


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with a script or one of its wordings."""

    text: str
    where: str = ""
    """Where the wording stands; empty: the fault is the script's."""
    row: tuple[Message, ...] = ()
    """The row at fault, up to the message that shows it."""


class Trial(msgspec.Struct, frozen=True):
    """A script after its trial."""

    name: str
    script: Script | None
    """As far as it is right; None: it is refused."""
    faults: tuple[Fault, ...]
    rows: int = 0
    """How many rows were made and proven."""
    worlds: float = 0.0
    """How many worlds were drawn for each, on average."""
    shown: tuple[tuple[Message, ...], ...] = ()
    """The shortest and the longest of its rows without a fault, for those who read what no check sees."""


def try_script(script: Script, tools: ScriptTools, open_world: Opened) -> Trial:
    """Return a script as far as it is right, with what is wrong with the rest."""
    tools = tools.within(script.domains)
    first = checked(script, tools)
    faults = [Fault(text) for text in first.faults]
    if first.script is None:
        return Trial(script.name, None, tuple(faults))
    trial = _Trial(first.script, tools, open_world)
    trial.run()
    kept, empty = without_wordings(first.script, set(trial.lost))
    faults += [*trial.whole.values(), *trial.lost.values()]
    if empty:
        faults.append(Fault(f"{script.where}: script {script.name!r}: a turn has no wording left"))
    refused = bool(trial.whole) or empty
    return Trial(
        script.name, None if refused else kept, tuple(faults), trial.rows, trial.drawn / max(trial.rows, 1), trial.shown
    )


class _Trial:
    def __init__(self, script: Script, tools: ScriptTools, open_world: Opened) -> None:
        self.script, self.tools, self.open_world = script, tools, open_world
        self.whole: dict[str, Fault] = {}
        self.lost: dict[str, Fault] = {}
        self.rows = self.drawn = 0
        self.shown: tuple[tuple[Message, ...], ...] = ()

    def run(self) -> None:
        """Try every wording."""
        texts = [(0, self.script.system), *[(turn.number, turn.texts) for turn in self.script.turns]]
        for number, wordings in texts:
            for at, text in enumerate(wordings):
                for seed in range(WORLDS):
                    if text.where in self.lost:
                        break
                    self._try_wording(Forced(number, at), text, seed)

    def _try_wording(self, forced: Forced, text: Text, seed: int) -> None:
        """Make a row with a wording in the first world that suits it, and keep its faults."""
        reasons: Counter[str] = Counter()
        for attempt in range(_TRIES):
            self.drawn += 1
            number = stream_seed("trial", self.script.name, forced.turn, forced.wording, seed, attempt)
            draw = Draw(number, _FIRST_DAY)
            draw.today = _FIRST_DAY + timedelta(draw.below(_DAYS))
            world = self.open_world(draw.today, number)
            user = draw_voice(draw, draw.today, True)
            speakers = Speakers(user, assistant_voice(user), ())
            note = Note(text=f"Today is {draw.today.isoformat()}.", states_today=True)
            try:
                performed = perform([self.script], self.tools, world, draw, note, speakers, forced)
            except CannotFillError as why:
                reasons[str(why)] += 1
                continue
            self.rows += 1
            faults = [*self._faults(performed, self.open_world(draw.today, number), world)]
            for at, fault in faults:
                self._keep_fault(at, fault, performed)
            if not faults:
                by_length = sorted([*self.shown, performed.messages], key=lambda row: len(str(row)))
                self.shown = tuple(by_length[:: max(len(by_length) - 1, 1)])  # the ends
            return
        where = f"{self.script.where}: script {self.script.name!r}"
        often = "; ".join(f"{reason} ({times} of {_TRIES})" for reason, times in reasons.most_common(2))
        said = f"{where}: no world suits it: {often}"
        self.whole.setdefault("no world", Fault(said))

    def _keep_fault(self, at: int, fault: str, performed: Performed) -> None:
        """Keep a fault: at the wording that the message has, or at the script."""
        wording = performed.wordings.get(at)
        row = performed.messages[: at + 1]
        if wording is not None and wording.where:
            self.lost.setdefault(wording.where, Fault(f"{wording.where}: {fault}", wording.where, row))
        else:
            turn = f"{self.script.where}: script {self.script.name!r}"
            self.whole.setdefault(fault.partition(":")[0], Fault(f"{turn}: {fault}", row=row))

    def _faults(self, performed: Performed, fresh: SimulatedWorld, world: SimulatedWorld) -> Iterator[tuple[int, str]]:
        """Yield the faults of a row, each with the index of the message that shows it."""
        conversation = Conversation(performed.messages)
        made = {
            call.id: at for at, message in enumerate(performed.messages) for call in getattr(message, "tool_calls", ())
        }
        for found in check_row(conversation, performed.proof, self.tools.toolbox):
            yield made.get(found.at[1], found.at[1]), f"{found.code} {found.text.format(*found.facts)}"
        yield from _names_outside(self.script, performed, self.tools, world)
        yield from _changes_of_unnamed_things(self.script, performed, self.tools)
        yield from _unrepeatable_results(performed, fresh, world)


def _names_outside(
    script: Script, performed: Performed, tools: ScriptTools, world: SimulatedWorld
) -> Iterator[tuple[int, str]]:
    """Yield what things of this world are called, where it stands outside of values."""
    titles = {tools.titles[kind] for kind in script.kinds}
    named = {
        str(thing[entity.called[0]])
        for title in titles
        for entity in [world.state.kind(title).entity]
        if entity.called
        for thing in world.state.every(title)
        if isinstance(thing.get(entity.called[0]), str) and len(thing[entity.called[0]]) >= _SHORTEST_NAME
    }
    spans = performed.proof.scripts[0].spans
    for at, message in enumerate(performed.messages):
        if not isinstance(message, UserMessage | AssistantMessage) or not message.content:
            continue
        text = message.content
        for span in spans:
            if span.message == at:
                text = f"{text[: span.start]}{'_' * (span.end - span.start)}{text[span.end :]}"
        for name in sorted(named):
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
                yield at, f"{name!r} is what a thing is called, and stands outside of slots"


def _changes_of_unnamed_things(script: Script, performed: Performed, tools: ScriptTools) -> Iterator[tuple[int, str]]:
    """Yield calls that change a thing although the user has named another one of its kind, and nothing chose this one."""
    proof = performed.proof
    named_expressions = {one.name: one.expression for one in proof.scripts[0].conditions if one.name}
    call_of_result = {result.name: result.call_id for result in proof.scripts[0].results}
    claims_by_call: dict[str, list[Claim]] = {}
    for claim in proof.arguments:
        claims_by_call.setdefault(claim.call_id, []).append(claim)
    for index, message in enumerate(performed.messages):
        keys_named_by_user = _named_by_user(script, performed, tools, index)
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            effect = tools.toolbox[call.name].effect
            for claim in claims_by_call.get(call.id, ()) if effect is not None and not effect.reads else ():
                title = things_of(tools.toolbox).keys.get(claim.pointer[1:], "")
                key = call.arguments[claim.pointer[1:]]
                if not keys_named_by_user.get(title) or key in keys_named_by_user[title]:
                    continue
                if not _selects_something(
                    claim.expression or "None", named_expressions, call_of_result, claims_by_call, set()
                ):
                    named = sorted(map(str, keys_named_by_user[title]))
                    yield index, f"{call.name} is about {key}, and the user has named {named}"
        if getattr(message, "is_error", False):  # what was named for a call that failed is no longer what is meant
            return


def _named_by_user(script: Script, performed: Performed, tools: ScriptTools, before: int) -> dict[str, set[Any]]:
    """Return the keys of the things that the user has named before a message, by kind: `{"lamp": {"L-17"}}`."""
    kinds_by_name = {let.name: let.how.a for let in script.lets if isinstance(let.how, Let) and let.how.a}
    things, keys_by_kind = things_of(tools.toolbox), dict[str, set[Any]]()
    for span in performed.proof.scripts[0].spans:
        expression = read_expression(span.expression)
        name = next(iter(expression.names), "")
        if (
            span.message >= before
            or name not in kinds_by_name
            or not isinstance(performed.messages[span.message], UserMessage)
        ):
            continue
        title = tools.titles[kinds_by_name[name]]
        if expression.step in things.called[title]:
            key = next(field for field, kind in things.keys.items() if kind == title)
            keys_by_kind.setdefault(title, set()).add(performed.known[0][name][key])
    return keys_by_kind


def _selects_something(
    expression_text: str,
    named_expressions: dict[str, str],
    call_of_result: dict[str, str],
    claims_by_call: dict[str, list[Claim]],
    names_followed: set[str],
) -> bool:
    """Whether something in an expression, or in what it is computed from, chooses a thing by what it has or where it stands.

    `least(hotels, "price").id` and `[h for h in hotels if h.pool]` do; `one(hotels)` takes any, and does not.
    `named_expressions` maps the names of conditions to their expressions, `call_of_result` names of results to the
    calls, `claims_by_call` calls to their arguments.
    """
    expression = read_expression(expression_text)
    if re.search(r"\[\d+\]", expression_text):  # a call for each
        return True
    if expression.functions & _SELECTING_FUNCTIONS or "for" in expression_text.split():
        return bool(expression.functions & _SELECTING_FUNCTIONS) or "one(" not in expression_text
    for name in expression.names - names_followed:
        names_followed.add(name)
        if name in named_expressions and _selects_something(
            named_expressions[name], named_expressions, call_of_result, claims_by_call, names_followed
        ):
            return True
        for claim in claims_by_call.get(call_of_result.get(name, ""), ()):
            if _selects_something(
                claim.expression or "None", named_expressions, call_of_result, claims_by_call, names_followed
            ):
                return True
    return False


def _unrepeatable_results(
    performed: Performed, fresh: SimulatedWorld, world: SimulatedWorld
) -> Iterator[tuple[int, str]]:
    """Yield calls that a new world with the same things answers otherwise."""
    fresh.state.restore(list(world.state.added))
    expected = {getattr(message, "tool_call_id", ""): message.content for message in performed.messages}
    for index, message in enumerate(performed.messages):
        calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
        for call, outcome in zip(calls, fresh.step(calls) if calls else (), strict=True):
            if outcome.content != expected[call.id]:
                yield index, f"{call.name} answers otherwise when the calls are made again: {outcome.content[:200]}"
