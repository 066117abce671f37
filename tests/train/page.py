"""docs/fine-tuning.md as its tests need it: the lines of a section, run on a short run of its recipe."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
from consumers import ROOT
from fine_tune_script import script
from trainers import tokenizer

from generator.formats import FORMATS, format_options
from generator.formats.run_folder.files import Layout
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

PAGE = (ROOT / "docs/fine-tuning.md").read_text()
_SECTIONS = {text.partition("\n")[0]: text for text in re.split(r"^## ", PAGE, flags=re.MULTILINE)}
_HERE = "max_length=8192, use_cpu=True, report_to=[]"


def blocks(section: str, language: str) -> list[str]:
    """The lines of a section in one language."""
    return re.findall(rf"```{language}\n(.*?)```", _SECTIONS[section], re.DOTALL)


def run_of_the_page(folder: Path) -> Path:
    """The folder, with `outputs/tuning` in it: the page's recipe, with a few rows."""
    recipe = load_recipe(
        ROOT / "recipes/tuning.yaml", scenarios=SCENARIOS, formats=FORMATS, format_options=format_options()
    )
    how = RunOptions(executor="serial", layout=Layout(sinks=("jsonl", "parquet")))
    recipe = msgspec.structs.replace(recipe, rows=40, scripts=None)  # short rows, some with calls that are not learnt
    run(recipe, folder / "outputs/tuning", how=how)
    return folder


def records(made: Path, name: str, split: str = "train") -> list[dict[str, Any]]:
    """The records of a file of the run."""
    return [json.loads(line) for line in (made / f"outputs/tuning/{name}.{split}.jsonl").read_text().splitlines()]


def model() -> Any:
    """A random one, for tokens that are bytes."""
    made, _ = script().random_model()
    made.resize_token_embeddings(len(tokenizer()))
    return made


def executed(code: str, **given: Any) -> dict[str, Any]:
    """What lines of the page leave behind, on a CPU, with room for tokens that are bytes."""
    code = code.replace("max_length=4096", _HERE).replace("max_steps=1", "max_steps=1, use_cpu=True, report_to=[]")
    exec(code, given)
    return given


def right_words(row: dict[str, Any]) -> str:
    """The right answer of a record of `eval`, as Qwen says it."""
    calls = [f"<tool_call>\n{_said(call)}\n</tool_call>" for call in row["answer"]["calls"]]
    return "\n".join(calls) or row["answer"]["content"]


def a_call(row: dict[str, Any]) -> str:
    """A call of the first tool on offer, as Qwen says it."""
    return f"<tool_call>\n{_said({'name': row['tools'][0]['function']['name'], 'arguments': {}})}\n</tool_call>"


def _said(call: dict[str, Any]) -> str:
    return json.dumps({"name": call["name"], "arguments": call["arguments"]}, ensure_ascii=False)
