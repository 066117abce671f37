"""The taskset of docs/fine-tuning.md in the library `verifiers`: a scripted model is offered the tools, and its answers are scored."""

import asyncio
import json
import re
import sys
from typing import Any

import pytest
from consumers import ROOT, varied_rows
from llm_server import fake_server

from generator.episodes.rewards import call_reward
from generator.formats import FORMATS
from generator.formats.steps import unrolled

vf = pytest.importorskip(
    "verifiers.v1", reason="needs verifiers 0.4 and all that it depends on: .ci/run installs it last"
)

PAGE = (ROOT / "docs/fine-tuning.md").read_text()
CODE = next(code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "import verifiers" in code)


async def asked_of(tasks: list[Any], server: Any) -> list[float]:
    """The reward of each task, asked of a server."""
    client = vf.EvalClientConfig(base_url=server.base, api_key_var="KEY")
    config = vf.AgentConfig(
        harness={"id": "tool_calls"}, runtime=vf.SubprocessConfig(), model="scripted", client=client
    )
    agent = vf.make_agent(config)
    traces = await asyncio.gather(*map(agent.run, tasks))
    assert not any(trace.errors for trace in traces)
    return [trace.reward for trace in traces]


def test_a_taskset_offers_the_tools_and_rewards_what_a_model_says(tmp_path, monkeypatch):
    parts = [
        part for row in varied_rows()[:2] for part in unrolled(row, FORMATS["eval"]) if part.messages[-1].tool_calls
    ]
    asked = [FORMATS["eval"].render(part) for part in parts]
    said = [FORMATS["qwen"].render(part) for part in parts]
    right = {
        json.dumps([record["messages"][-1]["content"], record["tools"]]): text["text"][slice(*text["spans"][-1])]
        for record, text in zip(asked, said, strict=True)
    }
    (tmp_path / "outputs/tuning").mkdir(parents=True)
    (tmp_path / "outputs/tuning/eval.train.jsonl").write_text("".join(json.dumps(record) + "\n" for record in asked))
    (tmp_path / "tool_calls.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("KEY", "none")
    import tool_calls

    monkeypatch.setitem(sys.modules, "tool_calls", tool_calls)
    tasks = list(tool_calls.ToolCalls(vf.TasksetConfig(id="tool_calls")))
    seen: list[dict[str, Any]] = []

    def is_right(body: dict[str, Any]) -> str:
        seen.append(body)
        return right[json.dumps([body["messages"][-1]["content"], body["tools"]])]

    for reply, reward in ((is_right, 1.0), (lambda body: "No idea.", 0.0)):
        with fake_server(reply=reply) as server:
            assert asyncio.run(asked_of(tasks, server)) == [reward] * len(asked)
    # The tasks are run side by side, so their requests arrive in any order.
    assert sorted(json.dumps(body["tools"]) for body in seen) == sorted(json.dumps(record["tools"]) for record in asked)


def test_calls_that_a_server_has_read_are_rewarded_too():
    answer = FORMATS["eval"].render(next(unrolled(varied_rows()[0], FORMATS["eval"])))["answer"]
    calls = [
        vf.ToolCall(id=str(at), name=call["name"], arguments=json.dumps(call["arguments"]))
        for at, call in enumerate(answer["calls"])
    ]
    assert call_reward(vf.AssistantMessage(content=None, tool_calls=calls), answer) == 1.0
    assert call_reward(vf.AssistantMessage(content="Sure."), answer) == 0.0
