"""From the events of a row to the finished conversation and the claims about where its values come from.

One small function words each kind of event; adjacent events of the assistant make one message.
"""

from collections.abc import Sequence
from datetime import date
from itertools import zip_longest
from typing import Any

import msgspec

from generator.connectives import ASKING_LEADS, COMING_BACK, LEFT, LEFT_OUT, OFFERING, WIDENING, argument_name
from generator.conversation import (
    AnswerClaim,
    AskClaim,
    AssistantMessage,
    ChatClaim,
    ChatSpan,
    Conversation,
    DeclineClaim,
    Proof,
    RetractedClaim,
    SystemMessage,
    TellClaim,
    ToolCall,
    ToolMessage,
    WishClaim,
)
from generator.offers import LEFT_BLOCKED, NONE_TAKEN, UNBLOCKING, words_to_unblock
from generator.planning import Ask, Back, Call, Decline, Fixed, Meant, Note, Origin, Ref, Say, Step, Story, Tell, Wish
from generator.pointers import escape, resolve, unescape
from generator.seeds import Draw
from generator.toolbox import Toolbox, name_as_words
from generator.wording.answers import ReportedCall, word_answer
from generator.wording.chat import Exchange
from generator.wording.choosing import word_listing, word_pick, word_which
from generator.wording.clauses import WordedWish
from generator.wording.comparing import word_best
from generator.wording.declines import word_decline
from generator.wording.doing import word_empty, word_failure, word_proposal, word_untrue
from generator.wording.one_value import word_offered
from generator.wording.phrases.phrasebook import Books
from generator.wording.pieces import Phrase
from generator.wording.questions import word_question, word_refusal
from generator.wording.saying import UserWording
from generator.wording.transcript import EventItem
from generator.wording.voice import draw_voice

_NOTHING: frozenset[str] = frozenset()


def compile_books(toolbox: Toolbox) -> Books:
    """Return the phrases of all tools; raises SpecError for a tool that cannot be said."""
    return Books(toolbox)


def word(story: Story, books: Books, draw: Draw, today: date) -> tuple[Conversation, Proof]:
    """Return the finished conversation of a row, and its proof."""
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


class _Wording(UserWording):
    """Words each kind of event."""

    def __init__(self, story: Story, books: Books, draw: Draw, today: date) -> None:
        note = next((event for event in story.events if type(event) is Note), None)
        super().__init__(story, books, draw, draw_voice(draw, today, note is not None and note.states_today))
        self.goes_on = False
        """Whether the assistant says more after this."""

    def note(self, event: Note) -> None:
        """Add a system message, if it says anything."""
        if not event.text:
            return
        self.close()
        last = self.messages[-1] if self.messages else None
        if type(last) is SystemMessage:  # adjacent system messages become one
            self.messages[-1] = SystemMessage(f"{last.content}\n{event.text}")
        else:
            self.messages.append(SystemMessage(event.text))
        self.said_at[event.id] = len(self.messages) - 1

    def _reply(self, claim: ChatClaim, exchange: Exchange) -> None:
        """Add the reply to a question or remark, from what came before."""
        begin, at = self.add(exchange.reply), len(self.messages)
        spans = tuple([ChatSpan(name, at, begin + start, begin + end) for name, start, end in exchange.replied])
        self.chats.append(msgspec.structs.replace(claim, reply=at, spans=claim.spans + spans))

    def ask(self, event: Ask) -> None:
        """Add a question for one value, or for leave to make a call."""
        say = self.story.events[event.wish[0]]
        assert isinstance(say, Say)
        wish = say.wishes[event.wish[1]]
        if event.call is not None and event.call.unblocks is not None:
            chosen = _chosen(event.call)
            doing = self.draw.choice(words_to_unblock(self.books[event.call.tool].spec, chosen))
            offered = self.unblocking_call(event.call.unblocks, event.call.tool)
            self._tell_otherwise((self.draw.choice(UNBLOCKING).format(doing), [], 1), offered, "unblocking")
            return
        if event.call is not None:
            call = ToolCall(self.call_for(event.wish), wish.tool, wish.said)
            phrase = word_proposal(self.books[wish.tool], call, self.draw, self.answering)
            self._tell_otherwise(phrase, call.id, "proposed")
            return
        if event.instead is not None:
            self._offer(event, event.instead)
            return
        if event.among is not None:
            text, start = self._list_choices(event.among, wish.meant[event.slot]), 0
        else:
            if event.refuses:
                self._refuse(event, wish)
            leads = COMING_BACK if event.again else ("",) if event.refuses else ASKING_LEADS
            text, start = word_question(self.books[wish.tool].spec, event.slot, self.draw, leads)
        begin = self.add(text)
        for call_id, _ in self.calls.get(event.wish, ()):
            claim = AskClaim(len(self.messages), begin + start, begin + len(text), call_id, "/" + event.slot)
            self.asks.append(claim)

    def _offer(self, event: Ask, call: Call) -> None:
        """Add the offer to make a call with another element of a list, or without an argument."""
        failed, ref = self._mended(call), call.args.get(event.slot)
        assert failed is not None
        if isinstance(ref, Fixed):
            self._offer_value(event, failed[0], ref.value)
            return
        if not isinstance(ref, Ref) or ref.pick is None:
            text = self.draw.choice(WIDENING).format(argument_name(name_as_words(event.slot)))
            self._tell_otherwise((text, [], 1), failed[0].id, "alternative")
            return
        step = self.story.events[ref.event]
        assert isinstance(step, Step)
        spec = self.books[step.calls[ref.of].tool].spec
        words = word_pick(ref.pick, spec, step.outcomes[ref.of].value, ref.at, "", self.draw, self.answering)
        before, after = self.draw.choice(OFFERING)
        begin = self._tell_otherwise((f"{before}{words}{after}", [], 1), failed[0].id, "alternative") + len(before)
        self.said_at[event.id] = len(self.messages)
        self.references[event.id, 0] = {"/" + event.slot: (begin, begin + len(words))}

    def _offer_value(self, event: Ask, found_nothing: ToolCall, value: Any) -> None:
        """Add the offer to search with a value that the assistant proposes."""
        wanted = WordedWish(self.books[found_nothing.name], 0, {event.slot: value}, {})
        before, phrase, after = word_offered(wanted, event.slot, self.draw, self.answering)
        assert isinstance(before, str)
        assert isinstance(after, str)
        assert not isinstance(phrase, str)
        later = self.made_in_place_of(event.wish)
        told = [
            (len(before) + start, len(before) + end, way, pointer, (later, "arguments"))
            for start, end, way, pointer, _ in phrase[1]
        ]
        begin = self._tell_otherwise((before + phrase[0] + after, told, 2), found_nothing.id, "offered")
        self.said_at[event.id] = len(self.messages)
        self.spots[event.id, 0] = [(pointer, begin + start, begin + end, way) for start, end, way, pointer, _ in told]

    def _refuse(self, event: Ask, wish: Wish) -> None:
        """Add what the tool accepts, and note where the user has said a value that it does not accept."""
        call, pointer = self.call_for(event.wish), "/" + event.slot
        said = [spot for spot in self.spots[event.wish] if spot[0] == pointer]
        way = said[0][3] if said else "number"
        text = word_refusal(self.books[wish.tool], event.slot, wish.said[event.slot], way, self.draw, self.answering)
        self._tell_otherwise((text, [], 1), call, "refused")
        for _, start, end, way in said:
            self.retracted.append(RetractedClaim(self.said_at[event.wish[0]], start, end, way, call, pointer))

    def _list_choices(self, among: Ref, meant: Meant | Back) -> str:
        """Add what there is to choose from; return the question which of them is meant."""
        step = self.story.events[among.event]
        assert isinstance(step, Step)
        made, result = step.made[among.of], step.outcomes[among.of].value
        key = meant.source.at
        spec = self.books[made.name].spec
        phrase = word_listing(spec, made.id, result, among.at, key.partition("/*/")[2], self.draw, self.answering)
        self._tell_otherwise(phrase, made.id, "several")
        return word_which(key, self.draw)

    def decline(self, event: Decline) -> None:
        """Add that nothing on offer can do what is asked, and note what the user wished."""
        say = self.story.events[event.wish[0]]
        assert isinstance(say, Say)
        wish = say.wishes[event.wish[1]]
        instead = [self.books[name].spec for name in event.instead]
        text = word_decline(self.books[wish.tool].spec, instead, self.story.offered, self.draw)
        begin, asked_at, before = self.add(text), self.said_at[say.id], len(self.claims)
        self.claim_arguments(serve_as_said(say, event.wish[1]), wish.said, f"{asked_at}:{wish.tool}")
        said = tuple(self.claims[before:])
        del self.claims[before:]
        end, at = begin + len(text), len(self.messages)
        self.declines.append(
            DeclineClaim(at, begin, end, asked_at, wish.tool, wish.said, said, event.instead, event.like)
        )

    def tell(self, event: Tell) -> None:
        """Add a report on results or on what was not done, or an answer from what came before."""
        if event.to is not None:
            self._reply(*self.replies[event.to])
            return
        if event.how == "not_done" and event.wish is not None:
            self._tell_not_done(event, event.wish)
            return
        if event.how == "best":
            self._tell_the_best(event)
            return
        if event.how != "done":
            self._tell_bad_news(event)
            return
        places = self._to_tell(event)
        wanted = self._compared(places[0]) if places else _NOTHING
        pieces = word_answer(self._told(places), self.draw, self.answering, is_last=not self.goes_on, wanted=wanted)
        text = "".join([piece if isinstance(piece, str) else piece[0] for piece in pieces])
        at, message, answers = self.add(text), len(self.messages), self.answers
        for piece in pieces:
            if isinstance(piece, str):
                at += len(piece)
                continue
            for start, end, verbalizer, pointer, (call_id, of) in piece[1]:
                answers.append(AnswerClaim(message, at + start, at + end, verbalizer, call_id, of, pointer))
            at += len(piece[0])

    def _to_tell(self, event: Tell) -> list[EventItem]:
        """Return the calls that the event reports, and those that the user asked to be told of although they served something else."""
        turn = next((one for one in reversed(self.story.events[: event.id]) if type(one) is Say), None)
        if turn is None or any(
            wish.for_each for wish in turn.wishes
        ):  # of a request "for each of them", the list is told with each of its calls
            return list(event.about)
        told = {place: self._call(place).serves for place in event.about}
        steps = [step for step in self.story.events[turn.id + 1 : event.id] if isinstance(step, Step)]
        again = {call.mends for step in steps for call in step.calls}
        for step in steps:
            for place, call in enumerate(step.calls):
                asked = call.serves in self.asking and self.books[call.tool].looks_up
                if asked and step.outcomes[place].ok and (step.id, place) not in again:
                    told[step.id, place] = call.serves
        return sorted(told, key=lambda place: told[place])

    def _compared(self, place: EventItem) -> frozenset[str]:
        """Return the fields of results that the user compares, or on which something depends."""
        say = self.story.events[self._call(place).serves[0]]
        if not isinstance(say, Say):
            return _NOTHING
        tested = [wish.when.field for wish in say.wishes if wish.when is not None]
        return frozenset([*tested, *([] if say.compares is None else [say.compares.field])])

    def _call(self, place: EventItem) -> Call:
        step = self.story.events[place[0]]
        assert isinstance(step, Step)
        return step.calls[place[1]]

    def _tell_bad_news(self, event: Tell) -> None:
        """Add a sentence for each call that failed or found nothing."""
        for step_id, place in event.about:
            step = self.story.events[step_id]
            assert isinstance(step, Step)
            made, outcome, is_again = step.made[place], step.outcomes[place], step.calls[place].mends is not None
            book = self.books[made.name]
            if event.how == "left_out":
                phrase = self._left_out(step.calls[place], made)
            elif event.how == "empty":
                phrase = word_empty(book, made, self.draw, self.answering)
            else:
                is_found = any(self._is_found(origin) for origin in step.calls[place].args.values())
                phrase = word_failure(
                    book,
                    made,
                    outcome.value,
                    outcome.content,
                    is_again,
                    self.draw,
                    self.answering,
                    brief=is_found,
                    alone=len(step.made) == 1,
                )
            self._tell_otherwise(phrase, made.id, event.how)

    def _left_out(self, call: Call, made: ToolCall) -> Phrase:
        """Return the sentence that says without which argument a search was made again."""
        mended = self._mended(call)
        assert mended is not None
        slot = next(name for name in mended[0].arguments if name not in made.arguments)
        return self.draw.choice(LEFT_OUT).format(argument_name(name_as_words(slot))), [], 1

    def _is_found(self, origin: Origin) -> bool:
        """Whether an argument comes from a result: a key that the user does not know."""
        return isinstance(origin, Ref) and isinstance(self.story.events[origin.event], Step)

    def _tell_the_best(self, event: Tell) -> None:
        """Add which of the results are best in what the user compares."""
        told = self._told(event.about)
        say = self.story.events[self._call(event.about[0]).serves[0]]
        assert isinstance(say, Say)
        assert say.compares is not None
        self._tell_otherwise(word_best(told, say.compares, self.draw, self.answering), told[0].call.id, "best")

    def _told(self, about: Sequence[EventItem]) -> list[ReportedCall]:
        """Return calls whose results are reported."""
        told = []
        for step_id, place in about:
            step = self.story.events[step_id]
            assert isinstance(step, Step)
            made = step.made[place]
            told.append(ReportedCall(self.books[made.name], made, step.outcomes[place].value))
        return told

    def _tell_not_done(self, event: Tell, place: EventItem) -> None:
        """Add that a wish is not served, and note what the user said of it."""
        ask = self._replied_to(event)
        if ask is not None and ask.instead is not None:
            self._tell_left(ask, ask.instead)
            return
        if ask is not None and ask.call is not None and ask.call.unblocks is not None:
            self._tell_left_blocked(ask.call, ask.call.unblocks)
            return
        say = self.story.events[place[0]]
        assert isinstance(say, Say)
        wish, name, asked_at = say.wishes[place[1]], self.call_for(place), self.said_at[place[0]]
        before = len(self.claims)
        self.claim_arguments(serve_as_said(say, place[1]), wish.said, name)
        self.wishes.append(WishClaim(name, wish.tool, asked_at, unmade=wish.said, said=tuple(self.claims[before:])))
        del self.claims[before:]
        if wish.when is None:
            self._tell_otherwise((self.draw.choice(LEFT), [], 1), name, "not_done")
            return
        call_id, call = self.calls[place[0], wish.when.of][0]
        step = next(event for event in self.story.events if isinstance(event, Step) and call in event.calls)
        found = resolve(step.outcomes[step.calls.index(call)].value, wish.when.field)
        self._tell_otherwise(
            word_untrue(call_id, self.books[call.tool], wish.when.field, found, self.draw, self.answering),
            name,
            "untrue",
        )

    def _replied_to(self, event: Tell) -> Ask | None:
        """Return the question that the user has just replied to; None if they have said something else."""
        say = self.story.events[event.id - 1]
        ask = self.story.events[say.to] if isinstance(say, Say) and say.to is not None else None
        return ask if isinstance(ask, Ask) else None

    def _tell_left(self, ask: Ask, call: Call) -> None:
        """Add that what was offered in place of a failed call is not done, and note what it would have been."""
        mended, ref = self._mended(call), call.args.get(ask.slot)
        assert mended is not None
        failed, name = mended[0], f"{mended[0].id}:{ask.slot}"
        arguments = {key: value for key, value in failed.arguments.items() if escape(key) != ask.slot}
        before = len(self.claims)
        if isinstance(ref, Ref):
            step = self.story.events[ref.event]
            assert isinstance(step, Step)
            arguments[unescape(ask.slot)] = resolve(step.outcomes[ref.of].value, ref.at)
            self._claim_result(call, ask.slot, msgspec.structs.replace(ref, because=(ask.id, 0, ask.slot)), name)
        said = tuple(self.claims[before:])
        del self.claims[before:]
        self.wishes.append(WishClaim(name, call.tool, self.said_at[call.serves[0]], failed.id, arguments, said))
        self._tell_otherwise((self.draw.choice(NONE_TAKEN if isinstance(ref, Ref) else LEFT), [], 1), name, "not_done")

    def _tell_left_blocked(self, call: Call, blocked: EventItem) -> None:
        """Add that a state is left as it is, and note what would have changed it."""
        step = self.story.events[blocked[0]]
        assert isinstance(step, Step)
        refused, planned = step.made[blocked[1]], step.calls[blocked[1]]
        names = {origin: slot for slot, origin in planned.args.items() if isinstance(origin, Ref)}
        named = {
            slot: refused.arguments[unescape(names[origin])]
            for slot, origin in call.args.items()
            if isinstance(origin, Ref)
        }
        name, asked_at = self.unblocking_call(blocked, call.tool), self.said_at[call.serves[0]]
        self.wishes.append(WishClaim(name, call.tool, asked_at, unmade={**named, **_chosen(call)}, unblocks=refused.id))
        self._tell_otherwise((self.draw.choice(LEFT_BLOCKED), [], 1), name, "not_done")

    def _tell_otherwise(self, phrase: Phrase, call_id: str, how: str) -> int:
        """Add a sentence that does not report the result of a call that succeeded; return where it begins."""
        text, spans, _ = phrase
        at, message = self.add(text, apart=how == "best"), len(self.messages)
        self.tells.append(TellClaim(message, at, at + len(text), call_id, how))
        for start, end, verbalizer, pointer, (whose, of) in spans:
            self.answers.append(AnswerClaim(message, at + start, at + end, verbalizer, whose, of, pointer))
        return at

    def step(self, event: Step) -> None:
        """Add calls and their results."""
        is_learnt = all(call.wrong is None for call in event.calls)
        self.messages.append(AssistantMessage(self.assistant, event.made, train=is_learnt))
        self.assistant = None
        for place, (made, outcome) in enumerate(zip(event.made, event.outcomes, strict=True)):
            self.told_at[event.id, place] = len(self.messages)
            self.messages.append(ToolMessage(made.id, outcome.content, made.name, not outcome.ok))
        for place, call in enumerate(event.calls):
            self.claim(call, event, place)


def _chosen(call: Call) -> dict[str, Any]:
    """Return the arguments of a call that the plan has fixed."""
    return {unescape(slot): origin.value for slot, origin in call.args.items() if isinstance(origin, Fixed)}


def serve_as_said(say: Say, number: int) -> Call:
    """Return the call that a wish asks for, all of whose values the user says."""
    wish = say.wishes[number]
    return Call(wish.tool, {escape(key): Ref(say.id, number, escape(key)) for key in wish.said}, (say.id, number))
