"""docs/fine-tuning.md: its lines of code run, on a run of its recipe."""

import copy
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from consumers import ROOT, part_of
from fine_tune_script import script
from trainers import learnt, tokenizer

from generator.formats import FORMATS, format_options
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

pytestmark = pytest.mark.filterwarnings("ignore")
PAGE = (ROOT / "docs/fine-tuning.md").read_text()
SECTIONS = {text.partition("\n")[0]: text for text in re.split(r"^## ", PAGE, flags=re.MULTILINE)}


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", SECTIONS[section], re.DOTALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the page's recipe, with a few rows."""
    folder = tmp_path_factory.mktemp("page")
    (recipe,) = blocks("I train with …", "yaml")
    (folder / "tool_specs").symlink_to(ROOT / "tool_specs")
    (folder / "tuning.yaml").write_text(recipe.replace("rows: 1000", "rows: 24"))
    run(
        load_recipe(folder / "tuning.yaml", scenarios=SCENARIOS, formats=FORMATS, format_options=format_options()),
        folder / "outputs/tuning",
        how=RunOptions(executor="serial"),
    )
    return folder


@pytest.mark.parametrize("at", [0, 1])
def test_the_lines_for_trl_make_a_trainer(made: Path, at: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(made)
    model, _ = script()._random_model()
    model.resize_token_embeddings(len(tokenizer()))
    given = {"model": model, "tokenizer": tokenizer()}
    code = blocks("TRL", "python")[at].replace("max_length=4096", "max_length=8192, use_cpu=True, report_to=[]")
    exec(code.replace("max_steps=1", "max_steps=1, use_cpu=True, report_to=[]"), given)
    trainer = given["trainer"]
    if at == 0:
        row = trainer.train_dataset[0]
        batch = trainer.data_collator([row])
        assert any(
            "<tool_call>" in text for text in learnt(batch["input_ids"][0].tolist(), batch["labels"][0].tolist())
        )
    else:
        assert trainer.train_dataset[0]["prompt"][0]["role"] in ("system", "user")


@pytest.mark.parametrize(("at", "columns"), [(0, ("chosen_ids", "rejected_ids")), (1, ("completion_ids", "label"))])
def test_the_lines_for_preferences_make_a_trainer(
    made: Path, at: int, columns: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(made)
    model, _ = script()._random_model()
    model.resize_token_embeddings(len(tokenizer()))
    given = {"model": model, "tokenizer": tokenizer("qwen2_5"), "copy": copy}
    code = blocks("Preferences", "python")[at].replace("max_length=4096", "max_length=8192, use_cpu=True, report_to=[]")
    exec(
        code.replace("model=model", "model=model, ref_model=copy.deepcopy(model)"), given
    )  # it has no name to be loaded by
    assert set(columns) <= set(given["trainer"].train_dataset[0])


def test_the_lines_for_mlx_lm_give_it_its_files_and_it_learns_the_last_message(
    made: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(made)
    told = SimpleNamespace(**yaml.safe_load(blocks("mlx-lm", "yaml")[0]))
    subprocess.run(["bash", "-euc", blocks("mlx-lm", "bash")[0]], check=True)
    datasets = part_of("mlx-lm", "mlx_lm.tuner.datasets", "mlx_lm.cli_ui")
    train, valid, _ = datasets.load_local_dataset(Path(told.data), tokenizer("qwen2_5"), told)
    assert len(train) + len(valid) == 24
    ids, masked = train.process(train[0])
    assert 0 < masked < len(ids) <= 10 * told.max_seq_length  # bytes are tokens here


def test_the_labels_of_the_page_are_those_of_the_script():
    given: dict = {}
    exec(blocks("A loop of one's own", "python")[0], given)
    text, spans = "abcdef ghi", [[2, 5], [7, 10]]
    assert given["labels_of"](text, spans, tokenizer()) == script().labels_of(text, spans, tokenizer())


def test_what_the_page_tells_llamafactory_and_axolotl_is_there(made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(made)
    import json

    told = SimpleNamespace(**yaml.safe_load(blocks("LLaMA-Factory", "yaml")[0]))
    for name in (told.dataset, "tuning_sharegpt-ranking_train", "tuning_sharegpt-unpaired_train"):
        assert name in PAGE
        entry = json.loads((Path(told.dataset_dir) / "dataset_info.json").read_text())[name]
        assert (Path(told.dataset_dir) / entry["file_name"]).is_file()
    (data,) = yaml.safe_load(blocks("Axolotl", "yaml")[0])["datasets"]
    row = json.loads(Path(data["path"]).read_text().splitlines()[0])
    assert any(data["message_field_training"] in message for message in row["messages"])
