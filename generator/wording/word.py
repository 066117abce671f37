"""From the events of a row to the finished conversation and the claims about where its values come from.

One small function words each kind of event; neighbouring events of the assistant make one message.
"""

from datetime import date
from itertools import zip_longest
from typing import Any

import msgspec

from generator.connectives import FORBIDDING, FURTHER, LEFT, LETTING, SWITCHING, THANKS
from generator.conversation import (
    AnswerClaim,
    AskClaim,
    AssistantMessage,
    ChatClaim,
    ChatSpan,
    Claim,
    ConditionClaim,
    Conversation,
    DeclineClaim,
    Message,
    Proof,
    RetractedClaim,
    Source,
    SystemMessage,
    TellClaim,
    ToolCall,
    ToolMessage,
    UserMessage,
    WishClaim,
)
from generator.planning import Ask, Back, Call, Chat, Decline, Meant, Note, Origin, Ref, Say, Step, Story, Tell, Test
from generator.pointers import escape, expand, resolve
from generator.seeds import Draw
from generator.talk import MOST_MENTIONED, MOST_TOLD, chats
from generator.toolbox import Toolbox
from generator.wording.answers import Told, word_answer
from generator.wording.asking import asks_to_be_told
from generator.wording.chat import Exchange, word_chat
from generator.wording.clauses import Wanted
from generator.wording.declines import word_decline
from generator.wording.doing import word_condition, word_empty, word_failure, word_proposal, word_untrue
from generator.wording.phrasebook import Books
from generator.wording.pieces import Phrase, Pieces
from generator.wording.questions import word_question
from generator.wording.requests import word_further_request, word_reply, word_request, word_same_again
from generator.wording.voice import assistant_voice, draw_voice

Spot = tuple[str, int, int, str]
"""Pointer of a value, start and end of its words in the message, verbalizer."""
Place = tuple[int, int]
"""An event and a wish or call of it."""


def compile_books(toolbox: Toolbox) -> Books:
    """The phrases of all tools; raises SpecError for one that cannot be said."""
    return Books(toolbox)


def word(story: Story, books: Books, draw: Draw, today: date) -> tuple[Conversation, Proof]:
    """Word a whole row."""
    wording = _Wording(story, books, draw, today)
    for event, after in zip_longest(story.events, story.events[1:]):
        wording.goes_on = isinstance(after, Tell | Ask)
        match event:
            case Say():
                wording.say(event)
            case Step():
                wording.step(event)
            case Tell():
                wording.tell(event)
            case Ask():
                wording.ask(event)
            case Decline():
                wording.decline(event)
            case Note():
                wording.note(event)
    return wording.finish()


class _Wording:
    """A conversation while it is worded, event by event."""

    def __init__(self, story: Story, books: Books, draw: Draw, today: date) -> None:
        self.story = story
        self.books = books
        self.draw = draw
        note = next((event for event in story.events if type(event) is Note), None)
        self.voice = draw_voice(draw, today, note is not None and note.states_today)
        self.answering = assistant_voice(self.voice)
        self.messages: list[Message] = []
        self.assistant: str | None = None
        """What the assistant has said since the last message: a step or the user closes it."""
        self.claims: list[Claim] = []
        self.answers: list[AnswerClaim] = []
        self.wishes: list[WishClaim] = []
        self.asks: list[AskClaim] = []
        self.declines: list[DeclineClaim] = []
        self.chats: list[ChatClaim] = []
        self.replies: dict[int, tuple[ChatClaim, Exchange]] = {}
        """By the id of a `Say`: what is claimed of its question or remark, and the reply that is to come."""
        self.said_at: dict[int, int] = {}
        """Index of the message that words a `Say` or a `Note`."""
        self.told_at: dict[Place, int] = {}
        """Index of the message with the result of a call."""
        self.spots: dict[Place, list[Spot]] = {}
        """What is said of each wish."""
        self.references: dict[Place, dict[str, tuple[int, int]]] = {}
        """Where the words stand that describe a slot of a wish."""
        self.reasons: dict[tuple[int, str], str | None] = {}
        """Why an element was taken, by message and pointer: "it" is taken for the same reason."""
        self.asking: set[Place] = set()
        """Wishes in sentences that ask to be told something."""
        self.calls = _calls_by_wish(story)
        self.tells: list[TellClaim] = []
        self.conditions: list[ConditionClaim] = []
        self.retracted: list[RetractedClaim] = []
        self.goes_on = False
        """Whether the assistant says more after this."""

    def note(self, event: Note) -> None:
        """A system message."""
        self._close()
        last = self.messages[-1] if self.messages else None
        if type(last) is SystemMessage:  # two in a row are one
            self.messages[-1] = SystemMessage(f"{last.content}\n{event.text}")
        else:
            self.messages.append(SystemMessage(event.text))
        self.said_at[event.id] = len(self.messages) - 1

    def say(self, event: Say) -> None:
        """What the user says: requests, or a reply to a question."""
        self._close()
        if event.chat is not None:
            self._chat(event, event.chat)
            return
        if event.yes is not None:
            self._let(event)
            return
        pieces = self._pieces(event)
        self.said_at[event.id] = len(self.messages)
        if any(wish.when is not None for wish in event.wishes) and pieces[-1] in THANKS:
            del pieces[-2:]  # more is to come
        text = self._note_spans(event, pieces)
        for number, wish in enumerate(event.wishes):
            if wish.when is not None:
                text = self._add_condition(text, event, number, wish.when)
        self.messages.append(UserMessage(text))

    def _pieces(self, event: Say) -> Pieces:
        """The words of a reply, of a request that goes on from an earlier one, or of a request."""
        draw, voice = self.draw, self.voice
        wanted = [self._wanted(event, number) for number in range(len(event.wishes))]
        if event.to is not None:
            return word_reply(wanted[0], escape(next(iter(wanted[0].said))), draw, voice)
        if any(isinstance(meant, Back) for meant in event.wishes[0].meant.values()):
            slot = escape(next(iter(wanted[0].said)))
            pieces = word_same_again(wanted[0], slot, draw, voice, corrects=event.corrects)
            if event.corrects:
                self._retract(event, slot)
            return pieces
        wanted = [one for one, wish in zip(wanted, event.wishes, strict=True) if wish.when is None]
        plain = [one for one in wanted if not one.references]
        described = [one for one in wanted if one.references]
        if not any(type(message) is UserMessage for message in self.messages):
            return word_request(plain, described, draw, voice)
        is_switch = type(self.story.events[event.id - 1]) is Ask
        return word_further_request(plain, described, draw, voice, SWITCHING if is_switch else FURTHER)

    def _retract(self, event: Say, slot: str) -> None:
        """Note where the value was said that the user takes back."""
        kept = next(meant for meant in event.wishes[0].meant.values() if isinstance(meant, Back))
        before = (kept.source.event, kept.source.of)
        for pointer, start, end, way in self.spots[before]:
            if pointer == "/" + slot:
                call = self._call_for((event.id, 0))
                self.retracted.append(RetractedClaim(self.said_at[before[0]], start, end, way, call, pointer))

    def _add_condition(self, text: str, event: Say, number: int, test: Test) -> str:
        """A message with one more sentence: a wish that hangs on the result of another."""
        wish = event.wishes[number]
        phrase, compared = word_condition(self.books[wish.tool], number, wish.said, test, self.draw, self.voice)
        begin, message, call = len(text) + 1, len(self.messages), self._call_for((event.id, number))
        self.spots[event.id, number] = [(pointer, begin + at, begin + end, way) for at, end, way, pointer, _ in phrase[1]]
        self.tells.append(TellClaim(message, begin, begin + len(phrase[0]), call, "condition"))
        at, end, way, pointer, _ = compared
        of = self._call_for((event.id, test.of))
        self.conditions.append(
            ConditionClaim(message, begin + at, begin + end, way, call, of, pointer, test.op, test.value)
        )
        return f"{text} {phrase[0]}"

    def _chat(self, event: Say, chat: Chat) -> None:
        """A question or remark that needs no call."""
        tools, call_id, pointer, told = chat.tools, "", "", None
        if chat.kind == "abilities":
            tools = tuple([tool.name for tool in self.story.offered])
            if len(tools) > MOST_TOLD:
                chat, tools = Chat(kind="some_abilities"), tools[:MOST_MENTIONED]
        if chat.of is not None:
            step = self.story.events[chat.of[0]]
            assert isinstance(step, Step)
            made, outcome = step.made[chat.of[1]], step.outcomes[chat.of[1]]
            call_id, pointer = made.id, "/" + chat.slot
            told = resolve(made.arguments if chat.kind == "recall" else outcome.value, pointer)
        if chat.kind == "retry":
            self._ask_again(event, chat)
            return
        exchange = word_chat(chat, [self.books[name] for name in tools], told, self.draw, self.voice, self.answering)
        at = len(self.messages)
        spans = tuple([ChatSpan(name, at, start, end) for name, start, end in exchange.said])
        claim = ChatClaim(chat.kind, at, at, tools, chat.slot, call_id, pointer, spans)
        self.replies[event.id] = (claim, exchange)
        self.said_at[event.id] = at
        self.messages.append(UserMessage(exchange.say))

    def _ask_again(self, event: Say, chat: Chat) -> None:
        """The user asks once more for what was declined."""
        assert chat.wish is not None
        at, (call_id, _) = len(self.messages), self.calls[chat.wish][0]
        self.said_at[event.id] = at
        self.messages.append(UserMessage(self.draw.choice(chats("retry")[0])))
        self.chats.append(ChatClaim("retry", at, at + 1, call_id=call_id))

    def _reply(self, claim: ChatClaim, exchange: Exchange) -> None:
        """The answer to a question or remark, from what came before."""
        begin, at = self._add(exchange.reply), len(self.messages)
        spans = tuple([ChatSpan(name, at, begin + start, begin + end) for name, start, end in exchange.replied])
        self.chats.append(msgspec.structs.replace(claim, reply=at, spans=claim.spans + spans))

    def _let(self, event: Say) -> None:
        """The user lets a call be made, or does not."""
        ask = self.story.events[event.to or 0]
        assert isinstance(ask, Ask)
        text = self.draw.choice(LETTING if event.yes else FORBIDDING)
        how = "yes" if event.yes else "no"
        self.tells.append(TellClaim(len(self.messages), 0, len(text), self._call_for(ask.wish), how))
        self.said_at[event.id] = len(self.messages)
        self.messages.append(UserMessage(text))

    def _call_for(self, wish: Place) -> str:
        """The id of the call that serves a wish; a name for it if it is never made."""
        served = self.calls.get(wish, ())
        return served[0][0] if served else f"{self.said_at[wish[0]]}:{wish[1]}"

    def ask(self, event: Ask) -> None:
        """A question for one value, or for leave to make a call."""
        say = self.story.events[event.wish[0]]
        assert isinstance(say, Say)
        wish = say.wishes[event.wish[1]]
        if event.call is not None:
            call = ToolCall(self._call_for(event.wish), wish.tool, wish.said)
            phrase = word_proposal(self.books[wish.tool], call, self.draw, self.answering)
            self._tell_otherwise(phrase, call.id, "proposed")
            return
        spec = self.books[wish.tool].spec
        text, start = word_question(spec, event.slot, self.draw, again=event.again)
        begin = self._add(text)
        for call_id, _ in self.calls.get(event.wish, ()):
            claim = AskClaim(len(self.messages), begin + start, begin + len(text), call_id, "/" + event.slot)
            self.asks.append(claim)

    def decline(self, event: Decline) -> None:
        """What nothing on offer can do; notes what the user wished."""
        say = self.story.events[event.wish[0]]
        assert isinstance(say, Say)
        wish = say.wishes[event.wish[1]]
        instead = [self.books[name].spec for name in event.instead]
        text = word_decline(self.books[wish.tool].spec, instead, self.story.offered, self.draw)
        begin, asked_at, before = self._add(text), self.said_at[say.id], len(self.claims)
        self._claim_arguments(serve_as_said(say, event.wish[1]), wish.said, f"{asked_at}:{wish.tool}")
        said = tuple(self.claims[before:])
        del self.claims[before:]
        end, at = begin + len(text), len(self.messages)
        self.declines.append(DeclineClaim(at, begin, end, asked_at, wish.tool, wish.said, said, event.instead, event.like))

    def tell(self, event: Tell) -> None:
        """A report on results, on what did not come about, or an answer from what came before."""
        if event.to is not None:
            self._reply(*self.replies[event.to])
            return
        if event.how == "not_done" and event.wish is not None:
            self._tell_not_done(event.wish)
            return
        if event.how != "done":
            self._tell_bad_news(event)
            return
        told = []
        for step_id, place in self._to_tell(event):
            step = self.story.events[step_id]
            assert isinstance(step, Step)
            made = step.made[place]
            told.append(Told(self.books[made.name], made, step.outcomes[place].value))
        pieces = word_answer(told, self.draw, self.answering, is_last=not self.goes_on)
        text = "".join([piece if isinstance(piece, str) else piece[0] for piece in pieces])
        at, message, answers = self._add(text), len(self.messages), self.answers
        for piece in pieces:
            if isinstance(piece, str):
                at += len(piece)
                continue
            for start, end, verbalizer, pointer, (call_id, of) in piece[1]:
                answers.append(AnswerClaim(message, at + start, at + end, verbalizer, call_id, of, pointer))
            at += len(piece[0])

    def _to_tell(self, event: Tell) -> list[Place]:
        """What the event tells, and what the user has asked to be told though it served something else."""
        turn = next((one for one in reversed(self.story.events[: event.id]) if type(one) is Say), None)
        if turn is None or any(wish.for_each for wish in turn.wishes):  # all of a list is told with each of its calls
            return list(event.about)
        told = {place: self._call(place).serves for place in event.about}
        for step in self.story.events[turn.id + 1 : event.id]:
            if not isinstance(step, Step):
                continue
            for place, call in enumerate(step.calls):
                asked = call.serves in self.asking and self.books[call.tool].looks_up
                if asked and step.outcomes[place].ok:
                    told[step.id, place] = call.serves
        return sorted(told, key=lambda place: told[place])

    def _call(self, place: Place) -> Call:
        step = self.story.events[place[0]]
        assert isinstance(step, Step)
        return step.calls[place[1]]

    def _tell_bad_news(self, event: Tell) -> None:
        """A sentence for each call that failed, or found nothing."""
        for step_id, place in event.about:
            step = self.story.events[step_id]
            assert isinstance(step, Step)
            made, outcome, is_again = step.made[place], step.outcomes[place], step.calls[place].mends is not None
            book = self.books[made.name]
            if event.how == "empty":
                phrase = word_empty(book, made, self.draw, self.answering)
            else:
                phrase = word_failure(book, made, outcome.value, outcome.content, is_again, self.draw, self.answering)
            self._tell_otherwise(phrase, made.id, event.how)

    def _tell_not_done(self, place: Place) -> None:
        """That a wish is not served; notes what the user said of it."""
        say = self.story.events[place[0]]
        assert isinstance(say, Say)
        wish, name, asked_at = say.wishes[place[1]], self._call_for(place), self.said_at[place[0]]
        before = len(self.claims)
        self._claim_arguments(serve_as_said(say, place[1]), wish.said, name)
        self.wishes.append(WishClaim(name, wish.tool, asked_at, unmade=wish.said, said=tuple(self.claims[before:])))
        del self.claims[before:]
        if wish.when is None:
            self._tell_otherwise((self.draw.choice(LEFT), [], 1), name, "not_done")
            return
        call_id, call = self.calls[place[0], wish.when.of][0]
        step = next(event for event in self.story.events if isinstance(event, Step) and call in event.calls)
        found = resolve(step.outcomes[step.calls.index(call)].value, wish.when.field)
        self._tell_otherwise(word_untrue(call_id, wish.when.field, found, self.draw, self.answering), name, "untrue")

    def _tell_otherwise(self, phrase: Phrase, call_id: str, how: str) -> None:
        """A sentence that is no result told."""
        text, spans, _ = phrase
        at, message = self._add(text), len(self.messages)
        self.tells.append(TellClaim(message, at, at + len(text), call_id, how))
        for start, end, verbalizer, pointer, (whose, of) in spans:
            self.answers.append(AnswerClaim(message, at + start, at + end, verbalizer, whose, of, pointer))

    def step(self, event: Step) -> None:
        """Calls and their results."""
        is_learnt = all(call.wrong is None for call in event.calls)
        self.messages.append(AssistantMessage(self.assistant, event.made, train=is_learnt))
        self.assistant = None
        for place, (made, outcome) in enumerate(zip(event.made, event.outcomes, strict=True)):
            self.told_at[event.id, place] = len(self.messages)
            self.messages.append(ToolMessage(made.id, outcome.content, made.name, not outcome.ok))
        for place, call in enumerate(event.calls):
            self._claim(call, event, place)

    def finish(self) -> tuple[Conversation, Proof]:
        """The conversation and its proof."""
        self._close()
        conversation = Conversation(tuple(self.messages), self.story.offered)
        claims = (tuple(self.claims), tuple(self.answers), tuple(self.wishes), tuple(self.asks))
        return conversation, Proof(
            *claims,
            tells=tuple(self.tells),
            retracted=tuple(self.retracted),
            conditions=tuple(self.conditions),
            declines=tuple(self.declines),
            chats=tuple(self.chats),
        )

    def _add(self, text: str) -> int:
        """Add to what the assistant says; gives the place in the message where it begins."""
        before = ""
        if self.assistant is not None:
            before = self.assistant + ("\n- " if "\n- " in self.assistant else " ")
        self.assistant = before + text
        return len(before)

    def _close(self) -> None:
        """End the message of the assistant, if there is one."""
        if self.assistant is not None:
            self.messages.append(AssistantMessage(self.assistant))
            self.assistant = None

    def _wanted(self, event: Say, number: int) -> Wanted:
        """A wish with the words for what is only described."""
        wish = event.wishes[number]
        book = self.books[wish.tool]
        described = {slot: meant for slot, meant in wish.meant.items() if isinstance(meant, Meant)}
        if not described:
            return Wanted(book, number, wish.said, {})
        before = self._taken(event, number - 1) if number else {}
        places = {(ref.event, ref.of, ref.at) for ref in before.values()}
        references = {}
        for slot, ref in self._taken(event, number).items():
            is_it = ref.pick is not None and ref.pick.say.endswith(" one") and (ref.event, ref.of, ref.at) in places
            references[slot] = "it" if ref.pick is None or is_it else ref.pick.say
        picked = [slot for slot, meant in described.items() if meant.picks]
        return Wanted(book, number, wish.said, references, frozenset(picked))

    def _taken(self, event: Say, number: int) -> dict[str, Ref]:
        """What the first call for a wish takes because it was described, by slot."""
        served = self.calls.get((event.id, number), ())
        if not served:
            return {}
        return {slot: ref for slot, ref in served[0][1].args.items() if isinstance(ref, Ref) and ref.because}

    def _note_spans(self, event: Say, pieces: Pieces) -> str:
        """The text of a user's message; notes where it says or describes what."""
        texts: list[str] = []
        at = 0
        own: list[list[Spot]] = [[] for _ in event.wishes]
        for piece in pieces:
            if isinstance(piece, str):
                texts.append(piece)
                at += len(piece)
                continue
            text, spans, _ = piece
            for start, end, verbalizer, pointer, wishes in spans:
                for number in wishes:
                    if verbalizer == "reference":
                        self.references.setdefault((event.id, number), {})[pointer] = (at + start, at + end)
                    else:
                        own[number].append((pointer, at + start, at + end, verbalizer))
            texts.append(text)
            at += len(text)
        message = "".join(texts)
        said = [spot[1:3] for spots in own for spot in spots]
        for number, spots in enumerate(own):
            self.spots[event.id, number] = spots
            if asks_to_be_told(message, said, min([spot[1] for spot in spots], default=None)):
                self.asking.add((event.id, number))
        return message

    def _claim(self, call: Call, event: Step, place: int) -> None:
        """Say where each argument of a call comes from."""
        made, mended = event.made[place], self._mended(call)
        self.wishes.append(WishClaim(made.id, made.name, self.said_at[call.serves[0]], None if mended is None else mended[0].id))
        if call.wrong is not None or (mended is not None and mended[1].wrong is None):
            return  # nothing is claimed of wrong arguments, and nothing twice of those that are made again
        self._claim_arguments(call, made.arguments, made.id)

    def _claim_arguments(self, call: Call, arguments: dict[str, Any], call_id: str) -> None:
        say = call.serves[0]
        constants = self.books[call.tool].constants
        by_wish: dict[Place, list[str]] = {}
        for slot, origin in call.args.items():
            if slot in constants:
                continue
            if type(origin) is Ref and (origin.event, origin.of) in self.spots:
                by_wish.setdefault((origin.event, origin.of), []).append(slot)
            else:
                self._claim_unsaid(call, slot, origin, call_id)
        for wish, slots in by_wish.items():
            self._claim_said(wish, slots, say, call_id)
        for slot in constants:
            if "*" not in slot and expand(arguments, slot):
                self.claims.append(Claim(call_id, "/" + slot, "default"))

    def _mended(self, call: Call) -> tuple[ToolCall, Call] | None:
        """The failed call that one makes again."""
        if call.mends is None:
            return None
        step = self.story.events[call.mends[0]]
        assert isinstance(step, Step)
        return step.made[call.mends[1]], step.calls[call.mends[1]]

    def _claim_unsaid(self, call: Call, slot: str, origin: Origin, call_id: str) -> None:
        """A value that no wish says."""
        if not isinstance(origin, Ref):
            self.claims.append(Claim(call_id, "/" + slot, "default"))
        elif (origin.event, origin.of) in self.told_at:
            self._claim_result(call, slot, origin, call_id)
        else:
            self._claim_context(slot, origin, call_id)

    def _claim_said(self, wish: Place, slots: list[str], say: int, call_id: str) -> None:
        """Values that a wish says, or a wish of an earlier turn."""
        at = self.said_at[wish[0]]
        source: Source = "user" if wish[0] >= say else "earlier_turn"
        spots = self.spots[wish]
        event = self.story.events[wish[0]]
        assert isinstance(event, Say)
        if len(slots) < len(event.wishes[wish[1]].said):
            wanted = tuple(["/" + slot for slot in slots])
            spots = [spot for spot in spots if spot[0] in wanted or spot[0].startswith(tuple([one + "/" for one in wanted]))]
        self.claims += [Claim(call_id, pointer, source, at, start, end, way) for pointer, start, end, way in spots]

    def _claim_result(self, call: Call, slot: str, ref: Ref, call_id: str) -> None:
        """A value that an earlier result holds."""
        start, end = self._reference_to(call, slot, ref)
        pick = None if ref.pick is None else ref.pick.by
        message, pointer = self.told_at[ref.event, ref.of], "/" + ref.at
        if start is not None and end is not None and ref.because is not None:
            words = self.messages[self.said_at[ref.because[0]]].content or ""
            if words[start:end].casefold() == "it":  # what was spoken of before, for the reason given there
                pick = self.reasons.get((message, pointer), pick)
            self.reasons.setdefault((message, pointer), pick)
        self.claims.append(
            Claim(call_id, "/" + slot, "result", message, start, end, result_pointer=pointer, pick=pick)
        )

    def _reference_to(self, call: Call, slot: str, ref: Ref) -> tuple[int | None, int | None]:
        """Where the user says which element an argument comes from; arguments of one element share the words."""
        if ref.because is None:
            return None, None
        found = self.references.get(ref.because[:2], {})
        own = found.get("/" + slot)
        if own is not None or ref.pick is None:
            return own or (None, None)
        for other, origin in call.args.items():
            if isinstance(origin, Ref) and (origin.event, origin.of, origin.pick) == (ref.event, ref.of, ref.pick):
                shared = found.get("/" + other)
                if shared is not None:
                    return shared
        return None, None

    def _claim_context(self, slot: str, ref: Ref, call_id: str) -> None:
        """A value that the system message states."""
        note = self.story.events[ref.event]
        assert isinstance(note, Note)
        start, end = next((start, end) for name, _, start, end in note.spans if name == ref.at)
        self.claims.append(Claim(call_id, "/" + slot, "context", self.said_at[ref.event], start, end, "literal"))


def serve_as_said(say: Say, number: int) -> Call:
    """The call that a wish asks for, all of whose values are the user's."""
    wish = say.wishes[number]
    return Call(wish.tool, {escape(key): Ref(say.id, number, escape(key)) for key in wish.said}, (say.id, number))


def _calls_by_wish(story: Story) -> dict[Place, list[tuple[str, Call]]]:
    """The calls that serve each wish, with their ids, in order."""
    found: dict[Place, list[tuple[str, Call]]] = {}
    for event in story.events:
        if type(event) is Step:
            for made, call in zip(event.made, event.calls, strict=True):
                if call.wrong is None and not _is_again(call, story):
                    found.setdefault(call.serves, []).append((made.id, call))
    return found


def _is_again(call: Call, story: Story) -> bool:
    """Whether it is a call made again as it was, of which nothing new is claimed."""
    if call.mends is None:
        return False
    step = story.events[call.mends[0]]
    return isinstance(step, Step) and step.calls[call.mends[1]].wrong is None
