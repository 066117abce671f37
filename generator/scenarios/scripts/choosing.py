"""Which script a row is of: decided by seed and index alone, so that no script makes more rows than it may."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from generator.core.errors import SpecError
from generator.core.files import cached_result, shipped
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import LeftOut
from generator.recipe import Recipe
from generator.recipe.settings import PairPlace, Scripts, pair_place
from generator.scenarios.scripts.check import CheckedScript, checked
from generator.scenarios.scripts.script import Script, ScriptsOfFile, read_scripts
from generator.scenarios.scripts.worlds import ScriptTools, not_in_toolbox

FOLDER = "scripts"
"""The folder beside a spec file in which scripts for its tools are looked for."""
EVERY = "script"
"""The scenario of which all scripts are."""
SCRIPTED = {
    EVERY: "any script of the recipe",
    "clarify": "a required value is missing; the assistant asks for it before it calls",
    "ambiguous": "several things fit: the assistant says how they differ and asks which one is meant",
    "confirm": "a policy wants a yes before anything is changed; the user says yes or no",
    "follow_up": "a second request that uses a value or a result of the first",
    "multi_turn": "several requests one after the other",
    "long_context": "seven requests or more, of a script or of several",
    "error_recover": "a call is refused; what stands in its way is mended or gone around",
    "error_stop": "a call fails for good; the assistant says so and why",
    "empty_result": "a search finds nothing: the assistant says so, and widens it by leave only",
    "direct_answer": "the conversation or the tools' own descriptions answer it; nothing is called",
}
"""Scenarios whose rows only scripts make, and what they are."""
COMBINED = {"multi_turn": (2, 3), "long_context": (4, 6)}
"""Scenarios whose rows several scripts make one after the other, and how many."""
ALSO = {"multiple": "single"}
"""Scenarios that scripts of another shape make: only the tools on offer differ."""
_WITHOUT_END = frozenset({"irrelevant", "error_stop"})
"""Scripts after which nobody asks for something else: these stand last or alone."""


def scripts_of(recipe: Recipe) -> Scripts | None:
    """Return which scripts a recipe wants: of one that does not say so, those for its scenarios that nothing else makes, if there are any."""
    if recipe.scripts is None and not SCRIPTED.keys().isdisjoint([name for name, _ in recipe.scenarios]):
        return Scripts(share=0.0)
    return recipe.scripts


def script_files(recipe: Recipe) -> list[Path]:
    """Return the files of scripts of a recipe: those that it names, or all beside its spec files where no model writes any."""
    settings = scripts_of(recipe)
    if settings is None or settings.files or settings.asked:
        return [] if settings is None else list(settings.files)
    folders = {tool.file.parent / FOLDER for tool in recipe.tools if tool.file is not None}
    return sorted(file for folder in folders if folder.is_dir() for file in folder.glob("*.yaml"))


class LoadedScripts(msgspec.Struct, frozen=True):
    """The scripts that the tools of a recipe can serve."""

    scripts: tuple[Script, ...]
    left_out: tuple[LeftOut, ...]
    """Scripts that are refused, and wordings that others lose."""


def load_scripts(recipe: Recipe, tools: ScriptTools) -> LoadedScripts:
    """Return the scripts of a recipe.

    Raises:
        SpecError: when a file cannot be read, two scripts have one name, or none of a file that the recipe names is right.
    """
    found: dict[str, Script] = {}
    left_out: list[LeftOut] = []
    ours = shipped("tool_specs").resolve()
    settings = scripts_of(recipe)
    is_found = settings is not None and not settings.files
    loaded = {tool.file.resolve() for tool in recipe.tools if tool.file is not None}
    files = script_files(recipe)
    for path, file in zip(files, cached_result(("scripts", files), partial(_read, files), lambda _: True), strict=True):
        if is_found and not {tool.file.resolve() for tool in file.tools if tool.file is not None} <= loaded:
            continue
        left_out += [LeftOut("script", str(path), fault) for fault in file.faults]
        right, is_ours = 0, path.resolve().is_relative_to(ours)  # looked through by tests: 10,000 wordings take seconds
        for script in file.scripts:
            if any(True for _ in not_in_toolbox(script, tools)) and not (settings and settings.files):
                continue
            one = CheckedScript(script, ()) if is_ours else checked(script, tools)
            what: Literal["script", "wording"] = "script" if one.script is None else "wording"
            left_out += [LeftOut(what, script.name, fault) for fault in one.faults]
            if one.script is None:
                continue
            right += 1
            if script.name in found:
                raise SpecError(f"{script.where}: {found[script.name].where} has another script {script.name!r}")
            found[script.name] = one.script
        if left_out and not right and settings and settings.files:
            raise SpecError("\n".join(one.why for one in left_out))
    return LoadedScripts(tuple(found.values()), tuple(left_out))


def _read(files: Sequence[Path]) -> list[ScriptsOfFile]:
    return [read_scripts(file) for file in files]


class ChosenScripts(msgspec.Struct, frozen=True):
    """The scripts of a row."""

    scripts: tuple[Script, ...]
    scenario: str
    """What the row's scenario is called."""
    pair: PairPlace | None = None
    """Where the row stands in a pair, of which the second row is of the twin that calls nothing."""
    wordings: tuple[int, ...] = ()
    """For each script, the place of its first request's wording, counted round, so that all have their turn; empty: drawn."""
    offering: tuple[str, ...] = ()
    """In a pair: the tools that the first row calls, which both offer."""


class ScriptRows:
    """Which rows are made of which scripts."""

    def __init__(
        self,
        scripts: Sequence[Script],
        recipe: Recipe,
        seed: int,
        scenario_of: Callable[[int], str],
        split_of: Callable[[int], str | None],
        split: str | None = None,
    ) -> None:
        """Divide the scripts of a recipe among its rows.

        Args:
            scripts: All that its tools can serve.
            recipe: The recipe; it has `scripts`.
            seed: What all its random streams begin with.
            scenario_of: Returns the scenario of a row.
            split_of: Returns the part of the data set that a row belongs to.
            split: The only part of which they make rows, where parts have tools of their own.

        Raises:
            SpecError: when a model is to write more of them, which it does in runs alone.
        """
        settings = scripts_of(recipe)
        assert settings is not None
        self._split_of_row = split_of
        self._made_of = (recipe, seed, scenario_of, split_of)
        if settings.asked:
            raise SpecError("a model writes the scripts of this recipe while it is run, and there are none yet")
        self._settings, self._seed, self._scenario_of = settings, seed, scenario_of
        self._split = split
        self._by_shape: dict[str, list[Script]] = {EVERY: list(scripts)}
        for script in scripts:
            self._by_shape.setdefault(script.shape, []).append(script)
        self._by_shape |= {name: self._by_shape[shape] for name, shape in ALSO.items() if shape in self._by_shape}
        self._openers = _openers(scripts)
        self._pairs = recipe.no_call
        self._by_name = {script.name: script for script in scripts}
        self._split_of = split_of if recipe.split_by == "script" else _no_split
        self._splits = _split_of_scripts(scripts, recipe, seed) if recipe.split_by == "script" else {}
        self._left = {script.name: settings.per_script for script in scripts}
        self._decks: dict[tuple[str, str | None], list[Script]] = {}
        self._used_up: set[tuple[str, str | None]] = set()
        """Scenarios and parts of the data set for whose rows no scripts are left."""
        self._rows: list[ChosenScripts | None] = []

    def of_part(self, split: str, tools: Collection[str]) -> "ScriptRows":
        """Return the same for a part of the data set, with the scripts that call no tools but those of the part."""
        own = [one for one in self._by_shape[EVERY] if all(name in tools for name in one.tools)]
        return ScriptRows(own, *self._made_of, split)

    def served(self) -> Mapping[str, int]:
        """Return how many scripts there are of each scenario."""
        return served_by(self._by_shape[EVERY])

    def most(self, scenarios: Sequence[str]) -> int:
        """Return how many rows of some scenarios the scripts make at most."""
        each = self._settings.per_script
        able = {one.name for scenario in scenarios for one in self._by_shape.get(scenario, ())}
        together = max((COMBINED[scenario][1] for scenario in scenarios if scenario in COMBINED), default=0)
        others = {one.name for one in self._openers} - able if together else set[str]()
        return len(able) * each + (len(others) * each // together if together else 0)

    def at(self, index: int, attempt: int) -> ChosenScripts | None:
        """Return the scripts of a row at an attempt; None for one that is put together of phrases.

        A script that does not fit in some attempts gives way to another one of the same scenario.
        """
        while len(self._rows) <= index:
            self._rows.append(self._choose(len(self._rows)))
        chosen = self._rows[index]
        turn = attempt // ATTEMPTS_A_SCRIPT
        if chosen is None or not turn or chosen.pair is not None:
            return chosen
        scenario = self._scenario_of(index)
        others = self._of_split(self._by_shape.get(scenario) or self._openers, index)
        if scenario not in SCRIPTED and self._settings.share < 1 and turn > MOST_SCRIPTS:
            return None
        deck = Draw(stream_seed(self._seed, "other scripts", index), NO_DAY).shuffled(others)
        at = (turn - 1) * len(chosen.scripts)
        scripts = [deck[(at + place) % len(deck)] for place in range(len(chosen.scripts))]
        return ChosenScripts(tuple(scripts), chosen.scenario) if len(scripts) > 1 else _one_script(scripts[0], scenario)

    def _choose(self, index: int) -> ChosenScripts | None:
        """Return the scripts of a row before any attempt has failed; None where the row has none, or another split has it."""
        if self._split is not None and self._split_of_row(index) != self._split:
            return None
        scenario = self._scenario_of(index)
        if (scenario, self._split_of(index)) in self._used_up and scenario not in COMBINED and self._pairs is None:
            return None
        draw = Draw(stream_seed(self._seed, "script", index), NO_DAY)
        place = None if self._pairs is None else pair_place(self._pairs, index)
        if place is not None:
            return self._paired(place, draw)
        if scenario != EVERY and not draw.chance(self._settings.share) and scenario not in SCRIPTED:
            return None
        next_script = self._next_of(scenario, index)
        if scenario in COMBINED and (next_script is None or draw.chance(_COMBINED)):
            several = self._several_scripts(scenario, index, draw)
            return several or (None if next_script is None else self._with_next_wording(next_script, scenario))
        return None if next_script is None else self._with_next_wording(next_script, scenario)

    def _with_next_wording(self, script: Script, scenario: str) -> ChosenScripts:
        return msgspec.structs.replace(_one_script(script, scenario), wordings=(self._count_row(script),))

    def _count_row(self, script: Script) -> int:
        """Note another row of a script; return the place of its first request's wording."""
        self._left[script.name] -= 1
        return stream_seed(self._seed, "wording", script.name) - self._left[script.name]

    def _paired(self, place: PairPlace, draw: Draw) -> ChosenScripts | None:
        """Return the script of a row of a pair: one that names its idle twin, or that twin."""
        if not place.is_first:
            first = self._rows[place.first]
            if first is None:
                return None
            script = self._by_name[first.scripts[0].idle]
            return ChosenScripts((script,), script.shape, place, offering=first.offering)
        able = [one for one in self._by_name.values() if one.idle in self._by_name and self._left[one.name] > 0]
        if not able or not draw.chance(self._settings.share):
            return None
        script = draw.choice(able)
        return ChosenScripts((script,), script.shape, place, (self._count_row(script),), script.tools)

    def _of_split(self, scripts: Sequence[Script], index: int) -> list[Script]:
        """Return the scripts that may make a row: those of its part of the data set."""
        split = self._split_of(index)
        return [one for one in scripts if split is None or self._splits[one.name] == split]

    def _next_of(self, scenario: str, index: int) -> Script | None:
        """Return the next script of a scenario that may make another row: all have their turn before one comes again."""
        deck = self._decks.setdefault((scenario, self._split_of(index)), [])
        for _ in range(2):
            while deck:
                script = deck.pop()
                if self._left[script.name] > 0:
                    return script
            able = self._of_split(self._by_shape.get(scenario, ()), index)
            left = [script for script in able if self._left[script.name] > 0]
            deck += Draw(stream_seed(self._seed, "deck", scenario, sum(self._left.values())), NO_DAY).shuffled(left)
        self._used_up.add((scenario, self._split_of(index)))
        return None

    def _several_scripts(self, scenario: str, index: int, draw: Draw) -> ChosenScripts | None:
        """Return several scripts for one row, each of another opening; None where there are too few left."""
        scripts_with_rows_left = [
            script for script in self._of_split(self._openers, index) if self._left[script.name] > 0
        ]
        number = draw.between(*COMBINED[scenario])
        if len(scripts_with_rows_left) < number:
            return None
        scripts = draw.shuffled(scripts_with_rows_left)[:number]
        return ChosenScripts(tuple(scripts), scenario, wordings=tuple(map(self._count_row, scripts)))


def _openers(scripts: Sequence[Script]) -> list[Script]:
    """Return the scripts that can stand before others in one row."""
    return [one for one in scripts if one.shape not in (*_WITHOUT_END, *COMBINED) and not one.system]


def served_by(scripts: Sequence[Script]) -> dict[str, int]:
    """Return the scenarios that scripts make, with how many there are of each."""
    found = Counter([script.shape for script in scripts])
    if scripts:
        found[EVERY] = len(scripts)
    found.update({name: found[shape] for name, shape in ALSO.items() if found[shape]})
    if len(_openers(scripts)) > 1:
        found.update({name: 1 for name in COMBINED if not found[name]})
    return dict(sorted(found.items()))


def _no_split(index: int) -> None:
    """Return no part of the data set: all scripts may make all rows."""


def _split_of_scripts(scripts: Sequence[Script], recipe: Recipe, seed: int) -> dict[str, str]:
    """Return the part of the data set that each script makes rows of; each part has its share of every shape, as far as it goes."""
    split_by_script: dict[str, str] = {}
    order = sorted(scripts, key=lambda one: (one.shape, stream_seed(seed, "split of script", one.name)))
    rows_by_split = dict.fromkeys([name for name, _ in recipe.splits], 0.0)
    for script in order:
        split = min(recipe.splits, key=lambda one: (rows_by_split[one[0]] + 1) / one[1])[0]
        rows_by_split[split] += 1
        split_by_script[script.name] = split
    return split_by_script


def _one_script(script: Script, scenario: str) -> ChosenScripts:
    return ChosenScripts((script,), scenario if scenario in ALSO else script.shape)


ATTEMPTS_A_SCRIPT = 2
"""Attempts at a row with its script, each in several worlds, before another one of its scenario is tried."""
MOST_SCRIPTS = 6
"""How many others are tried before the row is put together of phrases."""
_COMBINED = 0.5
NO_DAY = date.min
"""Draws that need no day have this one."""


def check_share(rows: ScriptRows, recipe: Recipe) -> Iterator[str]:
    """Yield why a recipe whose rows, or whose rows of some scenarios, are all of scripts cannot be made."""
    settings, names = scripts_of(recipe), [name for name, _ in recipe.scenarios]
    assert settings is not None
    if settings.share < 1 and not SCRIPTED.keys() >= set(names):
        whole = sum(weight for _, weight in recipe.scenarios)
        for name, weight in recipe.scenarios:
            wanted, most = int(recipe.rows * weight / whole), rows.most([name])
            if name in SCRIPTED and most < wanted:
                more = "(`scripts: {per_script: …}` allows more)"
                yield f"scripts make at most {most:,} rows of {name}, {settings.per_script} of each script {more}; about {wanted:,} are asked for"
        return
    served = rows.served()
    for name in names:
        if name not in served:
            yield f"no script is of the scenario {name!r}; there are {kinds_in_words(served)}"
    most = rows.most(names)
    if most < recipe.rows:
        each = settings.per_script
        yield f"with all rows of scripts there are at most {most:,}, {each} of each script; {recipe.rows:,} are asked for"


def kinds_in_words(served: Mapping[str, int]) -> str:
    """Return which scenarios scripts are of, and how many of each."""
    return ", ".join([f"{shape} ({number})" for shape, number in served.items() if shape != EVERY]) or "none"


_NO_SHARE = 1e-9


class WrittenScripts(ScriptRows):
    """Which rows are made of scripts that a model writes meanwhile, a request after the other.

    Those of a request make rows from where the scripts before them are used up. So the scripts of a row follow from its index and the answers
    to the requests up to its own, in whatever order these came.
    """

    def __init__(
        self,
        scripts: Sequence[Script],
        recipe: Recipe,
        seed: int,
        scenario_of: Callable[[int], str],
        split_of: Callable[[int], str | None],
    ) -> None:
        assert recipe.scripts is not None
        self.settings = msgspec.structs.replace(recipe.scripts, asked=())
        self._made_with = msgspec.structs.replace(recipe, scripts=self.settings), seed, scenario_of, split_of
        self.scripts = tuple(scripts)
        self._first_rows: dict[str, int] = {}
        self.requests = 0
        """So many have been added."""
        super().__init__(self.scripts, *self._made_with)

    @property
    def rows(self) -> int:
        """For how many rows there are scripts."""
        return int(len(self.scripts) * self.settings.per_script / (self.settings.share or _NO_SHARE))

    def add(self, scripts: Sequence[Script]) -> None:
        """Add the scripts of the next request, as far as they hold."""
        first = self.rows
        self._rows += [self._choose(index) for index in range(len(self._rows), first)]
        rows, decks, left, splits = self._rows, self._decks, self._left, self._splits
        self.scripts += tuple(scripts)
        self._first_rows |= {script.name: first for script in scripts}
        super().__init__(self.scripts, *self._made_with)
        self._rows, self._decks, self._left, self._splits = rows, decks, self._left | left, self._splits | splits
        self.requests += 1

    def at(self, index: int, attempt: int) -> ChosenScripts | None:
        """Return the scripts of a row at an attempt; none for one that comes after all for which there are some."""
        return super().at(index, attempt) if index < self.rows else None

    def _of_split(self, scripts: Sequence[Script], index: int) -> list[Script]:
        return [one for one in super()._of_split(scripts, index) if self._first_rows.get(one.name, 0) <= index]
