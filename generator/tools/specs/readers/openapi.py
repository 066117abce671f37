"""OpenAPI documents (2.0, 3.0, 3.1): each operation is a tool.

Parameters of path, query, header and body are merged into one object; where two have one name, the later one is
prefixed (`body_id`). `Origin.http` tells where each argument goes, so that a call can be turned back into a request.
Headers that carry credentials are left out: a model does not make them up.
"""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from generator.core.documents import Document, Place, read_document
from generator.core.errors import SpecError
from generator.core.pointers import escape, parts_of_object, unescape
from generator.core.toolbox import ToolOrigin
from generator.tools.specs.models import FoundTool, object_or_empty, text_or_none
from generator.tools.specs.readers.openapi_schemas import Schemas

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES = ("path", "query", "header", "formData", "body")
"""Where arguments go, in the order in which they get names; cookies are the client's business."""
_CREDENTIALS = frozenset(
    {"authorization", "proxy-authorization", "token", "api-key", "api_key", "apikey", "x-api-key", "x-auth-token"}
    | {"access-token", "access_token", "x-access-token", "x-csrf-token", "cookie"}
)
_NEGOTIATED = frozenset({"accept", "content-type", "content-length", "host", "user-agent"})
_BESIDE_SCHEMA = frozenset(
    {"name", "in", "required", "description", "collectionFormat", "allowEmptyValue", "schema", "content", "style"}
    | {"explode", "allowReserved", "example", "examples", "deprecated"}
)
_COMBINED = ("oneOf", "anyOf", "allOf", "not", "$ref", "if")


class _Argument(msgspec.Struct, frozen=True):
    place: str
    name: str
    schema: Any
    required: bool


class _Body(msgspec.Struct, frozen=True):
    """The whole body of a request."""

    schema: Any
    required: bool
    media_type: str
    description: str | None = None


def recognises(value: Any) -> bool:
    """Whether this is an OpenAPI document."""
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value)


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the operations of a document, in its order; one that cannot be a tool is refused by name.

    Raises:
        SpecError: for a version that is not known, or a document without paths.
    """
    whole = document.value
    if not recognises(whole):
        raise SpecError(f"{document.where()}: this is no OpenAPI document: 'openapi' or 'swagger' is missing")
    version = str(whole.get("openapi", whole.get("swagger", "")))
    if not version.startswith(("2.0", "3.0", "3.1")):
        raise SpecError(f"{document.where()}: OpenAPI {version!r} is not read; 2.0, 3.0 and 3.1 are")
    paths = whole.get("paths", {})
    if not isinstance(paths, dict):
        raise SpecError(f"{document.where(('paths',))}: paths: a mapping is expected")
    schemas = Schemas(whole, old=not version.startswith("3.1"))
    title = str(object_or_empty(whole.get("info")).get("title") or "")
    for path, written in paths.items():
        if isinstance(written, dict) and not str(path).startswith("x-"):
            yield from _tools_of_path(document, schemas, str(path), written, title or domain)


def _tools_of_path(
    document: Document, schemas: Schemas, path: str, written: dict[str, Any], server: str
) -> Iterator[FoundTool]:
    """Yield the operations of one path of a document."""
    try:
        item = schemas.followed(written)
    except SpecError as fault:
        where, origin = document.where(("paths", path)), ToolOrigin(kind="openapi", server=server)
        yield FoundTool(name=path, where=where, origin=origin, refused=str(fault))
        return
    for method in _METHODS if isinstance(item, dict) else ():
        if isinstance(item.get(method), dict):
            yield from _tool_of_operation(document, schemas, item, (path, method), server)


def with_other_files(document: Document, path: Path) -> Document:
    """Return the document with what it refers to in files of its folder, and below it, under `x-files`."""
    files: dict[str, Any] = {}

    def whole(value: Any, base: str) -> Any:
        """Return a part of the document in the file `base`, with references to other files led to `#/x-files`; their content is added to `files`."""
        if isinstance(value, list):
            return [whole(part, base) for part in value]
        if not isinstance(value, dict):
            return value
        changed = {key: whole(part, base) for key, part in value.items()}
        if isinstance(value.get("$ref"), str):
            name, _, pointer = value["$ref"].partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(base), name)) if name else base
            is_below = bool(target) and "://" not in name and not target.startswith(("..", "/"))
            if is_below and (not name or (path.parent / target).is_file()):
                changed["$ref"] = f"#/x-files/{escape(target)}{pointer}"
                if target not in files:
                    files[target] = None
                    files[target] = whole(read_document(path.parent / target, SpecError).value, target)
        return changed

    value = whole(document.value, "")
    return msgspec.structs.replace(document, value={**value, "x-files": files}) if files else document


def _tool_of_operation(
    document: Document, schemas: Schemas, item: dict[str, Any], at: tuple[str, str], server: str
) -> Iterator[FoundTool]:
    """Yield one operation as a tool; `at` is its path and method."""
    path, method = at
    place: Place = ("paths", path, method)
    name = f"{method}_{path.strip('/') or 'root'}"
    origin = ToolOrigin(kind="openapi", server=server, http={"method": method.upper(), "path": path})
    try:
        operation = item[method]
        operation_id = operation.get("operationId")
        name = operation_id if isinstance(operation_id, str) and operation_id.strip() else name
        tags = operation.get("tags")
        origin = msgspec.structs.replace(
            origin,
            title=text_or_none(operation.get("summary")) or "",
            tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        )
        parameters, http = _arguments_schema(schemas, item, operation)
        yield FoundTool(
            name=name,
            where=document.where(place),
            origin=msgspec.structs.replace(origin, http={**origin.http, **http}),
            domain=origin.tags[0] if origin.tags else server,
            description=text_or_none(operation.get("description")) or text_or_none(operation.get("summary")),
            parameters=parameters,
            returns=_result_schema(schemas, operation),
            is_closed=True,
        )
    except SpecError as fault:
        yield FoundTool(name=name, where=document.where(place), origin=origin, refused=str(fault))


def _arguments_schema(
    schemas: Schemas, item: dict[str, Any], operation: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return JSON Schema of all arguments, and for each where it goes in the request."""
    arguments, body = _arguments_and_body(schemas, item, operation)
    http: dict[str, Any] = {}
    if body is not None:
        http["media_type"] = body.media_type
        arguments += _body_arguments(schemas, body)
    schemas_by_name: dict[str, Any] = {}
    required: list[str] = []
    request_places: dict[str, Any] = {}
    for argument in arguments:
        name = _free_argument_name(argument, schemas_by_name)
        schemas_by_name[name] = argument.schema
        request_places[name] = {"in": argument.place, "name": argument.name}
        if argument.required:
            required.append(name)
    properties, definitions = schemas.closed(schemas_by_name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if definitions:
        schema["$defs"] = definitions
    return schema, {**http, "arguments": request_places}


def _free_argument_name(argument: _Argument, used_names: dict[str, Any]) -> str:
    """Return the name of an argument, with where it goes before it if another one has the name: `body_id`."""
    name = argument.name
    while name in used_names:
        name = f"{'body' if argument.place == 'formData' else argument.place}_{name}"
    return name


def _arguments_and_body(
    schemas: Schemas, item: dict[str, Any], operation: dict[str, Any]
) -> tuple[list[_Argument], _Body | None]:
    """Return the arguments beside the body, in the order in which they get names, and the body."""
    parameters: dict[tuple[str, str], dict[str, Any]] = {}
    for source in (item, operation):
        listed = source.get("parameters")
        for part in listed if isinstance(listed, list) else ():
            parameter = schemas.followed(part)
            if isinstance(parameter, dict):
                parameters[str(parameter.get("in")), str(parameter.get("name"))] = parameter
    body = _request_body(schemas, operation)
    for (place, _), parameter in parameters.items():
        if place == "body":
            body = _Body(parameter.get("schema", {}), parameter.get("required") is True, "application/json")
    keys = _credential_names(schemas)
    arguments = [
        _Argument(place, name, _schema_of(parameter), parameter.get("required") is True or place == "path")
        for place_in_order in _PLACES[:-1]
        for (place, name), parameter in parameters.items()
        if place == place_in_order and not _is_left_out(place, name, keys)
    ]
    return arguments, body


def _is_left_out(place: str, name: str, keys: set[str]) -> bool:
    plain = name.lower()
    return plain in keys or (place == "header" and plain in (_CREDENTIALS | _NEGOTIATED))


def _credential_names(schemas: Schemas) -> set[str]:
    """Return names of the parameters that the document itself calls keys."""
    whole = schemas.at("#")
    schemes = object_or_empty(whole.get("components")).get("securitySchemes", whole.get("securityDefinitions"))
    listed_schemes = [object_or_empty(scheme) for scheme in object_or_empty(schemes).values()]
    return {str(scheme.get("name", "")).lower() for scheme in listed_schemes if scheme.get("type") == "apiKey"}


def _schema_of(parameter: dict[str, Any]) -> Any:
    """Return a parameter's schema, with the description that stands beside it."""
    schema = parameter.get("schema")
    content = parameter.get("content")
    if not isinstance(schema, dict | bool) and isinstance(content, dict):
        schema = next((part.get("schema", {}) for part in content.values() if isinstance(part, dict)), {})
    if not isinstance(schema, dict | bool):  # OpenAPI 2.0: the parameter is its own schema
        schema = {key: value for key, value in parameter.items() if key not in _BESIDE_SCHEMA}
    description = text_or_none(parameter.get("description"))
    return {**schema, "description": description} if isinstance(schema, dict) and description else schema


def _request_body(schemas: Schemas, operation: dict[str, Any]) -> _Body | None:
    """Return the request's body in the media type that says most about it."""
    body = object_or_empty(schemas.followed(operation.get("requestBody")))
    content = object_or_empty(body.get("content"))
    if not content:
        return None
    media_type = _best_media_type(content)
    schema = object_or_empty(content[media_type]).get("schema")
    if schema is None:  # a document that says `schema: null` says nothing of it
        schema = {"type": "string", "format": "binary"} if not _is_json(media_type) else {}
    return _Body(schema, body.get("required") is True, media_type, text_or_none(body.get("description")))


def _best_media_type(content: dict[str, Any]) -> str:
    ranks = (_is_json, lambda name: "form-urlencoded" in name, lambda name: "multipart" in name, lambda _name: True)
    return str(next(name for fits in ranks for name in content if fits(str(name))))


def _is_json(media_type: str) -> bool:
    return "json" in media_type.lower() and "seq" not in media_type.lower()


def _body_arguments(schemas: Schemas, body: _Body) -> list[_Argument]:
    """Return the body's properties as arguments; a body that is no plain object is one argument `body`.

    What the body requires is required also where the body itself may be left out: such a call is right in any case.
    """
    schema = object_or_empty(schemas.followed(body.schema))
    properties, required = parts_of_object(schema)
    is_plain = (
        schema.get("type", "object") == "object"
        and schema.keys().isdisjoint(_COMBINED)
        and not isinstance(schema.get("additionalProperties"), dict)
        and schema.get("nullable") is not True
    )
    if not properties or not is_plain:
        whole = body.schema
        if isinstance(whole, dict) and body.description and "$ref" not in whole and "description" not in whole:
            whole = {**whole, "description": body.description}
        return [_Argument("body", "body", whole, body.required)]
    return [
        _Argument("body", str(name), child, name in required)
        for name, child in properties.items()
        if object_or_empty(child).get("readOnly") is not True
    ]


def _result_schema(schemas: Schemas, operation: dict[str, Any]) -> dict[str, Any] | None:
    """Return schema of the JSON that a call that succeeds gives back; None also where it refers to what is not there."""
    by_code = {str(code): part for code, part in object_or_empty(operation.get("responses")).items()}
    codes = [code for code in sorted(by_code) if code.startswith("2") or code == "default"]
    for code in codes[:1]:  # "default" comes after all numbers
        try:
            response = schemas.followed(by_code[code])
            schema = _response_schema(response) if isinstance(response, dict) else None
            return _closed_response(schemas, schema) if isinstance(schema, dict) else None
        except SpecError:  # the operation can be called all the same
            return None
    return None


def _response_schema(response: dict[str, Any]) -> Any:
    """Return the schema of a response: of its JSON content, or as OpenAPI 2.0 has it."""
    content = response.get("content")
    if isinstance(content, dict):
        json_types = [name for name in content if _is_json(str(name)) and isinstance(content[name], dict)]
        return content[json_types[0]].get("schema") if json_types else None
    return response.get("schema")


def _closed_response(schemas: Schemas, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a response with all definitions that it needs."""
    closed, definitions = schemas.closed_response(schema)
    if closed.keys() == {"$ref"}:  # the definition itself, so that what is in a result stands at its top
        closed = definitions[unescape(closed["$ref"].removeprefix("#/$defs/"))]
    return {**closed, "$defs": definitions} if definitions else closed
