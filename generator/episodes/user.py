"""The user of an episode: what the row's user says, earned by what the assistant says; no model is asked.

The later messages of the row are a script. A text that asks nothing where the row's assistant asks something ends the
episode, as a user who gets no question has no answer to give; after any other text the next request is heard. A
question gets what it asks for: the scripted reply where it names the argument that is missing there, a value that the user has said
before, a yes to a needless "Shall I?"; one that names nothing ("Hm?") gets nothing.
"""

import re
from collections.abc import Mapping
from typing import Protocol

import msgspec

from generator.core.claims import Claim, DeclineClaim, WishClaim
from generator.core.conversation import AssistantMessage, UserMessage
from generator.core.toolbox import ToolSpec
from generator.episodes import Task, calls_in
from generator.episodes.answer_text import Question, Slot, read_question
from generator.episodes.expected import LEAVE

YES, ANY, AGAIN = "Yes, please.", "No preference there.", "Sorry, what exactly do you need to know from me?"
MOST_BESIDE = 2
"""Questions in a row beside the script that are answered; after that the user goes on, or has had enough."""


class Reply(msgspec.Struct, frozen=True):
    """What the user says to a text."""

    text: str | None
    """None: nothing more; the episode ends."""
    heard: int = 0
    """The index of the row's message that was said; 0 for a text that is none of the row's."""


class User(Protocol):
    """Who speaks to the assistant. Another one (a model, a person) needs these three methods only."""

    def opening(self) -> int:
        """Return how many of the row's messages stand before the assistant's first one."""

    def hear(self, text: str) -> Reply:
        """Return the reply to a text of the assistant."""

    def is_finished(self) -> bool:
        """Whether everything was said that the row's user says."""


class _Cue(msgspec.Struct, frozen=True):
    """What the row's assistant says before a message of the user."""

    text: str
    slots: frozenset[Slot] = frozenset()
    """The arguments that it asks for."""
    leave: bool = False
    of_script: bool = False
    """It is a question of a script, of which nothing tells what it asks for."""


class ScriptedUser:
    """The user of one row. Deterministic: the same texts get the same replies."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._plain = task.opening.conversation.messages
        self._messages = task.row.conversation.messages
        self._at = self.opening() - 1
        self._beside = 0
        self._specs = _tools_of(task)
        self._names: Mapping[Slot, str] = {
            (tool, f"/{usual}"): shown
            for tool, new in task.row.renamed.items()
            for usual, shown in new.arguments.items()
        }

    def opening(self) -> int:
        """Return how many of the row's messages stand before the assistant's first one."""
        return next(at for at, message in enumerate(self._messages) if type(message) is AssistantMessage)

    def is_finished(self) -> bool:
        """Whether everything was said that the row's user says."""
        return self._next_of_user() is None

    def hear(self, text: str) -> Reply:
        """Return the reply to a text."""
        following = self._next_of_user()
        cue = self._cue(following)
        question = None if _is_same_text(text, cue.text) else read_question(text, self._specs, self._names)
        if following is not None and (_is_same_text(text, cue.text) or (cue.of_script and question is not None)):
            return self._reply_of_script(following)
        if cue.slots or cue.leave:
            return self._answer(question, cue, following)
        if question is not None and self._beside < MOST_BESIDE:
            beside = self._values_asked_for(question) or (YES if question.leave else ANY if question.slots else "")
            if beside:
                return self._reply_beside_script(beside)
        return Reply(None) if following is None else self._reply_of_script(following)

    def _answer(self, question: Question | None, cue: _Cue, following: int | None) -> Reply:
        """Return the reply where the row's assistant asks something."""
        if question is None or following is None:
            return Reply(None)
        # several tools may ask for a place: the one that lacks it is meant
        wanted_pointers = {pointer for _, pointer in cue.slots}
        is_about_the_same = any(pointer in wanted_pointers for _, pointer in question.slots)
        if is_about_the_same or (cue.leave and question.leave):
            return self._reply_of_script(following)
        values_said = self._values_asked_for(question)
        return self._reply_beside_script(values_said or (ANY if question.slots and not question.leave else AGAIN))

    def _values_asked_for(self, question: Question) -> str:
        """Return the values that a question asks for and the user has said; empty where there are none."""
        words_by_slot = _words_said(self._task, self._at)
        words_of_values = (
            [words_by_slot[slot] for slot in question.slots if slot in words_by_slot] if not question.leave else []
        )
        return ", ".join(dict.fromkeys(words_of_values)) + "." if words_of_values else ""

    def _reply_beside_script(self, text: str) -> Reply:
        """Return a reply that is not in the row; after too many of these in a row the user says no more."""
        self._beside += 1
        return Reply(text) if self._beside <= MOST_BESIDE else Reply(None)

    def _reply_of_script(self, at: int) -> Reply:
        """Return a message of the row's user."""
        self._at, self._beside = at, 0
        return Reply(str(self._messages[at].content), at)

    def _next_of_user(self) -> int | None:
        """Return the index of the next message of the user."""
        later = range(self._at + 1, len(self._messages))
        return next((at for at in later if type(self._messages[at]) is UserMessage), None)

    def _cue(self, following: int | None) -> _Cue:
        """Return what the row's assistant has said before the user's next message, or last."""
        end = len(self._plain) if following is None else following
        answer_indexes = [at for at in range(self._at + 1, end) if type(self._plain[at]) is AssistantMessage]
        if not answer_indexes:
            return _Cue("")
        last_index, proof = answer_indexes[-1], self._task.opening.proof
        if following is None:
            return _Cue(str(self._messages[last_index].content or ""))
        tools = self._task.tools_by_call
        asks = [claim for claim in proof.asks if claim.message == last_index]
        hows = {claim.how for claim in proof.tells if claim.message == last_index}
        return _Cue(
            text=str(self._messages[last_index].content or ""),
            slots=frozenset((tools.get(claim.call_id, ""), _pointer_to_argument(claim.pointer)) for claim in asks),
            leave=not LEAVE.isdisjoint(hows),
            of_script=bool(proof.scripts) and "?" in (self._plain[last_index].content or ""),
        )


def _tools_of(task: Task) -> list[ToolSpec]:
    """Return the tools that the row calls, or that are asked for, as they are known to the recipe."""
    names = [call.name for call in calls_in(task.opening.conversation.messages)]
    names += [wish.tool for wish in task.opening.proof.wishes] + [one.tool for one in task.opening.proof.declines]
    return [task.toolbox[name] for name in dict.fromkeys(names) if name in task.toolbox]


def _pointer_to_argument(pointer: str) -> str:
    """Return the pointer to the argument in which a value stands."""
    return "/" + pointer.split("/")[1] if "/" in pointer else pointer


def _words_said(task: Task, heard: int) -> dict[Slot, str]:
    """Return the words of each value that the user has said up to a message."""
    proof, messages = task.opening.proof, task.row.conversation.messages
    tools = task.tools_by_call
    claims: list[tuple[str, Claim]] = [(tools.get(claim.call_id, ""), claim) for claim in proof.arguments]
    claims_of_wishes: tuple[WishClaim | DeclineClaim, ...] = (*proof.wishes, *proof.declines)
    claims += [(wish.tool, claim) for wish in claims_of_wishes for claim in wish.said]
    words_by_slot: dict[Slot, list[str]] = {}
    for tool, claim in claims:
        index, start, end = claim.message, claim.start, claim.end
        if index is None or start is None or end is None or index > heard or type(messages[index]) is not UserMessage:
            continue
        words_by_slot.setdefault((tool, _pointer_to_argument(claim.pointer)), []).append(
            str(messages[index].content)[start:end]
        )
    return {slot: ", ".join(dict.fromkeys(words)) for slot, words in words_by_slot.items()}


def _is_same_text(text: str, other: str) -> bool:
    """Whether two texts are the same but for white space and capitals."""
    return re.sub(r"\s+", " ", text).strip().casefold() == re.sub(r"\s+", " ", other).strip().casefold()
