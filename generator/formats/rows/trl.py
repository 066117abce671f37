"""TRL and other trainers that use Hugging Face chat templates: `{"messages": [...], "tools": [...]}`.

- arguments are objects: more templates take them than take strings
- a message that only calls has `"content": ""`: many templates fail on null
- what the model thinks before a message is its `reasoning_content`; templates of models that think write it
- every tool has a `description`, be it empty, and `parameters`: the templates of gpt-oss and others ask for them
- tool messages have the `tool_call_id` and, where the conversation has it, the `name`
- there is no flag for what is learnt; with `rows: prompt_completion` a record is `{"prompt": [...], "completion": [...],
  "tools": [...]}`, and the completion begins with the first message that is learnt. Results of tools may stand in it, so
  train with `assistant_only_loss=True` as well, or with recipes that say `train: last`
- with `rows: preference` a record is `{"prompt", "chosen", "rejected", "tools", "defect"}`: what is rejected has exactly one
  fault, which `defect` names, such as `wrong_value` (docs/recipes.md, `preferences`)
- with `rows: unpaired` a record is `{"prompt", "completion", "label", "tools"}` for KTO: one whose `label` is true, and one
  with a rejected completion, a false `label` and its `defect`, for each of these preferences
- with `parallel: split` a message makes one call: calls made at once become one call after another, each followed by its
  result. The templates of Llama 3.1 and 3.2 need it (they raise an error at several calls), and that of gpt-oss (it drops
  all calls but the first without a word)
- what templates do with a row with calls and tools, tried with trl's copies of them: Qwen 2.5, 3, 3.5, 3.6 and 3.8, GLM 4,
  Gemma 4, LFM 2.5 and Nemotron 3 write all of it (Qwen 3.5, 3.6 and 3.8 raise an error at a later system message);
  Cohere, DeepSeek V3 and Gemma 1 to 3 raise an error (DeepSeek V3 takes arguments as text, and never writes tools; of its
  copy for training, which writes calls, that is true, too); Llama 3.0, Phi 3, Qwen 2.5 VL and the distilled R1 drop tools
  and calls without a word
- objects of different shape in one column need `datasets` 4.7 or newer, which keeps them as JSON, and reads their numbers with
  a reader that is not exact: 0.7 becomes 0.7000000000000001. In Parquet they are text and stay as they are

Read as well: `tools` as a JSON string, `prompt` and `completion`, `reasoning` and `thinking`. Arguments as text are a fault, which
`convert` mends.
"""

from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Violation
from generator.core.errors import CannotCarryError
from generator.formats.format import Consumer, Format, Read, row_format
from generator.formats.openai_messages import chat_entry, read_messages_record
from generator.formats.steps import described_tool, split_calls, with_descriptions, without_parts


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation. It shares arguments and tools with the conversation."""
    return _with_tools(
        {"messages": [chat_entry(message, as_text=False) for message in conversation.messages]}, conversation
    )


def render_completion(conversation: Conversation) -> dict[str, Any]:
    """The record with what is learnt apart from what is not."""
    start = _completion_start(conversation)
    entries = [chat_entry(message, as_text=False) for message in conversation.messages]
    return _with_tools({"prompt": entries[:start], "completion": entries[start:]}, conversation)


def read(record: Any) -> Read:
    """Prompt and completion become messages; what is in the prompt is not learnt."""
    faults: list[Violation] = []
    if not isinstance(record, dict) or "messages" in record or "prompt" not in record:
        return read_messages_record(record, "TR101", faults, empty=None, text_code="TR103"), faults
    prompt, completion = record.get("prompt"), record.get("completion")
    if not isinstance(prompt, list) or not isinstance(completion, list):
        key = "completion" if isinstance(prompt, list) else "prompt"
        return None, [Violation("TR102", f"$.{key}", "is not a list")]
    rest = {key: value for key, value in record.items() if key not in ("prompt", "completion")}
    plain = read_messages_record(
        rest | {"messages": [*prompt, *completion]}, "TR101", faults, empty=None, text_code="TR103"
    )
    for message in plain["messages"][: len(prompt)]:
        if isinstance(message, dict) and message.get("role") == "assistant":
            message["train"] = False
    return plain, faults


def carries(conversation: Conversation) -> Conversation:
    """All but training and error flags; thoughts are one text; empty and no content, description or schema are the same."""
    return with_descriptions(without_parts(conversation, "blocks", "train", "is_error", "empty_text", "no_schema"))


def carries_completion(conversation: Conversation) -> Conversation:
    """All but error flags; thoughts are one text; empty and no content, description or schema are the same."""
    _completion_start(conversation)
    return with_descriptions(without_parts(conversation, "blocks", "is_error", "empty_text", "no_schema"))


def _completion_start(conversation: Conversation) -> int:
    """Where the learnt part begins."""
    messages = conversation.messages
    learnt = [i for i, message in enumerate(messages) if isinstance(message, AssistantMessage) and message.train]
    if not learnt:
        raise CannotCarryError("$.messages: nothing is learnt, so there is no completion")
    for i, message in enumerate(messages[learnt[0] :], learnt[0]):
        if isinstance(message, AssistantMessage) and not message.train:
            raise CannotCarryError(f"$.messages[{i}]: is not learnt, but a message before it is")
    return learnt[0]


def _with_tools(record: dict[str, Any], conversation: Conversation) -> dict[str, Any]:
    """Return the record with the tools of the conversation."""
    if conversation.tools:
        record["tools"] = [described_tool(tool) for tool in conversation.tools]
    return record


FORMAT = row_format("trl", __doc__, render=render, read=read, carries=carries)
COMPLETION_FORMAT = row_format(
    "trl-prompt_completion", __doc__, render=render_completion, read=read, carries=carries_completion
)


def _with_one_call_in_a_message(fmt: Format) -> Format:
    """The format with one call in a message."""
    return fmt.of_changed(
        split_calls,
        name=f"{fmt.name}-split",
        about=f"{fmt.about}; one call in a message",
        policy=msgspec.structs.replace(fmt.policy, parallel="split"),
        options=tuple((option, "split" if option == "parallel" else value) for option, value in fmt.options),
        consumers=(Consumer("trl", "1.16.0", "its chat templates for Llama 3.1 and gpt-oss"),),
    )


SPLIT_FORMATS = (_with_one_call_in_a_message(FORMAT), _with_one_call_in_a_message(COMPLETION_FORMAT))
