"""What people would not say: IDs without a noun, yes or no where a state is meant, nothing in a list, words twice."""

import re
from collections.abc import Collection, Iterator, Sequence

from generator.core.pointers import schema_at
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import ToolSpec
from generator.run.authoring.bench import Bench, Judged
from generator.run.authoring.elements import Element, Identity, pieces_of
from generator.run.authoring.tidying.ids import unnamed_ids
from generator.run.authoring.tidying.sayable import told_as_json
from generator.run.authoring.writer.values import texts_looked_through


def without_what_people_do_not_say(
    bench: Bench, declared: ToolSpec, judged: Judged, accepted: Collection[Identity] = ()
) -> Judged:
    """Return what is usable of a tool without phrases that nobody would say, with the reasons.

    Args:
        bench: The source.
        declared: The tool, with its entities.
        judged: What is usable so far.
        accepted: Elements that a person has accepted.
    """
    own = [one for one in judged.kept if one.identity not in accepted]
    found = (
        check(judged.spec, own) for check in (unnamed_ids, _yes_and_no, _nothing, _as_json, _said_twice, _found_nowhere)
    )
    wrong = {element: why for faults in found for element, why in faults}
    if not wrong:
        return judged
    kept = tuple(one for one in judged.kept if one not in wrong)
    spec, _ = bench.read(declared, pieces_of(kept))
    return Judged(spec=spec, kept=kept, dropped=(*judged.dropped, *wrong.items()), gaps=judged.gaps)


def _yes_and_no(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield sentences about a result that say a field of yes or no for which there are no words."""
    for element in elements:
        if element.piece[:2] not in (("phrases", "answer"), ("phrases", "each")):
            continue
        around = f"{element.piece[2]}/*/" if element.piece[1] == "each" else ""
        for part in parse_template(element.text, "result").segments:
            if not isinstance(part, Slot) or part.of != "result" or part.verbalizer:
                continue
            place = around + part.slot
            leaf = schema_at(spec.returns, place)
            name = place.rpartition("/")[2]
            known = {known.rpartition("/")[2] for known in spec.phrases.synonyms}
            if isinstance(leaf, dict) and leaf.get("type") == "boolean" and name not in known:
                yield element, _WORDS.format(name=name)
                break


_WORDS = (
    '{{{name}}} is yes or no: "synonyms": {{"{name}": {{"true": ["…"], "false": ["…"]}}}} says it in words, as in "archived" and '
    '"still active"'
)


def _nothing(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield ways to say one element of a list that say a field which may hold nothing: "(due null)".

    Where they are added to one that always can be said, that one stands in for them.
    """
    own = {element.text for element in elements}
    for element in elements:
        if element.piece[:2] != ("phrases", "each"):
            continue
        listed = element.piece[2]
        there = [text for text in spec.phrases.each.get(listed, ()) if text not in own]
        empty = next(_may_be_null(spec, listed, element.text), "")
        if empty and not any(not [*_may_be_null(spec, listed, text)] for text in there):
            yield element, f"{empty} may be null, which nobody says: say each element without it"


def _may_be_null(spec: ToolSpec, listed: str, text: str) -> Iterator[str]:
    """Yield the fields that a way to say one element says and that may hold nothing."""
    for part in parse_template(text, "result").segments:
        leaf = schema_at(spec.returns, f"{listed}/*/{part.slot}") if isinstance(part, Slot) else None
        types = leaf.get("type", ()) if isinstance(leaf, dict) else ()
        if isinstance(part, Slot) and "null" in (types if isinstance(types, list) else [types]):
            yield part.slot


def _as_json(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield sentences about a result that would tell a value as JSON."""
    told = dict(told_as_json(spec))
    for element in elements:
        if element.piece[:2] in (("phrases", "answer"), ("phrases", "each")) and element.text in told:
            yield element, told[element.text]


def _said_twice(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield requests that end with the noun that a frame names again: "who is on the board" beside "of the board {board_id}"."""
    frames = [one for one in elements if one.piece[:2] == ("phrases", "slots") and len(one.piece) > _NAMED]
    nouns = [(one, one.piece[_NAMED], _words(one.text.partition("{")[0])[-1:]) for one in frames]
    for key in ("request", "question", "want"):
        heads = [one for one in elements if one.piece == ("phrases", key)]
        wrong = {}
        for head in heads:
            last = _words(head.text)[-1:] if not head.text.endswith("}") else []
            for frame, slot, noun in nouns if len("".join(last)) > _SHORT else ():
                if noun == last and "{" + slot not in head.text:
                    wrong[head] = f"with {frame.text!r} behind it, it names the same twice"
        if key != "request" or len(wrong) < len(heads):
            yield from wrong.items()


_SHORT = 2
_NAMED = 2


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'{}:-]+", text.lower())


def _found_nowhere(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield values of arguments whose words are looked for in texts that stand in none of these texts."""
    texts = {name: " ".join(map(str, values)).lower() for name, values in texts_looked_through(spec).items() if values}
    for element in elements:
        name = element.piece[-1]
        value = element.value if element.piece[0] == "examples" and name in texts else None
        if isinstance(value, str) and not any(part in texts[name] for part in value.lower().split()):
            yield element, "no example of what is looked through has it"
