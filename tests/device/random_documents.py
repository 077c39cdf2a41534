"""Random surveys and steps that keep their promise, stranger than any that Harmony designs."""

from __future__ import annotations

import math
import random
from typing import Any

Document = dict[str, Any]

WORDS = (
    "light", "dark", "größer", "😀", "Ulm", "Köln", "", " ", "\\", '"', "true", "1", "null", "é",
)  # fmt: skip
RANGES = (
    (0, 100), (-1, 1), (-40.0, 85.5), (0.1, 0.3), (-1e300, 1e300), (1e-300, 2e-300), (0, 2**53),
)  # fmt: skip
LABELS: tuple[list[Any], ...] = ([False, True], ["b", "a"], [7, -7])
TOTAL = 1 << 53


def random_survey(rng: random.Random, name: str = "random") -> Document:
    """Return a survey of 1 to 12 attributes, 1 to 3 tiers and any number of answers."""
    tiers = sorted({round(rng.uniform(0.05, 6), 3) for _ in range(rng.choice([1, 1, 2, 3]))})
    rng.shuffle(tiers)
    attributes = [
        (_crosstab if rng.random() < 0.3 else _attribute)(
            rng, f"attribute {place} {rng.choice(WORDS)}"
        )
        for place in range(rng.choice([1, 2, 3, 5, 12]))
    ]
    for attribute in attributes:  # some read what others have, whatever type they take
        if attribute["kind"] != "crosstab" and rng.random() < 0.3:
            attribute["reads"] = rng.choice([None, rng.choice(attributes)["name"]])
    return _survey(rng, name, tiers, rng.randint(1, len(attributes)), attributes)


def random_step(rng: random.Random) -> Document:
    """Return a step with every kind of derivation, over a few features and any label."""
    features = [_feature(rng, f"feature {place}") for place in range(rng.choice([1, 2, 4]))]
    label = _plain(rng, "label", {"kind": "categorical", "values": rng.choice(LABELS)})
    if rng.random() < 0.4:
        label = _number(rng, "label")
    derive: Document = {}
    attributes: list[Document] = []
    for feature in features:
        _derive_feature(rng, feature, attributes, derive)
    _derive_rest(rng, attributes, derive)
    rng.shuffle(attributes)
    epsilon = round(rng.uniform(0.1, 4), 3)
    survey = _survey(rng, "training.step-3", [epsilon], rng.randint(1, len(attributes)), attributes)
    step = {
        "format": "harmony-step/1", "training": "training", "step": 3, "survey": survey,
        "round": {"label": "training:3", "seed": rng.randbytes(16).hex()},
        "features": features, "label": label, "model": _score(rng, features), "derive": derive,
    }  # fmt: skip
    if rng.random() < 0.5:
        step["direction"] = _score(rng, features)
    return step


def _survey(
    rng: random.Random, name: str, tiers: list[float], answers: int, attributes: list[Document]
) -> Document:
    tables: list[Document] = []
    for attribute in attributes:
        attribute["coin"] = rng.choice([1, rng.randint(1, 100), 65536])
        attribute["mechanisms"] = [
            _mechanism(rng, attribute, tier / answers, tables) for tier in tiers
        ]
    survey: Document = {
        "format": "harmony-survey/1", "name": name, "answers": answers, "attributes": attributes,
        "tables": tables,
    }  # fmt: skip
    return survey | ({"epsilon": tiers[0]} if len(tiers) == 1 else {"tiers": tiers})


def _number(rng: random.Random, name: str) -> Document:
    low, high = rng.choice(RANGES)
    number: Document = {"name": name, "kind": "numeric", "low": low, "high": high}
    if rng.random() < 0.3:
        number["missing"] = rng.choice([low, high, low + (high - low) * rng.random()])
    return number


def _plain(rng: random.Random, name: str, fixed: Document | None = None) -> Document:
    """Return an attribute without bins, sign and parts."""
    if fixed is None and rng.random() < 0.5:
        return _number(rng, name)
    attribute: Document = {
        "name": name,
        **(fixed or {"kind": "categorical", "values": _values(rng)}),
    }
    for stand_in in ("missing", "unlisted"):
        if rng.random() < 0.3:
            attribute[stand_in] = rng.choice(attribute["values"])
    return attribute


def _attribute(rng: random.Random, name: str) -> Document:
    attribute = _plain(rng, name)
    if attribute["kind"] == "numeric" and rng.random() < 0.5:
        low, high = attribute["low"], attribute["high"]
        inner = {low + (high - low) * rng.random() for _ in range(rng.randint(1, 11))} - {low, high}
        attribute["bins"] = [low, *sorted(inner or {low + (high - low) / 2}), high]
    return attribute


def _crosstab(rng: random.Random, name: str) -> Document:
    parts = []
    for place in (1, 2):
        part = _attribute(rng, f"part {place} of {name}")
        if part["kind"] == "numeric" and part.get("bins") is None:
            part["points"] = rng.choice([2, 2, 3, 17])
        if rng.random() < 0.3:
            part["reads"] = rng.choice([name, "elsewhere"])
        parts.append(part)
    return {"name": name, "kind": "crosstab", "of": parts}


def _feature(rng: random.Random, name: str) -> Document:
    """Return an attribute, or a pair of two that have values or bins; some read the same."""
    if rng.random() < 0.6:
        return _attribute(rng, name)
    parts: list[Document] = []
    while len(parts) < 2:
        part = _attribute(rng, f"part {len(parts) + 1} of {name}")
        if (part["kind"] == "categorical" or "bins" in part) and places(part) < 20:
            parts.append(part)
    if rng.random() < 0.3:
        parts[1]["reads"] = "elsewhere"
    return {"name": name, "kind": "crosstab", "of": parts}


def places(attribute: Document) -> int:
    """Return how many places an attribute has: of a crosstab, those of its parts multiplied."""
    if attribute["kind"] == "crosstab":
        return math.prod(map(places, attribute["of"]))
    if attribute.get("bins") is not None:
        return len(attribute["bins"]) - 1
    return len(attribute["values"]) if "values" in attribute else int(attribute["points"])


def _values(rng: random.Random) -> list[Any]:
    kind = rng.randrange(3)
    if kind == 0:
        return rng.choice([[False, True], [True, False]])
    if kind == 1:
        return rng.sample(WORDS, rng.randint(2, len(WORDS)))
    return rng.sample(range(-500, 500), rng.choice([2, 3, 16, 300]))


def _mechanism(
    rng: random.Random, attribute: Document, share: float, tables: list[Document]
) -> Document:
    if attribute["kind"] == "numeric" and attribute.get("bins") is None:
        points = rng.choice([2, 3, 17, 33])
        return {
            "code": "grid",
            "points": points,
            "table": _table(rng, points, share, tables, dense=True),
        }
    if attribute["kind"] == "signed":
        digits = 1 + max(1, (len(attribute["values"]) - 1).bit_length())
        table = _table(rng, 2, share, tables)
        return {
            "code": "linear",
            "base": 2,
            "digits": digits,
            "multipliers": [1],
            "table": table,
            "signed": True,
        }
    values = places(attribute)
    base = rng.choice([2, 3, 4, 5, 11, min(values, 400), 300])
    digits = 1
    while base**digits < values:
        digits += 1
    digits += rng.choice([0, 0, 1]) if base < 300 else 0
    multipliers = [rng.randint(1, base - 1) for _ in range(rng.choice([1, 1, 2, 3]))]
    return {
        "code": "linear", "base": base, "digits": digits, "multipliers": multipliers,
        "table": _table(rng, base, share, tables),
    }  # fmt: skip


def _table(
    rng: random.Random, inputs: int, share: float, tables: list[Document], *, dense: bool = False
) -> int:
    """Add a table that keeps `share`, and return its place."""
    reach = math.exp(0.45 * share)
    if not dense and (inputs > 40 or rng.random() < 0.5):
        tables.append({"kind": "circulant", "counts": _row(rng, inputs, reach)})
    else:
        symbols = rng.choice([2, inputs, inputs + 3, 300 if inputs < 6 else inputs])
        counts = [_row(rng, symbols, reach) for _ in range(inputs)]
        tables.append({"kind": "dense", "counts": counts})
    return len(tables) - 1


def _row(rng: random.Random, symbols: int, reach: float) -> list[int]:
    weights = [rng.uniform(1, reach) for _ in range(symbols)]
    scale = TOTAL / math.fsum(weights)
    row = [int(weight * scale) for weight in weights]
    row[row.index(min(row))] += TOTAL - sum(row)
    return row


def _is_number(feature: Document) -> bool:
    return feature["kind"] == "numeric" and feature.get("bins") is None


def _score(rng: random.Random, features: list[Document]) -> Document:
    def weight() -> float:
        return rng.choice([0, 1, -2.5, rng.gauss(0, 1), rng.gauss(0, 1000)])

    weights = {
        one["name"]: weight() if _is_number(one) else [weight() for _ in range(places(one))]
        for one in features
    }
    return {"intercept": weight(), "weights": weights}


TERMS = ("label", "score", "residual", "relative", "direction")


def _derive_feature(
    rng: random.Random, feature: Document, attributes: list[Document], derive: Document
) -> None:
    name = feature["name"]
    gradient = {
        "is": "gradient",
        "feature": name,
        "of": rng.choice(TERMS),
        "clip": rng.uniform(0.1, 3),
    }
    if _is_number(feature):
        low, high = feature["low"], feature["high"]
        attributes.append({"name": f"mean of {name}", "kind": "numeric", "low": low, "high": high})
        attributes.append({"name": f"gradient of {name}", "kind": "numeric", "low": -1, "high": 1})
        gradient |= {"middle": rng.uniform(-0.5, 0.5), "reach": rng.uniform(0.1, 2)}
    else:
        values = feature.get("values") or list(range(places(feature)))
        for prefix, kind in (("mean", "categorical"), ("gradient", "signed")):
            attributes.append({"name": f"{prefix} of {name}", "kind": kind, "values": values})
    derive[f"mean of {name}"] = {"is": "feature", "feature": name}
    derive[f"gradient of {name}"] = gradient


def _derive_rest(rng: random.Random, attributes: list[Document], derive: Document) -> None:
    edges = sorted({round(rng.gauss(0, 1), 2) for _ in range(rng.randint(1, 5))})
    terms = rng.choices(TERMS, k=rng.randint(1, 8))
    derive["label"] = {"is": "label"}
    derive["product"] = {"is": "product", "of": terms, "clip": [rng.uniform(0.1, 3) for _ in terms]}
    derive["curve"] = {"is": "curve", "edges": edges}
    derive["surplus"] = {"is": "surplus", "edges": edges}
    attributes += [
        {"name": "label", "kind": "numeric", "low": -1, "high": 1},
        {"name": "product", "kind": "numeric", "low": -1, "high": 1},
        {"name": "curve", "kind": "categorical", "values": list(range(2 * len(edges) + 2))},
        {"name": "surplus", "kind": "signed", "values": list(range(len(edges) + 1))},
    ]
