"""Vectors of whole reports: surveys of every kind, and who answers them."""

from __future__ import annotations

from typing import Any

from reference import (
    read,
    reported,
)
from seeds import some_bytes
from silence import people, silent_survey, told

from harmony import Boolean, Categorical, Crosstab, Distribution, Integer, Numeric, Survey
from harmony.attributes import Signed

TOTAL = 1 << 53


def surveys() -> dict[str, dict[str, Any]]:
    """The surveys of the reports, by name."""
    ages = Numeric("age", 0, 120, bins=[0, 18, 30, 45, 60, 75, 120], missing=40)
    paper = Survey(
        "paper",
        [Numeric("battery", 0, 100), Categorical("theme", ["light", "dark", "auto"]),
         Boolean("wifi"), Categorical("city", [f"city {i}" for i in range(20)]), ages],
        epsilon=1.0, mechanism="harmony",
    )  # fmt: skip
    best = Survey(
        "best",
        [Numeric("battery", 0, 100, weight=3), Categorical("theme", ["light", "dark", "größer"]),
         Integer("cards", 0, 15), ages],
        epsilon=1.0,
    )  # fmt: skip
    several = Survey(
        "several",
        [Boolean(f"setting {i}", weight=1 + i % 3) for i in range(8)],
        epsilon=6.0,
        answers=3,
    )
    tiers = Survey(
        "tiers", [Boolean("wifi"), Categorical("plan", list("abcdefg"))], tiers=[0.5, 2.0]
    )
    wide = Survey("wide", [Integer("minute", 0, 299), Boolean("wifi")], epsilon=6.0, answers=2)
    step = Survey(
        "step",
        [Signed("theme slope", ["light", "dark", "auto"]),
         Signed("wifi slope", [False, True], weight=2),
         Signed("city slope", [f"city {i}" for i in range(20)]), Numeric("battery slope", -1, 1)],
        epsilon=0.5,
    )  # fmt: skip
    theme, wifi = Categorical("theme", ["light", "dark", "größer"]), Boolean("wifi")
    battery = Numeric("battery", 0, 100)
    pairs = Survey(
        "pairs",
        [theme, wifi, battery, Distribution("age", 0, 120, bins=16, missing=40),
         Crosstab("theme", "wifi"), Crosstab("theme", "battery", name="charge by theme"),
         Crosstab(ages, Integer("cards", 0, 3), weight=2),
         Numeric("old", 0, 120, bins=[0, 65, 120], reads="age")],
        epsilon=2.0, answers=2,
    )  # fmt: skip
    pairs_in_tiers = Survey(
        "pairs-in-tiers", [Crosstab(wifi, battery), Crosstab(theme, ages)], tiers=[1.0, 6.0]
    )
    minutes = Integer("minute", 0, 299)
    wide_tier = Survey("wide-tier", [minutes, Boolean("wifi")], tiers=[0.5, 6.0])
    narrow = Survey("narrow", [Boolean("wifi")], epsilon=1.0)
    written = (paper, best, several, tiers, wide, step, pairs, pairs_in_tiers, wide_tier, narrow)
    documents = {one.name: one.to_document() for one in written}
    # A report's symbols are as wide as those of the tables that mechanisms name, and no wider.
    documents["narrow"]["tables"].append({"kind": "circulant", "counts": [TOTAL // 512] * 512})
    return documents


OWNERS: dict[str, list[dict[str, Any]]] = {
    "paper": [
        {"battery": 71.5, "theme": "dark", "wifi": True, "city": "city 13", "age": 29.999},
        {"battery": -3, "theme": "light", "wifi": False, "city": "city 0", "age": 300},
        {"battery": 100, "theme": "auto", "wifi": True, "city": "city 19", "age": None},
    ],
    "best": [
        {"battery": 12.25, "theme": "größer", "cards": 15, "age": 45},
        {"battery": 0, "theme": "light", "cards": 0, "age": 120},
        {"battery": 99.9, "theme": "dark", "cards": 7},
    ],
    "several": [{f"setting {i}": i % 2 == 0 for i in range(8)}],
    "tiers": [{"wifi": True, "plan": "g"}, {"wifi": False, "plan": "a"}],
    "step": [
        {"theme slope": 6, "wifi slope": 1, "city slope": 19, "battery slope": -0.25},
        {"theme slope": 0, "wifi slope": 3, "city slope": 51, "battery slope": 1.0},
        {"theme slope": 2, "wifi slope": 2, "city slope": 32, "battery slope": 0.0},
    ],
    "wide-tier": [{"minute": 299, "wifi": False}, {"minute": 0, "wifi": True}],
    "narrow": [{"wifi": True}, {"wifi": False}],
    "wide": [{"minute": 299, "wifi": False}, {"minute": 0, "wifi": True}],
    "pairs": [
        {"theme": "größer", "wifi": True, "battery": 71.5, "age": 29.999, "cards": 3},
        {"theme": "light", "wifi": False, "battery": 0, "age": 120, "cards": 0},
        {"theme": "dark", "wifi": True, "battery": 250.0, "age": 64.5, "cards": 1},
    ],
    "pairs-in-tiers": [
        {"theme": "größer", "wifi": True, "battery": 33.25, "age": 45},
        {"theme": "light", "wifi": False, "battery": 99, "age": None},
    ],
}


def report_vectors() -> dict[str, Any]:
    documents = surveys()
    cases = []
    for name, document in documents.items():
        for number in range(24 if name.startswith("pairs") else 12):
            values = OWNERS[name][number % len(OWNERS[name])]
            tier = number % len(document.get("tiers", [1]))
            seed = some_bytes(f"round {name} {number // 4}", 16)
            device = some_bytes(f"owner {name} {number}", 16)
            random = some_bytes(f"random {name} {number}", 16 * document["answers"])
            random = {10: bytes(len(random)), 11: b"\xff" * len(random)}.get(number, random)
            report = reported(document, seed, device, tier, values, random)
            cases.append(
                {"survey": name, "seed": seed.hex(), "device": device.hex(), "tier": tier,
                 "values": values, "random": random.hex(), "report": report.hex()}
            )  # fmt: skip
    silence, silent = silent_survey().to_document(), []
    for number, values in enumerate(people()):
        seed, device = some_bytes("silent round", 16), some_bytes(f"silent {number}", 16)
        random = some_bytes(f"silent random {number}", 16 * silence["answers"])
        report = reported(silence, seed, device, 0, told(values), random)
        silent.append(
            {"seed": seed.hex(), "device": device.hex(), "values": values,
             "answers": [read(one, told(values)) for one in silence["attributes"]],
             "random": random.hex(), "report": report.hex()}
        )  # fmt: skip
    return {
        "about": "whole reports: 16 random bytes for each answer, in order; and people whose "
        "values are missing, unlisted or unusable, who report all the same (`answers`: what each "
        "code takes, null where an index is drawn)",
        "surveys": documents | {"silence": silence},
        "reports": cases,
        "silence": silent,
    }
