"""Recipes: good ones are read, bad ones are refused with file:line, path and hint, and editors agree.

Covered: every key's shorthands and limits, names with their nearest right word, paths relative to the recipe,
changes from the command line, the JSON Schema against the same good and bad recipes, the shipped recipes.
"""

import json
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from generator.core.documents import read_document
from generator.core.errors import RecipeError
from generator.formats import FORMATS, format_options
from generator.recipe import Override, Recipe, change_recipe, load_recipe
from generator.recipe.overrides import Distribution, FakerProvider, Script, ValueFile
from generator.recipe.schema import recipe_schema
from generator.scenarios import DOCUMENT_SCENARIOS
from generator.scenarios import SCENARIOS as CONVERSATIONS

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(path for path in (ROOT / "recipes").glob("*.yaml") if not path.stem.startswith("fuzz_"))
"""Those of data sets; tests/corpus runs those of corpora."""
SCENARIOS = {**CONVERSATIONS, **DOCUMENT_SCENARIOS}
SCHEMA = recipe_schema(SCENARIOS, FORMATS)

GOOD = {"name": "x", "rows": "10", "tools": "[t.yaml]", "scenarios": "[single]"}

# what a recipe says (its own line is the last), the place that the message names, words of the message
BAD = [
    ("tols: [t.yaml]", "tols", 'did you mean "tools"?'),
    ("rows: '5'", "rows", "a whole number or 'coverage' is expected"),
    ("rows: 0", "rows", "at least 1 is expected, not 0"),
    ("rows: 1.5", "rows", "a whole number or 'coverage' is expected, not 1.5"),
    ("rows: true", "rows", "a whole number or 'coverage' is expected, not true"),
    ("rows: 1000000001", "rows", "at most 1000000000"),
    ("rows: 99999999999999999999999", "rows", "at most 1000000000 is expected, not 99999999999999999999999"),
    ("rows: -99999999999999999999999", "rows", "at least 1 is expected, not -99999999999999999999999"),
    ("xyzzy: 1", "xyzzy", "unknown key (known: $schema, name, "),
    ("schema: 1", "schema", 'unknown key (did you mean "$schema"?)'),
    ("rows:", "rows", "a whole number or 'coverage' is expected, not null"),
    ("seed: -1", "seed", "at least 0 is expected, not -1"),
    ("name: My Data", "name", "text that matches"),
    ("name: ../x", "name", "text that matches"),
    ("tools: t.yaml", "tools", "a list is expected"),
    ("tools: []", "tools", "at least 1 entry"),
    ("tools: [5]", "tools[0]", "a path, or a mapping {file: path}, is expected, not 5"),
    ("tools: [{only: [a]}]", "tools[0]", "one of file, openapi, python, functions, mcp is expected"),
    ("tools: [{file: t.yaml, onyl: [a]}]", "tools[0].onyl", 'did you mean "only"?'),
    ("tools: [{file: t.yaml, only: [a], without: [b]}]", "tools[0]", "either 'only' or 'without', not both"),
    ("scenarios: {single: -1}", "scenarios.single", "at least 0"),
    ("scenarios: {single: two}", "scenarios.single", 'a number is expected, not "two"'),
    ("scenarios: {}", "scenarios", "at least 1 entry"),
    ("scenarios: 5", "scenarios", "a name, a list of names or a mapping {name: weight} is expected, not 5"),
    ("scenarios: [single, single]", "scenarios", "'single' stands here twice"),
    ("scenarios: {paralel: 1}", "scenarios.paralel", "unknown scenario 'paralel' (did you mean \"parallel\"?)"),
    ("scenarios: [single, fanout]", "scenarios[1]", 'did you mean "fan_out"?'),
    ("scenarios: sequental", "scenarios", 'did you mean "sequential"?'),
    ("calls: 1", "calls", "a whole number from 2 to 100, or a pair [lowest, highest] of such, is expected, not 1"),
    ("calls: [2, 3, 4]", "calls", "not [2, 3, 4]"),
    ("steps: x", "steps", 'not "x"'),
    ("offer: {distractor: 3}", "offer.distractor", 'did you mean "distractors"?'),
    ("offer: {distractors: -1}", "offer.distractors", "not -1"),
    ("coverage: pairs", "coverage", "unknown coverage 'pairs' (did you mean \"pairwise\"?)"),
    ("rows: coverag", "rows", "a whole number or 'coverage' is expected, not \"coverag\""),
    ("locale: 5", "locale", "a name, a list of names or a mapping"),
    ("locale: []", "locale", "at least 1 entry"),
    ("strategies: {a: s.py:x}", "strategies.a", "'tool#/argument' is expected"),
    ("strategies: {'a#/b': s.py}", "strategies.a#/b", "'file.py:name' is expected"),
    (
        "arguments: {overrides: {'a#/b': {value: 1, kind: city}}}",
        "arguments.overrides.a#/b",
        "exactly one of 'source', 'value'",
    ),
    ("arguments: {overrides: {'a#/b': {}}}", "arguments.overrides.a#/b", "exactly one of 'source', 'value'"),
    (
        "arguments: {overrides: {'a#/b': {choose: {x: -1}}}}",
        "arguments.overrides.a#/b.choose",
        "the weight of 'x' must be a number of at least 0",
    ),
    ("arguments: {overrides: {'a#/b': {choose: []}}}", "arguments.overrides.a#/b.choose", "at least 1 entry"),
    (
        "arguments: {overrides: {'a#/b': {kind: city, column: x}}}",
        "arguments.overrides.a#/b",
        "'column' goes with 'file'",
    ),
    (
        "arguments: {overrides: {'a#/b': {value: 1, mean: 2}}}",
        "arguments.overrides.a#/b",
        "'mean' goes with 'distribution'",
    ),
    ("arguments: {overrides: {'a#/b': {distribution: norml}}}", "arguments.overrides.a#/b", 'did you mean "normal"?'),
    (
        "arguments: {overrides: {'a#/b': {distribution: normal, mean: 2}}}",
        "arguments.overrides.a#/b",
        "'normal' needs 'deviation'",
    ),
    (
        "arguments: {overrides: {'a#/b': {distribution: zipf, exponent: 2, mean: 1}}}",
        "arguments.overrides.a#/b",
        "'mean' does not go with 'zipf'",
    ),
    (
        "arguments: {overrides: {'a#/b': {distribution: zipf, exponent: 0}}}",
        "arguments.overrides.a#/b.exponent",
        "more than 0 is expected",
    ),
    ("offer: 3", "offer", "a mapping is expected, not 3"),
    ("arguments: {source: realstic}", "arguments.source", 'did you mean "realistic"?'),
    ("arguments: {edge_cases: 1.5}", "arguments.edge_cases", "at most 1"),
    ("arguments: {optional: true}", "arguments.optional", "a number is expected, not true"),
    ("arguments: {overrides: {'a b': realistic}}", "arguments.overrides.a b", "'tool' or 'tool#/argument'"),
    ("arguments: {overrides: {a: realstic}}", "arguments.overrides.a", 'did you mean "realistic"?'),
    ("arguments: {overrides: {a#/b: {kinds: city}}}", "arguments.overrides.a#/b.kinds", 'did you mean "kind"?'),
    ("arguments: {overrides: {a#/b: {}}}", "arguments.overrides.a#/b", "exactly one of"),
    ("arguments: {overrides: {a#/b: {choose: []}}}", "arguments.overrides.a#/b.choose", "at least 1 entry"),
    ("system: 'It is {todya}.'", "system[0]", "unknown placeholder {todya}: only {today} and {weekday} are filled in"),
    ("system: [fine, 'a { b']", "system[1]", "a brace stands alone"),
    ("system: []", "system", "at least 1 entry"),
    ('system: "a\\0b"', "system[0]", "a control character (U+0000)"),
    ("system: 5", "system", "text, or a list of texts, is expected, not 5"),
    ("today: tomorrow", "today", 'a date such as 2026-03-14 (from 1900 to 2199) is expected, not "tomorrow"'),
    ("formats: openai", "formats", "a list is expected"),
    ("formats: [opnai]", "formats[0]", 'did you mean "openai"?'),
    ("formats: [openai, openai]", "formats", "'openai' stands here twice"),
    ("$schema: 5", "$schema", "text is expected"),
    ("thoughts: reason", "thoughts", "a list is expected"),
    ("thoughts: [reasons]", "thoughts[0]", "'reflect', 'introspect' or 'reason' is expected"),
    ("thoughts: [reason, reason]", "thoughts", "'reason' stands here twice"),
    ("documents: t.yaml", "documents", "a mapping is expected"),
    ("documents: {}", "documents.files", "this key is missing"),
    ("documents: {files: []}", "documents.files", "at least 1 entry"),
    (
        "documents: {files: [t.yaml], cuts: [lines]}",
        "documents.cuts[0]",
        "unknown cut 'lines' (did you mean \"line\"?)",
    ),
    ("documents: {files: [t.yaml], together: 1}", "documents.together", "a whole number from 2 to 100"),
    ("documents: {files: [t.yaml], gaps: 2}", "documents.gaps", "at most 1"),
    ("documents: {files: [t.yaml], longest: 5}", "documents.longest", "at least 40"),
]

# what only the reader refuses: a schema cannot say these
BAD_FOR_THE_READER = [
    ("scenarios: {single: 0}", "scenarios", "at least one weight must be above 0"),
    ("calls: [4, 2]", "calls", "the lowest stands first: [2, 4], not [4, 2]"),
    ("arguments: {overrides: {a: {kind: city}}}", "arguments.overrides.a", "is for one argument: a#/argument"),
    ("system: ' '", "system[0]", "must hold some text"),
    ("today: 2025-02-30", "today", "there is no day 2025-02-30"),
    ("today: [2026-02-01, 2026-01-01]", "today", "the earlier day stands first: [2026-01-01, 2026-02-01]"),
    ("tools: [t.yml]", "tools[0]", 'there is no file t.yml (did you mean "t.yaml"?)'),
    ("tools: [nowhere/t.yaml]", "tools[0]", "(there is no folder nowhere)"),
    ("tools: [.]", "tools[0]", "is a folder"),
    ("tools: [{file: t.yml}]", "tools[0].file", "there is no file t.yml"),
    ("documents: {files: [t.yml]}", "documents.files[0]", 'there is no file t.yml (did you mean "t.yaml"?)'),
    ("documents: {files: [.]}", "documents.files[0]", "is a folder"),
    ("goals: [.]", "goals[0]", ". is a folder; a file is expected"),
    ("goals: [/dev/null]", "goals[0]", "/dev/null is a device or a pipe; a file is expected"),
    ("tools: [/dev/null]", "tools[0]", "/dev/null is a device or a pipe; a file is expected"),
    ("lengths: {tokenizer: /dev/null}", "lengths.tokenizer", "/dev/null is a device or a pipe; a file is expected"),
]

# (file name, text, message): what is no recipe at all
BROKEN = [
    ("r.yaml", "", "r.yaml:1: a recipe is a mapping"),
    ("r.yaml", "- a\n", "r.yaml:1: a recipe is a mapping"),
    ("r.yaml", "name: x\nrows: [\n", "r.yaml:3: not valid YAML"),
    ("r.yaml", "name: x\nrows: 5\nname: y\n", "r.yaml:3: not valid YAML: the key 'name' stands here a second time"),
    ("r.yaml", "a: &a [*a]\n", "r.yaml:1: not valid YAML: *a stands within &a"),
    ("r.json", '{"name": "x",\n "rows": }', "r.json:2: not valid JSON"),
    ("r.json", '{"name": "x", "name": "y"}', "r.json:1: not valid JSON: the key 'name' stands in one object twice"),
    ("r.yaml", "5: x\n", "a key of plain text is expected, not 5"),
    ("r.yaml", b"name: \xff\n", "r.yaml: not UTF-8 text"),
]


def recipe_text(line: str) -> str:
    """A good recipe with one line put in place of its own or added, always last."""
    key = line.partition(":")[0]
    return "".join(f"{name}: {value}\n" for name, value in GOOD.items() if name != key) + line + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.yaml").write_text("[]")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text: str | bytes, name: str = "r.yaml") -> Recipe:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_recipe(Path(name), scenarios=SCENARIOS, formats=FORMATS)


@pytest.mark.usefixtures("folder")
class TestRefused:
    @pytest.mark.parametrize(("line", "place", "words"), BAD + BAD_FOR_THE_READER)
    def test_tells_line_place_and_reason(self, line: str, place: str, words: str):
        text = recipe_text(line)
        with pytest.raises(RecipeError) as caught:
            read(text)
        message = str(caught.value)
        assert message.startswith(f"r.yaml:{text.count(chr(10))}: {place}: ")
        assert words in message
        assert "\n" not in message

    @pytest.mark.parametrize(("name", "text", "words"), BROKEN)
    def test_what_is_no_recipe(self, name: str, text: str | bytes, words: str):
        with pytest.raises(RecipeError) as caught:
            read(text, name)
        assert words in str(caught.value)

    def test_a_missing_file_names_the_nearest(self):
        Path("parallel.yaml").write_text("")
        with pytest.raises(
            RecipeError, match=r"paralel\.yaml: there is no such file \(did you mean \"parallel\.yaml\""
        ):
            load_recipe(Path("paralel.yaml"), scenarios=SCENARIOS, formats=FORMATS)

    def test_all_faults_at_once(self):
        with pytest.raises(RecipeError) as caught:
            read("name: x\nrows: 0\nsed: 4\ntools: 5\nscenarios: [single]\n")
        assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "4", "3"]

    def test_a_fault_deep_inside_is_told_with_its_own_line(self):
        with pytest.raises(RecipeError, match=r"^r\.yaml:8: arguments\.overrides\.a#/b\.choose: a list"):
            read(recipe_text("arguments:\n  overrides:\n    a#/b:\n      choose: 5"))

    @given(line=st.text(max_size=30))
    def test_any_text_is_read_or_refused_with_a_message(self, tmp_path_factory, line: str):
        path = tmp_path_factory.getbasetemp() / "any.yaml"
        path.write_text(recipe_text("seed: 1") + line, encoding="utf-8", newline="")
        with pytest.raises(RecipeError):
            load_recipe(path, scenarios=(), formats=())  # no name is known, so nothing can be right


@pytest.mark.usefixtures("folder")
class TestRead:
    def test_what_is_left_out(self):
        recipe = read(recipe_text("seed: 0"))
        assert recipe.offer.distractors == (0, 3)
        assert (recipe.calls, recipe.steps) == ((2, 4), (2, 3))
        assert (recipe.arguments.source, recipe.arguments.edge_cases) == ((("realistic", 1.0),), 0)
        assert (recipe.system, recipe.formats) == ((), ("deepfabric",))
        assert recipe.today == (date(2025, 1, 1), date(2026, 12, 31))

    @pytest.mark.parametrize(
        ("line", "weights"),
        [
            ("scenarios: single", {"single": 1}),
            ("scenarios: [parallel, single]", {"parallel": 1, "single": 1}),
            ("scenarios: {parallel: 2, single: 0.5, mixed: 0}", {"parallel": 2, "single": 0.5}),
        ],
    )
    def test_scenarios_are_weights_in_their_order(self, line: str, weights: dict[str, float]):
        assert read(recipe_text(line)).scenarios == tuple(weights.items())

    def test_a_number_is_a_range(self):
        assert read(recipe_text("calls: 3")).calls == (3, 3)

    def test_overrides(self):
        text = "arguments: {overrides: {a: property_based, a#/b: {choose: [1, x]}, a#/c/d: {kind: city}}}"
        assert read(recipe_text(text)).arguments.overrides == {
            "a": Override(source="property_based"),
            "a#/b": Override(choose=(1, "x")),
            "a#/c/d": Override(kind="city"),
        }

    def test_every_way_to_override(self, folder: Path):
        for name in ("v.csv", "s.py"):
            (folder / name).write_text("")
        ways = {
            "a#/1": ("{value: null}", Override(choose=(None,))),
            "a#/2": ("{choose: {x: 3, y: 1, z: 0}}", Override(choose=("x", "y"), weights=(3, 1))),
            "a#/3": ("{file: v.csv, column: c}", Override(file=ValueFile(file=Path("v.csv"), column="c"))),
            "a#/4": (
                "{faker: bothify, with: {text: '##'}}",
                Override(faker=FakerProvider(name="bothify", arguments={"text": "##"})),
            ),
            "a#/5": ("{strategy: s:x}", Override(strategy=Script(file=Path("s.py"), name="x"))),
            "a#/6": (
                "{distribution: normal, mean: 3, deviation: 0.5, max: 9}",
                Override(distribution=Distribution(name="normal", parameters={"mean": 3, "deviation": 0.5, "max": 9})),
            ),
        }
        text = ", ".join(f"'{key}': {written}" for key, (written, _) in ways.items())
        line = f"arguments: {{overrides: {{{text}}}}}"
        assert read(recipe_text(line)).arguments.overrides == {key: meant for key, (_, meant) in ways.items()}
        assert Draft202012Validator(SCHEMA).is_valid(yaml.safe_load(recipe_text(line)))

    def test_locales_strategies_and_coverage(self, folder: Path):
        (folder / "s.py").write_text("")
        recipe = read(
            recipe_text(
                "rows: coverage\ncoverage: pairwise\nlocale: {de_DE: 3, ja_JP: 1}\nstrategies: {'a#/b': s.py:x}"
            )
        )
        assert (recipe.rows, recipe.coverage) == (0, "pairwise")
        assert recipe.arguments.locale == (("de_DE", 3), ("ja_JP", 1))
        assert recipe.arguments.strategies == {"a#/b": Script(file=Path("s.py"), name="x")}

    def test_rows_until_covered_need_something_to_cover(self):
        with pytest.raises(RecipeError, match=r"rows: 'rows: coverage' needs 'coverage: pairwise'"):
            read(recipe_text("rows: coverage"))
        assert not Draft202012Validator(SCHEMA).is_valid(yaml.safe_load(recipe_text("rows: coverage")))

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("strategies: {'a#/b': s.py:x}", "strategies.a#/b: there is no file s.py"),
            (
                "arguments: {overrides: {'a#/b': {file: t.yml}}}",
                'overrides.a#/b.file: there is no file t.yml (did you mean "t.yaml"?)',
            ),
        ],
    )
    def test_files_beside_it_must_be_there(self, line: str, words: str):
        with pytest.raises(RecipeError) as caught:
            read(recipe_text(line))
        assert words in str(caught.value)

    def test_one_system_message_or_several(self):
        assert read(recipe_text("system: 'It is {weekday}, {today}.'")).system == ("It is {weekday}, {today}.",)
        assert read(recipe_text("system: [a, b]")).system == ("a", "b")

    def test_one_day_or_several(self):
        day = date(2026, 3, 14)
        assert read(recipe_text("today: 2026-03-14")).today == (day, day)
        assert read(recipe_text("today: [2026-03-14, 2026-03-15]")).today == (day, date(2026, 3, 15))

    def test_files_are_found_from_the_recipe(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        (folder / "recipes").mkdir()
        text = recipe_text("tools: [../t.yaml, {file: ../t.yaml, only: [a]}]")
        (folder / "recipes" / "r.yaml").write_text(text)
        monkeypatch.chdir("/")
        recipe = load_recipe(folder / "recipes" / "r.yaml", scenarios=SCENARIOS, formats=FORMATS)
        assert [tool.file for tool in recipe.tools] == [folder / "t.yaml"] * 2
        assert recipe.tools[1].only == ("a",)
        assert recipe.text == text

    def test_json_is_read_too_and_may_name_its_schema(self):
        value = {"$schema": "recipe.schema.json", "name": "x", "rows": 3, "tools": ["t.yaml"], "scenarios": "single"}
        assert read(json.dumps(value), "r.json").rows == 3


@pytest.mark.usefixtures("folder")
class TestChanged:
    def test_the_command_line_has_the_last_word(self):
        recipe = change_recipe(read(recipe_text("seed: 1")), rows=5, seed=9, formats=("openai",), known_formats=FORMATS)
        assert (recipe.rows, recipe.seed, recipe.formats) == (5, 9, ("openai",))

    def test_nothing_given_nothing_changed(self):
        recipe = read(recipe_text("seed: 1"))
        assert change_recipe(recipe) == recipe

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"rows": 0}, "--rows 0: a whole number from 1"),
            ({"seed": -1}, "--seed -1: a whole number of at least 0"),
            ({"formats": ("opnai",)}, '--format opnai: unknown format (did you mean "openai"?)'),
        ],
    )
    def test_wrong_values_are_refused(self, change: dict[str, object], words: str):
        with pytest.raises(RecipeError) as caught:
            change_recipe(read(recipe_text("seed: 1")), known_formats=FORMATS, **change)
        assert words in str(caught.value)


class TestSchema:
    def test_is_a_schema(self):
        Draft202012Validator.check_schema(SCHEMA)

    @pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
    def test_takes_the_shipped_recipes(self, path: Path):
        errors = Draft202012Validator(SCHEMA).iter_errors(read_document(path, RecipeError).value)
        assert [error.message for error in errors] == []

    @pytest.mark.parametrize("line", [line for line, _, _ in BAD])
    def test_refuses_what_the_reader_refuses(self, line: str):
        # dates stay text in recipes, so they do here
        value = (
            yaml.load(recipe_text(line), yaml.BaseLoader)
            if line.startswith("today")
            else yaml.safe_load(recipe_text(line))
        )
        assert not Draft202012Validator(SCHEMA).is_valid(value)

    @pytest.mark.usefixtures("folder")
    @pytest.mark.parametrize(
        "line",
        [
            "scenarios: single",
            "scenarios: {single: 0.5, parallel: 2}",
            "calls: 3",
            "tools: [{file: t.yaml, without: [a]}]",
            "offer: {distractors: 2}",
            "arguments: {source: {realistic: 1, property_based: 2}, overrides: {a: realistic, a#/b: {choose: [1]}}}",
            "system: [a, 'on {weekday}, {today}']",
            "formats: [openai, deepfabric]",
        ],
    )
    def test_takes_what_the_reader_takes(self, line: str):
        read(recipe_text(line))
        assert Draft202012Validator(SCHEMA).is_valid(yaml.safe_load(recipe_text(line)))

    def test_describes_every_key(self):
        objects = [SCHEMA, *SCHEMA["$defs"].values()]
        missing = [key for part in objects for key, value in part["properties"].items() if "description" not in value]
        assert missing == []


class TestShipped:
    def test_are_there(self):
        assert {path.stem for path in SHIPPED} >= {"parallel", "sequential", "mixed", "property_based"}

    @pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
    def test_are_read_and_named_like_their_file(self, path: Path):
        recipe = load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)
        assert recipe.name == path.stem
        assert recipe.text.startswith("#")


@pytest.mark.usefixtures("folder")
class TestFormats:
    def read(self, line: str) -> Recipe:
        Path("r.yaml").write_text(recipe_text(line))
        return load_recipe(Path("r.yaml"), scenarios=SCENARIOS, formats=FORMATS, format_options=format_options())

    def test_what_is_chosen_is_part_of_the_name(self):
        line = "formats: [deepfabric, {name: deepfabric, arguments: string}, {name: mistral, tokenizer: v3}, trl]"
        assert self.read(line).formats == ("deepfabric", "deepfabric-string", "mistral", "trl")
        assert self.read("formats: [deepfabric-string]").formats == ("deepfabric-string",)
        assert self.read("formats: [{name: glm45, inline_refs: true}]").formats == ("glm45-inline_refs",)
        assert self.read("formats: [{name: glm45, inline_refs: false}]").formats == ("glm45",)

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("formats: [{name: deepfabric, argument: string}]", 'formats[0].argument: unknown option of deepfabric (did you mean "arguments"?)'),
            ("formats: [{name: deepfabric, arguments: text}]", "formats[0].arguments: object or string is expected, not 'text'"),
            ("formats: [{name: anthropic, arguments: string}]", "formats[0].arguments: anthropic has no options"),
            ("formats: [{name: opnai}]", 'formats[0]: unknown format \'opnai\' (did you mean "openai"?)'),
            ("formats: [{arguments: string}]", "formats[0]: a format, or a mapping"),
            ("formats: [trl, {name: trl, rows: messages}]", "formats: 'trl' stands here twice"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_chosen_is_told(self, line: str, words: str):
        with pytest.raises(RecipeError) as caught:
            self.read(line)
        assert words in str(caught.value)
