"""The data of the experiment: recipes from experiment.yaml, run by the generator, and items with what is right of each."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from generator.core.pointers import leaves
from generator.core.yaml_values import read_yaml
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
EXPERIMENT: dict[str, Any] = read_yaml((Path(__file__).parent / "experiment.yaml").read_text(encoding="utf-8"))[0]
_OWN = ("level", "servers", "only", "recipe")
"""Keys that are not the recipe language's."""
_NOT_TAKEN = ("name", "rows", "formats", "splits")
"""Keys of a recipe that the experiment sets itself."""
_SAID = ("request", "question", "want", "ask", "slots", "synonyms")
"""Phrases that say what is wanted of a tool, not what it gave."""
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
    """Return the settings of a variant's training data: those of a shipped recipe, or of `training`, each without tools of the sets."""
    own: dict[str, Any] = EXPERIMENT["variants"][variant]
    if "recipe" not in own:
        return {**EXPERIMENT["training"], **own}
    path = ROOT / "recipes" / own["recipe"]
    written: dict[str, Any] = read_yaml(path.read_text(encoding="utf-8"))[0]
    tools = [tool for tool in written["tools"] if not _is_asked_about(tool)]
    return {key: value for key, value in written.items() if key not in _NOT_TAKEN} | own | {"tools": tools}


def _is_asked_about(tool: Any) -> bool:
    """Whether a tool source of a recipe is one of the files that sets ask about."""
    asked = {Path(one).name for settings in EXPERIMENT["sets"].values() for one in settings.get("tools", ())}
    return isinstance(tool, str) and Path(tool).name in asked


def make(name: str, settings: dict[str, Any], folder: Path, rows: int) -> Path:
    """Run a recipe with these settings, unless that was done before; return the folder of its files."""
    out = folder / name
    given = {key: value for key, value in settings.items() if key not in _OWN and value is not None}
    recipe = {"seed": 7, "train": "all", **given, "name": name.replace("/", "_"), "rows": rows}
    recipe |= {"formats": ["qwen", "eval"], "records": "unrolled"}
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


def _source(tool: Any, settings: dict[str, Any], folder: Path) -> Any:
    """Return where a file of tools is: the file itself, or one with its functions alone, as somebody else's would be.

    `phrased` tools are derived ones with an overlay of what our files say of requests.
    """
    level = settings.get("level", "written")
    if "recipe" in settings:  # relative to the recipe
        return {key: _absolute(part) for key, part in tool.items()} if isinstance(tool, dict) else _absolute(tool)
    path = ROOT / "tool_specs" / tool
    if level == "written":
        return str(path)
    known, _ = read_yaml(path.read_text(encoding="utf-8"))
    functions = [{key: one["function"][key] for key in _FUNCTION if key in one["function"]} for one in known["tools"]]
    plain = folder / "functions" / f"{path.stem}.json"
    plain.parent.mkdir(parents=True, exist_ok=True)
    plain.write_text(
        json.dumps({"tools": [{"type": "function", "function": one} for one in functions]}), encoding="utf-8"
    )
    if level != "phrased":
        return {"file": str(plain), "describe": level}
    said = {
        one["function"]["name"]: {"phrases": {key: part for key, part in one["phrases"].items() if key in _SAID}}
        for one in known["tools"]
        if "phrases" in one
    }
    overlay = plain.with_suffix(".overlay.yaml")
    overlay.write_text(yaml.safe_dump({"origin": "human", "tools": said}, sort_keys=False), encoding="utf-8")
    return {"file": str(plain), "overlay": [str(overlay)]}


def _absolute(part: Any) -> Any:
    """Return a path of a shipped recipe as a path from anywhere; anything else as it is."""
    return str((ROOT / "recipes" / part).resolve()) if isinstance(part, str) and part.startswith("..") else part


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
