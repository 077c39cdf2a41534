"""A real server with something to look at: surveys, rounds, reports, people who may sign in."""

from __future__ import annotations

import json
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import harmony as hm
from harmony.demo.fleet import simulate_fleet
from harmony.demo.live_training import LiveTraining, training_of
from harmony.service.ingest.packed import MEDIA_TYPE, pack_table
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from tests.service.server_process import Connection, ServerProcess

MAKERS = (
    "Alder", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper",
)  # fmt: skip

SURVEY = hm.Survey(
    "phone-diagnostics",
    [
        hm.Numeric("battery use", 0, 100),
        hm.Categorical("theme", ["light", "dark", "auto"]),
        hm.Boolean("location on"),
        hm.Categorical("maker", MAKERS),
    ],
    epsilon=1.0,
)
WORDS = hm.Exploration("words", hm.Text("word", bits=14), 4.0, devices=6_000, mistakes=1e-6)


QUESTIONS = hm.Survey(
    "screen-habits",
    [
        hm.Distribution("screen", 0, 600),
        hm.Boolean("wifi"),
        hm.Categorical("theme", ["light", "dark", "auto"]),
        hm.Crosstab("wifi", "theme"),
        hm.Crosstab("theme", hm.Numeric("battery", 0, 100)),
    ],
    epsilon=2.0,
)


@dataclass
class Site:
    """The server, and how to talk to it."""

    server: ServerProcess
    admin: str
    analyst: str
    gateway: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def call(self, method: str, path: str, body: Any = None, *, token: str = "") -> Any:
        """Call the API as an admin; return its answer."""
        connection = Connection(self.server.port)
        headers = {"Authorization": f"Bearer {token or self.admin}"}
        status, answer = connection.request(method, path, body, headers)
        connection.close()
        assert status < 300, (status, answer)
        return answer

    def link(self, token: str) -> str:
        """Return a one-time sign-in link for a token's holder."""
        return str(self.call("POST", "/v1/sign-in-links", token=token)["link"])

    def report(self, survey: hm.Survey, label: str, devices: int, first: int, seed: int) -> None:
        """Let simulated people report through a gateway."""
        self.report_table(survey, label, people(devices, seed), first)

    def report_table(self, survey: hm.Survey, label: str, table: Any, first: int) -> None:
        """Let the people of a table report through a gateway."""
        rounds = self.call("GET", f"/v1/surveys/{survey.name}/rounds")["rounds"]
        seed_hex = next(one["seed"] for one in rounds if one["label"] == label)
        opened = hm.Round(label, bytes.fromhex(seed_hex))
        reports = survey.randomize(table, round=opened, first=first)
        body = pack_table(survey, label, reports)
        self.bring(survey.name, body)

    def bring(self, name: str, packed: bytes) -> None:
        """Bring packed reports to a survey or a training, as a gateway does."""
        request = urllib.request.Request(
            f"{self.url}/v1/surveys/{name}/reports", packed, method="POST",
            headers={"Authorization": f"Bearer {self.gateway}", "Content-Type": MEDIA_TYPE},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200

    def live_training(self, devices: int, epsilon: float = 4.0) -> LiveTraining:
        """Start a training on an invented fleet."""
        training = training_of(devices, epsilon)
        return LiveTraining(self, training, simulate_fleet(devices, 7), 7)

    def finish(self, training: LiveTraining) -> None:
        """Let the fleet answer step after step until the training ends."""

        def bring(survey: hm.Survey, label: str, reports: Any) -> None:
            self.bring(training.training.name, pack_table(survey, label, reports))

        training.run(0, bring, lambda progress: None)

    def live_exploration(self) -> None:
        """Start an exploration of a short text."""
        self.call("POST", "/v1/explorations", {"exploration": WORDS.to_document()})

    def explore(self, words: list[str]) -> None:
        """Let devices with these words answer step after step until the exploration ends."""
        path, first = f"/v1/explorations/{WORDS.name}", 0
        while (now := self.call("GET", path))["state"] == "running":
            step = now["steps"][-1]
            last = first + max(0, step["wanted"] - step["reports"])
            if last == first:
                time.sleep(0.1)  # the step is about to close
                continue
            device = self.call("POST", "/v1/devices", {})
            request = urllib.request.Request(
                f"{self.url}/v1/trainings/{WORDS.name}/task",
                headers={"Authorization": f"Harmony {device['device']}.{device['credential']}"},
            )
            with urllib.request.urlopen(request, timeout=30) as answer:
                task = json.loads(answer.read() or b"{}")
            if task.get("step") != step["number"]:
                continue
            opened = task["round"]
            survey = hm.Survey.from_document(task["survey"])
            round = hm.Round(opened["label"], bytes.fromhex(opened["seed"]))
            reports = survey.randomize({"word": words[first:last]}, round=round, first=first)
            self.bring(WORDS.name, pack_table(survey, round.label, reports))
            first = last


def people(devices: int, seed: int) -> dict[str, Any]:
    """Invent the phones of `SURVEY`; habits shift a little with the seed."""
    random = np.random.default_rng(seed)
    makers = 1 / np.arange(1, 11) ** 0.9
    return {
        "battery use": 100 * random.beta(5, 3 - 0.1 * (seed % 8), devices),
        "theme": random.choice(["light", "dark", "auto"], devices, p=[0.5, 0.3, 0.2]),
        "location on": random.random(devices) < 0.62,
        "maker": random.choice(MAKERS, devices, p=makers / makers.sum()),
    }


def habits(devices: int, seed: int) -> dict[str, Any]:
    """Invent the phones of `QUESTIONS`: dark themes go with wifi and long evenings."""
    random = np.random.default_rng(seed)
    theme = random.choice(3, devices, p=[0.5, 0.3, 0.2])
    return {
        "screen": np.minimum(random.gamma(2, 50 + 20 * theme, devices), 600),
        "wifi": random.random(devices) < 0.4 + 0.15 * theme,
        "theme": np.array(["light", "dark", "auto"])[theme],
        "battery": np.clip(random.normal(60 - 10 * theme, 15), 0, 100),
    }


def ask_habits(site: Site, devices: int = 100_000, rounds: int = 2) -> None:
    """Collect rounds of `QUESTIONS`."""
    site.call("POST", "/v1/surveys", QUESTIONS.to_document())
    for number in range(rounds):
        label = f"2026-W{45 + number}"
        site.call("POST", f"/v1/surveys/{QUESTIONS.name}/rounds", {"label": label})
        site.report_table(QUESTIONS, label, habits(devices, number), first=0)
        if number < rounds - 1:
            site.call("POST", f"/v1/surveys/{QUESTIONS.name}/rounds/{label}/close")


def started(folder: Path, **settings: Any) -> Site:
    """Start a server on a fresh database, with a token for each role."""
    place = str(folder / "harmony.db")
    state = ServiceState(Settings.load(database=place))
    tokens = [
        state.tokens.create(name, role)[0]
        for name, role in (("Ada", "admin"), ("Grace", "analyst"), ("gateway", "gateway"))
    ]
    state.database.close()
    return Site(ServerProcess(place, folder / "server.log", **settings).start(), *tokens)


def fill(site: Site, rounds: int = 6, devices: int = 40_000) -> None:
    """Collect some rounds, the last of which is open still."""
    site.call("POST", "/v1/surveys", SURVEY.to_document())
    for number in range(rounds):
        label = f"2026-W{41 + number}"
        site.call("POST", f"/v1/surveys/{SURVEY.name}/rounds", {"label": label})
        site.report(SURVEY, label, devices, first=0, seed=number)
        if number < rounds - 1:
            site.call("POST", f"/v1/surveys/{SURVEY.name}/rounds/{label}/close")
