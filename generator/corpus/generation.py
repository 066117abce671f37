"""Make cases: each is a pure function of (recipe, tools, seed, format, index)."""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from generator.core.errors import RecipeError, installing
from generator.core.exact_json import loads
from generator.core.files import read_regular
from generator.core.seeds import Draw, stream_seed
from generator.corpus import chunks
from generator.corpus.case import Case, ChunkPlan, Mutation, Oracle, Verdict
from generator.corpus.mutations import AMBIGUOUS, MUTATIONS, BrokenCompletion, Draft
from generator.corpus.oracle import (
    calls_nothing,
    emissions_of,
    ends_inside,
    has_one_meaning,
    readings_of,
    readings_of_prefix,
    reads_as_meant,
)
from generator.corpus.toolbox import (
    TEXTS,
    TODAY,
    ForFormat,
    Usable,
    deep_value,
    fits,
    for_format,
    hard_sentence,
    long_text,
    thought,
    usable_tools,
)
from generator.formats.wire.arguments import alternatives
from generator.formats.wire.completions import Completion, write, write_completion
from generator.formats.wire.format import ExpectedCall, Style, WireFormat, properties_of, wire_format, wire_formats
from generator.recipe.corpus import CorpusRecipe

Speak = Callable[[WireFormat, Draw, ExpectedCall], str | None]


def prose(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """Plain sentences."""
    return " ".join([hard_sentence(draw) for _ in range(draw.between(1, 3))])


def half_marker(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """The beginning of a marker, and then prose, or the end of the text."""
    marker = draw.choice(fmt.markers) if fmt.markers else "["
    return draw.choice(TEXTS["around_half_marker"]).replace("$", marker[: draw.between(1, max(1, len(marker) - 1))])


def bare_marker(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A sentence that mentions a marker."""
    marker = draw.choice(fmt.markers) if fmt.markers else ""
    return draw.choice(TEXTS["around_marker"]).replace("$", marker) if marker else None


def words_behind_marker(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A long text mentions the marker that opens calls: what follows must not be held back."""
    more = "It is only a word here, and more words follow. " * 12
    return f"Calls begin with {fmt.opening} in this model. {more}".strip() if fmt.opening else None


def code_block(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A code block of Markdown, in prose."""
    return f"Here is how:\n\n```{draw.choice(('python', 'json', 'xml', ''))}\n{draw.choice(TEXTS['code'])}\n```\n\nDoes that help?"


def json_in_prose(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """JSON that is not a call."""
    return draw.choice(TEXTS["json_in_prose"])


_FOREIGN = (
    "hermes", "mistral_text", "mistral_text-v3", "llama4_pythonic", "deepseek_v31", "jamba", "internlm2", "longcat", "kimi_k2",
    "lfm2", "functionary_v31", "minimax_m2", "gemma4", "granite3",
)  # fmt: skip
"""Not all formats: a new one would change the case of every other."""


def foreign_call(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """A call in another format, with markers that this one does not know."""
    candidates = [wire_formats()[name] for name in _FOREIGN]
    without_our_markers = [other for other in candidates if other.opening and not set(other.markers) & set(fmt.markers)]
    if not fmt.opening or not without_our_markers:
        return None
    other = draw.choice(without_our_markers)
    text = write(other, (call,))
    return (
        None if any(marker in text for marker in fmt.special) else draw.choice((text, f"In another dialect: `{text}`"))
    )


def thinking_only(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """Thoughts about a call that is never made, in markers that the format does not have."""
    if "<think>" in (fmt.thoughts or ""):
        return None
    return (
        f"<think>I could call {call.name} with {', '.join(call.arguments) or 'nothing'}.</think>\n{hard_sentence(draw)}"
    )


def nothing(fmt: WireFormat, draw: Draw, call: ExpectedCall) -> str | None:
    """No text, or white space."""
    return draw.choice(("", " ", "\n", "\n\n"))


NO_CALLS: dict[str, Speak] = {
    speak.__name__: speak
    for speak in (prose, half_marker, bare_marker, words_behind_marker, code_block, json_in_prose, foreign_call, thinking_only, nothing)
}  # fmt: skip
"""Ways to call nothing, by name."""


SplitTokens = Callable[[str], list[bytes]]
"""A text → the bytes of its tokens, in order."""
_BYTE = re.compile("<0x[0-9A-F]{2}>")
"""A token for one byte, where a vocabulary does not have the character."""


def load_tokenizer(path: Path) -> SplitTokens:
    """Return the tokenizer of a file.

    Raises:
        RecipeError: the file cannot be read, or the library for it is not installed.
    """
    try:
        data = read_regular(path)
        return _read_tokenizers_file(data) if data.lstrip()[:1] == b"{" else _read_sentencepiece_file(data)
    except ModuleNotFoundError as fault:
        raise RecipeError(f"{path}: needs the package {fault.name!r}: {installing('sentencepiece')}") from None
    except Exception as fault:  # the libraries raise bare exceptions
        raise RecipeError(f"{path}: is no tokenizer: {fault}") from None


def tokens_of(split: SplitTokens, text: str, special: tuple[str, ...]) -> list[bytes] | None:
    """Return the bytes of the text's tokens, special tokens of the format whole; None where a tokenizer changes the text."""
    special_patterns = sorted(map(re.escape, special), key=len, reverse=True)
    parts = re.split(f"({'|'.join(special_patterns)})", text) if special_patterns else [text]
    token_bytes = [piece for part in parts if part for piece in ([part.encode()] if part in special else split(part))]
    pieces = [piece for piece in token_bytes if piece]  # some tokens stand for nothing
    return pieces if b"".join(pieces) == text.encode() else None


def _read_tokenizers_file(data: bytes) -> SplitTokens:
    """Return the tokenizer of a file of the library `tokenizers`."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(data)
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    one_letter_a_byte = '"ByteLevel"' in json.dumps(loads(data).get("decoder"))

    def split(text: str) -> list[bytes]:
        tokens = tokenizer.encode(text, add_special_tokens=False).tokens
        if one_letter_a_byte:
            lengths = [len(token.encode()) if token in added else len(token) for token in tokens]
            return [text.encode()[start:end] for start, end in pairwise([0, *accumulate(lengths)])]
        return _without_marks(text, tokens)

    return split


def _read_sentencepiece_file(data: bytes) -> SplitTokens:
    """Return the tokenizer of a file of the library SentencePiece."""
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_proto=data)

    def split(text: str) -> list[bytes]:
        return _without_marks(text, processor.encode(text, out_type=str))

    return split


def _without_marks(text: str, tokens: list[str]) -> list[bytes]:
    """Return tokens as SentencePiece writes them: U+2581 is a space, one is put before the text, `<0xE3>` is a byte."""
    pieces = [
        bytes([int(token[3:5], 16)]) if _BYTE.fullmatch(token) else token.replace("\u2581", " ").encode()
        for token in tokens
    ]
    if b"".join(pieces) == b" " + text.encode():
        pieces[0] = pieces[0][1:]
    return [piece for piece in pieces if piece]


_TRIES = 12
"""Mutations that are tried on one text, since not every one can be made in it."""
_TEXTS = 4
_TOOLS_OFFERED = 6


class CaseMaker:
    """Makes the cases of one recipe and format."""

    def __init__(self, recipe: CorpusRecipe, tools: dict[str, Usable], fmt: WireFormat) -> None:
        self.fmt = fmt
        self.seed = recipe.seed
        self.tools = tools
        self.names = tuple(tools)
        self.schemas = {name: usable_tool.tool.parameters or {} for name, usable_tool in tools.items()}
        self.kinds = tuple(name for name, _ in recipe.mix)
        self.kind_sums = tuple(accumulate(weight for _, weight in recipe.mix))
        weights = [(name, float(recipe.mutations.get(name, 1.0))) for name in (*MUTATIONS, AMBIGUOUS)]
        self.mutations = tuple(name for name, weight in weights if weight)
        self.mutation_sums = tuple(accumulate(weight for _, weight in weights if weight))
        self.draw = Draw(0, TODAY)
        self.split_tokens = load_tokenizer(recipe.tokenizer) if recipe.tokenizer else None

    @cached_property
    def pools(self) -> "Pools":
        """The tools that the format can write; looked for when the first case is drawn."""
        offered = for_format(
            self.fmt, [usable_tool for usable_tool in self.tools.values() if fits(self.fmt, usable_tool.tool)]
        )
        valid = [part for part in offered if part.usual or part.usable.takes_nothing]
        return Pools(
            full=[part for part in valid if part.usable.hard] or valid,
            empty=[part for part in valid if part.usable.takes_nothing],
            unclear=[part for part in offered if part.unclear],
        )


class Pools(NamedTuple):
    """The tools that one wire format can write, by what they are called with."""

    full: list[ForFormat]
    """Arguments that are hard to read; all tools where there are none."""
    empty: list[ForFormat]
    """No arguments."""
    unclear: list[ForFormat]
    """Values that the format does not tell exactly."""


def case_makers(recipe: CorpusRecipe) -> list[CaseMaker]:
    """Return a maker for each wire format of the recipe; reading the tools is what takes time."""
    tools = usable_tools(recipe)
    makers = [CaseMaker(recipe, tools, wire_format(name)) for name in recipe.formats if name in wire_formats()]
    for maker in makers:
        if not maker.pools.full:
            raise RecipeError(f"{recipe.path}: no tool has names that {maker.fmt.name} can write")
    return makers


def make_case(maker: CaseMaker, index: int) -> Case:
    """Return the case with that index."""
    draw = maker.draw
    draw.reseed(stream_seed("corpus", maker.seed, maker.fmt.name, index), TODAY)
    kind = weighted(draw, maker.kinds, maker.kind_sums)
    if kind == "valid":
        return _valid_case(maker, draw, index)
    return _broken_case(maker, draw, index) if kind == "broken" else _drawn_case_without_calls(maker, draw, index)


def weighted(draw: Draw, names: tuple[str, ...], sums: tuple[float, ...]) -> str:
    """Return one of these names; `sums` are their weights, each added to those before it."""
    return names[bisect_right(sums, draw.rand() * sums[-1])]


# ---------------------------------------------------------------------------------------------------- valid cases


class _Draft(msgspec.Struct):
    """A completion in the making."""

    calls: tuple[ExpectedCall, ...]
    content: str | None
    style: Style
    mutations: list[Mutation]
    tags: list[str]
    is_shuffled: bool = False
    """Whether arguments stand in another order than is usual."""


def _valid_case(maker: CaseMaker, draw: Draw, index: int) -> Case:
    """Return a drawn case with calls; where its text has several meanings, all of them are allowed."""
    answer = _drawn_calls(maker, draw)
    written = write_completion(maker.fmt, answer.calls, answer.content, answer.style)
    if _is_valid(maker, written.text, answer):
        return _case(maker, draw, index, "y", written, answer)
    readings = readings_of(maker.fmt, answer.calls, maker.schemas)
    return _case(maker, draw, index, "i", written, answer, allowed=(*readings, ()) if readings else ())


def _drawn_calls(maker: CaseMaker, draw: Draw, *, may_swap: bool = True) -> _Draft:
    """Return an answer that is drafted: its calls and how they are written.

    With `may_swap` arguments may stand before the name, which is not valid.
    """
    answer = _Draft((), None, Style(json=maker.fmt.json), [], [])
    calls = [_drawn_call(maker, part, draw, answer) for part in _drawn_tools(maker, draw, answer)]
    if draw.chance(0.08):
        calls = _with_big_argument(maker, calls, draw, answer)
    answer.calls = tuple(calls)
    _choose_style(maker.fmt, draw, answer, may_swap)
    return answer


def _drawn_tools(maker: CaseMaker, draw: Draw, answer: _Draft) -> list[ForFormat]:
    """Return which tools are called: how many, the same ones again, and where those without arguments stand."""
    number = 1 if maker.fmt.one else _drawn_number_of_calls(draw)
    if number > 1 and draw.chance(0.25):
        answer.tags.append("same_function")
        return [draw.choice(maker.pools.full)] * number
    parts = [draw.choice(maker.pools.full) for _ in range(number)]
    if maker.pools.empty and draw.chance(0.35):
        answer.tags.append("empty_arguments")
        for index in [draw.below(number)] if draw.chance(0.7) else range(number):
            parts[index] = draw.choice(maker.pools.empty)
    return parts


def _drawn_number_of_calls(draw: Draw) -> int:
    point = draw.rand()
    return 1 if point < 0.4 else 2 if point < 0.68 else draw.between(3, 5) if point < 0.92 else draw.between(6, 16)


def _drawn_call(maker: CaseMaker, part: ForFormat, draw: Draw, answer: _Draft) -> ExpectedCall:
    """Return a drawn call with usual arguments, some replaced by a value that is hard to read, whose tag is added to the answer's."""
    name = part.usable.tool.name
    is_chosen = "empty_arguments" in answer.tags and part in maker.pools.empty
    if part.usable.takes_nothing and draw.chance(0.8 if is_chosen else 0.1):
        answer.tags.append("empty_arguments")
        return ExpectedCall(name, {})
    usual = draw.choice(part.usual) if part.usual else {}
    arguments = dict(usual)
    for key, pool in part.clear.items():
        if draw.chance(0.5 if key in arguments or key in part.usable.required else 0.25):
            hard = draw.choice(pool)
            arguments[key] = hard.value
            answer.tags.append(hard.tag)
    if not part.usable.is_valid(arguments):
        arguments = dict(usual)
    if len(arguments) > 1 and draw.chance(0.2):
        answer.is_shuffled = True
        arguments = {key: arguments[key] for key in draw.shuffled(list(arguments))}
    else:
        order = part.usable.order
        arguments = {key: arguments[key] for key in sorted(arguments, key=lambda key: order.get(key, len(order)))}
    return ExpectedCall(name, arguments)


def _with_big_argument(maker: CaseMaker, calls: list[ExpectedCall], draw: Draw, answer: _Draft) -> list[ExpectedCall]:
    """Return the calls with one argument replaced by a very long text or a deeply nested value, where a tool takes one."""
    for index in draw.shuffled(list(range(len(calls)))):
        call = calls[index]
        usable_tool = maker.tools[call.name]
        for key in draw.shuffled(list(usable_tool.hard)):
            value: Any = long_text(draw) if draw.chance(0.5) else deep_value(draw)
            schema = properties_of(usable_tool.tool.parameters)[key]
            arguments = call.arguments | {key: value}
            if usable_tool.is_valid(arguments) and alternatives(maker.fmt, value, schema) == (value,):
                answer.tags.append("long" if isinstance(value, str) else "deep")
                return [*calls[:index], ExpectedCall(call.name, arguments), *calls[index + 1 :]]
    return calls


def _choose_style(fmt: WireFormat, draw: Draw, answer: _Draft, may_swap: bool) -> None:
    """Choose prose, thoughts and a JSON style, which do not change the meaning; each is recorded as a mutation."""
    if fmt.prose and draw.chance(0.3):
        answer.content = hard_sentence(draw)
        answer.mutations.append(Mutation("prose_before"))
    style: dict[str, Any] = {}
    if fmt.thoughts and draw.chance(0.15):
        style["thoughts"] = thought(draw)
        answer.mutations.append(Mutation("thoughts_before"))
    if fmt.arguments == "json" and draw.chance(0.35):
        style["json"] = draw.choice(("minimal", "pretty", "pretty_crlf", "ascii", "slashes"))
        answer.mutations.append(Mutation("json_style", arg=style["json"]))
    is_object = fmt.call_pieces == (("slot", "object"),) or "$object" in fmt.call
    if may_swap and is_object and draw.chance(0.15):
        style["arguments_first"] = True
        answer.mutations.append(Mutation("arguments_first"))
    if answer.is_shuffled:
        answer.mutations.append(Mutation("shuffled_arguments"))
    answer.style = msgspec.structs.replace(answer.style, **style)


def _is_valid(maker: CaseMaker, text: str, answer: _Draft) -> bool:
    """Whether a parser must read these calls, whose values have one meaning; right parsers agree about all else in it."""
    return not answer.style.arguments_first and reads_as_meant(
        maker.fmt, text, answer.calls, answer.content, maker.schemas
    )


# ------------------------------------------------------------------------------------------------ broken, no calls


def _broken_case(maker: CaseMaker, draw: Draw, index: int) -> Case:
    """Return a valid completion that is changed by a drawn mutation; a valid one where none could be made."""
    for _ in range(_TEXTS):
        answer = _drawn_calls(maker, draw, may_swap=False)
        written = write_completion(maker.fmt, answer.calls, answer.content, answer.style)
        text = written.text
        if not _is_valid(maker, text, answer):
            continue
        draft = Draft(fmt=maker.fmt, text=text, calls=answer.calls, content=answer.content, style=answer.style)
        for _ in range(_TRIES):
            name = weighted(draw, maker.mutations, maker.mutation_sums)
            if name == AMBIGUOUS and maker.pools.unclear:
                return _ambiguous(maker, draw, index)
            broken = MUTATIONS[name](draft, draw) if name != AMBIGUOUS else None
            if broken is not None and broken.text != text:
                at = len(broken.text[: broken.at].encode(errors="surrogatepass"))
                answer.mutations.append(Mutation(name, at, broken.arg))
                allowed = _readings_of_broken(maker.fmt, answer, written, broken)
                return _case(maker, draw, index, "i", written, answer, text=broken.text, allowed=allowed)
    return _valid_case(maker, draw, index)


def _ambiguous(maker: CaseMaker, draw: Draw, index: int) -> Case:
    """Return a call with a value that the format cannot tell from another one."""
    part = draw.choice(maker.pools.unclear)
    key = draw.choice(tuple(part.unclear))
    hard = draw.choice(part.unclear[key])
    usual = draw.choice(part.usual or part.usable.usual or ({},))
    call = ExpectedCall(part.usable.tool.name, usual | {key: hard.value})
    answer = _Draft((call,), None, Style(json=maker.fmt.json), [Mutation(AMBIGUOUS, arg=key)], [hard.tag])
    written = write_completion(maker.fmt, answer.calls, None, answer.style)
    return _case(maker, draw, index, "i", written, answer, allowed=readings_of(maker.fmt, answer.calls, maker.schemas))


def _drawn_case_without_calls(maker: CaseMaker, draw: Draw, index: int) -> Case:
    """Return a drawn case in which nothing is called."""
    part = draw.choice(maker.pools.full)
    call = ExpectedCall(part.usable.tool.name, draw.choice(part.usual) if part.usual else {})
    content = None
    for _ in range(_TRIES):
        name = draw.choice(tuple(NO_CALLS))
        content = NO_CALLS[name](maker.fmt, draw, call)
        if content is not None:
            break
    return _case_without_calls(maker, draw, index, _Draft((), content or "", Style(), [Mutation(name)], []))


def _case_without_calls(maker: CaseMaker, draw: Draw | None, index: int, answer: _Draft, name: str = "") -> Case:
    """Return the case of a text without calls, which must be read as such (`n`) if nobody can read a call in it."""
    written = write_completion(maker.fmt, (), answer.content, answer.style)
    clear = calls_nothing(maker.fmt, written.text, answer.content or "", maker.schemas)
    return _case(maker, draw, index, "n" if clear else "i", written, answer, name=name)


# ---------------------------------------------------------------------------------------------------------- cases


def _case(
    maker: CaseMaker,
    draw: Draw | None,
    index: int,
    verdict: Verdict,
    written: Completion,
    answer: _Draft,
    text: str | None = None,
    allowed: tuple[tuple[ExpectedCall, ...], ...] = (),
    name: str = "",
) -> Case:
    """Return the case of a drafted answer, with its verdict; without `draw` no plans are drawn for it."""
    fmt = maker.fmt
    text = written.text if text is None else text
    label = (
        answer.mutations[-1].op if verdict != "y" and answer.mutations else answer.tags[0] if answer.tags else "plain"
    )
    called = [call.name for call in answer.calls if call.name in maker.tools]
    offered_too = [maker.names[draw.below(len(maker.names))] for _ in range(_TOOLS_OFFERED - 3)] if draw else []
    thoughts = answer.style.thoughts if fmt.thoughts else None
    if verdict == "i" and written.text != text and written.text.startswith(text):
        answer.mutations.insert(0, Mutation("truncate", len(text.encode())))
    elif verdict == "i" and ends_inside(fmt, text, answer.calls):
        answer.mutations.insert(0, Mutation("end_inside"))
    return Case(
        id=name or f"{label}-{index:06d}",
        format=fmt.name,
        verdict=verdict,
        text=text.encode("utf-8", "surrogatepass"),
        oracle=Oracle(answer.calls, answer.content or None, thoughts) if verdict != "i" or answer.calls else None,
        prefix=written.prefix,
        emissions=emissions_of(written) if verdict != "i" else None,
        allowed=tuple([Oracle(calls, answer.content) for calls in allowed]),
        tools=tuple(dict.fromkeys([*called, *offered_too])),
        mutations=tuple(answer.mutations),
        tags=tuple(sorted({*answer.tags, f"calls_{min(len(answer.calls), 4)}"})),
        plans=(*chunks.plans(text, fmt.special, draw), *_tokenizer_plans(maker, text)) if draw else (),
        stretch=_bytes_of_run(text, answer) if verdict == "y" else None,
    )


def case_of_parts(
    maker: CaseMaker,
    name: str,
    calls: tuple[ExpectedCall, ...],
    content: str | None,
    style: Style,
    broken: BrokenCompletion | None = None,
) -> Case:
    """Return the case that holds these calls, or a broken form of it, without plans; its verdict is what can be justified."""
    answer = _Draft(calls, content, style, [], [])
    if broken is None and not calls:
        return _case_without_calls(maker, None, 0, answer, name)
    written = write_completion(maker.fmt, calls, content, style)
    if broken is not None:
        allowed = _readings_of_broken(maker.fmt, answer, written, broken)
        return _case(maker, None, 0, "i", written, answer, broken.text, allowed, name)
    second = maker.fmt.one and len(calls) > 1
    if not second and has_one_meaning(maker.fmt, written.text, calls, content, maker.schemas):
        return _case(maker, None, 0, "y", written, answer, name=name)
    readings = (calls, calls[:1]) if second else readings_of(maker.fmt, calls, maker.schemas)
    return _case(maker, None, 0, "i", written, answer, allowed=(*readings, ()) if readings else (), name=name)


def _readings_of_broken(
    fmt: WireFormat, answer: _Draft, written: Completion, broken: BrokenCompletion
) -> tuple[tuple[ExpectedCall, ...], ...]:
    """Return the calls that a broken completion may be read as; of one that is cut off, those of the beginning that is left."""
    if not written.text.startswith(broken.text):
        return broken.allowed
    size = len(broken.text.encode())
    return readings_of_prefix(fmt, answer.calls, written.text.encode(), emissions_of(written), size)


def _tokenizer_plans(maker: CaseMaker, text: str) -> Iterator[ChunkPlan]:
    """Yield the plans that cut a text where the tokenizer of the recipe does."""
    pieces = tokens_of(maker.split_tokens, text, maker.fmt.special) if text and maker.split_tokens else None
    if pieces:
        yield from chunks.plans_of_tokens(text, pieces, maker.fmt.special)


_RUN = re.compile(r"(?:lorem ipsum dolor sit amet, |a{40}|日本語 ){8,}")


def _bytes_of_run(text: str, answer: _Draft) -> tuple[int, int] | None:
    """Return the bytes of a long run inside a text, which may be repeated."""
    match = _RUN.search(text) if "long" in answer.tags else None
    if match is None:
        return None
    start = len(text[: match.start()].encode())
    return start, start + len(match[0].encode())
