"""Hostile recipes by name: YAML that breaks readers, keys and values that recipes do not have, and very much of all."""

import json
from collections.abc import Iterator
from typing import Any

from hostile.cases import RECIPE, Case, changed, of_recipe

PLAIN = json.dumps(RECIPE)
START = "name: r\nrows: 2\ntools: [t.json]\nscenarios: [single]\nformats: [openai]\n"
DIGITS = "9" * 400
OVERRIDE = "arguments: {{overrides: {{'find#/{}': {}}}}}\n"

TEXTS: dict[str, str | bytes] = {
    "nothing": "",
    "a text": "hello",
    "a list": "[1]",
    "two documents": START + "---\n" + START,
    "no text": b"\xff\xfe\x00",
    "NUL": START.encode() + b"\x00",
    "flow of comments": "name: r\nx:\n" + "  [ #]\n" * 30_000,
    "flow of ends": "name: r\nx:\n" + "  ['],\n" * 30_000,
    "mapping of comments": "name: r\nx:\n" + "  {a: #}\n" * 30_000,
    "100,000 deep": "x: " + "[" * 100_000,
    "mappings 50,000 deep": "x: " + "{a: " * 50_000,
    "blocks 5,000 deep": "".join(" " * n + "a:\n" for n in range(2_000)),
    "holds itself": "x: &p {a: *p}\n",
    "is itself": "&p [*p]\n",
    "a billion laughs": "a: &a [1,1,1,1,1,1,1,1,1]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)),
    "merges itself": START + "<<: *nothing\n",
    "a key twice": START + "name: s\n",
    "a list as key": START + "? [a]\n: 1\n",
    **{
        f"tag {tag}": START + f"seed: {tag}\n"
        for tag in (
            "!!bool maybe",
            '!!int ""',
            "!!float x",
            "!!null x",
            "!!timestamp x",
            "!!binary x",
            "!!set {a}",
            "!!map [1]",
            "!!seq {a: 1}",
            "!!python/object/apply:os.system ['touch o']",
            "!!python/name:os.system",
            "!!merge <<",
            "!x 1",
            "!<tag:yaml.org,2002:int> x",
        )
    },
    **{
        f"tag of a weight {tag}": START + OVERRIDE.format("title", f"{{choose: {{a: {tag}}}}}")
        for tag in (
            "!!bool maybe",
            '!!int ""',
            "!!float x",
            "!!timestamp 2020-01-01",
            "!!map {}",
            "!!str 1",
            "!!float .inf",
            "!!float .nan",
        )
    },
    "400 digits as seed": START + f"seed: {DIGITS}\n",
    "5,000 digits as seed": START + f"seed: {'9' * 5_000}\n",
    "400 digits as rows": START.replace("rows: 2", f"rows: {DIGITS}"),
    "400 digits as scenario weight": START.replace("[single]", f"{{single: {DIGITS}}}"),
    "400 digits as source weight": START + f"arguments: {{source: {{realistic: {DIGITS}}}}}\n",
    "400 digits as weight of a choice": START + OVERRIDE.format("title", f"{{choose: {{a: {DIGITS}, b: 1}}}}"),
    "400 digits as choice": START + OVERRIDE.format("title", f"{{choose: {{{DIGITS}: 1}}}}"),
    "400 digits as value": START + OVERRIDE.format("copies", f"{{value: {DIGITS}}}"),
    "400 digits as mean": START + OVERRIDE.format("copies", f"{{distribution: normal, mean: {DIGITS}, deviation: 1}}"),
    "400 digits as deviation": START
    + OVERRIDE.format("copies", f"{{distribution: normal, mean: 1, deviation: {DIGITS}}}"),
    "400 digits as sigma": START
    + OVERRIDE.format("copies", f"{{distribution: log_normal, median: 1, sigma: {DIGITS}}}"),
    "a large sigma": START + OVERRIDE.format("copies", "{distribution: log_normal, median: 1e300, sigma: 1e300}"),
    "a large exponent": START + OVERRIDE.format("copies", "{distribution: zipf, exponent: 1e300}"),
    "weights that add up to infinity": START + OVERRIDE.format("title", "{choose: {a: 1e308, b: 1e308, c: 1e308}}"),
    "scenario weights that add up to infinity": START.replace("[single]", "{single: 1e308, multiple: 1e308}"),
    "the least weights": START.replace("[single]", "{single: 5e-324}"),
    "400 digits as faker size": START + OVERRIDE.format("title", f"{{faker: text, with: {{max_nb_chars: {DIGITS}}}}}"),
    "40,000 unknown keys": START + "".join(f"unknown{n}: 1\n" for n in range(40_000)),
    "30,000 unknown keys below": START + "arguments:\n" + "".join(f"  unknown{n}: 1\n" for n in range(30_000)),
    "30,000 unknown scenarios": START.replace("[single]", f"[{', '.join(f's{n}' for n in range(30_000))}]"),
    "one scenario 40,000 times": START.replace("[single]", f"[{', '.join(['single'] * 40_000)}]"),
    "40,000 formats": START.replace("[openai]", f"[{', '.join(f'f{n}' for n in range(40_000))}]"),
    "10,000 tools": START.replace("[t.json]", f"[{', '.join(f't{n}' for n in range(10_000))}]"),
    "10,000 overrides": START + "arguments:\n  overrides:\n" + "".join(f"    find#/a{n}: llm\n" for n in range(10_000)),
    "a long key": START + f"{'k' * 100_000}: 1\n",
    "a long name": START.replace("name: r", f"name: {'n' * 100_000}"),
    "itself as tools": START.replace("t.json", "r.yaml"),
}
PLACES = (
    *(
        "/name",
        "/seed",
        "/rows",
        "/tools",
        "/tools/0",
        "/offer",
        "/scenarios",
        "/scenarios/0",
        "/calls",
        "/steps",
        "/arguments",
    ),
    *("/wording", "/backend", "/judge", "/llm", "/locale", "/strategies", "/coverage", "/system", "/today", "/formats"),
    *("/formats/0", "/train", "/splits", "/thoughts", "/documents", "/$schema", "/x"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1e308, 2**63, 10**399, "", " ", "x", "\ud800", "\x00", "../x", "/", "\u202e", "x" * 70_000),
    *([], [[]], [None], [{}], {}, {"": ""}, {"x": None}, {"file": 1}, {"single": -1}, {"train": 1e308}, ["2020-02-30"]),
)


def always() -> Iterator[Case]:
    """All of `TEXTS`."""
    for name, text in TEXTS.items():
        yield of_recipe(name, text)


def some() -> Iterator[Case]:
    """Every one of `VALUES` in every one of `PLACES`."""
    for place in PLACES:
        for number, value in enumerate(VALUES):
            yield of_recipe(f"{place} value {number}", changed(RECIPE, place, value))
