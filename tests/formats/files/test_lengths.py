"""Lengths in tokens: measured, summed up, kept to, and held against what trainers cut at."""

import json
from pathlib import Path

import msgspec
import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from made_rows import made_row, recipe, write_rows
from nightly import night

from generator.core.conversation import ToolMessage
from generator.core.errors import RecipeError
from generator.dialogue.acts.check import check_row
from generator.formats import FORMATS
from generator.formats.files.lengths import LengthCounts, measure_by
from generator.formats.run_folder.card import advice
from generator.formats.run_folder.tally import Tally
from generator.recipe import load_recipe
from generator.recipe.settings import LengthLimits
from generator.run.engine.run import RunOptions, run
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[3]


@given(st.lists(st.integers(0, 100_000), min_size=1))
@example([269, 272])
def test_figures_are_right_within_a_hundredth_however_they_are_added_up(numbers):
    parts = [LengthCounts(), LengthCounts()]
    for at, number in enumerate(numbers):
        parts[at % 2].add(number)
    parts[0] = parts[0].joined(parts[1])
    found = parts[0].summary()
    assert found is not None
    assert found.longest == max(numbers)
    assert sum(found.histogram.values()) == found.records == len(numbers)
    middle = sorted(numbers)[(len(numbers) + 1) // 2 - 1]
    assert abs(found.p50 - middle) <= 0.01 * middle


def test_a_run_tells_the_lengths_in_manifest_card_and_report(tmp_path: Path):
    write_rows(recipe(6, "deepfabric", "qwen"), [made_row(index) for index in range(6)], tmp_path, block_rows=4)
    found = json.loads((tmp_path / "manifest.json").read_text())["lengths"]
    sizes = sorted(
        -(-len(line) // 4) for line in (tmp_path / "deepfabric.jsonl").read_bytes().splitlines(keepends=True)
    )
    assert found["deepfabric"]["longest"] == sizes[-1]
    texts = [json.loads(line)["text"] for line in (tmp_path / "qwen.jsonl").read_text().splitlines()]
    assert found["qwen"]["longest"] == max(-(-len(text.encode()) // 4) for text in texts)
    assert "| tokens of a record (four bytes each) | at most |" in (tmp_path / "README.md").read_text()


def test_a_tokenizer_of_ones_own_counts(tmp_path: Path):
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    words.save(str(tmp_path / "tokenizer.json"))
    assert measure_by(tmp_path / "tokenizer.json")({"text": "three short words"}, b"") == 3
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(RecipeError, match=r"bad\.json: not a tokenizer\.json"):
        measure_by(tmp_path / "bad.json")


@night
def test_rows_fit_with_fewer_tools_or_are_made_anew():
    loaded = load_recipe(ROOT / "recipes/mixed.yaml", scenarios=SCENARIOS, formats=FORMATS)
    loaded = msgspec.structs.replace(loaded, formats=("qwen", "openai"), results=(("lean", 1.0),))
    short = msgspec.structs.replace(loaded, lengths=LengthLimits(max_tokens=1300))
    long = prepare(loaded)
    made, fitting = (
        [make_row(prepared, index) for index in range(25)]
        for prepared in (long, msgspec.structs.replace(long, recipe=short))
    )
    tokens = measure_by(None)

    def size(made_row) -> int:
        records = [FORMATS[name].render(made_row.row.conversation) for name in ("qwen", "openai")]
        return max(
            tokens(record, json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()) for record in records
        )

    assert max(map(size, made)) > 1300
    assert max(map(size, fitting)) <= 1300
    assert {violation.rule for row in fitting for attempt in row.rejected for violation in attempt.violations} <= {
        "PL102",
        "PL101",
        "SC101",
    }
    shorter = [
        (long.row, short.row)
        for long, short in zip(made, fitting, strict=True)
        if long.row.conversation.messages == short.row.conversation.messages
    ]
    assert any(len(short.conversation.tools) < len(long.conversation.tools) for long, short in shorter)


def lists(folder: Path, most: int, rows: int = 12):
    """A recipe of requests for tools that find as many things as they are told to."""
    (folder / "lists.yaml").write_text(
        f"name: lists\nrows: {rows}\nscenarios: single\nformats: [qwen]\noffer: {{distractors: 0}}\nlengths: {{max_tokens: {most}}}\n"
        f"tools: [{{file: {ROOT}/tool_specs/files.yaml, only: [list_folder, list_file_versions]}}]\n"
    )
    return load_recipe(folder / "lists.yaml", scenarios=SCENARIOS, formats=FORMATS)


def test_long_lists_are_cut_by_the_limit_that_the_user_then_says(tmp_path: Path):
    prepared = prepare(lists(tmp_path, 440))
    again = [made.row for made in (make_row(prepared, index) for index in range(40)) if made.rejected]
    calls = [
        call for row in again for message in row.conversation.messages for call in getattr(message, "tool_calls", ())
    ]
    assert len(calls) > 5
    for row, call in zip(again, calls, strict=True):
        spec = prepared.toolbox[call.name]
        assert call.arguments["limit"] == min(spec.examples["limit"])
        (claim,) = [claim for claim in row.proof.arguments if claim.pointer == "/limit"]
        assert claim.source == "user"
        found = next(
            json.loads(m.content) for m in row.conversation.messages if getattr(m, "tool_call_id", None) == call.id
        )
        (held,) = [value for value in found.values() if isinstance(value, list)]
        assert 0 < len(held) <= call.arguments["limit"]


def test_rows_that_cannot_fit_are_left_out_of_the_files_and_counted(tmp_path: Path):
    run(lists(tmp_path, 100, rows=3), tmp_path / "out", how=RunOptions(executor="serial"))
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["tally"]["refused"] == {
        "qwen": {"longer than 100 tokens (lengths.max_tokens), however often it was made anew": 3}
    }
    assert (tmp_path / "out/qwen.jsonl").read_bytes() == b""
    assert len((tmp_path / "out/proofs.jsonl").read_text().splitlines()) == 3


def test_early_turns_are_cut_with_their_calls_and_the_proof_speaks_of_what_is_left(tmp_path: Path):
    whole = load_recipe(
        _file(
            tmp_path / "turns.yaml",
            f"name: turns\nrows: 12\nscenarios: multi_turn\nformats: [trl, qwen]\noffer: {{distractors: 0}}\n"
            f"tools: [{ROOT}/tool_specs/weather.json]\n"
            "lengths: {max_tokens: 1100, cut_turns: true}\n",
        ),
        scenarios=SCENARIOS,
        formats=FORMATS,
    )
    prepared = prepare(whole)
    rows = [made.row for made in (make_row(prepared, index) for index in range(6)) if not made.rejected]
    cut = [row for row in rows if "cut" in row.tags]
    assert len(cut) > 1
    for row in rows:
        called = [c.id for m in row.conversation.messages for c in getattr(m, "tool_calls", ())]
        assert called == [m.tool_call_id for m in row.conversation.messages if isinstance(m, ToolMessage)]
        assert not check_row(row.conversation, row.proof, prepared.toolbox, phrases=False)
        assert {claim.call_id for claim in row.proof.arguments} <= set(called)
        assert measure_by(None)(FORMATS["qwen"].render(row.conversation), b"") <= 1100
    run(whole, tmp_path / "out", how=RunOptions(executor="serial"))
    tally = json.loads((tmp_path / "out/manifest.json").read_text())["tally"]
    lines = [json.loads(line) for line in (tmp_path / "out/proofs.jsonl").read_text().splitlines()]
    number = sum("cut" in line["tags"] for line in lines)
    assert tally["lost"]["trl"] == {"early turns (lengths.cut_turns)": number}
    for line, record in zip(lines, (tmp_path / "out/trl.jsonl").read_text().splitlines(), strict=True):
        messages = json.loads(record)["messages"]
        assert all(messages[claim["message"]]["role"] == "user" for claim in line["wishes"])


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("formats", "change", "words"),
    [
        (("mistral",), {}, ["learns the last message"]),
        (("mistral",), {"records": "unrolled"}, []),
        (("trl", "openai"), {"train": "calls"}, ["trl: has no place for `train: calls`"]),
        (
            ("sharegpt", "qwen"),
            {},
            ["1 of 2 records are longer than the 2,048 tokens at which LLaMA-Factory", "TRL's SFTTrainer", "mlx-lm"],
        ),
    ],
)
def test_what_a_trainer_would_do_in_silence_is_said(formats, change, words):
    lengths = LengthCounts()
    lengths.add(500)
    lengths.add(3000)
    tally = Tally(lengths={"sharegpt": lengths, "qwen": lengths})
    told = list(advice(msgspec.structs.replace(recipe(1, *formats), **change), tally))
    assert len(told) == len(words)
    assert all(word in sentence for word, sentence in zip(words, told, strict=True))
