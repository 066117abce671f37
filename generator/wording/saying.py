"""What the user says in each turn: requests, replies, corrections, conditions, questions and remarks."""

from generator.connectives import (
    AGREEING,
    FORBIDDING,
    FURTHER,
    IF_NOTHING,
    LETTING,
    LETTING_BUT,
    MISTAKEN,
    REGRETTING,
    SWITCHING,
    THANKS,
    argument_name,
)
from generator.conversation import (
    ChatClaim,
    ChatSpan,
    ComparisonClaim,
    ConditionClaim,
    RetractedClaim,
    TellClaim,
    UserMessage,
)
from generator.no_call.talk import MOST_MENTIONED, MOST_TOLD, chats
from generator.offers import IF_NEED_BE, KEEPING_BLOCKED, REFUSING_ANOTHER, words_to_unblock
from generator.planning import Ask, Back, Chat, Comparison, Say, Step, Story, Test, Unblocking
from generator.pointers import escape, resolve
from generator.seeds import Draw
from generator.toolbox import name_as_words
from generator.wording.chat import Exchange, word_chat
from generator.wording.choosing import word_chosen
from generator.wording.clauses import WordedWish
from generator.wording.comparing import word_comparison
from generator.wording.doing import word_condition
from generator.wording.one_value import (
    word_change,
    word_corrected,
    word_instead,
    word_reply,
    word_same_again,
    word_settled,
)
from generator.wording.phrases.phrasebook import Books
from generator.wording.pieces import Pieces
from generator.wording.referring import Referring
from generator.wording.requests import word_further_request, word_request
from generator.wording.transcript import EventItem
from generator.wording.voice import Voice, assistant_voice


class UserWording(Referring):
    """Words what the user says."""

    def __init__(self, story: Story, books: Books, draw: Draw, voice: Voice) -> None:
        super().__init__(story, books, draw, voice)
        self.answering = assistant_voice(voice)
        self.replies: dict[int, tuple[ChatClaim, Exchange]] = {}
        """By the id of a `Say`: what is claimed of its question or remark, and the reply that is to come."""

    def say(self, event: Say) -> None:
        """Add what the user says: requests, or a reply to a question."""
        self.close()
        if event.chat is not None:
            self._chat(event, event.chat)
            return
        if event.yes is not None:
            self._let(event)
            return
        pieces = self._regret(event) if event.regrets else self._pieces(event)
        self.said_at[event.id] = len(self.messages)
        if _goes_on(event) and pieces[-1] in THANKS:
            del pieces[-2:]  # another sentence follows
        text = self._add_sentences(self.note_spans(event, pieces), event)
        self.messages.append(UserMessage(text))

    def _add_sentences(self, text: str, event: Say) -> str:
        """Return a message with what stands in sentences of their own: a comparison, conditions, and what may be done if need be."""
        if event.compares is not None:
            text = self._add_comparison(text, event, event.compares)
        for number in range(len(event.wishes)):
            text = self._add_sentence(text, event, number)
        return text

    def _add_sentence(self, text: str, event: Say, number: int) -> str:
        """Return a message with what depends on a result: what is to be done then, or what else if nothing is found."""
        wish = event.wishes[number]
        if wish.when is not None:
            text = self._add_condition(text, event, number, wish.when)
        if wish.fallback:
            text = self._add_fallback(text, event, number)
        if wish.allows is not None:
            text = self._add_leave(text, event, number, wish.allows)
        return text if wish.instead_of is None else self._add_other_value(text, event, number, wish.instead_of)

    def _pieces(self, event: Say) -> Pieces:
        """Return the words of a reply, of a request that goes on from an earlier one, or of a new request."""
        draw, voice = self.draw, self.voice
        wanted = [self.wanted(event, number) for number in range(len(event.wishes))]
        if event.to is not None and wanted[0].references:
            ((slot, words),) = wanted[0].references.items()
            return word_chosen(words, slot, draw)
        if event.to is not None and event.corrects:
            return self._reply_and_correct(event, wanted)
        if event.to is not None:
            ask = self.story.events[event.to]
            if isinstance(ask, Ask) and ask.refuses:
                return word_settled(wanted[0], escape(next(iter(wanted[0].said))), draw, voice)
            return word_reply(wanted[0], escape(next(iter(wanted[0].said))), draw, voice)
        if event.corrects or any(
            isinstance(meant, Back) and not meant.words for meant in event.wishes[0].meant.values()
        ):
            slot = escape(next(iter(wanted[0].said)))
            pieces = word_same_again(wanted[0], slot, draw, voice, corrects=event.corrects)
            if event.corrects:
                self._retract(event, slot)
            return pieces
        wanted = [
            one for one, wish in zip(wanted, event.wishes, strict=True) if wish.when is None and wish.instead_of is None
        ]
        plain = [one for one in wanted if not one.references]
        described = [one for one in wanted if one.references]
        if not any(type(message) is UserMessage for message in self.messages):
            return word_request(plain, described, draw, voice)
        is_switch = type(self.story.events[event.id - 1]) is Ask
        return word_further_request(plain, described, draw, voice, SWITCHING if is_switch else FURTHER)

    def _regret(self, event: Say) -> Pieces:
        """Return the wish to have something undone: "Sorry, I've changed my mind. Cancel it."; with what is wanted in its place."""
        wanted = [self.wanted(event, number) for number in range(len(event.wishes))]
        text = self.draw.choice(REGRETTING if len(wanted) == 1 and not event.corrects else MISTAKEN)
        self.tells.append(TellClaim(len(self.messages), 0, len(text), self.call_for((event.id, 0)), "regretted"))
        pieces = [f"{text} ", *word_further_request((), wanted[:1], self.draw, self.voice, ())]
        if len(wanted) > 1:
            pieces += [" ", *word_further_request(wanted[1:], (), self.draw, self.voice, ())]
        return pieces

    def _reply_and_correct(self, event: Say, wanted: list[WordedWish]) -> Pieces:
        """Return the answer to a question, with another value for what was said before: "7 pm. Sorry, I meant on Friday."."""
        first, changed = wanted
        slot = escape(next(iter(changed.said)))
        reply = word_reply(first, escape(next(iter(first.said))), self.draw, self.voice)
        correction = word_corrected(changed, slot, self.draw, self.voice)
        start, text = len(_text(reply)) + 1, _text(correction)
        call = self._change(event, slot)
        self.tells.append(TellClaim(len(self.messages), start, start + len(text), call, "corrected"))
        return [*reply, " ", *correction]

    def _change(self, event: Say, slot: str) -> str:
        """Note where the value was said that a reply changes; return the id of the call."""
        ask = self.story.events[event.to or 0]
        assert isinstance(ask, Ask)
        call, at = self.call_for(ask.wish), len(self.messages)
        for pointer, start, end, way in self.spots[ask.wish]:
            if pointer == "/" + slot:
                self.retracted.append(RetractedClaim(self.said_at[ask.wish[0]], start, end, way, call, pointer, at))
        return call

    def _retract(self, event: Say, slot: str) -> None:
        """Note where the value was said that the user takes back."""
        before = self.said_before(event)
        for pointer, start, end, way in self.spots[before]:
            if pointer == "/" + slot:
                call = self.call_for((event.id, 0))
                self.retracted.append(RetractedClaim(self.said_at[before[0]], start, end, way, call, pointer))

    def _add_condition(self, text: str, event: Say, number: int, test: Test) -> str:
        """Return a message with one more sentence: a wish that depends on the result of another."""
        wish = event.wishes[number]
        source = self.books[event.wishes[test.of].tool]
        phrase, compared = word_condition(
            self.books[wish.tool], number, wish.spoken, test, source, self.draw, self.voice
        )
        begin, message, call = len(text) + 1, len(self.messages), self.call_for((event.id, number))
        self.spots[event.id, number] = [
            (pointer, begin + at, begin + end, way) for at, end, way, pointer, _ in phrase[1]
        ]
        self.tells.append(TellClaim(message, begin, begin + len(phrase[0]), call, "condition"))
        at, end, way, pointer, _ = compared
        of = self.call_for((event.id, test.of))
        self.conditions.append(
            ConditionClaim(message, begin + at, begin + end, way, call, of, pointer, test.op, test.value)
        )
        return f"{text} {phrase[0]}"

    def _add_fallback(self, text: str, event: Say, number: int) -> str:
        """Return a message with one more sentence: without which value the search shall be made again if it finds nothing."""
        words = self.draw.choice(IF_NOTHING).format(argument_name(name_as_words(event.wishes[number].fallback)))
        begin = len(text) + 1
        self.tells.append(
            TellClaim(len(self.messages), begin, begin + len(words), self.call_for((event.id, number)), "fallback")
        )
        return f"{text} {words}"

    def _add_other_value(self, text: str, event: Say, number: int, instead_of: int) -> str:
        """Return a message with one more sentence: with which value the search shall be made again if it finds nothing."""
        wanted = self.wanted(event, number)
        slot = escape(next(iter(wanted.said)))
        begin, said = len(text) + 1, ""
        for piece in word_instead(wanted, slot, self.draw, self.voice):
            if not isinstance(piece, str):
                at = begin + len(said)
                self.spots[event.id, number] = [
                    (pointer, at + start, at + end, way) for start, end, way, pointer, _ in piece[1]
                ]
            said += piece if isinstance(piece, str) else piece[0]
        call = self.made_in_place_of((event.id, instead_of))
        self.tells.append(TellClaim(len(self.messages), begin, begin + len(said), call, "otherwise"))
        return f"{text} {said}"

    def _add_leave(self, text: str, event: Say, number: int, allows: Unblocking) -> str:
        """Return a message with one more sentence: what may be done first if the call is refused because of a state."""
        doing = self.draw.choice(words_to_unblock(self.books[allows.tool].spec, allows.chosen))
        words, begin = self.draw.choice(IF_NEED_BE).format(doing), len(text) + 1
        call = self.unblocking_call(self._refused_for((event.id, number)), allows.tool)
        self.tells.append(TellClaim(len(self.messages), begin, begin + len(words), call, "if_need_be"))
        return f"{text} {words}"

    def _refused_for(self, wish: EventItem) -> EventItem:
        """Return the step and place of the first call for a wish."""
        return next(
            (event.id, place)
            for event in self.story.events
            if isinstance(event, Step)
            for place, call in enumerate(event.calls)
            if call.serves == wish
        )

    def _add_comparison(self, text: str, event: Say, comparison: Comparison) -> str:
        """Return a message with one more sentence, which asks which of the results is best."""
        calls = tuple([self.call_for((event.id, number)) for number in range(len(event.wishes))])
        question = word_comparison(self.books[event.wishes[0].tool].spec, comparison, self.draw)
        message, begin = len(self.messages), len(text) + 1
        end = begin + len(question)
        self.tells.append(TellClaim(message, begin, end, calls[0], "comparison"))
        pointer = "/" + comparison.field
        self.comparisons.append(ComparisonClaim(message, begin, end, calls, pointer, comparison.extreme))
        return f"{text} {question}"

    def _chat(self, event: Say, chat: Chat) -> None:
        """Add a question or remark that needs no call."""
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
        """Add a message in which the user asks once more for what was declined."""
        assert chat.wish is not None
        at, (call_id, _) = len(self.messages), self.calls[chat.wish][0]
        self.said_at[event.id] = at
        self.messages.append(UserMessage(self.draw.choice(chats("retry")[0])))
        self.chats.append(ChatClaim("retry", at, at + 1, call_id=call_id))

    def _let(self, event: Say) -> None:
        """Add the user's yes or no to a proposed call."""
        ask = self.story.events[event.to or 0]
        assert isinstance(ask, Ask)
        letting, forbidding = _replies_to(ask)
        call = self.call_for(ask.wish)
        if ask.call is not None and ask.call.unblocks is not None:
            call = self.unblocking_call(ask.call.unblocks, ask.call.tool)
        text = self.draw.choice(LETTING_BUT if event.wishes else letting if event.yes else forbidding)
        self.tells.append(TellClaim(len(self.messages), 0, len(text), call, "yes" if event.yes else "no"))
        self.said_at[event.id] = len(self.messages)
        if event.wishes:
            changed = self.wanted(event, 0)
            slot = escape(next(iter(changed.said)))
            self._change(event, slot)
            text = self.note_spans(event, [text, " ", *word_change(changed, slot, self.draw, self.voice)])
        self.messages.append(UserMessage(text))


def _goes_on(event: Say) -> bool:
    """Whether further sentences follow the requests of a message."""
    return event.compares is not None or any(
        wish.when is not None or wish.fallback or wish.allows is not None or wish.instead_of is not None
        for wish in event.wishes
    )


def _replies_to(ask: Ask) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the user says who agrees to a proposal or offer, and who does not."""
    if ask.call is not None:
        return (LETTING, FORBIDDING) if ask.call.unblocks is None else (AGREEING, KEEPING_BLOCKED)
    assert ask.instead is not None
    return AGREEING, REFUSING_ANOTHER if ask.slot in ask.instead.args else FORBIDDING


def _text(pieces: Pieces) -> str:
    return "".join([piece if isinstance(piece, str) else piece[0] for piece in pieces])
