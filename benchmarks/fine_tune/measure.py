"""What a model makes of an item: where it knows what came before (teacher-forced), and by itself (decoded)."""

from collections import Counter
from typing import Any

from benchmarks.fine_tune.fine_tune import decoded
from benchmarks.fine_tune.sets import Item, Leaf
from generator.core.exact_json import same
from generator.core.pointers import resolve
from generator.episodes.rewards import judge
from generator.episodes.rewards.reading import read_answer, read_completion

CALL = "<tool_call>"
Outcome = dict[str, list[int]]
"""Measure → [how many are right, of how many] in one item."""


def forced(model: Any, tokenizer: Any, item: Item) -> Outcome:
    """Return what is right where the right words stand before each token."""
    import torch

    whole = item.prompt + item.gold
    encoded = tokenizer(whole, return_offsets_mapping=True, add_special_tokens=False)
    ids, places = encoded["input_ids"], encoded["offset_mapping"]
    begin = next(at for at, (start, _) in enumerate(places) if start >= len(item.prompt))
    with torch.no_grad():
        guesses = model(torch.tensor([ids])).logits[0].argmax(-1).tolist()
    opening = tokenizer(CALL, add_special_tokens=False)["input_ids"][0]
    found: Outcome = {"begun": [int(guesses[begin - 1] == opening), 1]}
    if not item.calls:
        return found

    def right(start: int, end: int) -> bool:
        inside = [
            at
            for at, (first, last) in enumerate(places)
            if first < len(item.prompt) + end and last > len(item.prompt) + start
        ]
        return all(guesses[at - 1] == ids[at] for at in inside)

    names, at = [], 0
    for call in item.calls:
        start = item.gold.index(f'"{call["name"]}"', at) + 1
        at = start + len(call["name"])
        names.append(right(start, at))
    found["names"] = [int(all(names)), 1]
    return found | _values(item, [right(leaf.start, leaf.end) for leaf in item.leaves])


def _values(item: Item, rights: list[bool]) -> Outcome:
    """Return how many of the values that the user says word for word, and of the others, are right."""
    found: Outcome = {}
    for name, wanted in (("verbatim", False), ("normalised", True)):
        chosen = [right for leaf, right in zip(item.leaves, rights, strict=True) if leaf.normalised is wanted]
        found[name] = [sum(chosen), len(chosen)]
    return found


def said(model: Any, tokenizer: Any, items: list[Item], longest: int, at_once: int) -> list[Outcome]:
    """Return what is right in what the model says by itself, decoded greedily."""
    texts: list[str] = []
    for start in range(0, len(items), at_once):
        prompts = [
            tokenizer(item.prompt, add_special_tokens=False)["input_ids"] for item in items[start : start + at_once]
        ]
        texts += decoded(model, tokenizer, prompts, longest)
    return [judged(text, item) for text, item in zip(texts, items, strict=True)]


def judged(text: str, item: Item) -> Outcome:
    """Return what is right in one completion."""
    found: Outcome = {"begun": [int(CALL in text), 1]}
    if not item.calls:
        return found
    match = judge(text, item.answer, "qwen")
    found |= {key: [int(getattr(match, key)), 1] for key in ("names", "arguments", "exact")}
    made = read_completion(text, read_answer(item.answer), "qwen") or []
    return found | _values(item, [_has(leaf, item, made) for leaf in item.leaves])


def _has(leaf: Leaf, item: Item, made: list[tuple[str, dict[str, Any]]]) -> bool:
    """Whether the call of the same name and number among those of its name has the value."""
    call = item.calls[leaf.call]
    number = sum(other["name"] == call["name"] for other in item.calls[: leaf.call])
    alike = [arguments for name, arguments in made if name == call["name"]]
    try:
        return number < len(alike) and same(
            resolve(alike[number], leaf.pointer), resolve(call["arguments"], leaf.pointer)
        )
    except LookupError:
        return False


def total(outcomes: list[Outcome]) -> dict[str, tuple[int, int]]:
    """Return the sums over the items of a set."""
    right: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for outcome in outcomes:
        for name, (good, all_of) in outcome.items():
            right[name] += good
            of[name] += all_of
    return {name: (right[name], of[name]) for name in of}
