"""Writes `docs/api.md` from the docstrings of `generator.run.api`: `python docs/pages/api.py > docs/api.md`."""

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from generator.run import api

_INTRODUCTION = """\
# From Python

```python
from generator import convert, load_recipe, rows, validate

recipe = load_recipe("parallel")  # or a file, or a dict
for row in rows(recipe, 0, 3):
    record = row.to("openai")[0]
    assert validate(record, "openai") == []
    print(row.index, row.scenario, row.tags, len(row.proof.arguments), convert(record, "openai", "sharegpt").keys())
```

Nothing is printed. Errors are subclasses of `generator.core.errors.GeneratorError`, each with one message for people. Everything is typed
(`py.typed`), and loaded when it is first asked for. This page is made from docstrings: `python docs/pages/api.py > docs/api.md`.

With `datasets`, rows are made while they are read, by as many workers as a `DataLoader` has:

```python
from datasets import IterableDataset


def records(starts):
    from generator import load_recipe, rows  # here, because `datasets` takes the function apart to pickle it

    recipe = load_recipe("parallel")
    for start in starts:
        for row in rows(recipe, start, start + 10):
            yield {"record": row.to("openai")[0]["messages"][0]["content"]}


data = IterableDataset.from_generator(records, gen_kwargs={"starts": [0, 10]})
assert len(list(data)) == 20
```

With Hypothesis, any row is an example:

```python
from hypothesis import HealthCheck, given, settings, strategies as st
from generator import load_recipe

recipe = load_recipe("parallel")
rows_of_mine = st.integers(0, 1000).map(recipe.row)


# The first rows of a process take longer: tools are compiled when they are first used.
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows_of_mine)
def test_my_reader(row):
    assert row.to("trl")[0]["messages"]


test_my_reader()
```

A parser is tested with a plain parametrised test over the cases of a corpus (`python -m generator run fuzz_parsers`), each with what is
right, or with completions that Hypothesis draws and shrinks:

```python
import pytest
from generator import cases, model_outputs

ALL = [case for case in cases("outputs/fuzz_parsers", "hermes") if case.verdict == "y"]  # valid ones


@pytest.fixture(params=ALL, ids=lambda case: case.id)
def case(request):
    return request.param


def my_parser(text, right=iter([case.oracle.tool_calls for case in ALL])):
    return next(right)  # yours reads the text


def test_my_parser(case):
    assert my_parser(case.text) == case.oracle.tool_calls
```
"""


def api_page() -> str:
    """The page as Markdown."""
    return "".join([_INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for name in api.__all__:
        one = getattr(api, name)
        yield f"\n## {name}\n{_described(name, one)}"
        for part, member in vars(one).items() if inspect.isclass(one) and one.__module__ == api.__name__ else ():
            if not part.startswith("_"):
                is_property = isinstance(member, property)
                yield f"\n### {name}.{part}\n{_described(part, member.fget if is_property else member, call=not is_property)}"


def _described(name: str, one: Any, *, call: bool = True) -> str:
    text = inspect.cleandoc(one.__doc__ or "")
    signature = f"{name}{inspect.signature(one)}" if call and not inspect.isclass(one) else ""
    plain = (
        signature.replace("collections.abc.", "")
        .replace("generator.core.conversation.", "")
        .replace("generator.run.api.", "")
    )
    return f"```text\n{plain}\n```\n{_as_list(text)}\n" if plain else f"{_as_list(text)}\n"


def _as_list(text: str) -> str:
    """Return a docstring with its arguments and errors as lists."""
    lines = []
    for line in text.split("\n"):
        if line in ("Args:", "Raises:", "Returns:"):
            line = f"{line[:-1]}:\n"
        elif line.startswith("    ") and not line.startswith("     ") and ": " in line:
            what, _, words = line.strip().partition(": ")
            line = f"- `{what}`: {words}"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(api_page())
