"""What people would not say: IDs without a noun, and yes or no where a state is meant."""

from collections.abc import Collection, Iterator, Sequence

from generator.pointers import schema_at
from generator.run.authoring.bench import Bench, Judged
from generator.run.authoring.elements import Element, Identity, pieces_of
from generator.run.authoring.ids import unnamed_ids
from generator.templates import Slot, parse_template
from generator.toolbox import ToolSpec


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
    wrong = {element: why for element, why in (*unnamed_ids(judged.spec, own), *_yes_and_no(judged.spec, own))}
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
