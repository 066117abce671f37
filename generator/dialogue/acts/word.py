"""From the events of a row to the finished conversation and the claims about where its values come from.

Each kind of event is worded by the act that it is; adjacent events of the assistant make one message.
"""

from collections.abc import Callable, Sequence
from datetime import date
from itertools import zip_longest

from generator.core.claims import Proof
from generator.core.connectives import CONNECTIVES
from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, ToolMessage, UserMessage
from generator.core.planning import Ask, Back, Decline, EventLog, Note, Say, Step, Tell
from generator.core.pointers import escape
from generator.core.seeds import Draw
from generator.dialogue.acts import (
    ask,
    asked,
    decline,
    detail,
    fail,
    leave,
    listing,
    picked,
    reason,
    remark,
    rule,
    set_aside,
    tally,
)
from generator.dialogue.values.voice import draw_voice, with_manners
from generator.dialogue.wording.answers import ReportedCall, word_answer
from generator.dialogue.wording.claiming import claim_call
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases, keeping_back
from generator.dialogue.wording.referring import wanted_of
from generator.dialogue.wording.requests import (
    without_thanks,
    word_further_request,
    word_reply,
    word_request,
)
from generator.dialogue.wording.transcript import EventItem, Transcript
from generator.dialogue.wording.utterance import Phrase, joined

_NOTHING: frozenset[str] = frozenset()


def word(log: EventLog, phrases_by_tool: dict[str, ToolPhrases], draw: Draw, today: date) -> tuple[Conversation, Proof]:
    """Return the finished conversation of a row, and its proof."""
    note = log.note
    is_stated = note is not None and note.states_today
    voice = draw_voice(draw, today, is_stated, log.otherwise)
    talk = Transcript(log, phrases_by_tool, draw, with_manners(voice, log.persona))
    for event, after in zip_longest(log.events, log.events[1:]):
        talk.goes_on = isinstance(after, Tell | Ask)
        match event:
            case Say():
                _say(talk, event)
            case Step():
                _step(talk, event)
            case Tell():
                _tell(talk, event)
            case Ask():
                _ask(talk, event)
            case Decline():
                decline.tell(talk, event)
            case Note():
                _note(talk, event)
    return talk.finish()


def _note(talk: Transcript, event: Note) -> None:
    """Add a system message, if it says anything."""
    if not event.text:
        return
    talk.close()
    last = talk.messages[-1] if talk.messages else None
    if type(last) is SystemMessage:  # adjacent system messages become one
        talk.messages[-1] = SystemMessage(f"{last.content}\n{event.text}")
    else:
        talk.messages.append(SystemMessage(event.text))
    talk.said_at[event.id] = len(talk.messages) - 1


def _step(talk: Transcript, event: Step) -> None:
    """Add calls and their results."""
    talk.messages.append(AssistantMessage(talk.assistant, event.made))
    talk.assistant = None
    for place, (made, outcome) in enumerate(zip(event.made, event.outcomes, strict=True)):
        talk.told_at[event.id, place] = len(talk.messages)
        talk.messages.append(ToolMessage(made.id, outcome.content, made.name, not outcome.ok))
    for place, call in enumerate(event.calls):
        claim_call(talk, call, event, place)


# --- the assistant ---


def _ask(talk: Transcript, event: Ask) -> None:
    """Add a question for one value, or for leave to make a call."""
    if event.call is not None:
        leave.propose(talk, event)
    else:
        ask.tell(talk, event)


def _tell(talk: Transcript, event: Tell) -> None:
    """Add a report on results or on what was not done."""
    if event.ruled is not None:
        rule.tell(talk, event)
    else:
        _TELLING[event.how](talk, event)


def _tell_failed(talk: Transcript, event: Tell) -> None:
    """Add that a call has failed, and why."""
    ((step_id, _),) = event.about
    fail.tell(talk, talk.step_at(step_id))


def _tell_not_done(talk: Transcript, event: Tell) -> None:
    """Add that a wish is not served: the user has said no, or has set it aside."""
    if event.wish is not None and talk.wish_at(event.wish).set_aside:
        set_aside.reply(talk, event)
    else:
        leave.tell_left(talk, event)


def _answer(talk: Transcript, event: Tell) -> None:
    """Add a report on the results of calls that succeeded."""
    places = _to_tell(talk, event)
    told = talk.reported(places)
    named = frozenset(event.fields) if places else _NOTHING
    singly = [(place, one.phrases) for place, one in zip(places, told, strict=True) if asked.may_name(one.phrases.spec)]
    wanted = named.union(*[_asked_for(talk, place, phrases) for place, phrases in singly]) if singly else named
    if event.kept_back:
        told = [one._replace(phrases=keeping_back(one.phrases, event.kept_back)) for one in told]
    layouts = {} if named else listing.draw_layouts(told, talk.style, talk.draw)
    plain = _tell_apart(talk, event.id, picked.grounds(talk, event, places, told), told, layouts, wanted)
    if not plain:
        return
    if len(told) == 1 and not wanted and _may_detail(talk, places[0], told[0]) and detail.tell(talk, told[0]):
        return
    is_last = not talk.goes_on
    is_end = is_last and not any(type(later) is Say for later in talk.log.events[event.id :])
    _answer_plainly(talk, plain, is_last=is_last, is_end=is_end, wanted=wanted)
    if len(told) == len(plain) == 1 and not (talk.assistant or "").endswith(CONNECTIVES.offers):
        tally.tell(talk, told[0])


def _tell_apart(
    talk: Transcript,
    at: int,
    singled: list[picked.Ground],
    told: Sequence[ReportedCall],
    layouts: dict[str, listing.Layout],
    wanted: frozenset[str],
) -> list[ReportedCall]:
    """Add reports, in order, up to the last list that is told in lines, or element that the user has singled out; return what is left to report."""
    # who goes on may say "the second one", of the list as the result has it
    goes_on = any(type(later) is Say for later in talk.log.events[at:])
    plain: list[ReportedCall] = []
    for one in told:
        own = [each for each in singled if one.call.id in (each.told.call.id, each.taken)] if singled else []
        layout = layouts.get(one.call.name)
        if layout is not None or own:
            _answer_plainly(talk, plain, is_last=False, wanted=wanted)
            plain = []
        is_found = bool(own) and any(each.told.call.id == one.call.id for each in own)
        left = own if is_found or not own or not one.phrases.looks_up else picked.tell(talk, own, is_named=True)
        if layout is None or not listing.tell(talk, one, layout, in_order=goes_on, singles_out=not own):
            plain.append(one)
        elif not own:
            tally.tell(talk, one)
        if left:
            _answer_plainly(talk, plain, is_last=False, wanted=wanted)
            plain = []
            # one without a name is told behind what is done with it
            left = picked.tell(talk, left, is_named=is_found)
        singled = [each for each in singled if each not in own or each in left]
    return plain


_TELLING: dict[str, Callable[[Transcript, Tell], None]] = {
    "done": _answer,
    "failed": _tell_failed,
    "not_done": _tell_not_done,
    "patient": remark.give_time,
}
"""What says each kind of report."""
_DETAILED = 0.3
"""How often the only thing that was looked up is told field by field."""


def _may_detail(talk: Transcript, place: EventItem, one: ReportedCall) -> bool:
    """Whether a result may be told field by field: the user has asked for all of it."""
    is_one = one.phrases.looks_up and isinstance(one.result, dict) and not one.phrases.spec.phrases.each
    may = talk.style.lists != "no" and not talk.style.is_brief and not talk.goes_on
    return is_one and may and any(map(detail.asks_for_all, _asked_with(talk, place))) and talk.draw.chance(_DETAILED)


def _answer_plainly(
    talk: Transcript,
    told: list[ReportedCall],
    *,
    is_last: bool,
    is_end: bool = False,
    wanted: frozenset[str] = _NOTHING,
) -> None:
    """Add sentences that report results."""
    if not told:
        return
    used, style = talk.used_answers, talk.style
    text, spans, uses = word_answer(
        told, talk.draw, talk.answering, is_last=is_last, is_end=is_end, wanted=wanted, style=style, used=used
    )
    talk.note_phrase(talk.add(text), (text, spans, uses))


def _to_tell(talk: Transcript, event: Tell) -> Sequence[EventItem]:
    """Return the calls that the event reports, and those that the user asked to be told of although they served something else."""
    turn = next((one for one in reversed(talk.log.events[: event.id]) if type(one) is Say), None)
    # of a look-up "for each of them", the list is told with each of its calls
    each = [] if turn is None else [wish.tool for wish in turn.wishes if wish.for_each]
    if turn is None or any(talk.phrases[tool].looks_up for tool in each):
        return list(event.about)
    told = {place: talk.call_at(place).serves for place in event.about}
    steps = [step for step in talk.log.events[turn.id + 1 : event.id] if isinstance(step, Step)]
    before = [one for one in talk.log.events[turn.id + 1 : event.id] if isinstance(one, Tell) and one.how == "done"]
    already = {place for one in before for place in one.about}
    for step in steps:
        for place, call in enumerate(step.calls):
            asked = call.serves in talk.asking and talk.phrases[call.tool].looks_up
            if asked and step.outcomes[place].ok and (step.id, place) not in already:
                told[step.id, place] = call.serves
    return sorted(told, key=lambda place: told[place])


def _asked_for(talk: Transcript, place: EventItem, phrases: ToolPhrases) -> frozenset[str]:
    """Return the fields of a result that the request names."""
    return frozenset().union(*[asked.fields_asked_for(phrases.spec, key) for key in _asked_with(talk, place)])


def _asked_with(talk: Transcript, place: EventItem) -> list[str]:
    """Return the forms with which a call is asked for."""
    event, number = talk.call_at(place).serves
    return [key for _, _, key, said, numbers in talk.requests if said == event and number in numbers]


# --- the user ---


def _say(talk: Transcript, event: Say) -> None:
    """Add what the user says: requests, or a reply to a question."""
    talk.close()
    if event.yes is not None:
        leave.reply(talk, event)
        return
    if event.remark is not None:
        remark.say(talk, event)
        return
    is_framed = _is_set_aside(event) and talk.draw.chance(set_aside.AROUND)
    phrase = joined() if is_framed else _request_or_reply(talk, event)
    talk.said_at[event.id] = len(talk.messages)
    if _is_set_aside(event):
        phrase = without_thanks(phrase)  # another sentence follows
    why = reason.draw_reason(talk, event) if _is_request(event) else ""
    text = reason.say_with_request(talk, event, phrase, why) if why else talk.note_spans(event, phrase)
    if _is_set_aside(event):
        text = set_aside.say(talk, event, text)
    talk.messages.append(UserMessage(text))


def _is_request(event: Say) -> bool:
    """Whether a message only asks for what is then done."""
    goes_back = any(isinstance(meant, Back) for wish in event.wishes for meant in wish.meant.values())
    return event.to is None and not goes_back and not _is_set_aside(event)


def _is_set_aside(event: Say) -> bool:
    """Whether a message speaks of what is not to be done."""
    return any(wish.set_aside for wish in event.wishes)


def _request_or_reply(talk: Transcript, event: Say) -> Phrase:
    """Return the words of a reply, of a request that goes on from an earlier one, or of a new request."""
    draw, voice = talk.draw, talk.voice
    wishes = event.wishes
    numbers = [number for number, wish in enumerate(wishes) if not wish.demanded]
    wanted = [wanted_of(talk, event, number) for number in numbers]
    if event.to is not None:
        asked = talk.log.events[event.to]
        assert isinstance(asked, Ask)
        slot, is_demanded = escape(next(iter(wanted[0].said))), talk.wish_at(asked.wish).demanded
        return word_reply(wanted[0], slot, draw, voice, ask.identifying(talk, asked, event) if is_demanded else ())
    plain = [one for one in wanted if not one.references]
    described = [one for one in wanted if one.references]
    if not any(type(message) is UserMessage for message in talk.messages):
        return word_request(plain, described, draw, voice)
    before = talk.log.events[event.id - 1]
    is_refused = isinstance(before, Tell) and before.how in ("ruled_out", "instead", "kept_back")
    usual = CONNECTIVES.after_refusal if is_refused else CONNECTIVES.further
    return word_further_request(plain, described, draw, voice, usual)
