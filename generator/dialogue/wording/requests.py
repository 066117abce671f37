"""The user's messages: clauses for all wishes, joined into sentences."""

from collections.abc import Sequence

from generator.core.connectives import CONNECTIVES, LIST_MARKS, Frame, Join, next_mark
from generator.core.pointers import escape
from generator.core.seeds import Draw
from generator.dialogue.values.choose import FAMILIES
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.clauses import (
    Clause,
    WordedWish,
    add_one,
    ask,
    ask_for_list,
    ask_without_verb,
    fits,
    follow_up,
    found_noun_phrase,
    in_a_clause,
    said_by_user,
    value_alone,
)
from generator.dialogue.wording.phrases.tool_phrases import Line, ToolPhrases
from generator.dialogue.wording.utterance import (
    Phrase,
    capital,
    is_closed,
    is_heavy,
    joined,
    opening,
    texts_around,
)

ALL_KINDS = ("request", "request", "question", "want")
"""The kinds of heads to choose from; `request` stands twice, because verb phrases are the most usual way to ask."""


def word_request(wishes: Sequence[WordedWish], described: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase:
    """Return a user's first message: wishes that are independent of each other, then those that need their results."""
    if described and wishes[0].unnamed:
        return _with_greeting_and_thanks(_word_search_and_use(wishes[0], described[0], draw, voice), draw, voice)
    phrase = None if described else _as_list_of_tasks(wishes, draw, voice)
    if phrase is None:
        phrase = _word_all(wishes, draw, voice)
    if described:
        clauses = [follow_up(wanted, draw, voice) for wanted in described]
        phrase = _word_chain(phrase, clauses, wishes, draw, voice)
    return _with_greeting_and_thanks(phrase, draw, voice)


def _with_greeting_and_thanks(phrase: Phrase, draw: Draw, voice: Voice) -> Phrase:
    """Return a first message, now and then with a greeting and with thanks."""
    greets = draw.rand() < voice.greets
    phrase = joined(draw.choice(CONNECTIVES.greetings), phrase) if greets else capital(phrase)
    if draw.rand() < voice.thanks:
        phrase = joined(phrase, "\n\n" if has_lines(phrase) else " ", draw.choice(CONNECTIVES.thanks))
    return phrase


def without_thanks(phrase: Phrase) -> Phrase:
    """Return a message without the thanks with which it may end."""
    thanks = next((thanks for thanks in CONNECTIVES.thanks if phrase[0].endswith(thanks)), "")
    text = phrase[0].removesuffix(thanks).rstrip() if thanks else phrase[0]
    return text, phrase[1], phrase[2]


def has_lines(phrase: Phrase) -> bool:
    """Whether a phrase is a list with a line for each call."""
    return any("\n" in text for text in texts_around(phrase))


def word_further_request(
    wishes: Sequence[WordedWish],
    described: Sequence[WordedWish],
    draw: Draw,
    voice: Voice,
    openers: Sequence[str],
) -> Phrase:
    """Return a later message of the user that asks for something else, which may use an earlier result.

    `openers`: what it may begin with.
    """
    if described and wishes and wishes[0].unnamed:
        sentences, described = [_word_search_and_use(wishes[0], described[0], draw, voice)], ()
    else:
        listed = None if described else _as_list_of_tasks(wishes, draw, voice)
        sentences = [listed or _word_all(wishes, draw, voice)] if wishes else []
    sentences += [sentence(follow_up(wanted, draw, voice), draw) for wanted in described]
    phrase = joined(sentences[0], *[part for one in sentences[1:] for part in (" ", capital(one))])
    if not openers or not draw.chance(0.6):
        return capital(phrase)
    opener = draw.choice(tuple(openers))
    return joined(opener, capital(phrase) if opener.endswith(". ") else phrase)


def _word_all(wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase:
    """Return the sentences for wishes that are independent of each other."""
    phrases = wishes[0].phrases
    if len(wishes) == 1:
        return sentence(ask(wishes[0], draw, voice, ALL_KINDS), draw)
    if any(wanted.phrases is not phrases for wanted in wishes):
        return _word_different(wishes, draw, voice)
    vary = what_varies(wishes)
    if vary is not None:
        return sentence(ask_for_list(wishes, vary, draw, voice, ALL_KINDS), draw)
    return _word_repeated(phrases, wishes, draw, voice)


def _word_search_and_use(search: WordedWish, wanted: WordedWish, draw: Draw, voice: Voice) -> Phrase:
    """Return a request about what an unnamed search finds: "Delete the newest one of my tax files."."""
    clause, among = follow_up(wanted, draw, voice), found_noun_phrase(search, draw, voice)
    for _ in range(_TRIES):
        if not among.sentences:
            break
        among = found_noun_phrase(search, draw, voice)
    if _ends_with_its_reference(clause) and draw.chance(0.7):
        is_one = clause.body[0].endswith(" one")
        clause.body = joined(clause.body, draw.choice(CONNECTIVES.of) if is_one else CONNECTIVES.of[-1], among.body)
        return joined(sentence(clause, draw), further_sentences(among))
    stop = "" if is_closed(clause.body[0]) else "."
    before = joined(draw.choice(CONNECTIVES.among), among.body, ", ")
    return joined(before, clause.body, stop, further_sentences(among), further_sentences(clause))


_TRIES = 4


def _ends_with_its_reference(clause: Clause) -> bool:
    """Whether the clause ends with the words that single something out, and has no other such words."""
    text, spans, _ = clause.body
    if clause.sentences or not spans or spans[-1][1] < len(text):
        return False
    return [span[2] for span in spans].count("reference") == 1 and spans[-1][2] == "reference"


def what_varies(wishes: Sequence[WordedWish]) -> str | None:
    """Return the only argument in which wishes of one tool differ, if its values may be said as a list; None otherwise."""
    slots = wishes[0].phrases.spec.phrases.vary
    if not slots:
        return None
    first = wishes[0].said
    differing = {
        key for wanted in wishes[1:] for key in {**first, **wanted.said} if first.get(key) != wanted.said.get(key)
    }
    if len(differing) != 1:
        return None
    (key,) = differing
    return escape(key) if escape(key) in slots else None


def _word_chain(phrase: Phrase, clauses: list[Clause], first: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase:
    """Return the first request, then what to do with its result."""
    if len(first) == 1 and draw.chance(0.5):
        head = ask(first[0], draw, voice, ("request",))
        if not (head.sentences or head.trails) and not any(clause.sentences or clause.trails for clause in clauses):
            body = with_joins([head.body, *[clause.body for clause in clauses]], CONNECTIVES.join_steps, draw)
            personal = head.first_person and all(clause.first_person for clause in clauses)
            return sentence(Clause("request", body, personal), draw)
    last = ""
    for index, clause in enumerate(clauses):
        opener = draw.choice(CONNECTIVES.then) if index or draw.chance(0.75) else ""
        opener = CONNECTIVES.finally_ if opener and opener == last else opener
        last = opener
        following = capital(joined(opener, clause.body))
        stop = "" if is_closed(following[0]) else "."
        phrase = joined(phrase, " ", following, stop, further_sentences(clause))
    return phrase


def _word_repeated(phrases: ToolPhrases, wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase:
    """Return several wishes for one tool: with an elliptical "and also …", as a list, or as sentences."""
    as_list = draw.chance(0.55 if len(wishes) > 3 else 0.2)
    for way in (
        (_as_list_of_entries, _in_one_sentence_without_verbs)
        if as_list
        else (_in_one_sentence_without_verbs, _as_list_of_entries)
    ):
        phrase = way(phrases, wishes, draw, voice)
        if phrase is not None:
            return phrase
    return _as_sentences([ask(wanted, draw, voice, ALL_KINDS) for wanted in wishes], draw)


def _in_one_sentence_without_verbs(
    phrases: ToolPhrases, wishes: Sequence[WordedWish], draw: Draw, voice: Voice
) -> Phrase | None:
    first, *others = [said_by_user(wanted).keys() for wanted in wishes]
    if any(slots != first for slots in others):
        return None  # what the first clause says would be heard of the others, and an addition to the last one of all
    rest = _ask_all_without_verb(wishes[1:], phrases.lines("again"), draw, voice)
    bodies = [clause.body for clause in rest if clause is not None and not clause.sentences]
    head = ask(wishes[0], draw, voice, ALL_KINDS)
    for _ in range(_TRIES):
        if not _has_words_only_here(head, bodies):
            break
        head = ask(wishes[0], draw, voice, ALL_KINDS)
    if len(bodies) < len(rest) or head.sentences or head.trails or _has_words_only_here(head, bodies):
        return None
    heavy = any(is_heavy(body, CONNECTIVES.link) for body in (head.body, *bodies))
    head.body = with_joins(
        [head.body, *bodies], CONNECTIVES.join_again_heavy if heavy else CONNECTIVES.join_again, draw
    )
    return sentence(head, draw)


def _has_words_only_here(head: Clause, bodies: Sequence[Phrase]) -> bool:
    """Whether a clause goes on behind its last value with words that the others lack: "Send the list A to the archive, the list B"."""
    text, spans, _ = head.body
    end = max([0, *[span[1] for span in spans if span[2] != "clause"]])
    behind = {word for word in text[end:].casefold().split() if word.isalpha()}
    return any(not behind <= {*body[0].casefold().split()} for body in bodies)


def _ask_all_without_verb(
    wishes: Sequence[WordedWish], lines: Sequence[Line], draw: Draw, voice: Voice
) -> list[Clause | None]:
    """Return all wishes as clauses with these lines, with the same one for all where one fits all; None for a wish that no line fits."""
    for_all = [line for line in lines if all(fits(line, one.phrases, said_by_user(one)) for one in wishes)]
    lines = (draw.choice(for_all),) if for_all else lines
    return [ask_without_verb(wanted, draw, voice, lines) for wanted in wishes]


def _as_list_of_entries(phrases: ToolPhrases, wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase | None:
    if not phrases.spec.phrases.several or not phrases.lines("entry"):
        return None
    lines = _ask_all_without_verb(wishes, phrases.lines("entry"), draw, voice)
    entries = [line for line in lines if line is not None]
    if len(entries) < len(lines) or (entries[-1].sentences and not all(entry.sentences for entry in entries)):
        return None  # a sentence at the end of a list would be about all of it
    announce = draw.choice(CONNECTIVES.list_openers).format(draw.choice(phrases.spec.phrases.several))
    return _listed(CONNECTIVES.within(announce), entries, numbered=draw.chance(0.3))


def _listed(announce: str, entries: Sequence[Clause], *, numbered: bool) -> Phrase:
    """Return a list of clauses; a message that does not begin with a greeting gets its capital later."""
    phrase, mark = joined(announce), LIST_MARKS[numbered]
    for entry in entries:
        stop = "." if entry.sentences and not is_closed(entry.body[0]) else ""
        phrase = joined(phrase, mark, entry.body, stop, further_sentences(entry))
        mark = next_mark(mark)
    return phrase


_TODO_SHARE = {2: 0.1, 3: 0.22}
"""Share of requests that are written as a list of verb phrases, by the number of wishes; more than three count as three."""


def _as_list_of_tasks(wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase | None:
    """Return independent wishes as a list of verb phrases, or None when another form is drawn or some wish does not fit."""
    if len(wishes) < 2 or not draw.chance(_TODO_SHARE.get(len(wishes), 0.35)):
        return None
    if all(wanted.phrases is wishes[0].phrases for wanted in wishes) and what_varies(wishes) is not None:
        return None  # "in Oslo, Rome and Lima"
    clauses = [ask(wanted, draw, voice, ("request",)) for wanted in wishes]
    if all(wanted.phrases is wishes[0].phrases for wanted in wishes) and any(clause.sentences for clause in clauses):
        return None  # "- get the details of an order. It's number 5."
    numbered, is_capital = draw.chance(0.4), draw.chance(0.6)
    opener = draw.choice(CONNECTIVES.todo_openers)
    for clause in clauses if is_capital else ():
        clause.body = capital(clause.body)
    return _listed(CONNECTIVES.within(opener), clauses, numbered=numbered)


def _word_different(wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Phrase:
    """Return wishes for different tools: one sentence of verb phrases, or a sentence each."""
    in_one = draw.chance(0.55)
    kinds = ("request",) if in_one else ALL_KINDS
    clauses = [ask(wanted, draw, voice, kinds) for wanted in wishes]
    if not in_one or any(clause.sentences or clause.trails for clause in clauses[:-1]):
        return _as_sentences(clauses, draw)
    body = with_joins([clause.body for clause in clauses], CONNECTIVES.join_tools, draw)
    personal = all(clause.first_person for clause in clauses)
    return sentence(Clause("request", body, personal, False, clauses[-1].sentences), draw)


def _as_sentences(clauses: list[Clause], draw: Draw) -> Phrase:
    """Return a sentence for each clause; not more than one ends with "for me"."""
    frames, starts = [_frame(clauses[0], draw)], [""]
    openers = draw.shuffled(CONNECTIVES.and_also)
    for clause, opener in zip(clauses[1:], openers, strict=False):
        frames.append(_frame(clause, draw))
        starts.append(opener if draw.rand() < 0.6 else "")
    personal = [number for number, (_, after) in enumerate(frames) if after == _FOR_ME]
    for number in personal[:-1]:
        frames[number] = (frames[number][0], "?")
    phrase = joined()
    for clause, frame, start in zip(clauses, frames, starts, strict=True):
        sentence = _in_frame(clause, frame)
        phrase = joined(phrase, " ", start, sentence if start else capital(sentence)) if phrase[0] else sentence
    return phrase


_FOR_ME = " for me?"
_SHORT = 4
"""The longest body, in values and texts between them, after which "for me" still reads well."""


def sentence(clause: Clause, draw: Draw) -> Phrase:
    """Return a clause as one sentence (and its additions as further ones), with a small letter at the beginning."""
    return _in_frame(clause, _frame(clause, draw))


def _in_frame(clause: Clause, frame: Frame) -> Phrase:
    """Return a clause between what stands before and after it, with its further sentences: "can you", "book a table", "?"."""
    return joined(frame[0], clause.body, frame[1], further_sentences(clause))


def _frame(clause: Clause, draw: Draw) -> Frame:
    """Return what stands before a clause and after it, where it is a sentence."""
    if clause.kind == "question":
        return CONNECTIVES.frames["question"][0]
    ways = _ways_to_ask(clause)
    before, after = ways[int(draw.rand() * len(ways))]
    if before == "go ahead and " and opening(clause.body).startswith("go "):
        before = "please "
    return before, "" if after in CONNECTIVES.stopping and is_closed(clause.body[0]) else after


def _ways_to_ask(clause: Clause) -> tuple[Frame, ...]:
    """Return the frames that fit a clause: "I'd like to …." only where it does not speak of the user, "… for me?" where it is short."""
    if clause.kind == "want":
        return CONNECTIVES.needing if clause.looks_up else CONNECTIVES.wanting
    if not clause.first_person:
        return CONNECTIVES.asking
    return CONNECTIVES.ways_to_ask[clause.looks_up][_length(clause.body) <= _SHORT]


def _length(phrase: Phrase) -> int:
    """Return the number of values in a phrase and of texts between them."""
    _, spans, uses = phrase
    templates = [form.template for _, form, _ in uses]
    said = sum([len(template.segments) for template in templates]) + len(uses) - 1
    more = len(spans) - sum([template.slots for template in templates])  # what lists have beside their first value
    return said + 2 * more


def with_joins(bodies: Sequence[Phrase], join: Join, draw: Draw) -> Phrase:
    """Return the bodies of clauses joined to that of one sentence."""
    phrase = bodies[0]
    for texts, body in zip(join.between(len(bodies)), bodies[1:], strict=True):
        phrase = joined(phrase, draw.choice(texts) if len(texts) > 1 else texts[0], body)
    return phrase


def further_sentences(clause: Clause) -> Phrase:
    """Return the additions of a clause that are sentences of their own, each after a space."""
    phrase = joined()
    for addition in clause.sentences:
        own = _unquoted_stop(addition)
        phrase = joined(phrase, " ", own, "" if is_closed(own[0]) else ".")
    return phrase


def _unquoted_stop(phrase: Phrase) -> Phrase:
    """Return the phrase without the full stop after a quotation that has one."""
    text, spans, uses = phrase
    is_extra = text[-1:] == "." and bool(spans) and spans[-1][1] == len(text) - 1 and is_closed(text[:-1])
    return (text[:-1], spans, uses) if is_extra else phrase


# --- replies of one value ---


def word_reply(wanted: WordedWish, slot: str, draw: Draw, voice: Voice, identifying: tuple[Frame, ...] = ()) -> Phrase:
    """Return the answer to a question for one value: the value alone, or in a frame of its slot.

    `identifying` are the frames for a value that was not forgotten in the request: nobody is sorry for that.
    """
    alone, clause = value_alone(wanted, slot, draw, voice), in_a_clause(wanted, slot, draw, voice)
    framed = add_one(wanted, slot, draw, voice) if draw.chance(0.3) or _stays_small(alone) else None
    if clause is not None and not identifying:
        phrase, frames = clause, CONNECTIVES.replying_in_a_frame[:1]
    elif framed is not None and framed[0].partition(" ")[0].lower() in CONNECTIVES.answering:
        phrase, frames = framed, CONNECTIVES.replying_in_a_frame
    else:
        phrase, frames = (
            alone,
            CONNECTIVES.replying + CONNECTIVES.choosing if alone[1][0][2] in _CHOSEN else CONNECTIVES.replying,
        )
        if _stays_small(alone):
            frames = tuple([frame for frame in frames if frame[0]])
    if identifying:
        phrase, frames = alone, identifying
    before, after = draw.choice(frames)
    after = "" if after in CONNECTIVES.stopping and is_closed(phrase[0]) else after
    return joined(before, phrase if before else capital(phrase), after)


def word_change(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase:
    """Return another value for one that was said before, as it follows "Yes, but": "for two people.", "make it 7 pm."."""
    alone = value_alone(wanted, slot, draw, voice)
    framed = add_one(wanted, slot, draw, voice) if wanted.phrases.frames(slot) else None
    if framed is not None and (draw.chance(0.6) or alone[1][0][2] not in _CHOSEN):
        before, phrase, after = "", framed, "."
    else:
        (before, after), phrase = CONNECTIVES.changing[0], alone
    return joined(before, phrase, "" if is_closed(phrase[0]) else after)


_CHOSEN = {"date", "number", "words", "minutes", *FAMILIES["time"], *FAMILIES["datetime"]}
"""Verbalizers of values for which "… then." reads well."""


def _stays_small(phrase: Phrase) -> bool:
    """Whether a message cannot begin with it, because it starts with a value that must stay in small letters."""
    return capital(phrase)[0][:1].islower()
