"""What a tool acts on, in words: "the comments on pull request {pull_number}", with slots for the arguments that name things."""

import re
from collections.abc import Sequence

import msgspec

from generator.core.toolbox import ToolSpec
from generator.tools.describing.lexicon import is_plural, plural_of, singular_of, word_lists
from generator.tools.describing.reading import ArgumentLeaf, Server, entity_of, is_id
from generator.tools.productions import coordinates_in

_DETERMINED = re.compile(r"^(?:a|an|the|all|any|every|each|your|my|some|several|multiple|this|that|its|up|which)\b")


class Placed(msgspec.Struct, frozen=True):
    """A phrase with slots."""

    text: str
    slots: tuple[str, ...] = ()
    """The arguments that it says."""
    nouns: tuple[tuple[str, str, str], ...] = ()
    """(noun, phrase, bare value) of the arguments put in: `("issue", "issue {issue_key}", "{issue_key}")`."""

    @property
    def standing(self) -> list[tuple[str, str, str]]:
        """Return the nouns whose phrases stand in the text, in its order: what was put in may have been shortened since."""
        return sorted(
            [named for named in self.nouns if named[1] in self.text], key=lambda named: self.text.index(named[1])
        )


class NamingArgument(msgspec.Struct, frozen=True, kw_only=True):
    """An argument, or two that are said together, that names the thing a noun stands for."""

    noun: str
    slots: tuple[str, ...]
    value: str
    """`{issue_key}`, `{owner}/{repo}`."""
    is_id: bool
    many: bool
    """Whether it is a list."""
    is_list: bool = False
    """Whether its values are counted: "issue ENG-1", "issues ENG-1 and ENG-2"."""
    is_things: bool = False
    """Whether it is a list of objects: the tool may make them."""

    @property
    def phrase(self) -> str:
        """Return the value, with the noun before it where it is an identifier."""
        noun = without_part(self.noun)
        if self.is_list:
            noun = f"{{{self.slots[0]}#?{noun}|{_many(noun)}}}"
        elif self.many:
            noun = plural_of(noun)
        return f"{noun} {self.value}" if self.is_id and self.noun else self.value


def without_part(noun: str) -> str:
    """Return a noun without the word that tells which part it plays: "source page" is a page."""
    first, _, rest = noun.partition(" ")
    return rest if rest and first in word_lists()["parts_played"] else noun


def targets_of(
    leaves: Sequence[ArgumentLeaf], content: frozenset[str], places: Sequence[tuple[str, str]] = ()
) -> list[NamingArgument]:
    """Return the required arguments that name things.

    Args:
        leaves: The arguments.
        content: Slots that hold texts to be quoted.
        places: Slots of latitudes and longitudes.
    """
    by_name = {"_".join(leaf.name): leaf for leaf in leaves if leaf.required and "/" not in leaf.slot}
    needed = {leaf.slot for leaf in leaves if leaf.required}
    found = [_place(*slots) for slots in places if needed.issuperset(slots)]
    taken = {slot for place in found for slot in place.slots}
    for pair in word_lists()["pairs"]:
        parts = [by_name.get(name) for name in pair["slots"]]
        if all(part is not None and part.type in ("text", "number") for part in parts):
            slots = tuple(part.slot for part in parts if part is not None)
            value = pair["say"]
            for name, slot in zip(pair["slots"], slots, strict=True):
                value = value.replace("{" + name + "}", "{" + slot + "}")
            found.append(NamingArgument(noun=pair["noun"], slots=slots, value=value, is_id=False, many=False))
            taken.update(slots)
    for leaf in by_name.values():
        is_index = leaf.name[-1] == "index" and len(leaf.name) > 1
        amount = leaf.type == "number" and not is_index and not is_id(leaf)
        if leaf.slot in taken or leaf.slot in content or leaf.type in ("boolean", "object") or amount:
            continue
        found.append(
            NamingArgument(
                noun=entity_of(leaf),
                slots=(leaf.slot,),
                value="{" + leaf.slot + "}",
                is_id=is_id(leaf) or is_index or leaf.type == "things",
                is_list=leaf.type in ("list", "things") and entity_of(leaf).replace(" ", "").isalpha(),
                is_things=leaf.type == "things",
                many=leaf.type in ("list", "things") or is_plural(leaf.name[-1]) or leaf.name[-1] == "ids",
            )
        )
    return found


def plain_coordinates(spec: ToolSpec) -> list[tuple[str, str]]:
    """Return the slots of the latitude and longitude of the place that a tool is about, of whose part in it their names say nothing."""
    return [(latitude, longitude) for latitude, longitude, about in coordinates_in(spec.tool.parameters) if not about]


def _place(latitude: str, longitude: str) -> NamingArgument:
    return NamingArgument(
        noun="coordinate",
        slots=(latitude, longitude),
        value=f"{{{latitude}, {longitude}:place}}",
        is_id=False,
        many=False,
    )


def put_in(text: str, targets: Sequence[NamingArgument], server: Server, made: str = "") -> Placed:
    """Put arguments into a phrase in place of the nouns that they name.

    Args:
        text: "comments on a pull request".
        targets: The arguments that name things.
        server: The products whose names stand before nouns.
        made: The noun of what the tool makes, which is no argument's where it stands first.
    """
    slots: list[str] = []
    nouns: list[tuple[str, str, str]] = []
    prepositions = "|".join(map(re.escape, word_lists()["prepositions"]))
    determiners = "|".join(word_lists()["determiners"])
    for target in targets:
        if not target.noun:
            continue
        alike = word_lists()["alike"].get(target.noun, ())
        forms = sorted(
            {
                target.noun,
                without_part(target.noun),
                _many(target.noun),
                target.noun.split(" ")[-1],
                *alike,
                *map(_many, alike),
            },
            key=len,
            reverse=True,
        )
        noun = "|".join(re.escape(form) for form in forms)
        pattern = re.compile(
            rf"(?<![\w{{}}/])(?:(?:an?|two|different) (?:(?!(?:{prepositions}|new)\b)\w[\w-]* ){{0,2}}?)?"
            rf"(?:(?:{determiners}|{'|'.join(map(re.escape, sorted(server.products))) or 'the'}|new) )*"
            rf"(?:{noun})(?= (?:{prepositions})\b|$)",
            re.IGNORECASE,
        )
        for match in pattern.finditer(text):
            if (
                match.start() == 0
                and made
                and not target.is_things
                and singular_of(match[0].lower().split(" ")[-1]) == made
            ):
                continue
            before = re.sub(r"^an? (?:new )?", "", text[: match.start()]) if target.is_things else text[: match.start()]
            text = before + target.phrase + text[match.end() :]
            slots += target.slots
            if len(target.slots) == 1:
                nouns.append((target.noun, target.phrase, target.value))
            break
    for target in targets:  # as "repository pull requests", where the repository is said
        if target.noun and text.startswith(f"{target.noun} ") and not set(target.slots) & set(slots):
            text = text.removeprefix(f"{target.noun} ")
    text = _OTHERWISE.sub("", _PLACELESS.sub("", text))
    text = _SEVERAL.sub("", text).removesuffix(" at once") if "#?" in text else text
    return Placed(_UNDETERMINED.sub("", text), tuple(slots), tuple(nouns))


_SEVERAL = re.compile(r"\b(?:multiple|several|many) (?:[a-z]+ )?(?=\{\w+#\?)")
"""Words for several before things that are counted: "multiple calendar {events#?event|events}"."""
_OTHERWISE = re.compile(r"(?<=\}) or (?:the |an? )?[a-z]+(?= (?:of|in|from|for|on|to|with|by)\b|$)")
"""An alternative to the thing that an argument names: "in {workspace} or team"."""
_UNDETERMINED = re.compile(r"^(?:text|media|raw|binary|single|whole) (?=\{)")
"""A word before a noun that is dropped when the noun's value takes its place: "text {path}"."""
_PLACELESS = re.compile(r" (?:of|in|from|for|on|within) an? (?:[a-z]+ )?[a-z]+(?= (?:of|in|from|for|on|to)\b|$)")
"""A phrase about a thing that no argument names: "of a branch"."""


def _many(noun: str) -> str:
    *first, last = noun.split(" ")
    return " ".join([*first, plural_of(last)])


def determined(text: str) -> str:
    """Return the phrase with an article where it begins with none: "the details of …"."""
    if _DETERMINED.match(text) or text.startswith("{"):
        return text
    head = text.split(" {")[0]
    if " {" in text and len(head.split()) <= 2 and not re.search(r"\b(?:of|for|on|in|to|from|at|with)\b", head):
        return text  # "issue {issue_key}", "pull request {number}"
    return f"the {text}"


def from_name(name: Sequence[str], targets: Sequence[NamingArgument], *, creates: bool) -> Placed:
    """Return the phrase that the words of a name give: `issue watchers` is "the watchers of issue {issue_key}"."""
    text = " ".join(name)
    for target in targets:
        parts = target.noun.split() if target.noun else []
        size = len(parts)
        own = [singular_of(word) for word in name[:size]]
        if not parts or own != parts or creates:
            continue
        rest = list(name[size:])
        if not rest:
            return Placed(target.phrase, target.slots, ((target.noun, target.phrase, target.value),))
        if rest[0] not in word_lists()["prepositions"]:
            text = f"{' '.join(rest)} of {target.phrase}"
            return Placed(determined(_lettered(text)), target.slots, ((target.noun, target.phrase, target.value),))
    text = _lettered(text)
    if creates and text:
        first = text.split(" ")[0]
        article = (
            "" if is_plural(text.split(" ")[-1]) or _DETERMINED.match(text) else "an " if first[0] in "aeio" else "a "
        )
        return Placed(article + text)
    return Placed(text)


def _lettered(text: str) -> str:
    letters = word_lists()["letters"]
    return " ".join(letters.get(word, word) for word in text.split())
