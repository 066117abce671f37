"""A row of scripts: a world that suits them, then their turns one after the other, with a claim for every value."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import orjson

from generator.core.claims import (
    AnswerClaim,
    AskClaim,
    Claim,
    Condition,
    NamedResult,
    Proof,
    ScriptProof,
    Source,
    SpanClaim,
    TellClaim,
    WishClaim,
)
from generator.core.conversation import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from generator.core.planning import Note, Outcome
from generator.core.pointers import escape
from generator.core.profiles import ERROR
from generator.core.seeds import Draw, call_id
from generator.dialogue.proof.expressions import Expression, UnfitError, read_expression
from generator.dialogue.values.voice import Voice
from generator.scenarios.scripts.script import PlannedCall, Script, ScriptTurn
from generator.scenarios.scripts.text import Filled, Text, fill
from generator.scenarios.scripts.worlds import ScriptTools, SetUp
from generator.world.world import SimulatedWorld


class Forced(msgspec.Struct, frozen=True):
    """The wording that a turn must have, where each is tried."""

    turn: int
    """Its number, from 1; 0: the system message."""
    wording: int


class Performed(msgspec.Struct, frozen=True):
    """A row of scripts, before anything is laid over it."""

    messages: tuple[Message, ...]
    proof: Proof
    wordings: dict[int, Text]
    """Index of a message → the wording that it has."""
    known: tuple[dict[str, Any], ...]
    """What the names of each script stood for when it began; for checks that look at the world."""


class Speakers(msgspec.Struct, frozen=True):
    """How the two sides of a row talk, and what stands between two scripts."""

    user: Voice
    assistant: Voice
    transitions: tuple[str, ...]
    """What the user says before the second request and later ones: `One more thing:`."""


def perform(
    scripts: Sequence[Script],
    tools: ScriptTools,
    world: SimulatedWorld,
    draw: Draw,
    note: Note | None,
    speakers: Speakers,
    forced: Forced | None = None,
    wordings: Sequence[int] = (),
) -> Performed:
    """Return a conversation of some scripts, one after the other.

    Args:
        scripts: What is played.
        tools: What they need of the toolbox.
        world: Answers the calls.
        draw: The row's random stream.
        note: What the recipe says in the system message.
        speakers: How the two sides talk.
        forced: The wording that one turn must have.
        wordings: For each script, the place of its first request's wording, counted round; drawn where there is none.

    Raises:
        CannotFillError: when this world does not suit them; another one may.
    """
    named_things: list[tuple[str, Any]] = []
    set_ups = [SetUp(script, tools, world, draw, named_things) for script in scripts]
    stage = _Stage(tools, world, draw, speakers, forced)
    stage.begin(set_ups[0], note)
    known = [dict(one.known) for one in set_ups]
    for number, one in enumerate(set_ups):
        if number:
            one.begin()
        stage.play(one, wordings[number] if wordings else None)
    return Performed(tuple(stage.messages), stage.proof(), stage.wordings, tuple(known))


class _Call(msgspec.Struct, frozen=True):
    """A call that is to be made."""

    planned: PlannedCall
    arguments: tuple[tuple[str, Expression], ...]
    made: ToolCall


class _Stage:
    """The conversation as far as it is."""

    def __init__(
        self, tools: ScriptTools, world: SimulatedWorld, draw: Draw, speakers: Speakers, forced: Forced | None
    ) -> None:
        self.tools, self.world, self.draw, self.speakers, self.forced = tools, world, draw, speakers, forced
        self.messages: list[Message] = []
        self.wordings: dict[int, Text] = {}
        self.scripts: list[ScriptProof] = []
        self.spans: list[SpanClaim] = []
        self.results: list[NamedResult] = []
        self.conditions: list[Condition] = []
        self.positions: dict[int, tuple[int, str, str]] = {}
        """Id of an object or list of a result → index of its message, call, and pointer."""
        self.claims = _Claims(self)
        self.ids: set[str] = set()
        self.asked_at = 0
        """Index of the user's last message."""
        self.kept: list[Any] = []
        """Parsed results: as long as they are kept, no other object has the id of one of their parts."""

    def begin(self, first: SetUp, note: Note | None) -> None:
        """Add the system message, if there is one: what the recipe says, then what the first script says."""
        text = "" if note is None else note.text
        if first.script.system:
            filled = self._filled(first.script.system, first, 0, is_heard=True, who=self.speakers.assistant)
            filled = filled.behind(f"{text} " if text else "")
            text = filled.text.strip()
            self.spans += filled.spans
        if text:
            self.messages.append(SystemMessage(text))

    def play(self, set_up: SetUp, wording: int | None) -> None:
        """Add the turns of a script, of which the first request has this wording."""
        first = len(self.messages) if self.scripts else 0
        is_later = bool(self.scripts)
        for turn in set_up.script.turns:
            if turn.maybe is not None and not self.draw.chance(turn.maybe):
                continue
            if turn.when is not None and not turn.when.value(set_up.known):
                continue
            for name, expression in turn.picks:
                set_up.known[name] = expression.value(set_up.known)
                self.conditions.append(Condition(len(self.messages), expression.text, name))
            self._require(turn.need, set_up)
            if turn.user:
                self._add_request(turn, set_up, wording, is_later=is_later)
                is_later, wording = False, None
            if turn.calls:
                self._make_calls(turn, set_up)
            if turn.say:
                self._add_answer(turn, set_up)
        self._require(set_up.script.rules, set_up)
        self._add_conditions(set_up.script.rules)
        self.scripts.append(
            ScriptProof(
                script=set_up.script.name,
                first=first,
                governed=not self.scripts and bool(set_up.script.system),
                spans=tuple(self.spans),
                results=tuple(self.results),
                conditions=tuple(self.conditions),
            )
        )
        self.spans, self.results, self.conditions = [], [], []

    def proof(self) -> Proof:
        """Return all claims."""
        return self.claims.proof(tuple(self.scripts))

    def _require(self, tests: Sequence[Expression], set_up: SetUp) -> None:
        """Raise UnfitError where a test fails in this world: `found.total > 2`."""
        for test in tests:
            if not test.value(set_up.known):
                raise UnfitError(f"{test.text} is not so")

    def _add_conditions(self, tests: Sequence[Expression]) -> None:
        """Claim that the tests hold here; not those of all things of a kind, which only the world knows."""
        self.conditions += [Condition(len(self.messages), test.text) for test in tests if "every" not in test.functions]

    def _filled(
        self, texts: Sequence[Text], set_up: SetUp, turn: int, at: int | None = None, *, is_heard: bool, who: Voice
    ) -> Filled:
        """Return a wording of a turn for the next message: the one at a place, counted round, or else one that is drawn."""
        text = self.draw.choice(tuple(texts)) if at is None else texts[at % len(texts)]
        if self.forced is not None and self.forced.turn == turn:
            text = texts[self.forced.wording]
        self.wordings[len(self.messages)] = text
        return fill(text, set_up.known, self.draw, who, len(self.messages), is_heard=is_heard)

    def _add_request(self, turn: ScriptTurn, set_up: SetUp, wording: int | None, *, is_later: bool) -> None:
        """Add what the user says; the first message of a later script begins with `One more thing:` or the like."""
        filled = self._filled(turn.user, set_up, turn.number, wording, is_heard=True, who=self.speakers.user)
        before = f"{self.draw.choice(self.speakers.transitions)} " if is_later and self.speakers.transitions else ""
        filled = filled.behind(before)
        self.asked_at = len(self.messages)
        self.spans += filled.spans
        self.messages.append(UserMessage(filled.text))
        self._require(turn.holds, set_up)
        self.claims.add_request(self.asked_at, self.spans)

    def _add_answer(self, turn: ScriptTurn, set_up: SetUp) -> None:
        """Add a text of the assistant with what is claimed about its values, once its conditions hold."""
        filled = self._filled(turn.say, set_up, turn.number, is_heard=False, who=self.speakers.assistant)
        at = len(self.messages)
        self.spans += filled.spans
        self.messages.append(AssistantMessage(filled.text))
        self._require(turn.holds, set_up)
        self._add_conditions(turn.holds)
        self.claims.add_answer(at, filled, set_up)

    def _make_calls(self, turn: ScriptTurn, set_up: SetUp) -> None:
        """Make the calls of a turn at once, and add them and their results."""
        calls = [call for planned in turn.calls for call in self._calls_of(planned, set_up)]
        if not calls:
            raise UnfitError("there is nothing to call for")
        self.world.state.begin()
        outcomes = self.world.step([call.made for call in calls])
        self.messages.append(AssistantMessage(None, tuple([call.made for call in calls])))
        for call, outcome in zip(calls, outcomes, strict=True):
            self.claims.add_call(call, set_up, outcome)
        for call, outcome in zip(calls, outcomes, strict=True):
            self._check_outcome(call, outcome, turn)
            at = len(self.messages)
            self.messages.append(ToolMessage(call.made.id, outcome.content, call.made.name, not outcome.ok))
            self._name_result(call, outcome, at, set_up)

    def _calls_of(self, planned: PlannedCall, set_up: SetUp) -> Iterator[_Call]:
        """Yield a planned call with its arguments; one for each thing of its list, if it has one."""
        indexes = [None] if planned.things is None else range(len(planned.things.value(set_up.known)))
        for index in indexes:
            arguments = planned.arguments if index is None else planned.at(index)
            given = {key: expression.value(set_up.known) for key, expression in arguments}
            new_id = call_id(self.draw.rand)
            while new_id in self.ids:
                new_id = call_id(self.draw.rand)
            self.ids.add(new_id)
            yield _Call(planned, arguments, ToolCall(new_id, planned.tool, given))

    def _check_outcome(self, call: _Call, outcome: Outcome, turn: ScriptTurn) -> None:
        """Raise UnfitError where a call does not end as the script says."""
        error = turn.fails.get(call.planned.name, "").replace("_", " ").capitalize()
        if outcome.ok == bool(error) or not (outcome.ok or outcome.content.startswith(f"{ERROR}{error}")):
            expected = f"{error} is expected" if error else "no error is expected"
            raise UnfitError(f"{call.made.name} answers {outcome.content[:80]}; {expected}")

    def _name_result(self, call: _Call, outcome: Outcome, at: int, set_up: SetUp) -> None:
        """Let the name of a call (`found = …`) stand for its result; of several calls for the list of their results."""
        name, several = call.planned.name, call.planned.things is not None
        result: Any = {"error": outcome.content}
        if outcome.ok:
            result = orjson.loads(outcome.content) if outcome.content[:1] in _JSON else outcome.value
        self.kept.append(result)
        set_up.known[name] = [*set_up.known.get(name, ()), result] if several else result
        self.results.append(NamedResult(call.made.id, name, several))
        self._note_positions(result, at, call.made.id, "")

    def _note_positions(self, value: Any, at: int, call: str, pointer: str) -> None:
        """Note at which pointers the objects and lists of a result stand."""
        if isinstance(value, dict | list):
            self.positions[id(value)] = (at, call, pointer)
            for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(part, dict | list):
                    self._note_positions(part, at, call, f"{pointer}/{escape(str(key))}")


_JSON = frozenset("[{")


class _Claims:
    """The claims that every row has, worked out from those of scripts: for whoever does not read expressions."""

    def __init__(self, stage: _Stage) -> None:
        self.stage = stage
        self.arguments: list[Claim] = []
        self.answers: list[AnswerClaim] = []
        self.wishes: list[WishClaim] = []
        self.asks: list[AskClaim] = []
        self.tells: list[TellClaim] = []
        self.said: dict[str, SpanClaim] = {}
        """Expression → where the user, or the system, has said it last."""
        self.failed: dict[str, str] = {}
        """Tool → its call since the last answer that failed."""
        self.question: int | None = None
        """Index of the text of the assistant to which the user's last message replies."""

    def add_request(self, at: int, spans: Sequence[SpanClaim]) -> None:
        """Note what the user has said in message `at`, and whether it replies to a question."""
        before = self.stage.messages[at - 1] if at else None
        asks = isinstance(before, AssistantMessage) and before.content is not None and "?" in before.content
        self.question = at - 1 if asks else None
        self.said.update({one.expression: one for one in spans if one.value is not None})

    def add_call(self, call: _Call, set_up: SetUp, outcome: Outcome) -> None:
        """Add what is claimed about a call: its wish, and where each argument is from."""
        stage, made = self.stage, call.made
        self.wishes.append(WishClaim(made.id, made.name, stage.asked_at))
        for key, expression in call.arguments:
            claim = self._argument(made, f"/{escape(key)}", expression, set_up)
            self.arguments.append(claim)
            if self.question is not None and claim.message == stage.asked_at:
                text = stage.messages[self.question].content or ""
                self.asks.append(AskClaim(self.question, 0, len(text), made.id, claim.pointer))
        if outcome.ok:  # what was refused first has worked out after all
            self.failed.pop(made.name, None)
        else:
            self.failed[made.name] = made.id

    def _argument(self, made: ToolCall, pointer: str, expression: Expression, set_up: SetUp) -> Claim:
        """Return where an argument is from: what the user or the system says, a result, or a computation."""
        user_span = self.said.get(expression.text)
        if user_span is not None:
            in_system = isinstance(self.stage.messages[user_span.message], SystemMessage)
            source: Source = (
                "context" if in_system else "user" if user_span.message == self.stage.asked_at else "earlier_turn"
            )
            span = (user_span.message, user_span.start, user_span.end, user_span.verbalizer)
            return Claim(made.id, pointer, source, *span, expression=expression.text)
        position = self._position_of(expression, set_up)
        if position is not None:
            at, _, result_pointer = position
            return Claim(made.id, pointer, "result", at, result_pointer=result_pointer, expression=expression.text)
        return Claim(made.id, pointer, "expression", expression=expression.text)

    def _position_of(self, expression: Expression, set_up: SetUp) -> tuple[int, str, str] | None:
        """Return where in a result the value of an expression stands: message, call and pointer; None where it is computed."""
        if expression.step is None:
            return None
        position = self.stage.positions.get(id(expression.holder(set_up.known)))
        return position and (position[0], position[1], f"{position[2]}/{escape(str(expression.step))}")

    def add_answer(self, at: int, filled: Filled, set_up: SetUp) -> None:
        """Add what is claimed about an answer: where each value stands in a result, and which failures it tells."""
        for span in filled.spans:
            if span.verbalizer not in ("list", "meant"):
                position = self._position_of(read_expression(span.expression), set_up)
                if position is not None:
                    _, call, result_pointer = position
                    self.answers.append(
                        AnswerClaim(at, span.start, span.end, span.verbalizer, call, "result", result_pointer)
                    )
        self.tells += [
            TellClaim(at, 0, len(filled.text), failed_call, "failed") for failed_call in self.failed.values()
        ]
        self.failed = {}

    def proof(self, scripts: tuple[ScriptProof, ...]) -> Proof:
        """Return all claims."""
        return Proof(
            arguments=tuple(self.arguments),
            answers=tuple(self.answers),
            wishes=tuple(self.wishes),
            asks=tuple(self.asks),
            tells=tuple(self.tells),
            scripts=scripts,
        )
