"""Servers as processes of this environment, each on a port of its own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

MEANING = Path(__file__).resolve().parents[1]
KEY = f"sk-{secrets.token_hex(32)}"  # of the proxy of litellm, which wants one
SECONDS = 400  # until a server that starts is given up


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        return int(made.getsockname()[1])


def _is_there(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@contextlib.contextmanager
def running(words: "list[str]", port: int, folder: Path) -> Iterator[int]:
    """The port, once a server listens there; what it says stands in the folder."""
    path = os.pathsep.join(filter(None, [str(MEANING), os.environ.get("PYTHONPATH")]))
    own = {"HF_HUB_OFFLINE": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY}
    environment = {**os.environ, "PYTHONPATH": path, **own}
    said = folder / f"{port}.log"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *words], stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=folder
        )
        try:
            end = time.monotonic() + SECONDS
            while not _is_there(port):
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"the server does not start: {said.read_text()[-2000:]}")
                time.sleep(0.1)
            yield port
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def uvicorn(port: int, folder: Path) -> "list[str]":
    return ["-m", "uvicorn", "servers.echo:app", "--port", str(port), "--log-level", "warning"]


def uvicorn_h11(port: int, folder: Path) -> "list[str]":
    return [*uvicorn(port, folder), "--http", "h11", "--loop", "asyncio"]


def hypercorn(port: int, folder: Path) -> "list[str]":
    return ["-m", "hypercorn", "servers.echo:app", "--bind", f"127.0.0.1:{port}"]


def hypercorn_tls(port: int, folder: Path) -> "list[str]":
    """With the certificate that stands in the folder."""
    return [*hypercorn(port, folder), "--certfile", "own.pem", "--keyfile", "own.key"]


def granian(port: int, folder: Path) -> "list[str]":
    return ["-m", "granian", "--interface", "asgi", "--port", str(port), "servers.echo:app"]


def tiny_model(port: int, folder: Path) -> "list[str]":
    """transformers' server of a model that is made in the folder."""
    return [str(MEANING / "servers" / "tiny_model.py"), str(folder / "model"), str(port)]


def litellm(port: int, folder: Path, behind: int) -> "list[str]":
    """The proxy of litellm in front of another server."""
    config = folder / "litellm.yaml"
    params = {"model": "openai/m", "api_base": f"http://127.0.0.1:{behind}/v1", "api_key": "none"}
    config.write_text(json.dumps({"model_list": [{"model_name": "m", "litellm_params": params}]}))  # JSON is YAML
    start = "from litellm.proxy.proxy_cli import run_server; run_server()"
    return ["-c", start, "--config", str(config), "--port", str(port), "--host", "127.0.0.1"]


def proxy(port: int, folder: Path) -> "list[str]":
    """A proxy for HTTP and its tunnels."""
    return ["-m", "proxy", "--hostname", "127.0.0.1", "--port", str(port), "--num-workers", "1"]
