"""OpenChatML v0.1, section by section, with its examples (their prose in words of our own)."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Command
from openchatml_texts import BOX, CODE_FILLED, CODE_GAP, FILES, FILES_AND_GAP, GAP, GOALS

from generator.core.conversation import AssistantMessage, FileSequence, FillIn, SystemMessage, Thoughts, ToolCall
from generator.core.errors import CannotCarryError, FormatError
from generator.formats.texts.openchatml import FORMAT, TOKENS

FUNCTION: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_stock_fundamentals",
        "description": "Get fundamental data for a given stock symbol using yfinance API.",
        "parameters": {"type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"]},
    },
}
FUNDAMENTALS: dict[str, Any] = {
    "symbol": "TSLA",
    "company_name": "Tesla, Inc.",
    "sector": "Consumer Cyclical",
    "industry": "Auto Manufacturers",
    "market_cap": 611384164352,
    "pe_ratio": 49.604652,
    "pb_ratio": 9.762013,
    "dividend_yield": None,
    "eps": 4.3,
    "beta": 2.427,
    "52_week_high": 299.29,
    "52_week_low": 152.37,
}
LIST = f"<|function_list|>\n{json.dumps(FUNCTION, indent=0)}\n"
CALL = '<|function_call|>\n{"arguments": {"symbol": "TSLA"}, "name": "get_stock_fundamentals"}\n'
OUTPUT = (
    "<|function_output|>\n" + json.dumps({"name": "get_stock_fundamentals", "content": FUNDAMENTALS}, indent=0) + "\n"
)
TALK = f"""\
[BOS]<|im_start|>system
You can call functions. They are:
{LIST}<|function_list|>
Each call follows this schema:
{{
"title": "FunctionCall",
"type": "object",
"properties": {{"arguments": {{"title": "Arguments", "type": "object"}}, "name": {{"title": "Name", "type": "string"}}}},
"required": ["arguments", "name"]
}}
Write it like this:
<|function_call|>
{{"arguments": , "name": }}
<|im_end|>
<|im_start|>user
The fundamentals of Tesla (TSLA), please
<|im_end|>
<|im_start|>assistant
{CALL}<|im_end|>
<|im_start|>tool
{OUTPUT}<|im_end|>
<|im_start|>assistant
- **Symbol**: TSLA
- **Dividend Yield**: N/A
<|im_end|>[EOS]"""
"""The conversation of section 8.5: its placeholder that is no JSON stands in the system message."""
PLAIN_TALK = TALK.replace('Write it like this:\n<|function_call|>\n{"arguments": , "name": }\n', "")
"""The same without the placeholder: a control token in a message cannot be written, only read."""
HELLO = "[BOS]<|im_start|>user\nHello there.\n<|im_end|>\n<|im_start|>assistant\nHi.\n<|im_end|>[EOS]"


def write(path: Path, *texts: str) -> Path:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


class TestIntroduction:
    def test_conversations_are_exchanged_with_other_systems(self, cli: Command, tmp_path: Path):
        """Purpose and scope: text to messages of another system and back is the same text."""
        ours, theirs, back = tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl", tmp_path / "back.jsonl"
        write(ours, FORMAT.render(FORMAT.parse({"text": PLAIN_TALK}))["text"], HELLO)
        for source, target, names in (
            (ours, theirs, ("openchatml", "openai")),
            (theirs, back, ("openai", "openchatml")),
        ):
            done = cli("convert", source, target, "--from", names[0], "--to", names[1])
            assert done.code == 0, done.err
        texts = [[json.loads(line)["text"] for line in path.read_text().splitlines()] for path in (ours, back)]
        assert texts[0] == texts[1]

    def test_use_cases_a_data_set_of_conversations(self, cli: Command, tmp_path: Path):
        (tmp_path / "tools.json").write_text(json.dumps({"tools": [FUNCTION]}))
        recipe = tmp_path / "r.yaml"
        recipe.write_text(
            "name: r\nrows: 6\ntools: [tools.json]\nscenarios: [single, parallel]\nthoughts: [reflect, introspect, reason]\n"
            "formats: [openchatml]\n"
        )
        assert cli("run", recipe, "--out", tmp_path / "out").code == 0
        out = tmp_path / "out" / "openchatml.jsonl"
        assert cli("validate", out, "--format", "openchatml").code == 0
        for record in map(json.loads, out.read_text().splitlines()):
            assert FORMAT.render(FORMAT.parse(record))["text"] == record["text"]


class TestTokens:
    def test_they_are_those_of_the_document(self):
        blocks = ("reflect", "introspect", "reason")
        assert set(TOKENS) == {
            *("[BOS]", "[EOS]", "<|im_start|>", "<|im_end|>"),
            *("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_separator|>"),
            *(f"<|{block}|>" for block in blocks),
            *(f"<|{end}_{block}|>" for block in blocks for end in ("start", "end")),
            *("<|function_list|>", "<|function_output|>", "<|function_call|>"),
        }

    @pytest.mark.parametrize("token", TOKENS)
    def test_none_may_stand_in_what_is_said(self, token: str):
        talk = FORMAT.parse({"text": HELLO})
        message = AssistantMessage(content=f"a {token} b")
        with pytest.raises(CannotCarryError, match="control token"):
            FORMAT.render(type(talk)(messages=(*talk.messages[:1], message)))


class TestMessageStructure:
    @pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
    def test_roles(self, role: str):
        said = OUTPUT if role == "tool" else "Two\nlines\n"
        before = f"<|im_start|>assistant\n{CALL}<|im_end|>\n" if role == "tool" else ""
        parsed = FORMAT.parse({"text": f"[BOS]{before}<|im_start|>{role}\n{said}<|im_end|>[EOS]"})
        kind = type(parsed.messages[-1]).__name__
        assert kind == f"{role.capitalize()}Message"

    @pytest.mark.parametrize("head", ["human", "user name=", "user name=a b", "User"])
    def test_other_heads_are_refused(self, head: str):
        _, faults = FORMAT.read({"text": f"[BOS]<|im_start|>{head}\nHi\n<|im_end|>[EOS]"})
        assert "a turn (" in faults[0].message


class TestThoughtStructure:
    def test_the_example(self):
        parsed = FORMAT.parse({"text": BOX})
        assert parsed.messages[0] == SystemMessage(content="You are a careful helper.")
        assert parsed.messages[2] == AssistantMessage(
            content="Most likely tea.",
            thoughts=Thoughts(
                reflect="They ask a plain question and want a plain answer.",
                introspect="I want to help and have no stake in it.",
                reason="Boxes hold what their label says, as a rule.",
            ),
        )
        assert FORMAT.render(parsed)["text"] == BOX.replace("<|im_end|>", "\n<|im_end|>")


class TestConversationStructure:
    def test_between_the_tokens(self):
        assert FORMAT.render(FORMAT.parse({"text": HELLO}))["text"] == HELLO
        for text in (HELLO.removeprefix("[BOS]"), HELLO.removesuffix("[EOS]"), f"{HELLO} more"):
            assert FORMAT.read({"text": text})[1]

    @pytest.mark.parametrize("text", [HELLO.replace("\n<|im_end|>", "<|im_end|>"), HELLO.replace("[EOS]", "\n[EOS]\n")])
    def test_the_breaks_in_which_the_document_differs_from_itself(self, text: str):
        assert FORMAT.parse({"text": text}) == FORMAT.parse({"text": HELLO})


def assert_document(text: str, *files: str | FillIn) -> None:
    document = FileSequence(files=files)
    assert FORMAT.read({"text": text}) == (document, [])
    assert FORMAT.write_document(document)["text"] == text.removeprefix("<|file_separator|>\n")
    with pytest.raises(FormatError, match="a document, not a conversation"):
        FORMAT.parse({"text": text})


class TestFillInTheMiddle:
    def test_a_gap(self):
        assert_document(GAP, FillIn(prefix="The capital of Norway is ", suffix=", a town by the sea."))

    def test_a_gap_in_code_and_its_completion(self):
        prefix, suffix = "def double(n):\nif n == 0:\nreturn 0\n", "\nreturn n + n\n\n# Try it\nprint(double(4))\n"
        assert_document(CODE_GAP, FillIn(prefix=prefix, suffix=suffix))
        assert_document(CODE_FILLED, FillIn(prefix=prefix, suffix=suffix, middle="if n < 0:\nreturn -double(-n)\n"))

    def test_the_middle_is_what_is_to_be_learnt(self):
        document, _ = FORMAT.read({"text": CODE_FILLED})
        assert isinstance(document, FileSequence)
        record = FORMAT.write_document(document)
        ((start, end),) = record["spans"]
        assert record["text"][start:end] == "if n < 0:\nreturn -double(-n)\n<|fim_suffix|>"


class TestMultiFile:
    def test_three_files(self):
        files = (
            "This is in the first file.",
            "This is in the second file.\nAnd this as well.",
            "And this in the third.\n",
        )
        assert_document(FILES, *files)

    def test_files_and_a_gap(self):
        gap = FillIn(prefix="", suffix=" Some of them dive for an hour.")
        assert_document(FILES_AND_GAP, "A whale is a mammal.", "Whales breathe air.", gap)


class TestFunctionCalling:
    def test_signature(self):
        for text in (LIST, f"{LIST}<|function_list|>\n"):
            (tool,) = FORMAT.parse({"text": text}).tools
            assert (tool.name, tool.parameters) == ("get_stock_fundamentals", FUNCTION["function"]["parameters"])

    def test_call(self):
        (message,) = FORMAT.parse({"text": CALL}).messages
        called = ToolCall(id="call00001", name="get_stock_fundamentals", arguments={"symbol": "TSLA"})
        assert message == AssistantMessage(tool_calls=(called,))
        for wrong in ('{"name": "f"}', '{"arguments": {}}', '{"arguments": "{}", "name": "f"}'):
            assert FORMAT.read({"text": f"<|function_call|>\n{wrong}\n"})[1]

    def test_response(self):
        (message,) = FORMAT.parse({"text": OUTPUT}).messages
        assert json.loads(message.content or "") == FUNDAMENTALS

    def test_several_calls_and_their_outputs_in_the_same_order(self):
        second = CALL.replace("TSLA", "AAPL")
        text = (
            f"[BOS]<|im_start|>user\nBoth, please\n<|im_end|>\n<|im_start|>assistant\n{CALL}{second}<|im_end|>\n"
            f"<|im_start|>tool\n{OUTPUT}{OUTPUT.replace('TSLA', 'AAPL')}<|im_end|>\n"
            "<|im_start|>assistant\nDone\n<|im_end|>[EOS]"
        )
        parsed = FORMAT.parse({"text": text})
        calls = parsed.messages[1].tool_calls
        assert [call.arguments["symbol"] for call in calls] == ["TSLA", "AAPL"]
        outputs = parsed.messages[2:4]
        assert [message.tool_call_id for message in outputs] == [call.id for call in calls]
        assert [json.loads(message.content or "")["symbol"] for message in outputs] == ["TSLA", "AAPL"]

    def test_the_whole_conversation(self, cli: Command, tmp_path: Path):
        parsed = FORMAT.parse({"text": TALK})
        assert [tool.name for tool in parsed.tools] == ["get_stock_fundamentals"]
        assert parsed.messages[0].content.startswith("You can call functions.")
        assert parsed.messages[2].tool_calls[0].arguments == {"symbol": "TSLA"}
        assert json.loads(parsed.messages[3].content) == FUNDAMENTALS
        path = write(tmp_path / "talk.jsonl", TALK)
        assert cli("validate", path, "--format", "openchatml").code == 0
        assert "299.29" in cli("show", path).out
        with pytest.raises(CannotCarryError, match=r"messages\[0\].content: holds the control token"):
            FORMAT.render(parsed)


class TestExamples:
    def test_every_kind_of_example_is_valid(self, cli: Command, tmp_path: Path):
        named = HELLO.replace("user\n", "user name=Eric\n")
        path = write(
            tmp_path / "all.jsonl", HELLO, named, GOALS, BOX, TALK, GAP, CODE_GAP, CODE_FILLED, FILES, FILES_AND_GAP
        )
        done = cli("validate", path, "--format", "openchatml")
        assert (done.code, "10 lines in 1 file: no faults" in done.out) == (0, True)

    def test_named_speakers(self):
        parsed = FORMAT.parse({"text": GOALS})
        assert [message.name for message in parsed.messages] == ["Coach", "Alice", "Trainer", "Bob", "Trainer"]
        assert FORMAT.render(parsed)["text"] == GOALS


class TestParsingAndGeneration:
    def test_what_is_written_is_read_again(self):
        for text in (HELLO, GOALS, BOX, PLAIN_TALK):
            parsed = FORMAT.parse({"text": text})
            written = FORMAT.render(parsed)
            assert FORMAT.parse(written) == parsed
            assert FORMAT.render(FORMAT.parse(written)) == written

    def test_a_role_of_none_of_the_four(self, cli: Command, tmp_path: Path):
        path = write(tmp_path / "wrong.jsonl", HELLO.replace("assistant", "bot"))
        done = cli("validate", path, "--format", "openchatml")
        assert done.code == 1
        assert "OC101 character 46 (line 4): a turn (" in done.out


class TestReferences:
    def test_tasks_of_both_papers_are_made(self, cli: Command, tmp_path: Path):
        """Fill in the middle, and reasons that are thought before something is said."""
        (tmp_path / "tools.json").write_text(json.dumps({"tools": [FUNCTION]}))
        (tmp_path / "text.md").write_text("One sentence stands here.\nAnother one follows it.\n" * 5)
        recipe = tmp_path / "r.yaml"
        recipe.write_text(
            "name: r\nrows: 6\ntools: [tools.json]\nscenarios: [single, fill_in_the_middle]\nthoughts: [reason]\n"
            "documents: {files: [text.md]}\nformats: [openchatml]\n"
        )
        assert cli("run", recipe, "--out", tmp_path / "out").code == 0
        texts = [json.loads(line)["text"] for line in (tmp_path / "out" / "openchatml.jsonl").read_text().splitlines()]
        assert any("<|fim_middle|>" in text for text in texts)
        assert any("<|start_reason|>" in text for text in texts)
