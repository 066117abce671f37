"""docs/fine-tuning.md: its lines of code run, on a run of its recipe."""

import copy
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from consumers import part_of
from fine_tune_script import script
from page import PAGE, a_call, blocks, executed, model, records, right_words, run_of_the_page
from trainers import learnt, tokenizer

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the page's recipe, with a few rows."""
    return run_of_the_page(tmp_path_factory.mktemp("page"))


def test_the_lines_for_trl_make_a_trainer(made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(made)
    trainer = executed(blocks("TRL", "python")[0], model=model(), tokenizer=tokenizer())["trainer"]
    batch = trainer.data_collator([trainer.train_dataset[0]])
    assert any("<tool_call>" in text for text in learnt(batch["input_ids"][0].tolist(), batch["labels"][0].tolist()))


def test_the_lines_for_grpo_offer_the_tools_and_reward_right_calls(made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(made)
    given = executed(blocks("Rewards", "python")[0], model=model(), tokenizer=tokenizer("qwen2_5"))
    trainer, rows = given["trainer"], records(made, "eval")
    assert len(trainer.train_dataset) == len(rows) > 30
    for row, kept in zip(rows, trainer.train_dataset, strict=True):
        (ids,), _, _ = trainer._tokenize_prompts([kept["prompt"]])
        written = trainer.processing_class.decode(ids)
        assert all(json.dumps(tool, ensure_ascii=False) in written for tool in row["tools"])
        assert row["tools"]
        assert written.endswith("<|im_start|>assistant\n")
        right = right_words(row)
        wrong = [right.replace('"name": "', '"name": "un'), "Sure!"] if row["answer"]["calls"] else [a_call(row)]
        rewards = trainer.reward_funcs[0](completions=[right, *wrong], answer=[kept["answer"]] * (1 + len(wrong)))
        assert rewards == [1.0] + [0.0] * len(wrong)


def test_a_step_of_grpo_runs_on_such_prompts(made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(made)
    trainer = executed(blocks("Rewards", "python")[0], model=model(), tokenizer=tokenizer("qwen2_5"))["trainer"]
    trainer.train_dataset = trainer.train_dataset.filter(
        lambda row: len(row["prompt"]) < 2500 and '"name"' in row["answer"]
    )
    trainer.train()
    assert [entry["reward"] for entry in trainer.state.log_history if "reward" in entry] == [0.0]  # a random model


@pytest.mark.parametrize(("at", "columns"), [(0, ("chosen_ids", "rejected_ids")), (1, ("completion_ids", "label"))])
def test_the_lines_for_preferences_make_a_trainer(
    made: Path, at: int, columns: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(made)
    code = blocks("Preferences", "python")[at].replace("model=model", "model=model, ref_model=copy.deepcopy(model)")
    given = executed(code, model=model(), tokenizer=tokenizer("qwen2_5"), copy=copy)  # it has no name to be loaded by
    assert set(columns) <= set(given["trainer"].train_dataset[0])


def test_the_lines_for_mlx_lm_give_it_its_files_and_it_learns_the_last_message(
    made: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(made)
    told = SimpleNamespace(**yaml.safe_load(blocks("mlx-lm", "yaml")[0]))
    subprocess.run(["bash", "-euc", blocks("mlx-lm", "bash")[0]], check=True)
    datasets = part_of("mlx-lm", "mlx_lm.tuner.datasets", "mlx_lm.cli_ui")
    train, valid, _ = datasets.load_local_dataset(Path(told.data), tokenizer("qwen2_5"), told)
    assert len(train) + len(valid) == len(records(made, "trl")) + len(records(made, "trl", "test"))
    ids, masked = train.process(train[0])
    assert 0 < masked < len(ids) <= 10 * told.max_seq_length  # bytes are tokens here


def test_the_labels_of_the_page_are_those_of_the_script():
    given: dict = {}
    exec(blocks("A loop of one's own", "python")[0], given)
    text, spans = "abcdef ghi", [[2, 5], [7, 10]]
    assert given["labels_of"](text, spans, tokenizer()) == script().labels_of(text, spans, tokenizer())


def test_what_the_page_tells_llamafactory_and_axolotl_is_there(made: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(made)
    told = SimpleNamespace(**yaml.safe_load(blocks("LLaMA-Factory", "yaml")[0]))
    for name in (told.dataset, "tuning_sharegpt-ranking_train", "tuning_sharegpt-unpaired_train"):
        assert name in PAGE
        entry = json.loads((Path(told.dataset_dir) / "dataset_info.json").read_text())[name]
        assert (Path(told.dataset_dir) / entry["file_name"]).is_file()
    (data,) = yaml.safe_load(blocks("Axolotl", "yaml")[0])["datasets"]
    row = json.loads(Path(data["path"]).read_text().splitlines()[0])
    assert any(data["message_field_training"] in message for message in row["messages"])
