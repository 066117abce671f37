"""The data of the experiment: recipes from experiment.yaml, run by the generator, and items with what is right of each."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from generator.formats import FORMATS
from generator.pointers import leaves
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS
from generator.yaml_values import read_yaml

ROOT = Path(__file__).parents[2]
EXPERIMENT: dict[str, Any] = read_yaml((Path(__file__).parent / "experiment.yaml").read_text(encoding="utf-8"))[0]
_OWN = ("level", "servers", "only")
"""Keys that are not the recipe language's."""
_FUNCTION = ("name", "description", "parameters")


class Leaf(msgspec.Struct, frozen=True):
    """One value of a right answer."""

    call: int
    pointer: str
    start: int
    """Where it stands in the text of the answer."""
    end: int
    normalised: bool
    """Whether the user does not say it word for word."""


class Item(msgspec.Struct, frozen=True):
    """A prompt with the answer that is right."""

    prompt: str
    gold: str
    answer: dict[str, Any]
    leaves: tuple[Leaf, ...]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return the right calls; none where nothing is to be called."""
        found: list[dict[str, Any]] = self.answer["calls"]
        return found


def training_of(variant: str) -> dict[str, Any]:
    """Return the settings of a variant's training data."""
    return {**EXPERIMENT["training"], **(EXPERIMENT["variants"][variant] or {})}


def make(name: str, settings: dict[str, Any], folder: Path, rows: int) -> Path:
    """Run a recipe with these settings, unless that was done before; return the folder of its files."""
    out = folder / name
    recipe = {"seed": 7, **{key: value for key, value in settings.items() if key not in _OWN and value is not None}}
    recipe |= {
        "name": name.replace("/", "_"),
        "rows": rows,
        "formats": ["qwen", "eval"],
        "train": "all",
        "records": "unrolled",
    }
    recipe["tools"] = [_source(tool, settings, folder) for tool in settings.get("tools", ())]
    recipe["tools"] += [{"mcp": {"command": [sys.executable, "-m", server]}} for server in settings.get("servers", ())]
    path = folder / f"{name.replace('/', '_')}.yaml"
    text = yaml.safe_dump(recipe, sort_keys=False)
    if (out / "manifest.json").exists() and path.exists() and path.read_text(encoding="utf-8") == text:
        return out
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    run(load_recipe(path, scenarios=SCENARIOS, formats=FORMATS), out, how=RunOptions(executor="serial"))
    return out


def _source(tool: str, settings: dict[str, Any], folder: Path) -> Any:
    """Return where a file of tools is: the file itself, or one with its functions alone, as somebody else's would be."""
    path, level = ROOT / "tool_specs" / tool, settings.get("level", "written")
    if level == "written":
        return str(path)
    known, _ = read_yaml(path.read_text(encoding="utf-8"))
    functions = [{key: one["function"][key] for key in _FUNCTION if key in one["function"]} for one in known["tools"]]
    plain = folder / "functions" / f"{path.stem}.json"
    plain.parent.mkdir(parents=True, exist_ok=True)
    plain.write_text(
        json.dumps({"tools": [{"type": "function", "function": one} for one in functions]}), encoding="utf-8"
    )
    return {"file": str(plain), "describe": level}


def texts_of(out: Path) -> Iterator[dict[str, Any]]:
    """Yield the records that are learnt."""
    with (out / "qwen.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def items_of(out: Path, only: str) -> Iterator[Item]:
    """Yield the items of a set: with calls, unless `only` is `no_call`."""
    with (out / "eval.jsonl").open(encoding="utf-8") as file:
        for text, record in zip(texts_of(out), map(json.loads, file), strict=True):
            item = _item(text, record)
            turns = [message["role"] for message in record["messages"]]
            wanted = {
                "no_call": not item.calls and turns[-1] == "user" and "assistant" not in turns,
                "normalised": any(leaf.normalised for leaf in item.leaves),
                "later_turns": bool(item.calls) and turns.count("user") > 1,
                "": bool(item.calls),
            }
            if wanted[only]:
                yield item


def _item(text: dict[str, Any], record: dict[str, Any]) -> Item:
    (start, end) = text["spans"][0]
    said = "\n".join(
        str(message.get("content")) for message in record["messages"] if message["role"] != "assistant"
    ).lower()
    gold = text["text"][start:end]
    found, at = [], 0
    for number, call in enumerate(record["answer"]["calls"]):
        at = gold.index('"arguments"', at)
        for key, value in call["arguments"].items():
            for pointer, leaf in leaves(value, "/" + key):
                written = json.dumps(leaf, ensure_ascii=False)
                place = gold.find(written, at)
                if place >= 0:
                    at = place + len(written)
                    found.append(Leaf(number, pointer, place, at, not _is_said(leaf, said)))
    return Item(text["text"][:start], gold, record["answer"], tuple(found))


def _is_said(value: Any, said: str) -> bool:
    """Whether a value stands in the prompt word for word."""
    return not isinstance(value, bool) and value is not None and str(value).lower() in said
