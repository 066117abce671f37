"""What becomes of rows when they are made: files, counts, events, manifest."""

import hashlib
import json
import math
from pathlib import Path

import msgspec
import orjson
import pytest
from made_rows import TOKEN, made_row, recipe, write_rows

from generator.formats import FORMATS
from generator.formats.run_folder.manifest import Manifest, read_manifest
from generator.formats.run_folder.proof_line import ProofLine
from generator.formats.sinks import PACKINGS, reading, suffix_of
from generator.run.engine.progress import Event, RowsMade, RunFinished, RunStarted


def records(path: Path) -> list[dict]:
    with reading(path) as file:
        return [orjson.loads(line) for line in file]


def data(folder: Path) -> dict[str, bytes]:
    """All files but the manifest, which holds times."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}


ALL_MESSAGES = ("eval", "verl", "nemo_gym")
"""Formats with a record for each message of the assistant, also those that call nothing."""


class TestFiles:
    def test_every_row_in_every_format_and_in_the_proofs(self, tmp_path: Path):
        made = [made_row(index) for index in range(3)]
        finished = write_rows(recipe(3, *FORMATS), made, tmp_path)
        one_turn = {name for name in FORMATS if finished.tally.refused.get(name)}
        compared = {name for name in FORMATS if FORMATS[name].policy.records in ("preferences", "unpaired")}
        assert {FORMATS[name].family for name in one_turn - compared} == {"xlam", "alpaca", "bfcl"}
        assert compared <= one_turn  # rows that are made by hand have no rejected continuation
        several = {name for name in FORMATS if FORMATS[name].policy.records == "unrolled"}  # a record for each message
        for name in FORMATS.keys() - one_turn - several:
            talks = [FORMATS[name].parse(record) for record in records(tmp_path / f"{name}.jsonl")]
            assert talks == [FORMATS[name].carries(row.row.conversation) for row in made]
        proofs = [
            msgspec.json.decode(line, type=ProofLine) for line in (tmp_path / "proofs.jsonl").read_bytes().splitlines()
        ]
        assert [proof.index for proof in proofs] == [0, 1, 2]
        assert [proof.arguments for proof in proofs] == [row.row.proof.arguments for row in made]
        assert finished.tally.refused["alpaca"] == {"calls in more than one message": 3}
        refused = [(line["index"], line["format"]) for line in records(tmp_path / "rejected.jsonl")]
        assert sorted(refused) == sorted((index, name) for index in range(3) for name in one_turn)
        rows = {file.path.name: file.rows for file in finished.files}
        assert rows.pop("dataset_info.json")
        assert rows == {
            **{f"{name}.jsonl": 0 if name in one_turn else 3 for name in FORMATS.keys() - several},
            **{
                f"{name}.jsonl": 9 if name in ALL_MESSAGES else 6 for name in several
            },  # three messages, two of which call
            "proofs.jsonl": 3,
            "rejected.jsonl": 3 * len(one_turn),
            **{
                name: len((tmp_path / name).read_text().splitlines())
                for name in ("README.md", "report.json", "index.html")
            },
        }
        assert all(file.bytes == file.path.stat().st_size for file in finished.files)

    def test_nothing_else_is_left(self, tmp_path: Path):
        write_rows(recipe(3), [made_row(index) for index in range(3)], tmp_path / "a" / "b", block_rows=2)
        assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == [
            "README.md",
            "deepfabric.jsonl",
            "index.html",
            "manifest.json",
            "proofs.jsonl",
            "rejected.jsonl",
            "report.json",
        ]

    def test_rejected_attempts_are_told_and_counted(self, tmp_path: Path):
        finished = write_rows(recipe(2), [made_row(0), made_row(1, rejected=2)], tmp_path)
        assert finished.tally.rejected == {"DF201": 2}
        assert finished.tally.scenarios == {"mixed": 2}
        assert records(tmp_path / "rejected.jsonl") == [
            {
                "index": 1,
                "attempt": attempt,
                "scenario": "",
                "violations": [{"rule": "DF201", "path": "$.messages[1]", "message": "is wrong"}],
            }
            for attempt in (0, 1)
        ]

    def test_a_row_that_one_format_cannot_carry_stays_in_the_others(self, tmp_path: Path):
        made = [made_row(0), made_row(1, TOKEN), made_row(2)]
        finished = write_rows(recipe(3, "deepfabric", "openchatml"), made, tmp_path)
        assert finished.rows_in("deepfabric") == 3
        assert finished.rows_in("openchatml") == 2
        ((name, reasons),) = finished.tally.refused.items()
        ((reason, count),) = reasons.items()
        assert (name, count) == ("openchatml", 1)
        assert TOKEN in reason
        (told,) = records(tmp_path / "rejected.jsonl")
        assert (told["index"], told["format"]) == (1, "openchatml")

    @pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
    def test_the_same_rows_the_same_bytes_whatever_the_blocks(self, tmp_path: Path, size: int):
        made = [made_row(index, rejected=index % 2) for index in range(7)]
        write_rows(recipe(7, *FORMATS), made, tmp_path / "a")
        write_rows(recipe(7, *FORMATS), made, tmp_path / "b", block_rows=size)
        assert data(tmp_path / "a") == data(tmp_path / "b")

    @pytest.mark.parametrize("packing", PACKINGS)
    def test_packed_files_hold_the_same(self, tmp_path: Path, packing: str):
        made = [made_row(index) for index in range(5)]
        write_rows(recipe(5), made, tmp_path / "plain")
        write_rows(recipe(5), made, tmp_path / "a", packing=packing, block_rows=2)
        write_rows(recipe(5), made, tmp_path / "b", packing=packing, block_rows=2)
        assert data(tmp_path / "a") == data(tmp_path / "b")
        for name, plain in data(tmp_path / "plain").items():
            if not name.endswith(".jsonl"):
                continue
            with reading(tmp_path / "a" / f"{name}{suffix_of(packing)}") as file:
                assert file.read() == plain


class TestManifest:
    def test_tells_what_was_made_of_what(self, tmp_path: Path):
        made = [made_row(0, rejected=1), made_row(1, TOKEN), made_row(2)]
        write_rows(recipe(3, "deepfabric", "openchatml"), made, tmp_path, block_rows=2)
        manifest = read_manifest(tmp_path)
        assert manifest is not None
        assert (manifest.name, manifest.rows, manifest.made_from["seed"]) == ("r", 3, 0)
        assert manifest.made_from["formats"] == ["deepfabric", "openchatml"]
        assert set(manifest.made_from["versions"]) == {
            *("generator", "python", "hypothesis", "faker", "jsonschema-rs", "jsonschema", "orjson", "msgspec")
        }
        assert manifest.tally.rows == 3
        assert manifest.tally.rejected == {"DF201": 1}
        assert manifest.tally.refused["openchatml"].popitem()[1] == 1
        assert manifest.cpu_seconds > 0
        assert manifest.wall_seconds > 0
        for name, entry in manifest.files.items():
            content = (tmp_path / name).read_bytes()
            assert entry.sha256 == hashlib.sha256(content).hexdigest()
            assert (entry.bytes, entry.rows) == (len(content), content.count(b"\n"))

    def test_is_json_for_people(self, tmp_path: Path):
        write_rows(recipe(1), [made_row(0)], tmp_path)
        text = (tmp_path / "manifest.json").read_text()
        assert text.startswith('{\n  "manifest": 1,\n')
        assert msgspec.convert(json.loads(text), Manifest) == read_manifest(tmp_path)


class TestEvents:
    def test_tell_the_beginning_each_block_and_the_end(self, tmp_path: Path):
        events: list[Event] = []
        made = [made_row(index) for index in range(5)]
        finished = write_rows(recipe(5), made, tmp_path, events.append, block_rows=2)
        assert events == [RunStarted(recipe(5), tmp_path), RowsMade(2, 5), RowsMade(4, 5), RowsMade(5, 5), finished]
        assert isinstance(finished, RunFinished)
        assert finished.made == 5


def test_a_number_that_json_has_not_keeps_the_row_out_of_formats_of_objects(tmp_path: Path):
    made = [made_row(index) for index in range(3)]
    talk = made[1].row.conversation
    first, *others = talk.messages[2].tool_calls
    call = msgspec.structs.replace(first, arguments={"customer": "Ada", "limit": [math.nan]})
    message = msgspec.structs.replace(talk.messages[2], tool_calls=(call, *others))
    talk = msgspec.structs.replace(talk, messages=(*talk.messages[:2], message, *talk.messages[3:]))
    row = msgspec.structs.replace(made[1].row, conversation=talk)
    made[1] = msgspec.structs.replace(made[1], row=row, record=FORMATS["deepfabric"].render(talk))
    finished = write_rows(recipe(3, "deepfabric"), made, tmp_path)
    assert finished.tally.refused == {"deepfabric": {"nan is no number of JSON": 1}}
    assert len(records(tmp_path / "deepfabric.jsonl")) == 2


def test_a_format_that_cannot_write_what_is_nested_deep_refuses_that_row(tmp_path: Path):
    value: object = 1
    for _ in range(500):
        value = [value]
    made = [made_row(index) for index in range(3)]
    talk = made[1].row.conversation
    first, *others = talk.messages[2].tool_calls
    call = msgspec.structs.replace(first, arguments={"customer": value})
    message = msgspec.structs.replace(talk.messages[2], tool_calls=(call, *others))
    talk = msgspec.structs.replace(talk, messages=(*talk.messages[:2], message, *talk.messages[3:]))
    made[1] = msgspec.structs.replace(made[1], row=msgspec.structs.replace(made[1].row, conversation=talk))
    finished = write_rows(recipe(3, "llama_pythonic", "openai"), made, tmp_path)
    assert finished.tally.refused == {"llama_pythonic": {"is nested too deep": 1}}
    assert len(records(tmp_path / "llama_pythonic.jsonl")) == 2
    assert len(records(tmp_path / "openai.jsonl")) == 3
