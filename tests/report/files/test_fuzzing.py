"""`validate` and `convert` on bytes that nobody would write, drawn by Hypothesis in each run, led by coverage at night where atheris is installed."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import fuzz_files
import pytest
from corpora import recipe_of
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nightly import night

from generator.corpus.rows import file_makers, make_file

FORMATS = ("deepfabric", "openai", "sharegpt", "openchatml")
RUNS = 500


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """By format: files of rows, half of them with faults."""
    folder = tmp_path_factory.mktemp("seeds")
    recipe = recipe_of(folder, "kind: corpus\nname: rows\nseed: 8\ncases: 1\nformats: [rows]\n")
    makers = {maker.fmt.name: maker for maker in file_makers(recipe)}
    return {name: [make_file(makers[name], index).text for index in range(30)] for name in FORMATS if name in makers}


@night
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is not installed (it has wheels for Linux only)"
)
@pytest.mark.parametrize("name", ["deepfabric", "openai"])
def test_a_fuzzer_that_is_led_by_coverage_finds_nothing(seeds, tmp_path, name):
    for index, data in enumerate(seeds[name]):
        (tmp_path / str(index)).write_bytes(data[:4096])
    command = [sys.executable, str(Path(fuzz_files.__file__)), name, str(RUNS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"Done {RUNS} runs" in done.stderr


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_files_with_any_bytes_changed_are_told_or_read(seeds, tmp_path, draw):
    name = draw.draw(st.sampled_from(sorted(seeds)))
    data = draw.draw(st.sampled_from(seeds[name]))[:8192]
    for _ in range(draw.draw(st.integers(1, 3))):
        at = draw.draw(st.integers(0, len(data)))
        gone = draw.draw(st.integers(0, 8))
        data = (
            data[:at]
            + draw.draw(
                st.binary(max_size=8) | st.sampled_from([b'"', b"{", b"]", b"null", b"\\u0000", b"1e999", b"\xff"])
            )
            + data[at + gone :]
        )
    fuzz_files.check(data, name, tmp_path)
