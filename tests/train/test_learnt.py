"""What trainers learn of our rows: the labels that their own code makes of them, token by token."""

import copy
import json
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock, patch

import msgspec
import pytest
from consumers import ROOT, converter_of, part_of
from trainers import IGNORED, learnt, preferences, rejected, rows, said, tokenizer

from generator.formats import FORMATS
from generator.formats.steps import unrolled
from generator.run.stages.words import mark_training

pytestmark = pytest.mark.filterwarnings("ignore")


def records(name: str, train: str = "all", *, apart: bool = False) -> list[dict]:
    fmt = FORMATS[name]
    made = [
        part
        for row in rows()
        for part in (unrolled(mark_training(row, train), fmt) if apart else (mark_training(row, train),))
    ]
    return [json.loads(json.dumps(fmt.render(part))) for part in made]


def all_said() -> list[str]:
    return [text for row in rows() for text in said(row)]


def sft(data: list[dict], tmp_path, **options):
    """The rows as TRL's SFTTrainer prepares them."""
    from datasets import Dataset
    from fine_tune_script import script
    from trl import SFTConfig, SFTTrainer

    model, _ = script().random_model()
    model.resize_token_embeddings(len(tokenizer()))
    config = SFTConfig(output_dir=str(tmp_path), max_length=None, report_to=[], use_cpu=True, **options)
    dataset = Dataset.from_list(data, on_mixed_types="use_json")
    trainer = SFTTrainer(model=model, args=config, train_dataset=dataset, processing_class=tokenizer())
    return [trainer.data_collator([row]) for row in trainer.train_dataset]


def test_trl_learns_calls_and_answers_with_assistant_only_loss(tmp_path):
    batches = sft(records("trl"), tmp_path, assistant_only_loss=True)
    found = [learnt(batch["input_ids"][0].tolist(), batch["labels"][0].tolist()) for batch in batches]
    assert found == [said(row) for row in rows()]


def test_trl_learns_the_completion_of_unrolled_rows(tmp_path):
    batches = sft(records("trl-prompt_completion", "calls", apart=True), tmp_path)
    found = [learnt(batch["input_ids"][0].tolist(), batch["labels"][0].tolist()) for batch in batches]
    assert found == [[text] for text in all_said() if "<tool_call>" in text]


def llamafactory(kind: str, name: str, **settings):
    """A processor of LLaMA-Factory, which makes labels of examples, with its template for Qwen."""
    missing = [
        "llamafactory.extras.logging",
        "datasets",
        "fsspec",
        "llamafactory.extras.misc",
        "llamafactory.data.mm_plugin",
    ]
    constants = SimpleNamespace(IGNORE_INDEX=IGNORED)
    with patch.dict(sys.modules, {"llamafactory.extras.constants": constants}):
        template = part_of("llamafactory", "llamafactory.data.template", *missing)
        module = part_of("llamafactory", f"llamafactory.data.processor.{kind}", *missing)
    form = template.TEMPLATES["qwen"]
    form.mm_plugin = MagicMock(
        process_messages=lambda messages, *_: messages, process_token_ids=lambda ids, *_: (ids or [], [])
    )
    given = SimpleNamespace(cutoff_len=10**6, **settings)
    return getattr(module, name)(template=form, tokenizer=tokenizer(), processor=None, data_args=given)


@pytest.mark.parametrize("apart", [False, True])
def test_llamafactory_learns_calls_and_answers(apart):
    process = llamafactory("supervised", "SupervisedDatasetProcessor", mask_history=apart, train_on_prompt=False)
    convert, found = converter_of("sharegpt"), []
    for record in records("sharegpt", apart=apart):
        example = {key: [value] for key, value in convert(record).items()}
        (ids,), (labels,) = (process.preprocess_dataset(example)[key] for key in ("input_ids", "labels"))
        found.append(learnt(ids, labels))
    # with mask_history, the last message alone
    assert found == ([[text] for text in all_said()] if apart else [said(row) for row in rows()])


@pytest.mark.parametrize("apart", [False, True])
def test_mlx_lm_learns_the_last_message_so_calls_need_unrolled_rows(apart):
    datasets = part_of("mlx-lm", "mlx_lm.tuner.datasets", "mlx_lm.cli_ui")
    found = []
    for record in records("trl", apart=apart):
        ids, masked = datasets.ChatDataset([record], tokenizer("qwen2_5"), mask_prompt=True).process(record)
        found.append(tokenizer().decode(ids[masked:]).rstrip("\n"))
    assert found == (all_said() if apart else [said(row)[-1] for row in rows()])
    assert any("<tool_call>" in text for text in found) == apart


def test_axolotl_learns_what_training_says():
    from axolotl_strategy import strategy

    for row in rows():
        for train in ("all", "calls"):
            record = json.loads(json.dumps(FORMATS["axolotl"].render(mark_training(row, train))))
            made = strategy(tokenizer("qwen2_5")).tokenize_prompt(record)
            wanted = [text for text in said(row) if train == "all" or "<tool_call>" in text]
            assert learnt(made["input_ids"], made["labels"]) == wanted


@pytest.mark.parametrize("apart", [False, True])
def test_mistral_finetune_learns_the_last_message_so_calls_need_unrolled_rows(apart):
    """Its rule in mistral-common's words: with tools, the tokens of the last message are learnt, and no others."""
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    tokens = MistralTokenizer.v3().instruct_tokenizer
    calls = tokens.tokenizer.get_special_token("[TOOL_CALLS]")
    learnt_calls, made = [], []
    for record in records("mistral", apart=apart):
        assert all({"name", "description", "parameters"} <= tool["function"].keys() for tool in record["tools"])
        request = ChatCompletionRequest.from_openai(record["messages"], record["tools"])
        ids = tokens.encode_assistant_message(request.messages[-1], is_before_last_user_message=False)
        if calls in ids:
            learnt_calls += [(call["name"], call["arguments"]) for call in json.loads(tokens.tokenizer.decode(ids))]
    for row in rows():
        made += [(call.name, call.arguments) for message in row.messages for call in getattr(message, "tool_calls", ())]
    assert learnt_calls == (made if apart else [])


def test_the_spans_of_text_rows_become_labels():
    from fine_tune_script import script

    for name in ("qwen", "hermes", "glm45-inline_refs", "llama_pythonic"):
        for row in rows():
            record = FORMATS[name].render(row)
            ids, labels = script().labels_of(record["text"], record["spans"], tokenizer())
            assert learnt(ids, labels) == [record["text"][start:stop].strip("\n") for start, stop in record["spans"]]


def test_openai_rows_say_by_weight_what_is_learnt():
    """Nobody outside sees OpenAI's labels; its rule is that messages of weight 0 are not learnt, and all others are."""
    for row, record in zip(rows(), records("openai", "calls"), strict=True):
        weights = [message["weight"] for message in record["messages"] if message["role"] == "assistant"]
        assert [bool(weight) for weight in weights] == ["<tool_call>" in text for text in said(row)]


VALUES = [0.7, 0.1 + 0.2, 1e-7, 123456.789, 2.5]


def test_floats_come_back_exactly_from_parquet_and_from_arguments_that_are_text(tmp_path):
    """Of objects of several shapes in JSON Lines, `datasets` reads numbers with a reader that is not exact: in tools, too."""
    from datasets import load_dataset
    from made_rows import made_row, recipe, write_rows

    from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage

    call = ToolCall("aaaaaaaa1", "f", {str(at): value for at, value in enumerate(VALUES)})
    limits = {str(at): {"type": "number", "maximum": value} for at, value in enumerate(VALUES)}
    text = {"0": {"type": "string", "enum": ["a"]}}  # of another shape, so that the column is one of JSON
    tools = [
        Tool(name=name, parameters={"type": "object", "properties": of}) for name, of in (("f", limits), ("g", text))
    ]
    said = Conversation((UserMessage(content="?"), AssistantMessage(tool_calls=(call,))), tuple(tools))
    made = made_row(0)
    made = msgspec.structs.replace(made, row=msgspec.structs.replace(made.row, conversation=said))
    write_rows(recipe(1, "trl", "openai", "axolotl"), [made], tmp_path, sinks=("jsonl", "parquet"))

    def read(file: str, key: str):
        kind = "parquet" if file.endswith("parquet") else "json"
        (row,) = load_dataset(kind, data_files=str(tmp_path / file), split="train", cache_dir=str(tmp_path / "cache"))
        return json.loads(row[key]) if isinstance(row[key], str) else row[key]

    def arguments(file: str):
        found = read(file, "messages")[1]["tool_calls"][0]["function"]["arguments"]
        return list((json.loads(found) if isinstance(found, str) else found).values())

    def maxima(file: str):
        return [schema["maximum"] for schema in read(file, "tools")[0]["function"]["parameters"]["properties"].values()]

    for exact in ("trl.parquet", "openai.parquet", "axolotl.parquet", "openai.jsonl", "axolotl.jsonl"):
        assert arguments(exact) == VALUES
    for exact in ("trl.parquet", "openai.parquet", "axolotl.parquet", "axolotl.jsonl"):
        assert maxima(exact) == VALUES
    for changed in ("trl.jsonl", "openai.jsonl"):
        assert maxima(changed) == pytest.approx(VALUES, rel=1e-15)
        assert maxima(changed) != VALUES
    assert arguments("trl.jsonl") == pytest.approx(VALUES, rel=1e-15)


def test_ten_steps_of_the_example_run(tmp_path, capsys, monkeypatch):
    from fine_tune_script import script

    from generator.recipe import load_recipe
    from generator.run.engine.run import RunOptions, run
    from generator.scenarios import SCENARIOS

    recipe = load_recipe(ROOT / "benchmarks/fine_tune/recipe.yaml", scenarios=SCENARIOS, formats=FORMATS)
    run(msgspec.structs.replace(recipe, rows=30), tmp_path, how=RunOptions(executor="serial"))
    options = [
        "fine_tune",
        str(tmp_path),
        "--model",
        "random",
        "--steps",
        "10",
        "--batch",
        "1",
        "--items",
        "2",
        "--answer",
        "8",
    ]
    monkeypatch.setattr(sys, "argv", [*options, "--longest", "6000", "--rate", "0.01", "--threads", "1"])
    script().main()
    found = json.loads(capsys.readouterr().out)
    assert found["training"]["steps"] == 10
    assert found["training"]["losses"][-1] < found["training"]["losses"][0]
    assert found["before"]["of"] == found["after"]["of"] == 2


def test_trl_learns_from_preferences_what_is_chosen_and_what_is_rejected(tmp_path):
    """Calls and texts of both sides are the completions that DPO compares, and the tools stand in the prompt."""
    from datasets import Dataset
    from fine_tune_script import script
    from trl import DPOConfig, DPOTrainer

    made = [json.loads(json.dumps(FORMATS["trl-preference"].render(one))) for one in preferences()]
    data = Dataset.from_list(made, on_mixed_types="use_json")
    model, _ = script().random_model()
    model.resize_token_embeddings(len(tokenizer()))
    config = DPOConfig(
        output_dir=str(tmp_path), max_length=None, report_to=[], use_cpu=True, max_steps=1, save_strategy="no"
    )
    trainer = DPOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=config,
        train_dataset=data,
        processing_class=tokenizer("qwen2_5"),
    )
    for one, row in zip(preferences(), trainer.train_dataset, strict=True):
        prompt, chosen, wrong = (tokenizer().decode(row[key]) for key in ("prompt_ids", "chosen_ids", "rejected_ids"))
        assert chosen.strip() == said(one)[-1]
        assert wrong.strip() == rejected(one)
        assert all(tool.name in prompt for tool in one.tools)


def test_llamafactory_learns_what_is_chosen_and_what_is_rejected():
    process, convert = llamafactory("pairwise", "PairwiseDatasetProcessor"), converter_of("sharegpt-ranking")
    for one in preferences():
        record = json.loads(json.dumps(FORMATS["sharegpt-ranking"].render(one)))
        example = {key: [value] for key, value in convert(record).items()}
        made = process.preprocess_dataset(example)
        found = [learnt(made[f"{side}_input_ids"][0], made[f"{side}_labels"][0]) for side in ("chosen", "rejected")]
        assert found == [[said(one)[-1]], [rejected(one)]]


def test_llamafactory_learns_from_unpaired_preferences():
    """Each record is the right message with a true tag, or the rejected one with a false tag."""
    process, convert = llamafactory("feedback", "FeedbackDatasetProcessor"), converter_of("sharegpt-unpaired")
    parts = [part for one in preferences() for part in (msgspec.structs.replace(one, rejected=None), one)]
    examples = [convert(json.loads(json.dumps(FORMATS["sharegpt-unpaired"].render(part)))) for part in parts]
    made = process.preprocess_dataset({key: [example[key] for example in examples] for key in examples[0]})
    assert made["kto_tags"] == [True, False] * len(preferences())
    found = [learnt(ids, labels) for ids, labels in zip(made["input_ids"], made["labels"], strict=True)]
    assert found == [[text] for one in preferences() for text in (said(one)[-1], rejected(one))]


def test_trl_learns_from_unpaired_preferences(tmp_path):
    """KTO gets each completion with its label, the wrong ones with what is wrong."""
    from datasets import Dataset
    from fine_tune_script import script
    from trl import KTOConfig, KTOTrainer

    fmt = FORMATS["trl-unpaired"]
    parts = [part for one in preferences() for part in (msgspec.structs.replace(one, rejected=None), one)]
    data = Dataset.from_list([json.loads(json.dumps(fmt.render(part))) for part in parts], on_mixed_types="use_json")
    model, _ = script().random_model()
    model.resize_token_embeddings(len(tokenizer()))
    config = KTOConfig(
        output_dir=str(tmp_path),
        max_length=None,
        report_to=[],
        use_cpu=True,
        max_steps=1,
        save_strategy="no",
        per_device_train_batch_size=2,
    )
    trainer = KTOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=config,
        train_dataset=data,
        processing_class=tokenizer("qwen2_5"),
    )
    assert [row["label"] for row in trainer.train_dataset] == [True, False] * len(preferences())
    for part, row in zip(parts, trainer.train_dataset, strict=True):
        wanted = said(part)[-1] if part.rejected is None else rejected(part)
        assert tokenizer().decode(row["completion_ids"]).strip() == wanted
