"""A row arranged for a person: who says what and why, which calls were made at once, where each value comes from; and how rows are found.

Nothing is printed or escaped here; the caller does that.
"""

import heapq
import random
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import orjson

from generator.core.claims import Claim, TellClaim, UseClaim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    Message,
    Rejected,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.documents import nearest
from generator.core.errors import FormatError, OutputError
from generator.core.exact_json import is_among
from generator.core.pointers import leaves, resolve
from generator.formats.files.records import records_of
from generator.formats.run_folder.files import PROOFS, companion_file, files_of, held_by
from generator.formats.run_folder.proof_line import Placed, ProofLine, placed_rows
from generator.formats.sinks import unpacked_name
from generator.report.measure import ReadRow, files_to_measure, rows_of
from generator.report.rows import Origins, Value, claim_for, is_played

_LONGEST_QUOTE = 60


class ValueOrigin(msgspec.Struct, frozen=True):
    """One argument value (or several, when one claim covers them) and its origin."""

    pointer: str
    value: Any
    words: str
    found: bool = True
    span: tuple[int, int, int] | None = None
    """Message and characters [start, end) in its content where a person reads it, if the proof says so."""


def proven_origins(
    call: ToolCall,
    claims: list[Claim],
    conversation: Conversation,
    asked_at: int | None,
    arguments_served: Collection[Any] = (),
) -> Iterator[ValueOrigin]:
    """Yield origins as the proof claims them; a leaf without a claim is reported as such.

    `asked_at` is the index of the message that asks for the call. `helped` are the arguments of the call before which a policy
    demands this one.
    """
    yielded_pointers: set[str] = set()
    for pointer, value in leaves(call.arguments) if call.arguments else ():
        claim = claim_for(pointer, claims)
        if claim is None and is_among(value, arguments_served):
            yield ValueOrigin(pointer, value, "as in the call before which the policy wants this one")
        elif claim is None:
            yield ValueOrigin(pointer, value, "the proof does not say", found=False)
        elif claim.pointer not in yielded_pointers:
            yielded_pointers.add(claim.pointer)
            value, words = resolve(call.arguments, claim.pointer), _claim_in_words(claim, conversation, asked_at)
            yield ValueOrigin(claim.pointer, value, words, span=_span(claim, asked_at))


def found_origins(call: ToolCall, before: int, conversation: Conversation, origins: Origins) -> Iterator[ValueOrigin]:
    """Yield origins found by search: values that occur literally in a message before message `before`."""
    for pointer, value in leaves(call.arguments) if call.arguments else ():
        origin = origins.search(pointer, value, before)
        words = "" if origin is None else _finding_in_words(origin, conversation)
        yield ValueOrigin(pointer, value, words or "not found literally", found=bool(words))


def _finding_in_words(origin: Value, conversation: Conversation) -> str:
    """Return where a value was found, as `the user says “Oslo”`; "" for one that is only said in other words."""
    if origin.origin == "result":
        path_in_result = f": {origin.in_result}" if origin.in_result else ""
        return f"result of {_caller(origin.message, conversation)}{path_in_result}"
    if origin.message is None or origin.span is None:
        return ""
    speaker = "system message" if origin.origin == "context" else "user"
    return f"the {speaker} says {_quote(origin.message, *origin.span, conversation)}"


def _claim_in_words(claim: Claim, conversation: Conversation, asked_at: int | None) -> str:
    """Return what a claim says of where a value is from: `the user says “Oslo”`."""
    quote = _quote(claim.message, claim.start, claim.end, conversation)
    if claim.source == "user":
        return f"the user says {quote}" if quote else "the user says it"
    if claim.source == "earlier_turn":
        return f"said earlier: {quote}" if quote else "said in an earlier turn"
    if claim.source == "context":
        return f"the system message says {quote}" if quote else "from the system message"
    if claim.source == "default":
        return "the default"
    if claim.source == "expression":
        return f"computed: {claim.expression}"
    words = _quote(*(claim.referred or (asked_at, claim.start, claim.end)), conversation) if claim.pick else ""
    chosen = f"{claim.pick}: the user says {words}" if words else claim.pick
    computed = claim.expression or chosen
    where = f"{claim.result_pointer or '/'}{f' ({computed})' if computed else ''}"
    return f"result of {_caller(claim.message, conversation)}: {where}"


def _span(claim: Claim, asked_at: int | None) -> tuple[int, int, int] | None:
    """Return where the value is said, or for one from a result which element is meant."""
    return claim.referred or claim.words_at(asked_at)


def _quote(index: int | None, start: int | None, end: int | None, conversation: Conversation) -> str:
    """Return characters of a message in quotation marks, cut where they are many; "" where there are none."""
    message = _message_at(index, conversation)
    content = (message.content or "") if message is not None else ""
    if start is None or end is None or not 0 <= start < end <= len(content):
        return ""
    text = content[start:end]
    short = text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"
    return short if text[0] in '“"' else f"“{short}”"


def _message_at(index: int | None, conversation: Conversation) -> Message | None:
    return conversation.messages[index] if index is not None and 0 <= index < len(conversation.messages) else None


def _caller(index: int | None, conversation: Conversation) -> str:
    """Return the tool that a tool message answers for."""
    answer = _message_at(index, conversation)
    if not isinstance(answer, ToolMessage):
        return "an earlier call"
    for message in conversation.messages:
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            if call.id == answer.tool_call_id:
                return call.name
    return answer.name or "an earlier call"


JOINING = "joins"
"""Why the words between forms and acts stand there."""


class ShownWords(msgspec.Struct, frozen=True):
    """Some words of a message, and why they stand there."""

    text: str
    why: str
    """The key of a form (`request: book {table}`), the name of an act (`act: failed`), or `JOINING`."""
    calls: tuple[str, ...] = ()
    """The calls of which they are said, as `2 find_orders`."""


Piece = tuple[int, int, str, tuple[str, ...]]
"""Start, end, why, and ids of calls."""


def derived_words(conversation: Conversation, proof: ProofLine) -> dict[int, list[ShownWords]]:
    """Return the words of each message that the proof says anything about, by the message's index."""
    names = {call.id: call.name for message in conversation.messages for call in getattr(message, "tool_calls", ())}
    tool_names = list(names.values())
    numbers = {call: f"{at + 1} {tool_names[at]}" for at, call in enumerate(proof.calls) if at < len(tool_names)}
    words_by_message = {}
    for index, message in enumerate(conversation.messages):
        content = message.content or ""
        words_by_message[index] = [
            ShownWords(content[start:end], why, tuple([numbers.get(call, "a call that is not made") for call in calls]))
            for start, end, why, calls in _pieces(index, content, proof)
            if start < end
        ]
    return {index: words for index, words in words_by_message.items() if words}


def _pieces(index: int, content: str, proof: ProofLine) -> Iterator[Piece]:
    """Yield the pieces of a message in order; nothing where the proof says nothing of it."""
    uses = [use for use in proof.uses if use.message == index and use.start < len(content)]
    acts = sorted([tell for tell in proof.tells if tell.message == index], key=lambda tell: (tell.start, tell.end))
    if not uses and not acts:
        return
    values, at = _ends_of_values(index, proof), 0
    starts = [*[use.start for use in uses], len(content)]
    for use, limit in zip(uses, starts[1:], strict=True):
        end = _end_of(use, limit, content, values)
        yield from _between(at, use.start, acts)
        yield use.start, end, use.key, use.calls
        at = end
    yield from _between(at, len(content), acts)


def _between(at: int, end: int, acts: list[TellClaim]) -> Iterator[Piece]:
    """Yield the pieces of a text in which no form stands: those of acts, and what joins them and forms."""
    for tell in acts:
        if tell.start < end and at < tell.end:
            start, stop = max(at, tell.start), min(end, tell.end)
            yield at, start, JOINING, ()
            yield start, stop, f"act: {tell.how}", (tell.call_id,)
            at = stop
    yield at, end, JOINING, ()


def _ends_of_values(index: int, proof: ProofLine) -> list[tuple[int, int]]:
    """Return where values, and words that refer to them, begin and end in a message."""
    asked_at = {wish.call_id: wish.message for wish in proof.wishes}
    claims = [*proof.arguments, *[claim for wish in proof.wishes for claim in wish.said]]
    spans = [claim.words_at(asked_at.get(claim.call_id)) for claim in claims]
    spans += [(answer.message, answer.start, answer.end) for answer in proof.answers]
    return [span[1:] for span in spans if span is not None and span[0] == index]


def _end_of(use: UseClaim, limit: int, content: str, values: list[tuple[int, int]]) -> int:
    """Return where a form ends: behind the last of its values, and what its text has behind the last slot."""
    text = use.key.partition(": ")[2]
    ends = [end for start, end in values if use.start <= start < limit]
    if not ends and "{" not in text:
        return min(limit, use.start + len(text))
    end = max(ends, default=use.start)
    tail = text.rpartition("}")[2] if "{" in text else ""
    at = content.find(tail, end, limit)
    return end if at < 0 else at + len(tail)


class ShownCall(msgspec.Struct, frozen=True):
    """A call with the origin of each of its values."""

    number: int
    """Position among all calls of the conversation, from 1."""
    name: str
    origins: tuple[ValueOrigin, ...]


class ShownMessage(msgspec.Struct, frozen=True):
    """One message."""

    role: str
    text: str | None = None
    calls: tuple[ShownCall, ...] = ()
    """Several calls of one message are made in parallel."""
    answers: str = ""
    """For a result: the call it answers, as `2 find_orders`."""
    result: Any = None
    """For a result that is JSON: its value."""
    is_json: bool = False
    thoughts: tuple[tuple[str, str], ...] = ()
    """(kind, text) of what is thought before it."""
    notes: tuple[str, ...] = ()
    """What else is to be said of it: a call that failed, a message that is not to be learnt."""


class ShownRow(msgspec.Struct, frozen=True):
    """A whole row."""

    scenario: str
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    messages: tuple[ShownMessage, ...]
    proven: bool
    """Whether the origins are those of the row's proof; otherwise they were looked for."""
    is_document: bool = False


def show_row(conversation: Conversation | FileSequence, proof: ProofLine | None) -> ShownRow:
    """Arrange a conversation; of a document each file is a message."""
    scenario, tags = (proof.scenario, proof.tags) if proof else ("", ())
    if isinstance(conversation, FileSequence):
        texts = [
            file if isinstance(file, str) else f"{file.prefix}[{file.middle or ''}]{file.suffix}"
            for file in conversation.files
        ]
        files = tuple([ShownMessage(f"file {number}", text) for number, text in enumerate(texts, 1)])
        return ShownRow(scenario="", tags=tags, tools=(), messages=files, proven=False, is_document=True)
    numbers: dict[str, tuple[int, str]] = {}
    number, proof = 0, None if proof is None or is_played(proof) else proof
    claims = proof.claims_by_call() if proof else []
    asked_at = {wish.call_id: wish.message for wish in proof.wishes} if proof else {}
    origins = Origins(conversation, None)
    calls_made = [call for message in conversation.messages for call in getattr(message, "tool_calls", ())]
    by_id = dict(zip(proof.calls, calls_made, strict=False)) if proof else {}
    messages = []
    for position, message in enumerate(conversation.messages):
        calls = []
        is_wrong = isinstance(message, AssistantMessage) and not message.train  # on purpose: nothing is claimed of it
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            number += 1
            numbers[call.id] = (number, call.name)
            if proof is None or is_wrong:
                shown = found_origins(call, position, conversation, origins)
            else:
                asking_message, arguments_served = (
                    asked_at.get(proof.calls[number - 1]),
                    _helped(proof.calls[number - 1], proof, by_id),
                )
                shown = proven_origins(call, claims[number - 1], conversation, asking_message, arguments_served)
            calls.append(ShownCall(number, call.name, tuple(shown)))
        messages.append(_message(message, tuple(calls), numbers))
    if conversation.rejected is not None:
        messages.append(_rejected(conversation.rejected, conversation, number, origins))
    return ShownRow(
        scenario=scenario,
        tags=tags,
        tools=tuple(tool.name for tool in conversation.tools),
        messages=tuple(messages),
        proven=proof is not None,
    )


def _helped(call_id: str, proof: ProofLine, by_id: Mapping[str, ToolCall]) -> list[Any]:
    """Return the arguments of the call, made or refused, before which a policy demands this one; none for other calls."""
    for wish in proof.wishes:
        if wish.call_id == call_id and wish.demanded and wish.helps is not None:
            refused = {other.call_id: other.unmade for other in proof.wishes}.get(wish.helps)
            return list((by_id[wish.helps].arguments if wish.helps in by_id else refused or {}).values())
    return []


def _rejected(wrong: Rejected, conversation: Conversation, number: int, origins: Origins) -> ShownMessage:
    """What should not be said, in place of the last message of the assistant; nothing proves where its values come from."""
    calls = tuple(
        ShownCall(at, call.name, tuple(found_origins(call, len(conversation.messages), conversation, origins)))
        for at, call in enumerate(wrong.message.tool_calls, number + 1)
    )
    return ShownMessage(
        "rejected", wrong.message.content, calls, notes=(wrong.defect or "in place of the last message",)
    )


def _message(message: Message, calls: tuple[ShownCall, ...], numbers: dict[str, tuple[int, str]]) -> ShownMessage:
    """Return a message as it is shown; `numbers` are number and name of each call so far, by id."""
    if isinstance(message, AssistantMessage):
        notes = () if message.train else ("not to be learnt",)
        thoughts = () if message.thoughts is None else tuple(msgspec.structs.asdict(message.thoughts).items())
        return ShownMessage("assistant", message.content, calls, thoughts=thoughts, notes=notes)
    if not isinstance(message, ToolMessage):
        return ShownMessage(str(message.__struct_config__.tag), message.content, calls)
    notes = ("failed",) if message.is_error else ()
    number, name = numbers.get(message.tool_call_id, (0, message.name or "a call that was not made"))
    answers, result, is_json = f"{number} {name}" if number else name, None, False
    with suppress(orjson.JSONDecodeError):
        result, is_json = orjson.loads(message.content), True
    return ShownMessage("tool", message.content, answers=answers, result=result, is_json=is_json, notes=notes)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which records are looked for; what is None does not matter."""

    row: int | None = None
    """Index of the row in its run."""
    scenario: str | None = None
    tag: str | None = None

    def fits(self, row: Placed) -> bool:
        """Whether the row of a run is looked for."""
        has_tag = self.tag is None or self.tag in row.tags
        return has_tag and self.row in (None, row.index) and self.scenario in (None, row.scenario)


EVERY = Wanted()
Place = tuple[int, int]
"""Which of the files, and which record there, both from 0."""


def find_rows(
    path: Path, wanted: Wanted = EVERY, index: int = 0, sample: int | None = None
) -> tuple[list[ReadRow], int]:
    """Return records of a file (see `records_of`) in any format, or of a folder, and how many there are to choose from as far as that was looked at.

    Of a folder the files of the format that keeps most are read. Only the proofs of a run tell rows, scenarios and tags. `index` counts the records that
    are wanted, from 0; `sample` takes so many by chance instead, in their order.

    Raises:
        OutputError: when a file cannot be read, or has no such record.
        FormatError: when its line is not a conversation.
    """
    files = files_of(path)
    places = _places_of(files) if wanted == EVERY else _wanted_places(files, wanted)
    chosen, counted = _chosen(places, index, sample, stop=wanted == EVERY)
    if not chosen:
        what = "the file holds" if wanted == EVERY else "what is looked for are"
        raise OutputError(f"{path}: there is no row {index}: {what} {counted} {'row' if counted == 1 else 'rows'}")
    return [
        row for at, file in enumerate(files) for row in _read(file, {number for n, number in chosen if n == at})
    ], counted


def _places_of(files: Sequence[Path]) -> Iterator[Place]:
    """Yield the places of all records of files."""
    for at, file in enumerate(files):
        for entry in records_of(file, wanted=lambda _: False):
            if not entry.is_blank:
                yield at, entry.number


def _wanted_places(files: Sequence[Path], wanted: Wanted) -> Iterator[Place]:
    """Yield the places of the rows that are looked for; raises OutputError when there are none."""
    proofs = companion_file(files[0], PROOFS)
    if proofs is None:
        raise OutputError(f"{files[0]}: no {PROOFS} stands beside it, which tells rows, scenarios and tags")
    names, is_any_found = [unpacked_name(file) for file in files], False
    for row, _ in placed_rows(proofs):
        if wanted.fits(row):
            for place in [(at, line - 1) for at, name in enumerate(names) for line in row.lines.get(name, ())]:
                is_any_found = True
                yield place
    if not is_any_found:
        raise OutputError(f"{files[0]}: {_why_none(proofs, held_by(names[0]).format, wanted)}")


def _why_none(proofs: Path, format_name: str, wanted: Wanted) -> str:
    """Return why a file has no record that is looked for."""
    rows = [row for row, _ in placed_rows(proofs)]
    if wanted.row is not None:
        of_row = next((row for row in rows if row.index == wanted.row), None)
        if of_row is None:
            return f"{proofs.name} tells of no row {wanted.row}"
        if format_name in of_row.left_out:
            return f"row {wanted.row} is not in this file: {of_row.left_out[format_name]}"
    scenarios, tags = {row.scenario for row in rows}, {tag for row in rows for tag in row.tags}
    for what, name, existing in (("scenario", wanted.scenario, scenarios), ("tag", wanted.tag, tags)):
        if name is not None and name not in existing:
            return f"no row has the {what} {name!r}{nearest(name, sorted(existing))}"
    return "no row in it is all that is looked for"


def _chosen(places: Iterator[Place], index: int, sample: int | None, *, stop: bool) -> tuple[list[Place], int]:
    """Return one place, or a sample; and how many places there are, or if `stop` how many came before it."""
    if sample is not None:
        weighted = enumerate(places, start=1)
        drawn = heapq.nlargest(sample, ((random.random(), number, place) for number, place in weighted))
        return sorted(place for _, _, place in drawn), len(drawn)
    chosen, counted = [], 0
    for counted, place in enumerate(places, start=1):
        if counted == index + 1:
            chosen.append(place)
            if stop:
                break
    return chosen, counted


def _read(path: Path, numbers: Set[int]) -> Iterator[ReadRow]:
    """Yield some records of a file; raises FormatError for one that is no conversation."""
    for row in rows_of(files_to_measure(path), numbers.__contains__) if numbers else ():
        if row is None or row.number not in numbers:
            continue
        if row.fault:
            what = f"not a conversation ({row.format}): " if row.format else ""
            raise FormatError(f"{path}:{row.line}: {what}{row.fault}")
        yield row
        if row.number == max(numbers):
            return


def lines_of(conversation: Conversation, longest_result: int | None) -> list[str]:
    """Return one or more lines for each message; a result is cut after `longest_result` characters (None: not cut)."""
    lines: list[str] = []
    for message in conversation.messages:
        if isinstance(message, SystemMessage):
            lines.append(f"System: {message.content}")
        elif isinstance(message, UserMessage):
            lines.append(f"User: {message.content}")
        elif isinstance(message, ToolMessage):
            lines.append(f"Result of {message.name}: {message.content[:longest_result]}")
        else:
            lines += [
                f"Assistant calls {call.name}: {orjson.dumps(call.arguments).decode()}" for call in message.tool_calls
            ]
            lines += [f"Assistant: {message.content}"] if message.content else []
    return lines
