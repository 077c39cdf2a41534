"""A server that speaks docs/protocol.md, in memory, and fails when a test asks it to."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from harmony_device.errors import ServerError
from harmony_device.transport import Reply

Answer = tuple[int, dict[str, str], bytes]


class FakeServer:
    """Devices, surveys and reports; `faults` says what goes wrong with the next requests.

    A fault is a status, a (status, headers) pair, "lost request" or "lost reply".
    """

    def __init__(self, *documents: dict[str, Any]) -> None:
        self.devices: dict[str, str] = {}
        self.reports: dict[tuple[str, str, str], str] = {}
        self.seen: list[tuple[str, str, str]] = []
        self.faults: list[Any] = []
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.enrolments = 0
        self.enrolled = "2026-11-01T00:00:00Z"
        self.enrolled_before: str | None = None
        self.listing: Any = None
        self.trainings: list[dict[str, Any]] = []
        self.tasks: dict[str, dict[str, Any]] = {}
        self.numbers: dict[str, Any] = {}
        self._documents: dict[str, bytes] = {}
        self._rounds: dict[str, tuple[str, str] | None] = {}
        self._lock = threading.Lock()
        for document in documents:
            self.publish(document)

    def publish(
        self, document: dict[str, Any], label: str = "1", number: int | None = None
    ) -> None:
        """Open a round of a survey."""
        body = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
        self._documents[document["name"]] = body
        self.open_round(document["name"], label, number)

    def open_round(self, name: str, label: str, number: Any = None) -> None:
        """Close the survey's round and open another."""
        self._rounds[name] = (label, sha256(f"{name} {label}".encode()).hexdigest()[:32])
        self.numbers[name] = number

    def train(self, step: dict[str, Any]) -> None:
        """Open a step of a training, and close the one before; other trainings go on."""
        name = step["training"]
        self._rounds[name] = (step["round"]["label"], step["round"]["seed"])
        others = [one for one in self.trainings if one["name"] != name]
        self.trainings = [*others, {"name": name, "epsilon": step["survey"]["epsilon"]}]
        self.tasks[name] = step

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each survey."""
        return {name: sha256(body).hexdigest() for name, body in self._documents.items()}

    def close_round(self, name: str) -> None:
        """Close the survey's round."""
        self._rounds[name] = None

    def paths(self) -> Counter[str]:
        """Return how often each request was made."""
        return Counter(f"{method} {path}" for method, path, _, _ in self.requests)

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | None:
        """Answer one request; None loses it."""
        with self._lock:
            content = json.loads(body) if body else None
            self.requests.append((method, path, dict(headers), content))
            if method == "POST" and path.endswith("/reports"):
                self.seen.append((path.split("/")[3], content["round"], content["report"]))
            fault = self.faults.pop(0) if self.faults else None
            if fault == "lost request":
                return None
            if isinstance(fault, int):
                return self._problem(fault)
            if isinstance(fault, tuple):
                return self._problem(*fault)
            answer = self._route(method, path, headers, content)
            return None if fault == "lost reply" else answer

    def _route(self, method: str, path: str, headers: Mapping[str, str], content: Any) -> Answer:
        place = path.split("/")[1:]
        if (method, path) == ("POST", "/v1/devices"):
            self.enrolments += 1
            device = sha256(f"device {self.enrolments}".encode()).hexdigest()[:32]
            self.devices[device] = f"secret-{self.enrolments}"
            return self._json(201, self._identity(device))
        if (method, path) == ("GET", "/v1/surveys"):
            surveys = self.listing or list(map(self._listed, self._documents))
            listed = {"protocol": 1, "surveys": surveys, "trainings": self.trainings}
            return self._json(200, listed)
        if method == "GET" and place[:2] == ["v1", "surveys"] and place[2] in self._documents:
            return 200, {"Content-Type": "application/json"}, self._documents[place[2]]
        caller = self._caller(headers)
        if caller is None:
            return self._problem(401)
        if (method, path) == ("POST", "/v1/devices/me"):
            self.devices[caller] += "-renewed"
            return self._json(200, self._identity(caller))
        if (method, path) == ("DELETE", "/v1/devices/me"):
            del self.devices[caller]
            self.reports = {key: one for key, one in self.reports.items() if key[2] != caller}
            return 204, {}, b""
        if method == "GET" and place[1] == "trainings":
            return self._json(200, self.tasks[place[2]])
        if method == "POST" and place[2] in self._rounds and place[3] == "reports":
            return self._report(caller, place[2], content)
        return self._problem(404)

    def _identity(self, device: str) -> dict[str, str]:
        credential = self.devices[device]
        return {"device": device, "credential": credential, "enrolled": self.enrolled}

    def _report(self, caller: str, survey: str, content: Any) -> Answer:
        if content["report"][:32] != caller:
            return self._problem(403)
        key = survey, content["round"], caller
        if key in self.reports:
            return (
                self._json(200, {})
                if self.reports[key] == content["report"]
                else self._problem(409)
            )
        opened = self._rounds[survey]
        if opened is None or opened[0] != content["round"]:
            return self._problem(410)
        self.reports[key] = content["report"]
        return self._json(201, {})

    def _listed(self, name: str) -> dict[str, Any]:
        document = json.loads(self._documents[name])
        opened = self._rounds[name]
        return {
            "name": name,
            "fingerprint": sha256(self._documents[name]).hexdigest(),
            "epsilon": document["epsilon"] if "epsilon" in document else max(document["tiers"]),
            "round": opened
            and {
                "label": opened[0],
                "seed": opened[1],
                "closes": None,
                "enrolled_before": self.enrolled_before,
                **({} if self.numbers[name] is None else {"number": self.numbers[name]}),
            },
        }

    def _caller(self, headers: Mapping[str, str]) -> str | None:
        scheme, _, proof = headers.get("Authorization", "").partition(" ")
        device, _, credential = proof.partition(".")
        return device if scheme == "Harmony" and self.devices.get(device) == credential else None

    def _json(self, status: int, content: Any) -> Answer:
        return status, {"Content-Type": "application/json"}, json.dumps(content).encode()

    def _problem(self, status: int, headers: dict[str, str] | None = None) -> Answer:
        body = json.dumps({"type": f"https://harmony.example/problems/{status}"}).encode()
        return status, {"Content-Type": "application/problem+json", **(headers or {})}, body


class DirectTransport:
    """Reaches a FakeServer without a socket; `step` is called around every request."""

    def __init__(self, server: FakeServer, step: Callable[[str], None] = lambda name: None) -> None:
        self.server = server
        self.step = step
        self.online = True

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Reply:
        if not self.online:
            raise ServerError("offline")
        self.step(f"before {method} {path}")
        answer = self.server.handle(method, path, headers, body or b"")
        self.step(f"after {method} {path}")
        if answer is None:
            raise ServerError("no answer")
        status, sent, content = answer
        return Reply(status, {name.lower(): value for name, value in sent.items()}, content)

    def close(self) -> None:
        pass


@contextmanager
def serving(server: FakeServer) -> Iterator[str]:
    """Serve over HTTP on loopback, and yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = server.handle(self.command, self.path, dict(self.headers), body)
            if answer is None:
                self.close_connection = True
                return
            status, headers, content = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815  the names http.server looks for

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        http.block_on_close = False
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()
