"""`validate` and `convert` on any bytes: what a coverage-guided fuzzer calls, as a program of its own.

Usage: python tests/fuzz_files.py FORMAT RUNS SEEDS, where SEEDS is a folder with one input a file, such as the `seeds/` of
a corpus. What is wrong with an input is a fault by name (GeneratorError or a LineFault); anything else ends the program.
"""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def check(data: bytes, name: str, folder: Path) -> None:
    """Check and convert one file; raises AssertionError, or whatever the program should not raise."""
    from generator.core.errors import GeneratorError
    from generator.formats import FORMATS
    from generator.formats.files.validate import FileTally, violations_in_file
    from generator.report.files.convert import convert_file

    source, target = folder / "rows.jsonl", folder / "out.jsonl"
    source.write_bytes(data)
    tally = FileTally()
    faults = [*violations_in_file(source, name, tally)]
    assert {fault.line for fault in faults} <= set(range(1, tally.rows + 1))
    try:
        made = convert_file(
            source,
            target,
            FORMATS[name],
            FORMATS["openai" if name != "openai" else "trl"],
            lambda *_: None,
            overwrite=True,
        )
    except GeneratorError:
        return
    assert len([json.loads(line) for line in target.read_bytes().splitlines()]) == made.written <= made.read


def main(name: str, runs: str, seeds: str) -> None:
    """Let atheris mutate the seeds, led by what of the project's code they reach."""
    import atheris

    with atheris.instrument_imports(
        include=["generator.report.files", "generator.formats", "generator.formats.rules", "generator.core.exact_json"]
    ):
        import generator.formats  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found"
        found.mkdir()
        atheris.Setup(
            [
                sys.argv[0],
                f"-runs={runs}",
                "-seed=1",
                "-max_len=4096",
                "-timeout=20",
                "-rss_limit_mb=2048",
                f"-artifact_prefix={folder}/",
                str(found),
                seeds,
            ],
            lambda data: check(data, name, Path(folder)),
        )
        atheris.Fuzz()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(*sys.argv[1:])
