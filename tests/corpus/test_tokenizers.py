"""Chunk plans of real tokenizers: files that other packages ship."""

import importlib.metadata
from pathlib import Path

import pytest
from corpora import RECIPE, recipe_of
from nightly import night

from generator.core.errors import OutputError, RecipeError
from generator.corpus import cases
from generator.corpus.chunks import cut
from generator.corpus.generation import load_tokenizer, tokens_of
from generator.corpus.run import make_corpus

FILES = {
    "tokenizer.json": ("litellm", "litellm/litellm_core_utils/tokenizers/anthropic_tokenizer.json"),
    "sentencepiece": ("mistral-common", "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3"),
}
TEXT = '<tool_call>\n{"name": "f", "arguments": {"x": "日本語 👩‍👩‍👧 é", "n": 1234567}}\n</tool_call>   done\r\n'


def file_of(kind):
    package, path = FILES[kind]
    return Path(str(importlib.metadata.distribution(package).locate_file(path)))


@pytest.mark.parametrize("kind", FILES)
def test_tokens_are_the_text_and_markers_stay_whole(kind):
    pieces = tokens_of(load_tokenizer(file_of(kind)), TEXT, ("<tool_call>", "</tool_call>"))
    assert b"".join(pieces) == TEXT.encode()
    assert pieces[0] == b"<tool_call>"
    assert 30 < len(pieces) < 70
    assert b"arguments" in pieces


@night
@pytest.mark.parametrize("kind", FILES)
def test_a_recipe_cuts_where_tokens_end(tmp_path, kind):
    text = RECIPE.replace("cases: 60", f"cases: 120\ntokenizer: {file_of(kind)}").replace(
        "hermes, ", "hermes, harmony, "
    )
    recipe = recipe_of(tmp_path, text)
    make_corpus(recipe, tmp_path / "out")
    split = load_tokenizer(recipe.tokenizer)
    torn = 0
    for case in cases(tmp_path / "out", "hermes"):
        plans = {plan.kind: plan for plan in case.plans}
        if "tokenizer" not in plans:
            continue
        assert plans["tokenizer"].utf8_safe
        assert not plans["tokenizer"].splits_special_token
        bare = plans.get("tokenizer_bytes", plans["tokenizer"])
        torn += bare is not plans["tokenizer"]
        assert cut(case.text, bare) == tokens_of(split, case.text.decode(), ("<tool_call>", "</tool_call>"))
    assert torn


def test_another_tokenizer_is_another_corpus(tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 1")), tmp_path / "out")
    text = RECIPE.replace("cases: 60", f"cases: 1\ntokenizer: {file_of('tokenizer.json')}")
    with pytest.raises(OutputError, match="made from something else"):
        make_corpus(recipe_of(tmp_path, text), tmp_path / "out")


def test_what_is_no_tokenizer_is_told(tmp_path):
    with pytest.raises(RecipeError, match=r"recipe.yaml:4: tokenizer: there is no file .*tok.json"):
        recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 1\ntokenizer: tok.json").replace("seed: 5\n", ""))
    for content in (b"{}", b"no model"):
        (tmp_path / "tok.json").write_bytes(content)
        recipe = recipe_of(tmp_path, RECIPE.replace("cases: 60", "cases: 1\ntokenizer: tok.json"))
        with pytest.raises(RecipeError, match=r"tok.json: is no tokenizer"):
            make_corpus(recipe, tmp_path / "never")
    assert not (tmp_path / "never").exists()
