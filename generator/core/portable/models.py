"""The format, as it is declared: what each key may hold ("JSON Format for LLM Tools")."""

import base64
import binascii
import re
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from generator.core.forms import Form
from generator.core.portable.render import placeholders

MOST_IMAGE_BYTES = 1 << 20
"""An icon of 256 × 256 pixels, as the format recommends, is far smaller."""
_IMAGES = {b"\x89PNG\r\n\x1a\n": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"RIFF": "WebP", b"<svg": "SVG"}
_DATA_URL = re.compile(r"data:image/[a-z+.-]+;base64,")


def _distinct(values: list[str]) -> list[str]:
    twice = [value for value in values if values.count(value) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} stands here twice")
    return values


def _check_name(name: str) -> str:
    if not name.strip() or name != name.strip() or "{" in name or "}" in name:
        raise ValueError(f"a name without braces and outer spaces is expected, not {name!r}")
    return name


def _check_time(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a date and time as ISO 8601 writes them is expected, not {text!r}") from None
    return text


def _check_names(variables: "list[Variable]") -> "list[Variable]":
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
            wrong = [part for part in value if part not in (self.allowed_values or ())]
        else:
            if not isinstance(value, str):
                return "text is expected"
            wrong = [value] if self.allowed_values is not None and value not in self.allowed_values else []
        known = ", ".join(repr(part) for part in self.allowed_values or ())
        return f"{wrong[0]!r} is not allowed (allowed: {known})" if wrong else ""


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
    (_check_url if kind == "url" else _check_image)(text)


def _check_url(text: str) -> None:
    try:
        url = urlsplit(text)
    except ValueError:
        url = urlsplit("")
    if url.scheme not in ("http", "https") or not url.netloc:
        raise ValueError(f"avatar: a http or https URL is expected, not {text[:60]!r}")


def _check_image(text: str) -> None:
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
