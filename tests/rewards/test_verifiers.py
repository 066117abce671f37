"""An environment of the library `verifiers` whose rubric is our reward: a scripted model is asked, and its answers are scored."""

import json

import pytest
from consumers import varied_rows
from llm_server import fake_server

from generator.formats import FORMATS
from generator.formats.unrolled import unrolled
from generator.rewards import call_reward

pytest.importorskip("verifiers.legacy.envs.singleturn_env", reason="needs verifiers 0.3, which cannot be installed beside what other tests pin")


def test_an_environment_scores_what_a_model_says_with_our_reward(tmp_path, monkeypatch):
    import verifiers.legacy as vf
    from datasets import Dataset
    from verifiers.legacy.types import ClientConfig

    monkeypatch.setenv("KEY", "none")
    parts = [part for row in varied_rows()[:4] for part in unrolled(row, FORMATS["eval"]) if part.messages[-1].tool_calls]
    asked = [FORMATS["eval"].render(part) for part in parts]
    said = [FORMATS["qwen"].render(part) for part in parts]
    right = {json.dumps(record["messages"][-1]["content"]): text["text"][slice(*text["spans"][-1])] for record, text in zip(asked, said, strict=True)}
    data = Dataset.from_list([{"prompt": record["messages"], "answer": json.dumps(record["answer"])} for record in asked])
    environment = vf.SingleTurnEnv(eval_dataset=data, rubric=vf.Rubric(funcs=[call_reward]))
    for reply, reward in ((lambda body: right[json.dumps(body["messages"][-1]["content"])], 1.0), (lambda body: "No idea.", 0.0)):
        with fake_server(reply=reply) as server:
            client = ClientConfig(api_key_var="KEY", api_base_url=server.base)
            found = environment.evaluate_sync(client, model="scripted", rollouts_per_example=1)
        assert [output["reward"] for output in found["outputs"]] == [reward] * len(asked)
