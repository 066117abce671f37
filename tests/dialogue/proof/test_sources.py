"""Where values come from that a request does not say: each has a claim of its source, which holds."""

from pathlib import Path

from workbench import recipe, rows, write_tools

from generator.run.row import prepare

TOOL = """
tools:
  - type: function
    function:
      name: find_ticket
      parameters:
        type: object
        properties: {desk: {type: string, minLength: 3}, number: {type: integer, minimum: 1, maximum: 99}}
        required: [desk, number]
    returns: {type: object, properties: {title: {type: string}}, required: [title]}
    say: {desk: never}
"""


def test_the_system_message_states_what_nobody_says(tmp_path: Path) -> None:
    for made in rows(prepare(recipe([write_tools(tmp_path, TOOL, "desk.yaml")], "single")), 4):
        sources = {claim.pointer: claim.source for claim in made.row.proof.arguments}
        assert sources == {"/desk": "context", "/number": "user"}
