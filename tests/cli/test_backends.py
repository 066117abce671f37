"""Recipes whose calls are answered by a file of recorded ones, a web server or an MCP server, as a user runs them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command import Command

TOOL = """
- name: get_stock
  description: Look up how many items of a product are in stock.
  parameters:
    type: object
    properties: {product: {type: string, enum: [lamp, chair, desk]}}
    required: [product]
  returns:
    type: object
    properties: {in_stock: {type: integer}}
    required: [in_stock]
"""
STOCK = {"lamp": 4, "chair": 17, "desk": 0}


def run(cli: Command, folder: Path, backend: str, *flags: object, rows: int = 6):
    (folder / "stock.yaml").write_text(TOOL)
    (folder / "recipe.yaml").write_text(
        f"name: stock\nseed: 2\nrows: {rows}\ntools: [stock.yaml]\nbackend: {backend}\nscenarios: {{single: 1, parallel: 1}}\n"
        "calls: 2\nformats: [openai]\n"
    )
    return cli("run", folder / "recipe.yaml", "--out", folder / "out", "--workers", 1, *flags)


def results(folder: Path) -> list[tuple[str, str]]:
    """(product, what the tool message says) of every call."""
    found = []
    for line in (folder / "out/openai.jsonl").read_text().splitlines():
        messages = json.loads(line)["messages"]
        asked = {
            call["id"]: json.loads(call["function"]["arguments"])["product"]
            for message in messages
            for call in message.get("tool_calls", ())
        }
        found += [
            (asked[message["tool_call_id"]], message["content"]) for message in messages if message["role"] == "tool"
        ]
    return found


class TestRecorded:
    def recording(self, folder: Path, products: list[str]) -> str:
        lines = [
            {"tool": "get_stock", "arguments": {"product": name}, "result": {"in_stock": STOCK[name]}}
            for name in products
        ]
        (folder / "calls.jsonl").write_text("".join([json.dumps(line) + "\n" for line in lines]))
        return "{recorded: calls.jsonl}"

    def test_rows_hold_the_recorded_results(self, cli: Command, tmp_path: Path):
        ran = run(cli, tmp_path, self.recording(tmp_path, list(STOCK)))
        assert ran.code == 0, ran.err
        assert results(tmp_path)
        assert all(json.loads(content) == {"in_stock": STOCK[product]} for product, content in results(tmp_path))

    def test_tools_are_called_with_recorded_arguments(self, cli: Command, tmp_path: Path):
        ran = run(cli, tmp_path, self.recording(tmp_path, ["lamp", "chair"]), rows=20)
        assert ran.code == 0, ran.err
        assert {product for product, _ in results(tmp_path)} == {"lamp", "chair"}
        assert (tmp_path / "out/rejected.jsonl").read_text() == ""

    def test_a_recipe_that_no_recorded_call_fits_is_told_why(self, cli: Command, tmp_path: Path):
        (tmp_path / "calls.jsonl").write_text('{"tool": "get_stock", "arguments": {"product": "sofa"}, "result": 1}\n')
        ran = run(cli, tmp_path, "{recorded: calls.jsonl}")
        assert ran.code != 0
        assert "No answer is recorded for get_stock" in ran.err + ran.out

    def test_the_file_is_checked_with_its_lines(self, cli: Command, tmp_path: Path):
        (tmp_path / "calls.jsonl").write_text('{"tool": "get_stock", "arguments": {}, "reslut": 1}\n')
        ran = run(cli, tmp_path, "{recorded: calls.jsonl}")
        assert (ran.code, 'calls.jsonl:1: reslut: unknown key (did you mean "result"?)' in ran.err) == (2, True)


@contextmanager
def shop(answer) -> Iterator[tuple[str, list[dict]]]:
    """A web server that answers calls with `answer(call) -> (status, body)`; what it is asked is kept."""
    asked: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status, body = answer(asked[-1])
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_): ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{found.server_port}/call", asked
        finally:
            found.shutdown()


def stock_of(call: dict) -> tuple[int, bytes]:
    return 200, json.dumps({"in_stock": STOCK[call["arguments"]["product"]]}).encode()


class TestHttp:
    def test_rows_hold_what_the_server_answers(self, cli: Command, tmp_path: Path):
        with shop(stock_of) as (url, asked):
            ran = run(cli, tmp_path, f"{{http: '{url}', seconds: 5}}")
        assert ran.code == 0, ran.err
        assert all(json.loads(content) == {"in_stock": STOCK[product]} for product, content in results(tmp_path))
        assert {call["name"] for call in asked} == {"get_stock"}
        assert len({call["conversation"] for call in asked}) >= 6  # a server can keep a state for each
        assert len(asked) >= 2 * len(results(tmp_path))  # made, and made again by replay

    def test_a_server_that_fails_now_and_then_is_asked_again(self, cli: Command, tmp_path: Path):
        turns = iter(range(10**6))
        with shop(lambda call: (503, b"") if next(turns) % 3 == 0 else stock_of(call)) as (url, _):
            ran = run(cli, tmp_path, f"{{http: '{url}'}}", rows=3)
        assert ran.code == 0, ran.err
        assert len(results(tmp_path)) >= 3

    def test_a_server_that_is_not_there_makes_no_rows(self, cli: Command, tmp_path: Path):
        with shop(stock_of) as (url, _):
            pass
        ran = run(cli, tmp_path, f"{{http: '{url}', attempts: 1}}", rows=1)
        assert ran.code == 2
        assert "the backend of 'get_stock' never answers: Tool server cannot be reached" in ran.err
        assert "Traceback" not in ran.err


SERVER = """
from mcp.server.fastmcp import FastMCP
server = FastMCP("stock")
taken = 0

@server.tool()
def get_stock(product: str) -> dict:
    "How many there are; each look takes one."
    global taken
    taken += 1
    return {"in_stock": %s - taken}

server.run()
"""

HANGS = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        given = asked["params"]["protocolVersion"]
        answer = {"protocolVersion": given, "capabilities": {"tools": {}}, "serverInfo": {"name": "stock", "version": "1"}}
    elif asked.get("method") == "tools/list":
        schema = {"type": "object", "properties": {"product": {"type": "string"}}, "required": ["product"]}
        answer = {"tools": [{"name": "get_stock", "description": "How many there are.", "inputSchema": schema}]}
    elif "id" in asked:
        time.sleep(600)
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""
"""A server that is started again and again, so it imports nothing that is large."""
ANSWERS = """
        said = FAILED if asked["params"]["arguments"]["product"] == "lamp" else {"in_stock": 4}
        text = said if isinstance(said, str) else json.dumps(said)
        known = {"result": said} if isinstance(said, str) else said
        answer = {"content": [{"type": "text", "text": text}], "structuredContent": known}
"""
"""What it answers in place of hanging: an error that is not marked, of one of the products."""


class TestMcp:
    @pytest.fixture(autouse=True)
    def _extra(self):
        pytest.importorskip("mcp", reason="the package mcp is not installed")

    def test_each_conversation_is_answered_by_a_fresh_server(self, cli: Command, tmp_path: Path):
        (tmp_path / "server.py").write_text(SERVER.replace("%s", f"{STOCK}[product] + 10"))
        ran = run(cli, tmp_path, f"{{mcp: {{command: [python, '{tmp_path / 'server.py'}']}}}}", rows=2)
        assert ran.code == 0, ran.err
        for line in (tmp_path / "out/openai.jsonl").read_text().splitlines():
            messages = json.loads(line)["messages"]
            products = [
                json.loads(call["function"]["arguments"])["product"]
                for message in messages
                for call in message.get("tool_calls", ())
            ]
            told = [json.loads(message["content"])["in_stock"] for message in messages if message["role"] == "tool"]
            assert told == [STOCK[product] + 9 - turn for turn, product in enumerate(products)]

    @pytest.mark.parametrize(
        "failed",
        [
            "Error: Product 653 not found.",
            {"success": False, "message": "Product 653 not found."},
            json.dumps({"success": False, "message": "Product 653 not found."}),
        ],
    )
    def test_no_row_tells_an_error_that_the_server_does_not_mark_as_success(
        self, cli: Command, tmp_path: Path, failed: object
    ):
        (tmp_path / "server.py").write_text(HANGS.replace("time.sleep(600)", ANSWERS.replace("FAILED", repr(failed))))
        backend = f"{{mcp: {{command: [python, '{tmp_path / 'server.py'}']}}, session: run}}"
        ran = run(cli, tmp_path, backend, rows=8)
        assert ran.code == 0, ran.err
        told = results(tmp_path)
        assert {product for product, _ in told} == {"chair", "desk"}
        assert {content for _, content in told} == {'{"in_stock": 4}'}

    def test_a_server_with_a_state_that_is_kept_is_found_by_replay(self, cli: Command, tmp_path: Path):
        (tmp_path / "server.py").write_text(SERVER.replace("%s", "1000"))
        ran = run(cli, tmp_path, f"{{mcp: {{command: [python, '{tmp_path / 'server.py'}']}}, session: run}}", rows=1)
        assert ran.code != 0
        assert "RP101" in ran.err + ran.out

    def test_a_server_that_hangs_at_each_call_ends_the_run_with_one_message(self, cli: Command, tmp_path: Path):
        (tmp_path / "server.py").write_text(HANGS)
        backend = f"{{mcp: {{command: [python, '{tmp_path / 'server.py'}']}}, seconds: 0.2}}"
        ran = run(cli, tmp_path, backend, rows=4)
        told = [line for line in ran.err.splitlines() if "never answers" in line]
        assert (ran.code, len(told)) == (2, 1), ran.err
        assert "the backend of 'get_stock' never answers: Tool execution timed out (5 times in a row)" in told[0]

    def test_a_server_without_the_tool_is_told(self, cli: Command, tmp_path: Path):
        (tmp_path / "server.py").write_text(SERVER.replace("%s", "1").replace("def get_stock", "def get_stocks"))
        ran = run(cli, tmp_path, f"{{mcp: {{command: [python, '{tmp_path / 'server.py'}']}}}}")
        assert (ran.code, "it has no tool 'get_stock' (did you mean \"get_stocks\"?)" in ran.err) == (2, True)
