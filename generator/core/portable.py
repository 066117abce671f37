"""Portable JSON prompts: a prompt with `{{variables}}` and all that is to be known about it, in one JSON file.

The structs declare the format ("JSON Format for LLM Tools"). A prompt whose text is changed keeps its layout; filling in its variables
looks at nothing else in the text, and at nothing in the values.
"""

import base64
import binascii
import json
import re
import struct
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from generator.core.declared import read
from generator.core.documents import BYTE_ORDER_MARK, Document, nearest, parse_json, read_text
from generator.core.errors import GeneratorError, PromptError
from generator.core.exact_json import loads, same
from generator.core.forms import Form

_SPACE = " \t\r\n"
_decode = json.JSONDecoder().raw_decode


class _Part(NamedTuple):
    """A value in the text: where it stands, and the parts of a list or object by index or key."""

    start: int
    end: int
    value: Any
    members: "dict[str | int, _Member]"


class _Member(NamedTuple):
    start: int
    """Where its key begins; in a list, its value."""
    part: _Part


def rewritten(text: str, value: Any) -> str:
    """Return a JSON text with another value.

    Members that are the same in both keep their bytes: layout, order, numbers and escapes. New ones stand behind them.

    Args:
        text: A legal JSON text without repeated keys; a byte order mark may stand before it.
        value: The new value.
    """
    whole = _read_part(text, _after_space(text, text.startswith(BYTE_ORDER_MARK)))
    return text[: whole.start] + _text_with(text, whole, value) + text[whole.end :]


def _read_part(text: str, start: int) -> _Part:
    """Read the JSON value that begins at `start`, with the places of its members in the text."""
    if text[start] not in "{[":
        value, end = _decode(text, start)
        return _Part(start, end, value, {})
    members = dict(_read_members(text, start))
    values = {key: member.part.value for key, member in members.items()}
    end_of_members = max((member.part.end for member in members.values()), default=start + 1)
    return _Part(
        start, _after_space(text, end_of_members) + 1, values if text[start] == "{" else list(values.values()), members
    )


def _read_members(text: str, start: int) -> Iterator[tuple[str | int, _Member]]:
    """Yield key or index and place of the members of the object or list that begins at `start`."""
    position, index = _after_space(text, start + 1), 0
    while text[position] not in "}]":
        member_start, key = position, index
        if text[start] == "{":
            key, position = _decode(text, position)
            position = _after_space(text, _after_space(text, position) + 1)
        member = _Member(member_start, _read_part(text, position))
        yield key, member
        position, index = _after_space(text, member.part.end), index + 1
        if text[position] == ",":
            position = _after_space(text, position + 1)


def _after_space(text: str, position: int) -> int:
    """Return the position of the first character that is no space, from a position on."""
    while text[position] in _SPACE:
        position += 1
    return position


def _text_with(text: str, part: _Part, value: Any) -> str:
    """Return the text of a part with a new value in its place; all that did not change keeps its characters."""
    if same(part.value, value):
        return text[part.start : part.end]
    kind = type(part.value)
    if kind not in (dict, list) or type(value) is not kind or not part.members or not value:
        return json.dumps(value, ensure_ascii=False)
    new_members: dict[Any, Any] = dict(value if isinstance(value, dict) else enumerate(value))
    members = list(part.members.items())
    before = text[part.start + 1 : members[0][1].start]
    between = text[members[0][1].part.end : members[1][1].start] if len(members) > 1 else f",{before or ' '}"
    pieces = []
    for index, (key, member) in enumerate(members):
        if key in new_members:
            separator = text[members[index - 1][1].part.end : member.start] if index else between
            key_text = text[member.start : member.part.start]
            pieces += [separator, key_text + _text_with(text, member.part, new_members.pop(key))]
    step = before.rpartition("\n")[2] if "\n" in before else None
    for key, added in new_members.items():
        key_text = f"{json.dumps(key, ensure_ascii=False)}: " if kind is dict else ""
        pieces += [between, key_text + _member_text(added, step)]
    after = text[members[-1][1].part.end : part.end]
    return text[part.start] + before + "".join(pieces[1:]) + after


def _member_text(value: Any, step: str | None) -> str:
    """Return a new member: on lines of its own below `step`, the space before it, or on one line where there is none."""
    if step is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", f"\n{step}")


_PLACE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")


def placeholders(text: str) -> list[str]:
    """Return the names between double braces, each once, in order."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with each placeholder replaced by its value, which must be there."""
    return _PLACE.sub(lambda place: values[place[1]], text)


def render(prompt: "PortablePrompt", values: Mapping[str, str | list[str]]) -> str:
    """Return the prompt's text with the values, or the defaults, of its variables.

    Raises:
        PromptError: as `texts_of` does.
    """
    return fill(prompt.model_prompt, texts_of(prompt, values))


def texts_of(prompt: "PortablePrompt", values: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Return what stands in the places of the variables: the values, or the defaults. Several values are joined by a comma.

    Raises:
        PromptError: for a value of no variable, a variable without value or default, and a value that is not allowed.
    """
    variables = {variable.name: variable for variable in prompt.metadata.variables}
    for name in values:
        if name not in variables:
            raise PromptError(f"there is no variable {name!r}{nearest(name, variables)}")
    texts: dict[str, str] = {}
    for name, variable in variables.items():
        value = values.get(name, variable.default)
        if value is None:
            if name in placeholders(prompt.model_prompt):
                raise PromptError(f"the variable {name!r} has no value and no default")
            continue
        fault = variable.fault_of(value)
        if fault:
            raise PromptError(f"the variable {name!r}: {fault}")
        texts[name] = ", ".join(value) if isinstance(value, list) else value
    return texts


MOST_IMAGE_BYTES = 1 << 20
"""An icon of 256 × 256 pixels, as the format recommends, is far smaller."""
_IMAGES = {b"\x89PNG\r\n\x1a\n": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"RIFF": "WebP", b"<svg": "SVG"}
_DATA_URL = re.compile(r"data:image/[a-z+.-]+;base64,")


def _distinct(values: list[str]) -> list[str]:
    """Return the values; raises ValueError for one that occurs twice."""
    repeated = [value for value in values if values.count(value) > 1]
    if repeated:
        raise ValueError(f"{repeated[0]!r} stands here twice")
    return values


def _check_name(name: str) -> str:
    """Return the name of a variable; raises ValueError for one with braces or spaces around it."""
    if not name.strip() or name != name.strip() or "{" in name or "}" in name:
        raise ValueError(f"a name without braces and outer spaces is expected, not {name!r}")
    return name


def _check_time(text: str) -> str:
    """Return a date and time; raises ValueError where it is not as ISO 8601 writes it."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a date and time as ISO 8601 writes them is expected, not {text!r}") from None
    return text


def _check_names(variables: "list[Variable]") -> "list[Variable]":
    """Return variables; raises ValueError where two have the same name."""
    _distinct([variable.name for variable in variables])
    return variables


Texts = Annotated[list[str], Meta(min_length=1), Form(made=_distinct)]


class Creator(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who made the prompt."""

    name: str | None = None
    email: str | None = None
    organization: str | None = None


class Parameters(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings of the model, in the ranges that providers take."""

    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None


class Variable(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One place in the prompt's text."""

    name: Annotated[str, Form(made=_check_name)]
    type: Literal["text", "single-select", "multi-select"]
    description: str | None = None
    default: str | list[str] | None = None
    allowed_values: Texts | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what does not go together."""
        selects = self.type != "text"
        if selects and self.allowed_values is None:
            raise ValueError(f"{self.name!r}: {self.type} needs allowed_values")
        if not selects and self.allowed_values is not None:
            raise ValueError(f"{self.name!r}: allowed_values are for single-select and multi-select")
        if self.default is not None and (fault := self.fault_of(self.default)):
            raise ValueError(f"{self.name!r}: default: {fault}")

    def fault_of(self, value: Any) -> str:
        """Return why the variable cannot have that value; "" when it can."""
        if self.type == "multi-select":
            if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
                return "a list of texts is expected"
            not_allowed = [part for part in value if part not in (self.allowed_values or ())]
        else:
            if not isinstance(value, str):
                return "text is expected"
            not_allowed = [value] if self.allowed_values is not None and value not in self.allowed_values else []
        allowed = ", ".join(repr(part) for part in self.allowed_values or ())
        return f"{not_allowed[0]!r} is not allowed (allowed: {allowed})" if not_allowed else ""


class ExpectedOutput(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the prompt's answer looks like."""

    type: Annotated[str, Meta(min_length=1)]
    format: str | None = None
    language: str | None = None
    allowed_values: Texts | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what does not go together."""
        if self.type == "limited" and self.allowed_values is None:
            raise ValueError("the type 'limited' needs allowed_values")


AvatarType = Literal["url", "base64"]


class Avatar(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The icon as an object of its own, as the format's description of fields has it."""

    avatar_type: AvatarType
    avatar: str

    def __post_init__(self) -> None:
        """Raise ValueError for what does not go together."""
        _check_icon(self.avatar_type, self.avatar)


class Metadata(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that is known about the prompt."""

    prompt_name: str | None = None
    description: str | None = None
    usage_notes: str | None = None
    model_version: str | list[str] | None = None
    creator: Creator | None = None
    parameters: Parameters | None = None
    variables: Annotated[list[Variable], Form(made=_check_names)] = []
    expected_output: ExpectedOutput | None = None
    avatar_type: AvatarType | None = None
    avatar: str | Avatar | None = None
    timestamp: Annotated[str, Form(made=_check_time)] | None = None

    @property
    def icon(self) -> Avatar | None:
        """The icon, whichever way it is written."""
        if isinstance(self.avatar, str) and self.avatar_type is not None:
            return Avatar(avatar_type=self.avatar_type, avatar=self.avatar)
        return self.avatar if isinstance(self.avatar, Avatar) else None

    def __post_init__(self) -> None:
        """Raise ValueError for what does not go together."""
        if (isinstance(self.avatar, str)) != (self.avatar_type is not None):
            raise ValueError("avatar and avatar_type belong together: side by side, or both in an object 'avatar'")
        if isinstance(self.avatar, str):
            _check_icon(self.avatar_type, self.avatar)


class PortablePrompt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole file."""

    version: str | int | None = None
    model_prompt: Annotated[str, Meta(min_length=1)]
    metadata: Metadata

    def __post_init__(self) -> None:
        """Raise ValueError for what does not go together."""
        known = [variable.name for variable in self.metadata.variables]
        for name in placeholders(self.model_prompt):
            if name not in known:
                raise ValueError(f"model_prompt: {{{{{name}}}}} is no variable (known: {', '.join(known) or 'none'})")


def _check_icon(kind: AvatarType | None, text: str) -> None:
    """Raise ValueError for an icon that is no URL, or no image in base64, as its kind says."""
    (_check_url if kind == "url" else _check_image)(text)


def _check_url(text: str) -> None:
    """Raise ValueError for anything but a http or https URL."""
    try:
        url = urlsplit(text)
    except ValueError:
        url = urlsplit("")
    if url.scheme not in ("http", "https") or not url.netloc:
        raise ValueError(f"avatar: a http or https URL is expected, not {text[:60]!r}")


def _check_image(text: str) -> None:
    """Raise ValueError for base64 of anything but an image."""
    if not any(image_bytes(text).startswith(magic) for magic in _IMAGES):
        raise ValueError(f"avatar: not an image ({', '.join(_IMAGES.values())})")


def image_bytes(text: str) -> bytes:
    """Return the image that is written as base64, or as a data URL; raises ValueError for anything else."""
    plain = "".join(_DATA_URL.sub("", text, count=1).split())
    if len(plain) > MOST_IMAGE_BYTES * 4 // 3 + 4:
        raise ValueError(f"avatar: more than {MOST_IMAGE_BYTES:,} bytes")
    try:
        return base64.b64decode(plain, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("avatar: not base64") from None


MODEL_SUFFIX = ".portable.json"
"""How such files are called here."""


def read_prompt(path: Path, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt in a file.

    Raises:
        GeneratorError: `error`, with `file:line:column` for text that is not JSON, `file:line: path` for what is wrong.
    """
    return parse_prompt(read_text(path, error, exact=True), str(path), error)


def parse_prompt(text: str, path: str, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt in the text of a file; raises as `read_prompt` does."""
    try:
        loads(text.removeprefix(BYTE_ORDER_MARK))
    except json.JSONDecodeError as fault:
        raise error(f"{path}:{fault.lineno}:{fault.colno}: not valid JSON: {fault.msg}") from None
    except ValueError:
        pass  # told below
    return check_prompt(Document(path, text, parse_json(text, path, error)), error)


def check_prompt(document: Document, error: type[GeneratorError] = PromptError) -> PortablePrompt:
    """Return the prompt that a document holds."""
    if not isinstance(document.value, dict):
        raise error(f"{document.where()}: a prompt is an object with 'model_prompt' and 'metadata'")
    return read(PortablePrompt, document, document.value, (), error)


_ICON = (256, 256)
"""Pixels of an icon, as the format recommends."""


def notes_on(prompt: PortablePrompt) -> Iterator[str]:
    """Yield one line for each thing that whoever fills the prompt in, or shares it, should know."""
    metadata, names_in_text = prompt.metadata, placeholders(prompt.model_prompt)
    without_value = [
        variable.name for variable in metadata.variables if variable.name in names_in_text and variable.default is None
    ]
    if without_value:
        yield f"a value is needed for {', '.join(without_value)}"
    for variable in metadata.variables:
        if variable.name not in names_in_text:
            yield f"the variable {variable.name!r} stands nowhere in the text"
    output = metadata.expected_output
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
