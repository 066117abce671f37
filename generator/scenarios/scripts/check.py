"""What is wrong with a script before its first row: names and arguments, then words that no slot, result or condition stands behind.

These are general: they know the tools, and the words of check.yaml. A fault of one wording takes that wording away, any other one
refuses the script. What they cannot see, false words without a value, a reader of two rows sees.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import orjson

from generator.core.documents import nearest
from generator.core.yaml_values import own_data
from generator.dialogue.proof.expressions import Expression
from generator.dialogue.proof.scripted import path_of
from generator.scenarios.scripts.script import TODAY, Let, Named, PlannedCall, Script, ScriptTurn
from generator.scenarios.scripts.text import (
    Meant,
    Text,
    constants_in_words,
    expressions_of,
    slots_with_words_before,
    slots_with_words_behind,
    words_of,
)
from generator.scenarios.scripts.worlds import ScriptTools

_BARE = {"least": "min", "most": "max"}
"""What chooses the end of a list of things → what chooses the end of a list of numbers."""
_SHORTEST_NAME = 4
"""Letters of a thing's name that is looked for in texts."""


class _Words(NamedTuple):
    """check.yaml, compiled."""

    values: re.Pattern[str]
    counts: re.Pattern[str]
    facts: re.Pattern[str]
    failed: re.Pattern[str]
    done: re.Pattern[str]
    superlatives: list[tuple[re.Pattern[str], str, str, bool]]
    sorts: dict[str, re.Pattern[str]]
    opposites: dict[str, str]
    switched: dict[str, str]
    directions: list[dict[str, list[str]]]
    units: dict[str, re.Pattern[str]]
    units_after: dict[str, list[str]]
    others_after: list[str]
    wants_yes: re.Pattern[str]
    differences: re.Pattern[str]


@cache
def _words() -> _Words:
    """Return the patterns and words of the check, compiled from `check.yaml`."""
    data: dict[str, Any] = own_data(__file__)

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    def both(pairs: list[list[str]]) -> dict[str, str]:
        return {word: opposite for pair in pairs for word, opposite in (pair, pair[::-1])}

    return _Words(
        compiled(data["values"]),
        compiled(data["counts"]),
        compiled(data["facts"]),
        compiled(data["failed"]),
        compiled(data["done"]),
        [
            (compiled(rf"\b(?:{word['words']})\b"), word["end"], word["sort"], word.get("asked", True))
            for word in data["superlatives"]
        ],
        {sort: compiled(pattern) for sort, pattern in data["sorts"].items()},
        both(data["opposites"]),
        both(data["switched"]),
        data["directions"],
        {way: compiled(pattern) for way, pattern in data["units"].items()},
        data["units_after"],
        data["others_after"],
        compiled(data["wants_yes"]),
        compiled(data["differences"]),
    )


class CheckedScript(msgspec.Struct, frozen=True):
    """A script without the wordings that are wrong."""

    script: Script | None
    """None: it is refused."""
    faults: tuple[str, ...]
    """What is wrong with it, or with the wordings that were left out."""


def checked(script: Script, tools: ScriptTools) -> CheckedScript:
    """Return a script as far as it is right."""
    tools = tools.within(script.domains)
    faults = [f"{script.where}: script {script.name!r}: {fault}" for fault in _faults_of_names(script, tools)]
    if faults:
        return CheckedScript(None, tuple(faults))
    check = _WordingCheck(script, tools)
    wrong = {text.where: list(dict.fromkeys(check.faults_of_wording(turn, text))) for turn, text in _texts(script)}
    lost = [f"{where}: {fault}" for where, found in wrong.items() for fault in found]
    kept, empty = without_wordings(script, {where for where, found in wrong.items() if found})
    faults = [f"{script.where}: script {script.name!r}: {fault}" for fault in check.faults_of_script()]
    return CheckedScript(None if empty or faults else kept, (*faults, *lost))


def without_wordings(script: Script, wrong: set[str]) -> tuple[Script, bool]:
    """Return a script without some wordings, by where they stand, and whether a turn has none left."""

    def kept(texts: tuple[Text, ...]) -> tuple[Text, ...]:
        return tuple([text for text in texts if text.where not in wrong])

    replace = msgspec.structs.replace
    turns = [replace(turn, user=kept(turn.user), say=kept(turn.say)) for turn in script.turns]
    changed = replace(script, system=kept(script.system), turns=tuple(turns))
    pairs = [
        (script.system, changed.system),
        *[(one.texts, other.texts) for one, other in zip(script.turns, turns, strict=True)],
    ]
    return changed, any(before and not after for before, after in pairs)


def _texts(script: Script) -> Iterator[tuple[ScriptTurn | None, Text]]:
    """Yield all wordings, each with its turn; None for the system message."""
    for text in script.system:
        yield None, text
    for turn in script.turns:
        for text in turn.texts:
            yield turn, text


# -- names ---------------------------------------------------------------------------------------------------------------


def _faults_of_names(script: Script, tools: ScriptTools) -> Iterator[str]:
    """Yield tools, arguments, kinds, fields, errors and names that there are not."""
    known: dict[str, None] = {TODAY: None}
    for one in script.lets:
        yield from _faults_of_let(one, tools, known)
        known[one.name] = None
    lets = set(known)
    yield from _all_unknown(script.tests, known, "where")
    for text in script.system:
        yield from _all_unknown(expressions_of(text.parts), known, "system")
    for turn in script.turns:
        yield from _faults_of_turn(turn, tools, known, lets)
    yield from _all_unknown(script.rules, known, "rule")
    if bool(script.system) != bool(script.rules):
        yield "a policy (`system`) needs a `rule` that the calls keep, and a rule the policy that states it"
    for tool in (*script.only, *sorted(script.without)):
        if tool not in tools.toolbox:
            yield f"there is no tool {tool!r}{nearest(tool, tools.toolbox)}"


def _all_unknown(expressions: Iterable[Expression], known: Collection[str], where: str) -> Iterator[str]:
    """Yield names that nothing before an expression has."""
    for expression in expressions:
        for name in sorted(expression.names - set(known)):
            yield f"{where}: {expression.text}: nothing before this has the name {name!r}{nearest(name, sorted(filter(None, known)))}"


def _within(value: Any) -> Iterator[Expression]:
    """Yield every expression in a value of a script, at any depth of lists and objects."""
    if isinstance(value, Expression):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _within(part)


def _faults_of_let(named: Named, tools: ScriptTools, names_before: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with one name of `let`: names or kinds of things that are not there, fields or arguments that do not exist."""
    let, where = named.how, f"let.{named.name}"
    if isinstance(let, Expression):
        yield from _all_unknown([let], names_before, where)
        return
    yield from _all_unknown([*_within(named.has), *_within(named.options)], names_before, where)
    yield from _all_unknown(named.fits, {*names_before, named.name}, where)
    if let.args:
        yield from _faults_of_arguments(let, tools, where)
        return
    kind = let.a or let.some
    if kind and kind not in tools.titles:
        yield f"{where}: there is no kind of thing {kind!r}{nearest(kind, tools.titles)}"
    elif kind:
        entities = (field for spec in tools.toolbox.values() for field in spec.declared.entities.values())
        fields = next(field.fields for field in entities if field.title == tools.titles[kind])
        yield from (
            f"{where}: {kind} has no field {field!r}{nearest(field, fields)}"
            for field in let.has
            if field not in fields
        )


def _faults_of_arguments(let: Let, tools: ScriptTools, where: str) -> Iterator[str]:
    """Yield what is wrong with a `let` that draws the arguments of a tool: a tool or an argument that is not there, or `find` for what is no search."""
    spec = tools.toolbox.get(let.args)
    if spec is None:
        yield f"{where}: there is no tool {let.args!r}{nearest(let.args, tools.toolbox)}"
        return
    for argument_name in (*let.has, *let.also):
        if argument_name not in spec.properties:
            yield f"{where}: {let.args} has no argument {argument_name!r}{nearest(argument_name, spec.properties)}"
    if let.find is not None and (spec.effect is None or spec.effect.kind != "find"):
        yield f"{where}: find: {let.args} is no search"


def _faults_of_turn(
    turn: ScriptTurn, tools: ScriptTools, names_so_far: dict[str, None], lets: Collection[str]
) -> Iterator[str]:
    """Yield what is wrong with one turn; add the names of its picks and calls to those known from then on."""
    where = f"turn {turn.number}"
    yield from _all_unknown([turn.when] if turn.when else [], names_so_far, where)
    for name, expression in turn.picks:
        yield from _all_unknown([expression], names_so_far, where)
        if name in names_so_far:
            yield f"{where}: pick: {name!r} is the name of something else"
        names_so_far[name] = None
    yield from _all_unknown(turn.need, names_so_far, where)
    for call in turn.calls:
        yield from _faults_of_call(call, tools, names_so_far, where)
        if call.name in lets:
            yield f"{where}: {call.name!r} is the name of something else"
    names_so_far.update(dict.fromkeys(call.name for call in turn.calls))
    yield from _faults_of_failures(turn, tools, where)
    for text in turn.texts:
        yield from _all_unknown(
            expressions_of(text.parts), {*names_so_far, *re.findall(r"\{(?:each|lines) (\w+) in ", text.source)}, where
        )
    yield from _all_unknown(turn.holds, names_so_far, where)


def _faults_of_failures(turn: ScriptTurn, tools: ScriptTools, where: str) -> Iterator[str]:
    """Yield errors that a turn expects (`fails: {call: not_found}`) and the call's tool does not have."""
    for name, error in turn.fails.items():
        tool = next(call.tool for call in turn.calls if call.name == name)
        effect = tools.toolbox[tool].effect if tool in tools.toolbox else None
        errors = ["not_found", *[need.error for need in effect.needs]] if effect is not None else []
        if errors and error not in errors:
            yield f"{where}: fails: {tool} has no error {error!r}{nearest(error, errors)}"


def _faults_of_call(call: PlannedCall, tools: ScriptTools, names_so_far: Collection[str], where: str) -> Iterator[str]:
    """Yield what is wrong with one planned call: a tool, an argument or a name that is not there, or a required argument that is missing."""
    spec = tools.toolbox.get(call.tool)
    if spec is None:
        yield f"{where}: there is no tool {call.tool!r}{nearest(call.tool, tools.toolbox)}"
        return
    given = [key for key, _ in call.arguments]
    for key in given:
        if key not in spec.properties:
            yield f"{where}: {call.tool} has no argument {key!r}{nearest(key, spec.properties)}"
    yield from (f"{where}: {call.tool} needs the argument {key!r}" for key in spec.required if key not in given)
    yield from _all_unknown([expression for _, expression in call.arguments], {*names_so_far, call.variable}, where)
    yield from _all_unknown([call.things] if call.things is not None else [], names_so_far, where)


# -- words ---------------------------------------------------------------------------------------------------------------


class _WordingCheck:
    """Looks at the words of one script."""

    def __init__(self, script: Script, tools: ScriptTools) -> None:
        self.script, self.tools = script, tools
        specs = [tools.toolbox[name] for name in script.tools]
        kinds = {tools.titles[kind] for kind in script.kinds} | {
            entity.title
            for spec in specs
            for entity in spec.declared.entities.values()
            if spec.effect and spec.effect.entity == entity.name
        }
        names_in_examples = {
            str(value)
            for spec in specs
            for entity in spec.declared.entities.values()
            if entity.title in kinds
            for example in entity.examples
            for field, value in example.items()
            if field in entity.called and len(str(value)) >= _SHORTEST_NAME
        }
        words = "|".join(sorted(map(re.escape, names_in_examples), key=len, reverse=True))
        self.names = re.compile(rf"\b(?:{words})\b" if words else r"(?!)", re.IGNORECASE)
        texts_of_tools = [[spec.tool.description, spec.tool.parameters, spec.returns] for spec in specs]
        self.told_by_tools = orjson.dumps(texts_of_tools).decode()
        self.every = " ".join([expression.text for expression in _all_expressions(script)])
        expressions_of_calls = [
            expression for turn in script.turns for call in turn.calls for _, expression in call.arguments
        ]
        expressions_of_calls += [expression for turn in script.turns for _, expression in turn.picks]
        self._selections_of_calls = _selections_in(" ".join([expression.text for expression in expressions_of_calls]))

    def faults_of_script(self) -> Iterator[str]:
        """Yield what is wrong with the script as a whole."""
        for turn, after in pairwise(self.script.turns):
            is_sure = turn.maybe is None and turn.when is None and after.maybe is None and after.when is None
            if turn.say and after.calls and is_sure:
                yield f"turn {after.number}: a call after an answer; the user speaks first"
        yield from self._changes_without_a_yes()
        for turn in self.script.turns:
            for call in turn.calls:
                yield from (f"turn {turn.number}: {fault}" for fault in self._call(turn, call))
            for expression in [one for text in turn.texts for one in expressions_of(text.parts)]:
                for node in ast.walk(expression.node):
                    if isinstance(node, ast.BinOp) and ast.dump(node.left) == ast.dump(node.right):
                        yield f"turn {turn.number}: {ast.unparse(node)} computes something of a value and itself"
            yield from (f"turn {turn.number}: holds: {one.text} says nothing" for one in turn.holds if not one.names)

    def _changes_without_a_yes(self) -> Iterator[str]:
        """Yield a call that changes something before the user has answered, where the policy wants their yes."""
        if not any(_words().wants_yes.search(words_of(text.parts)) for text in self.script.system):
            return
        asked = [turn.number for turn in self.script.turns if any("?" in text.source for text in turn.say)]
        for turn in self.script.turns:
            for call in turn.calls:
                effect = self.tools.toolbox[call.tool].effect
                if not asked and effect is not None and not effect.reads:
                    yield f"turn {turn.number}: {call.tool} changes something, and the policy wants a yes that nobody asks for"

    def _call(self, turn: ScriptTurn, call: PlannedCall) -> Iterator[str]:
        """Yield where the result of a call is used nowhere, or an argument takes an element by its position."""
        uses_of_result = [one for one in _all_expressions(self.script) if call.name in one.names]
        effect = self.tools.toolbox[call.tool].effect
        if not uses_of_result and call.name not in turn.fails and (effect is None or effect.reads):
            yield f"the result {call.name!r} is told nowhere"
        list_of_calls = [(call.name, call.things)] if call.things is not None else []
        for key, expression in [] if turn.need else [*list_of_calls, *call.arguments]:
            if element := _element_by_position(expression):
                yield f"{key}: {element} takes an element by its place; one(), least() or most() is expected"

    def faults_of_wording(self, turn: ScriptTurn | None, text: Text) -> Iterator[str]:
        """Yield what is wrong with one wording."""
        spoken = words_of(tuple([part for part in text.parts if not isinstance(part, Meant)]))
        if found := _words().values.search(spoken):
            yield f"{found[0]!r} is a value that no slot holds: {text.source!r}"
        if turn is None:
            return
        if found := self.names.search(spoken):
            yield f"{found[0]!r} is what a thing is called, and no slot holds it: {text.source!r}"
        yield from self._unknown_units(text)
        yield from self._wrong_directions(text)
        yield from self._wrong_words_behind(text)
        yield from self._unfounded_superlatives(words_of(text.parts), text, asked=bool(turn.user))
        yield from self._faults_of_request(text) if turn.user else self._faults_of_answer(turn, text, spoken)

    def _faults_of_request(self, text: Text) -> Iterator[str]:
        """Yield what is wrong with a wording of the user."""
        for _, slot in slots_with_words_before(text.parts):
            if not path_of(slot.expression.node):
                what = f"{{{slot.expression.text}}}: what the user says is a name of `let` or a field of one"
                yield f"{what}; give it a name: {text.source!r}"
        calls = [call for one in self.script.turns for call in one.calls]
        yield from self._opposite_words(words_of(text.parts), text, calls)
        for part in constants_in_words(text.parts):
            constant = str(part.expression.value({}))
            other = _words().opposites.get(constant) or _words().switched.get(constant)
            if other and re.search(rf"\b{other}\b", part.words, re.IGNORECASE):
                yield f"{part.words!r} does not mean {part.expression.text}: {text.source!r}"

    def _faults_of_answer(self, turn: ScriptTurn, text: Text, spoken: str) -> Iterator[str]:
        """Yield what is wrong with a wording of the assistant."""
        words, patterns, last_calls = words_of(text.parts), _words(), self._last_calls(turn)
        expressions = list(expressions_of(text.parts))
        compares = any(
            isinstance(node, ast.Compare) for earlier_turn in expressions for node in ast.walk(earlier_turn.node)
        )
        for expression in expressions:
            if "abs" in expression.functions and not compares and not patterns.differences.search(words):
                yield f"{{{expression.text}}}: abs() hides which one is more; take the difference the right way round: {text.source!r}"
        if stated := patterns.counts.search(spoken):
            yield f"{stated[0]!r} is a value that no slot holds: {text.source!r}"
        has_found = any(
            earlier_turn.calls for earlier_turn in self.script.turns[: turn.number]
        )  # before that there is nothing to state
        if has_found and not turn.holds and (stated := patterns.facts.search(words)):
            yield f"{stated[0]!r} states a fact; `holds` must say what makes it true: {text.source!r}"
        if last_calls is not None and not last_calls.fails:
            yield from self._opposite_words(words, text, last_calls.calls)
        elif last_calls is not None and (not patterns.failed.search(words) or patterns.done.search(words)):
            yield f"a call has failed, and the words do not say so: {text.source!r}"

    def _unknown_units(self, text: Text) -> Iterator[str]:
        """Yield values that are said with a unit (`{t:celsius}`) of which no text of the tools speaks."""
        for _, slot in slots_with_words_before(text.parts):
            pattern = _words().units.get(slot.way)
            if pattern is not None and not pattern.search(self.told_by_tools):
                yield f"{{{slot.expression.text}:{slot.way}}}: no text of the tools speaks of that unit"

    def _wrong_words_behind(self, text: Text) -> Iterator[str]:
        """Yield words behind a value that do not go with it: another unit, or "more" behind a count of all."""
        units = _words().units_after
        every = {word for words in units.values() for word in words}
        for slot, words in slots_with_words_behind(text.parts):
            after = re.split(r"[^\w/]+", words.strip().lower(), maxsplit=1)[0]
            field = slot.expression.step if isinstance(slot.expression.step, str) else ""
            own = units["days"] if "between" in slot.expression.functions else units.get(field.rpartition("_")[2])
            if own is not None and not slot.way and after in every and after not in own:
                yield f"{{{slot.expression.text}}} is followed by {after!r}: {text.source!r}"
            is_count = slot.expression.text.startswith("len(") and " if " not in slot.expression.text
            if is_count and after in _words().others_after and slot.expression.text.endswith(")"):
                yield f"{{{slot.expression.text}}} counts all of them, and {after!r} follows: {text.source!r}"

    def _wrong_directions(self, text: Text) -> Iterator[str]:
        """Yield prepositions that do not go with the value behind them: `from` before `trip.destination`."""
        for before, slot in slots_with_words_before(text.parts):
            *earlier, last = ["", *before.lower().split()][-2:] if before.split() else ["", ""]
            names = set(re.split(r"[._]", slot.expression.text))
            of_field = set(str(slot.expression.step or "").split("_"))
            for one in _words().directions:
                is_meant = {*earlier} & set(one["after"]) if "after" in one else not {*earlier} & set(one["unless"])
                if last in one["before"] and (of_field if "after" in one else names) & set(one["not"]) and is_meant:
                    yield f"{last!r} stands before {{{slot.expression.text}}}: {text.source!r}"

    def _unfounded_superlatives(self, words: str, text: Text, *, asked: bool) -> Iterator[str]:
        """Yield superlatives that no selection of that end, or one by a field of another sort, stands behind."""
        selections = self._selections_of_calls if asked and self._selections_of_calls else _selections_in(self.every)
        for pattern, end, sort, is_chosen in _words().superlatives:
            superlative = pattern.search(words)
            if superlative is None:
                continue
            fields_of_that_end = [field for way, field in selections if way in (end, "by", _BARE[end])]
            fields_of_other_ends = [field for way, field in selections if way in _BARE and way != end]
            if (
                not fields_of_that_end
                and is_chosen
                and (
                    not fields_of_other_ends
                    or any(_words().sorts[sort].search(field) for field in fields_of_other_ends)
                )
            ):
                yield f"{superlative[0]!r}, and no {end}() finds it: {text.source!r}"
            elif fields_of_that_end and all(self._is_of_another_sort(field, sort) for field in fields_of_that_end):
                yield f"{superlative[0]!r}, and {end}() goes by {' and '.join(fields_of_that_end)}: {text.source!r}"

    def _is_of_another_sort(self, field: str, sort: str) -> bool:
        """Whether a field measures something else than a superlative: `price`, where "fastest" goes by a duration."""
        sorts = {name for name, pattern in _words().sorts.items() if field and pattern.search(field)}
        return bool(sorts) and sort not in sorts

    def _opposite_words(self, words: str, text: Text, calls: Sequence[PlannedCall]) -> Iterator[str]:
        """Yield words that say the opposite of a called tool's name: "lock" where `unlock_door` is called."""
        words_of_tools = {word for call in calls for word in call.tool.split("_")}
        for word in sorted(words_of_tools):
            opposite = _words().opposites.get(word)
            if re.search(rf"\b{word}(?:e?d|s|ing)?\b", words, re.IGNORECASE):  # "It was locked, so I unlocked it."
                continue
            if (
                opposite
                and opposite not in words_of_tools
                and (match := re.search(rf"\b{opposite}(?:e?d|s|ing)?\b", words, re.IGNORECASE))
            ):
                yield f"{match[0]!r}, and the tool is for {word!r}: {text.source!r}"
            opposite = _words().switched.get(word)
            between = r"(?:(?!\b(?:that|is|are|was|were|left)\b|['’]s\b)[^.?!;]){0,40}"
            match = re.search(rf"\b(?:turn|switch)(?:ed)?\b{between}\b{opposite}\b", words, re.IGNORECASE)
            if (
                opposite
                and match
                and opposite not in words_of_tools
                and "?" not in words[match.start() : match.end() + 1]
            ):
                yield f"{match[0]!r}, and the tool is for {word!r}: {text.source!r}"

    def _last_calls(self, turn: ScriptTurn) -> ScriptTurn | None:
        """Return the turn with the last calls before an answer; None where the user has said something since."""
        for earlier_turn in reversed(self.script.turns[: turn.number]):
            if earlier_turn.user:
                return None
            if earlier_turn.calls:
                return earlier_turn
        return None


def _selections_in(expressions: str) -> list[tuple[str, str]]:
    """Return how expressions choose one thing of several, and by which field."""
    found: list[tuple[str, str]] = re.findall(r"\b(least|most|by|min|max)\(.*?(?:'(\w+)'\)|\))", expressions)
    return found


def _all_expressions(script: Script) -> Iterator[Expression]:
    """Yield the expressions of all calls, conditions, picks and texts."""
    for turn in script.turns:
        yield from turn.need
        yield from turn.holds
        yield from (expression for _, expression in turn.picks)
        yield from ([turn.when] if turn.when is not None else [])
        for call in turn.calls:
            yield from (expression for _, expression in call.arguments)
            yield from ([call.things] if call.things is not None else [])
        for text in turn.texts:
            yield from expressions_of(text.parts)
    yield from script.rules


def _element_by_position(expression: Expression) -> str:
    """Return the part of an expression that takes an element of a list by its place, where no order is said; empty if there is none."""
    for node in ast.walk(expression.node):
        by_place = isinstance(node, ast.Slice) or (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, int)
        )
        is_end = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("first", "last")
        if (by_place or is_end) and "by(" not in expression.text:
            return ast.unparse(node)
    return ""
