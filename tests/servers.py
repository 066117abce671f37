"""Parsers of real servers, each as two functions: `sglang_hermes(text, tools)` and `sglang_hermes_stream(pieces, tools)`.

For tests, and for the commands in docs/findings.md: `--parser tests/servers.py:sglang_hermes`. The packages are
installed without what they depend on, so their files are imported past their packages' own `__init__`.
"""

import importlib
import importlib.metadata
import importlib.util
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from generator.formats.wire.format import wire_format

Result = dict[str, Any]

SGLANG = {
    "apertus2509": ("apertus2509_detector", "Apertus2509Detector"),
    "cohere_command4": ("cohere_command4_detector", "CohereCommand4Detector"),
    "deepseekv3": ("deepseekv3_detector", "DeepSeekV3Detector"),
    "deepseekv31": ("deepseekv31_detector", "DeepSeekV31Detector"),
    "deepseekv32": ("deepseekv32_detector", "DeepSeekV32Detector"),
    "deepseekv4": ("deepseekv4_detector", "DeepSeekV4Detector"),
    "deepseekv41": ("deepseekv41_detector", "DeepSeekV41Detector"),
    "dots": ("dots_detector", "DotsToolDetector"),
    "gemma4": ("gemma4_detector", "Gemma4Detector"),
    "gigachat3": ("gigachat3_detector", "GigaChat3Detector"),
    "gigachat35": ("gigachat35_detector", "GigaChat35Detector"),
    "glm45": ("glm4_moe_detector", "Glm4MoeDetector"),
    "glm47": ("glm47_moe_detector", "Glm47MoeDetector"),
    "gpt_oss": ("gpt_oss_detector", "GptOssDetector"),
    "hermes": ("hermes_detector", "HermesDetector"),
    "hunyuan": ("hunyuan_detector", "HunyuanDetector"),
    "hunyuan_preview": ("hunyuan_detector", "HunyuanDetector"),
    "inkling": ("inkling_detector", "InklingDetector"),
    "interns1": ("internlm_detector", "InternlmDetector"),
    "iquest_q1": ("iquest_q1_detector", "IQuestQ1Detector"),
    "k2_horizon": ("k2_v3_detector", "K2V3Detector"),
    "kimi_k2": ("kimik2_detector", "KimiK2Detector"),
    "kimi_k3": ("kimik3_detector", "KimiK3Detector"),
    "lfm2": ("lfm2_detector", "Lfm2Detector"),
    "ling3": ("ling3_detector", "Ling3Detector"),
    "llama3": ("llama32_detector", "Llama32Detector"),
    "mimo": ("mimo_detector", "MiMoDetector"),
    "minicpm5": ("minicpm5_detector", "MiniCPM5Detector"),
    "minimax_m2": ("minimax_m2", "MinimaxM2Detector"),
    "minimax_m3": ("minimax_m3", "MinimaxM3Detector"),
    "mistral": ("mistral_detector", "MistralDetector"),
    "muse": ("muse_glimmer_detector", "MuseGlimmerDetector"),
    "poolside_v1": ("poolside_v1_detector", "PoolsideV1Detector"),
    "pythonic": ("pythonic_detector", "PythonicDetector"),
    "qwen25": ("qwen25_detector", "Qwen25Detector"),
    "qwen3_coder": ("qwen3_coder_detector", "Qwen3CoderDetector"),
    "spark25": ("spark25_detector", "Spark25Detector"),
    "step3": ("step3_detector", "Step3Detector"),
    "trinity": ("trinity_detector", "TrinityDetector"),
}
"""SGLang's names of its parsers → (module, class)."""

MLX = {
    "json_tools": ("<tool_call>", "</tool_call>"),
    "qwen3_coder": ("<tool_call>", "</tool_call>"),
    "glm47": ("<tool_call>", "</tool_call>"),
    "kimi_k2": ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    "mistral": ("[TOOL_CALLS]", ""),
    "pythonic": ("<|tool_call_start|>", "<|tool_call_end|>"),
    "minimax_m2": ("<minimax:tool_call>", "</minimax:tool_call>"),
    "longcat": ("<longcat_tool_call>", "</longcat_tool_call>"),
    "gemma4": ("<|tool_call>", "<tool_call|>"),
    "function_gemma": ("<start_function_call>", "<end_function_call>"),
}
"""mlx-lm's parsers → the markers between which its server hands text on."""

READERS = {
    "hermes": ("sglang_hermes", "sglang_qwen25", "mlx_json_tools"),
    "qwen": ("sglang_qwen25", "sglang_hermes", "mlx_json_tools"),
    "granite": ("sglang_qwen25", "sglang_hermes", "mlx_json_tools"),
    "longcat": ("mlx_longcat",),
    "ernie45": ("sglang_qwen25", "sglang_hermes", "mlx_json_tools"),
    "internlm2": ("agent_tool_parser",),
    "intern_s1_spaced": ("sglang_interns1",),
    "jamba": ("agent_tool_parser",),
    "hunyuan_a13b": ("agent_tool_parser",),
    "phi4_mini": ("agent_tool_parser",),
    "xlam2": ("agent_tool_parser",),
    "llama3_json": ("sglang_llama3",),
    "mistral_text-v3": ("sglang_mistral", "agent_tool_parser"),
    "mistral_text-v7-tekken": ("agent_tool_parser",),
    "mistral_text": ("sglang_mistral", "mlx_mistral"),
    "command_r7b": ("sglang_cohere_command4",),
    "apertus": ("sglang_apertus2509",),
    "deepseek_v3": ("sglang_deepseekv3",),
    "deepseek_v31": ("sglang_deepseekv31",),
    "deepseek_v32": ("sglang_deepseekv32",),
    "deepseek_v4": ("sglang_deepseekv4",),
    "kimi_k2": ("sglang_kimi_k2", "mlx_kimi_k2"),
    "kimi_k3": ("sglang_kimi_k3",),
    "harmony": ("openai_harmony",),
    "harmony_template": ("openai_harmony",),
    "llama_pythonic": ("sglang_pythonic",),
    "llama4_pythonic": ("sglang_pythonic",),
    "lfm2": ("sglang_lfm2", "mlx_pythonic"),
    "lfm25": ("sglang_lfm2", "mlx_pythonic"),
    "qwen3_coder": ("sglang_qwen3_coder", "mlx_qwen3_coder"),
    "qwen3_coder_next": ("sglang_qwen3_coder", "mlx_qwen3_coder"),
    "qwen35": ("sglang_qwen3_coder", "mlx_qwen3_coder"),
    "mimo": ("sglang_mimo",),
    "glm45": ("sglang_glm45", "mlx_glm47"),
    "glm47": ("sglang_glm47", "mlx_glm47"),
    "hunyuan_v3": ("sglang_hunyuan",),
    "hunyuan_v3_preview": ("sglang_hunyuan_preview",),
    "longcat2": ("mlx_longcat",),
    "minimax_m2": ("sglang_minimax_m2", "mlx_minimax_m2"),
    "minimax_m3": ("sglang_minimax_m3",),
    "step3": ("sglang_step3",),
    "dots": ("sglang_dots",),
    "minicpm5": ("sglang_minicpm5",),
    "gemma4": ("sglang_gemma4", "mlx_gemma4"),
    "functiongemma": ("mlx_function_gemma",),
    "trinity": ("sglang_trinity", "mlx_json_tools"),
    "gigachat3": ("sglang_gigachat3",),
    "gigachat31": ("sglang_gigachat3",),
    "k2_horizon_json": ("sglang_k2_horizon",),
    "inkling": ("sglang_inkling",),
    "apriel": ("agent_tool_parser",),
    "firefunction_v2": ("agent_tool_parser",),
    "deepseek_v41": ("sglang_deepseekv41",),
    "gigachat35": ("sglang_gigachat35",),
    "trinity_thinking": ("sglang_qwen3_coder", "mlx_qwen3_coder"),
    "step35": ("sglang_qwen3_coder", "mlx_qwen3_coder"),
    "poolside_v1": ("sglang_poolside_v1", "mlx_glm47"),
    "poolside_v1_s": ("sglang_poolside_v1", "mlx_glm47"),
    "spark25": ("sglang_spark25", "mlx_glm47"),
    "ling3": ("sglang_ling3", "mlx_glm47"),
    "iquest_q1": ("sglang_iquest_q1",),
    "k2_horizon": ("sglang_k2_horizon",),
    "muse": ("sglang_muse",),
}
"""Wire formats → parsers that read them. What no parser here reads is shown right by a chat template instead."""


def _folder(distribution: str, inside: str) -> Path:
    return Path(str(importlib.metadata.distribution(distribution).locate_file(inside)))


@cache
def _sglang_module(name: str) -> Any:
    root = _folder("llm-router-utils", "llm_router_utils")
    for parts in ((), ("sglang",), ("sglang", "srt"), ("sglang", "srt", "function_call")):
        package = ".".join(("llm_router_utils", *parts))
        if package not in sys.modules:
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = [str(root.joinpath(*parts))]
    return importlib.import_module(f"llm_router_utils.sglang.srt.{name}")


def _sglang_tools(tools: list[dict[str, Any]]) -> list[Any]:
    protocol = _sglang_module("entrypoints.openai.protocol")
    return [protocol.Tool.model_validate(tool) for tool in tools]


def _detector(name: str) -> Any:
    module, cls = SGLANG[name]
    _sglang_module("entrypoints.openai.protocol")
    made = getattr(_sglang_module(f"function_call.{module}"), cls)
    return made(_HunyuanTokens()) if name == "hunyuan" else made()


class _HunyuanTokens:
    """The vocabulary of Hy3's tokenizer, as far as the detector asks for it."""

    def get_vocab(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(wire_format("hunyuan_v3").special)}


def _sglang(name: str) -> Callable[[str, Any], Result]:
    """As SGLang's server does it: text without calls is content as it is."""
    _detector(name)  # imported now, so that its time is not that of the first text

    def parse(text: str, tools: list[dict[str, Any]]) -> Result:
        detector = _detector(name)
        if not detector.has_tool_call(text):
            return {"content": text, "tool_calls": []}
        found = detector.detect_and_parse(text, _sglang_tools(tools))
        return {"content": found.normal_text, "tool_calls": [(call.name, call.parameters) for call in found.calls]}

    return parse


def _sglang_stream(name: str) -> Callable[[Any, Any], Iterator[Result]]:
    """The deltas that SGLang's server sends, as they come."""
    _detector(name)

    def parse(pieces: list[str], tools: list[dict[str, Any]]) -> Iterator[Result]:
        detector = _detector(name)
        offered = _sglang_tools(tools)
        for piece in itertools.chain(pieces, [None]):
            found = detector.finish(offered) if piece is None else detector.parse_streaming_increment(piece, offered)
            if found.normal_text:
                yield {"content": found.normal_text}
            for call in found.calls:
                yield _sglang_delta(call.tool_index, call.name, call.parameters)
        last = _rest(detector)
        if last is not None:
            yield _sglang_delta(last[0], None, last[1])

    return parse


def _sglang_delta(index: int, name: str | None, arguments: str | None) -> Result:
    return {"tool_calls": [{"index": index, "name": name, "arguments": arguments or ""}]}


def _rest(detector: Any) -> tuple[int, str] | None:
    """As the server does at the end of a stream: what of the last call's arguments was not sent is sent now."""
    known = getattr(detector, "prev_tool_call_arr", None)
    sent = getattr(detector, "streamed_args_for_tool", None)
    if not known or not sent:
        return None
    last = len(known) - 1
    found = known[last].get("arguments", {})
    arguments = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    already = sent[last] if last < len(sent) else ""
    rest = arguments.replace(already, "", 1) if already in arguments else ""
    return (last, rest) if rest and rest != arguments else None


@cache
def _mlx_module(name: str) -> Callable[..., Any]:
    path = _folder("mlx-lm", "mlx_lm/tool_parsers") / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"mlx_parser_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.parse_tool_call  # type: ignore[no-any-return]


def _mlx(name: str) -> Callable[[str, Any], Result]:
    """As mlx-lm's server does it: what stands between the two markers is handed to the parser."""
    start, end = MLX[name]
    _mlx_module(name)

    def parse(text: str, tools: list[dict[str, Any]]) -> Result:
        content, *pieces = text.split(start)
        calls: list[Any] = []
        for piece in pieces:
            made = _mlx_module(name)(piece.partition(end)[0] if end else piece, tools)
            calls += made if isinstance(made, list) else [made]
        return {"content": content, "tool_calls": [(call["name"], call["arguments"]) for call in calls]}

    return parse


def _harmony_parse(text: str, tools: list[dict[str, Any]]) -> Result:
    """The library that gpt-oss was published with, over its own tokens."""
    encoding = _harmony_encoding()
    module = importlib.import_module("openai_harmony")
    tokens = encoding.encode(text, allowed_special="all")
    messages = encoding.parse_messages_from_completion_tokens(tokens, module.Role.ASSISTANT)
    calls = [m for m in messages if (m.recipient or "").startswith("functions.")]
    thought = [m for m in messages if m.channel == "analysis" and m not in calls]
    said = [m for m in messages if m not in calls and m not in thought]
    content, reasoning = ("".join(part.text for m in group for part in m.content) for group in (said, thought))
    told = [(m.recipient.removeprefix("functions."), "".join(part.text for part in m.content)) for m in calls]
    return {"content": content, "reasoning": reasoning, "tool_calls": told}


def _agent_tool_parser(text: str, tools: list[dict[str, Any]]) -> Result:
    """A library that finds calls in six formats by itself."""
    found = importlib.import_module("agent_tool_parser").try_parse_tool_calls(text)
    return {"content": None, "tool_calls": [(call.name, call.args) for call in found]}


@cache
def _harmony_encoding() -> Any:
    """The encoding; its vocabulary is the file that litellm ships under the name of a cache entry."""
    import os
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp())
    source = _folder("litellm", "litellm/litellm_core_utils/tokenizers") / "fb374d419588a4632f3f557e76b4b70aebbca790"
    shutil.copy(source, folder / "o200k_base.tiktoken")
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(folder)
    module = importlib.import_module("openai_harmony")
    return module.load_harmony_encoding(module.HarmonyEncodingName.HARMONY_GPT_OSS)


def __getattr__(name: str) -> Any:
    """`sglang_NAME`, `sglang_NAME_stream`, `mlx_NAME`, `openai_harmony`, `agent_tool_parser`."""
    kind, _, parser = name.partition("_")
    if name == "openai_harmony":
        _harmony_encoding()  # loaded now, so that its time is not that of the first text
        return _harmony_parse
    if name == "agent_tool_parser":
        importlib.import_module("agent_tool_parser")
        return _agent_tool_parser
    if kind == "mlx" and parser in MLX:
        return _mlx(parser)
    if kind == "sglang" and parser in SGLANG:
        return _sglang(parser)
    if kind == "sglang" and parser.removesuffix("_stream") in SGLANG:
        return _sglang_stream(parser.removesuffix("_stream"))
    raise AttributeError(name)
