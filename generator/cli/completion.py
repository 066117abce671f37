"""`completion`: what a shell needs to complete our commands."""

import click

COMMAND = "tool-use-generator"
"""The console script; `python -m generator` is the same program, but no shell completes the arguments of a module."""


@click.command(short_help="Print a script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which SHELL completes the words behind `tool-use-generator`.

    bash and zsh: eval "$(tool-use-generator completion bash)"; fish: tool-use-generator completion fish | source
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"click knows no {shell}")
    variable = f"_{COMMAND.upper().replace('-', '_')}_COMPLETE"
    click.echo(made(click.get_current_context().find_root().command, {}, COMMAND, variable).source())
