"""Of a tool all of whose example calls have results no other call is made: not in lists, not from a link."""

from pathlib import Path

import yaml
from workbench import load, rows, workshop

WORDS = """
tools:
  - name: look_up_word
    description: Look up a word in a language.
    parameters: {type: object, properties: {word: {type: string}, language: {type: string, enum: [English, Latin, Greek]}, length: {type: integer, minimum: 1, maximum: 50}}, required: [word, language, length]}
    returns: {type: object, properties: {meaning: {type: string}}, required: [meaning]}
    example_calls:
      - {arguments: {word: hinge, language: English, length: 4}, result: {meaning: what a door turns on}}
      - {arguments: {word: lift, language: English, length: 4}, result: {meaning: a box that goes up and down}}
      - {arguments: {word: lift, language: English, length: 9}, result: {meaning: "a box that goes up and down, for people or for goods"}}
      - {arguments: {word: cardo, language: Latin, length: 4}, result: {meaning: what a door turned on}}
      - {arguments: {word: anax, language: Greek, length: 50}, result: {meaning: a ruler}}
    phrases:
      request: ["look up {word:quoted} in {language} in {length} {length?word|words}"]
      again: ["{word:quoted} in {language} in {length} {length?word|words}"]
      slots: {word: ["for {word:quoted}"], language: ["in {language}"], length: ["in {length} {length?word|words}"]}
      vary: [word]
      answer: ["It is {meaning:quoted}."]
  - name: list_words
    description: List the words of the day.
    parameters: {type: object, properties: {day: {type: string, enum: [today, yesterday]}}, required: [day]}
    returns: {type: object, properties: {words: {type: array, minItems: 2, maxItems: 3, items: {type: object, properties: {word: {type: string, examples: [hinge, lift, cardo, anax, elevator]}}, required: [word]}}}, required: [words]}
    phrases: {request: ["list the words of {day}"], answer: ["The words are {words}."], each: {words: ["{word}"]}}
"""


def test_only_the_calls_that_somebody_wrote_are_made(tmp_path: Path):
    known = [one["arguments"] for one in yaml.safe_load(WORDS)["tools"][0]["example_calls"]]
    calls = made_of(tmp_path, "parallel", WORDS)
    assert all(one in known for one in calls)
    assert len({str(one) for one in calls}) > 1


def test_a_link_leads_to_no_other_call(tmp_path: Path):
    linked = WORDS.replace(
        "    example_calls:", '    links: {word: "list_words#/words/*/word"}\n    example_calls:'
    ).replace("vary: [word]", 'follow_up: ["look up {word} in {language} in {length} {length?word|words}"]')
    known = [one["arguments"] for one in yaml.safe_load(WORDS)["tools"][0]["example_calls"]]
    assert load(tmp_path, linked)["look_up_word"].links
    assert all(one in known for one in made_of(tmp_path, "sequential", linked))


def made_of(folder: Path, scenario: str, text: str) -> list[dict]:
    """The arguments of the calls of a few rows."""
    made = rows(workshop(folder, scenario, text=text), 12)
    return [
        call.arguments
        for one in made
        for message in one.row.conversation.messages
        for call in getattr(message, "tool_calls", ())
        if call.name == "look_up_word"
    ]


LISTED = """
tools:
  - name: list_issues
    description: List the issues of a project.
    parameters: {type: object, properties: {owner: {type: string, enum: [harbour]}, project: {type: string, enum: [lift, door]}, state: {type: string, enum: [open, closed]}, label: {type: string, enum: [bug, idea]}}, required: [owner, project]}
    returns: {type: object, properties: {count: {type: integer}}, required: [count]}
    phrases: {request: ["list the issues of {owner} {project}"], again: ["of {owner} {project}"], slots: {state: ["that are {state}"], label: ["with the label {label}"]}, answer: ["There are {count} issues."]}
"""


def test_calls_of_one_list_are_about_different_things(tmp_path: Path):
    made = rows(workshop(tmp_path, "parallel", text=LISTED, calls=(2, 2)), 12)
    for one in made:
        calls = [
            call.arguments for message in one.row.conversation.messages for call in getattr(message, "tool_calls", ())
        ]
        assert [call["project"] for call in calls] in (["lift", "door"], ["door", "lift"])
    optional = (
        LISTED.replace("required: [owner, project]", "required: []")
        .replace('"list the issues of {owner} {project}"', "list the issues")
        .replace("slots: {", 'slots: {owner: ["by {owner}"], project: ["of {project}"], ')
        .replace('again: ["of {owner} {project}"]', "several: [list these issues], entry: [all issues]")
    )
    for one in rows(workshop(tmp_path, "parallel", text=optional, calls=(2, 2)), 12):
        first, second = [
            {*call.arguments.items()}
            for message in one.row.conversation.messages
            for call in getattr(message, "tool_calls", ())
        ]
        assert not first <= second
        assert not second <= first
