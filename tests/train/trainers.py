"""What tests of trainers share, which are skipped without what they need: rows, a tokenizer of bytes with a real chat template, and what of its tokens is learnt."""

from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from chat_templates import FOLDERS
from consumers import ROOT

from generator.core.conversation import Conversation
from generator.core.defects import DEFECTS
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.recipe.settings import Preferences
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

for needed in ("torch", "transformers", "trl", "datasets"):
    pytest.importorskip(needed, reason=f"needs {needed}: pip install -e '.[train]'")

IGNORED = -100


@cache
def rows() -> tuple[Conversation, ...]:
    """A few rows: calls at once, one after another, and answers to their results."""
    made = prepare(load_recipe(ROOT / "recipes/parallel.yaml", scenarios=SCENARIOS, formats=FORMATS))
    return tuple(make_row(made, index).row.conversation for index in range(6))


@cache
def preferences() -> tuple[Conversation, ...]:
    """Beginnings of rows, one for each defect but the one that only policies lead to, with a rejected message in place of the last one."""
    recipe = load_recipe(ROOT / "recipes/parallel.yaml", scenarios=SCENARIOS, formats=FORMATS)
    names = ("single", "parallel", "sequential", "clarify")
    made = prepare(
        msgspec.structs.replace(
            recipe,
            scripts=None,
            formats=("trl-preference",),
            scenarios=tuple([(name, 1.0) for name in names]),
            preferences=Preferences(per_row=3),
        )
    )
    found: dict[str, Conversation] = {}
    for index in count():
        for one in make_row(made, index).row.preferences:
            assert one.rejected is not None
            found.setdefault(one.rejected.defect, one)
        if len(found) == len(DEFECTS) - 1:
            return tuple([found[name] for name in DEFECTS if name != "ignored_error"])
    raise AssertionError


def rejected(one: Conversation) -> str:
    """What is rejected, as the format qwen writes it."""
    assert one.rejected is not None
    return said(msgspec.structs.replace(one, messages=(*one.messages[:-1], one.rejected.message)))[-1]


@cache
def tokenizer(template: str = "qwen2_5_training") -> Any:
    """Bytes as tokens, and the chat template of that name from trl."""
    from importlib.metadata import distribution

    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(alphabet)}, merges=[]))
    plain.pre_tokenizer, plain.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    plain.add_special_tokens([AddedToken("<|im_end|>"), AddedToken("<|im_start|>"), AddedToken("<|endoftext|>")])
    made = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    path = Path(str(distribution("trl").locate_file(FOLDERS["trl"]))) / f"{template}.jinja"
    made.chat_template = path.read_text()
    return made


def learnt(ids: list[int], labels: list[int]) -> list[str]:
    """The runs of tokens that are learnt as texts, without line feeds at their ends, which trainers count as they like."""
    pieces: list[list[int]] = [[]]
    for token, label in zip(ids, labels, strict=True):
        if label != IGNORED:
            pieces[-1].append(token)
        elif pieces[-1]:
            pieces.append([])
    return [tokenizer().decode(piece).strip("\n") for piece in pieces if tokenizer().decode(piece).strip("\n")]


def said(conversation: Conversation) -> list[str]:
    """What is to be learnt of a row, as the format qwen writes it: one text for each message of the assistant."""
    record = FORMATS["qwen"].render(conversation)
    return [record["text"][start:stop] for start, stop in record["spans"]]
