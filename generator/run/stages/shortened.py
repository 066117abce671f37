"""Rows that are not longer than the recipe allows: without tools that are not called, and without early turns.

Whatever messages a row goes without, its proof is written anew for those that stay and checked again.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from generator.core.claims import Proof, ScriptProof
from generator.core.conversation import AssistantMessage, Conversation, Row, SystemMessage, Violation
from generator.core.errors import CannotCarryError
from generator.core.toolbox import Toolbox
from generator.dialogue.acts.check import check_row
from generator.formats import FORMATS, Format
from generator.formats.files.lengths import measure_by
from generator.formats.rows.deepfabric import FORMAT as DEEPFABRIC
from generator.formats.run_folder.proof_line import call_ids
from generator.formats.sinks import encode_line
from generator.formats.steps import cut_turns
from generator.recipe import Recipe
from generator.run.overlays import OverlaidRow
from generator.run.overlays.scramble import restore
from generator.run.prepared import PreparedRecipe
from generator.run.stages.events import RowEvents
from generator.scenarios import SCENARIOS

CODE = "PL102"
CUT = "cut"
"""The tag of a row without its early turns."""
_OF_ANSWERS = frozenset({"PF106", "PF107", "SP102", "SP104"})


def fit_length(conversation: Conversation, recipe: Recipe) -> Conversation:
    """Return the conversation, with tools that are not called left out until it is short enough."""
    most = recipe.lengths.max_tokens
    if most is None:
        return conversation
    called = {c.name for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls}
    while _tokens(conversation, recipe) > most:
        others = [at for at, tool in enumerate(conversation.tools) if tool.name not in called]
        if not others:
            break
        tools = conversation.tools[: others[-1]] + conversation.tools[others[-1] + 1 :]
        conversation = msgspec.structs.replace(conversation, tools=tools)
    return conversation


def too_long(conversation: Conversation, recipe: Recipe) -> list[Violation]:
    """Return what is wrong with a conversation that does not fit."""
    most = recipe.lengths.max_tokens
    if most is None or (tokens := _tokens(conversation, recipe)) <= most:
        return []
    return [Violation(CODE, "$", f"{tokens:,} tokens, and {most:,} are allowed")]


def _tokens(conversation: Conversation, recipe: Recipe) -> int:
    """Return tokens of the longest record that is written of the conversation."""
    longest, measure = 0, measure_by(recipe.lengths.tokenizer)
    for name in recipe.formats:
        try:
            record = FORMATS[name].render(conversation)
            longest = max(longest, measure(record, encode_line(record)))
        except CannotCarryError:  # the format gets no record
            continue
    return longest


def without_early_turns(
    row_events: RowEvents, shown: OverlaidRow, record: dict[str, Any], prepared: PreparedRecipe
) -> tuple[OverlaidRow, dict[str, Any]]:
    """Return a row and its DeepFabric record without as many early turns as make it too long.

    It stays as it is where it fits, where it has a policy, or where the proof of what would stay does not hold alone.
    """
    may_be_cut = (
        prepared.recipe.lengths.cut_turns and row_events.rules is None
    )  # what a policy demands may follow from any turn
    for kept in cut_turns(shown.conversation.messages) if may_be_cut else ():
        conversation, proof = part_of(shown.conversation, shown.proof, kept)
        if too_long(conversation, prepared.recipe):
            continue
        if len(kept) == len(shown.conversation.messages):
            break
        checked = restore(conversation, proof, shown.renamed) if shown.renamed else (conversation, proof)
        if not check_row(*checked, prepared.toolbox, phrases=False):
            cut = msgspec.structs.replace(shown, conversation=conversation, proof=proof, tags=(*shown.tags, CUT))
            return cut, DEEPFABRIC.render(conversation)
    return shown, record


def without_system(row: Row, toolbox: Toolbox, fmt: Format) -> Conversation:
    """Return the conversation without its system messages.

    The proof decides whether it needs them: "tomorrow" and "12 April" cannot be read without the day that they state.
    Where the format holds one request and its calls only, what is claimed about answers does not count.

    Raises:
        CannotCarryError: when the proof does not hold without them.
    """
    kept = [at for at, message in enumerate(row.conversation.messages) if not isinstance(message, SystemMessage)]
    proven = part_of(row.conversation, row.proof, kept)
    findings = check_row(*(restore(*proven, row.renamed) if row.renamed else proven), toolbox, phrases=False)
    if fmt.policy.requests == "one":
        findings = [finding for finding in findings if finding.code not in _OF_ANSWERS]
    cited_messages = {claim.message for claim in row.proof.arguments} | {
        span.message for script in row.proof.scripts for span in script.spans
    }
    scenario = SCENARIOS.get(row.scenario)  # what a policy demands would be without a reason
    is_governed = any(script.governed for script in row.proof.scripts) or (scenario is not None and scenario.governed)
    if findings or is_governed or not cited_messages <= {None, *kept}:
        raise CannotCarryError("$.messages: a system message that the words depend on")
    return proven[0]


def part_of(conversation: Conversation, proof: Proof, kept: Sequence[int]) -> tuple[Conversation, Proof]:
    """Return some of the messages, and what is claimed of them; a claim that speaks of another message is left out."""
    messages = tuple([conversation.messages[at] for at in kept])
    new_index_by_old = {old: new for new, old in enumerate(kept)}
    gone = set(call_ids(conversation)) - set(call_ids(Conversation(messages)))
    # calls that are not made have names of their message
    names = {
        f"{claim.asked_at}:{claim.tool}": f"{new_index_by_old.get(claim.asked_at)}:{claim.tool}"
        for claim in proof.declines
    }

    def moved(claims: Any) -> Any:
        return tuple(
            [new for claim in claims if (new := _moved(claim, new_index_by_old, names, gone, moved)) is not None]
        )

    claims = {key: moved(value) for key, value in msgspec.structs.asdict(proof).items() if key != "scripts"}
    ends = [*[script.first for script in proof.scripts[1:]], len(conversation.messages)]
    scripts = [
        _script_of(script, end, new_index_by_old, gone) for script, end in zip(proof.scripts, ends, strict=False)
    ]
    return (
        msgspec.structs.replace(conversation, messages=messages),
        Proof(**claims, scripts=tuple([script for script in scripts if script is not None])),
    )


def _script_of(script: ScriptProof, end: int, new_index_by_old: dict[int, int], gone: set[str]) -> ScriptProof | None:
    """Return what a script's proof says of those of its messages that stay; None where none does."""
    kept_indexes = {old: new for old, new in new_index_by_old.items() if script.first <= old < end}
    if not kept_indexes:
        return None
    first, replace = min(kept_indexes.values()), msgspec.structs.replace
    kept_indexes[end] = max(kept_indexes.values()) + 1
    conditions = [condition for condition in script.conditions if condition.name or condition.message in kept_indexes]
    return replace(
        script,
        first=first,
        spans=tuple(
            [replace(span, message=kept_indexes[span.message]) for span in script.spans if span.message in kept_indexes]
        ),
        results=tuple([result for result in script.results if result.call_id not in gone]),
        conditions=tuple(
            [replace(condition, message=kept_indexes.get(condition.message, first)) for condition in conditions]
        ),
    )


def _moved(
    claim: Any, new_index_by_old: dict[int, int], names: dict[str, str], gone: set[str], inside: Callable[[Any], Any]
) -> Any:
    """Return what a claim says of messages that stand elsewhere; None where one of them, or its call, is gone."""
    changed_fields: dict[str, Any] = {}
    for key, value in msgspec.structs.asdict(claim).items():
        if key in ("message", "reply", "asked_at", "by") and value is not None:
            changed_fields[key] = new_index_by_old.get(value)
        elif key == "referred" and value is not None:
            changed_fields[key] = (new_index_by_old[value[0]], *value[1:]) if value[0] in new_index_by_old else None
        elif key == "call_id":
            changed_fields[key] = None if value in gone else names.get(value, value)
        elif key == "calls":
            changed_fields[key] = tuple([names.get(call_name, call_name) for call_name in value])
        elif key in ("said", "spans"):
            changed_fields[key] = inside(value)
    return None if None in changed_fields.values() else msgspec.structs.replace(claim, **changed_fields)
