"""One row for a person: found in a file of any format, with where each value comes from."""

from pathlib import Path

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_rows import TOKEN, conversation, made_row, recipe, write_rows
from nightly import one_in
from strategies import conversations, requests

from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage
from generator.core.errors import CannotCarryError, FormatError, OutputError
from generator.formats import FORMATS
from generator.formats.run_folder.proof_line import proof_line
from generator.report.files.format_of import guessed_format
from generator.report.files.show import ShownRow, Wanted, find_rows, show_row

ALIKE = ("deepfabric-string", "mistral", "mistral-v13", "trl", "trl-split", "trl-prompt_completion-split", "axolotl")
"""Formats whose records look like another's, which reads them as well."""


def origins(row: ShownRow) -> list[tuple[str, str]]:
    return [
        (origin.pointer, origin.words) for message in row.messages for call in message.calls for origin in call.origins
    ]


class TestOrigins:
    def test_as_the_proof_says(self):
        row = made_row(0).row
        shown = show_row(row.conversation, proof_line(row))
        assert shown.proven
        assert origins(shown) == [
            ("/customer", "the user says “Ada”"),
            ("/limit", "the user says “3”"),
            ("/customer", "the user says “Bob”"),
            ("/order_id", "result of find_orders: /orders/0/order_id (first)"),
        ]

    def test_as_they_are_seen_without_a_proof(self):
        shown = show_row(conversation(), None)
        assert not shown.proven
        assert origins(shown) == [
            ("/customer", "the user says “Ada”"),
            ("/limit", "the user says “3”"),
            ("/customer", "the user says “Bob”"),
            ("/order_id", "result of find_orders: /orders/0/order_id"),
        ]

    @pytest.mark.parametrize("value", [True, None, "", []])
    def test_a_value_that_any_text_could_mean_has_no_origin(self, value: object):
        begin, asked, called, *_ = conversation().messages
        result = ToolMessage(tool_call_id="a", name="find_orders", content=orjson.dumps({"it": value}).decode())
        again = AssistantMessage(tool_calls=(ToolCall(id="z", name="find_orders", arguments={"limit": value}),))
        talk = Conversation(tools=conversation().tools, messages=(begin, asked, called, result, again))
        shown = show_row(talk, None).messages[-1].calls[0].origins
        assert [(origin.words, origin.found) for origin in shown] == [("not found literally", False)]

    def test_a_value_that_nobody_said(self):
        shown = show_row(conversation("Ad"), None)  # "Ad" is said; part of a word would not count
        assert origins(shown)[0] == ("/customer", "the user says “Ad”")
        talk = conversation()
        unsaid = Conversation(tools=talk.tools, messages=(talk.messages[0], *talk.messages[2:]))
        found = [
            origin for message in show_row(unsaid, None).messages for call in message.calls for origin in call.origins
        ]
        assert [origin.found for origin in found] == [False, False, False, True]

    @given(talk=conversations())
    def test_every_leaf_of_any_conversation_is_told(self, talk: Conversation):
        shown = show_row(talk, None)
        assert len(shown.messages) == len(talk.messages)

    def test_calls_are_numbered_and_results_name_them(self):
        shown = show_row(conversation(), None)
        assert [[call.number for call in message.calls] for message in shown.messages if message.calls] == [[1, 2], [3]]
        answers = [message.answers for message in shown.messages if message.answers]
        assert answers == ["1 find_orders", "2 find_orders", "3 cancel_order"]


@pytest.fixture(scope="module")
def run_of_many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with splits, a format that leaves rows out, and one with several records a row."""
    out = tmp_path_factory.mktemp("many")
    made = []
    for index in range(40):
        one = made_row(index, f"Ada{index:03}" + (TOKEN if index % 5 == 1 else ""))
        tagged = msgspec.structs.replace(one.row, tags=("odd" if index % 2 else "even",))
        made.append(msgspec.structs.replace(one, row=tagged))
    plan = recipe(40, "openchatml", "openai", "eval")
    write_rows(msgspec.structs.replace(plan, splits=(("train", 0.7), ("test", 0.3))), made, out, block_rows=7)
    return out


class TestFinding:
    @pytest.mark.parametrize("name", one_in(3, FORMATS))
    def test_in_any_format_with_its_proof(self, tmp_path: Path, name: str):
        finished = write_rows(recipe(3, name), [made_row(index, f"Ada{index}") for index in range(3)], tmp_path)
        path, policy = tmp_path / f"{name}.jsonl", FORMATS[name].policy
        if finished.tally.refused:
            with pytest.raises(OutputError, match=r"row 2 is not in this file: \$"):
                find_rows(path, Wanted(row=2))
            return
        (found,), seen = find_rows(path, Wanted(row=2))
        assert seen == 1 or policy.records != "whole"
        assert (found.line, found.format) == (3 if policy.records == "whole" else 1 + 2 * seen, name)
        if policy.parallel == "split" or policy.system == "user":  # messages do not stand where the proof says
            assert found.proof is None
            return
        assert found.proof is not None
        assert found.proof.index == 2
        assert ("/customer", "the user says “Ada2”") in origins(show_row(found.parsed.conversation, found.proof))

    def test_rows_that_the_format_left_out_are_told(self, tmp_path: Path):
        made = [made_row(0), made_row(1, TOKEN), made_row(2, "Grace")]
        write_rows(recipe(3, "openchatml"), made, tmp_path)
        path = tmp_path / "openchatml.jsonl"
        for (found,), _ in (find_rows(path, index=1), find_rows(path, Wanted(row=2)), find_rows(tmp_path, index=1)):
            assert (found.line, found.proof is not None) == (2, True)
            assert origins(show_row(found.parsed.conversation, found.proof))[0] == (
                "/customer",
                "the user says “Grace”",
            )
        with pytest.raises(OutputError, match=r"row 1 is not in this file: .*im_end"):
            find_rows(path, Wanted(row=1))
        with pytest.raises(OutputError, match=r"proofs\.jsonl tells of no row 3$"):
            find_rows(path, Wanted(row=3))

    @given(data=st.data())
    def test_what_is_looked_for_is_what_the_proofs_say(self, run_of_many: Path, data: st.DataObject):
        """Over splits, unrolled records and formats that leave rows out."""
        name = data.draw(st.sampled_from(["openai", "eval", "openchatml.test", ""]))
        path = next(run_of_many.glob(f"{name}*.jsonl")) if name else run_of_many
        wanted = data.draw(
            st.sampled_from([Wanted(scenario="mixed"), Wanted(tag="odd"), Wanted(tag="even", scenario="mixed")])
        )
        sample = data.draw(st.integers(1, 30))
        rows, _ = find_rows(path, wanted, sample=sample)
        assert 0 < len(rows) <= sample
        assert len({(row.file.path, row.line) for row in rows}) == len(rows)
        for row in rows:
            assert row.proof is not None
            assert wanted.tag is None or wanted.tag in row.proof.tags
            assert f"Ada{row.proof.index:03}" in str(row.parsed.conversation.messages)

    @pytest.mark.parametrize(("wanted", "words"), [
        (Wanted(scenario="mixd"), r'no row has the scenario .mixd. \(did you mean "mixed"'),
        (Wanted(tag="evem"), r'no row has the tag .evem. \(did you mean "even"'),
        (Wanted(row=1, tag="even"), r"no row in it is all that is looked for"),
    ])  # fmt: skip
    def test_what_is_nowhere(self, run_of_many: Path, wanted: Wanted, words: str):
        with pytest.raises(OutputError, match=words):
            find_rows(run_of_many, wanted)

    def test_without_proofs_only_records_are_counted(self, tmp_path: Path):
        (tmp_path / "f.jsonl").write_bytes(orjson.dumps(made_row(0).record))
        with pytest.raises(OutputError, match=r"no proofs\.jsonl stands beside it"):
            find_rows(tmp_path / "f.jsonl", Wanted(row=0))

    def test_the_proof_of_other_rows_is_not_used(self, tmp_path: Path):
        write_rows(recipe(1), [made_row(0)], tmp_path)
        (tmp_path / "mine.jsonl").write_bytes(orjson.dumps(made_row(7).record))
        assert find_rows(tmp_path / "mine.jsonl", index=0)[0][0].proof is None

    def test_blank_lines_are_no_rows(self, tmp_path: Path):
        line = orjson.dumps(made_row(0).record)
        (tmp_path / "f.jsonl").write_bytes(b"\n" + line + b"\n\n" + line)
        assert find_rows(tmp_path / "f.jsonl", index=1)[0][0].line == 4

    @pytest.mark.parametrize(
        ("text", "index", "error", "words"),
        [
            (b"", 0, OutputError, r"there is no row 0: the file holds 0 rows"),
            (b"{}\n", 5, OutputError, r"there is no row 5: the file holds 1 row$"),
            (b"{}\n", 0, FormatError, r"f\.jsonl:1: not a conversation \(deepfabric\)"),
            (b"[1]\n", 0, FormatError, r"f\.jsonl:1: not a conversation"),
            (b"\xff\n", 0, FormatError, r"f\.jsonl:1: not JSON"),
            (b"{}\n{oh\n", 1, FormatError, r"f\.jsonl:2: not JSON"),
            (b'{"text": "[BOS]hello"}\n', 0, FormatError, r"f\.jsonl:1: not a conversation \(openchatml\)"),
            (b'{"text": "hello"}\n', 0, FormatError, r"f\.jsonl:1: not a conversation \(deepfabric\)"),
        ],
    )
    def test_what_cannot_be_shown(self, tmp_path: Path, text: bytes, index: int, error: type[Exception], words: str):
        (tmp_path / "f.jsonl").write_bytes(text)
        with pytest.raises(error, match=words):
            find_rows(tmp_path / "f.jsonl", index=index)[0][0]

    def test_files_that_are_none(self, tmp_path: Path):
        (tmp_path / "empty").mkdir()
        with pytest.raises(OutputError, match="there is no such file"):
            find_rows(tmp_path / "nothing.jsonl", index=0)[0][0]
        with pytest.raises(OutputError, match="no JSON Lines file named after a format"):
            find_rows(tmp_path / "empty", index=0)[0][0]

    @given(talk=conversations())
    def test_formats_are_told_apart(self, talk: Conversation):
        for name in ("deepfabric", "openai"):
            rendered = FORMATS[name].render(talk)
            calls = any(getattr(message, "tool_calls", ()) for message in talk.messages)
            assert guessed_format(rendered) == (name if calls else "deepfabric")

    def test_blocks_of_calls_and_results_are_those_of_anthropic(self):
        record = FORMATS["anthropic"].render(conversation())
        bare = {"messages": [{"role": "user", "content": "Hi"}, *record["messages"][1:]]}
        assert guessed_format(bare) == "anthropic"
        assert (
            guessed_format({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}) != "anthropic"
        )

    @given(talk=requests())
    def test_what_looks_like_a_format_is_read_as_it(self, talk: Conversation):
        for name, fmt in FORMATS.items():
            if fmt.policy.train == "spans" or name in ("alpaca", "bfcl"):  # which hold no such calls
                continue
            try:
                record = fmt.render(talk)
            except CannotCarryError:
                assert fmt.policy.learns == "calls", name  # in which no fault can be made of some calls
                continue
            told = guessed_format(record)
            assert told == name or name in ALIKE or name.startswith("alpaca-"), name
            if told != name:
                FORMATS[told].parse(record)

    @pytest.mark.parametrize("name", [name for name, fmt in FORMATS.items() if fmt.policy.train == "spans"])
    def test_a_text_is_read_as_a_format_that_it_fits(self, name: str):
        record = FORMATS[name].render(conversation())
        told = guessed_format(record)
        assert FORMATS[told].policy.train == "spans"
        assert FORMATS[told].parse(record)
        alike = ("qwen", "mistral_text", "granite", "openchatml")
        assert FORMATS[told].family == FORMATS[name].family or name.partition("-")[0] in alike
