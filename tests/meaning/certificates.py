"""A certificate for this machine, and the authority behind it, which nobody else knows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\nauthorityKeyIdentifier=keyid\n"


def make(folder: Path) -> None:
    """Write ca.pem, own.pem and own.key."""
    if shutil.which("openssl") is None:
        pytest.skip("ALOUD: tests of TLS: openssl is not installed")

    def run(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    (folder / "names").write_text(NAMES)
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")  # Python 3.13 wants it said
    run("req", "-x509", *new, *usage, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Plays", "-days", "2")
    run("req", *new, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=localhost")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    run("x509", "-req", "-in", "own.csr", *signing, "-out", "own.pem")
