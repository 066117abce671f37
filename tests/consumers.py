"""Parts of large programs, imported without the rest of them."""

import importlib
import sys
import warnings
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock, patch

from hypothesis import Phase, given, seed, settings
from strategies import conversations, requests

from generator.core.conversation import Conversation
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parent.parent


def part_of(package: str, module: str, *missing: str, **held: Any) -> ModuleType:
    """A module of an installed package; packages above it hold nothing but `held`, and so do the modules that are named missing."""
    folder = Path(str(distribution(package).locate_file("")))
    stubs: dict[str, Any] = {name: MagicMock() for name in missing}
    above = module.split(".")[:-1]
    names = {".".join(above[:depth]) for depth in range(1, len(above) + 1)}
    names |= {f"{above[0]}.extras"} if above[0] == "llamafactory" else set()
    for name in names:
        stub = ModuleType(name)
        stub.__path__ = [str(folder / name.replace(".", "/"))]
        vars(stub).update(held)
        stubs[name] = stub
    with patch.dict(sys.modules, stubs), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(module)


@cache
def varied_rows() -> tuple[Conversation, ...]:
    """Rows of the recipes, and hostile ones: quotes, braces, line breaks, control tokens, numbers of all sizes."""
    made = []
    for name, rows in (("parallel", 40), ("mixed", 60)):
        workshop = prepare(load_recipe(ROOT / f"recipes/{name}.yaml", scenarios=SCENARIOS, formats=FORMATS))
        made += [make_row(workshop, index).row.conversation for index in range(rows)]
    return tuple(made) + _drawn()


def _drawn() -> tuple[Conversation, ...]:
    drawn: list[Conversation] = []

    @seed(1)
    @settings(max_examples=120, database=None, phases=[Phase.generate])
    @given(requests() | conversations())
    def collect(conversation: Conversation) -> None:
        drawn.append(conversation)

    collect()
    return tuple(drawn)


@cache
def ast_checker() -> Any:
    checker = part_of("bfcl-eval", "bfcl_eval.eval_checker.ast_eval.ast_checker", "bfcl_eval.constants.model_config",
                      "bfcl_eval.eval_checker.ast_eval.type_convertor.java_type_converter",
                      "bfcl_eval.eval_checker.ast_eval.type_convertor.js_type_converter")  # fmt: skip
    checker.MODEL_CONFIG_MAPPING = {"x": type("Config", (), {"underscore_to_dot": False})}
    return checker


def bfcl_verdict(record: dict[str, Any], calls: list[dict[str, Any]]) -> bool:
    """Whether BFCL's own checker takes the calls for right."""
    checker = ast_checker()
    category = record["id"].rpartition("_")[0]
    found = checker.ast_checker(
        record["function"], calls, record["ground_truth"], checker.Language.PYTHON, category, "x"
    )
    return bool(found["valid"])


@cache
def llamafactory(module: str) -> Any:
    """A module of LLaMA-Factory that turns rows into messages."""
    return part_of("llamafactory", f"llamafactory.data.{module}", "llamafactory.extras.logging", "datasets", "fsspec",
                   "llamafactory.extras.constants", "llamafactory.extras.misc")  # fmt: skip


@cache
def converter_of(name: str) -> Any:
    """LLaMA-Factory's converter, set up with what our `dataset_info.json` says."""
    converter, parser = llamafactory("converter"), llamafactory("parser")
    attributes = parser.DatasetAttr("file", dataset_name=name)
    attributes.join(FORMATS[name].dataset_info)
    kinds = {"sharegpt": converter.SharegptDatasetConverter, "alpaca": converter.AlpacaDatasetConverter}
    return kinds[attributes.formatting](dataset_attr=attributes, data_args=None)
