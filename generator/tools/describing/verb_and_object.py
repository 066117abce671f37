"""What a tool does and to what, by its name, its description's first sentence and its annotations."""

from generator.core.toolbox import ToolSpec, name_as_words
from generator.tools.describing.lexicon import READING, Verb, is_plural, verbs, word_lists
from generator.tools.describing.operations import name_of_operation, place_in_path
from generator.tools.describing.reading import NameReading, Server
from generator.tools.describing.sentences import first_sentence, split_sentence, without_other_time


def read_tool(spec: ToolSpec, server: Server) -> NameReading:
    """Return a tool's verb, its effect and what it is about."""
    sentence = first_sentence(spec.tool.description or "")
    of_sentence, rest = split_sentence(sentence)
    rest = without_other_time(rest) if _takes_time(spec) else rest
    name = name_of_operation(spec.origin) or tuple(name_as_words(spec.name).split())
    while len(name) > 1 and name[0] in server.prefixes:
        name = name[1:]
    if len(name) > 1 and name[0] in ("batch", "bulk") and name[1] in verbs():
        name = (name[1], "several", *name[2:])
    of_name = verbs().get(name[0]) if name else None
    if (
        of_sentence is not None
        and len(name) > 1
        and of_sentence.word in (name[0], name[-1])
        and of_sentence.word not in verbs()
    ):
        name = name[1:] if name[0] == of_sentence.word else _noun_of_path(spec) or name[:-1]
        of_name = None
    name = name if of_name is None else _after_verb(name[1:])
    if of_name is not None and of_sentence is not None and not _agree(of_name, of_sentence):
        reads = spec.origin.annotations.get("readOnlyHint") is True
        if (reads and of_sentence.effect in READING) or of_name.word in ("post", "patch", "run"):
            of_name = None  # "log" of `git_log` is no verb, nor are the methods of HTTP requests
        elif name:
            of_sentence, rest = None, ""
    of_name, of_sentence, rest = _searching(name, of_name, of_sentence, rest)
    verb = of_name or of_sentence or verbs()["run"]
    return NameReading(
        verb=verb,
        effect=_effect(spec, verb.effect),
        sentence=rest if of_sentence is not None else "",
        says=of_sentence,
        is_named=of_name is not None,
        description=spec.tool.description or "",
        name=name,
    )


def _noun_of_path(spec: ToolSpec) -> tuple[str, ...]:
    """Return the noun of what the last parameter of an address identifies: `POST /kernels/{id}/interrupt` is about a kernel."""
    named = [place for slot in spec.properties if (place := place_in_path(spec.origin, slot))]
    return tuple(named[-1].split()) if named else ()


def _takes_time(spec: ToolSpec) -> bool:
    """Whether an argument says a day or a time."""
    said = {word for slot in spec.properties for word in name_as_words(slot).split()}
    return not said.isdisjoint(word_lists()["times"])


def _agree(left: Verb, right: Verb) -> bool:
    return left.effect == right.effect or (left.effect in READING and right.effect in READING)


def _effect(spec: ToolSpec, effect: str) -> str:
    """Return the effect that annotations and verb tell; annotations come first."""
    reads = spec.origin.annotations.get("readOnlyHint")
    if reads is True and effect not in READING:
        effect = "read"
    elif spec.origin.http.get("method", "").lower() == "get" and effect not in READING:
        effect = "get"
    return effect


def _searching(
    name: tuple[str, ...], of_name: Verb | None, of_sentence: Verb | None, rest: str
) -> tuple[Verb | None, Verb | None, str]:
    """Return the verbs, and what the sentence says after its own, of a tool that "performs a web search" as of one that searches."""
    if of_name is None and name[-1:] == ("search",) and (of_sentence is None or of_sentence.effect not in READING):
        return verbs()["search"], None, ""
    return of_name, of_sentence, rest


def _after_verb(name: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name after its verb without a second verb, an article, or a "list" of what stands in the plural."""
    if len(name) > 1 and name[0] in ("or", "and"):
        name = name[2:]
    name = name[1:] if len(name) > 1 and name[0] in ("a", "an", "the") else name
    return name[:-1] if len(name) > 1 and name[-1] == "list" and is_plural(name[-2]) else name
