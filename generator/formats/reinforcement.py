"""Formats of records for reinforcement learning: a prompt, its tools, and the `answer` of a record of `eval`.

They are made of formats that are there: what is right is written and read as `eval` does, prompts as the other one does.
"""

from typing import Any

import msgspec

from generator.core.conversation import Conversation, Violation
from generator.formats.format import Consumer, Format, Read, compact_json
from generator.formats.openai_messages import parse_or_text

_VERL = """\
verl: `{"data_source", "prompt", "ability", "reward_model", "extra_info"}`, a record for each message to be learnt.

- `prompt` are the messages before it, as chat templates of Hugging Face take them: arguments are objects
- `reward_model` is `{"style": "rule", "ground_truth"}`, whose text is the `answer` of [`eval`](#eval) as JSON
- `extra_info` has `index`, a number made from the prompt, and `tools` as JSON text. verl shows a model the tools of its
  configuration (`tool_config_path`), the same for all rows: make rows with one set of tools for it
- a reward function: `def compute_score(data_source, solution_str, ground_truth, extra_info=None): return
  call_reward(solution_str, ground_truth)`, with `call_reward` of `generator.episodes.rewards`
- in Parquet our columns are JSON text, so that Arrow fills nothing with null; verl wants lists: give it JSON Lines
"""
_NEMO = """\
NeMo Gym: `{"responses_create_params": {"input": [...], "tools": [...]}, "answer": {...}}`, a record for each message to be learnt.

- `responses_create_params` is what [`responses`](#responses) writes of the messages before it
- `answer` is that of [`eval`](#eval), for a resources server with `call_reward` of `generator.episodes.rewards`
- `expected_action` is the same for the server `single_step_tool_use_with_argument_comparison` of NeMo Gym, whose agent
  `agent_ref` names: one call, `function_call_batch` for several, or a message, in whose place any text is right

Read as well: `expected_action` without `answer`, and the `response` of rollouts, which then is the rest of the conversation.
"""
_AGENT = {"type": "responses_api_agents", "name": "single_step_tool_use_with_argument_comparison_agent"}


def verl(evaluation: Format) -> Format:
    """The format of verl."""

    def render(conversation: Conversation) -> dict[str, Any]:
        record = evaluation.render(conversation)
        about = {"index": int(record["id"]), "tools": compact_json(record.get("tools", []))}
        return {
            "data_source": "tool_calls",
            "prompt": record["messages"],
            "ability": "tool_use",
            "reward_model": {"style": "rule", "ground_truth": compact_json(record["answer"])},
            "extra_info": about,
        }

    def read(record: Any) -> Read:
        known = record if isinstance(record, dict) else {}
        asked = {"messages": known.get("prompt")}
        about, reward = known.get("extra_info"), known.get("reward_model")
        if isinstance(about, dict) and (tools := parse_or_text(about.get("tools"))):
            asked["tools"] = tools
        answer = parse_or_text(reward.get("ground_truth")) if isinstance(reward, dict) else None
        return _renamed(evaluation.read(asked | {"answer": answer}), "VE101")

    return msgspec.structs.replace(
        evaluation,
        name="verl",
        about="verl: prompts for reinforcement learning, with the right answer as `ground_truth`",
        page=_VERL,
        render=render,
        read=read,
        faults=(
            ("VE101", "`prompt` is a list of messages, and `reward_model.ground_truth` an answer as `eval` has it."),
        ),
        consumers=(Consumer("datasets", "5.2", "`load_dataset` of JSON Lines, as verl 0.9.1 reads them"),),
    )


def nemo_gym(evaluation: Format, responses: Format) -> Format:
    """The format of NeMo Gym."""

    def divided(conversation: Conversation) -> tuple[Conversation, Conversation]:
        carried = evaluation.carries(conversation)
        return carried, msgspec.structs.replace(carried, messages=carried.messages[:-1])

    def render(conversation: Conversation) -> dict[str, Any]:
        answer = evaluation.render(conversation)["answer"]
        asked = responses.render(divided(conversation)[1])
        expected = {"expected_action": _expected(answer), "agent_ref": _AGENT}
        return {"responses_create_params": asked, "answer": answer, **expected}

    def carries(conversation: Conversation) -> Conversation:
        carried, asked = divided(conversation)
        before = responses.carries(asked)
        messages = [
            msgspec.structs.replace(kept, train=False) if getattr(kept, "train", False) else kept
            for kept in before.messages
        ]
        return msgspec.structs.replace(before, messages=(*messages, carried.messages[-1]))

    def read(record: Any) -> Read:
        known = record if isinstance(record, dict) else {}
        asked, answered = known.get("responses_create_params"), known.get("response")
        if not isinstance(asked, dict):
            return None, [Violation("NG101", "$.responses_create_params", "is not an object")]
        output = answered.get("output") if isinstance(answered, dict) else None
        plain, faults = _renamed(responses.read(asked | ({"output": output} if output else {})), "NG101")
        answer = known.get("answer", _answer_of(known.get("expected_action")))
        if faults or output or answer is None:
            return plain, faults
        return _renamed(evaluation.read(plain | {"answer": answer}), "NG101")

    return msgspec.structs.replace(
        evaluation,
        name="nemo_gym",
        about="NeMo Gym: what the Responses API is asked, and the answer that is right",
        page=_NEMO,
        render=render,
        read=read,
        carries=carries,
        policy=msgspec.structs.replace(evaluation.policy, system="field"),
        faults=(("NG101", "`responses_create_params` is an object with `input`; `answer` is one as `eval` has it."),),
        consumers=(Consumer("openai", "2.54", "`ResponseInputItemParam` of the prompts"),),
    )


def _renamed(found: Read, code: str) -> Read:
    """Return what was read, with its faults under a format's own code."""
    plain, faults = found
    return plain, [Violation(code, fault.path, fault.message) for fault in faults]


def _expected(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer as the action that is expected."""
    calls = [
        {"type": "function_call", "name": call["name"], "arguments": compact_json(call["arguments"])}
        for call in answer["calls"]
    ]
    if len(calls) == 1:
        return calls[0]
    if calls:
        return {"type": "function_call_batch", "calls": calls}
    return {"type": "message", "content": answer["content"]}


def _answer_of(action: Any) -> Any:
    """Return an expected action as an answer; None for none."""
    if not isinstance(action, dict):
        return None
    if action.get("type") == "message":
        return {"content": action.get("content"), "calls": []}
    calls = action.get("calls", [action])
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        return None
    return {"content": None, "calls": [call | {"arguments": parse_or_text(call.get("arguments"))} for call in calls]}
