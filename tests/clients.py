"""Real clients and readers of JSON: `openai_stream(url, tools)` asks the server at that URL as it would ask its provider.

For tests, and for the commands in docs/client-findings.md: `--parser tests/clients.py:openai_stream`.
"""

import json
import os
from functools import cache
from typing import Any

Result = dict[str, Any]
_ASK = [{"role": "user", "content": "Go."}]


@cache
def _http() -> Any:
    """A client of HTTP that goes through no proxy."""
    import httpx

    return httpx.Client(trust_env=False, timeout=20)


@cache
def _newer_http() -> Any:
    """The same, from the package that Anthropic's SDK takes."""
    import httpx2

    return httpx2.Client(trust_env=False, timeout=20)


def _usage(given: Any, made: Any) -> dict[str, Any]:
    return {"input_tokens": given, "output_tokens": made}


# ---------------------------------------------------------------------------------------------------- OpenAI's own SDK


@cache
def _openai() -> Any:
    from openai import OpenAI

    return OpenAI(api_key="x", max_retries=0, http_client=_http(), base_url="http://127.0.0.1:9")


def openai_stream(url: str, tools: Any) -> Result:
    """The SDK's `chat.completions.stream`, which puts an answer together."""
    client = _openai().with_options(base_url=url)
    with client.chat.completions.stream(model="m", messages=_ASK, stream_options={"include_usage": True}) as stream:
        for _ in stream:
            pass
        return _completion(stream.get_final_completion())


def _completion(made: Any) -> Result:
    choice = made.choices[0]
    told = {
        "content": choice.message.content,
        "tool_calls": [
            {"name": call.function.name, "arguments": call.function.arguments}
            for call in choice.message.tool_calls or ()
        ],
        "finish_reason": choice.finish_reason,
    }
    return told | ({"usage": _usage(made.usage.prompt_tokens, made.usage.completion_tokens)} if made.usage else {})


def openai_chunks(url: str, tools: Any) -> Result:
    """The SDK's chunks, put together by `generator.world.backends.states`."""
    from generator.world.backends.states import assemble

    client = _openai().with_options(base_url=url)
    stream = client.chat.completions.create(
        model="m", messages=_ASK, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk.model_dump() for chunk in stream]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    usages = [chunk["usage"] for chunk in chunks if chunk.get("usage")]
    reasons = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
    return {
        "content": "".join([choice["delta"].get("content") or "" for choice in choices]),
        "tool_calls": [{"name": call.name, "arguments": call.arguments} for call in assemble(chunks)],
        "finish_reason": reasons[-1] if reasons else None,
        "usage": _usage(usages[-1]["prompt_tokens"], usages[-1]["completion_tokens"]) if usages else None,
    }


def openai_responses(url: str, tools: Any) -> Result:
    """The SDK's `responses.stream`."""
    client = _openai().with_options(base_url=url)
    with client.responses.stream(model="m", input="Go.") as stream:
        made = stream.get_final_response()
    calls = [{"name": item.name, "arguments": item.arguments} for item in made.output if item.type == "function_call"]
    usage = _usage(made.usage.input_tokens, made.usage.output_tokens) if made.usage else None
    return {"content": made.output_text, "tool_calls": calls, "finish_reason": made.status, "usage": usage}


# ----------------------------------------------------------------------------------------------------- other providers


@cache
def _anthropic() -> Any:
    from anthropic import Anthropic

    return Anthropic(api_key="x", max_retries=0, http_client=_newer_http(), base_url="http://127.0.0.1:9")


def anthropic_stream(url: str, tools: Any) -> Result:
    """Anthropic's SDK: `messages.stream`."""
    client = _anthropic().with_options(base_url=url)
    with client.messages.stream(model="m", max_tokens=99, messages=_ASK) as stream:
        made = stream.get_final_message()
    return {
        "content": "".join([block.text for block in made.content if block.type == "text"]),
        "tool_calls": [
            {"name": block.name, "arguments": block.input} for block in made.content if block.type == "tool_use"
        ],
        "finish_reason": made.stop_reason,
        "usage": _usage(made.usage.input_tokens, made.usage.output_tokens),
    }


def genai_stream(url: str, tools: Any) -> Result:
    """Google's SDK: `models.generate_content_stream`."""
    from google import genai

    options = {"base_url": url, "httpx_client": _http(), "retry_options": {"attempts": 1}}
    client = genai.Client(api_key="x", vertexai=False, http_options=options)
    content, calls, reason, usage = "", [], None, None
    for chunk in client.models.generate_content_stream(model="m", contents="Go."):
        usage = chunk.usage_metadata or usage
        for candidate in chunk.candidates or ():
            reason = candidate.finish_reason.value if candidate.finish_reason else reason
            for part in (candidate.content.parts if candidate.content else None) or ():
                content += "" if part.thought else part.text or ""
                if part.function_call:
                    calls.append({"name": part.function_call.name, "arguments": part.function_call.args or {}})
    told = _usage(usage.prompt_token_count, usage.candidates_token_count) if usage else None
    return {"content": content, "tool_calls": calls, "finish_reason": reason, "usage": told}


# ------------------------------------------------------------------------------------------------------------ litellm


def litellm_chat(url: str, tools: Any) -> Result:
    """litellm, of OpenAI's chat completions."""
    return _litellm("openai/m", url)


def litellm_anthropic(url: str, tools: Any) -> Result:
    """litellm, of Anthropic's messages."""
    return _litellm("anthropic/m", url, {"tool_calls": "tool_use", "stop": "end_turn"})


def litellm_gemini(url: str, tools: Any) -> Result:
    """litellm, of Gemini."""
    return _litellm("gemini/m", url, {"tool_calls": "STOP", "stop": "STOP"})


def _litellm(model: str, url: str, reasons: dict[str, str] | None = None) -> Result:
    """litellm tells OpenAI's reasons, whatever the provider; `reasons` are those that they stand for."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it would fetch one
    import litellm

    litellm.suppress_debug_info = True
    stream = litellm.completion(
        model=model,
        messages=_ASK,
        api_base=url,
        api_key="x",
        stream=True,
        stream_options={"include_usage": True},
        num_retries=0,
        max_retries=0,
    )
    made = litellm.stream_chunk_builder(list(stream), messages=_ASK)
    choice = made.choices[0]
    calls = [{"name": c.function.name, "arguments": c.function.arguments} for c in choice.message.tool_calls or ()]
    return {
        "content": choice.message.content,
        "tool_calls": calls,
        "finish_reason": (reasons or {}).get(choice.finish_reason, choice.finish_reason),
    }


# ------------------------------------------------------------------------------------------------------ JSON so far


def jiter_partial(text: str, tools: Any) -> Result:
    """jiter, which OpenAI's and Anthropic's SDKs read arguments with; open texts are left out."""
    import jiter

    return {"value": jiter.from_json(text.encode(), partial_mode=True)}


def jiter_trailing(text: str, tools: Any) -> Result:
    """jiter, which keeps open texts."""
    import jiter

    return {"value": jiter.from_json(text.encode(), partial_mode="trailing-strings")}


def pydantic_partial(text: str, tools: Any) -> Result:
    """pydantic's reader of JSON."""
    import pydantic_core

    return {"value": pydantic_core.from_json(text, allow_partial="trailing-strings")}


def partial_json_parser(text: str, tools: Any) -> Result:
    """partial-json-parser, which servers use."""
    import partial_json_parser as package

    return {"value": package.loads(text)}


def standard_library(text: str, tools: Any) -> Result:
    """Python's own reader, which reads whole texts only."""
    return {"value": json.loads(text)}


# --------------------------------------------------- clients that are not installed here; docs/client-findings.md


def langchain_openai(url: str, tools: Any) -> Result:
    """LangChain's ChatOpenAI, whose chunks are added up."""
    from langchain_openai import ChatOpenAI

    return _langchain(ChatOpenAI(model="m", base_url=url, api_key="x", max_retries=0, stream_usage=True))


def langchain_anthropic(url: str, tools: Any) -> Result:
    """LangChain's ChatAnthropic."""
    from langchain_anthropic import ChatAnthropic

    return _langchain(ChatAnthropic(model="m", base_url=url, api_key="x", max_retries=0))


def _langchain(model: Any) -> Result:
    chunks = list(model.stream("Go."))
    made = chunks[0]
    for chunk in chunks[1:]:
        made += chunk
    text = made.text if isinstance(made.text, str) else made.text()
    calls = [{"name": call["name"], "arguments": call["args"]} for call in made.tool_calls]
    calls += [{"name": call["name"], "arguments": call["args"] or ""} for call in made.invalid_tool_calls]
    reason = made.response_metadata.get("finish_reason", made.response_metadata.get("stop_reason"))
    told = made.usage_metadata
    usage = {"usage": _usage(told["input_tokens"], told["output_tokens"])} if told else {}
    return {"content": text, "tool_calls": calls, "finish_reason": reason, **usage}


def pydantic_ai_openai(url: str, tools: Any) -> Result:
    """PydanticAI's OpenAIChatModel."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=url, api_key="x", max_retries=0)
    return _pydantic_ai(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)))


def pydantic_ai_anthropic(url: str, tools: Any) -> Result:
    """PydanticAI's AnthropicModel."""
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=url, api_key="x", max_retries=0)
    return _pydantic_ai(AnthropicModel("m", provider=AnthropicProvider(anthropic_client=client)))


def _pydantic_ai(model: Any) -> Result:
    import asyncio

    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelRequest

    async def ask() -> Any:
        async with model_request_stream(model, [ModelRequest.user_text_prompt("Go.")]) as stream:
            async for _ in stream:
                pass
            return stream.get()

    made = asyncio.run(ask())
    calls = [{"name": p.tool_name, "arguments": p.args or "{}"} for p in made.parts if p.part_kind == "tool-call"]
    text = "".join([part.content for part in made.parts if part.part_kind == "text"])
    return {
        "content": text,
        "tool_calls": calls,
        "usage": _usage(made.usage.input_tokens, made.usage.output_tokens),
    }


def langchain_partial(text: str, tools: Any) -> Result:
    """LangChain's reader of JSON so far; it tells None where there is nothing."""
    from langchain_core.utils.json import parse_partial_json

    made = parse_partial_json(text)
    return {} if made is None else {"value": made}


def json_repair(text: str, tools: Any) -> Result:
    """json-repair, told that the text is a stream."""
    import json_repair as package

    return {"value": package.loads(text, stream_stable=True)}


def langchain_answer(text: str, tools: Any) -> Result:
    """LangChain's reader of answers in JSON."""
    from langchain_core.utils.json import parse_json_markdown

    return {"value": parse_json_markdown(text)}


def json_repair_answer(text: str, tools: Any) -> Result:
    """json-repair, of answers in JSON."""
    import json_repair as package

    return {"value": package.loads(text)}


def instructor_answer(text: str, tools: Any) -> Result:
    """instructor's reader of answers in JSON."""
    from instructor.utils import extract_json_from_codeblock

    return {"value": json.loads(extract_json_from_codeblock(text))}


def instructor_partial(url: str, tools: Any) -> Result:
    """instructor's partial objects of a stream, of OpenAI's chat completions."""
    import instructor

    return _partial(instructor.from_openai(_openai().with_options(base_url=url)), tools)


def instructor_partial_anthropic(url: str, tools: Any) -> Result:
    """The same, of Anthropic's messages."""
    import instructor

    return _partial(instructor.from_anthropic(_anthropic().with_options(base_url=url)), tools)


def _partial(client: Any, tools: Any) -> Result:
    """The last object is the answer. instructor tells neither names nor words, so it is asked for the first tool's object."""
    model = _model_of(tools[0])
    asked = {"model": "m", "messages": _ASK, "max_retries": 0, "max_tokens": 99}
    parts = list(client.chat.completions.create_partial(response_model=model, **asked))
    arguments = [part.model_dump(exclude_unset=True) for part in parts[-1:]]
    return {"tool_calls": [{"name": model.__name__, "arguments": told} for told in arguments]}


def instructor_iterable(url: str, tools: Any) -> Result:
    """instructor's objects of a stream, which are those of the first list in it: that of the case `list_of_objects`."""
    import instructor
    from pydantic import ConfigDict, create_model

    client = instructor.from_openai(_openai().with_options(base_url=url))
    item: Any = create_model("item", __config__=ConfigDict(extra="allow"))
    items = client.chat.completions.create_iterable(response_model=item, model="m", messages=_ASK, max_retries=0)
    listed = [item.model_dump() for item in items]
    return {"tool_calls": [{"name": tools[0]["function"]["name"], "arguments": {"filter": {"all": listed}}}]}


def _model_of(tool: Any) -> Any:
    """A model that takes all arguments of a tool as they come."""
    from pydantic import ConfigDict, create_model

    function = tool["function"]
    fields: Any = dict.fromkeys(function.get("parameters", {}).get("properties", {}), (Any, None))
    return create_model(function["name"], __config__=ConfigDict(extra="allow"), **fields)
