"""Finished runs against their manifest: whatever changed is told, file by file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from made_rows import made_row, recipe, write_rows

from generator.core.errors import OutputError
from generator.formats.sinks import PACKINGS
from generator.report.files.verify import verify_folder


def faults(folder: Path) -> dict[str, str]:
    return {check.name: check.fault for check in verify_folder(folder) if check.fault}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    write_rows(recipe(3), [made_row(index) for index in range(3)], tmp_path)
    return tmp_path


def test_whole(out: Path):
    *checks, card, report, page = list(verify_folder(out))
    assert [check.name for check in (card, report, page)] == ["README.md", "report.json", "index.html"]
    assert not any(check.fault for check in (card, report, page))
    assert [(check.name, check.rows, check.fault) for check in checks] == [
        ("deepfabric.jsonl", 3, ""),
        ("proofs.jsonl", 3, ""),
        ("rejected.jsonl", 0, ""),
    ]


@pytest.mark.parametrize("packing", PACKINGS)
def test_whole_and_packed(tmp_path: Path, packing: str):
    write_rows(recipe(3), [made_row(index) for index in range(3)], tmp_path, packing=packing)
    assert faults(tmp_path) == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda path: path.unlink(), "it is missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "bytes instead of"),
        (lambda path: path.write_bytes(path.read_bytes() + b"\n"), "bytes instead of"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"Ada", b"Eva")), "its SHA-256 is"),
        (lambda path: (path.unlink(), path.mkdir()), "it is missing"),
    ],
)
def test_changed(out: Path, change: Callable[[Path], object], words: str):
    change(out / "deepfabric.jsonl")
    found = faults(out)
    assert list(found) == ["deepfabric.jsonl"]
    assert words in found["deepfabric.jsonl"]


def test_a_manifest_with_another_count(out: Path):
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["files"]["proofs.jsonl"]["rows"] = 4
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert faults(out) == {"proofs.jsonl": "it has 3 rows instead of 4"}


def test_no_manifest(tmp_path: Path):
    with pytest.raises(OutputError, match=r"manifest\.json: there is no such file: there is no finished run"):
        list(verify_folder(tmp_path))
    (tmp_path / ".parts").mkdir()
    with pytest.raises(OutputError, match="the run is not finished"):
        list(verify_folder(tmp_path))


@pytest.mark.parametrize("end", [0, 1, 100, -2])
def test_a_manifest_that_is_cut_off(out: Path, end: int):
    path = out / "manifest.json"
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(OutputError, match="not a manifest, or cut off"):
        list(verify_folder(out))
