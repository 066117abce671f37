"""Changes of what texts are said to be made of, and of whose their words are."""

from collections.abc import Iterator

from changed_rows import Change, Proven, replace, spliced, with_call, with_claim, with_proof

from generator.core.claims import Claim, UseClaim
from generator.core.templates import Segment, Slot
from generator.core.toolbox import ToolSpec
from generator.tools.productions import HEADS, Production, key_of, production_of
from planting.changes import Changes


def tool_of(row: Proven, use: UseClaim) -> ToolSpec | None:
    made = row.calls.get(use.calls[0])
    return None if made is None else row.toolbox[made.name]


def forms_of(spec: ToolSpec) -> Iterator[tuple[str, Production]]:
    """All forms of a tool that somebody wrote."""
    phrases = spec.phrases
    texts = [(kind, text) for kind in sorted(HEADS - {"bare"}) for text in getattr(phrases, kind)]
    texts += [("answer", answer.say) for answer in phrases.answer]
    texts += [("add", text) for slot, frames in phrases.slots.items() if "/*" not in slot for text in frames.frames]
    for kind, text in texts:
        form = production_of(spec, key_of(kind, text))
        assert form is not None
        yield key_of(kind, text), form


def with_use(row: Proven, old: UseClaim, *new: UseClaim) -> Proven:
    return with_proof(row, uses=[one for use in row.proof.uses for one in (new if use is old else (use,))])


def forge_a_derivation(row: Proven) -> Changes:
    """Another form, other calls, another place, one form less or twice, all under a text that stays as it is."""
    for use in row.proof.uses:
        spec = tool_of(row, use)
        own = None if spec is None else production_of(spec, use.key)
        if spec is None or own is None:
            continue
        for key, form in forms_of(spec):
            if form.template.segments != own.template.segments:
                yield Change(f"{use.key!r} → {key!r}", with_use(row, use, replace(use, key=key)))
        for call in row.calls.keys() - {*use.calls}:
            yield Change(f"{use.key!r} of {call}", with_use(row, use, replace(use, calls=(call,))))
        for by in (-1, 1):
            yield Change(f"{use.key!r} {by} letters on", with_use(row, use, replace(use, start=use.start + by)))
        yield Change(f"no {use.key!r}", with_use(row, use))
        yield Change(f"{use.key!r} twice", with_use(row, use, use, use))


def restitch_a_gap(row: Proven) -> Changes:
    """One text of a form in another form for the same values, where more than that tells the two apart."""
    for use in row.proof.uses:
        spec = tool_of(row, use)
        own = None if spec is None else production_of(spec, use.key)
        if spec is None or own is None:
            continue
        places = texts_of(row, use, own)
        slots = [segment for segment in own.template.segments if isinstance(segment, Slot)]
        for key, form in forms_of(spec):
            texts = texts_around(form.template.segments)
            if [segment for segment in form.template.segments if isinstance(segment, Slot)] != slots or texts is None:
                continue
            differing = [at for at, (text, start) in enumerate(places) if texts[at].casefold() != text.casefold()]
            for at in differing if len(differing) > 1 else ():
                text, start = places[at]
                changed = spliced(row, use.message, start, len(text), texts[at])
                for claimed in (use.key, key):
                    uses = [
                        replace(one, key=claimed, start=use.start)
                        if (one.message, one.start) == (use.message, start) or old is use
                        else one
                        for old, one in zip(row.proof.uses, changed.proof.uses, strict=True)
                    ]
                    yield Change(f"{text!r} → {texts[at]!r} as {claimed!r}", with_proof(changed, uses=uses))


def texts_around(segments: tuple[Segment, ...]) -> list[str] | None:
    """The texts around the values of a form; None where they depend on numbers."""
    texts = [""]
    for segment in segments:
        if isinstance(segment, str):
            texts[-1] += segment
        elif isinstance(segment, Slot):
            texts.append("")
        else:
            return None
    return texts


def texts_of(row: Proven, use: UseClaim, form: Production) -> list[tuple[str, int]]:
    """The texts around the values of a form, with their places; nothing where a value has several spans or a text is fitted."""
    texts, content = texts_around(form.template.segments), row.text(use.message)
    claims = [*row.claims("user"), *row.proof.answers]
    spans = {(one.start, one.end) for one in claims if one.message == use.message and one.start >= use.start}
    found, at = [], use.start
    for text in texts or ():
        end = at + len(text)
        if content[at:end].casefold() != text.casefold():
            return []
        found.append((content[at:end], at))
        at = next((after for start, after in spans if start == end), end)
    return found


def say_it_of_another_call_too(row: Proven) -> Changes:
    """What is added to the request for one call, claimed for another call of the tool that lacks it."""
    for use in row.proof.uses:
        said = said_in(row, use)
        if not use.key.startswith("add: ") or len(said) != 1:
            continue
        (claim,) = said
        own = row.calls[claim.call_id]
        for call in row.calls.values():
            name = claim.pointer[1:]
            if call.name == own.name and name not in call.arguments and row.asked_at.get(call.id) == use.message:
                changed = with_call(row, call.id, arguments={**call.arguments, name: own.arguments[name]})
                changed = with_proof(changed, arguments=[*row.proof.arguments, replace(claim, call_id=call.id)])
                yield Change(f"{claim.pointer} of {call.id}", changed)
                yield Change(f"{use.key!r}", with_use(changed, use, replace(use, calls=(*use.calls, call.id))))


def let_a_clause_without_a_verb_say_less(row: Proven) -> Changes:
    """What is added to such a clause, left out with its argument: the clause before it still says one."""
    elliptical = [use.calls for use in row.proof.uses if use.key.startswith("again: ")]
    for use in row.proof.uses:
        spec, said = tool_of(row, use), said_in(row, use)
        form = None if spec is None else production_of(spec, use.key)
        texts = [] if form is None else texts_of(row, use, form)
        if not use.key.startswith("add: ") or use.calls not in elliptical or len(said) != 1 or not texts:
            continue
        (claim,), (text, start) = said, texts[-1]
        call, cut = row.calls[claim.call_id], start + len(text) - use.start + 1
        rest = {name: value for name, value in call.arguments.items() if name != claim.pointer[1:]}
        changed = with_call(with_claim(with_use(row, use), claim), call.id, arguments=rest)
        yield Change(f"{use.key!r} of {call.id}", spliced(changed, use.message, use.start - 1, cut, ""))


def keep_shared_words_for_one_call(row: Proven) -> Changes:
    """What is said of several calls, claimed for the first or the last of them only."""
    for use in row.proof.uses:
        said = said_in(row, use)
        for claim in said:
            sharing = [one for one in said if (one.start, one.pointer) == (claim.start, claim.pointer)]
            if claim is not sharing[0] or len(sharing) < 2:
                continue
            for kept in (sharing[0], sharing[-1]):
                changed = row
                for one in sharing:
                    if one is not kept:
                        call = changed.calls[one.call_id]
                        rest = {name: value for name, value in call.arguments.items() if name != one.pointer[1:]}
                        changed = with_claim(with_call(changed, call.id, arguments=rest), one)
                yield Change(f"{claim.pointer} of {kept.call_id} only", changed)


def let_a_text_swallow_what_follows(row: Proven) -> Changes:
    """The words for one more value, claimed as the end of the text before them: a city called "Tartu in Fahrenheit"."""
    for use in row.proof.uses:
        said = said_in(row, use)
        if not use.key.startswith("add: ") or len(said) != 1:
            continue
        (claim,) = said
        before = [
            one
            for one in row.claims("user")
            if (one.message, one.end, one.verbalizer) == (use.message, use.start - 1, "literal")
            and (one.call_id, one.pointer.count("/")) == (claim.call_id, 1)
        ]
        if len(before) == 1 and row.text(use.message)[use.start - 1] == " ":
            arguments = {
                name: one for name, one in row.calls[claim.call_id].arguments.items() if name != claim.pointer[1:]
            }
            arguments[before[0].pointer[1:]] = row.text(use.message)[before[0].start : claim.end]
            changed = with_claim(with_use(row, use), claim)
            changed = with_claim(changed, before[0], replace(before[0], end=claim.end))
            yield Change(f"{use.key!r}", with_call(changed, claim.call_id, arguments=arguments))


def said_in(row: Proven, use: UseClaim) -> list[Claim]:
    """The claims about single arguments of the calls of a form whose words stand in it."""
    later = [one.start for one in row.proof.uses if one.message == use.message and one.start > use.start]
    return [
        claim
        for claim in row.claims("user")
        if (claim.message, claim.pointer.count("/")) == (use.message, 1)
        and claim.call_id in row.calls.keys() & {*use.calls}
        and use.start <= (claim.start or 0) < min(later, default=10**6)
    ]
