"""Rewards: how right is what a model said? Pure functions, for training and for scoring.

`answer` is the `answer` of a record of the format `eval` (or its JSON text). A completion is a text as a chat template
writes it, a message as OpenAI's API returns it, a list of messages (the last of the assistant counts), or a list of calls. What a
model thinks first (`<think>…</think>`, or all up to a lone `</think>`) is not said; thoughts that do not end say nothing.

With TRL: `GRPOTrainer(reward_funcs=call_rewards, ...)` and a data set with the columns `prompt`, in which the tools stand, and
`answer`. With verifiers: a reward of a task. docs/fine-tuning.md has the lines for both.
"""

from collections.abc import Sequence
from typing import Any

from generator.episodes.rewards.matching import Match, match
from generator.episodes.rewards.reading import read_answer, read_completion

__all__ = ["Match", "call_reward", "call_rewards", "judge"]


def call_reward(completion: Any, answer: Any, **other: Any) -> float:
    """Return how right a completion is, from 0 to 1.

    - where the answer has no calls: 1 for a completion without calls, else 0
    - otherwise the mean over the calls, those that are right and those that were made beyond them: 1 for a call whose name
      and arguments are right; for one with the right name only, 0.2 and up to 0.6 more by the share of its arguments that
      are right, of all that either call has; 0 for any other
    - 0 for a completion in which calls are begun that cannot be read

    Args:
        completion: What the model said (see above).
        answer: What is right (see above).
        other: `format`, the name of the text format to read calls in (`qwen`); without it all of them are tried, which
            takes a millisecond or two.
            Everything else is passed over: libraries give more.

    Raises:
        FormatError: when the answer is none, there is no such text format, or the completion has the shape of another API
            (Anthropic's, Gemini's, OpenAI's Responses) or none that is known.
    """
    return judge(completion, answer, other.get("format")).reward


def call_rewards(completions: Sequence[Any], answer: Sequence[Any], **other: Any) -> list[float]:
    """Return the `call_reward` of each completion, as TRL's GRPO asks for it: columns of the data set are lists."""
    name = other.get("format")
    name = name if isinstance(name, str) else None
    return [call_reward(said, right, format=name) for said, right in zip(completions, answer, strict=True)]


def judge(completion: Any, answer: Any, text_format: str | None = None) -> Match:
    """Return what is right and what is wrong in a completion; `call_reward` says what may be given, and what it raises."""
    right = read_answer(answer)
    return match(read_completion(completion, right, text_format), right)
