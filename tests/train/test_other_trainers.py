"""docs/fine-tuning.md: trainers of which only a part can be run without a GPU. Their lines, and what they learn by them."""

import json
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
import yaml
from consumers import part_of
from page import blocks, executed, model, records, run_of_the_page
from trainers import IGNORED, learnt, said, tokenizer

from generator.core.conversation import AssistantMessage
from generator.formats import FORMATS

pytestmark = pytest.mark.filterwarnings("ignore")


def installed(package: str) -> None:
    """Skip the test where a trainer is not installed."""
    try:
        distribution(package)
    except PackageNotFoundError:
        pytest.skip(f"needs {package}: pip install --no-deps -r tests/trainers.txt")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the page's recipe, with a few rows. What `part_of` would load and forget again is loaded before."""
    from transformers import LlamaForCausalLM, ProcessorMixin  # noqa: F401
    from trl import SFTConfig, SFTTrainer  # noqa: F401

    return run_of_the_page(tmp_path_factory.mktemp("other"))


def wanted(record: dict[str, Any]) -> list[str]:
    """What is to be learnt of a record of `trl`: all that the assistant says."""
    return said(FORMATS["trl"].parse(record))


def marked(record: dict[str, Any]) -> list[str]:
    """What is to be learnt of a record of `qwen`."""
    return [record["text"][start:stop].strip("\n") for start, stop in record["spans"]]


def learnt_by(ids: Any, mask: Any) -> list[str]:
    """What a mask of ones leaves to be learnt."""
    return learnt(list(ids), [token if kept else IGNORED for token, kept in zip(ids, mask, strict=True)])


def masking() -> Any:
    """Unsloth's `train_on_responses_only`, which `unsloth.chat_templates` hands on."""
    return part_of("unsloth_zoo", "unsloth_zoo.dataset_utils")


def test_unsloth_learns_all_that_the_assistant_says(made: Path, monkeypatch: pytest.MonkeyPatch):
    installed("unsloth_zoo")
    monkeypatch.chdir(made)
    code, imported = blocks("Unsloth", "python")[0], "from unsloth.chat_templates import train_on_responses_only\n"
    assert imported in code
    given = {"train_on_responses_only": masking().train_on_responses_only, "tokenizer": tokenizer("qwen2_5")}
    package = ModuleType("unsloth_zoo")  # without what it does first, which asks for a GPU
    package.__path__ = [str(distribution("unsloth_zoo").locate_file("unsloth_zoo"))]
    with patch.dict(sys.modules, {"unsloth_zoo": package}):
        trainer = executed(code.replace(imported, ""), model=model(), **given)["trainer"]
    rows = records(made, "trl")
    assert len(trainer.train_dataset) == len(rows) > 20
    for row, kept in zip(rows, trainer.train_dataset, strict=True):
        assert learnt(kept["input_ids"], [int(label) for label in kept["labels"]]) == wanted(row)
        written = tokenizer().decode(kept["input_ids"])
        assert all(json.dumps(tool["function"]["name"]) in written for tool in row["tools"])


def test_unsloth_learns_what_is_not_to_be_learnt_of_texts(made: Path):
    installed("unsloth_zoo")
    mask = masking().train_on_responses_only(
        None, "<|im_start|>user\n", "<|im_start|>assistant\n", tokenizer=tokenizer("qwen2_5"), return_function=True
    )
    replace, rows = msgspec.structs.replace, []
    for record in records(made, "trl"):
        conversation = FORMATS["trl"].parse(record)
        first = next(at for at, message in enumerate(conversation.messages) if isinstance(message, AssistantMessage))
        messages = [replace(one, train=False) if at == first else one for at, one in enumerate(conversation.messages)]
        rows.append(FORMATS["qwen"].render(replace(conversation, messages=tuple(messages))))
    for row in rows:
        ids = tokenizer()(row["text"], add_special_tokens=False)["input_ids"]
        found = learnt(ids, [int(label) for label in mask({"input_ids": [ids]})["labels"][0]])
        assert [text for text in found if text in marked(row)] == marked(row)
        assert len(found) == len(marked(row)) + 1  # the message that is marked as not to be learnt
    assert len(rows) > 20


def test_ms_swift_reads_calls_results_and_tools(made: Path, monkeypatch: pytest.MonkeyPatch):
    installed("ms-swift")
    from datasets import load_dataset

    monkeypatch.chdir(made)
    inputs = part_of("ms-swift", "swift.template.template_inputs", "swift.utils", "swift.template.utils")
    utils = dict.fromkeys(("TOOL_KEYS", "is_dist", "is_master", "remove_arrow_padding", "safe_ddp_context"), ())
    others = {
        "swift.utils": SimpleNamespace(get_logger=SimpleNamespace, **utils),
        "swift.template": SimpleNamespace(history_to_messages=None),
        "swift.template.template_inputs": inputs,
    }
    with patch.dict(sys.modules, others):
        reader = part_of("ms-swift", "swift.dataset.preprocessor.core", "modelscope", "modelscope.hub",
                         "modelscope.hub.utils", "modelscope.hub.utils.utils").MessagesPreprocessor()  # fmt: skip
    (path,) = yaml.safe_load(blocks("ms-swift", "yaml")[0])["dataset"]
    data = load_dataset("json", data_files=path, split="train", cache_dir="cache")
    for row, record in zip(data, records(made, "trl"), strict=True):
        read = reader.preprocess(row)
        reader._check_messages(read)
        calls = [message["content"] for message in read["messages"] if message["role"] == "tool_call"]
        ours = [call["function"] for message in record["messages"] for call in message.get("tool_calls", ())]
        assert [(call["name"], sorted(call["arguments"])) for call in calls] == [
            (call["name"], sorted(call["arguments"])) for call in ours
        ]
        texts = [
            (message["role"], message["content"]) for message in read["messages"] if message["role"] != "tool_call"
        ]
        assert texts == [(m["role"], m["content"]) for m in record["messages"] if not m.get("tool_calls")]
        assert [tool["function"]["name"] for tool in read["tools"]] == [
            tool["function"]["name"] for tool in record["tools"]
        ]


@pytest.mark.parametrize("template", ["qwen2_5", "qwen3"])
def test_verl_learns_all_that_the_assistant_says(made: Path, template: str, monkeypatch: pytest.MonkeyPatch):
    installed("verl")
    monkeypatch.chdir(made)
    told = yaml.safe_load(blocks("verl", "yaml")[0])["data"]
    Path(told["custom_cls"]["path"]).write_text(blocks("verl", "python")[0])
    with patch.dict(sys.modules, {"omegaconf": SimpleNamespace(DictConfig=dict, ListConfig=tuple)}):
        module = part_of(
            "verl", "verl.utils.dataset.multiturn_sft_dataset", "verl.models.transformers.qwen2_vl", "codetiming",
            "verl.utils.dataset.vision_utils", "verl.utils.fs", "tensordict", "tensordict.tensorclass", hf_tokenizer=None,
        )  # fmt: skip
    module.copy_local_path_from_hdfs = lambda path, verbose: path
    with patch.dict(sys.modules, {module.__name__: module}):
        reader = executed(Path(told["custom_cls"]["path"]).read_text())[told["custom_cls"]["name"]]
    settings = {**told, "max_length": 10**6, "pad_mode": "no_padding"}
    data, rows = reader(told["train_files"], tokenizer(template), settings), records(made, "trl")
    assert len(data) == len(rows) > 20
    for at, row in enumerate(rows):
        ids = data[at]["input_ids"].tolist()
        assert learnt_by(ids, data[at]["loss_mask"].tolist()) == wanted(row)
        assert all(json.dumps(tool, ensure_ascii=False) in tokenizer().decode(ids) for tool in row["tools"])
    strict = reader(told["train_files"], tokenizer(template), {**settings, "ignore_input_ids_mismatch": False})
    with pytest.raises(AssertionError, match="ignore_input_ids_mismatch"):  # as the page says
        list(map(strict.__getitem__, range(len(strict))))


def test_torchtune_learns_what_spans_say(made: Path, monkeypatch: pytest.MonkeyPatch):
    installed("torchtune")
    monkeypatch.chdir(made)
    monkeypatch.setenv("HF_DATASETS_CACHE", "cache")
    common = part_of("torchtune", "torchtune.data._common")
    others = {
        "torchtune.data": SimpleNamespace(),
        "torchtune.data._common": common,
        "torchtune.modules": SimpleNamespace(),
        "torchtune.modules.transforms": SimpleNamespace(Transform=object),
    }
    with patch.dict(sys.modules, others):
        part = part_of("torchtune", "torchtune.datasets._sft", "torchtune.data._messages")
    labels = executed(blocks("A loop of one's own", "python")[0])["labels_of"]
    with patch.dict(sys.modules, {"torchtune": SimpleNamespace(), "torchtune.datasets": part}):
        data = executed(blocks("torchtune", "python")[0], labels_of=labels, tokenizer=tokenizer())["data"]
    rows = records(made, "qwen")
    assert len(data) == len(rows) > 20
    for row, kept in zip(rows, data, strict=True):
        assert learnt(kept["tokens"], [int(label) for label in kept["labels"]]) == marked(row)


def test_openrlhf_learns_what_spans_say(made: Path, monkeypatch: pytest.MonkeyPatch):
    from datasets import load_dataset

    installed("openrlhf")
    monkeypatch.chdir(made)
    executed(blocks("OpenRLHF", "python")[0])
    said_of = SimpleNamespace(data=SimpleNamespace(input_key="input", output_key="output"))
    data = part_of("openrlhf", "openrlhf.datasets.sft_dataset", "openrlhf.utils.utils").SFTDataset(
        load_dataset("json", data_files="openrlhf.jsonl", split="train", cache_dir="cache"),
        tokenizer(), 10**6, SimpleNamespace(args=said_of), num_processors=None,
    )  # fmt: skip
    found = []
    for at in range(len(data)):
        ids, _, mask = data[at]
        learns = [0, *mask[0].int().tolist()[:-1]]  # its mask stands where the next token is foretold
        found += learnt_by(ids[0].tolist(), learns)
    assert found == [text for row in records(made, "qwen") for text in marked(row)]
