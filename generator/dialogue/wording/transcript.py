"""The messages of a row that have been worded so far, and the claims about where their values come from."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from generator.core.claims import (
    AnswerClaim,
    AskClaim,
    Claim,
    DeclineClaim,
    Proof,
    RetractedClaim,
    TellClaim,
    UseClaim,
    WishClaim,
)
from generator.core.connectives import CONNECTIVES
from generator.core.conversation import AssistantMessage, Conversation, Message, ToolCall
from generator.core.planning import Ask, Call, EventLog, Say, Step, Tell, Wish
from generator.core.pointers import resolve_or_none
from generator.core.seeds import Draw
from generator.dialogue.styles import ANY, style_in
from generator.dialogue.values.voice import Voice, assistant_voice
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases
from generator.dialogue.wording.utterance import Phrase, Whose

_APART = frozenset({"detailed", "tallied"})
"""What is not told as one more line of a list."""
_ABOUT_LINES = frozenset({"singled_out", "picked", "tallied"})
"""What is said about the lines of a list, behind them."""
SaidSpan = tuple[str, int, int, str]
"""Pointer of a value, start and end of its words in the message, verbalizer."""
EventItem = tuple[int, int]
"""The index of an event and the number of a wish or call in it."""


class Transcript:
    """A conversation while it is worded: its messages, where values stand in them, and the claims about them."""

    def __init__(self, log: EventLog, phrases_by_tool: dict[str, ToolPhrases], draw: Draw, voice: Voice) -> None:
        self.log = log
        self.phrases = phrases_by_tool
        self.draw = draw
        self.voice = voice
        """The user's."""
        self.style = ANY if log.note is None else style_in(log.note.text)
        """How answers are to look."""
        self.answering = assistant_voice(voice, self.style)
        self.goes_on = False
        """Whether the assistant says more after the event that is being worded."""
        self.messages: list[Message] = []
        self.assistant: str | None = None
        """What the assistant has said since the last message: a step or the user closes it."""
        self.after_block: Literal["", "lines", "about"] = ""
        """Whether it ends with the lines of a list or a table, or with what is said about these."""
        self.claims: list[Claim] = []
        self.answers: list[AnswerClaim] = []
        self.wishes: list[WishClaim] = []
        self.asks: list[AskClaim] = []
        self.declines: list[DeclineClaim] = []
        self.said_at: dict[int, int] = {}
        """Index of the message that words a `Say` or a `Note`."""
        self.told_at: dict[EventItem, int] = {}
        """Index of the message with the result of a call."""
        self.spots: dict[EventItem, list[SaidSpan]] = {}
        """What is said of each wish."""
        self.references: dict[EventItem, dict[str, tuple[int, int]]] = {}
        """Where the words stand that describe a slot of a wish."""
        self.explained: set[str] = set()
        """Domains for whose tools the user has given a reason."""
        self.used_answers: set[AnswerSentence] = set()
        """The sentences with which results have been reported: the next answer has others."""
        self.reasons: dict[tuple[int, str], str | None] = {}
        """Why an element was taken, by message and pointer: "it" is taken for the same reason."""
        self.asking: set[EventItem] = set()
        """Wishes in sentences that ask to be told something."""
        self.calls = _calls_by_wish(log)
        self.unmade = _unmade_calls(log, self.calls)
        self.tells: list[TellClaim] = []
        self.retracted: list[RetractedClaim] = []
        self.uses: list[UseClaim] = []
        self.requests: list[tuple[int, int, str, int, Whose]] = []
        """The forms of requests: message, start, key, event, and the numbers of the wishes that each is for."""

    # --- looking up events ---

    def step_at(self, event: int) -> Step:
        """Return the step with this id."""
        step = self.log.events[event]
        assert isinstance(step, Step)
        return step

    def call_at(self, place: EventItem) -> Call:
        """Return the call of a step, by its place `(event, number)`, as it was planned."""
        return self.step_at(place[0]).calls[place[1]]

    def made_at(self, place: EventItem | None) -> ToolCall:
        """Return the call of a step, by its place `(event, number)`, as it was made."""
        assert place is not None
        return self.step_at(place[0]).made[place[1]]

    def wish_at(self, place: EventItem) -> Wish:
        """Return a wish, by its place `(event, number)`."""
        say = self.log.events[place[0]]
        assert isinstance(say, Say)
        return say.wishes[place[1]]

    def reported(self, places: Sequence[EventItem]) -> list[ReportedCall]:
        """Return calls, by their places `(event, number)`, with the results that are reported."""
        calls_and_outcomes = [(self.made_at(place), self.step_at(place[0]).outcomes[place[1]]) for place in places]
        return [ReportedCall(self.phrases[call.name], call, outcome.value) for call, outcome in calls_and_outcomes]

    @cached_property
    def is_bold(self) -> bool:
        """Whether names that begin the lines of lists are in bold type, in all of the conversation."""
        return self.style.bold != "no" and self.draw.chance(0.4)

    @cached_property
    def explains(self) -> bool:
        """Whether the user is one who gives reasons."""
        reasons = self.log.persona.reasons
        return reasons > 0 and self.draw.chance(reasons)

    # --- saying ---

    def say_further(self, text: str, phrase: Phrase, call_id: str, how: str) -> str:
        """Return the user's message with one more sentence, which is noted."""
        begin = len(text) + 1 if text else 0
        self.note_phrase(begin, phrase)
        self.tells.append(TellClaim(len(self.messages), begin, begin + len(phrase[0]), call_id, how))
        return f"{text} {phrase[0]}" if text else phrase[0]

    def tell_apart(self, phrase: Phrase, call_id: str, how: str) -> None:
        """Add a sentence that does not report the result of a call that succeeded."""
        at = self.add(phrase[0], how)
        self.note_phrase(at, phrase)
        self.tells.append(TellClaim(len(self.messages), at, at + len(phrase[0]), call_id, how))

    def add(self, text: str, how: str = "") -> int:
        """Add a text to the assistant's message; return the index at which it begins.

        It goes on in the same paragraph, but after a list: there it is one more line, or a paragraph of its own.
        """
        before, about = self.assistant or "", how in _ABOUT_LINES
        is_list = "\n- " in before.rpartition("\n\n")[2]
        if not before or (about and self.after_block == "about"):
            gap = " " if before else ""
        elif self.after_block or text.startswith("- ") or "\n" in text or (is_list and how in _APART):
            gap = "\n\n"
        else:
            gap = "\n- " if is_list else " "
        self.assistant = before + gap + text
        self.after_block = "about" if about and self.after_block else ""
        return len(before + gap)

    def text_at(self, message: int) -> str:
        """Return the text of a message, as far as it has got."""
        return (self.assistant if message == len(self.messages) else self.messages[message].content) or ""

    def close(self) -> None:
        """End the assistant's message, if one is open."""
        if self.assistant is not None:
            self.messages.append(AssistantMessage(self.assistant))
            self.assistant = None

    def call_for(self, wish: EventItem) -> str:
        """Return the id of the call that serves a wish, or `MESSAGE:WISH` if that call is never made; a wish is `(event, number)`."""
        calls = self.calls.get(wish, ())
        return calls[0][0] if calls else f"{self.said_at[wish[0]]}:{wish[1]}"

    def note_spans(self, event: Say, phrase: Phrase) -> str:
        """Return the text of a user's message, and note where it says or describes values."""
        message, spans, uses = phrase
        own: list[list[SaidSpan]] = [[] for _ in event.wishes]
        self.requests += [(len(self.messages), start, form.key, event.id, whose) for start, form, whose in uses]
        for start, end, verbalizer, pointer, wishes in spans:
            for number in wishes:
                if verbalizer == "reference":
                    self.references.setdefault((event.id, number), {})[pointer] = (start, end)
                else:
                    own[number].append((pointer, start, end, verbalizer))
        said = [spot[1:3] for spots in own for spot in spots]
        for number, spots in enumerate(own):
            self.spots[event.id, number] = spots
            wish = event.wishes[number]
            self._hear(wish, spots, message)
            if not (wish.unnamed or wish.demanded) and _asks_to_be_told(
                message, said, min([spot[1] for spot in spots], default=None)
            ):
                self.asking.add((event.id, number))
        return message

    def _hear(self, wish: Wish, spots: list[SaidSpan], message: str) -> None:
        """Note how the user calls choices."""
        for pointer, start, end, verbalizer in spots:
            value = resolve_or_none(wish.said, pointer) if verbalizer == "enum" else None
            if value is not None:
                self.answering.heard[type(value), value] = message[start:end]

    def note_phrase(self, begin: int, phrase: Phrase) -> None:
        """Note the forms that a phrase is made of which begins there, and the values of calls that it states."""
        (_, spans, uses), message = phrase, len(self.messages)
        self.uses += [UseClaim(message, begin + start, form.key, calls) for start, form, calls in uses]
        for start, end, verbalizer, pointer, (whose, of) in spans:
            self.answers.append(AnswerClaim(message, begin + start, begin + end, verbalizer, whose, of, pointer))

    def _calls_of_wish(self, event: int, number: int) -> tuple[str, ...]:
        """Return the ids of the calls that a wish is for, or the name by which claims call it if none is made."""
        say = self.log.events[event]
        assert isinstance(say, Say)
        ask = None if say.to is None else self.log.events[say.to]
        wish = ask.wish if isinstance(ask, Ask) else (event, number)
        served = tuple([call_id for call_id, _ in self.calls.get(wish, ())])
        asked_at = self.said_at[wish[0]]
        if served and not self.declines:
            return served
        tool = self.wish_at(wish).tool
        declined = [f"{asked_at}:{tool}" for one in self.declines if (one.asked_at, one.tool) == (asked_at, tool)]
        return (*served, *declined[:1]) or (self.call_for(wish),)

    # --- claiming ---

    def finish(self) -> tuple[Conversation, Proof]:
        """Return the conversation and its proof."""
        self.close()
        conversation = Conversation(tuple(self.messages), self.log.offered)
        named: dict[tuple[int, Whose], tuple[str, ...]] = {}
        for message, start, key, event, whose in self.requests:
            calls = named.get((event, whose))
            if calls is None:
                calls = named[event, whose] = tuple(
                    [call for number in whose for call in self._calls_of_wish(event, number)]
                )
            self.uses.append(UseClaim(message, start, key, calls))
        claims = (tuple(self.claims), tuple(self.answers), tuple(self.wishes), tuple(self.asks))
        return conversation, Proof(
            *claims,
            tells=tuple(self.tells),
            retracted=tuple(self.retracted),
            declines=tuple(self.declines),
            uses=tuple(self.uses),
        )


def _calls_by_wish(log: EventLog) -> dict[EventItem, list[tuple[str, Call]]]:
    """Return the calls that serve each wish, with their ids, in order."""
    found: dict[EventItem, list[tuple[str, Call]]] = {}
    for event in log.events:
        if type(event) is Step:
            for made, call in zip(event.made, event.calls, strict=True):
                found.setdefault(call.serves, []).append((made.id, call))
    return found


def _unmade_calls(log: EventLog, made: dict[EventItem, list[tuple[str, Call]]]) -> dict[EventItem, Call]:
    """Return the calls that are proposed or ruled out and never made, by the wish that they would serve."""
    planned = [event.call for event in log.events if isinstance(event, Ask) and event.call is not None]
    planned += [event.ruled.call for event in log.events if isinstance(event, Tell) and event.ruled is not None]
    return {call.serves: call for call in planned if call.serves not in made}


_SPOKEN = re.compile(r"[a-z']+")
_SENTENCE_ENDS = re.compile(r"[.?!](?=\s)|\n")


def _asks_to_be_told(text: str, spans: Sequence[tuple[int, int]], start: int | None) -> bool:
    """Whether the sentence asks to be told something.

    Args:
        text: The message.
        spans: Start and end of the values in it: stops within them end no sentence.
        start: A place in the sentence; None when it cannot be told which it is.
    """
    if start is None:
        return True
    begin, end = 0, len(text)
    ends = text
    for left, right in spans:
        ends = f"{ends[:left]}{'_' * (right - left)}{ends[right:]}"
    for stop in _SENTENCE_ENDS.finditer(ends):
        if stop.end() <= start:
            begin = stop.end()
        else:
            end = stop.end()
            break
    sentence = text[begin:end].casefold().strip()
    if sentence.startswith(CONNECTIVES.things) and sentence.endswith(CONNECTIVES.please):
        return True  # "The contact details of Ada King, please."
    return "?" in sentence or not CONNECTIVES.asking_to_be_told.isdisjoint(_SPOKEN.findall(sentence))
