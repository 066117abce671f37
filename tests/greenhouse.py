"""A server of a greenhouse, what a good author says of it, and faults to plant into that."""

import copy
import json
from pathlib import Path
from typing import Any


def _function(name: str, about: str, required: list[str], reads: bool, **arguments: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": arguments, "required": required, "additionalProperties": False}
    return {"name": name, "description": about, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}


_BED = {"type": "string", "description": "ID of the bed, e.g. 'BED-12'"}
TOOLS_LIST = [
    _function(
        "read_sensor",
        "Read the climate of a bed.",
        ["bed_id"],
        True,
        bed_id=_BED,
        scale={"type": "string", "enum": ["celsius", "fahrenheit"], "description": "Scale of the temperature"},
    ),
    _function(
        "list_plants",
        "List plants of the greenhouse.",
        [],
        True,
        bed_id=_BED,
        variety={"type": "string", "description": "Name of the variety"},
        include_wilted={"type": "boolean", "description": "Whether wilted plants are listed, too"},
        last_days={
            "type": "integer",
            "minimum": 2,
            "maximum": 60,
            "description": "Only plants sown in the last so many days",
        },
        cursor={"type": "string", "description": "Cursor of the next page"},
    ),
    _function(
        "set_fan_speed",
        "Set the speed of a bed's fan.",
        ["bed_id", "speed"],
        False,
        bed_id=_BED,
        speed={"type": "integer", "minimum": 5, "maximum": 100, "description": "Speed in percent"},
        quiet={"type": "boolean", "description": "Keep noise low"},
    ),
    _function(
        "move_plant",
        "Move a plant from one bed to another.",
        ["plant_id", "origin", "destination"],
        False,
        plant_id={"type": "string", "description": "ID of the plant, e.g. 'PLA-204'"},
        origin={"type": "string", "description": "ID of the bed where it stands, e.g. 'BED-12'"},
        destination={"type": "string", "description": "ID of the bed where it goes, e.g. 'BED-14'"},
    ),
]

SERVER: dict[str, Any] = {
    "entities": {
        "plant": {
            "key": "plant_id",
            "count": [5, 8],
            "fields": {
                "plant_id": {"type": "string", "pattern": "^PLA-[2-8][0-9]{2}$"},
                "variety": {
                    "type": "string",
                    "examples": [
                        "Moneymaker",
                        "Gardener's Delight",
                        "Black Krim",
                        "Shirley",
                        "Sungold",
                        "Brandywine",
                        "Roma",
                        "Tigerella",
                    ],
                },
                "age_days": {"type": "integer", "minimum": 3, "maximum": 90},
                "sown": {"type": "string", "format": "date", "x-when": "past"},
                "state": {"states": ["growing", "wilted"]},
            },
            "called": ["variety"],
        }
    },
    "tools": {
        "list_plants": {
            "effect": {"find": "plant", "by": {"variety": "variety"}, "at": "plants", "sort": "sown"},
            "result": {"plants": ["plant_id", "variety", "age_days", "sown", "state"]},
        }
    },
}

GOOD: dict[str, dict[str, Any]] = {
    "read_sensor": {
        "patterns": {"bed_id": "BED-[1-4][0-9]"},
        "returns": {
            "type": "object",
            "properties": {
                "bed_id": {"type": "string"},
                "temperature": {"type": "number", "minimum": 12, "maximum": 34, "multipleOf": 0.5},
                "humidity": {"type": "integer", "minimum": 30, "maximum": 90, "description": "Relative, in percent"},
                "condition": {"type": "string", "enum": ["healthy", "too dry", "too damp"]},
            },
            "required": ["bed_id", "temperature", "humidity", "condition"],
        },
        "phrases": {
            "request": [
                "check the climate in bed {bed_id}",
                "read the sensor of bed {bed_id}",
                "tell me how bed {bed_id} is doing",
            ],
            "question": ["how warm is it in bed {bed_id}", "what's the climate like in bed {bed_id}"],
            "slots": {"scale": {"celsius": ["in Celsius"], "fahrenheit": ["in Fahrenheit"]}},
            "answer": [
                "Bed {bed_id} is at {temperature} degrees with {humidity}% humidity and it's {condition}.",
                "It's {condition} in bed {bed_id}: {temperature} degrees and {humidity}% humidity.",
                {
                    "when": {"condition": "healthy"},
                    "say": "All is healthy in bed {bed_id}, at {temperature} degrees and {humidity}% humidity.",
                },
            ],
        },
    },
    "list_plants": {
        "patterns": {"bed_id": "BED-[1-4][0-9]"},
        "say": {"cursor": "never"},
        "phrases": {
            "request": ["list the plants", "show me the plants", "show me the {variety} plants"],
            "question": ["which plants are there"],
            "found": ["the plants"],
            "slots": {
                "bed_id": ["in bed {bed_id}"],
                "variety": ["of the variety {variety}"],
                "include_wilted": {"true": ["including wilted ones"], "false": ["without the wilted ones"]},
                "last_days": ["sown in the last {last_days} days"],
            },
            "pick": {
                "plants": [
                    {"say": "the oldest one", "by": "max age_days"},
                    {"say": "the youngest one", "by": "min age_days"},
                ]
            },
            "answer": [
                "I found {plants#} {plants#?plant|plants}: {plants}.",
                "There {plants#?is|are} {plants#} {plants#?plant|plants}: {plants}.",
            ],
            "each": {
                "plants": [
                    "{variety} ({plant_id}), sown on {sown}, {state}",
                    "{plant_id}: {variety}, {state}, sown on {sown}",
                ]
            },
        },
    },
    "set_fan_speed": {
        "patterns": {"bed_id": "BED-[1-4][0-9]"},
        "phrases": {
            "request": [
                "set the fan of bed {bed_id} to {speed:percentage}",
                "run the fan in bed {bed_id} at {speed:percentage}",
            ],
            "slots": {"quiet": {"true": ["but keep it quiet"], "false": ["no matter how loud it gets"]}},
            "ask": {"speed": ["How fast should the fan run?"]},
            "answer": [
                "I've set the fan of bed {args.bed_id} to {args.speed:percentage}.",
                "The fan of bed {args.bed_id} now runs at {args.speed:percentage}.",
            ],
        },
    },
    "move_plant": {
        "patterns": {"plant_id": "PLA-[2-8][0-9]{2}", "origin": "BED-1[0-9]", "destination": "BED-2[0-9]"},
        "relations": ["origin != destination"],
        "phrases": {
            "request": [
                "move plant {plant_id} from bed {origin} to bed {destination}",
                "put plant {plant_id} from bed {origin} into bed {destination}",
            ],
            "answer": [
                "I've moved plant {args.plant_id} to bed {args.destination}.",
                "Plant {args.plant_id} is in bed {args.destination} now.",
            ],
        },
    },
}

Planted = tuple[str, tuple[str, ...], Any, str, dict[str, Any] | None]
"""Tool, piece, what is added to it, a part of its text, and what an honest reader says of it (None: words alone tell)."""

READS = {"beyond": "something else"}
FAULTS: list[Planted] = [
    ("list_plants", ("slots", "include_wilted", "true"), "without any wilted ones", "without any wilted", None),
    ("list_plants", ("slots", "include_wilted", "false"), "with wilted ones, too", "with wilted ones", None),
    (
        "list_plants",
        ("pick", "plants"),
        {"say": "the plant of greatest age", "by": "min age_days"},
        "greatest age",
        {"pick": "greatest age_days"},
    ),
    ("list_plants", ("pick", "plants"), {"say": "the oldest plant", "by": "min age_days"}, "the oldest plant", None),
    ("list_plants", ("pick", "plants"), {"say": "the newest plant", "by": "min sown"}, "the newest plant", None),
    (
        "list_plants",
        ("slots", "last_days"),
        "up to {last_days} days old",
        "up to [",
        {"operators": {"A": "at most"}, "beyond": "an age"},
    ),
    ("read_sensor", ("answer",), "Bed {bed_id} has {humidity}°C and {temperature} of humidity.", "has", None),
    ("read_sensor", ("answer",), "Bed {bed_id} looks healthy at {temperature} degrees.", "looks healthy", None),
    ("read_sensor", ("slots", "scale", "celsius"), "in degrees Fahrenheit, please", "degrees Fahrenheit", None),
    ("read_sensor", ("question",), "could you turn up the heat in bed {bed_id}", "turn up the heat", {"tool": "none"}),
    ("read_sensor", ("request",), "delete the readings of bed {bed_id}", "delete the readings", None),
    ("read_sensor", ("request",), "check the climate in plant {bed_id}", "climate in plant", None),
    ("read_sensor", ("request",), "check the climate in bed {bed_id} right now", "right now", {"beyond": "right now"}),
    (
        "read_sensor",
        ("request",),
        "perform climate data acquisition for bed identifier {bed_id}",
        "acquisition",
        {"natural": False},
    ),
    ("read_sensor", ("request",), "check how the bed {bed_id} it is going", "it is going", {"natural": False}),
    ("set_fan_speed", ("request",), "slow the fan of bed {bed_id} down to {speed:percentage}", "down to", None),
    (
        "set_fan_speed",
        ("request",),
        "set the fan of bed {bed_id} to {speed:percentage} for an hour",
        "for an hour",
        {"beyond": "for an hour"},
    ),
    (
        "set_fan_speed",
        ("answer",),
        "The fan of bed {args.bed_id} runs at {args.speed:percentage} and the bed stays cool.",
        "stays cool",
        {"beyond": "the bed stays cool"},
    ),
    ("set_fan_speed", ("ask", "speed"), "Which bed do you mean?", "Which bed", {"asks": "bed_id"}),
    (
        "move_plant",
        ("request",),
        "take plant {plant_id} from bed {destination} to bed {origin}",
        "take plant",
        {"slots": {"A": "plant_id", "B": "origin", "C": "destination"}},
    ),
    (
        "move_plant",
        ("request",),
        "move plant {plant_id} from bed {origin} to bed {destination} and tell the gardener",
        "tell the gardener",
        {"beyond": "tell the gardener"},
    ),
    ("list_plants", ("slots", "variety"), "grown by {variety}", "grown by", {"slots": {"A": "grower"}}),
    ("list_plants", ("each", "plants"), "{variety}, {age_days}% grown", "% grown", None),
    (
        "list_plants",
        ("question",),
        "which plants are there with their gardeners' numbers",
        "gardeners' numbers",
        {"beyond": "phone numbers"},
    ),
]
"""Faults of phrases; those of values and of what is never said follow."""
WHOLE: list[Planted] = [
    ("list_plants", ("kinds", "variety"), "city", "values for variety", {"fits": False}),
    ("list_plants", ("say", "variety"), "never", "never", None),
]


def write_server(folder: Path) -> Path:
    """The server's answer to `tools/list` as a file."""
    path = folder / "greenhouse.json"
    path.write_text(json.dumps({"tools": TOOLS_LIST}))
    return path


def with_faults(planted: list[Planted]) -> dict[str, dict[str, Any]]:
    """What the good author says, with faults beside it."""
    said = copy.deepcopy(GOOD)
    for tool, path, value, _, _ in planted:
        if path[0] in ("kinds", "say"):
            said[tool].setdefault(path[0], {})[path[1]] = value
            continue
        inside = said[tool]["phrases"]
        for step in path[:-1]:
            inside = inside.setdefault(step, {})
        inside.setdefault(path[-1], []).append(value)
    return said
