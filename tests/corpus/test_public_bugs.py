"""Bugs that were told in public are found, each planted into a right parser; and nothing in right parsers of strangers.

Three parsers here are written from the pages of formats alone (docs/corpora.md, the chat templates), not from the table: one of
JSON in markers, one of elements, one of sections with names.
"""

import json
import re
from contextlib import suppress
from itertools import count

import msgspec
import pytest
import reference_parsers

from generator.corpus.check.failures import PlainAnswer, answer_of
from generator.corpus.check.plain import Pieces, plain_answer, plain_stream
from generator.corpus.check.run import CheckOptions, check_case
from generator.corpus.clients import PROVIDERS
from generator.corpus.clients.checking import judge_reading
from generator.corpus.clients.making import StreamMaker, grid_streams
from generator.corpus.clients.reading import events_of
from generator.corpus.grid import grid_cases
from generator.corpus.release import release_makers
from generator.formats.format import tool_object

BOTH = CheckOptions(parser="whole", stream="pieces")


class Planted:
    """Runs `parse(text, tools)` and `stream(pieces, tools)` on cases of the grid of one format."""

    def __init__(self, name, parse=None, stream=None):
        self.maker = release_makers()[name]
        self.tools = [msgspec.to_builtins(tool_object(known.tool)) for known in self.maker.tools.values()]
        self.parse = parse or (lambda text, tools: reference_parsers.parse(name, text, tools))
        self.stream = stream or (lambda pieces, tools: reference_parsers.stream(name, pieces, tools))

    def run(self, given, tools, seconds):
        try:
            if isinstance(given, str):
                plain = plain_answer(self.parse(given, self.tools))
            else:
                pieces = Pieces(given)
                plain = plain_stream(self.stream(pieces, self.tools), pieces)
        except Exception as fault:
            plain = {"error": f"{type(fault).__name__}: {fault}"}
        return answer_of(msgspec.convert(plain, PlainAnswer))

    def found(self, how=BOTH):
        """All findings as (hazard, label)."""
        cases = list(grid_cases(self.maker))
        return {(finding.features[0], finding.label) for case in cases for finding in check_case(case, self, how)[1]}


def whole(name, before=lambda text: text, after=lambda calls: calls):
    """A parser of whole texts with a mistake."""

    def parse(text, tools):
        told = reference_parsers.parse(name, before(text), tools)
        return {**told, "tool_calls": after(told["tool_calls"])}

    return Planted(name, parse=parse).found(CheckOptions(parser="whole"))


def streamed(name, mistake):
    """A parser of pieces with a mistake: a function of all that is sent after each piece."""

    def stream(pieces, tools):
        parser = reference_parsers.made(name, tools)
        for piece in pieces:
            parser.feed(piece)
            yield from mistake(parser.deltas, False)
            parser.deltas = []
        parser.finish()
        yield from mistake(parser.deltas, True)

    return Planted(name, stream=stream).found(CheckOptions(stream="pieces"))


def test_drafts_in_thoughts_are_taken_for_calls():
    """PrimeIntellect-ai/renderers#78: markers are looked for in the whole text, thoughts included."""
    found = whole("qwen", lambda text: text.replace("<think>", "").replace("</think>", ""))
    assert {("draft_then_call", "extra call"), ("draft_then_words", "call from prose")} <= found


def test_a_marker_in_prose_holds_the_rest_back():
    """noonghunna/club-3090#72: behind a literal <tool_call> nothing is sent for minutes."""

    def silent(flushes):
        def mistake(held):
            def send(batch, ended):
                held.extend(batch)
                said = "".join([delta.get("content", "") for delta in held])
                if "<tool_call>" in said and not ended:
                    return []
                sent = list(held) if flushes or "<tool_call>" not in said else []
                held.clear()
                return sent

            return send

        def stream(pieces, tools):
            parser, send = reference_parsers.made("qwen3_coder", tools), mistake([])
            for piece in pieces:
                parser.feed(piece)
                yield from send(parser.deltas, False)
                parser.deltas = []
            parser.finish()
            yield from send(parser.deltas, True)

        return Planted("qwen3_coder", stream=stream).found(CheckOptions(stream="pieces"))

    assert ("words_behind_marker", "late delta") in silent(True)
    assert {("words_behind_marker", "late delta"), ("bare_marker", "wrong content")} & silent(False)


def test_names_with_hyphens_are_no_names():
    """sgl-project/sglang#20878: the regular expression of a name is \\w+."""
    found = whole("kimi_k2", after=lambda calls: [call for call in calls if re.fullmatch(r"\w+", call["name"])])
    assert {("name_hyphens_digits", "lost call"), ("name_dot", "lost call")} == found


def test_names_of_elements_are_words():
    """jundot/omlx#2830: of <function=NAME> and <parameter=NAME> only \\w+ is read; the argument is left out without a word."""

    def parse(text, tools):
        told = reference_parsers.parse("qwen3_coder", text, tools)
        calls = [call for call in told["tool_calls"] if re.fullmatch(r"\w+", call["name"])]
        for call in calls:
            arguments = json.loads(call["arguments"])
            call["arguments"] = {key: value for key, value in arguments.items() if re.fullmatch(r"\w+", key)}
        return {**told, "tool_calls": calls}

    found = Planted("qwen3_coder", parse=parse).found(CheckOptions(parser="whole"))
    lost = {(f"name_{name}", "lost call") for name in ("hyphens_digits", "dot")}
    assert found == lost | {(f"key_{key}", "wrong argument") for key in ("hyphens_capitals", "dot")}


def test_a_parameter_called_name_loses_the_call():
    """ollama/ollama#16932: in arguments that hold a key "name" another call is looked for."""
    found = whole("magistral", after=lambda calls: [call for call in calls if '"name"' not in call["arguments"]])
    assert {("key_name", "lost call"), ("keys_of_calls", "lost call")} <= found


def test_a_call_off_the_template_ends_the_request_or_is_lost():
    """ggml-org/llama.cpp#24658: functions_Bash_2 in the place of functions.Bash:2."""

    def raises(text, tools):
        if "functions." not in text and "<|tool_call_begin|>" in text:
            raise ValueError("unparsed peg-native output")
        return reference_parsers.parse("kimi_k2", text, tools)

    assert ("identifier_underscores", "exception") in Planted("kimi_k2", parse=raises).found(CheckOptions(parser="w"))
    lost = Planted("kimi_k2").found(msgspec.structs.replace(BOTH, recover=True))
    drifts = {
        "section_left_out",
        "section_in_singular",
        "recipient_bare",
        "identifier_underscores",
        "identifier_without_index",
    }
    assert lost == {(name, "not recovered") for name in drifts}


def test_plain_quotes_stay_in_the_value():
    """vllm-project/vllm#51284: of `tags:["a"]` the quotes are kept."""

    def parse(text, tools):
        return reference_parsers.parse("gemma4", re.sub(r'"(\w+)"', r'<|"|>"\1"<|"|>', text), tools)

    found = Planted("gemma4", parse=parse).found(CheckOptions(parser="whole"))
    assert ("plain_quotes", "not an allowed reading") in found


def test_bare_recipients_and_other_channels_are_lost():
    """vllm-project/vllm#42454: gpt-oss leaves `functions.` out, and calls in other channels."""

    def parse(text, tools):
        strict = re.search(r"<\|channel\|>commentary to=functions\.", text) or " to=" not in text
        return reference_parsers.parse("harmony", text, tools) if strict else {"content": "", "tool_calls": []}

    found = Planted("harmony", parse=parse).found(CheckOptions(parser="whole", recover=True))
    for drift in ("recipient_bare", "analysis_channel", "comment_channel"):
        assert (drift, "not recovered") in found


def test_streams_lose_empty_calls_and_shift_indices():
    """sgl-project/sglang#35564: a call without arguments is gone, indices begin at 1, numbers become texts."""

    def each_call(change):
        def mistake(batch, ended):
            return [
                {"tool_calls": [change(dict(c)) for c in d["tool_calls"]]} if "tool_calls" in d else d for d in batch
            ]

        return mistake

    shifted = streamed("gemma4", each_call(lambda call: {**call, "index": call["index"] + 1}))
    assert {("no_arguments", "malformed delta"), ("second_call", "malformed delta")} <= shifted
    one = streamed("gemma4", each_call(lambda call: {**call, "index": 0}))
    assert ("second_call", "malformed delta") in one
    texts = streamed(
        "glm45",
        each_call(
            lambda c: {**c, "arguments": re.sub(r"^-?\d+$", r'"\g<0>"', c["arguments"])} if "arguments" in c else c
        ),
    )
    assert ("negative", "wrong argument") in texts


def deltas_of(change):
    """Streams of hermes whose deltas tell calls otherwise."""
    return streamed("hermes", lambda batch, ended: [delta for one in batch for delta in change(one)])


def test_deltas_that_break_clients_are_found():
    """Ids that repeat or change, names in two pieces: what clients put together wrongly."""

    def split_name(delta):
        for call in delta.get("tool_calls", ()):
            if "name" in call:
                yield {"tool_calls": [{**call, "name": call["name"][:2]}]}
                yield {"tool_calls": [{"index": call["index"], "name": call["name"][2:]}]}
                return
        yield delta

    def one_id(delta):
        yield (
            {"tool_calls": [{**call, "id": "call_1"} for call in delta["tool_calls"]]}
            if "tool_calls" in delta
            else delta
        )

    numbers = count()

    def new_ids(delta):
        told = delta.get("tool_calls")
        yield {"tool_calls": [{**call, "id": f"call_{next(numbers)}"} for call in told]} if told else delta

    assert ("zero", "malformed delta") in deltas_of(split_name)
    found = deltas_of(one_id)
    assert ("second_call", "malformed delta") in found
    assert ("zero", "malformed delta") not in found
    assert ("zero", "malformed delta") in deltas_of(new_ids)


def test_a_cut_off_text_makes_no_call_up():
    """A call that nobody made, for every text that ends early; or arguments that no text begins with."""

    def invents(arguments):
        def stream(pieces, tools):
            text = "".join(pieces)
            yield from reference_parsers.stream("hermes", iter([text]), tools) if text.endswith("</tool_call>") else ()
            if not text.endswith("</tool_call>"):
                yield {"tool_calls": [{"index": 0, "name": "save_note", "arguments": arguments}]}

        return Planted("hermes", stream=stream).found(CheckOptions(stream="pieces"))

    assert ("truncate", "not an allowed reading") in invents("{}")
    assert ("truncate", "invalid JSON") in invents("}}garbage{{")
    assert not {label for hazard, label in invents('{"te') if hazard == "truncate"}


def test_arguments_before_the_name_and_a_duplicate_key_are_read_in_pieces():
    """Streams of these were never compared with what is allowed."""

    def half(pieces, tools):
        text = "".join(pieces)
        calls = reference_parsers.parse("hermes", text, tools)["tool_calls"]
        for index, call in enumerate(calls):
            yield {"tool_calls": [{"index": index, "name": call["name"], "arguments": call["arguments"][:-1]}]}

    assert ("duplicate_key", "invalid JSON") in Planted("hermes", stream=half).found(CheckOptions(stream="pieces"))


def by_index(call, calls):
    return call["index"]


def by_id(call, calls):
    return call.get("id") or list(calls)[-1]


def test_a_placeholder_identifier_begins_no_call():
    """langchain-ai/langchainjs#11373: a piece with the id "null" is taken for another call."""
    maker = StreamMaker(PROVIDERS["openai_chat"], release_makers()["hermes"].tools, 0, (("valid", 1.0),))
    cases = {case.hazard: case for case in grid_streams(maker)}

    def heard(case, key):
        calls, content, finish = {}, "", None
        for event in events_of(case.text):
            for choice in json.loads(event.data)["choices"] if event.data != "[DONE]" else ():
                content += choice["delta"].get("content") or ""
                finish = choice["finish_reason"] or finish
                for call in choice["delta"].get("tool_calls") or ():
                    known = calls.setdefault(key(call, calls), {"name": "", "arguments": ""})
                    known["name"] += call["function"].get("name") or ""
                    known["arguments"] += call["function"].get("arguments") or ""
        told = {"content": content, "tool_calls": list(calls.values()), "finish_reason": finish}
        return judge_reading(case, answer_of(msgspec.convert(plain_answer(told), PlainAnswer)))

    for hazard in ("placeholder_identifier_later", "other_identifier_later"):
        assert heard(cases[hazard], by_index) is None
        assert heard(cases[hazard], by_id)[0] == "not an allowed reading"
    for hazard in ("null_arguments_first", "name_alone_first"):
        assert heard(cases[hazard], by_index) is None
    assert heard(cases["one_index"], by_id) is None
    assert heard(cases["one_index"], by_index)[0] in ("not an allowed reading", "invalid JSON")


# --------------------------------------------------------------------------------------------------------------- strangers


def qwen(text, tools):
    """JSON objects in <tool_call> markers, behind thoughts."""
    rest = text.partition("</think>")[2] if text.lstrip().startswith("<think>") else text
    calls, content = [], ""
    while "<tool_call>" in rest:
        before, _, rest = rest.partition("<tool_call>")
        content += before
        try:
            call, end = json.JSONDecoder().raw_decode(rest.lstrip())
            if not isinstance(call["name"], str) or not call["name"] or not isinstance(call["arguments"], dict):
                raise ValueError
            behind = rest.lstrip()[end:].lstrip()
            if not behind.startswith("</tool_call>"):
                raise ValueError
            json.dumps(call, allow_nan=False)
        except (ValueError, KeyError, TypeError, RecursionError):
            content += "<tool_call>"
            continue
        calls.append(call)
        rest = behind.removeprefix("</tool_call>")
    return {"content": content + rest, "tool_calls": calls}


def qwen3_coder(text, tools):
    """Elements; a parameter that the schema calls a text is one, others are JSON or Python's words."""
    schemas = {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in tools}
    pattern = (
        r"<tool_call>\n<function=([^>\s]+)>\n((?:<parameter=[^>]+>\n.*?\n</parameter>\n)*)</function>\n</tool_call>"
    )
    calls = []
    for name, body in re.findall(pattern, text, re.DOTALL):
        declared = schemas.get(name, {}).get("properties", {})
        arguments = {}
        for key, value in re.findall(r"<parameter=([^>]+)>\n(.*?)\n</parameter>\n", body, re.DOTALL):
            if declared.get(key, {}).get("type") != "string":
                value = {"True": True, "False": False, "None": None}.get(value, value)
                with suppress(ValueError):
                    value = json.loads(value, parse_constant=str) if isinstance(value, str) else value
                value = str(value) if value in (float("inf"), float("-inf")) else value
            arguments[key] = value
        calls.append({"name": name, "arguments": arguments})
    return {"content": text.partition("<tool_call>\n<function=")[0] if calls else text, "tool_calls": calls}


def kimi_k2(text, tools):
    """Sections of calls with ids, arguments as JSON."""
    rest = text.partition("</think>")[2] if text.startswith("<think>") else text
    begin, calls = "<|tool_calls_section_begin|>", []
    if begin not in rest:
        return {"content": rest, "tool_calls": []}
    content, _, section = rest.partition(begin)
    while found := re.match(r"<\|tool_call_begin\|>functions\.([\w.-]+):\d+<\|tool_call_argument_begin\|>\s*", section):
        try:
            arguments, at = json.JSONDecoder().raw_decode(section, found.end())
            json.dumps(arguments, allow_nan=False)
        except (ValueError, RecursionError):
            break
        if not section.startswith("<|tool_call_end|>", at) or not isinstance(arguments, dict):
            break
        calls.append({"name": found[1], "arguments": arguments})
        section = section[at + len("<|tool_call_end|>") :]
    return {"content": content if calls else rest, "tool_calls": calls}


@pytest.mark.parametrize("parse", [qwen, qwen3_coder, kimi_k2], ids=lambda parse: parse.__name__)
def test_parsers_of_strangers_have_no_findings_that_are_the_corpus_fault(parse):
    runner = Planted(parse.__name__, parse=parse, stream=lambda pieces, tools: parse("".join(pieces), tools))
    assert runner.found() == set()
