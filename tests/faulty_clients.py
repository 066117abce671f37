"""Clients of OpenAI's chat completions, one right and the others with one fault each."""

import codecs
import json
import re
from urllib.request import ProxyHandler, build_opener

from generator.world.backends.states import assemble


def _pieces(url):
    """The pieces of the body as they come."""
    with build_opener(ProxyHandler({})).open(f"{url}/chat/completions", b"{}", timeout=20) as answer:
        while piece := answer.read1(65536):
            yield piece


def _data(lines):
    """The data of events."""
    parts = []
    for line in lines:
        if not line and parts:
            yield "\n".join(parts)
            parts = []
        field, _, value = line.partition(":")
        if field == "data":
            parts.append(value.removeprefix(" "))


def _answer(texts, **faults):
    chunks, content, finish, usage = [], "", None, None
    for text in texts:
        if text == "[DONE]":
            break
        chunk = json.loads(text)
        if "error" in chunk:
            if faults.get("error_is_the_end"):
                break
            raise RuntimeError(chunk["error"]["message"])
        if faults.get("first_choice_always"):
            finish = chunk["choices"][0]["finish_reason"] or finish
        chunks.append(chunk)
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            content += choice["delta"].get("content") or ""
            finish = choice["finish_reason"] or finish
    calls = (
        _by_arrival(chunks) if faults.get("by_arrival") else [(call.name, call.arguments) for call in assemble(chunks)]
    )
    told = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]} if usage else None
    found = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {"content": content, "tool_calls": found, "finish_reason": finish, "usage": told}


def _by_arrival(chunks):
    calls = []
    for call in [call for c in chunks for choice in c["choices"] for call in choice["delta"].get("tool_calls") or ()]:
        if call["function"].get("name"):
            calls.append([call["function"]["name"], ""])
        calls[-1][1] += call["function"].get("arguments") or ""
    return calls


def _text(url):
    return b"".join(_pieces(url)).decode().removeprefix("\ufeff")


def _lines(text):
    return re.split("\r\n|\r|\n", text)


def right(url, tools):
    return _answer(_data(_lines(_text(url))))


def splits_lines_anywhere(url, tools):
    return _answer(_data(_text(url).splitlines()))


def wants_a_space(url, tools):
    return _answer([line[6:] for line in _lines(_text(url)) if line.startswith("data: ")])


def one_data_line(url, tools):
    return _answer([line[5:].strip() for line in _lines(_text(url)) if line.startswith("data:")])


def chokes_on_comments(url, tools):
    blocks = [block for block in re.split("(?:\r\n|\r|\n){2}", _text(url)) if block]
    return _answer([block.removeprefix("data:").strip() for block in blocks])


def decodes_each_piece(url, tools):
    return _answer(_data(_lines("".join([codecs.decode(piece, "utf-8", "ignore") for piece in _pieces(url)]))))


def first_choice_always(url, tools):
    return _answer(_data(_lines(_text(url))), first_choice_always=True)


def by_arrival(url, tools):
    return _answer(_data(_lines(_text(url))), by_arrival=True)


def error_is_the_end(url, tools):
    return _answer(_data(_lines(_text(url))), error_is_the_end=True)
