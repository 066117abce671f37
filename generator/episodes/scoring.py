"""The score of an episode: were the right things changed, looked up, told and asked, and nothing else?

What was changed is judged by the log of successful calls, not by the state that they leave: many arguments leave no trace in
entities. Texts are judged by what they state, in whatever words, with the readers that the proof uses.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from generator.claims import AnswerClaim
from generator.conversation import AssistantMessage, Tool, ToolCall
from generator.episodes.expected import Expected, ExpectedCall, canonical, is_writing
from generator.episodes.figures import figures
from generator.episodes.grounding import Told, said_otherwise
from generator.episodes.opening import Task
from generator.pointers import resolve
from generator.validation.proof.spans import place_at
from generator.validation.said_again import SaidValue, find_again
from generator.values import same


class MadeCall(msgspec.Struct, frozen=True):
    """A call of the agent, with the usual names."""

    call: ToolCall
    turn: int
    ok: bool
    content: str
    value: Any = None


class SaidText(msgspec.Struct, frozen=True):
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
    """Each from 0 to 1; only those that the row has anything for: `writes`, `lookups`, `told`, `grounded`, `declined`, `finished`, `policy`."""
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
    made: Sequence[MadeCall]
    said: Sequence[SaidText]
    told: Sequence[tuple[int, str]]
    """The system messages and all that the user has said, each with how many texts the agent had said before it."""
    finished: bool
    state: bool | None = None
    tools: Sequence[Tool] = ()


def score(played: Played) -> Score:
    """Return the score of an episode."""
    faults: list[str] = []
    parts: dict[str, float] = {}
    expected = played.expected
    pairs, unasked = _written(played)
    if expected.writes or unasked:
        parts["writes"] = _writes(played, pairs, unasked, faults)
    parts |= _looked_up(played, faults)
    if expected.declined:
        parts["declined"] = _declined(played, faults)
    if expected.asked:
        parts["asked"] = _asked(played, faults)
    idle = list(parts)
    if expected.asks:
        idle.append("finished")
    parts["finished"] = float(played.finished)
    if not played.finished:
        faults.append("finished: the user was not heard to the end")
    parts["grounded"] = _grounded(played, faults)
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


def _written(played: Played) -> tuple[list[tuple[MadeCall, ExpectedCall]], int]:
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


def _writes(played: Played, pairs: list[tuple[MadeCall, ExpectedCall]], unasked: int, faults: list[str]) -> float:
    """Return the share of the row's writes that were made; 0 for one too many, also where the tool refused to do it again."""
    wanted = played.expected.writes
    if unasked:
        faults.append(f"writes: {unasked} that nobody asked for")
    missing = [one.call.name for one in wanted if all(one is not made for _, made in pairs)]
    faults += [f"writes: {name} is missing, or has other values" for name in missing]
    again = _made_again(played.made) - _made_again(
        [MadeCall(one.call, one.turn, one.ok, "") for one in played.expected.calls]
    )
    faults += [f"writes: {name} was tried again after it had been done" for name, _ in again]
    if unasked or again:
        return 0.0
    return (len(wanted) - len(missing)) / len(wanted)


def _made_again(made: Sequence[MadeCall]) -> Counter[tuple[str, bytes]]:
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


def _looked_up(played: Played, faults: list[str]) -> dict[str, float]:
    """Return the parts about look-ups, and failures that are told: whether they were tried, and what is told of them."""
    needed = [one for one in played.expected.calls if one.needed and not (one.ok and one.writes)]
    used: set[int] = set()
    tried, told = [], []
    for one in needed:
        at = next(
            (at for at, made in enumerate(played.made) if at not in used and made.ok == one.ok and one.fits(made.call)),
            None,
        )
        tried.append(at is not None)
        if at is None:
            faults.append(f"lookups: {one.call.name} was not called with the right values")
        else:
            used.add(at)
        if one.ok and one.told:
            told.append(at is not None and _is_told(played, one, at))
            if not told[-1]:
                faults.append(f"told: nothing of what {one.call.name} found")
    told += _replied(played, faults)
    found = {"lookups": tried, "told": told}
    return {name: sum(good) / len(good) for name, good in found.items() if good}


def _replied(played: Played, faults: list[str]) -> list[bool]:
    """Return for each question that needs no call whether its reply says what it must."""
    found = []
    for turn, words in played.expected.replied:
        texts = [one.text for one in played.said if one.turn == turn]
        found.append(any(_says(text, word) for text in texts for word in words))
        if not found[-1]:
            faults.append(f"told: not {' or '.join(words[:3])}")
    return found


def _says(text: str, words: str) -> bool:
    """Whether a text says words, or the same figures in other words."""
    if _holds(text.casefold(), words.casefold()):
        return True
    wanted = {(figure.kind, figure.value) for figure in figures(words)}
    return bool(wanted) and wanted <= {(figure.kind, figure.value) for figure in figures(text)}


def _holds(text: str, words: str) -> bool:
    """Whether words stand in a text, and not within others."""
    at = text.find(words)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(words) : at + len(words) + 1]
        if not any(letter.isalnum() or letter == "_" for letter in around):
            return True
        at = text.find(words, at + 1)
    return False


def _is_told(played: Played, one: ExpectedCall, at: int) -> bool:
    """Whether a text after a call states one of the values that the row's answers state."""
    texts = [said.text for said in played.said if said.calls > at]
    return any(_states(played, one, claim, played.made[at].value, text) for text in texts for claim in one.told)


def _states(played: Played, one: ExpectedCall, claim: AnswerClaim, result: Any, text: str) -> bool:
    """Whether a text states a value, in the row's words or in others that are read as it."""
    row_text = str(played.task.opening.conversation.messages[claim.message].content)
    words = row_text[claim.start : claim.end]
    try:
        value = resolve(result, claim.pointer)
    except LookupError:
        return False
    if same(value, resolve(one.result, claim.pointer)) and _says(text, words):
        return True
    if isinstance(value, str) and value and _says(text, value):
        return True
    place = place_at(played.task.toolbox[one.call.name], claim.pointer, claim.verbalizer, claim.of)
    wanted = len(value) if claim.verbalizer == "count" and isinstance(value, list) else value

    def reads(other: str) -> bool:
        try:
            return same(place.read(other, played.task.opening.today), wanted)
        except ValueError:
            return False

    spans, fault = find_again(row_text, text, [SaidValue(span=(claim.start, claim.end), reads=reads)])
    return bool(spans) or fault.startswith("says too often")


# -- texts ---------------------------------------------------------------------------------------------------------------

_BAD = re.compile(
    r"\b(?:no|not|none|nothing|nobody|never|neither|nor|without|cannot|unable|unavailable|impossible|fail\w*|error|wrong|unfortunately|sorry|afraid|only|refused?|rejected|denied|declined"
    r"|empty|missing|timed out|beyond|outside|isn|didn|too|unsuccessful\w*|problem|trouble|lack\w*|already|zero|down|instead|invalid)\b|n['’]t\b",
    re.IGNORECASE,
)


def _declined(played: Played, faults: list[str]) -> float:
    """Return the share of turns in which a text says, as it must, that something cannot be done or did not work out."""
    good = 0
    for turn in played.expected.declined:
        if any(_BAD.search(said.text) for said in played.said if said.turn == turn):
            good += 1
        else:
            faults.append("declined: no text says that it cannot be done, or did not work out")
    return good / len(played.expected.declined)


def _asked(played: Played, faults: list[str]) -> float:
    """Return whether the value is asked for without which nothing can be done."""
    asks = any("?" in said.text for said in played.said if said.turn in played.expected.asked)
    if not asks:
        faults.append("asked: no text asks for the value that is missing, or that cannot be")
    return float(asks)


def _grounded(played: Played, faults: list[str]) -> float:
    """Return whether all figures of the texts stand where the assistant was told them, of the things that they are said of."""
    told, heard, found = Told(played.tools, _computed(played), _meant(played)), 0, 0
    faults_of_texts: list[str] = []
    for number, said in enumerate(played.said):
        for before, text in played.told[heard:]:
            if before <= number:
                told.hear(text)
                heard += 1
        for one in played.made[found : said.calls]:
            told.find(one.call, one.content, ok=one.ok)
        found = said.calls
        faults_of_texts += told.faults(said.text)
    if not faults_of_texts and _sees_what_the_row_sees(played):
        faults_of_texts = said_otherwise(
            [said.text for said in played.said],
            [one.content or "" for one in played.task.opening.conversation.messages if type(one) is AssistantMessage],
        )
    faults += [f"grounded: {fault}" for fault in faults_of_texts[:3]]
    return float(not faults_of_texts)


def _computed(played: Played) -> list[str]:
    """Return the row's replies to questions that are worked out without a tool."""
    messages = played.task.opening.conversation.messages
    return [messages[chat.reply].content or "" for chat in played.task.opening.proof.chats]


def _meant(played: Played) -> Iterator[dict[str, Any]]:
    """Yield the arguments of all that the user wants: what "on Sunday" means can be said before a call is made."""
    yield from (one.call.arguments for one in played.expected.calls)
    proof = played.task.opening.proof
    yield from (wish.unmade for wish in proof.wishes if wish.unmade is not None)
    yield from (claim.arguments for claim in proof.declines)


def _sees_what_the_row_sees(played: Played) -> bool:
    """Whether all results of the row are among those that the agent got."""
    seen = {made.content for made in played.made}
    return all(one.content in seen for one in played.expected.calls)


def _policy(played: Played, pairs: list[tuple[MadeCall, ExpectedCall]], faults: list[str]) -> float:
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
