"""Changes of what is told in lines: order, lines, what is left out, headings, and which one is singled out."""

import re

import orjson
from changed_rows import Change, Proven, replace, spliced, with_claim, with_result

from generator.core.conversation import ToolMessage
from generator.core.templates import parse_template
from generator.dialogue.acts.asked import fields_asked_for
from generator.dialogue.acts.found_list import found_list
from generator.dialogue.wording.phrases.telling import speaks_of_several
from planting.changes import Changes


def tell_of_another_element(row: Proven) -> Changes:
    """A value in a line, or a name that is singled out, belongs to another element."""
    for tell in row.proof.tells:
        if tell.how in ("listed", "singled_out", "picked"):
            for claim in row.proof.answers:
                moved = re.sub(r"^(/[^/]+/)(\d+)/", lambda place: f"{place[1]}{int(place[2]) ^ 1}/", claim.pointer)
                inside = claim.message == tell.message and tell.start <= claim.start < tell.end
                if inside and moved != claim.pointer:
                    yield Change(f"{claim.pointer} as {moved}", with_claim(row, claim, replace(claim, pointer=moved)))


def name_another_order(row: Proven) -> Changes:
    """The words for the first one, or for the one that is singled out, are those for another one."""
    for tell in row.proof.tells:
        if tell.how not in ("listed", "singled_out"):
            continue
        spec = row.toolbox[row.calls[tell.call_id].name]
        (told,) = [row.text(at) for at in row.at(ToolMessage) if row.talk.messages[at].tool_call_id == tell.call_id]
        picks = found_list(spec, orjson.loads(told)).picks
        text = row.text(tell.message)
        for pick in picks:
            at = text.find(f"{pick.say}", tell.start, tell.end)
            for other in picks:
                fields = {one.by.split()[1] for one in (pick, other)}
                if at >= 0 and len(fields) == 1 and pick.by != other.by:
                    yield Change(f"{pick.say} as {other.say}", spliced(row, tell.message, at, len(pick.say), other.say))


def leave_out_what_was_picked(row: Proven) -> Changes:
    """Nobody says which element the user's superlative has singled out, nor what it was singled out by."""
    for tell in row.proof.tells:
        own = [one for one in row.proof.answers if one.message == tell.message and tell.start <= one.start < tell.end]
        taken = [one for one in row.proof.arguments if (one.pick or "").startswith(("min ", "max "))]
        before = [one for one in row.proof.answers if one.message < tell.message and one.call_id == tell.call_id]
        told = {call for use in row.proof.uses if use.key.startswith("answer: ") for call in use.calls}
        if tell.how == "picked" and len(taken) == 1 and taken[0].call_id in told and not before:
            without = with_claim(row, tell)
            for claim in own:
                without = with_claim(without, claim)
            start = tell.start - 1 if tell.start else 0
            yield Change("left out", spliced(without, tell.message, start, tell.end - start, ""))


def tell_another_field(row: Proven) -> Changes:
    """The answer tells another field than those that the request names."""
    for use in row.proof.uses:
        for call in use.calls:
            spec = row.toolbox[row.calls[call].name] if call in row.calls else None
            asked = fields_asked_for(spec, use.key) if spec is not None else frozenset()
            own = [one for one in row.proof.answers if one.call_id == call and one.pointer[1:] in asked]
            other = [field for field in (spec.returns or {}).get("properties", ()) if field not in asked] if own else []
            changed = row
            for claim in own:
                changed = with_claim(changed, claim, replace(claim, pointer=f"/{other[0]}"))
            if own and {one.pointer[1:] for one in row.proof.answers if one.call_id == call} != asked:
                yield Change(f"{sorted(asked)} as {other[0]}", changed)


def leave_one_of_several(row: Proven) -> Changes:
    """What the answer speaks of as several things is one."""
    for index in row.at(ToolMessage):
        call = row.talk.messages[index].tool_call_id
        for use in [use for use in row.proof.uses if use.key.startswith("answer: ") and call in use.calls]:
            slot = speaks_of_several(parse_template(use.key.removeprefix("answer: "), "result"))
            result = orjson.loads(row.text(index)) if slot else {}
            if isinstance(result.get(slot), list) and len(result[slot]) > 1:
                yield Change(use.key, with_result(row, index, {**result, slot: result[slot][:1]}))


def leave_a_line_out(row: Proven) -> Changes:
    """The last line is gone, with all that is claimed of it, and nobody says that something is left out."""
    for tell in row.proof.tells:
        text = row.text(tell.message)[tell.start : tell.end]
        if tell.how == "listed" and text.partition(":\n")[2].count("\n") > 2 and "\n\n" not in text.partition(":\n")[2]:
            at = tell.start + text.rindex("\n")
            gone = [one for one in row.proof.answers if one.message == tell.message and at <= one.start < tell.end]
            without = row
            for claim in gone:
                without = with_claim(without, claim)
            yield Change(text[text.rindex("\n") :], spliced(without, tell.message, at, tell.end - at, ""))


def miscount_what_is_left_out(row: Proven) -> Changes:
    for tell in row.proof.tells:
        text = row.text(tell.message)[tell.start : tell.end]
        rest = re.search(r"\d+(?= more)", text.rpartition("\n\n")[2]) if tell.how == "listed" else None
        if rest:
            at = tell.start + len(text) - len(text.rpartition("\n\n")[2]) + rest.start()
            yield Change(rest[0], spliced(row, tell.message, at, len(rest[0]), str(int(rest[0]) + 1)))


def rename_a_field(row: Proven) -> Changes:
    """A heading of a table, or the name before a value, is another word."""
    for tell in row.proof.tells:
        text = row.text(tell.message)[tell.start : tell.end]
        names = r"(?<=\| )[A-Z][\w ]*?(?= \|)" if tell.how == "listed" else r"(?<=\n- )[A-Z][\w ]*?(?=:)"
        name = re.search(names, text) if tell.how in ("listed", "detailed") else None
        if name:
            yield Change(name[0], spliced(row, tell.message, tell.start + name.start(), len(name[0]), "Colour"))


def miscount_all_together(row: Proven) -> Changes:
    """A sum, or how many of the elements there are with something, is another number."""
    for tell in row.proof.tells:
        text = row.text(tell.message)[tell.start : tell.end]
        number = re.search(r"\d(?=\D*$)|\b[Oo]ne\b|\b[Tt]wo\b|\b[Tt]hree\b", text) if tell.how == "tallied" else None
        if number:
            other = (
                str((int(number[0]) + 1) % 10) if number[0].isdigit() else "Nine" if number[0][0].isupper() else "nine"
            )
            yield Change(text, spliced(row, tell.message, tell.start + number.start(), len(number[0]), other))
