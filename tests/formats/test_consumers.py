"""What `validate` finds no fault in, its consumer takes and learns as it is meant; what a consumer learns otherwise, is a fault.

The consumers' own readers run on rows as people have them, on what `convert` makes of those, and on our own rows with one thing
broken. Of trainers that need a GPU only the part that reads rows is imported; verl gives `messages` and `tools` of `trl` to a chat
template as TRL does, so its template stands for both.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from chat_templates import FOLDERS, template
from consumers import converter_of, llamafactory, part_of, varied_rows
from converted import convert_record
from foreign_rows import FOREIGN, MENDED, THOUGHT

from generator.core.conversation import AssistantMessage, Conversation
from generator.core.errors import CannotCarryError, FormatError
from generator.formats import FORMATS, Format
from generator.formats.files.validate import check_raw
from generator.report.files.convert import Conversion
from generator.report.files.repairs import understood

pytestmark = pytest.mark.filterwarnings("ignore")
TEMPLATE = "qwen2_5_training"
Calls = list[tuple[str, Any]]
loaded = cache(part_of)


class Learnt(NamedTuple):
    """What a consumer makes of a record."""

    calls: Calls
    offered: str
    """Text in which the tools stand that it shows to the model."""


def copied(record: Any) -> Any:
    return json.loads(json.dumps(record))


class Tokens:
    """A tokenizer of letters with a chat template from TRL, which needs no library."""

    eos_token, eos_token_id, pad_token_id, bos_token, bos_token_id = "<|im_end|>", 0, 1, None, None
    name_or_path, all_special_tokens = "letters", ()
    chat_template = (Path(str(distribution("trl").locate_file(FOLDERS["trl"]))) / f"{TEMPLATE}.jinja").read_text()

    def apply_chat_template(self, messages: Any, tools: Any = None, tokenize: bool = True, **told: Any) -> Any:
        wanted = {key: told[key] for key in told.keys() & {"add_generation_prompt"}}
        text = template("trl", TEMPLATE).render(messages=messages, tools=tools, **wanted)
        text = text.replace("\ue000", "").replace("\ue001", "")
        return list(map(ord, text)) if tokenize else text

    def encode(self, text: str, **_: Any) -> list[int]:
        return list(map(ord, text))

    def decode(self, ids: list[int], **_: Any) -> str:
        return "".join(map(chr, ids))


def learnt_of(text: str) -> Learnt:
    """What stands in a text that a chat template has written."""
    answers = [part.partition("<|im_end|>")[0] for part in text.split("<|im_start|>assistant\n")[1:]]
    written = [call.partition("\n</tool_call>")[0] for said in answers for call in said.split("<tool_call>\n")[1:]]
    calls = [(call["name"], call["arguments"]) for call in map(json.loads, written)]
    return Learnt(calls, text.partition("<|im_start|>user")[0])


def trl(record: Any) -> Learnt:
    tools = record.get("tools")
    tools = json.loads(tools) if isinstance(tools, str) else tools  # as SFTTrainer does
    return learnt_of(Tokens().apply_chat_template(record["messages"], tools, tokenize=False))


def mlx_lm(record: Any) -> Learnt:
    datasets = loaded("mlx-lm", "mlx_lm.tuner.datasets", "mlx_lm.cli_ui", "transformers", "datasets")
    ids, _ = datasets.ChatDataset([record], Tokens(), mask_prompt=False).process(record)
    return learnt_of(Tokens().decode(ids))


def axolotl(record: Any) -> Learnt:
    return learnt_of(Tokens().decode(axolotl_strategy().tokenize_prompt(record)["input_ids"]))


@cache
def axolotl_strategy() -> Any:
    missing = ("utils.chat_templates", "utils.logging", "utils.schemas.datasets", "utils.distributed")
    module = loaded("axolotl", "axolotl.prompt_strategies.chat_template", "addict", "colorama", "transformers", "torch",
                     "datasets", *(f"axolotl.{name}" for name in missing))  # fmt: skip
    prompter = module.ChatTemplatePrompter(
        Tokens(), Tokens.chat_template, max_length=10**6, message_field_training="training", field_tools="tools",
        message_property_mappings={"role": "role", "content": "content"},
    )  # fmt: skip
    return module.ChatTemplateStrategy(
        prompter,
        tokenizer=Tokens(),
        train_on_inputs=False,
        sequence_len=10**6,
        roles_to_train=["assistant"],
        train_on_eos="turn",
    )


def llama_factory(record: Any) -> Learnt:
    example = converter_of("sharegpt")({"system": "", "tools": ""} | record)  # columns that the file has
    if not example["_response"]:
        raise ValueError("left out")
    formatter = llamafactory("formatter")
    calls = formatter.FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
    said = ""
    for entry in example["_prompt"] + example["_response"]:
        if entry["role"] == "function":
            (text,) = calls.apply(content=entry["content"], thought_words=("<think>\n", "\n</think>\n\n"))
            said += f"<|im_start|>assistant\n{text}<|im_end|>"
        elif entry["role"] == "assistant":
            said += f"<|im_start|>assistant\n{entry['content']}<|im_end|>"
    tools = formatter.ToolFormatter(tool_format="qwen").apply(content=example["_tools"]) if example["_tools"] else [""]
    system = next((m["value"] for m in record["conversations"] if m["from"] == "system"), "")
    return learnt_of(f"{tools[0]}{system}<|im_start|>user{said}")


def ms_swift(record: Any) -> Learnt:
    try:
        distribution("ms-swift")
    except PackageNotFoundError:
        pytest.skip("needs ms-swift: pip install --no-deps -r tests/trainers.txt")
    inputs = loaded("ms-swift", "swift.template.template_inputs", "swift.utils", "swift.template.utils")
    messages = inputs.normalize_openai_tool_calls(record["messages"])
    calls = [message["content"] for message in messages if message["role"] == "tool_call"]
    values = [json.loads(call) if isinstance(call, str) else call for call in calls]
    tools = record.get("tools")
    return Learnt(
        [(value["name"], value["arguments"]) for value in values],
        tools if isinstance(tools, str) else json.dumps(tools),
    )


def through(value: Any) -> Any:
    """Take all of what pydantic reads only when it is asked for."""
    if isinstance(value, dict):
        return {key: through(part) for key, part in value.items()}
    is_many = isinstance(value, list) or type(value).__name__ == "ValidatorIterator"
    return [through(part) for part in value] if is_many else value


@cache
def list_of(kind: Any) -> Any:
    """What checks lists of a type of somebody's library; making it takes longer than a check."""
    from pydantic import TypeAdapter

    return TypeAdapter(list[kind])


def openai(record: Any) -> Learnt:
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

    said, offered = list_of(ChatCompletionMessageParam), list_of(ChatCompletionToolParam)
    messages, tools = through(said.validate_python(record["messages"])), record.get("tools") or []
    offered.validate_python(tools)
    calls = [call["function"] for message in messages for call in message.get("tool_calls", [])]
    return Learnt([(call["name"], json.loads(call["arguments"])) for call in calls], json.dumps(tools))


def mistral(record: Any) -> Learnt:
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
    from mistral_common.tokens.tokenizers.base import TokenizerVersion

    request = ChatCompletionRequest.from_openai(record["messages"], record.get("tools"))
    get_validator(TokenizerVersion("v13"), ValidationMode.finetuning).validate_request(request)
    calls = [call.function for message in request.messages for call in getattr(message, "tool_calls", None) or ()]
    return Learnt([(call.name, json.loads(call.arguments)) for call in calls], json.dumps(record.get("tools")))


def deepfabric(record: Any) -> Learnt:
    read = loaded("deepfabric", "deepfabric.schemas").Conversation.model_validate(record)
    calls = [call.function for message in read.messages for call in message.tool_calls or ()]
    return Learnt([(call.name, json.loads(call.arguments)) for call in calls], json.dumps(record.get("tools")))


def anthropic(record: Any) -> Learnt:
    from anthropic.types import MessageParam, ToolParam

    said, offered = list_of(MessageParam), list_of(ToolParam)
    messages = through(said.validate_python(record["messages"]))
    offered.validate_python(record.get("tools", []))
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
    return Learnt(calls, json.dumps(record.get("tools")))


CONSUMERS: dict[str, tuple[str, Callable[[Any], Learnt], str]] = {
    "TRL, verl": ("trl", trl, "messages"),
    "mlx-lm": ("trl", mlx_lm, "messages"),
    "Axolotl": ("axolotl", axolotl, "messages"),
    "LLaMA-Factory": ("sharegpt", llama_factory, "conversations"),
    "ms-swift": ("swift", ms_swift, "messages"),
    "OpenAI": ("openai", openai, "messages"),
    "mistral-common": ("mistral-v13", mistral, "messages"),
    "DeepFabric": ("deepfabric-string", deepfabric, "messages"),
    "Anthropic": ("anthropic", anthropic, "messages"),
}
"""Consumer -> the format it reads, its reader, and the key of its records' messages."""
PEOPLES = [(name, record) for name, record, *_ in chain(FOREIGN, MENDED, THOUGHT)]
BLOCKS = ("tool_use", "tool_result", "thinking")


def meant(talk: Conversation) -> Calls:
    return [(c.name, c.arguments) for m in talk.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]


def learns_rightly(read: Callable[[Any], Learnt], record: Any, talk: Conversation) -> bool:
    """Whether a consumer takes a record, makes the calls that are meant, and shows their tools."""
    try:
        found = read(copied(record))
    except pytest.skip.Exception:
        raise
    except Exception:  # whatever its code raises: it does not take the record
        return False
    return without_nulls(found.calls) == without_nulls(meant(talk)) and all(t.name in found.offered for t in talk.tools)


def without_nulls(calls: Calls) -> Calls:
    """A null that a schema neither names nor forbids stays in the text, and is no other call."""
    return [(name, {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given) for name, given in calls]  # fmt: skip


def right_rows(fmt: Format) -> Iterator[tuple[str, Any]]:
    """Our own rows with calls, as a file has them."""
    for talk in [talk for talk in varied_rows()[:60] if meant(talk) and talk.tools][:20]:
        with suppress(CannotCarryError):
            yield fmt.name, copied(fmt.render(talk))


def is_of(name: str, record: Any) -> bool:
    """Whether a record of one of the tables might be given to the reader of a format, by its shape."""
    has_blocks = any(f'"type": "{kind}"' in json.dumps(record) for kind in BLOCKS)
    return CONSUMERS[name][2] in record and has_blocks == (CONSUMERS[name][0] == "anthropic")


@pytest.mark.parametrize("name", CONSUMERS)
def test_what_passes_is_learnt_as_it_is_meant(name: str):
    fmt, read = FORMATS[CONSUMERS[name][0]], CONSUMERS[name][1]
    passed = 0
    for of, record in [*PEOPLES, *right_rows(fmt)]:
        if is_of(name, record) and not check_raw(copied(record), fmt):
            talk = understood(copied(record), FORMATS[of])
            assert isinstance(talk, Conversation)
            assert learns_rightly(read, record, talk), record
            passed += 1
    assert passed > 5


@pytest.mark.parametrize("name", CONSUMERS)
def test_what_convert_mends_passes_and_is_learnt_as_it_is_meant(name: str):
    fmt, read = FORMATS[CONSUMERS[name][0]], CONSUMERS[name][1]
    made = 0
    for of, record in PEOPLES:
        try:
            mended = convert_record(copied(record), FORMATS[of], fmt, Conversion())
            talk = understood(copied(record), FORMATS[of])
        except (CannotCarryError, FormatError):  # which is told
            continue
        assert isinstance(talk, Conversation)
        # what the tables have wrong in their schemas is theirs
        assert [fault for fault in check_raw(mended, fmt, unrolled=True) if fault.rule != "DF202"] == []
        assert learns_rightly(read, mended, talk), mended
        made += 1
    assert made > len(PEOPLES) // 2


def text_arguments(call: Any) -> Any:
    function = call["function"]
    return call | {"function": function | {"arguments": json.dumps(function["arguments"])}}


def with_calls(record: Any, change: Callable[[Any], Any]) -> Any:
    messages = [
        message | {"tool_calls": [change(call) for call in message["tool_calls"]]} if message.get("tool_calls") else message
        for message in record["messages"]
    ]  # fmt: skip
    return record | {"messages": messages}


def with_entries(record: Any, change: Callable[[Any], Any]) -> Any:
    return record | {"conversations": list(map(change, record["conversations"]))}


def other_calls(entry: Any, change: Callable[[Any], Any]) -> Any:
    if entry["from"] != "function_call":
        return entry
    value = json.loads(entry["value"])
    return entry | {"value": change([change_one(one) for one in value] if isinstance(value, list) else change_one(value))}  # fmt: skip


def change_one(call: Any) -> Any:
    return call | {"arguments": json.dumps(call["arguments"])}


BROKEN: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("TRL, verl", "arguments as text", lambda record: with_calls(record, text_arguments)),
    ("mlx-lm", "arguments as text", lambda record: with_calls(record, text_arguments)),
    ("TRL, verl", "tools under another name", lambda record: {"functions": record["tools"], "messages": record["messages"]}),
    ("Axolotl", "arguments encoded twice", lambda record: with_calls(record, text_arguments)),
    ("OpenAI", "arguments as objects", lambda record: with_calls(record, lambda call: call | {"function": call["function"] | {"arguments": json.loads(call["function"]["arguments"])}})),
    ("OpenAI", "tools as text", lambda record: record | {"tools": json.dumps(record["tools"])}),
    ("mistral-common", "tools as text", lambda record: record | {"tools": json.dumps(record["tools"])}),
    ("LLaMA-Factory", "roles of others", lambda record: with_entries(record, lambda entry: entry | {"from": {"human": "user", "gpt": "assistant"}.get(entry["from"], entry["from"])})),
    ("LLaMA-Factory", "arguments as text", lambda record: with_entries(record, lambda entry: other_calls(entry, json.dumps))),
    ("LLaMA-Factory", "Python in place of JSON", lambda record: with_entries(record, lambda entry: entry | {"value": repr(json.loads(entry["value"]))} if entry["from"] == "function_call" else entry)),
    ("Anthropic", "input as text", lambda record: record | {"messages": [m | {"content": [b | {"input": json.dumps(b["input"])} if b["type"] == "tool_use" else b for b in m["content"]]} if isinstance(m["content"], list) else m for m in record["messages"]]}),
]  # fmt: skip
"""Consumer, what is done to a row, and how."""


@pytest.mark.parametrize(("name", "what", "change"), BROKEN, ids=[f"{name}: {what}" for name, what, _ in BROKEN])
def test_what_a_consumer_learns_wrongly_is_a_fault(name: str, what: str, change: Callable[[Any], Any]):
    fmt, read = FORMATS[CONSUMERS[name][0]], CONSUMERS[name][1]
    wrong = 0
    for _, record in right_rows(fmt):
        talk = fmt.parse(record)
        assert learns_rightly(read, record, talk)
        assert check_raw(copied(record), fmt, unrolled=True) == []
        broken = change(copied(record))
        assert not learns_rightly(read, broken, talk), what
        assert check_raw(broken, fmt, unrolled=True), what
        wrong += 1
    assert wrong > 2
