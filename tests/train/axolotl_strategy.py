"""Axolotl's strategy for `chat_template`, without the rest of Axolotl."""

from typing import Any

from consumers import part_of

MISSING = (
    "axolotl.utils.chat_templates", "axolotl.utils.logging", "axolotl.utils.schemas.datasets", "addict", "colorama",
    "axolotl.utils.distributed",
)  # fmt: skip


def strategy(tokenizer: Any) -> Any:
    """As `type: chat_template` with `message_field_training: training` makes it."""
    module = part_of("axolotl", "axolotl.prompt_strategies.chat_template", *MISSING)
    template = tokenizer.chat_template
    prompter = module.ChatTemplatePrompter(
        tokenizer, template, max_length=10**6, message_field_training="training", field_tools="tools",
        message_property_mappings={"role": "role", "content": "content"},
    )  # fmt: skip
    return module.ChatTemplateStrategy(
        prompter,
        tokenizer=tokenizer,
        train_on_inputs=False,
        sequence_len=10**6,
        roles_to_train=["assistant"],
        train_on_eos="turn",
    )
