"""An environment of the library `verifiers` whose rubric is our reward: a scripted model is asked, and its answers are scored."""

import json
import re

import pytest
from consumers import ROOT, varied_rows
from llm_server import fake_server

from generator.formats import FORMATS
from generator.formats.unrolled import unrolled

pytest.importorskip(
    "verifiers.legacy.envs.singleturn_env",
    reason="needs verifiers 0.3 and all that it depends on: .ci/run installs it last",
)


PAGE = (ROOT / "docs/fine-tuning.md").read_text()


def test_an_environment_scores_what_a_model_says_with_our_reward(tmp_path, monkeypatch):
    from verifiers.legacy.types import ClientConfig

    monkeypatch.setenv("KEY", "none")
    parts = [
        part for row in varied_rows()[:4] for part in unrolled(row, FORMATS["eval"]) if part.messages[-1].tool_calls
    ]
    asked = [FORMATS["eval"].render(part) for part in parts]
    said = [FORMATS["qwen"].render(part) for part in parts]
    right = {
        json.dumps(record["messages"][-1]["content"]): text["text"][slice(*text["spans"][-1])]
        for record, text in zip(asked, said, strict=True)
    }
    (tmp_path / "outputs/tuning").mkdir(parents=True)
    (tmp_path / "outputs/tuning/eval.train.jsonl").write_text("".join(json.dumps(record) + "\n" for record in asked))
    monkeypatch.chdir(tmp_path)
    given: dict = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE.partition("\n## verifiers\n")[2], re.DOTALL)[0], given)
    for reply, reward in (
        (lambda body: right[json.dumps(body["messages"][-1]["content"])], 1.0),
        (lambda body: "No idea.", 0.0),
    ):
        with fake_server(reply=reply) as server:
            client = ClientConfig(api_key_var="KEY", api_base_url=server.base)
            found = given["environment"].evaluate_sync(client, model="scripted", rollouts_per_example=1)
        assert [output["reward"] for output in found["outputs"]] == [reward] * len(asked)
