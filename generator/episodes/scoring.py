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
    left = played.expected.writes
    pairs, unasked = [], 0
    for made in played.made:
        if made.ok and is_writing(played.task.toolbox[made.call.name]):
            at = next((at for at, one in enumerate(left) if one.fits(made.call)), None)
            if at is None:
                unasked += 1
            else:
                pairs.append((made, left.pop(at)))
    return pairs, unasked


def _part_of_writes(
    played: Played, pairs: list[tuple[AgentCall, ExpectedCall]], unasked: int, faults: list[str]
) -> float:
    """Return the share of the row's writes that were made; 0 for one too many, also where the tool refused to do it again."""
    wanted = played.expected.writes
    if unasked:
        faults.append(f"writes: {unasked} that nobody asked for")
    missing = [one.call.name for one in wanted if all(one is not made for _, made in pairs)]
    faults += [f"writes: {name} is missing, or has other values" for name in missing]
    again = _repeated_calls(played.made) - _repeated_calls(played.expected.calls)
    faults += [f"writes: {name} was tried again after it had been done" for name, _ in again]
    return 0.0 if unasked or again else (len(wanted) - len(missing)) / len(wanted)


def _repeated_calls(made: Sequence[AgentCall | ExpectedCall]) -> Counter[tuple[str, bytes]]:
    """Return how often a call that had been made was made again and refused."""
    done: set[tuple[str, bytes]] = set()
    found: Counter[tuple[str, bytes]] = Counter()
    for one in made:
        key = canonical(one.call)
        if one.ok:
            done.add(key)
        elif key in done:
            found[key] += 1
    return found


def _parts_of_look_ups(played: Played, texts: "_Texts", faults: list[str]) -> dict[str, float]:
    """Return the parts about look-ups, and failures that are reported: whether they were tried, and what is reported of them."""
    needed = [one for one in played.expected.calls if one.needed and not (one.ok and one.writes)]
    used: set[int] = set()
    tried = list[bool]()
    told = texts.answers(faults)
    for one in needed:
        free = [(at, made) for at, made in enumerate(played.made) if at not in used and made.ok == one.ok]
        at = next((at for at, made in free if one.fits(made.call)), None)
        tried.append(at is not None)
        if at is None:
            faults.append(f"lookups: {one.call.name} was not called with the right values")
        else:
            used.add(at)
        if one.ok and one.told:
            told.append(at is not None and texts.report(one, at))
            if not told[-1]:
                faults.append(f"told: too little of what {one.call.name} found")
    told += _answers_without_calls(played, texts, faults)
    return {name: _share_of_true(good) for name, good in {"lookups": tried, "told": told}.items() if good}


def _answers_without_calls(played: Played, texts: "_Texts", faults: list[str]) -> list[bool]:
    """Return for each question that needs no call whether its reply says what it must."""
    found = []
    for turn, words in played.expected.replied:
        found.append(any(text.says(one) for said, text in texts.read if said.turn == turn for one in words))
        if not found[-1]:
            faults.append(f"told: not {' or '.join(words[:3])}")
    return found


def _share_of_true(good: Sequence[bool]) -> float:
    """Return the share of checks that hold."""
    return sum(good) / len(good)


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

    def report(self, one: ExpectedCall, at: int) -> bool:
        """Whether texts after a call tell at least half of what the row's answers tell of it: values, and of things of a list one value."""
        after = [text for said, text in self.read if said.calls > at]
        found: dict[str, bool] = {}
        for claim in one.told:
            thing = thing_of(claim.pointer)
            found[thing] = found.get(thing, False) or self._is_stated(one, claim, self._played.made[at].value, after)
        return 2 * sum(found.values()) >= len(found)

    def _is_stated(self, one: ExpectedCall, claim: AnswerClaim, result: Any, texts: Sequence[AnswerText]) -> bool:
        """Whether texts state a value of a result, in any form, or in words that are read as it."""
        value, words = self._value(one, claim, result)
        saying = verbalization(self._played.task.toolbox[one.call.name], claim.of, claim.pointer, claim.verbalizer)
        today = self._played.task.opening.today
        return any(text.states(value, words) for text in texts) or any(
            text.reads(value, lambda said: saying.read(said, today), self._asked) for text in texts
        )

    def _value(self, one: ExpectedCall, claim: AnswerClaim, result: Any) -> tuple[Any, str]:
        """Return a value of a result that the row's answers state, and the row's words where it is the same there."""
        try:
            value = resolve(result, claim.pointer)
        except LookupError:
            return None, ""
        content = str(self._played.task.opening.conversation.messages[claim.message].content)
        words = content[claim.start : claim.end] if same(value, resolve(one.result, claim.pointer)) else ""
        return len(value) if claim.verbalizer == "count" and isinstance(value, list) else value, words


def _declined(expected: Expected, texts: _Texts, faults: list[str]) -> list[bool]:
    """Return for each turn in which something cannot be done or did not work out whether a text says so."""
    found = [
        any(reports_problem(text.text) for one, text in texts.read if one.turn == turn) for turn in expected.declined
    ]
    faults += ["declined: no text says that it cannot be done, or did not work out" for good in found if not good]
    return found


def _invented_failures(played: Played, texts: _Texts, faults: list[str]) -> list[bool]:
    """Return False for each text that reports a failure where all went well."""
    own = [str(message.content) for message in played.task.opening.conversation.messages]
    known = "\n".join([*(made.content for made in played.made), *own]).casefold()
    found = []
    for one, text in texts.read:
        failed = any(not made.ok for made in played.made[: one.calls] if made.turn == one.turn)
        if one.turn in played.expected.fine and reports_failure(text.text, known, mended=failed):
            found.append(False)
            faults.append("declined: a text says that something failed, and nothing did")
    return found


def _asked(played: Played, faults: list[str]) -> float:
    """Return whether the value is asked for without which nothing can be done."""
    asks = any("?" in said.text for said in played.said if said.turn in played.expected.asked)
    if not asks:
        faults.append("asked: no text asks for the value that is missing, or that cannot be")
    return float(asks)


def _policy(played: Played, pairs: list[tuple[AgentCall, ExpectedCall]], faults: list[str]) -> float:
    """Return whether nothing was done before the user had asked for it, allowed it, or said what it needs."""
    early = [made.call.name for made, one in pairs if made.turn < one.earliest]
    looked_up = [one for one in played.expected.calls if not one.writes]
    guessed = []
    for made in played.made:
        fitting = [one for one in looked_up if made.ok and one.fits(made.call)]
        if fitting and all(made.turn < one.earliest for one in fitting):
            guessed.append(made.call.name)
    faults += [f"policy: {name} was called before the user had said or allowed it" for name in [*early, *guessed]]
    return float(not early and not guessed)
