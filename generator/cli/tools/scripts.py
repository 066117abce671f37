"""What `tools check` prints of a file of scripts."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from generator.scenarios.scripts.trial import Fault

_LONGEST = 160


def check_scripts(specs: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """Print the scripts of those files that hold some; return the other files, and how many scripts have a fault."""
    from generator.run.scripts import holds_scripts

    held = [spec for spec in specs if holds_scripts(Path(spec))]
    return tuple([spec for spec in specs if spec not in held]), sum([_check(Path(spec)) for spec in held])


def _check(path: Path) -> int:
    """Print each script with what is wrong with it; return how many are refused or lose a wording."""
    from generator.cli.screen.terminal import count
    from generator.run.scripts import try_scripts

    tried = faulty = 0
    for trial in try_scripts(path):
        tried, faulty = tried + 1, faulty + bool(trial.faults)
        if trial.script is not None:
            kept = "some wordings are left out" if trial.faults else "fine"
            worlds = f"{trial.rows} rows proven, {trial.worlds:.1f} worlds a row"
            click.echo(f"{trial.name}  {trial.script.shape}  {kept}: {worlds}")
        elif trial.name:
            click.echo(f"{trial.name}  refused")
        for fault in trial.faults:
            _print_fault(fault)
    click.echo(f"{count(tried, 'script', 'scripts')}: {count(faulty, 'with a fault', 'with faults')}")
    return faulty


def _print_fault(fault: "Fault") -> None:
    from generator.cli.screen.terminal import on_one_line
    from generator.core.conversation import Conversation
    from generator.run.transcript import lines_of

    click.echo(f"  {on_one_line(fault.text)}")
    for line in lines_of(Conversation(fault.row), _LONGEST):
        click.echo(f"    {on_one_line(line)[:_LONGEST]}")
