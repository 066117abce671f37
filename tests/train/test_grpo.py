"""`generator.episodes.trl` in GRPO's own loop: a tiny random model, whose texts are those that an agent would write."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from played import ROOT, tasks_of

pytest.importorskip("trl", reason="needs trl: pip install -e '.[train]'")

from trainers import tokenizer

from generator.core.conversation import AssistantMessage
from generator.episodes.mcp import TALK
from generator.episodes.player import reference_actions
from generator.episodes.replay import read_transcript, replay
from generator.episodes.trl import Rollouts

pytestmark = pytest.mark.filterwarnings("ignore")
ROWS = 3
SEEN = 40


def texts_of(actions: list[AssistantMessage], talk: str) -> list[str]:
    """What a model writes, turn by turn, with Qwen's tags; a text that is not the last one is a call of `talk`."""
    found = []
    for place, action in enumerate(actions):
        calls = [(call.name, call.arguments) for call in action.tool_calls]
        if not calls and place < len(actions) - 1:
            calls = [(talk, {"text": action.content})]
        entries = [json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls]
        found.append("\n".join(f"<tool_call>\n{one}\n</tool_call>" for one in entries) or str(action.content))
    return found


def trained(rollouts: Rollouts, script: dict[int, list[list[str]]], tmp_path: Path) -> tuple[Any, list[list[float]]]:
    """Train a step on each row, with scripted texts for each of its two generations; return the trainer, and the rewards."""
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    names = tokenizer("qwen3")
    config = LlamaConfig(
        vocab_size=len(names), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
        max_position_embeddings=32768, pad_token_id=names.pad_token_id, eos_token_id=names.eos_token_id,
    )  # fmt: skip
    rewards: list[list[float]] = []

    def reward(completions: Any, environments: Any, **rest: Any) -> list[float]:
        rewards.append(rollouts.reward(completions, environments, **rest))
        return rewards[-1]

    trainer = GRPOTrainer(
        model=LlamaForCausalLM(config),
        processing_class=names,
        reward_funcs=reward,
        train_dataset=Dataset.from_list(rollouts.records),
        environment_factory=rollouts.factories,
        args=GRPOConfig(
            output_dir=str(tmp_path), per_device_train_batch_size=2, num_generations=2, max_steps=len(rollouts.records),
            max_completion_length=8192, report_to=[], use_cpu=True, save_strategy="no", shuffle_dataset=False, beta=0.0,
        ),
    )  # fmt: skip
    prompts: list[str] = []
    turn: list[int] = [0, 0]
    active: list[int] = []
    """The rollouts that go on: those that have called something."""

    def generate(prompt_ids: list[list[int]], *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        """In place of the model: the next text of each rollout."""
        rows = [environment._episode.task.row.index for environment in trainer.environments]
        if not active:
            prompts.append(names.decode(prompt_ids[0]))
            turn[:], active[:] = [0, 0], range(len(rows))
        texts = [script[rows[place]][place][turn[place]] for place in active]
        for place in active:
            turn[place] += 1
        active[:] = [place for place, text in zip(active, texts, strict=True) if "<tool_call>" in text]
        return [names(text + "<|im_end|>")["input_ids"] for text in texts], None

    trainer._generate_single_turn = generate
    trainer.train()
    trainer.prompts = prompts
    return trainer, rewards


@pytest.fixture(scope="module")
def rollouts() -> Rollouts:
    """Those of the first rows that are shortest, since each byte is a token here; one of them is of several turns."""
    tasks = tasks_of("conversations")

    def length(index: int) -> int:
        row = tasks.task(index).row.conversation
        return len(str(row.tools)) + len(str(row.messages))

    several = [index for index in range(SEEN) if len(own_texts(index)) > 1]
    chosen = {min(several, key=length), *sorted(range(SEEN), key=length)[: ROWS - 1]}
    return Rollouts(tasks.episode(), sorted(chosen))


def own_texts(index: int) -> list[AssistantMessage]:
    return [action for action in reference_actions(tasks_of("conversations").task(index)) if not action.tool_calls]


def test_own_actions_get_the_whole_reward_and_an_idle_agent_less(rollouts: Rollouts, tmp_path: Path) -> None:
    tasks = tasks_of("conversations")
    script = {
        record["row"]: [texts_of(reference_actions(tasks.task(record["row"])), TALK), ["OK."]]
        for record in rollouts.records
    }
    trainer, rewards = trained(rollouts, script, tmp_path)
    assert [one[0] for one in rewards] == [1.0] * len(rollouts.records)
    assert sum(one[1] for one in rewards) < len(rollouts.records) / 2
    for record, prompt in zip(rollouts.records, trainer.prompts, strict=True):
        for tool in tasks.task(record["row"]).row.conversation.tools:
            assert json.dumps(tool.parameters, ensure_ascii=False) in prompt, tool.name  # verbatim
    for transcript in rollouts.transcripts(trainer.environments):
        found = replay(tasks.episode(), read_transcript(transcript))
        assert not found.faults
        assert found.score.reward == transcript["score"]["reward"]


def test_the_page_names_what_there_is() -> None:
    """Its code, up to the trainer, which would load a model."""
    page = (ROOT / "docs/episodes.md").read_text(encoding="utf-8")
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "GRPOTrainer" in code]
    code = code.replace("range(1000)", "range(2)").replace("GRPOTrainer(", "dict(").replace("GRPOConfig(", "dict(")
    found: dict[str, Any] = {}
    exec(code, found)
    assert set(found["trainer"]["train_dataset"].column_names) == {"prompt", "environment", "row"}
