"""Mutated requests to every route of a real server: no failure, no hang, no growth, no secret.

`make test-mutated` runs many of them; the tests run a few.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from harmony.service.api.admin import DESIGN_SECONDS
from harmony.service.app import api_of
from harmony.service.dashboard.assets import OWN, asset_url
from harmony.service.dashboard.sessions import COOKIE, Sessions, csrf_of
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY
from .devices import any_report, report_body
from .mutations import Mutator, Request
from .postgres import Postgres
from .server_process import ServerProcess, memory_of
from .training import SMALL

HASTY = 2.0
LATE = DESIGN_SECONDS + 30
"""Seconds within which every connection has ended: the longest deadline, and a busy machine."""

REFRESH = 500
"""After so many requests it is seen to that there are valid tokens, and rounds to report to."""

DEADLINES = {f"{stage}_seconds": HASTY for stage in ("head", "body", "response", "idle")}
JSON = ("Content-Type", "application/json")
FORM = ("Content-Type", "application/x-www-form-urlencoded")


class Target:
    """A server with a survey, a training and people, and the requests that it understands."""

    def __init__(self, place: str, log: Path, workers: int = 1) -> None:
        self.log = log
        self.state = ServiceState(Settings.load(database=place))
        self.state.catalogue.add(SURVEY, None)
        self.state.trainings.create(SMALL.to_document(), 3600.0, None)
        self.server = ServerProcess(
            place, log, workers=workers, be_a_device=True, address_connections=0, **DEADLINES
        )
        self.secrets: set[str] = set()
        self._tokens: dict[str, str] = {}
        self._rounds = 0
        self.refresh()

    def refresh(self) -> None:
        """See to it that everyone's credentials are valid, and that a round is open."""
        state = self.state
        state.catalogue.refresh()
        state.credentials.reload()
        sessions = Sessions(state.tokens)
        for role in ("admin", "analyst", "gateway", "enrol"):
            if state.tokens.verify(self._tokens.get(role, "")) is None:
                self._tokens[role] = state.tokens.create(role, role)[0]
        if sessions.visitor(self._tokens.get("session", "")) is None:
            self._tokens["session"] = sessions.sign_in(self._tokens["admin"]) or ""
        self.secrets |= {token.split("_", 2)[2] for token in self._tokens.values()}
        entry = state.catalogue.survey(SURVEY.name)
        if entry.open_round(time.time()) is None:
            self._rounds += 1
            state.catalogue.open(SURVEY.name, f"week{self._rounds}")
        self._open = state.catalogue.survey(SURVEY.name).open_round(time.time())
        self._token_id = state.tokens.create("spare", "analyst")[1].id
        self._routes = list(self._routes_of(api_of(state)))

    @property
    def routes(self) -> int:
        """How many routes there are."""
        return len(self._routes)

    def senders(self) -> tuple[tuple[str, str], ...]:
        """Return the headers of everyone there is, and of nobody."""
        bearers = [("Authorization", f"Bearer {self._tokens[one]}") for one in self._tokens]
        return (*bearers, self._cookie(), self._device(os.urandom(16)), ("X-Nobody", "1"))

    def request(self, number: int) -> Request:
        """Return a request that is understood, to one route after the other."""
        method, path, parameters = self._routes[number % len(self._routes)]
        if path.endswith("/reports"):
            return self._report(path, is_batch=number // len(self._routes) % 2 == 1)
        names = {"name": SMALL.name if "/trainings/" in path else SURVEY.name, "id": self._token_id}
        others = {"label": "latest", "version": "0", "path": "index.js"}
        is_asset = path.startswith("/static")
        filled = asset_url(OWN[0]) if is_asset else path.format(**names, **others)
        is_api = path.startswith("/v1/")
        device = os.urandom(16)
        whose = self._device(device) if path.endswith(("/me", "/task")) else self._bearer("admin")
        request = Request(
            method, filled, (("Host", "x"), whose if is_api else self._cookie()), (), parameters
        )
        if method not in ("POST", "PATCH"):
            return request
        if is_api:
            headers = (*request.headers, JSON)
            return Request(method, filled, headers, (), parameters, self._document(path))
        form = (("csrf", csrf_of(self._tokens["session"])), *FORMS.get(path, ()))
        return Request(method, filled, (*request.headers, FORM), (), parameters, form=form)

    def memory(self) -> float:
        """Return how many MiB the server's processes hold."""
        return memory_of(self.server.process.pid)

    def _routes_of(self, api: Any) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        yield "POST", "/v1/surveys/{name}/reports", ()
        yield "GET", "/v1/trainings/{name}/task", ()
        for one in flat(api.routes):
            dependant = getattr(one, "dependant", None)
            names = tuple(part.name for part in dependant.query_params) if dependant else ()
            for method in sorted(one.methods - {"HEAD"}):
                yield method, one.path.replace(":path", ""), names

    def _report(self, path: str, is_batch: bool) -> Request:
        device, live = os.urandom(16), self._open.live
        report, label = any_report(live, device), live.round.label
        self.secrets.add(device.hex())
        target = path.format(name=SURVEY.name)
        if not is_batch:
            headers = (("Host", "x"), self._device(device), JSON)
            return Request("POST", target, headers, document=report_body(label, report))
        packed = pack(SURVEY.fingerprint, label, report * 3, live.size)
        headers = (("Host", "x"), self._bearer("gateway"), ("Content-Type", MEDIA_TYPE))
        return Request("POST", target, headers, content=packed)

    def _document(self, path: str) -> Any:
        return DOCUMENTS.get(path, {})

    def _bearer(self, role: str) -> tuple[str, str]:
        return "Authorization", f"Bearer {self._tokens[role]}"

    def _cookie(self) -> tuple[str, str]:
        return "Cookie", f"{COOKIE}={self._tokens['session']}"

    def _device(self, device: bytes) -> tuple[str, str]:
        return "Authorization", f"Harmony {device.hex()}.{self.state.credentials.issue(device, 0)}"


ATTRIBUTES = [
    {"name": "battery", "kind": "numeric", "low": 0, "high": 100},
    {"name": "hours", "kind": "numeric", "low": 0, "high": 24, "bins": 4, "missing": 0},
    {"name": "theme", "kind": "categorical", "values": ["dark", "other"], "unlisted": "other"},
    {
        "name": "theme x wifi",
        "kind": "crosstab",
        "of": [
            {"name": "theme", "kind": "categorical", "values": ["a", "b"], "reads": "look"},
            {"name": "wifi", "kind": "boolean", "missing": True},
        ],
    },
]
DOCUMENTS: dict[str, Any] = {
    "/v1/devices": {"key": "serial-1"},
    "/v1/devices/me": {},
    "/v1/surveys": {"name": "other", "epsilon": 1.0, "answers": 2, "attributes": ATTRIBUTES},
    "/v1/surveys/{name}/rounds": {
        "label": "w2",
        "closes": "2030-01-01T00:00:00Z",
        "seed": "0" * 32,
    },
    "/v1/claim": {"code": "hmy_00_00"},
    "/v1/tokens": {"name": "someone", "role": "enrol", "days": 1},
    "/v1/keys/rotate": {"grace_days": 90},
    "/v1/enrolment/list": {"entries": ["serial-1", "serial-2"]},
    "/v1/trainings": {"training": SMALL.to_document(), "step_seconds": 60.0, "least": 1},
    "/v1/sign-in-links": {"name": "someone"},
    "/v1/surveys/{name}/settings": {"retention_days": 20, "public": True, "schedule": None},
    "/v1/trainings/{name}/settings": {"retention_days": 20, "confirm": SMALL.name},
}
_SURVEY_FORM = (
    ("name", "other"), ("epsilon", "1"), ("devices", "1000"), ("schedule", "daily"),
    ("label", "r1"), ("attribute_name", "theme"),
    ("attribute_kind", "categorical"), ("attribute_values", "a, b"),
    ("attribute_low", "0"), ("attribute_high", "1"), ("attribute_bins", "3"), ("wish", "plan"),
)  # fmt: skip
FORMS: dict[str, tuple[tuple[str, str], ...]] = {
    "/sign-in": (("code", "hmy_00_00"), ("next", "/surveys")),
    "/claim": (("code", "hmy_00_00"),),
    "/surveys/{name}/rounds": (("label", "week2"),),
    "/surveys/{name}/close": (("label", "week2"),),
    "/new-survey": _SURVEY_FORM,
    "/new-survey/plan": _SURVEY_FORM,
    "/settings/tokens": (("name", "someone"), ("role", "analyst"), ("days", "1")),
    "/surveys/{name}/settings": (("retention_days", "20"), ("public", "yes"), ("schedule", "")),
    "/surveys/{name}/delete": (("confirm", "other"),),
    "/surveys/{name}/rounds/delete": (("label", "week1"), ("confirm", "week2")),
    "/trainings/{name}/settings": (("retention_days", "40"), ("confirm", SMALL.name)),
    "/settings/schedule": (("survey", SURVEY.name), ("schedule", "")),
}


def flat(routes: list[Any]) -> Iterator[Any]:
    """Yield every route; FastAPI keeps those of an included router inside it."""
    for one in routes:
        if hasattr(one, "path"):
            yield one
        else:
            yield from flat(one.original_router.routes)


@dataclass
class Findings:
    """What came of the requests."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    """MiB after each tenth of the requests."""

    @property
    def growth(self) -> float:
        """MiB that the server took after the first tenth, which warms it up."""
        return max(self.memory) - self.memory[0]

    def __str__(self) -> str:
        waits = sorted(self.seconds)
        places = {share: int(share * (len(waits) - 1)) for share in (0.5, 0.99, 0.999, 1)}
        found = {
            "requests": len(waits),
            "statuses": dict(sorted(self.statuses.items())),
            "seconds": {share: round(waits[place], 3) for share, place in places.items()},
            "memory": [round(one, 1) for one in self.memory],
            "growth": round(self.growth, 1),
            "failures": len(self.failures),
        }
        return json.dumps(found)


async def bombard(target: Target, count: int, seed: int, connections: int) -> Findings:
    """Send so many mutated requests, over connections of their own."""
    found, numbers = Findings(), iter(range(count))

    async def client() -> None:
        for number in numbers:
            if number % REFRESH == REFRESH - 1:
                target.refresh()
            random = Random(f"{seed} {number}")
            sent = Mutator(random, target.senders()).mutate(target.request(number))
            started = time.monotonic()
            try:
                async with asyncio.timeout(LATE):
                    status = await exchange(target.server.port, sent, random)
            except TimeoutError:
                found.failures.append(f"{number}: no end within {LATE:g} s: {sent[:2000]!r}")
                status = 0
            found.seconds.append(time.monotonic() - started)
            found.statuses[status] += 1
            if status >= 500:
                found.failures.append(f"{number}: {status}: {sent[:2000]!r}")
            if len(found.seconds) % max(1, count // 10) == 0:
                found.memory.append(target.memory())

    await asyncio.gather(*(client() for _ in range(connections)))
    return found


async def exchange(port: int, sent: bytes, random: Random) -> int:
    """Send a request and read to the end of the connection; return the first status, or 0.

    Most clients say that they send no more.  The others wait until the server has had enough.
    """
    here = (f"127.0.0.{random.randrange(1, 255)}", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=here)
    status = 0
    try:
        writer.write(sent)
        if random.random() < 0.9:
            writer.write_eof()
        head = b""
        while piece := await reader.read(1 << 16):
            head = (head + piece)[:4096]
            if b"text/event-stream" in head:
                break  # it has no end
        first = head.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
        status = int(first[9:12]) if first.startswith(b"HTTP/1.1 ") else 0
    except OSError:  # refused while the client was still sending
        pass
    finally:
        writer.transport.abort()
    return status


def run(
    folder: Path,
    count: int,
    *,
    place: str = "",
    workers: int = 1,
    seed: int = 1,
    connections: int = 64,
) -> tuple[Findings, Target]:
    """Bombard a server of its own, and hold what it logged against what it was told."""
    target = Target(place or str(folder / "harmony.db"), folder / "server.log", workers)
    with target.server:
        found = asyncio.run(bombard(target, count, seed, connections))
        found.failures += [] if target.server.stop() == 0 else ["the server did not stop well"]
    logged = target.log.read_text()
    found.failures += [f"in the log: {one}" for one in target.secrets if one[:20] in logged]
    if "Traceback" in logged or "request failed" in logged:
        found.failures.append(f"a failure in the log: {logged[-4000:]}")
    return found, target


def main() -> int:
    """Run as many as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="more than 1 takes PostgreSQL")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        is_postgres = given.postgres or given.workers > 1
        place = stack.enter_context(Postgres()).fresh() if is_postgres else ""
        found, _ = run(folder, given.requests, place=place, workers=given.workers, seed=given.seed)
    sys.stdout.write("\n".join([str(found), *found.failures[:20], ""]))
    return 1 if found.failures or found.growth > 50 else 0


if __name__ == "__main__":
    sys.exit(main())
