"""Tools as a recipe loads them: the function a model sees, and what the spec file says beside it."""

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from generator.core.conversation import Tool
from generator.core.entities import NOTHING, Effect, WorldDeclarations
from generator.core.files import is_shipped
from generator.core.forms import REQUIRED, Form, Texts


class Groups(msgspec.Struct, frozen=True, kw_only=True):
    """What the schema of a tool does not say of which arguments a call has."""

    together: tuple[tuple[str, ...], ...] = ()
    """Arguments of which a call has all or none."""
    one_of: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Sets of arguments: a call has all of exactly one of them, and nothing that stands in the others only. A set may be empty."""

    def __bool__(self) -> bool:
        """Whether there is a group."""
        return bool(self.together or self.one_of)

    def broken(self, given: Container[str]) -> Iterator[str]:
        """Yield what is wrong with a call that has the given arguments, as messages."""
        for group in self.together:
            missing = [name for name in group if name not in given]
            if missing and len(missing) < len(group):
                yield f"{', '.join(missing)} is missing: {', '.join(group)} are given together"
        for choice in self.one_of:
            if not any(is_chosen(alternative, choice, given) for alternative in choice):
                alternatives = " or ".join(", ".join(alternative) or "nothing" for alternative in choice)
                yield f"exactly one is expected of {alternatives}"

    def beside(self, name: str) -> tuple[str, ...]:
        """Return the arguments that a call has with one of them: itself alone, unless it stands in a group."""
        groups = (*self.together, *[alternative for choice in self.one_of for alternative in choice])
        return next((group for group in groups if name in group), (name,))


def is_chosen(alternative: tuple[str, ...], choice: tuple[tuple[str, ...], ...], given: Container[str]) -> bool:
    """Whether a call has all of one of the sets of a choice, and nothing that stands in the others only."""
    others = {name for other in choice for name in other} - set(alternative)
    return all(name in given for name in alternative) and not any(name in given for name in others)


_MOST_TOOLS = 2048
AnyTool = TypeVar("AnyTool")
Made = TypeVar("Made")


def _pairs(mapping: dict[Any, Any]) -> tuple[tuple[Any, Any], ...]:
    """Return the items of a mapping as pairs."""
    return tuple(mapping.items())


class LeftOut(msgspec.Struct, frozen=True):
    """A tool, a description of tools, a part of one, a phrase, a scenario, a script or a wording of one that a run goes on without."""

    what: Literal["tool", "refused tool", "overlay", "piece", "phrase", "scenario", "script", "wording"]
    name: str
    why: str

    def __str__(self) -> str:
        return f"the {self.what} {self.name!r} is left out: {self.why}"


class Link(msgspec.Struct, frozen=True):
    """An argument that can come from another tool's result."""

    argument: str
    """JSON pointer into the arguments, e.g. `/order_id`."""
    tool: str
    """The tool whose result holds the value."""
    result: str
    """Pointer into its result, `*` for every element of a list, e.g. `/orders/*/id`."""


class Pick(msgspec.Struct, frozen=True):
    """A way in which people single out one element of a list: "the cheapest one"."""

    say: str
    by: Annotated[str, msgspec.Meta(pattern=r"^(first|last|only|(min|max) [^ ]+)$")]
    """`first`, `last`, `only` (of a list of one), `min FIELD` or `max FIELD` (a field of the element); of scenarios also `nth NUMBER`, counted from 1,
    and `is FIELD VALUE` with the value as JSON, which leave `say` to the wording."""
    looks_up: bool = False
    """Whether people say it of a list that they have not seen only to look something up, not to have anything changed."""


class Tally(msgspec.Struct, frozen=True):
    """What can be said of all elements of a list together."""

    say: str
    """A verb phrase about several of them, such as "are unread"; for a sum with a slot of its field, "come to {total:usd}"."""
    by: Annotated[str, msgspec.Meta(pattern=r"^(sum [^ ]+|count [^ ]+ .+)$")]
    """`sum FIELD`, or `count FIELD VALUE` with the value as JSON."""

    @property
    def kind(self) -> str:
        """`sum` or `count`."""
        return self.by.partition(" ")[0]

    @property
    def field(self) -> str:
        """The field of the elements that is summed up, or that has the value."""
        return self.by.split(" ")[1]

    @property
    def value(self) -> Any:
        """The value that is counted."""
        return msgspec.json.decode(self.by.split(" ", 2)[2])


class AnswerPhrase(msgspec.Struct, frozen=True):
    """A sentence about a result, and the result values it holds for."""

    say: str
    when: Annotated[tuple[tuple[str, Any], ...], REQUIRED, Form(type=dict[str, Any], made=_pairs)] = ()
    """(result pointer, value) pairs that must all hold; `args.NAME` is an argument of the call."""


class SlotFrames(msgspec.Struct, frozen=True):
    """How users say one argument: frames that hold its value, or a clause for each value."""

    frames: tuple[str, ...] = ()
    clauses: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    """(value, clauses that say it) pairs, for booleans, null and enum values."""


def _slot_frames(written: tuple[str, ...] | dict[Any, tuple[str, ...]]) -> SlotFrames:
    """Return how users say an argument, from a list of frames or a mapping from values to clauses (`*`: all other values)."""
    if isinstance(written, tuple):
        return SlotFrames(frames=written)
    clauses = tuple((value, texts) for value, texts in written.items() if value != "*")
    return SlotFrames(frames=written.get("*", ()), clauses=clauses)


def _as_answer_phrase(written: Any) -> Any:
    """Return an answer phrase as the mapping that it is short for: "It rains." → `{"say": "It rains.", "when": {}}`."""
    if not isinstance(written, str | dict):
        raise ValueError(f"text, or a mapping {{when: values, say: text}}, is expected, not {written!r}")
    return {"say": written, "when": {}} if isinstance(written, str) else written


_Clauses = dict[Any, tuple[str, ...]]
_Frames = Annotated[SlotFrames, Form(type=tuple[str, ...] | _Clauses, made=_slot_frames)]
_Spoken = Annotated[tuple[tuple[Any, tuple[str, ...]], ...], Form(type=_Clauses, made=_pairs)]
_Sentence = Annotated[AnswerPhrase, Form(given=_as_answer_phrase, short=str)]


class Phrases(msgspec.Struct, frozen=True):
    """How people ask for a tool and how its results are reported. See docs/tool-specs.md."""

    request: Texts = ()
    question: Texts = ()
    want: Texts = ()
    again: Texts = ()
    several: Texts = ()
    entry: Texts = ()
    vary: tuple[str, ...] = ()
    best: tuple[Pick, ...] = ()
    """What a result has that is better in a field than others: "the cleanest air" for `min index`."""
    fields: dict[str, str] = {}
    """Field of the result → what people call it, after "the": "chance of rain" for `rain_chance`."""
    follow_up: Texts = ()
    found: Texts = ()
    """What it finds, as a noun phrase: "my {keyword} files"."""
    slots: dict[str, _Frames] = {}
    synonyms: dict[str, _Spoken] = {}
    """Slot → (value, spoken forms) pairs."""
    pick: dict[str, tuple[Pick, ...]] = {}
    tally: dict[str, tuple[Tally, ...]] = {}
    """List of the result → what is said of all of its elements together."""
    answer: tuple[_Sentence, ...] = ()
    each: dict[str, tuple[str, ...]] = {}
    can: Texts = ()
    """What the tool does, as the assistant says it after "I can": verb phrases without values."""
    ask: dict[str, tuple[str, ...]] = {}
    """Slot → questions with which the assistant asks for its value."""


class Relation(msgspec.Struct, frozen=True):
    """Two arguments that belong together: `left < right` or `left != right`."""

    left: str
    operator: str
    right: str


class ToolOrigin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a tool was read from, with what its source says beside name, description and schemas."""

    kind: str = "openai"
    """The reader: `openai`, `mcp`, `anthropic`, `openapi`, `functions`, `python`, `bfcl`, `portable`."""
    name: str = ""
    """The name there, when it had to be changed: how a call is sent back to the source."""
    server: str = ""
    """Name of the MCP server or title of the OpenAPI document."""
    title: str = ""
    annotations: dict[str, Any] = {}
    """MCP's hints, as the server gives them: `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`."""
    tags: tuple[str, ...] = ()
    http: dict[str, Any] = {}
    """`method`, `path` and `arguments` (argument -> {in, name}) of an OpenAPI operation."""
    prompt: str = ""
    """The file of a portable JSON prompt, as it was read."""
    without_body: bool = False
    """Whether a Python function only declares the tool, so that it cannot be called."""
    repairs: tuple[str, ...] = ()
    """What was changed in the schemas to make them legal: `type_alias at parameters/properties/x`."""


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One tool with everything a spec file may say about it."""

    tool: Tool
    domain: str
    """Stem of the file it came from: tools of one domain look alike."""
    where: str
    """`file:line`, for messages."""
    returns: dict[str, Any] | None = None
    links: tuple[Link, ...] = ()
    phrases: Phrases = Phrases()
    examples: dict[str, tuple[Any, ...]] = {}
    """Argument pointer → values worth using."""
    kinds: dict[str, str] = {}
    """Argument pointer → kind of value (`city`, `person_name`, …)."""
    worked: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = ()
    """(arguments, what the result must hold) pairs that somebody worked out by hand."""
    example_calls: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = ()
    """(arguments that belong together, what the result of just that call holds) pairs."""
    patterns: dict[str, str] = {}
    """Argument pointer → regular expression of its values, where the schema has none."""
    relations: tuple[Relation, ...] = ()
    groups: Groups = Groups()
    """Which arguments a call has together, or one in place of others."""
    effect: Effect | None = None
    """What a call does to the entities that its file declares."""
    declared: WorldDeclarations = NOTHING
    """The entities and tables of its file."""
    context: dict[str, Literal["same"]] = {}
    """Arguments that keep, along a chain of calls, the value they had first."""
    say: dict[str, Literal["seldom", "never", "usually"]] = {}
    """How often users say an optional argument, where that is not the usual share."""
    ruled: tuple[str, ...] = ()
    """What policies of the recipe have the assistant say of a call: `{orders/*/status}` stands for a value."""
    origin: ToolOrigin = ToolOrigin()
    written: dict[str, Any] = {}
    """What its file says beside function and result, as it is written there."""
    origins: dict[str, str] = {}
    """Piece that an overlay or the deriving code gave (`phrases.request`) → `derived`, `model` or `human`."""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.tool.name

    @property
    def properties(self) -> dict[str, Any]:
        """The schemas of its arguments, by name."""
        schemas: dict[str, Any] = (self.tool.parameters or {}).get("properties", {})
        return schemas

    @property
    def required(self) -> Sequence[str]:
        """The names of the arguments that every call has."""
        names: Sequence[str] = (self.tool.parameters or {}).get("required", ())
        return names

    @property
    def is_tested(self) -> bool:
        """Whether it comes with the program, whose tests have compiled it, and only phrases are added to it: it need not be tried before rows."""
        return is_shipped(self.where) and all(piece.startswith("phrases") for piece in self.origins)

    @property
    def acts_on(self) -> str:
        """The kind of entity that a call acts on, among all files; empty for none."""
        entity = None if self.effect is None else self.declared.entities.get(self.effect.entity)
        return "" if entity is None else entity.title

    @property
    def only_calls(self) -> tuple[dict[str, Any], ...]:
        """The arguments of the only calls that are made: those of its example calls, where all have results that no entity gives."""
        if not self.example_calls or (self.effect is not None and self.effect.entity):
            return ()
        is_known = all(result for _, result in self.example_calls)
        return tuple([arguments for arguments, _ in self.example_calls]) if is_known else ()

    @property
    def looks_up(self) -> bool:
        """Whether the tool only looks something up, as its effect, its MCP annotations or else its name tell."""
        if self.effect is not None:
            return self.effect.reads
        hint = self.origin.annotations.get("readOnlyHint")
        return hint if isinstance(hint, bool) else name_as_words(self.name).partition(" ")[0] in _LOOKING


def fields_written(spec: ToolSpec) -> dict[str, Any]:
    """Return the fields of its entity that a call changes: field → `args.NAME` for an argument, or else what `set` says."""
    effect = spec.effect
    if effect is None or effect.reads or effect.entity not in spec.declared.entities:
        return {}
    entity = spec.declared.entities[effect.entity]
    names = [name for name in spec.properties if name in entity.fields and effect.kind != "act"]
    return {**effect.set, **{name: f"args.{name}" for name in names if name != entity.key and name not in effect.by}}


def files_of(specs: Collection[ToolSpec]) -> tuple[Path, ...]:
    """Return the files that tools, their entities and their tables are in."""
    files = {spec.where.rpartition(":")[0] for spec in specs}
    files |= {table.file for spec in specs for table in spec.declared.tables.values()}
    return tuple([Path(file) for file in sorted(files) if file])


class WhenUsed(dict[str, Made]):
    """Something for each tool, by its name, compiled when it is first asked for."""

    def __init__(self, compiled: Callable[[str], Made], at_once: Iterable[str] = ()) -> None:
        """Take what compiles it, and the names for which it is compiled now, so that faults are reported before the first row."""
        super().__init__()
        self._compiled = compiled
        for name in at_once:
            self[name]

    def __missing__(self, name: str) -> Made:
        compiled = self[name] = self._compiled(name)
        return compiled


def restores(spec: ToolSpec, other: ToolSpec) -> bool:
    """Whether a tool leads back to the only state from which another one can lead away: `reopen_ticket` before `close_ticket`."""
    if spec.effect is None or other.effect is None or spec.effect.kind not in ("update", "move"):
        return False
    changes, needs = fields_written(spec), other.effect.needs
    needed_values = [
        (field, allowed) for need in needs for field, allowed in need.values.items() if field in fields_written(other)
    ]
    return any(field in changes and allowed == (changes[field],) for field, allowed in needed_values)


def unsettles(spec: ToolSpec, look_up: ToolSpec) -> bool:
    """Whether a call of a tool may change what a look-up returns: takes its entity away, changes it, or adds one that a search finds."""
    effect, look_up_effect = spec.effect, look_up.effect
    if effect is None or look_up_effect is None or effect.reads or look_up_effect.kind not in ("find", "get", "read"):
        return False
    if not spec.acts_on or spec.acts_on != look_up.acts_on:
        return False
    if look_up_effect.kind == "find":
        return effect.kind != "act" or bool(effect.set)
    if effect.kind == "create":
        return False
    return effect.kind == "delete" or not fields_written(spec).keys().isdisjoint(
        (look_up.returns or {}).get("properties", ())
    )


_LOOKING = frozenset(
    {"check", "compare", "convert", "estimate", "find", "get", "list", "look", "lookup", "preview", "quote"}
    | {"read", "search", "show", "track"}
)


def found_by(name: str) -> str:
    """Return what a search finds, as its name tells it: "the open orders" for `list_open_orders`; empty for one word."""
    noun = name_as_words(name).partition(" ")[2]
    return f"the {noun}" if noun.replace(" ", "").isalpha() else ""


def name_as_words(name: str) -> str:
    """Return a name as words: `max_price`, `maxPrice` and `max-price` as "max price"."""
    return _BETWEEN_WORDS.sub(" ", _CAPITAL.sub(" ", name)).strip().lower()


_CAPITAL, _BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])"), re.compile(r"[\W_]+")


Toolbox = dict[str, ToolSpec]
"""Tools by name, in the order the recipe loads them."""


def once_per_tool(make: Callable[[AnyTool], Made]) -> Callable[[AnyTool], Made]:
    """Cache what `make` returns for each `Tool` or `ToolSpec` object, because thousands of rows offer the same few."""
    cached: dict[int, tuple[AnyTool, Made]] = {}  # the tool is held, so that no other object gets its id

    def look_up(tool: AnyTool) -> Made:
        """Return what was made for the tool, or make it now."""
        entry = cached.get(id(tool))
        if entry is None:
            if len(cached) >= _MOST_TOOLS:
                cached.clear()
            entry = cached[id(tool)] = (tool, make(tool))
        return entry[1]

    return look_up
