"""Hostile environments, command lines and folders that are there already."""

from collections.abc import Iterator

from hostile.cases import RECIPE, RUN, TOOL, Case, as_json

FILES = {"r.yaml": as_json(RECIPE), "t.json": as_json([TOOL])}
VARIABLES: tuple[dict[str, str], ...] = (
    *({"LC_ALL": "xx_XX"}, {"TZ": "Nowhere/Land"}, {"HOME": "/nonexistent"}),
    *(
        {"TMPDIR": "/nonexistent"},
        {"COLUMNS": "-1"},
        {"COLUMNS": "x"},
        {"TERM": ""},
        {"NO_COLOR": "\x1b"},
        {"PATH": ""},
    ),
    *({"http_proxy": "http://127.0.0.1:9"}, {"HF_HOME": "/dev/null"}, {"XDG_CACHE_HOME": "/dev/null"}),
)
COMMAND_LINES: tuple[tuple[str, ...], ...] = (
    *(
        (),
        ("",),
        ("--",),
        ("nothing",),
        ("run",),
        ("run", ""),
        ("run", "."),
        ("run", "\udcff"),
        ("run", "x" * 5_000),
        ("run", "r.yaml\n"),
    ),
    *((*RUN, "--rows", value) for value in ("0", "-1", "x", "9" * 400, "1e3", "")),
    *((*RUN, "--seed", value) for value in ("-1", "x", "9" * 400)),
    *((*RUN, "--format", value) for value in ("", "../x", "x" * 5_000, "\udcff")),
    *((*RUN, "--workers", value) for value in ("0", "99999", "x")),
    *((*RUN, "--shard-rows", "0"), (*RUN, "--compress", "x"), (*RUN, "--resume", "--overwrite"), (*RUN, "--sink", "x")),
    *(
        ("run", "r.yaml", "--quiet", "--out", value)
        for value in ("", "r.yaml", "o/" + "x" * 300, "/proc/x", "/dev/null", "/dev/null/x")
    ),
    *(
        (command, value)
        for command in ("validate", "show", "verify", "report")
        for value in ("", "nothing", ".", "/dev/zero", "/proc/self/mem")
    ),
    *(("convert", "t.json", "o.jsonl", "--to", value) for value in ("x", "", "openai")),
)
IN_THE_WAY: dict[str, dict[str, bytes]] = {
    "no manifest": {"o/manifest.json": b"{"},
    "a manifest of something else": {"o/manifest.json": b'{"name": 5}'},
    "a manifest with half a letter": {"o/manifest.json": b'{"files": {"\\ud800": {}}}'},
    "a manifest that names what is not its": {"o/manifest.json": b'{"files": {"../t.json": {"bytes": 1}}}'},
    "a deep manifest": {"o/manifest.json": b"[" * 100_000},
    "parts of something else": {"o/.parts/x": b"x", "o/.parts/plan.json": b"{"},
    "a file of rows": {"o/openai.jsonl": b"mine\n"},
}


def always() -> Iterator[Case]:
    """What stands in the way, each by itself."""
    for name, files in IN_THE_WAY.items():
        for more in ((), ("--overwrite",)):
            yield Case(f"{name} {more}", {**FILES, **files}, (*RUN, *more))
        yield Case(f"verify {name}", {**FILES, **files}, ("verify", "o"))


def some() -> Iterator[Case]:
    """Environments and command lines."""
    for variables in VARIABLES:
        yield Case(f"environment {variables}", FILES, RUN, variables)
    for words in COMMAND_LINES:
        yield Case(f"typed {' '.join(words)!a:.150}", FILES, words)
