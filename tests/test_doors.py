"""Files are read through one door: nothing else in the package opens a file to read it, or hands JSON to a parser that raises what it likes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "generator"
DOORS = {
    "core/files.py": "opens regular files only",
    "formats/sinks/packing.py": "opens what records are read from, pipes among it",
    "core/exact_json.py": "reads JSON",
    "core/documents.py": "reads JSON and YAML with line numbers",
    "formats/sinks/disk.py": "opens folders, to make names durable",
    "formats/sinks/folder.py": "opens a folder, to lock it",
}
"""Modules that may, and what they are for."""
ALONE = (
    "arguments/other_sources/strategy_process.py",
    "corpus/check/child.py",
    "corpus/check/judge.py",
    "corpus/check/runner.py",
    "corpus/release/files/",
    "core/sandbox/",
    "world/backends/python/",
)
"""Programs that run in a process of their own, beside code that is not ours, and those that talk with them over
pipes; `corpus/release/files/` and `corpus/check/judge.py` are copied into other projects; `core/sandbox/` opens pipes, `/proc` and its own programs besides, never a user's file."""
READING = {"read_bytes", "read_text"}
POSSIBLY = re.compile(r"read_bytes|read_text|open\b|json\s*\.\s*load|yaml\s*\.\s*(safe_)?load")
"""What a module that does so holds: to parse all of them takes six seconds."""
PARSING = {("json", "load"), ("json", "loads"), ("yaml", "load"), ("yaml", "safe_load")}


def readings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of everything that reads a file or parses JSON by itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names = (node.value.id if isinstance(node.value, ast.Name) else "", node.attr)
            if node.attr in READING or names in PARSING:
                yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Call) and _opens_to_read(node):
            yield node.lineno, ast.unparse(node)


def _opens_to_read(call: ast.Call) -> bool:
    """Whether a call is `open(…)` or `….open(…)` of a file that is read; other methods called `open` take no mode."""
    method = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
    if not method and not (isinstance(call.func, ast.Name) and call.func.id == "open"):
        return False
    if ast.unparse(call.func) == "os.open":
        return "O_RDONLY" in ast.unparse(call)
    modes = [part for part in [*call.args, *[word.value for word in call.keywords]] if _is_mode(part)]
    text_of_a_file = any(word.arg in ("encoding", "buffering", "newline") for word in call.keywords)
    return (not method or bool(modes) or text_of_a_file) and not any(_writes(mode) for mode in modes)


def _is_mode(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and set(node.value) <= set("rwaxbt+")


def _writes(mode: ast.expr) -> bool:
    return isinstance(mode, ast.Constant) and bool(set(mode.value) & set("wax"))


def test_files_are_read_through_one_door():
    modules = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
    assert DOORS.keys() <= modules.keys()
    assert all(any(name.startswith(alone) for name in modules) for alone in ALONE)
    found = {
        f"{name}:{line}": text
        for name, path in modules.items()
        if name not in DOORS and not name.startswith(ALONE)
        if POSSIBLY.search(source := path.read_text())
        for line, text in readings(ast.parse(source))
    }
    assert found == {}, (
        "read with generator.core.files, parse with generator.core.exact_json or generator.core.documents"
    )


def test_what_reads_by_itself_is_found():
    for text in (
        "Path(x).read_bytes()", "x.read_text(encoding='utf-8')", "open(x)", "open(x, 'rb')", "x.open('rb')", "x.open(encoding='ascii')",
        "os.open(x, os.O_RDONLY)", "json.loads(x)", "json.load(x)", "map(json.loads, x)", "x.open('r+b')", "yaml.safe_load(x)",
    ):  # fmt: skip
        assert list(readings(ast.parse(text))), text
    for text in (
        "backend.open(today, 5)",
        "x.open('wb')",
        "open(x, 'xb', buffering=0)",
        "marks.open",
        "open_regular(x)",
        "loads(x)",
    ):
        assert not list(readings(ast.parse(text))), text
