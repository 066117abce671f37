"""`dataset_info.json`: LLaMA-Factory finds the files of a run by it."""

import json
from pathlib import Path

import msgspec
from consumers import part_of
from made_rows import made_row, recipe, write_rows

from generator.report.files.verify import verify_folder


def test_the_folder_is_a_dataset_dir(tmp_path: Path):
    plan = msgspec.structs.replace(recipe(4, "deepfabric", "sharegpt"), splits=(("train", 0.5), ("test", 0.5)))
    write_rows(plan, [made_row(index) for index in range(4)], tmp_path)
    parser = part_of(
        "llamafactory", "llamafactory.data.parser", "llamafactory.extras.constants", "llamafactory.extras.misc"
    )
    parser.DATA_CONFIG = "dataset_info.json"
    names = ["r_sharegpt_train", "r_sharegpt_test"]
    found = parser.get_dataset_list(names, str(tmp_path))
    assert [(attributes.dataset_name, attributes.formatting) for attributes in found] == [
        ("sharegpt.train.jsonl", "sharegpt"),
        ("sharegpt.test.jsonl", "sharegpt"),
    ]
    assert all((tmp_path / attributes.dataset_name).exists() for attributes in found)
    assert list(json.loads((tmp_path / "dataset_info.json").read_text())) == names
    assert not any(check.fault for check in verify_folder(tmp_path))


def test_it_is_not_there_when_nobody_would_read_it(tmp_path: Path):
    write_rows(recipe(1, "deepfabric"), [made_row(0)], tmp_path / "other")
    write_rows(recipe(1, "sharegpt"), [made_row(0)], tmp_path / "packed", packing="gzip")
    assert not list(tmp_path.rglob("dataset_info.json"))


def test_a_run_that_is_extended_still_has_it(tmp_path: Path):
    made = [made_row(index) for index in range(4)]
    write_rows(recipe(2, "sharegpt"), made, tmp_path)
    before = (tmp_path / "dataset_info.json").read_bytes()
    write_rows(recipe(4, "sharegpt"), made, tmp_path)
    assert (tmp_path / "dataset_info.json").read_bytes() == before
    assert len((tmp_path / "sharegpt.jsonl").read_bytes().splitlines()) == 4
