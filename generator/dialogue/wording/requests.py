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
    ask_again,
    ask_for_list,
    fits,
    follow_up,
    found_noun_phrase,
    in_a_clause,
    said_by_user,
    value_alone,
)
from generator.dialogue.wording.phrases.phrasebook import Line, ToolPhrases
from generator.dialogue.wording.pieces import (
    Phrase,
    Piece,
    Pieces,
    capital,
    capitalise,
    is_closed,
    is_heavy,
    opening,
    text_of,
)

ALL_KINDS = ("request", "request", "question", "want")
"""The kinds of heads to choose from; `request` stands twice, because verb phrases are the most usual way to ask."""


def word_request(wishes: Sequence[WordedWish], described: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces:
    """Return a user's first message: wishes that are independent of each other, then those that need their results."""
    if described and wishes[0].unnamed:
        return _begun(_word_found(wishes[0], described[0], draw, voice), draw, voice)
    pieces = None if described else _as_todo(wishes, draw, voice)
    if pieces is None:
        pieces = _word_all(wishes, draw, voice)
    if described:
        clauses = [follow_up(wanted, draw, voice) for wanted in described]
        pieces = _word_chain(pieces, clauses, wishes, draw, voice)
    if pieces.count(" for me?") > 1:
        pieces = _for_me_once(pieces)
    return _begun(pieces, draw, voice)


def _begun(pieces: Pieces, draw: Draw, voice: Voice) -> Pieces:
    """Return a first message, now and then with a greeting and with thanks."""
    rand = draw.rand
    if rand() < voice.greets:
        pieces.insert(0, draw.choice(CONNECTIVES.greetings))
    else:
        capitalise(pieces)
    if rand() < voice.thanks:
        is_list = any(isinstance(piece, str) and piece[:1] == "\n" for piece in pieces)
        pieces += ("\n\n" if is_list else " ", draw.choice(CONNECTIVES.thanks))
    return pieces


def word_further_request(
    wishes: Sequence[WordedWish],
    described: Sequence[WordedWish],
    draw: Draw,
    voice: Voice,
    openers: Sequence[str] | None = None,
) -> Pieces:
    """Return a later message of the user that asks for something else, which may use an earlier result.

    `openers`: what it may begin with; None: what acknowledges the answer before.
    """
    openers = CONNECTIVES.further if openers is None else openers
    if described and wishes and wishes[0].unnamed:
        pieces, described = _word_found(wishes[0], described[0], draw, voice), ()
    else:
        listed = None if described else _as_todo(wishes, draw, voice)
        pieces = listed or (_word_all(wishes, draw, voice) if wishes else [])
    for wanted in described:
        if pieces:
            pieces.append(" ")
        said = sentence(follow_up(wanted, draw, voice), draw)
        if pieces:
            capitalise(said)
        pieces += said
    goes_on = bool(openers) and draw.chance(0.6)
    return _go_on(pieces, draw, openers) if goes_on else _capitalised(pieces)


def _go_on(pieces: Pieces, draw: Draw, openers: Sequence[str]) -> Pieces:
    """Return a later message with an opening word that acknowledges the answer before."""
    opener = draw.choice(tuple(openers))
    if opener.endswith(". "):
        capitalise(pieces)
    return [opener, *pieces]


def _capitalised(pieces: Pieces) -> Pieces:
    capitalise(pieces)
    return pieces


def _for_me_once(pieces: Pieces) -> Pieces:
    last = len(pieces) - 1 - pieces[::-1].index(" for me?")
    return ["?" if piece == " for me?" and at != last else piece for at, piece in enumerate(pieces)]


def _word_all(wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces:
    """Return the sentences for wishes that are independent of each other."""
    book = wishes[0].phrases
    if len(wishes) == 1:
        return sentence(ask(wishes[0], draw, voice, ALL_KINDS), draw)
    if any(wanted.phrases is not book for wanted in wishes):
        return _word_different(wishes, draw, voice)
    vary = what_varies(wishes)
    if vary is not None:
        return sentence(ask_for_list(wishes, vary, draw, voice, ALL_KINDS), draw)
    return _word_repeated(book, wishes, draw, voice)


def _word_found(search: WordedWish, wanted: WordedWish, draw: Draw, voice: Voice) -> Pieces:
    """Return a request about what an unnamed search finds: "Delete the newest one of my tax files."."""
    clause, among = follow_up(wanted, draw, voice), found_noun_phrase(search, draw, voice)
    for _ in range(_TRIES):
        if not among.sentences:
            break
        among = found_noun_phrase(search, draw, voice)
    if _ends_with_its_reference(clause) and draw.chance(0.7):
        is_one = text_of(clause.body[-1]).endswith(" one")
        clause.body += [draw.choice(CONNECTIVES.of) if is_one else CONNECTIVES.of[-1], *among.body]
        return sentence(clause, draw) + further_sentences(among)
    stop = "" if is_closed(clause.body) else "."
    before = [draw.choice(CONNECTIVES.among), *among.body, ", "]
    return [*before, *clause.body, stop, *further_sentences(among), *further_sentences(clause)]


_TRIES = 4


def _ends_with_its_reference(clause: Clause) -> bool:
    """Whether the clause ends with the words that single something out, and has no other such words."""
    last = clause.body[-1]
    if isinstance(last, str) or clause.sentences:
        return False
    text, spans, _ = last
    return (
        bool(spans)
        and spans[-1][1] == len(text)
        and [span[2] for span in spans].count("reference") == 1 == (spans[-1][2] == "reference")
    )


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


def _word_chain(pieces: Pieces, clauses: list[Clause], first: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces:
    """Return the first request, then what to do with its result."""
    if len(first) == 1 and draw.chance(0.5):
        head = ask(first[0], draw, voice, ("request",))
        if not (head.sentences or head.trails) and not any(clause.sentences or clause.trails for clause in clauses):
            body = joined([head.body, *[clause.body for clause in clauses]], CONNECTIVES.join_steps, draw)
            personal = head.first_person and all(clause.first_person for clause in clauses)
            return sentence(Clause("request", body, personal), draw)
    last = ""
    for index, clause in enumerate(clauses):
        opener = draw.choice(CONNECTIVES.then) if index or draw.chance(0.75) else ""
        opener = CONNECTIVES.finally_ if opener and opener == last else opener
        last = opener
        following = [opener, *clause.body] if opener else clause.body
        capitalise(following)
        pieces += (" ", *following)
        pieces += ["" if is_closed(following) else ".", *further_sentences(clause)]
    return pieces


def _word_repeated(book: ToolPhrases, wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces:
    """Return several wishes for one tool: with an elliptical "and also …", as a list, or as sentences."""
    as_list = draw.chance(0.55 if len(wishes) > 3 else 0.2)
    for way in (_as_list, _elliptical) if as_list else (_elliptical, _as_list):
        pieces = way(book, wishes, draw, voice)
        if pieces is not None:
            return pieces
    return _as_sentences([ask(wanted, draw, voice, ALL_KINDS) for wanted in wishes], draw)


def _elliptical(book: ToolPhrases, wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces | None:
    first, *others = [said_by_user(wanted).keys() for wanted in wishes]
    if any(slots != first for slots in others):
        return None  # what the first clause says would be heard of the others, and an addition to the last one of all
    rest = _ask_each_again(wishes[1:], book.lines("again"), draw, voice)
    bodies = [clause.body for clause in rest if clause is not None and not clause.sentences]
    head = ask(wishes[0], draw, voice, ALL_KINDS)
    for _ in range(_TRIES):
        if not _goes_on(head, bodies):
            break
        head = ask(wishes[0], draw, voice, ALL_KINDS)
    if len(bodies) < len(rest) or head.sentences or head.trails or _goes_on(head, bodies):
        return None
    heavy = any(is_heavy(piece, CONNECTIVES.link) for one in (head.body, *bodies) for piece in one)
    head.body = joined([head.body, *bodies], CONNECTIVES.join_again_heavy if heavy else CONNECTIVES.join_again, draw)
    return sentence(head, draw)


def _goes_on(head: Clause, bodies: Sequence[Pieces]) -> bool:
    """Whether a clause goes on behind its last value with words that the others lack: "Send the list A to the archive, the list B"."""
    text, end = "", 0
    for piece in head.body:
        spans = () if isinstance(piece, str) else piece[1]
        end = max([end, *[len(text) + span[1] for span in spans if span[2] != "clause"]])
        text += text_of(piece)
    behind = {word for word in text[end:].casefold().split() if word.isalpha()}
    others = [{*"".join(map(text_of, body)).casefold().split()} for body in bodies]
    return any(not behind <= words for words in others)


def _ask_each_again(
    wishes: Sequence[WordedWish], lines: Sequence[Line], draw: Draw, voice: Voice
) -> list[Clause | None]:
    """Return all wishes as clauses with these lines, with the same one for all where one fits all; None for a wish that no line fits."""
    for_all = [line for line in lines if all(fits(line, one.phrases, said_by_user(one)) for one in wishes)]
    lines = (draw.choice(for_all),) if for_all else lines
    return [ask_again(wanted, draw, voice, lines) for wanted in wishes]


def _as_list(book: ToolPhrases, wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces | None:
    if not book.spec.phrases.several or not book.lines("entry"):
        return None
    lines = _ask_each_again(wishes, book.lines("entry"), draw, voice)
    entries = [line for line in lines if line is not None]
    if len(entries) < len(lines) or (entries[-1].sentences and not all(entry.sentences for entry in entries)):
        return None  # a sentence at the end of a list would be about all of it
    announce = draw.choice(CONNECTIVES.list_openers).format(draw.choice(book.spec.phrases.several))
    return _listed(CONNECTIVES.within(announce), entries, numbered=draw.chance(0.3))


def _listed(announce: str, entries: Sequence[Clause], *, numbered: bool) -> Pieces:
    """Return a list of clauses; a message that does not begin with a greeting gets its capital later."""
    pieces: Pieces = [announce]
    mark = LIST_MARKS[numbered]
    for entry in entries:
        pieces += [mark, *entry.body]
        mark = next_mark(mark)
        if entry.sentences:
            pieces += ["" if is_closed(entry.body) else ".", *further_sentences(entry)]
    return pieces


_TODO_SHARE = {2: 0.1, 3: 0.22}
"""Share of requests that are written as a list of verb phrases, by the number of wishes; more than three count as three."""


def _as_todo(wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces | None:
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
        capitalise(clause.body)
    return _listed(CONNECTIVES.within(opener), clauses, numbered=numbered)


def _word_different(wishes: Sequence[WordedWish], draw: Draw, voice: Voice) -> Pieces:
    """Return wishes for different tools: one sentence of verb phrases, or a sentence each."""
    in_one = draw.chance(0.55)
    kinds = ("request",) if in_one else ALL_KINDS
    clauses = [ask(wanted, draw, voice, kinds) for wanted in wishes]
    if not in_one or any(clause.sentences or clause.trails for clause in clauses[:-1]):
        return _as_sentences(clauses, draw)
    body = joined([clause.body for clause in clauses], CONNECTIVES.join_tools, draw)
    personal = all(clause.first_person for clause in clauses)
    return sentence(Clause("request", body, personal, False, clauses[-1].sentences), draw)


def _as_sentences(clauses: list[Clause], draw: Draw) -> Pieces:
    pieces = sentence(clauses[0], draw)
    openers = draw.shuffled(CONNECTIVES.and_also)
    for clause, opener in zip(clauses[1:], openers, strict=False):
        following = sentence(clause, draw)
        if draw.rand() < 0.6:
            pieces += (" ", opener)
        else:
            capitalise(following)
            pieces.append(" ")
        pieces += following
    return pieces


_SHORT = 4
"""The longest body, in pieces, after which "for me" still reads well."""


def sentence(clause: Clause, draw: Draw) -> Pieces:
    """Return a clause as one sentence (and its additions as further ones), with a small letter at the beginning."""
    pieces, kind = clause.body, clause.kind
    if kind == "question":
        pieces.append(CONNECTIVES.frames[kind][0][1])
    else:
        ways = (
            _ways_to_ask(clause) if kind != "want" else CONNECTIVES.needing if clause.looks_up else CONNECTIVES.wanting
        )
        before, after = ways[int(draw.rand() * len(ways))]
        if before == "go ahead and " and opening(pieces[0]).startswith("go "):
            before = "please "
        if not (after in CONNECTIVES.stopping and is_closed(pieces)):
            pieces.append(after)
        if before:
            pieces.insert(0, before)
    return pieces + further_sentences(clause) if clause.sentences else pieces


def _ways_to_ask(clause: Clause) -> tuple[Frame, ...]:
    if not clause.first_person:
        return CONNECTIVES.asking
    return CONNECTIVES.ways_to_ask[clause.looks_up][sum(map(_length, clause.body)) <= _SHORT]


def _length(piece: Piece) -> int:
    """Return the number of values in a piece and of texts between them."""
    if isinstance(piece, str):
        return 1
    _, spans, uses = piece
    templates = [form.template for _, form, _ in uses]
    said = sum([len(template.segments) for template in templates]) + len(uses) - 1
    more = len(spans) - sum([template.slots for template in templates])  # what lists have beside their first value
    return said + 2 * more


def joined(bodies: Sequence[Pieces], join: Join, draw: Draw) -> Pieces:
    """Return the bodies of clauses joined to that of one sentence."""
    pieces = [*bodies[0]]
    for texts, body in zip(join.between(len(bodies)), bodies[1:], strict=True):
        pieces += (draw.choice(texts) if len(texts) > 1 else texts[0], *body)
    return pieces


def further_sentences(clause: Clause) -> Pieces:
    """Return the additions of a clause that are sentences of their own, each after a space."""
    pieces: Pieces = []
    for addition in clause.sentences:
        pieces += [" ", _unquoted_stop(addition)]
        if not is_closed(pieces):
            pieces.append(".")
    return pieces


def _unquoted_stop(phrase: Phrase) -> Phrase:
    """Return the phrase without the full stop after a quotation that has one."""
    text, spans, uses = phrase
    is_extra = text[-1:] == "." and bool(spans) and spans[-1][1] == len(text) - 1 and is_closed([text[:-1]])
    return (text[:-1], spans, uses) if is_extra else phrase


# --- replies of one value ---


def word_reply(wanted: WordedWish, slot: str, draw: Draw, voice: Voice, identifying: tuple[Frame, ...] = ()) -> Pieces:
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
    pieces: Pieces = [phrase]
    if not (after in CONNECTIVES.stopping and is_closed(pieces)):
        pieces.append(after)
    if before:
        pieces.insert(0, before)
    else:
        capitalise(pieces)
    return pieces


def word_change(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Pieces:
    """Return another value for one that was said before, as it follows "Yes, but": "for two people.", "make it 7 pm."."""
    alone = value_alone(wanted, slot, draw, voice)
    framed = _framed(wanted, slot, draw, voice)
    if framed is not None and (draw.chance(0.6) or alone[1][0][2] not in _CHOSEN):
        before, phrase, after = "", framed, "."
    else:
        (before, after), phrase = CONNECTIVES.changing[0], alone
    pieces: Pieces = [before, phrase] if before else [phrase]
    return pieces if is_closed(pieces) else [*pieces, after]


def _framed(wanted: WordedWish, slot: str, draw: Draw, voice: Voice) -> Phrase | None:
    """Return the value in a frame of its slot; None where the tool's phrases have none."""
    return add_one(wanted, slot, draw, voice) if wanted.phrases.frames(slot) else None


_CHOSEN = {"date", "number", "words", "minutes", *FAMILIES["time"], *FAMILIES["datetime"]}
"""Verbalizers of values for which "… then." reads well."""


def _stays_small(phrase: Phrase) -> bool:
    """Whether a message cannot begin with it, because it starts with a value that must stay in small letters."""
    return capital(phrase)[0][:1].islower()
