"""Splits: every row in one part, by its index alone."""

from pathlib import Path

import msgspec
import orjson
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from made_rows import TOKEN, made_row, recipe, write_rows

from generator.core.errors import OutputError, RecipeError
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.report.files.contamination import split_of
from generator.report.files.show import Wanted, find_rows
from generator.run.engine.progress import RunFinished
from generator.scenarios import SCENARIOS

SPLITS = (("train", 0.7), ("test", 0.2), ("dev", 0.1))


def split_recipe(rows: int, *formats: str, seed: int = 0) -> Recipe:
    return msgspec.structs.replace(recipe(rows, *formats), splits=SPLITS, seed=seed)


def parts(rows: int) -> list[str | None]:
    return [split_of(split_recipe(rows))(index) for index in range(rows)]


class TestDecision:
    def test_shares(self):
        found = parts(4000)
        for name, share in SPLITS:
            assert abs(found.count(name) / 4000 - share) < 0.03

    def test_rows_stay_where_they_are_when_more_are_made(self):
        assert parts(300)[:100] == parts(100)

    def test_another_seed_decides_otherwise(self):
        other = split_of(split_recipe(100, seed=9))
        assert [other(index) for index in range(100)] != parts(100)

    @given(seed=st.integers(0, 2**64), index=st.integers(0, 10**9))
    def test_always_one_of_them(self, seed: int, index: int):
        assert split_of(split_recipe(1, seed=seed))(index) in {"train", "test", "dev"}

    def test_none_without_splits(self):
        assert split_of(recipe(5))(3) is None


class TestFiles:
    def run(self, tmp_path: Path, rows: int = 40, **how: object) -> RunFinished:
        made = [made_row(index, TOKEN if index % 7 == 3 else f"Ada{index}") for index in range(rows)]
        return write_rows(split_recipe(rows, *FORMATS), made, tmp_path, block_rows=9, **how)

    def test_each_row_in_the_file_of_its_split(self, tmp_path: Path):
        finished = self.run(tmp_path)
        expected = parts(40)
        for name, _ in SPLITS:
            lines = (tmp_path / f"deepfabric.{name}.jsonl").read_bytes().splitlines()
            ids = [orjson.loads(line)["messages"][2]["tool_calls"][0]["id"] for line in lines]
            assert ids == [f"a{index:08}" for index in range(40) if expected[index] == name]
            assert finished.tally.splits[name] == len(lines)
        assert not (tmp_path / "deepfabric.jsonl").exists()
        assert finished.rows_in("deepfabric") == 40

    def test_a_split_without_rows_is_counted_in_the_card_but_not_to_be_loaded(self, tmp_path: Path):
        wanted = msgspec.structs.replace(split_recipe(4, "deepfabric"), splits=(("test", 0.001), ("train", 0.999)))
        write_rows(wanted, [made_row(index) for index in range(4)], tmp_path)
        _, matter, text = (tmp_path / "README.md").read_text().split("---\n", 2)
        (config,) = yaml.safe_load(matter)["configs"]
        assert config["data_files"] == [{"split": "train", "path": ["deepfabric.train.jsonl"]}]
        assert "| split | rows |\n|---|---|\n| test | 0 |\n| train | 4 |\n" in text

    def test_proofs_tell_the_split(self, tmp_path: Path):
        self.run(tmp_path)
        proofs = [orjson.loads(line) for line in (tmp_path / "proofs.jsonl").read_bytes().splitlines()]
        assert [proof["split"] for proof in proofs] == parts(40)

    def test_growing_moves_nothing(self, tmp_path: Path):
        self.run(tmp_path / "a", 25)
        self.run(tmp_path / "a", 40)
        self.run(tmp_path / "b", 40)
        files = list((tmp_path / "b").glob("*.jsonl"))
        assert len(files) == len(FORMATS) * len(SPLITS) + 2  # proofs and rejected rows
        for path in files:
            assert (tmp_path / "a" / path.name).read_bytes() == path.read_bytes()

    @pytest.mark.parametrize("packing", [None, "zstd", "gzip"])
    def test_rows_are_found_with_their_proofs(self, tmp_path: Path, packing: str | None):
        self.run(tmp_path, packing=packing)
        files = list(tmp_path.glob("*.test.jsonl*"))
        assert len(files) == len(FORMATS)
        for path in files:
            indexes = [index for index, name in enumerate(parts(40)) if name == "test"]
            for index in indexes:
                policy = FORMATS[path.name.partition(".")[0]].policy
                if policy.parallel == "split" or (policy.train == "spans" and not path.name.startswith("openchatml.")):
                    continue  # some text formats put messages elsewhere than the proof says
                if policy.records != "whole":
                    continue  # a row is several records, or none
                if policy.requests == "one" or (index % 7 == 3 and TOKEN in policy.refuses):
                    with pytest.raises(OutputError, match=rf"row {index} is not in this file"):
                        find_rows(path, Wanted(row=index))
                    continue
                (found,), _ = find_rows(path, Wanted(row=index))
                assert found.proof is not None
                assert found.proof.index == index
                assert found.proof.calls[0] == f"a{index:08}"


class TestRecipe:
    def load(self, tmp_path: Path, splits: str) -> Recipe:
        (tmp_path / "t.yaml").write_text("[]")
        path = tmp_path / "r.yaml"
        path.write_text(f"name: r\nrows: 1\ntools: [t.yaml]\nscenarios: [mixed]\nsplits: {splits}\n")
        return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)

    @pytest.mark.parametrize(
        ("text", "splits"),
        [
            ("{train: 0.9, test: 0.1}", (("train", 0.9), ("test", 0.1))),
            ("{a: 0.1, b: 0.2, c: 0.7}", (("a", 0.1), ("b", 0.2), ("c", 0.7))),
            ("{all: 1}", (("all", 1.0),)),
            ("{a: 0.3333333, b: 0.3333333, c: 0.3333333}", (("a", 0.3333333), ("b", 0.3333333), ("c", 0.3333333))),
            ("{}", ()),
        ],
    )
    def test_good(self, tmp_path: Path, text: str, splits: tuple):
        assert self.load(tmp_path, text).splits == splits

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("{train: 0.9, test: 0.2}", r"r\.yaml:5: splits: .*must add up to 1, not 1\.1"),
            ("{train: 0.5}", "must add up to 1, not 0.5"),
            ("{train: 1.0, test: 0}", "splits.test"),
            ("{Train: 1}", "Train"),
            ("{../x: 1}", "splits"),
            ("{a.b: 1}", "splits"),
            ("[train]", "splits"),
            ("{train: most}", "splits.train"),
        ],
    )
    def test_bad(self, tmp_path: Path, text: str, words: str):
        with pytest.raises(RecipeError, match=words):
            self.load(tmp_path, text)
