"""The score of an episode: were the right things changed, looked up, reported and asked, and nothing else?

What was changed is judged by the log of successful calls, not by the state that they leave: many arguments leave no trace in
entities. Texts are asked for little: what must be told, in one of its forms, and whether something failed. What else they say
is not judged.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.claims import AnswerClaim
from generator.core.conversation import ToolCall
from generator.core.exact_json import same
from generator.core.pointers import resolve
from generator.dialogue.proof.spans import verbalization
from generator.episodes import Task
from generator.episodes.answer_text import MOST_ASKED, AnswerText, is_json, reports_failure, reports_problem
from generator.episodes.expected import Expected, ExpectedCall, canonical, is_writing, thing_of


class AgentCall(msgspec.Struct, frozen=True):
    """A call of the agent, with the usual names."""

    call: ToolCall
    turn: int
    ok: bool
    content: str
    value: Any = None


class AgentText(msgspec.Struct, frozen=True):
    """A text of the agent."""

    text: str
    turn: int
    calls: int
    """How many calls were made before it."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What an episode is worth."""

    reward: float
    """1.0 when all parts hold."""
    parts: dict[str, float]
    """Each from 0 to 1; only those that the row has anything for: `writes`, `lookups`, `told`, `declined`, `asked`, `finished`, `policy`."""
    faults: tuple[str, ...] = ()
    """Why parts do not hold, in words."""
    state: bool | None = None
    """Whether the entities are left as the row leaves them; None where there are none. A figure, which the reward does not use."""
    calls: int = 0
    needed: int = 0
    """Calls that the row makes; with `calls` how efficient the agent was."""
    unasked: int = 0
    """Calls that changed something that nobody asked for; with any the reward is 0."""

    @property
    def passed(self) -> bool:
        """Whether all parts hold."""
        return self.reward == 1.0


class Played(msgspec.Struct, kw_only=True):
    """What happened in an episode."""

    task: Task
    expected: Expected
    made: Sequence[AgentCall]
    said: Sequence[AgentText]
    finished: bool
    state: bool | None = None


def score(played: Played) -> Score:
    """Return the score of an episode."""
    faults: list[str] = []
    parts: dict[str, float] = {}
    expected = played.expected
    pairs, unasked = _paired_writes(played)
    if expected.writes or unasked:
        parts["writes"] = _part_of_writes(played, pairs, unasked, faults)
    texts = _Texts(played)
    parts |= _parts_of_look_ups(played, texts, faults)
    declined = _declined(expected, texts, faults)
    if all(part == 1.0 for part in parts.values()):  # who has not done it may say so
        declined += _invented_failures(played, texts, faults)
    if declined:
        parts["declined"] = _share_of_true(declined)
    if expected.asked:
        parts["asked"] = _asked(played, faults)
    idle = list(parts)
    if expected.asks:
        idle.append("finished")
    parts["finished"] = float(played.finished)
    if not played.finished:
        faults.append("finished: the user was not heard to the end")
    parts["policy"] = _policy(played, pairs, faults)
    return Score(
        reward=_reward(parts, idle, unasked),
        parts=parts,
        faults=tuple(faults),
        state=played.state,
        calls=len(played.made),
        needed=len(expected.calls),
        unasked=unasked,
    )


def _reward(parts: dict[str, float], idle: list[str], unasked: int) -> float:
    """Return 1 when all parts hold; else credit for those that an agent that does nothing lacks."""
    if unasked:
        return 0.0
    if all(part == 1.0 for part in parts.values()):
        return 1.0
    counted = {name: part for name, part in parts.items() if name in idle or part < 1.0}
    return parts["policy"] * sum(counted.values()) / len(counted) if idle else 0.0


# -- calls ---------------------------------------------------------------------------------------------------------------


def _paired_writes(played: Played) -> tuple[list[tuple[AgentCall, ExpectedCall]], int]:
    """Return the calls that changed something as the row does, each with the row's, and how many others there are."""
    unpaired = played.expected.writes
    pairs, unasked = [], 0
    for agent_call in played.made:
        if agent_call.ok and is_writing(played.task.toolbox[agent_call.call.name]):
            index = next(
                (index for index, expected_call in enumerate(unpaired) if expected_call.fits(agent_call.call)), None
            )
            if index is None:
                unasked += 1
            else:
                pairs.append((agent_call, unpaired.pop(index)))
    return pairs, unasked


def _part_of_writes(
    played: Played, pairs: list[tuple[AgentCall, ExpectedCall]], unasked: int, faults: list[str]
) -> float:
    """Return the share of the row's writes that were made; 0 for one too many, also where the tool refused to do it again."""
    expected_writes = played.expected.writes
    if unasked:
        faults.append(f"writes: {unasked} that nobody asked for")
    missing = [
        expected_call.call.name
        for expected_call in expected_writes
        if all(expected_call is not paired_call for _, paired_call in pairs)
    ]
    faults += [f"writes: {name} is missing, or has other values" for name in missing]
    repeated = _repeated_calls(played.made) - _repeated_calls(played.expected.calls)
    faults += [f"writes: {name} was tried again after it had been done" for name, _ in repeated]
    return 0.0 if unasked or repeated else (len(expected_writes) - len(missing)) / len(expected_writes)


def _repeated_calls(calls: Sequence[AgentCall | ExpectedCall]) -> Counter[tuple[str, bytes]]:
    """Return how often a call that had been made was made again and refused."""
    done_calls: set[tuple[str, bytes]] = set()
    times_repeated: Counter[tuple[str, bytes]] = Counter()
    for call in calls:
        key = canonical(call.call)
        if call.ok:
            done_calls.add(key)
        elif key in done_calls:
            times_repeated[key] += 1
    return times_repeated


def _parts_of_look_ups(played: Played, texts: "_Texts", faults: list[str]) -> dict[str, float]:
    """Return the shares of look-ups and expected failures that were tried ("lookups"), and of results that the texts tell ("told")."""
    needed = [
        expected_call
        for expected_call in played.expected.calls
        if expected_call.needed and not (expected_call.ok and expected_call.writes)
    ]
    used_indexes: set[int] = set()
    tried = list[bool]()
    told_checks = texts.answers(faults)
    for expected_call in needed:
        free_calls = [
            (index, agent_call)
            for index, agent_call in enumerate(played.made)
            if index not in used_indexes and agent_call.ok == expected_call.ok
        ]
        index = next((index for index, agent_call in free_calls if expected_call.fits(agent_call.call)), None)
        tried.append(index is not None)
        if index is None:
            faults.append(f"lookups: {expected_call.call.name} was not called with the right values")
        else:
            used_indexes.add(index)
        if expected_call.ok and expected_call.told:
            told_checks.append(index is not None and texts.report(expected_call, index))
            if not told_checks[-1]:
                faults.append(f"told: too little of what {expected_call.call.name} found")
    told_checks += _answers_without_calls(played, texts, faults)
    return {name: _share_of_true(checks) for name, checks in {"lookups": tried, "told": told_checks}.items() if checks}


def _answers_without_calls(played: Played, texts: "_Texts", faults: list[str]) -> list[bool]:
    """Return for each question that needs no call whether its reply says what it must."""
    checks = []
    for turn, accepted_texts in played.expected.replied:
        checks.append(
            any(
                text.says(accepted_text)
                for agent_text, text in texts.read
                if agent_text.turn == turn
                for accepted_text in accepted_texts
            )
        )
        if not checks[-1]:
            faults.append(f"told: not {' or '.join(accepted_texts[:3])}")
    return checks


def _share_of_true(checks: Sequence[bool]) -> float:
    """Return the share of checks that hold."""
    return sum(checks) / len(checks)


# -- texts ---------------------------------------------------------------------------------------------------------------


class _Texts:
    """What the agent has said."""

    def __init__(self, played: Played) -> None:
        self._played = played
        self._asked = iter(range(MOST_ASKED))
        results = [made.content for made in played.made]
        self._kinds = [
            "is empty" if not one.text.strip() else "is mostly JSON" if is_json(one.text, results[: one.calls]) else ""
            for one in played.said
        ]
        self.read = [
            (one, AnswerText(one.text)) for one, kind in zip(played.said, self._kinds, strict=True) if not kind
        ]
        """The texts that say something, as they are read."""

    def answers(self, faults: list[str]) -> list[bool]:
        """Return for each text that says nothing that it is none."""
        faults += [f"told: a text {kind}" for kind in self._kinds if kind]
        return [False for kind in self._kinds if kind]

    def report(self, expected_call: ExpectedCall, index: int) -> bool:
        """Whether texts after a call tell at least half of what the row's answers tell of it: values, and of things of a list one value."""
        later_texts = [text for agent_text, text in self.read if agent_text.calls > index]
        is_told_by_thing: dict[str, bool] = {}
        for claim in expected_call.told:
            thing = thing_of(claim.pointer)
            is_told_by_thing[thing] = is_told_by_thing.get(thing, False) or self._is_stated(
                expected_call, claim, self._played.made[index].value, later_texts
            )
        return 2 * sum(is_told_by_thing.values()) >= len(is_told_by_thing)

    def _is_stated(
        self, expected_call: ExpectedCall, claim: AnswerClaim, result: Any, texts: Sequence[AnswerText]
    ) -> bool:
        """Whether texts state a value of a result, in any form, or in words that are read as it."""
        value, words = self._value(expected_call, claim, result)
        saying = verbalization(
            self._played.task.toolbox[expected_call.call.name], claim.of, claim.pointer, claim.verbalizer
        )
        today = self._played.task.opening.today
        return any(text.states(value, words) for text in texts) or any(
            text.reads(value, lambda words_of_text: saying.read(words_of_text, today), self._asked) for text in texts
        )

    def _value(self, expected_call: ExpectedCall, claim: AnswerClaim, result: Any) -> tuple[Any, str]:
        """Return a value of a result that the row's answers state, and the row's words where it is the same there."""
        try:
            value = resolve(result, claim.pointer)
        except LookupError:
            return None, ""
        content = str(self._played.task.opening.conversation.messages[claim.message].content)
        words = content[claim.start : claim.end] if same(value, resolve(expected_call.result, claim.pointer)) else ""
        return len(value) if claim.verbalizer == "count" and isinstance(value, list) else value, words


def _declined(expected: Expected, texts: _Texts, faults: list[str]) -> list[bool]:
    """Return for each turn in which something cannot be done or did not work out whether a text says so."""
    checks = [
        any(reports_problem(text.text) for agent_text, text in texts.read if agent_text.turn == turn)
        for turn in expected.declined
    ]
    faults += ["declined: no text says that it cannot be done, or did not work out" for check in checks if not check]
    return checks


def _invented_failures(played: Played, texts: _Texts, faults: list[str]) -> list[bool]:
    """Return False for each text that reports a failure where all went well."""
    texts_of_row = [str(message.content) for message in played.task.opening.conversation.messages]
    all_texts = "\n".join([*(agent_call.content for agent_call in played.made), *texts_of_row]).casefold()
    checks = []
    for agent_text, text in texts.read:
        failed = any(
            not agent_call.ok for agent_call in played.made[: agent_text.calls] if agent_call.turn == agent_text.turn
        )
        if agent_text.turn in played.expected.fine and reports_failure(text.text, all_texts, mended=failed):
            checks.append(False)
            faults.append("declined: a text says that something failed, and nothing did")
    return checks


def _asked(played: Played, faults: list[str]) -> float:
    """Return 1.0 if a text asks for the value without which nothing can be done, else 0.0."""
    asks = any("?" in said.text for said in played.said if said.turn in played.expected.asked)
    if not asks:
        faults.append("asked: no text asks for the value that is missing, or that cannot be")
    return float(asks)


def _policy(played: Played, pairs: list[tuple[AgentCall, ExpectedCall]], faults: list[str]) -> float:
    """Return 1.0 if nothing was done before the user had asked for it, allowed it, or said what it needs, else 0.0."""
    early_writes = [
        agent_call.call.name for agent_call, expected_call in pairs if agent_call.turn < expected_call.earliest
    ]
    looked_up = [expected_call for expected_call in played.expected.calls if not expected_call.writes]
    early_look_ups = []
    for agent_call in played.made:
        fitting_look_ups = [
            expected_call for expected_call in looked_up if agent_call.ok and expected_call.fits(agent_call.call)
        ]
        if fitting_look_ups and all(agent_call.turn < expected_call.earliest for expected_call in fitting_look_ups):
            early_look_ups.append(agent_call.call.name)
    faults += [
        f"policy: {name} was called before the user had said or allowed it" for name in [*early_writes, *early_look_ups]
    ]
    return float(not early_writes and not early_look_ups)
