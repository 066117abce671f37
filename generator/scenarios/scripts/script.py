"""A script: a whole conversation as data, with references instead of values. docs/scripts.md teaches the format."""

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from generator.core.declared import read, schema_of
from generator.core.documents import Document, Place, dotted, nearest, read_document
from generator.core.errors import SpecError
from generator.core.forms import Form, Key, Texts
from generator.dialogue.proof.expressions import Expression, element, read_expression, replaced
from generator.recipe.tools import Source, ToolFile
from generator.scenarios.scripts.text import Text, expressions_of, read_text
from generator.world.expressions import parse_expression

Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
Fewest = tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]]
_RANGE = Annotated[
    Fewest, Form(short=Annotated[int, Meta(ge=0)], given=lambda given: [given] * 2 if isinstance(given, int) else given)
]
TODAY = "today"


# -- as files have it ----------------------------------------------------------------------------------------------------


class Let(msgspec.Struct, frozen=True):
    """What a name stands for: exactly one of `a`, `some`, `args` and `of`."""

    a: str = ""
    """A kind of thing: one of the world that fits, or one that is put in."""
    some: str = ""
    """A kind of thing: all of the world that fit, `count` of them."""
    args: str = ""
    """A tool: required arguments as they are drawn for it."""
    of: Any = None
    """One of these values: a list, or an expression that gives one."""
    has: dict[str, Any] = {}
    """Field (or argument) → its value, or an expression (`= lamp.name`)."""
    fits: Annotated[Texts, Key("if")] = ()
    """What else must be true of it, in expressions that may use its name."""
    new: bool = False
    """Whether it is put in although one that is there would fit."""
    count: _RANGE = (1, 1)
    """How many things there are of `some`: a number, or [fewest, most]."""
    also: Texts = ()
    """Optional arguments that are drawn, too."""
    find: Annotated[_RANGE | None, Form(type=_RANGE)] = None
    """How many things the search finds with these arguments: a number, or [fewest, most]."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn: what the user says, calls, or what the assistant says; or none of these, only what must be so."""

    need: Texts = ()
    """What must be true for a row to go on here; another world is tried otherwise."""
    pick: Texts = ()
    """`NAME = EXPRESSION`: a name for a value that is used more than once."""
    user: Texts = ()
    """What the user says: wordings of which each row has one."""
    call: Texts = ()
    """`NAME = TOOL(ARGUMENT=EXPRESSION, …)`, or a list of such for calls at once; `NAME = [TOOL(…x.id) for x in LIST if …]`: a call for each."""
    fails: dict[str, str] = {}
    """Name of a call → the error that it must give."""
    say: Texts = ()
    """What the assistant says: wordings of which each row has one."""
    holds: Texts = ()
    """What makes the words of all these texts true."""
    maybe: Annotated[float, Meta(gt=0, lt=1)] | None = None
    """In which share of the rows the turn is there."""
    when: str = ""
    """The turn is there only if this is true."""


class ScriptText(msgspec.Struct, frozen=True, kw_only=True):
    """A script as a file has it."""

    script: Name
    about: str = ""
    """What it shows, in a few words; for people."""
    let: dict[Name, Any] = {}
    """Name → what it stands for: `{a: light, has: {power: "on"}}`, or an expression (`= days(today, 3)`)."""
    where: Texts = ()
    """What else must be so in the world."""
    system: Texts = ()
    """A policy or situation for the system message: wordings of which each row has one."""
    rule: Texts = ()
    """What the calls of the row must keep, because `system` says so."""
    offer: Annotated[_RANGE | None, Form(type=_RANGE)] = None
    """How many tools are on offer, at least and at most; without it as the recipe says."""
    only: Texts = ()
    """The tools on offer beside the called ones, and no others."""
    without: Texts = ()
    """Tools that are not on offer."""
    idle: str = ""
    """A script that begins with much the same words and calls nothing: its twin in pairs of rows."""
    turns: Annotated[tuple[Turn, ...], Meta(min_length=2, max_length=200)]


class ScriptFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of scripts."""

    tools: Annotated[
        tuple[ToolFile, ...],
        Form(
            type=Annotated[tuple[Source, ...], Meta(min_length=1)],
            given=lambda given: given if isinstance(given, list) else [given],
            short=Source,
        ),
    ]
    """Where the tools are from that they call, as in a recipe: paths relative to this file, or {file, overlay, …}."""
    scripts: tuple[Any, ...]
    """Whole conversations; each is read alone, so that a fault of one leaves the others."""
    schema: Annotated[str, Key("$schema")] = ""
    """For editors; has no effect."""


def scripts_schema() -> dict[str, Any]:
    """Return JSON Schema of a file of scripts, with which editors complete and check them."""
    file, script, let = schema_of(ScriptFile), schema_of(ScriptText), schema_of(Let)
    definitions = {**file.pop("$defs"), **script.pop("$defs"), **let.pop("$defs"), "Let": let}
    script["properties"]["let"]["additionalProperties"] = {
        "anyOf": [{"type": "string", "pattern": "^="}, {"$ref": "#/$defs/Let"}]
    }
    file["properties"]["scripts"]["items"] = script
    return {**file, "$defs": definitions}


# -- ready to be made into rows ------------------------------------------------------------------------------------------


class Named(msgspec.Struct, frozen=True):
    """What a name stands for, compiled."""

    name: str
    how: Let | Expression
    has: dict[str, Any] = {}
    """Of `how.has`: values and expressions."""
    fits: tuple[Expression, ...] = ()
    options: Any = None
    """Of `how.of`: a list of values and expressions, or an expression."""


class PlannedCall(msgspec.Struct, frozen=True):
    """A call, or one for each thing of a list."""

    name: str
    tool: str
    arguments: tuple[tuple[str, Expression], ...]
    variable: str = ""
    things: Expression | None = None
    """Of a call for each: the list, without those that its conditions leave out."""

    def at(self, place: int) -> tuple[tuple[str, Expression], ...]:
        """Return the arguments of the call for one thing of the list, in which the list stands in place of the variable."""
        assert self.things is not None
        by = element(self.things.node, place)
        return tuple(
            [(key, read_expression(ast.unparse(replaced(one.node, self.variable, by)))) for key, one in self.arguments]
        )


class ScriptTurn(msgspec.Struct, frozen=True):
    """A turn, compiled."""

    number: int
    """Counted from 1, as people count in the file."""
    where: str
    need: tuple[Expression, ...]
    picks: tuple[tuple[str, Expression], ...]
    user: tuple[Text, ...]
    say: tuple[Text, ...]
    calls: tuple[PlannedCall, ...]
    fails: dict[str, str]
    holds: tuple[Expression, ...]
    maybe: float | None
    when: Expression | None

    @property
    def texts(self) -> tuple[Text, ...]:
        """Its wordings."""
        return self.user or self.say


class Script(msgspec.Struct, frozen=True, eq=False):
    """A script, read and compiled."""

    name: str
    where: str
    """`file:line`."""
    about: str
    lets: tuple[Named, ...]
    tests: tuple[Expression, ...]
    system: tuple[Text, ...]
    rules: tuple[Expression, ...]
    offer: tuple[int, int] | None
    only: tuple[str, ...]
    without: frozenset[str]
    idle: str
    turns: tuple[ScriptTurn, ...]
    shape: str
    """The scenario that its rows are of."""
    domains: frozenset[str] = frozenset()
    """The stems of the spec files that it is written for."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it calls or draws arguments for, each once."""
        called = [call.tool for turn in self.turns for call in turn.calls]
        drawn = [one.how.args for one in self.lets if isinstance(one.how, Let) and one.how.args]
        return tuple(dict.fromkeys([*called, *drawn]))

    @property
    def declines(self) -> bool:
        """Whether the assistant answers before it has called anything, and does not only ask for a value."""
        return self.shape != "clarify" and bool(next(turn for turn in self.turns if turn.say or turn.calls).say)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of things that its world has, as it names them."""
        return tuple(
            [one.how.a or one.how.some for one in self.lets if isinstance(one.how, Let) and (one.how.a or one.how.some)]
        )

    @property
    def reads_today(self) -> bool:
        """Whether a call or answer is computed from today's date, so that a message must state it."""
        parts = [expression for turn in self.turns for call in turn.calls for _, expression in call.arguments]
        parts += [expression for turn in self.turns for text in turn.say for expression in expressions_of(text.parts)]
        parts += [expression for text in self.system for expression in expressions_of(text.parts)]
        return any(TODAY in expression.names for expression in parts)


class ScriptsOfFile(msgspec.Struct, frozen=True):
    """The scripts of a file, and what is wrong with the others."""

    tools: tuple[ToolFile, ...]
    scripts: tuple[Script, ...]
    faults: tuple[str, ...]
    """A script is refused alone: `file:line: script: what is wrong`."""


def read_scripts(path: Path) -> ScriptsOfFile:
    """Return the scripts of a file; raises SpecError where the file itself cannot be read."""
    return scripts_in(read_document(path, SpecError))


def scripts_in(document: Document) -> ScriptsOfFile:
    """Return the scripts that stand in a document; raises SpecError where that itself cannot be read."""
    file = read(ScriptFile, document, document.value, (), SpecError)
    found: dict[str, Script] = {}
    faults: list[str] = []
    domains = frozenset(tool.file.stem for tool in file.tools if tool.file is not None)
    for at, raw in enumerate(file.scripts):
        place: Place = ("scripts", at)
        try:
            text = read(ScriptText, document, raw, place, SpecError)
            if text.script in found:
                raise SpecError(f"{document.at(place)}: there is another script {text.script!r}")
            script = _Reader(document, place, text).script()
            found[text.script] = msgspec.structs.replace(script, domains=domains)
        except SpecError as fault:
            faults.append(str(fault))
    return ScriptsOfFile(file.tools, tuple(found.values()), tuple(faults))


class _Reader:
    """Compiles one script; raises SpecError with file, line, script and turn."""

    def __init__(self, document: Document, place: Place, text: ScriptText) -> None:
        self.document, self.place, self.text = document, place, text

    def script(self) -> Script:
        text = self.text
        lets = tuple([self._named(name, how) for name, how in text.let.items()])
        turns = tuple([self._turn(at, turn) for at, turn in enumerate(text.turns)])
        return Script(
            name=text.script,
            where=self.document.where(self.place),
            about=text.about,
            lets=lets,
            tests=self._expressions(text.where, "where"),
            system=self._texts(text.system, "system"),
            rules=self._expressions(text.rule, "rule"),
            offer=text.offer,
            only=text.only,
            without=frozenset(text.without),
            idle=text.idle,
            turns=turns,
            shape=shape_of(turns),
        )

    def _fault(self, what: str, *below: str | int) -> SpecError:
        place = (*self.place, *below)
        return SpecError(f"{self.document.where(place)}: script {self.text.script!r}: {_told(below)}: {what}")

    def _expression(self, text: str, *below: str | int) -> Expression:
        """Return an expression that is read from a text; a fault names where it stands (`below` the script)."""
        try:
            return read_expression(text)
        except ValueError as fault:
            raise self._fault(f"{text}: {fault}", *below) from None

    def _expressions(self, texts: Iterable[str], *below: str | int) -> tuple[Expression, ...]:
        return tuple([self._expression(text, *below) for text in texts])

    def _texts(self, texts: Iterable[str], *below: str | int) -> tuple[Text, ...]:
        """Return the wordings of a turn, each with its place in the file and in the script."""
        wordings = []
        for number, source in enumerate(texts):
            try:
                wording = read_text(source)
            except ValueError as fault:
                raise self._fault(f"wording {number + 1}: {fault}", *below) from None
            where = f"{self.document.where((*self.place, *below, number))}: script {self.text.script!r}: {_told(below)}, wording {number + 1}"
            wordings.append(msgspec.structs.replace(wording, where=where))
        return tuple(wordings)

    def _named(self, name: str, declaration: Any) -> Named:
        """Return what one name of `let` stands for: an expression (`= today`), or how a thing, a list of things, arguments or one of several values is found."""
        below = ("let", name)
        if isinstance(declaration, str):
            if not declaration.startswith("="):
                raise self._fault(
                    f'an expression begins with =: "= {declaration}"; or is it {{of: [{declaration}]}}?', *below
                )
            return Named(name, self._expression(declaration[1:], *below))
        let = read(Let, self.document, declaration, (*self.place, *below), SpecError)
        given = [key for key in ("a", "some", "args") if getattr(let, key)] + (["of"] if let.of is not None else [])
        if len(given) != 1:
            raise self._fault(
                f"exactly one of a, some, args and of is expected, not {' and '.join(given) or 'none'}", *below
            )
        has = {field: self._value(value, *below, "has", field) for field, value in let.has.items()}
        options = None if let.of is None else self._value(let.of, *below, "of")
        return Named(name, let, has, self._expressions(let.fits, *below, "if"), options)

    def _value(self, value: Any, *below: str | int) -> Any:
        """Return a value with expressions in place of texts that begin with `=`."""
        if isinstance(value, str) and value.startswith("="):
            return self._expression(value[1:], *below)
        if isinstance(value, list):
            return [self._value(one, *below, at) for at, one in enumerate(value)]
        return value

    def _turn(self, at: int, turn: Turn) -> ScriptTurn:
        below = ("turns", at)
        if bool(turn.user) + bool(turn.say) + bool(turn.call) > 1 and (turn.user or (turn.say and turn.call)):
            raise self._fault("a turn is one of user, call and say", *below)
        picks = []
        for line in turn.pick:
            name, equals, text = line.partition(" = ")
            if not equals or not name.strip().isidentifier():
                raise self._fault(f"{line!r}: NAME = EXPRESSION is expected", *below, "pick")
            picks.append((name.strip(), self._expression(text, *below, "pick")))
        calls = tuple([self._call(line, *below, "call") for line in turn.call])
        for name in turn.fails:
            if name not in (names := [call.name for call in calls]):
                raise self._fault(f"no call of this turn has the name {name!r}{nearest(name, names)}", *below, "fails")
        return ScriptTurn(
            number=at + 1,
            where=self.document.where((*self.place, *below)),
            need=self._expressions(turn.need, *below, "need"),
            picks=tuple(picks),
            user=self._texts(turn.user, *below, "user"),
            say=self._texts(turn.say, *below, "say"),
            calls=calls,
            fails=turn.fails,
            holds=self._expressions(turn.holds, *below, "holds"),
            maybe=turn.maybe,
            when=self._expression(turn.when, *below, "when") if turn.when else None,
        )

    def _call(self, line: str, *below: str | int) -> PlannedCall:
        name, equals, text = line.partition(" = ")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise self._fault(f"{line!r}: NAME = TOOL(ARGUMENT=EXPRESSION, …) is expected", *below)
        try:
            node = parse_expression(text)
            variable, things = "", None
            if isinstance(node, ast.ListComp):
                (loop,) = node.generators
                if not isinstance(loop.target, ast.Name):
                    raise ValueError("a loop has one variable")
                variable = loop.target.id
                plain = isinstance(loop.iter, ast.expr) and not loop.ifs
                of = loop.iter if plain else ast.ListComp(ast.Name(variable, ast.Load()), [loop])
                things, node = Expression(of), node.elt
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
                raise ValueError("TOOL(ARGUMENT=EXPRESSION, …) is expected")
            arguments = tuple([(str(one.arg), Expression(one.value)) for one in node.keywords])
        except ValueError as fault:
            raise self._fault(f"{text}: {fault}", *below) from None
        return PlannedCall(name, node.func.id, arguments, variable, things)


def _told(below: Place) -> str:
    """Return a place within a script, with turns counted from 1: `turn 3, say`."""
    if below[:1] == ("turns",) and len(below) > 1:
        return ", ".join([f"turn {int(below[1]) + 1}", *filter(None, [dotted(below[2:])] if below[2:] else [])])
    return dotted(below)


# -- the shape of its rows -----------------------------------------------------------------------------------------------


def shape_of(turns: tuple[ScriptTurn, ...]) -> str:
    """Return the scenario of which a script's rows are, by who speaks when, what is called at once, and what fails.

    Calls that fail and questions decide first; then how many requests there are; then how the calls of the only request hang
    together.
    """
    asked = [turn for turn in turns if turn.user]
    steps = [turn for turn in turns if turn.calls]
    if not steps:
        return "direct_answer" if len(asked) > 1 else "irrelevant"
    failing = [at for at, turn in enumerate(steps) if turn.fails]
    if len(asked) >= _LONG:
        return "long_context"
    if failing:
        return "error_stop" if failing[0] == len(steps) - 1 else "error_recover"
    if len(asked) > 2:
        return "multi_turn"
    return _with_reply(turns) if len(asked) == 2 else _of_calls(steps)


_LONG = 7


def _with_reply(turns: tuple[ScriptTurn, ...]) -> str:
    """Return the shape of two messages of the user: the second one replies to a question, or goes on."""
    reply = max(at for at, turn in enumerate(turns) if turn.user)
    before, after = turns[:reply], turns[reply:]
    asks = any("?" in text.source for text in before[-1].say)
    if not asks or not any(turn.calls for turn in after):
        return "follow_up"
    if not any(True for text in turns[reply].user for _ in expressions_of(text.parts)):
        return "confirm"
    if not any(turn.calls for turn in before):
        return "clarify"
    found_nothing = any("== 0" in test.text for turn in before for test in (*turn.need, *turn.holds))
    return "empty_result" if found_nothing else "ambiguous"


def _of_calls(steps: list[ScriptTurn]) -> str:
    """Return the shape of the calls of one request."""
    calls = [call for turn in steps for call in turn.calls]
    if any(call.things is not None for call in calls):
        return "fan_out"
    if len(steps) > 1:
        return "mixed" if len(calls) > len(steps) else "sequential"
    if len(calls) == 1:
        return "single"
    return "parallel" if len({call.tool for call in calls}) == 1 else "parallel_multiple"
