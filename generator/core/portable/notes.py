"""What is worth knowing of a prompt that is not wrong."""

import struct
from collections.abc import Iterator

from generator.core.portable.models import PortablePrompt, image_bytes
from generator.core.portable.render import placeholders

_ICON = (256, 256)
"""Pixels of an icon, as the format recommends."""


def notes_on(prompt: PortablePrompt) -> Iterator[str]:
    """Yield one line for each thing that whoever fills the prompt in, or shares it, should know."""
    about, used = prompt.metadata, placeholders(prompt.model_prompt)
    needed = [variable.name for variable in about.variables if variable.name in used and variable.default is None]
    if needed:
        yield f"a value is needed for {', '.join(needed)}"
    for variable in about.variables:
        if variable.name not in used:
            yield f"the variable {variable.name!r} stands nowhere in the text"
    output = about.expected_output
    if output is not None and output.language is not None and output.type != "code":
        yield f"expected_output: a language is for the type 'code', not {output.type!r}"
    if output is not None and output.allowed_values is not None and output.type != "limited":
        yield f"expected_output: allowed_values are for the type 'limited', not {output.type!r}"
    size = _pixels(prompt)
    if size not in (None, _ICON):
        yield f"the icon has {size[0]} × {size[1]} pixels; {_ICON[0]} × {_ICON[1]} are recommended"


def _pixels(prompt: PortablePrompt) -> tuple[int, int] | None:
    """Return width and height of an icon that is in the file as PNG or GIF."""
    icon = prompt.metadata.icon
    if icon is None or icon.avatar_type != "base64":
        return None
    data = image_bytes(icon.avatar)
    if data.startswith(b"\x89PNG") and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data.startswith(b"GIF8") and len(data) >= 10:
        return struct.unpack("<HH", data[6:10])
    return None
