"""What a story's user says, drawn before the first event, so that the world can hold it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Meant, Wish
from generator.core.pointers import escape, resolve, split, with_value
from generator.core.values import same
from generator.scenarios.affordances.filters import finds
from generator.scenarios.goals import Goal, Source, Story, Want
from generator.scenarios.goals.goals import sentence_of, ways_of
from generator.scenarios.goals.read import ACCOUNT, entity_of, names_of
from generator.scenarios.scene import Scene
from generator.world.expressions import ReadableNames

_FEWEST = 2
"""Things that a search has to find, where nobody has written what is said of one of them and no words are looked for, of which all would have the same."""
_CLOSED = ("enum", "const", "format", "minimum", "maximum")
"""What the schemas of arguments have that are no words."""
_MOST = 3
"""Things that a search has to find, where so many goals take one each."""
_DRAWS = 24
"""How often arguments are drawn until one comes up that a sentence says."""

Known = dict[str, dict[str, Any]]
"""What is known of each goal, and of each tool: arguments, what the result holds, and whether it is done."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What the user says of one want."""

    want: Want
    form: str
    """The sentence; empty for a search that nobody asks for."""
    said: tuple[dict[str, Any], ...]
    """Arguments that the sentence says, for each call."""
    withheld: dict[str, Any] = {}
    """Required arguments that the user says when asked."""
    held: dict[str, Any] = {}
    """Arguments that hold on from earlier goals."""
    is_empty: bool = False
    """Whether it is a search that is to find nothing."""
    words: dict[str, str] = {}
    """What the sentence says for them, and for arguments of `said` that it says in words of its own."""

    @property
    def tool(self) -> str:
        """The tool."""
        return self.want.call


def drafts_of(
    scene: Scene, goals: tuple[Goal, ...], story: Story, account: dict[str, Any]
) -> dict[str, tuple[Draft, ...]]:
    """Return what the user says for each of the goals that are wanted in this row; `account` is what they say of their account when asked.

    Raises:
        CannotFillError: when nothing comes up that fits the world.
    """
    found: dict[str, tuple[Draft, ...]] = {}
    known: Known = {ACCOUNT: account} if account else {}
    before: dict[str, Draft] = {}
    skipped: list[Goal] = []
    empty = [goal.goal for goal in goals if goal.empty and scene.draw.chance(goal.empty)]
    _furnish(scene, story, "", known)
    for goal in goals:
        if _is_ruled_out(goal, known, {*names_of(skipped)} - known.keys(), scene.draw.today.isoformat()):
            skipped.append(goal)
            continue
        drafts: list[Draft] = []
        is_empty = goal.goal in empty
        for want in goal.every:
            for tool in searches_of(want, known):
                search = Want(call=tool, unasked=True)
                drafts.append(Draft(want=search, form="", said=(scene.fitted(tool, {}, (want.call,)),)))
                known[tool] = {}
            then = None if is_empty else _then(want.call, goal, [one for one in story.goals if one.goal not in empty])
            draft = _drafted(scene, want, then, before.get(goal.again), known)
            known[goal.goal] = known[want.call] = {**_seen(scene, draft), **_args_of(draft), "empty": is_empty}
            drafts.append(draft)
        if _furnish(scene, story, goal.goal, known):
            last = {**_seen(scene, drafts[-1]), **_args_of(drafts[-1]), "empty": is_empty}
            known[goal.goal] = known[goal.every[-1].call] = last
        before[goal.goal] = before[goal.every[-1].call] = drafts[-1]
        found[goal.goal] = tuple(drafts)
    return found


def _is_ruled_out(goal: Goal, known: Known, left_out: set[str], today: str) -> bool:
    """Whether a goal is not wanted whatever happens: the world rules it out, or there is nothing that it could take."""
    sources = [source for want in goal.every for source in want.sources.values()]
    taken = {source.goal for source in sources if not (source.argument or source.at)}
    named = {goal.again, *[source.goal for source in sources]}
    if left_out & named or any(known.get(name, {}).get("empty") for name in taken):
        return True
    names = {name: ReadableNames(facts) for name, facts in known.items()}
    return goal.test is not None and goal.test({**names, "today": today}) is False


def _finds_nothing(scene: Scene, tool: str, arguments: dict[str, Any]) -> bool:
    outcome = scene.peek(tool, arguments)
    return outcome.ok and not finds(scene.toolkit.toolbox[tool], outcome)


def _furnish(scene: Scene, story: Story, after: str, known: Known) -> bool:
    """Put into the world what the story wants to be there after a goal, or before all; return whether there was anything.

    Raises:
        CannotFillError: when nothing of that kind comes up.
    """
    found = [bias for bias in story.world if bias.after == after and scene.draw.chance(bias.share)]
    for bias in found:
        entity = entity_of(bias, story, scene.toolkit.toolbox)
        names = {name: ReadableNames(facts) for name, facts in known.items()}
        fields: dict[str, Any] = {}
        for field, given in bias.has.items():
            is_computed = field in bias.computed
            value = bias.computed[field]({**names, "today": scene.draw.today.isoformat()}) if is_computed else given
            fields[field] = scene.draw.choice(value) if isinstance(value, list) else value
        if entity is None or None in fields.values():
            raise CannotFillError(f"{bias.where}: there is no such {bias.thing}")
        scene.add(entity.title, **fields)
    return bool(found)


def searches_of(want: Want, known: Known) -> tuple[str, ...]:
    """Return the searches that nobody asks for and that the arguments of a want come from."""
    sources = [source.goal for source in want.sources.values() if not source.argument]
    return tuple(dict.fromkeys(name for name in sources if name not in known))


def _then(tool: str, goal: Goal, goals: Sequence[Goal]) -> tuple[str, ...]:
    """Return the tools of the goals that take what a call finds, one for each."""
    later = [want for one in goals for want in one.every]
    names = {goal.goal, tool}
    return tuple([want.call for want in later for source in want.sources.values() if _takes(source, names)][:_MOST])


def _takes(source: Source, names: set[str]) -> bool:
    return source.goal in names and not source.argument


def _drafted(scene: Scene, want: Want, then: tuple[str, ...] | None, before: Draft | None, known: Known) -> Draft:
    """Return what the user says of a want, in one of its sentences or else in the tool's phrases.

    Args:
        scene: The row.
        want: What is wanted.
        then: The tools that take what it finds; None for a search that finds nothing.
        before: What they said when they wanted it first.
        known: What is known of earlier goals.
    """
    if not want.say:
        return _drafted_plainly(scene, want, tuple(dict.fromkeys(then or ())))
    for text in scene.draw.shuffled(list(want.say)):
        found = _drafted_as(scene, want, scene.draw.choice(ways_of(text)), then, before, known)
        if found is not None:
            return found
    raise CannotFillError(f"{want.call} has nothing to say for its sentences")


def _drafted_plainly(scene: Scene, want: Want, then: tuple[str, ...]) -> Draft:
    """Return what the user says of a want that the tool's own phrases ask for."""
    meant = tuple([slot for slot, source in want.sources.items() if not source.argument])
    drawn = scene.drawn(want.call, then, meant)
    properties = scene.toolkit.toolbox[want.call].properties
    if then and not any(properties[name].keys().isdisjoint(_CLOSED) for name in drawn if name in properties):
        drawn = scene.fitted(want.call, drawn, then, meant, _FEWEST, agreed=True)
    return Draft(want=want, form="", said=({name: one for name, one in drawn.items() if name not in meant},))


def _drafted_as(
    scene: Scene, want: Want, text: str, then: tuple[str, ...] | None, before: Draft | None, known: Known
) -> Draft | None:
    """Return what the user says with a sentence; None where the world has nothing with all that it names."""
    form, words = sentence_of(text)
    spec = scene.toolkit.toolbox[want.call]
    same_again = {slot: _value(source, known) for slot, source in want.sources.items() if source.argument}
    repeated = {slot: value for slot, value in same_again.items() if slot in form.says and slot not in words}
    held = {slot: value for slot, value in same_again.items() if slot not in repeated}
    if before is not None:
        own = {escape(slot): value for slot, value in _args_of(before).items()}
        held = {**{slot: value for slot, value in own.items() if slot not in form.says}, **held}
    meant = [slot for slot, source in want.sources.items() if not source.argument]
    chosen = _chosen(scene, want, known)
    if any(slot in form.says for slot in want.computed.keys() - chosen.keys()):
        return None  # the account that it names is not asked for
    chosen = {slot: value for slot, value in chosen.items() if "/" not in slot or slot in form.says}
    tops = {split(slot)[0] for slot in (*form.says, *chosen)} | {*spec.required}
    drawn = _with_all(scene, want.call, (tops | form.says) - {*same_again, *held, *meant, *chosen})
    own = {**chosen, **repeated, **held}
    drawn = {name: _said_of(value, name, own, form.says) for name, value in drawn.items()}
    fixed = whole(own, drawn)
    drawn = {name: value for name, value in {**drawn, **fixed}.items() if name in tops or name in held}
    if then is not None:
        each = tuple(dict.fromkeys(then))
        fitted = scene.fitted(want.call, drawn, each, tuple(meant), max(1, len(then)), agreed=bool(fixed))
    elif meant or _finds_nothing(scene, want.call, drawn):
        fitted = drawn
    else:
        return None
    if any(name not in fitted or not same(fitted[name], value) for name, value in fixed.items()):
        raise CannotFillError(f"{want.call} does not take what holds on")
    rest = {name: value for name, value in fitted.items() if escape(name) not in {*held, *meant}}
    spoken = {name: value for name, value in rest.items() if any(split(slot)[0] == name for slot in form.says)}
    withheld = {name: value for name, value in rest.items() if name not in spoken}
    if not {split(slot)[0] for slot in form.says} - {*held, *meant} <= spoken.keys():
        return None
    told = {} if before is None else {name: _args_of(before)[name] for name in spoken.keys() & _args_of(before).keys()}
    if told and all(same(spoken[name], value) for name, value in told.items()):
        return None  # nobody asks again for what they have asked for
    return Draft(
        want=want,
        form=form.text,
        said=tuple(_varied(scene, want, spoken, fitted)),
        withheld=withheld,
        held=held,
        is_empty=then is None,
        words=words,
    )


def _said_of(value: Any, name: str, own: Collection[str], says: Collection[str]) -> Any:
    """Return a drawn value: of an object, some parts of which the story has (`passenger/name`), only what the sentence says."""
    if not isinstance(value, dict) or not any(slot.startswith(f"{name}/") for slot in own):
        return value
    return {part: one for part, one in value.items() if f"{name}/{escape(part)}" in says}


def whole(fixed: dict[str, Any], drawn: dict[str, Any]) -> dict[str, Any]:
    """Return fixed values by argument: what is fixed of an object only (`passenger/email`) within what has been drawn of it."""
    whole = {slot: value for slot, value in fixed.items() if "/" not in slot}
    for slot, value in fixed.items():
        if "/" in slot:
            name = split(slot)[0]
            whole = {**whole, name: whole.get(name, drawn.get(name, {}))}
            try:
                whole = with_value(whole, f"/{slot}", value)
            except LookupError:
                raise CannotFillError(f"nothing is drawn in which {slot} could stand") from None
    return whole


def _chosen(scene: Scene, want: Want, known: Known) -> dict[str, Any]:
    """Return the arguments whose values the story gives."""
    chosen: dict[str, Any] = {}
    for slot, value in want.said.items():
        if slot in want.computed:
            names = {name: ReadableNames(facts) for name, facts in known.items()}
            found = want.computed[slot]({**names, "today": scene.draw.today.isoformat()})
            if found is None and ACCOUNT not in known and f"{ACCOUNT}." in value:
                continue
            if found is None:
                raise CannotFillError(f"{want.where}: {value!r} has no value")
            chosen[slot] = found
        else:
            chosen[slot] = scene.draw.choice(value) if isinstance(value, list) else value
    return chosen


def _with_all(scene: Scene, tool: str, slots: set[str]) -> dict[str, Any]:
    """Return drawn arguments among which all of these are."""
    found: dict[str, Any] = {}
    for _ in range(_DRAWS):
        drawn = scene.arguments[tool](scene.draw)
        for slot in sorted(slots):
            name = split(slot)[0]
            if name in drawn and not _has(found, slot) and _has(drawn, slot):
                found[name] = drawn[name]
        if all(_has(found, slot) for slot in slots):
            return found
    raise CannotFillError(f"nothing comes up for all of {', '.join(sorted(slots))} of {tool}")


def _has(arguments: dict[str, Any], slot: str) -> bool:
    try:
        resolve(arguments, slot)
    except LookupError:
        return False
    return True


def _varied(scene: Scene, want: Want, said: dict[str, Any], full: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what is said of each call: of one, or of several that differ in an argument."""
    yield said
    others = [full]
    for _ in range(scene.draw.choice(want.times) - 1 if want.vary else 0):
        value = scene.another_of(want.call, want.vary, others)
        others.append({**full, want.vary: value})
        yield {**said, want.vary: value}


def _value(source: Source, known: Known) -> Any:
    facts = known.get(source.goal, {})
    if source.argument not in facts:
        raise CannotFillError(f"nobody has said {source.argument} of {source.goal}")
    return facts[source.argument]


def _args_of(draft: Draft) -> dict[str, Any]:
    return {**draft.said[0], **draft.withheld, **draft.held}


def _seen(scene: Scene, draft: Draft) -> dict[str, Any]:
    """Return what a look-up would find now; nothing for what depends on an earlier result, or changes something."""
    is_plain = all(source.argument for source in draft.want.sources.values())
    if not is_plain or draft.tool not in scene.toolkit.look_ups or scene.world is None:
        return {}
    value = scene.peek(draft.tool, _args_of(draft)).value
    return value if isinstance(value, dict) else {}


def wish_of(draft: Draft, said: dict[str, Any], meant: dict[str, Any]) -> Wish:
    """Return the wish for one call."""
    stated = {slot: text for slot, text in draft.words.items() if slot in said or isinstance(meant.get(slot), Meant)}
    return Wish(draft.tool, said, meant, draft.want.each, unnamed=draft.want.unasked, form=draft.form, stated=stated)


def part_of(value: Any, at: str) -> Any:
    """Return the object in a result around a place; the result itself where there is none."""
    parent = at.rpartition("/")[0]
    found = resolve(value, parent) if parent else value
    return found if isinstance(found, dict) else {}
