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
    calls = talk.reported(places)
    fields_of_event = frozenset(event.fields) if places else _NOTHING
    phrases_of_places = [
        (place, call.phrases) for place, call in zip(places, calls, strict=True) if asked.may_name(call.phrases.spec)
    ]
    fields_asked_for = (
        fields_of_event.union(*[_asked_for(talk, place, phrases) for place, phrases in phrases_of_places])
        if phrases_of_places
        else fields_of_event
    )
    if event.kept_back:
        calls = [call._replace(phrases=keeping_back(call.phrases, event.kept_back)) for call in calls]
    layouts = {} if fields_of_event else listing.draw_layouts(calls, talk.style, talk.draw)
    rest = _tell_apart(talk, event.id, picked.grounds(talk, event, places, calls), calls, layouts, fields_asked_for)
    if not rest:
        return
    if (
        len(calls) == 1
        and not fields_asked_for
        and _may_detail(talk, places[0], calls[0])
        and detail.tell(talk, calls[0])
    ):
        return
    is_last = not talk.goes_on
    is_end = is_last and not any(type(later) is Say for later in talk.log.events[event.id :])
    _answer_plainly(talk, rest, is_last=is_last, is_end=is_end, wanted=fields_asked_for)
    if len(calls) == len(rest) == 1 and not (talk.assistant or "").endswith(CONNECTIVES.offers):
        tally.tell(talk, calls[0])


def _tell_apart(
    talk: Transcript,
    event_index: int,
    grounds: list[picked.Ground],
    calls: Sequence[ReportedCall],
    layouts: dict[str, listing.Layout],
    wanted: frozenset[str],
) -> list[ReportedCall]:
    """Add reports, in order, up to the last list that is told in lines, or element that the user has singled out; return what is left to report."""
    # who goes on may say "the second one", of the list as the result has it
    goes_on = any(type(later) is Say for later in talk.log.events[event_index:])
    plainly_reported: list[ReportedCall] = []
    for call in calls:
        grounds_of_call = (
            [ground for ground in grounds if call.call.id in (ground.told.call.id, ground.taken)] if grounds else []
        )
        layout = layouts.get(call.call.name)
        if layout is not None or grounds_of_call:
            _answer_plainly(talk, plainly_reported, is_last=False, wanted=wanted)
            plainly_reported = []
        is_look_up = bool(grounds_of_call) and any(ground.told.call.id == call.call.id for ground in grounds_of_call)
        untold_grounds = (
            grounds_of_call
            if is_look_up or not grounds_of_call or not call.phrases.looks_up
            else picked.tell(talk, grounds_of_call, is_named=True)
        )
        if layout is None or not listing.tell(talk, call, layout, in_order=goes_on, singles_out=not grounds_of_call):
            plainly_reported.append(call)
        elif not grounds_of_call:
            tally.tell(talk, call)
        if untold_grounds:
            _answer_plainly(talk, plainly_reported, is_last=False, wanted=wanted)
            plainly_reported = []
            # one without a name is told behind what is done with it
            untold_grounds = picked.tell(talk, untold_grounds, is_named=is_look_up)
        grounds = [ground for ground in grounds if ground not in grounds_of_call or ground in untold_grounds]
    return plainly_reported


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
    last_request = next((report for report in reversed(talk.log.events[: event.id]) if type(report) is Say), None)
    # of a look-up "for each of them", the list is told with each of its calls
    tools_for_each = [] if last_request is None else [wish.tool for wish in last_request.wishes if wish.for_each]
    if last_request is None or any(talk.phrases[tool].looks_up for tool in tools_for_each):
        return list(event.about)
    wishes_by_call = {number: talk.call_at(number).serves for number in event.about}
    steps = [step for step in talk.log.events[last_request.id + 1 : event.id] if isinstance(step, Step)]
    earlier_reports = [
        report
        for report in talk.log.events[last_request.id + 1 : event.id]
        if isinstance(report, Tell) and report.how == "done"
    ]
    reported_calls = {number for report in earlier_reports for number in report.about}
    for step in steps:
        for number, call in enumerate(step.calls):
            is_asked_for = call.serves in talk.asking and talk.phrases[call.tool].looks_up
            if is_asked_for and step.outcomes[number].ok and (step.id, number) not in reported_calls:
                wishes_by_call[step.id, number] = call.serves
    return sorted(wishes_by_call, key=lambda number: wishes_by_call[number])


def _asked_for(talk: Transcript, place: EventItem, phrases: ToolPhrases) -> frozenset[str]:
    """Return the fields of a result that the request names."""
    return frozenset().union(*[asked.fields_asked_for(phrases.spec, key) for key in _asked_with(talk, place)])


def _asked_with(talk: Transcript, place: EventItem) -> list[str]:
    """Return the forms with which a call is asked for."""
    event, number = talk.call_at(place).serves
    return [key for _, _, key, event_of_form, numbers in talk.requests if event_of_form == event and number in numbers]


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
    wanted_wishes = [wanted_of(talk, event, number) for number in numbers]
    if event.to is not None:
        question = talk.log.events[event.to]
        assert isinstance(question, Ask)
        slot, is_demanded = escape(next(iter(wanted_wishes[0].said))), talk.wish_at(question.wish).demanded
        return word_reply(
            wanted_wishes[0], slot, draw, voice, ask.identifying(talk, question, event) if is_demanded else ()
        )
    wishes_without_references = [one for one in wanted_wishes if not one.references]
    wishes_with_references = [one for one in wanted_wishes if one.references]
    if not any(type(message) is UserMessage for message in talk.messages):
        return word_request(wishes_without_references, wishes_with_references, draw, voice)
    last_event = talk.log.events[event.id - 1]
    is_refused = isinstance(last_event, Tell) and last_event.how in ("ruled_out", "instead", "kept_back")
    introductions = CONNECTIVES.after_refusal if is_refused else CONNECTIVES.further
    return word_further_request(wishes_without_references, wishes_with_references, draw, voice, introductions)
