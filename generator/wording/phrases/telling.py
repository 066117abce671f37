"""Sentences about results: each is a function that words a result, or returns None when the result lacks a value for it."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from generator.pointers import resolve
from generator.productions import key_of
from generator.seeds import Draw
from generator.templates import Root, Template
from generator.wording.phrases.code import Function, SlotCode
from generator.wording.phrases.lists import compile_list
from generator.wording.phrases.slots import Wordings
from generator.wording.pieces import Form, Phrase
from generator.wording.voice import Voice

SayResult = Callable[[Any, dict[str, Any], str, Draw, Voice], Phrase | None]
"""(result, arguments, call id, draw, voice) → the sentence; None when the result lacks a value for it."""

Condition = tuple[tuple[str, Any], ...]
"""Slots of a result, or of the call's arguments (`args.city`), each with a value."""
OF_CALL = "args."


class AnswerSentence(Form):
    """A sentence about a result; its function is compiled at its first use."""

    __slots__ = ("made_of", "names", "repeated", "tell")

    def __init__(
        self,
        template: Template,
        when: Condition,
        results: Wordings,
        arguments: Wordings,
        elements: frozenset[str] = frozenset(),
        unless: Condition = (),
    ) -> None:
        super().__init__(key_of("answer", template.text), len(template.segments), template.slots)
        self.names = template.needs | template.arguments | {slot.removeprefix(OF_CALL) for slot, _ in when} | elements
        """Arguments it says, or whose namesakes in the result or in each of its elements it says or is only for."""
        self.repeated = elements
        """Those of them that are said of each element of a list."""
        self.made_of = template, when, results, arguments, unless
        self.tell: SayResult = self._first

    def _first(self, *told: Any) -> Phrase | None:
        self.tell = _written(self, *self.made_of)
        return self.tell(*told)


def compile_answers(
    answers: Sequence[tuple[Template, Condition]], results: Wordings, arguments: Wordings, optional: frozenset[str]
) -> tuple[AnswerSentence, ...]:
    """Return the sentences of a tool's templates, each with the condition on which it may be said.

    The only value of a field for which a tool has templates of its own, such as "not requested", is not said by those that are
    for any value.
    """
    special = list(
        {
            repr(when[0]): when[0] for _, when in answers if len(when) == 1 and not when[0][0].startswith(OF_CALL)
        }.values()
    )
    fields = [slot for slot, _ in special]
    found: list[AnswerSentence] = []
    for template, when in answers:
        said = template.needs - {slot for slot, _ in when}
        unless = tuple([one for one in special if one[0] in said and fields.count(one[0]) == 1])
        found += _compile(template, when, unless, results, arguments, optional)
    return tuple(found)


def _compile(
    template: Template,
    when: Condition,
    unless: Condition,
    results: Wordings,
    arguments: Wordings,
    optional: frozenset[str],
) -> tuple[AnswerSentence, ...]:
    """Return the sentences of one template.

    Where it says a list, there is one for each set of namesakes of `optional` arguments that phrases of the list's elements
    say, but none that says again what the template says: "2 emails from Ada King", not with "from Ada King" behind each. Where
    the template says no sender, each email is told with its own.
    """
    lists = [slot for slot in template.needs if slot in results and len(results[slot].elements) > 1]
    if len(lists) != 1:
        return (AnswerSentence(template, when, results, arguments, unless=unless),)
    wording = results[lists[0]]
    by_names: dict[frozenset[str], list[Template]] = {}
    for element in wording.elements:
        by_names.setdefault(element.needs & optional, []).append(element)
    said = template.needs | template.arguments
    by_names = {names: some for names, some in by_names.items() if names.isdisjoint(said)} or by_names
    by_names = {names: some for names, some in by_names.items() if not any(names < others for others in by_names)}
    return tuple(
        [
            AnswerSentence(
                template, when, {**results, lists[0]: replace(wording, preferred=tuple(some))}, arguments, names, unless
            )
            for names, some in by_names.items()
        ]
    )


def _written(
    form: Form, template: Template, when: Condition, results: Wordings, arguments: Wordings, unless: Condition
) -> SayResult:
    """Return the function of one sentence.

    For "{args.city} has {count} {count?shop|shops}" it begins

        def say(result, arguments, call, draw, voice, ...):
         if type(result) is not dict: return None
         v1 = result.get(w2)                     # 'count'
         if not v1 and (v1 is None or v1 == EMPTY): return None
         v3 = arguments.get(w4)                  # 'city'
         if not v3 and (v3 is None or v3 == EMPTY): return None
         told = call, 'result'
         given = call, 'arguments'

    and goes on as `code.py` shows.
    """
    function = Function("result, arguments, call, draw, voice", "assistant", compile_list, capital=True)
    is_object = any(_is_property(slot) for slot in template.needs)
    if is_object:
        function.add("if type(result) is not dict: return None")
    for slot, wanted, is_so in (*[(*one, "!=") for one in when], *[(*one, "==") for one in unless]):
        root: Root = "arguments" if slot.startswith(OF_CALL) else "result"
        is_known = root == "result" and is_object and _is_property(slot)
        found = (
            _fetched(function, slot, "result")
            if is_known
            else f"{function.keep('get', getter(slot.removeprefix(OF_CALL)))}({root})"
        )
        function.add(f"if {found} {is_so} {function.keep('wanted', wanted)}: return None")
    values = _fetch_all(function, template)
    function.add("told = call, 'result'")
    if template.arguments:
        function.add("given = call, 'arguments'")

    def place_of(slot: str, root: Root) -> SlotCode:
        wordings, whose = (results, "told") if root == "result" else (arguments, "given")
        pointer = "" if slot == "." else "/" + slot
        return SlotCode(values[slot, root], function.word(pointer), whose, wordings.get(slot), wordings, root)

    function.phrase(template.segments, place_of)
    return function.finish(f"({{text}}, {{spans}}, [(0, {function.keep('form', form)}, (call,))])")


def _fetch_all(function: Function, template: Template) -> dict[tuple[str, Root], str]:
    """Return the variables of all values that a phrase needs, and add the statements that fetch them and give up where one is missing."""
    places: list[tuple[str, Root]] = [(slot, "result") for slot in sorted(template.needs)]
    values: dict[tuple[str, Root], str] = {}
    for slot, root in (*places, *[(slot, "arguments") for slot in sorted(template.arguments)]):
        values[slot, root] = value = function.once(_fetched(function, slot, root))
        function.add(f"if not {value} and ({value} is None or {value} == EMPTY): return None")
    return values


def _fetched(function: Function, slot: str, root: Root) -> str:
    """Return the expression for the value of a slot; the root is known to be an object if the slot is one of its properties."""
    if slot == ".":
        return root
    return (
        f"{root}.get({function.word(slot)})" if _is_property(slot) else f"{function.keep('get', getter(slot))}({root})"
    )


def _is_property(slot: str) -> bool:
    return slot not in {"", "."} and "/" not in slot and "~" not in slot


def getter(slot: str) -> Callable[[Any], Any]:
    """Return the function that gets the value of a slot; it returns None where there is none."""
    if not slot or "/" in slot or "~" in slot or slot.isdecimal():
        return lambda source: _get(source, slot)
    return lambda source: source.get(slot) if type(source) is dict else None


def _get(source: Any, slot: str) -> Any:
    try:
        return resolve(source, slot)
    except LookupError:
        return None
