"""A server for the demonstration: a process of its own on a free port, and its API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..errors import HarmonyError

START_SECONDS = 90.0
REQUEST_SECONDS = 120.0

UNLIMITED = ("address-rate", "credential-rate", "enrolment-rate")
"""Limits that a fleet on one machine would run into."""


class DemoServer:
    """`harmony serve` on a fresh SQLite database in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "server.log"
        command = [sys.executable, "-m", "harmony.service"]
        command += [
            "--database",
            str(folder / "harmony.db"),
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--log-level",
            "warning",
        ]
        command += [argument for limit in UNLIMITED for argument in (f"--{limit}", "0")]
        command += ["--be-a-device", "true"]
        self._process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the demonstration, which then stops it
            env={key: text for key, text in os.environ.items() if not key.startswith("HARMONY_")},
        )
        self.url, self._token = "", ""
        try:
            self._become_admin()
        except BaseException:
            self.stop()
            raise

    def _become_admin(self) -> None:
        """Wait for the claim link that a first start prints, and use it."""
        printed, found = threading.Event(), ""
        assert self._process.stderr is not None
        lines = self._process.stderr

        def read() -> None:
            nonlocal found
            with lines, self._log.open("w") as log:
                for line in lines:
                    if "/claim?code=" in line:
                        found = line.strip()
                        printed.set()
                    else:
                        log.write(line)
                        log.flush()
            printed.set()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        if not printed.wait(START_SECONDS) or not found:
            raise HarmonyError(f"the server did not start:\n{self._log.read_text()[-500:]}")
        parts = urlsplit(found)
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._wait_until_ready()
        code = parse_qs(parts.query)["code"][0]
        self._token = self.call("POST", "/v1/claim", {"code": code})["token"]

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.call("GET", "/readyz")
                return
            except (HarmonyError, OSError):
                time.sleep(0.02)  # between two looks at a process that is starting
        raise HarmonyError(f"the server did not start:\n{self._log.read_text()[-500:]}")

    def call(
        self, method: str, path: str, body: Any = None, *, token: str = "", packed: bytes = b""
    ) -> Any:
        """Call the API, as admin unless another token is given; return its response."""
        headers = {"Authorization": f"Bearer {token or self._token}"}
        if packed:
            from ..service.ingest.packed import MEDIA_TYPE

            content, headers["Content-Type"] = packed, MEDIA_TYPE
        else:
            content = b"" if body is None else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, content or None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_SECONDS) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as refused:
            detail = json.loads(refused.read() or b"{}").get("detail", "")
            raise HarmonyError(f"{method} {path}: {refused.code} {detail}") from None

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(5)
