"""The source of the function that says one phrase, built piece by piece.

A row says a dozen phrases with two or three values each, and most of what that costs is calls of small functions and
lists of small parts. So every phrase gets one function of its own, as source, which counts where its values stand.
The request "book {table} for {guests} {guests?person|people}" becomes (with the numbers of the names in order)

    def say(values, whose, draw, voice, start, spans, w1, w2, leaf6, w7, w8, k10, ...):
     v3 = values[w1]                             # 'table'
     t4 = LITERALS[v3] if type(v3) is str else None    # the usual verbalizer's `quick`, here that of 'literal'
     n5 = w7                                     # 'literal'
     if t4 is None: t4, n5 = leaf6(v3, draw, voice)
     s9 = start + k10                            # len('book ')
     e11 = s9 + len(t4)
     v14 = values[w12]                           # 'guests'
     t15, n16 = leaf17(v14, draw, voice)
     s19 = e11 + k20
     e21 = s19 + len(t15)
     p22 = w23 if v14 in ONE else w24            # 'person', 'people'
     ...
     spans += (s9, e11, n5, w2, whose), (s19, e21, n16, w13, whose)
     return f'{w8}{t4}{w18}{t15}{w25}{p22}'

Nothing of a spec becomes source: what differs from phrase to phrase are defaults of parameters. So phrases that are
built alike (there are a few hundred ways) share their code. That saves time when it is compiled and more when it runs:
there are thousands of phrases, and code that is seldom run is never in the processor's caches.
"""

from collections.abc import Callable
from functools import lru_cache
from sys import intern
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from generator.kinds.units import says_unit
from generator.templates import Plural, Root, Segment, Slot
from generator.wording.phrases.slots import SlotWording, Wordings
from generator.wording.phrases.value_wording import (
    SayList,
    SayValue,
    Several,
    Speaker,
    ValueWording,
    compile_leaf,
    compile_one,
    or_several,
)
from generator.wording.pieces import WORDY, capital, changing_letters, fit_list, fit_words
from generator.wording.verbalizers import LITERALS, VERBALIZERS

CompileList = Callable[[SlotWording, Wordings, SayValue, Root, Speaker, bool], SayList]
_GLOBALS = {
    "ONE": (1, 1.0),
    "WORDY": WORDY,
    "EMPTY": [],
    "fit": fit_words,
    "fit_list": fit_list,
    "capital": capital,
    "say_count": VERBALIZERS["count"].say,
    "Several": Several,
    "LITERALS": LITERALS,
}


class SlotCode(NamedTuple):
    """Where a value is and how it is said; the first three fields are Python expressions."""

    value: str
    pointer: str
    whose: str
    wording: SlotWording | None
    scope: Wordings
    """The wordings of the other slots of the same root."""
    of: Root


class Function:
    """A function whose source is being built.

    Args:
        parameters: As source; `draw` and `voice` are among them.
        speaker: Who says it.
        compile_list: Makes the functions that say lists.
        start: Where the text starts: an expression.
        capital: Whether the text begins with a capital.
    """

    def __init__(
        self, parameters: str, speaker: Speaker, compile_list: CompileList, start: str = "", capital: bool = False
    ) -> None:
        self._parameters = parameters
        self._speaker: Speaker = speaker
        self._compile_list = compile_list
        self._lines: list[str] = []
        self._kept: dict[str, Any] = {}
        self._words: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._numbers = 0
        self._text: list[str] = []
        self._before: str | None = ""
        """The text that stands before the next segment and has no place yet; None when it has a name."""
        self._before_name = ""
        self._at = start
        self._further = 0
        """The next segment starts so many letters after `_at`."""
        self._spans: list[str] = []
        self._has_lists = bool(start)
        self._capital = capital
        self._capital_later = False

    def add(self, *lines: str) -> None:
        """Add statements."""
        self._lines += lines

    def keep(self, stem: str, value: Any) -> str:
        """Return a name for a value that does not depend on the call."""
        name = self._name(stem)
        self._kept[name] = value
        return name

    def word(self, text: str) -> str:
        """Return a name for a text: the same name for the same text in all functions."""
        name = self._words.get(text)
        if name is None:
            self._words[text] = name = self.keep("w", intern(text))
        return name

    def once(self, expression: str) -> str:
        """Return a name for the value of an expression, which is evaluated once."""
        name = expression if expression.isidentifier() else self._values.get(expression)
        if name is None:
            self._values[expression] = name = self._name("v")
            self.add(f"{name} = {expression}")
        return name

    def _name(self, stem: str) -> str:
        self._numbers += 1
        return f"{stem}{self._numbers}"

    def phrase(self, segments: tuple[Segment, ...], place_of: Callable[[str, Root], SlotCode]) -> None:
        """Add the statements that say all segments; `place_of` takes a slot and its root."""
        for index, segment in enumerate(segments):
            capital = self._capital and not index
            if isinstance(segment, str):
                self._settle()
                self._before = segment[:1].upper() + segment[1:] if capital else segment
                continue
            place = place_of(segment.slot, segment.of)
            value = self.once(place.value)
            if isinstance(segment, Plural):
                self._plural(segment, value, capital)
            elif segment.count:
                self._counted(place, value)
            else:
                alone = _stands_alone(segments, index)
                self._value(segment, place, value, alone, alone and is_free(segments, index), capital)
        self._settle()

    def _plural(self, segment: Plural, value: str, capital: bool) -> None:
        self._settle()
        one, many = (words[:1].upper() + words[1:] if capital else words for words in (segment.one, segment.many))
        size = f"len({value})" if segment.count else value
        name = self._name("p")
        self.add(f"{name} = {self.word(one)} if {size} in ONE else {self.word(many)}")
        self._before, self._before_name = None, name

    def _counted(self, place: SlotCode, value: str) -> None:
        text = self._name("t")
        self.add(f"{text} = say_count(len({value}), voice) or str(len({value}))")
        self._said(text, "'count'", place._replace(whose="told" if place.whose == "given" else place.whose), ("count",))

    def _value(self, segment: Slot, place: SlotCode, value: str, alone: bool, free: bool, capital: bool) -> None:
        wording, speaker = place.wording, self._speaker
        leaf = compile_leaf(wording, place.of, speaker, segment.verbalizer, alone, free)
        if wording is not None and wording.shape in {"list", "objects"}:
            self._list(wording, place, value, leaf.say, free)
            self._capital_later = capital  # known only once it is known what the list begins with
            return
        if wording is not None and wording.varies and speaker == "user":
            self._one_or_several(place, value, leaf)
            return
        text, verbalizer = self._name("t"), self._name("n")
        self.add(*self._leaf(leaf, value, text, verbalizer))
        if capital:
            self.add(f"if {verbalizer} in WORDY: {text} = {text}[:1].upper() + {text}[1:]")
        self._said(text, verbalizer, place, leaf.names)

    def _leaf(self, leaf: ValueWording, value: str, text: str, verbalizer: str) -> list[str]:
        """Return the statements that say a value; the usual verbalizer is called directly, without a function between."""
        say = f"{text}, {verbalizer} = {self.keep('leaf', leaf.say)}({value}, draw, voice)"
        if leaf.usual is not None:
            verbalizer_of = VERBALIZERS[leaf.usual]
            say_usual = self.keep("say", verbalizer_of.say) if "{say}" in verbalizer_of.quick else ""
            usual = verbalizer_of.quick.format(value=value, say=say_usual)
        elif leaf.forms:
            usual = f"{self.keep('form', leaf.forms.get)}({value}) if type({value}) is str else None"
        else:
            return [say]
        name = self.word(leaf.usual or "enum")
        return [f"{text} = {usual}", f"{verbalizer} = {name}", f"if {text} is None: {say}"]

    def _one_or_several(self, place: SlotCode, value: str, leaf: ValueWording) -> None:
        """Add a value that may be `Several`."""
        letters = self._changing_letters(leaf.names)
        changes = letters is not None
        before = self._fitted() if changes else ""
        if not changes:
            self._settle()
        self._flush_spans()
        text, verbalizer, at = self._name("t"), self._name("n"), self._name("s")
        start = " + ".join([self._start(), *([f"len({before})"] if changes else [])])
        several = self.keep("list", or_several(compile_one(leaf.say)))
        said = f"({value}, {place.pointer}, {place.whose}, draw, voice, {start}, spans)"
        self.add(f"if type({value}) is Several:", *(["    place = len(spans)"] if changes else []))
        self.add(f"    {text} = {several}{said}")
        if changes:
            self.add(f"    {before}, {text} = fit_list({before}, {text}, spans, place)")
        self.add("else:", *["    " + line for line in self._leaf(leaf, value, text, verbalizer)])
        if letters is not None:
            self.add("    " + self._fit(letters, before, text, verbalizer))
        self.add(f"    {at} = {start}")
        self.add(f"    spans.append(({at}, {at} + len({text}), {verbalizer}, {place.pointer}, {place.whose}))")
        if changes:
            self._settle()
        self._move(text)

    def _said(self, text: str, verbalizer: str, place: SlotCode, names: tuple[str, ...]) -> None:
        """Add a value whose words already have a variable."""
        letters = self._changing_letters(names)
        if letters is not None:
            self.add(self._fit(letters, self._fitted(), text, verbalizer))
        self._settle()
        start = self._settled_start()
        self._move(text)
        self._spans.append(f"({start}, {self._at}, {verbalizer}, {place.pointer}, {place.whose})")

    def _list(self, wording: SlotWording, place: SlotCode, value: str, say: SayValue, free: bool) -> None:
        """Add a value that may be said in several pieces, such as a list."""
        changes = self._changing_letters(("datetime",)) is not None
        before = self._fitted() if changes else ""
        if not changes:
            self._settle()
        self._flush_spans()
        text = self._name("t")
        start = " + ".join([self._start(), *([f"len({before})"] if changes else [])])
        function = self.keep("list", self._compile_list(wording, place.scope, say, place.of, self._speaker, free))
        if changes:
            self.add("place = len(spans)")
        self.add(f"{text} = {function}({value}, {place.pointer}, {place.whose}, draw, voice, {start}, spans)")
        if changes:
            self.add(f"{before}, {text} = fit_list({before}, {text}, spans, place)")
            self._settle()
        self._move(text)

    def _changing_letters(self, names: tuple[str, ...]) -> str | None:
        """Return the first letters of values that, said by these verbalizers, change the words before them; see `changing_letters`."""
        return "" if self._before is None else changing_letters(self._before, names)

    def _fit(self, letters: str, before: str, text: str, verbalizer: str) -> str:
        """Return the statement that fits a value to the words before it; it is skipped for first letters that change nothing."""
        condition = f"if {text}[:1] in {self.word(letters)}: " if letters else ""
        return f"{condition}{before}, {text} = fit({before}, {text}, {verbalizer})"

    def _fitted(self) -> str:
        """Return the variable that holds the words before a value, which the value may change."""
        if self._before is not None:
            self._before_name = self._name("b")
            self.add(f"{self._before_name} = {self.word(self._before)}")
            self._before = None
        return self._before_name

    def _start(self) -> str:
        """Return the expression for where the next segment starts."""
        further = self.keep("k", self._further) if self._further else ""
        return " + ".join([part for part in (self._at, further) if part]) or "0"

    def _settled_start(self) -> str:
        """Return the variable (or 0) for where the next segment starts."""
        start = self._start()
        if self._further:
            self._at, self._further = self._name("s"), 0
            self.add(f"{self._at} = {start}")
        return self._at or "0"

    def _settle(self) -> None:
        """Add the words before the next segment to the text; from here on no value can change them."""
        before, self._before = self._before, ""
        if before is None:
            self._move(self._before_name)
        elif before:
            self._text.append(f"{{{self.word(before)}}}")
            self._further += len(before)

    def _move(self, text: str) -> None:
        """Add a text that has a variable, and move the end behind it."""
        end = self._name("e")
        self.add(f"{end} = {self._start()} + len({text})")
        self._text.append(f"{{{text}}}")
        self._at, self._further = end, 0

    def _flush_spans(self) -> None:
        if not self._has_lists:
            self._has_lists = True
            self.add("spans = []")
        if self._spans:
            self.add(
                f"spans.append({self._spans[0]})" if len(self._spans) == 1 else f"spans += {', '.join(self._spans)}"
            )
            self._spans = []

    def finish(self, returns: str) -> Callable[..., Any]:
        """Return the finished function; `returns` may hold `{text}` and `{spans}`."""
        if self._has_lists:
            self._flush_spans()
        spans = "spans" if self._has_lists else f"[{', '.join(self._spans)}]"
        value = returns.format(text=f"f'{''.join(self._text)}'", spans=spans)
        return self._function([*self._lines, f"return {f'capital({value})' if self._capital_later else value}"])

    def finish_loop(self) -> Callable[..., Any]:
        """Return the function that says several `elements` of a list, each at its `pointer`, and what comes `after` each."""
        self._flush_spans()
        loop = [
            "pointer = f'{whole}/{number}'",
            *self._lines,
            "then = after[number]",
            f"text += f'{''.join(self._text)}{{then}}'",
            f"start = {self._start()} + len(then)",
        ]
        lines = [
            "text = ''",
            "for number, element in enumerate(elements, first):",
            *[f"    {line}" for line in loop],
        ]
        return self._function([*lines, "return text"])

    def _function(self, lines: list[str]) -> Callable[..., Any]:
        parameters = ", ".join([self._parameters, *self._kept])
        code = _compiled("\n ".join([f"def say({parameters}):", *lines]))
        return FunctionType(code, _GLOBALS, "say", tuple(self._kept.values()))


@lru_cache(maxsize=4096)
def _compiled(source: str) -> CodeType:
    """Return the code of a function; phrases that are built alike share it."""
    (code,) = [const for const in compile(source, "<phrase>", "exec").co_consts if isinstance(const, CodeType)]
    return code


def _stands_alone(segments: tuple[Segment, ...], index: int) -> bool:
    """Whether words stand on both sides of a value, so that a number may be a word too ("$two" may not)."""
    before = segments[index - 1] if index else " "
    after = segments[index + 1] if index + 1 < len(segments) else " "
    return (
        isinstance(before, str)
        and before.endswith(" ")
        and isinstance(after, str)
        and after[:1] in " ,.;:?!"
        and after[:3] != " x "
    )


_GOES_ON = frozenset(
    (
        "about",
        "after",
        "and",
        "as",
        "at",
        "before",
        "but",
        "by",
        "called",
        "for",
        "from",
        "if",
        "in",
        "into",
        "named",
        "of",
        "on",
    )
) | {
    "or",
    "per",
    "saying",
    "so",
    "starting",
    "that",
    "then",
    "there",
    "through",
    "to",
    "under",
    "until",
    "up",
    "using",
    "when",
}
_GOES_ON |= {"where", "which", "while", "with", "within", "without"}
"""Words that may follow any value: what comes then does not belong to it."""


def is_free(segments: tuple[Segment, ...], index: int) -> bool:
    """Whether nothing that stands beside a value belongs to it, such as a unit before or behind it, or an article."""
    before = segments[index - 1] if index else ""
    after = segments[index + 1] if index + 1 < len(segments) else ""
    if not (isinstance(before, str) and isinstance(after, str)):
        return False
    last = before.lower().split()[-1:]
    if says_unit(before) or last in (["a"], ["an"], ["the"], ["no."]):
        return False
    return after[:1] in (".", ",", ";", ":", "?", "!", "") or not _GOES_ON.isdisjoint(after.split()[:1])
