"""An object store on this machine, which speaks S3: moto's server on loopback."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SECRET = "e7cNeverToBeSeen"
BUCKET = "bucket"


@contextmanager
def object_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A server with one bucket, and the environment that leads to it; gives a client of boto3."""
    server = pytest.importorskip("moto.server", reason="moto is not installed: pip install -r tests/clusters.txt")
    pytest.importorskip("s3fs", reason="s3fs is not installed: pip install -r tests/clusters.txt")
    import boto3
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()  # of a server that has ended
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    try:
        yield client
    finally:
        started.stop()


def objects(client: Any, prefix: str) -> dict[str, bytes]:
    """All objects below a prefix, by what follows it."""
    found = client.list_objects_v2(Bucket=BUCKET, Prefix=f"{prefix}/").get("Contents", [])
    keys = [entry["Key"] for entry in found]
    return {key.removeprefix(f"{prefix}/"): client.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}


def files(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def told(data: dict[str, bytes]) -> dict[str, object]:
    """Everything, without how long it took."""
    manifest = json.loads(data["manifest.json"])
    return data | {"manifest.json": {key: manifest[key] for key in manifest if not key.endswith("_seconds")}}
