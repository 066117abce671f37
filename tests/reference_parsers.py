"""Right parsers of every syntax of calls, incremental by construction: they see one letter at a time and take nothing back.

Each is written from the description of a format (a row of the table), not from the code that writes or reads it. What a
parser sends is certain by then: the words that are no marker, a name when it is complete, arguments as they are known.
"""

import ast
import json
import math
import re
from collections.abc import Callable, Generator, Iterator
from functools import cache
from typing import Any

import msgspec

from generator.corpus.check.failures import ParserAnswer, PlainAnswer, answer_of
from generator.corpus.check.plain import Pieces, plain_answer, plain_stream
from generator.formats.wire.format import WireFormat, wire_format

Wait = Generator[None, None, Any]
"""A part of a parser: waits for letters with `yield`."""


class NotACall(Exception):  # noqa: N818
    """What stands here is no call."""


class Parser:
    """Reads one answer; `deltas` is what was sent."""

    def __init__(self, fmt: WireFormat, tools: list[dict[str, Any]]) -> None:
        self.fmt = fmt
        self.schemas = {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in tools}
        self.buffer = fmt.prompt if fmt.call.startswith(fmt.prompt) else ""
        self.ended = False
        self.tape: list[str] | None = None
        self.sent = 0
        self.open_call = False
        self.deltas: list[dict[str, Any]] = []
        first = fmt.open or (fmt.call_pieces[0][1] if fmt.call_pieces[0][0] == "text" else "{")
        self.opening = first
        around = (*fmt.before.partition("$text")[::2], *fmt.alone.partition("$text")[::2])
        self.ignored = [part for part in around if part.strip()]
        thoughts = (fmt.thoughts or "").partition("$text")[::2]
        self.thoughts = thoughts if fmt.thoughts_inside else ("", "")
        self.first_thoughts = ("", "") if fmt.thoughts_inside else thoughts
        self.work = self.main()
        self.resume()

    # ------------------------------------------------------------------------------------------------ input

    def feed(self, letters: str) -> None:
        """Read more letters."""
        for letter in letters:
            self.buffer += letter
            self.resume()

    def finish(self) -> None:
        """The text ends."""
        self.ended = True
        self.resume()

    def resume(self) -> None:
        try:
            next(self.work)
        except StopIteration:
            self.buffer = ""

    def peek(self) -> Wait:
        """The next letter; none at the end."""
        while not self.buffer and not self.ended:
            yield
        return self.buffer[:1]

    def take(self, count: int = 1) -> Wait:
        """That many letters."""
        while len(self.buffer) < count and not self.ended:
            yield
        letters, self.buffer = self.buffer[:count], self.buffer[count:]
        if len(letters) < count:
            raise NotACall
        if self.tape is not None:
            self.tape.append(letters)
        return letters

    def at(self, *options: str) -> Wait:
        """Which of the options stands here; waits only while one may still come."""
        while True:
            found = [option for option in options if option and self.buffer.startswith(option)]
            longer = [option for option in options if option.startswith(self.buffer) and option not in found]
            if not longer or self.ended:
                return max(found, key=len, default=None)
            yield

    def literal(self, text: str) -> Wait:
        """Take this text."""
        if text and (yield from self.at(text)) is None:
            raise NotACall
        return (yield from self.take(len(text)))

    def until(self, *ends: str) -> Wait:
        """All letters before one of the ends, which is not taken."""
        found = []
        while (yield from self.at(*ends)) is None:
            found.append((yield from self.take()))
        return "".join(found)

    def spaces(self) -> Wait:
        while (yield from self.peek()) in (" ", "\n", "\r", "\t") and self.buffer:
            yield from self.take()

    # ----------------------------------------------------------------------------------------------- output

    def say(self, text: str) -> None:
        if text:
            self.deltas.append({"content": text})

    def begin_call(self, name: str) -> None:
        self.tape = None  # sent is sent
        self.open_call = True
        self.deltas.append({"tool_calls": [{"index": self.sent, "name": name}]})

    def arguments(self, text: str) -> None:
        self.deltas.append({"tool_calls": [{"index": self.sent, "arguments": text}]})

    def end_call(self) -> None:
        self.sent += 1
        self.open_call = False

    # ------------------------------------------------------------------------------------------------- text

    def main(self) -> Wait:
        """Words, and calls among them."""
        head, tail = self.first_thoughts
        try:
            if (yield from self.at(head)):
                yield from self.literal(head)
                yield from self.until(tail)
                yield from self.literal(tail)
            while (yield from self.peek()):
                found = yield from self.at(self.opening, *self.ignored, self.thoughts[0])
                if found and found == self.thoughts[0]:
                    yield from self.literal(found)
                    yield from self.until(self.thoughts[1])
                    yield from self.literal(self.thoughts[1])
                elif found in self.ignored and found is not None:
                    yield from self.take(len(found))
                elif found is None or not (yield from self.guess(self.section)):
                    self.say((yield from self.take()))
        except NotACall:
            pass  # a call that was begun breaks off: what follows has no meaning
        while not self.ended:
            self.buffer = ""
            yield

    def guess(self, part: Callable[[], Wait]) -> Wait:
        """Try to read a part; put the letters back if it is none and nothing of it was sent."""
        self.tape = tape = []
        try:
            yield from part()
        except NotACall:
            if self.tape is not tape:
                raise
            self.buffer = "".join(tape) + self.buffer
            return False
        finally:
            self.tape = None
        return True

    def section(self) -> Wait:
        yield from self.literal(self.fmt.open)
        yield from self.call()
        between, close = self.fmt.between, self.fmt.close
        while not self.fmt.one and (self.fmt.open or between or close):
            found = yield from self.at(between, close)
            if found == close or (between and found is None) or not (yield from self.guess(self.next_call)):
                break
        yield from self.literal(close)

    def next_call(self) -> Wait:
        yield from self.literal(self.fmt.between)
        yield from self.call()

    def call(self) -> Wait:
        pieces = self.fmt.call_pieces
        name = ""
        for place, (kind, piece) in enumerate(pieces):
            following = [text for kind, text in pieces[place + 1 :] if kind == "text"][:1]
            if kind == "text":
                yield from self.literal(piece)
            elif piece == "object":
                yield from self.json_call()
            elif piece == "arguments":
                yield from ARGUMENTS[self.fmt.arguments](self, name)
            else:
                name = (yield from self.word(piece, following, pieces[place + 1 :], name)) or name
        self.end_call()

    def word(self, piece: str, following: list[str], rest: Any, known: str) -> Wait:
        """A name, an index or an id; a name that is told twice is sent at the first, or with the object that has it, too."""
        if piece == "name" and rest[:1] == (("slot", "arguments"),):
            following.append(self.fmt.argument_pieces[0][1])
        found = ""
        while (yield from self.at(*following)) is None:
            found += yield from self.take()
            if not re.fullmatch(r"[\w.-]+", found):
                raise NotACall
        if not found or (piece == "name" and known not in ("", found)):
            raise NotACall
        if piece == "name" and not known and "$object" not in self.fmt.call:
            self.begin_call(found)
        return found if piece == "name" else ""

    # ------------------------------------------------------------------------------------------------- JSON

    def json_call(self) -> Wait:
        """An object with a name and arguments, in any order, among other keys."""
        name_key = next(key for key, slot in self.fmt.object.items() if slot == "$name")
        arguments_key = next(key for key, slot in self.fmt.object.items() if slot == "$arguments")
        name, held = None, None
        yield from self.literal("{")
        while True:
            yield from self.spaces()
            key = json_text((yield from self.json_value(None)))
            yield from self.spaces()
            yield from self.literal(":")
            yield from self.spaces()
            if key == name_key:
                known, name = name, json_text((yield from self.json_value(None)))
                if not name or known:
                    raise NotACall
                self.begin_call(name)
                self.arguments(held or "")
            elif key == arguments_key:
                held = yield from self.json_value(self.arguments if name is not None else None)
            else:
                yield from self.json_value(None)
            yield from self.spaces()
            if (yield from self.take()) == "}":
                break
        if name is None or held is None:
            raise NotACall

    def json_value(self, send: Callable[[str], None] | None) -> Wait:
        """The letters of one value, sent as they come."""
        found: list[str] = []
        depth = 0
        while True:
            letter = yield from self.peek()
            if depth == 0 and found and letter in (",", "}", "]", " ", "\n", "\r", "\t", ""):
                return "".join(found)
            text = yield from (self.json_string() if letter == '"' and send is None else self.take())
            found.append(text)
            if send:
                send(text)
            if letter == '"' and send is not None:
                while (text := (yield from self.json_letter())) != '"':
                    found.append(text)
                    send(text)
                found.append(text)
                send(text)
            depth += (letter in "{[") - (letter in "}]")
            if depth == 0 and letter in '"}]':
                return "".join(found)

    def json_string(self) -> Wait:
        found = yield from self.take()
        while (letter := (yield from self.json_letter())) != '"':
            found += letter
        return found + letter

    def json_letter(self) -> Wait:
        letter = yield from self.take()
        return letter + (yield from self.take()) if letter == "\\" else letter

    def json_arguments(self, name: str) -> Wait:
        if (yield from self.peek()) != "{":
            raise NotACall
        yield from self.json_value(self.arguments)

    # --------------------------------------------------------------------------------------------- elements

    def elements(self, name: str) -> Wait:
        pieces = self.fmt.argument_pieces
        declared = (self.schemas.get(name) or {}).get("properties") or {}
        closing = next(text for kind, text in self.fmt.call_pieces[::-1] if kind == "text")
        self.arguments("{")
        if self.fmt.no_arguments and (yield from self.at(self.fmt.no_arguments, pieces[0][1])) == self.fmt.no_arguments:
            yield from self.literal(self.fmt.no_arguments)
        separator = ""
        while (yield from self.at(pieces[0][1], closing)) == pieces[0][1]:
            slots: dict[str, str] = {}
            for place, (kind, piece) in enumerate(pieces):
                if kind == "text":
                    yield from self.literal(piece)
                elif piece != "value":
                    slots[piece] = yield from self.until(pieces[place + 1][1])
                else:
                    self.arguments(f"{separator}{json.dumps(slots['key'], ensure_ascii=False)}: ")
                    yield from self.element(slots, declared.get(slots["key"]), pieces[place + 1][1])
            separator = ", "
        self.arguments("}")

    def element(self, slots: dict[str, str], declared: Any, end: str) -> Wait:
        types = declared.get("type") if isinstance(declared, dict) else None
        told = slots.get("string", slots.get("type"))
        is_text = told in ("true", "string") if told else types == "string"
        if self.fmt.cdata and (yield from self.at("<![CDATA[")):
            yield from self.literal("<![CDATA[")
            self.arguments(json.dumps((yield from self.until("]]>")), ensure_ascii=False))
            yield from self.literal("]]>")
        elif is_text:
            self.arguments('"')
            while (yield from self.at(end)) is None:
                self.arguments(json.dumps((yield from self.take()), ensure_ascii=False)[1:-1])
            self.arguments('"')
        else:
            self.arguments(json.dumps(element_value((yield from self.until(end))), ensure_ascii=False))

    # ------------------------------------------------------------------------------------ Python and braces

    def keywords(self, name: str) -> Wait:
        self.arguments("{")
        separator = ""
        while (yield from self.at(")")) is None:
            key = yield from self.until("=")
            yield from self.literal("=")
            value = python_value((yield from self.expression()))
            self.arguments(f"{separator}{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
            separator = ", "
            if (yield from self.at(",")):
                yield from self.literal(",")
                yield from self.spaces()
        self.arguments("}")

    def expression(self) -> Wait:
        """The letters up to a comma or bracket that closes what is around."""
        found, depth = "", 0
        while True:
            letter = yield from self.peek()
            if not letter or (depth == 0 and letter in ",)"):
                return found
            if letter in "\"'":
                found += yield from self.take()
                while (yield from self.peek()) != letter:
                    found += yield from self.take(2 if self.buffer[:1] == "\\" else 1)
            depth += (letter in "([{") - (letter in ")]}")
            found += yield from self.take()

    def braces(self, name: str) -> Wait:
        self.arguments("{")
        separator = ""
        while (yield from self.at("}")) is None:
            key = yield from self.until(":")
            yield from self.literal(":")
            value = yield from self.bare_value()
            self.arguments(f"{separator}{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
            separator = ", "
            if (yield from self.at(",")):
                yield from self.literal(",")
        self.arguments("}")

    def nested(self, name: str) -> Wait:
        (_, opening), _, (_, behind_key), _, (_, closing), _, (_, end) = self.fmt.argument_pieces
        self.arguments("{")
        separator = ""
        while (yield from self.at(opening, closing, self.fmt.call_pieces[-1][1])) == opening:
            schema = self.schemas.get(name)
            key, value = yield from self.inner_element(opening, behind_key, closing, end, schema, 0)
            self.arguments(f"{separator}{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
            separator = ", "
        self.arguments("}")

    def inner_element(self, opening: str, behind_key: str, closing: str, end: str, schema: Any, depth: int) -> Wait:
        """A key and its value, which holds elements or a text."""
        yield from self.literal(opening)
        key = yield from self.until(behind_key)
        if not re.fullmatch(r"[A-Za-z_][\w.-]*", key) or depth > 60:
            raise NotACall
        yield from self.literal(behind_key)
        known = schema if isinstance(schema, dict) else {}
        inner = known.get("items") if known.get("type") == "array" else (known.get("properties") or {}).get(key)
        is_list = isinstance(inner, dict) and inner.get("type") == "array"
        parts = []
        text = yield from self.until(opening, closing)
        while (yield from self.at(opening, closing)) == opening:
            parts.append((yield from self.inner_element(opening, behind_key, closing, end, inner, depth + 1)))
        yield from self.literal(closing + key + end)
        if parts:
            return key, [value for _, value in parts] if is_list else dict(parts)
        is_text = isinstance(inner, dict) and inner.get("type") == "string"
        return key, text if is_text else element_value(text)

    def bare_value(self) -> Wait:
        found = yield from self.at(self.fmt.quote, "{", "[")
        if found is None:
            value = element_value((yield from self.until(",", "}", "]")))
            if isinstance(value, str) and value[:1] == "'":
                raise NotACall
            return value
        yield from self.literal(found)
        if found == self.fmt.quote:
            text = yield from self.until(self.fmt.quote)
            yield from self.literal(self.fmt.quote)
            return text
        made: Any = {} if found == "{" else []
        end = "}" if found == "{" else "]"
        while (yield from self.at(end)) is None:
            if found == "{":
                key = yield from self.until(":")
                yield from self.literal(":")
                made[key] = yield from self.bare_value()
            else:
                made.append((yield from self.bare_value()))
            if (yield from self.at(",")):
                yield from self.literal(",")
        yield from self.literal(end)
        return made


class HarmonyParser(Parser):
    """Messages with a header each, which says where the text goes."""

    def main(self) -> Wait:
        try:
            while (yield from self.peek()):
                header = yield from self.until("<|message|>")
                yield from self.literal("<|message|>")
                yield from self.body(header)
        except NotACall:
            pass
        while not self.ended:
            self.buffer = ""
            yield

    def body(self, header: str) -> Wait:
        name = re.search(r"to=functions\.([\w.-]+)", header)
        if name:
            self.begin_call(name[1])
        ends = ("<|end|>", "<|call|>", "<|return|>")
        while (yield from self.at(*ends)) is None:
            if not (yield from self.peek()):
                return
            letter = yield from self.take()
            if name:
                self.arguments(letter)
            elif "<|channel|>analysis" not in header:
                self.say(letter)
        yield from self.literal((yield from self.at(*ends)))
        if name:
            self.end_call()


ARGUMENTS: dict[str, Callable[[Parser, str], Wait]] = {
    "json": Parser.json_arguments,
    "tags": Parser.elements,
    "python": Parser.keywords,
    "braces": Parser.braces,
    "nested": Parser.nested,
}


def json_text(value: str) -> str:
    """The text that JSON letters write; raises NotACall for any other value."""
    try:
        found = json.loads(value)
    except ValueError:
        raise NotACall from None
    if not isinstance(found, str):
        raise NotACall
    return found


def element_value(text: str) -> Any:
    """What a text without quotes means: JSON, Python's words, or itself."""
    words = {"True": True, "False": False, "None": None}
    try:
        value = words[text] if text in words else json.loads(text, parse_constant=lambda name: name)
        return text if value in (math.inf, -math.inf) else value
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(text) if text[:1] in ("[", "{") else text
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return text
    return value if isinstance(value, list | dict) else text


def python_value(text: str) -> Any:
    words = {"true": True, "false": False, "null": None}
    try:
        tree = ast.parse(text.strip(), mode="eval")
        for node in ast.walk(tree):
            for field, child in ast.iter_fields(node):
                if isinstance(child, ast.Name) and child.id in words:
                    setattr(node, field, ast.Constant(words[child.id]))
                elif isinstance(child, list):
                    child[:] = [
                        ast.Constant(words[part.id]) if isinstance(part, ast.Name) and part.id in words else part
                        for part in child
                    ]
        value = ast.literal_eval(tree)
        json.dumps(value, allow_nan=False)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise NotACall from None
    return value


def stream(name: str, pieces: Iterator[str], tools: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The deltas of one format, as pieces come."""
    parser = made(name, tools)
    for piece in pieces:
        parser.feed(piece)
        yield from parser.deltas
        parser.deltas = []
    parser.finish()
    yield from parser.deltas


def made(name: str, tools: list[dict[str, Any]]) -> Parser:
    fmt = wire_format(name)
    return (HarmonyParser if name.startswith("harmony") else Parser)(fmt, tools)


def parse(name: str, text: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The whole text at once: a call whose arguments do not end is none."""
    content, calls = "", {}
    for delta in stream(name, iter([text]), tools):
        content += delta.get("content", "")
        for call in delta.get("tool_calls", ()):
            known = calls.setdefault(call["index"], {"name": "", "arguments": ""})
            known["name"] += call.get("name", "")
            known["arguments"] += call.get("arguments", "")
    return {"content": content, "tool_calls": [call for call in calls.values() if is_json(call["arguments"])]}


def is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=int), dict)
    except (ValueError, RecursionError):
        return False


@cache
def __getattr__(name: str) -> Any:
    """`hermes` and `hermes_stream`, for every wire format."""
    fmt = name.removesuffix("_stream")
    if fmt != name:
        return lambda pieces, tools: stream(fmt, pieces, tools)
    return lambda text, tools: parse(fmt, text, tools)


class InProcess:
    """Runs a reference parser here, for `check_case`."""

    def __init__(self, name: str, tools: dict[str, Any]) -> None:
        self.name, self.tools = name, tools

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        offered = [self.tools[name] for name in tools or self.tools if name in self.tools]
        if isinstance(given, str):
            plain = plain_answer(parse(self.name, given, offered))
        else:
            pieces = Pieces(given)
            plain = plain_stream(stream(self.name, pieces, offered), pieces)
        return answer_of(msgspec.convert(plain, PlainAnswer))

    def close(self) -> None:
        pass
