"""Steps of trainings: what a device derives from its record, and the report that it makes of it.

What is expected comes from `derived`, a plain reading of docs/protocol.md.
"""

from __future__ import annotations

from typing import Any

from reference import places, power_of_two, read, reported
from seeds import some_bytes
from step_changes import BATTERY, THEME, THEMES, refused, taken

CURVE = ["0-", "0+", "1-", "1+", "2-", "2+"]
RECORDS: list[dict[str, Any]] = [
    {"charging": True, "battery": 71.5, "theme": "dark"},
    {"charging": False, "battery": 71.5, "theme": "dark"},
    {"charging": True, "battery": 0, "theme": "auto"},
    {"charging": False, "battery": 1e9, "theme": "light"},
    {"charging": True, "battery": None, "theme": None},
    {"charging": False, "theme": "neon"},
    {"charging": True, "battery": "full", "theme": 3},
    {"battery": 71.5, "theme": "dark"},
    {"charging": None, "battery": 20, "theme": None},
    {"charging": 1, "battery": 20, "theme": "light"},
    {"charging": "true"},
    {},
]


def step() -> dict[str, Any]:
    """A step with every kind of derivation."""
    counts = [3 << 51, 1 << 51]  # three to one: a little less than epsilon 1.1 allows
    grid = {"code": "grid", "points": 2, "outputs": [-1.9, 1.9], "table": 0}
    plain = {"code": "linear", "base": 2, "digits": 2, "multipliers": [1], "table": 1}
    wide = {"code": "linear", "base": 2, "digits": 3, "multipliers": [1], "table": 1}
    asked: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
        ({"name": "label", "kind": "numeric", "low": -1, "high": 1}, grid, {"is": "label"}),
        ({"name": "mean of battery", "kind": "numeric", "low": 0, "high": 100}, grid,
         {"is": "feature", "feature": "battery"}),
        ({"name": "frequency of theme", "kind": "categorical", "values": THEMES}, plain,
         {"is": "feature", "feature": "theme"}),
        ({"name": "gradient of battery", "kind": "numeric", "low": -1, "high": 1}, grid,
         {"is": "gradient", "feature": "battery", "of": "relative", "clip": 1.0, "middle": 0.125,
          "reach": 0.5}),
        ({"name": "gradient of theme", "kind": "signed", "values": THEMES}, wide | {"signed": True},
         {"is": "gradient", "feature": "theme", "of": "residual", "clip": 1.5}),
        ({"name": "residual x direction", "kind": "numeric", "low": -1, "high": 1}, grid,
         {"is": "product", "of": ["residual", "direction"], "clip": [1.2, 0.3]}),
        ({"name": "label x score x score", "kind": "numeric", "low": -1, "high": 1}, grid,
         {"is": "product", "of": ["label", "score", "score"], "clip": [1, 0.5, 0.25]}),
        ({"name": "curve", "kind": "categorical", "values": CURVE}, wide,
         {"is": "curve", "edges": [-0.1, 0.2]}),
        ({"name": "surplus", "kind": "signed", "values": [0, 1, 2]}, wide | {"signed": True},
         {"is": "surplus", "edges": [-0.1, 0.2]}),
    ]  # fmt: skip
    return {
        "format": "harmony-step/1", "training": "charging", "step": 1,
        "survey": {
            "format": "harmony-survey/1", "name": "charging.step-1", "epsilon": 1.1, "answers": 1,
            "attributes": [attribute | {"coin": 1, "mechanisms": [code]}
                           for attribute, code, _ in asked],
            "tables": [{"kind": "dense", "counts": [counts, counts[::-1]]},
                       {"kind": "circulant", "counts": counts}],
        },
        "round": {"label": "charging:1", "seed": "ab" * 16,
                  "opened": "2027-01-15T08:00:00Z", "closes": "2027-01-15T09:00:00Z"},
        "features": [BATTERY, THEME],
        "label": {"name": "charging", "kind": "categorical", "values": [False, True]},
        "model": {"intercept": 0.1, "weights": {"battery": 0.5, "theme": [0.2, -0.1, 0.0]}},
        "direction": {"intercept": -0.2, "weights": {"battery": 0.25, "theme": [0.0, 0.5, -0.5]}},
        "derive": {attribute["name"]: how for attribute, _, how in asked},
    }  # fmt: skip


def is_number(feature: dict[str, Any]) -> bool:
    """Whether a feature is a number without bins, and no level."""
    return feature["kind"] == "numeric" and not feature.get("bins")


def derived(document: dict[str, Any], record: dict[str, Any], random: bytes) -> dict[str, Any]:
    """The value of each attribute of the step's survey, as a survey would be given it."""
    chance = (int.from_bytes(random, "little") >> 11) / 2.0**53

    def clip(number: float) -> float:
        return min(max(number, -1.0), 1.0)

    def scaled(attribute: dict[str, Any], value: float) -> float:
        half = (attribute["high"] - attribute["low"]) / 2
        value = min(max(value, attribute["low"]), attribute["high"])
        return clip((value - (attribute["low"] + half)) / half)

    known: dict[str, Any] = {}
    for feature in document["features"]:
        value = read(feature, record)
        if feature["kind"] == "crosstab":
            first, second = value
            lacks = first is None or second is None
            value = None if lacks else first * places(feature["of"][1]) + second
        elif is_number(feature):
            value = 0.0 if value is None else scaled(feature, value)
        known[feature["name"]] = value

    def score(linear: dict[str, Any]) -> float:
        total = linear["intercept"]
        for name, value in known.items():
            weight = linear["weights"][name]
            if value is not None:
                total += weight[value] if isinstance(weight, list) else weight * value
        return total

    label = read(document["label"], record)
    terms = {"score": score(document["model"])}
    terms["direction"] = score(document["direction"] or document["model"])
    if label is not None:
        asked = document["label"]
        label = scaled(asked, label) if asked["kind"] == "numeric" else 2.0 * label - 1
        terms |= {"label": label, "residual": label - terms["score"]}
        terms["relative"] = terms["residual"] / (1 + min(abs(terms["score"]), 1e300))
    features = {feature["name"]: feature for feature in document["features"]}
    asked_values = {one["name"]: one.get("values") for one in document["survey"]["attributes"]}
    values: dict[str, Any] = {}
    for name, how in document["derive"].items():
        feature = features.get(how.get("feature"), {})
        value = known.get(how.get("feature", ""))
        of = how.get("of", ["label"] if how["is"] != "feature" else [])
        if any(term not in terms for term in ([of] if isinstance(of, str) else of)):
            values[name] = None
        elif how["is"] == "label":
            values[name] = label
        elif how["is"] == "product":
            values[name] = 1.0
            for term, bound in zip(how["of"], how["clip"], strict=True):
                values[name] *= clip(terms[term] / bound)
        elif how["is"] == "curve":
            below = sum(edge <= terms["score"] for edge in how["edges"])
            values[name] = CURVE[2 * below + int(label > 0)]
        elif how["is"] == "surplus":
            below = sum(edge <= terms["score"] for edge in how["edges"])
            values[name] = below + power_of_two(len(how["edges"]) + 1) * (label <= 0)
        elif how["is"] == "feature" and is_number(feature):
            values[name] = feature["low"] + (value + 1) / 2 * (feature["high"] - feature["low"])
        elif how["is"] == "feature":
            values[name] = None if value is None else asked_values[name][value]
        elif is_number(feature):
            seen = clip((value - how["middle"]) / how["reach"])
            values[name] = clip(terms[how["of"]] / how["clip"]) * seen
        else:
            size = power_of_two(places(feature))
            values[name] = None
            if value is not None:
                negative = 2 * chance >= 1 + clip(terms[how["of"]] / how["clip"])
                values[name] = value + size * negative
    # The sign of a zero makes no difference, and not all languages keep it.
    return {
        name: value + 0.0 if isinstance(value, float) else value for name, value in values.items()
    }


def extreme_step() -> dict[str, Any]:
    """The step with a model whose scores are infinite, of either sign."""
    document = step()
    huge = 1.7e308
    document["model"] = {"intercept": huge, "weights": {"battery": huge, "theme": [huge, 0, -huge]}}
    document["direction"] = {"intercept": -huge, "weights": {"battery": -huge, "theme": [0, 0, 0]}}
    return document


def numeric_step() -> dict[str, Any]:
    """The step with a number for its label, whose scores and residuals may be exactly 0."""
    document = step()
    document["label"] = {"name": "charging", "kind": "numeric", "low": -2, "high": 6}
    document["model"] = {"intercept": 0, "weights": {"battery": 0.5, "theme": [0.25, -0.5, 0]}}
    document["direction"] = None
    document["derive"]["curve"]["edges"] = document["derive"]["surplus"]["edges"] = [0, 0.25]
    return document


def numeric_records() -> list[tuple[dict[str, Any], int]]:
    """Labels in the middle of their range, at its ends and beyond; and words at edges of signs."""
    half = 1 << 63
    middle = {"charging": 2, "battery": 50, "theme": "auto"}
    return [
        (middle, half), (middle, half - 1), (middle, 0), (middle, (1 << 64) - 1),
        (middle | {"theme": "light"}, half), (middle | {"theme": "dark"}, half),
        (middle | {"charging": 6.0, "theme": "dark"}, (1 << 64) - 1),
        (middle | {"charging": -2}, 0), (middle | {"charging": 1e9, "battery": 100}, half),
        (middle | {"charging": 2.5, "battery": 0}, 3 << 62), (middle | {"charging": -0.0}, half),
        (middle | {"charging": True}, half), (middle | {"charging": None}, half),
        ({"charging": 2}, half), ({}, half),
    ]  # fmt: skip


def crossed_step() -> dict[str, Any]:
    """A step whose features are a number, the same number in bins, and two pairs."""
    document = step()

    def linear(digits: int, **more: Any) -> dict[str, Any]:
        code = {"code": "linear", "base": 2, "digits": digits, "multipliers": [1], "table": 1}
        return {"coin": 1, "mechanisms": [code | more]}

    bins = BATTERY | {"name": "battery in bins", "reads": "battery", "bins": [0, 20.5, 71.5, 100]}
    theme = THEME | {"missing": "auto"}
    power = {"name": "power", "kind": "categorical", "values": [False, True]}
    crosses = [
        {"name": "bins x theme", "kind": "crosstab", "of": [bins | {"missing": 30}, theme]},
        {"name": "power x bins", "kind": "crosstab", "of": [power, bins]},
    ]
    asked: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"name": "frequency of bins", "kind": "categorical", "values": [0, 1, 2]} | linear(2),
         {"is": "feature", "feature": "battery in bins"}),
        ({"name": "gradient of bins", "kind": "signed", "values": ["low", "middle", "high"]}
         | linear(3, signed=True),
         {"is": "gradient", "feature": "battery in bins", "of": "relative", "clip": 1}),
        ({"name": "frequency of pairs", "kind": "categorical", "values": list(range(6))}
         | linear(3), {"is": "feature", "feature": "power x bins"}),
        ({"name": "gradient of pairs", "kind": "signed", "values": list(range(6))}
         | linear(4, signed=True),
         {"is": "gradient", "feature": "power x bins", "of": "residual", "clip": 1.5}),
        ({"name": "score x direction", "kind": "numeric", "low": -1, "high": 1}
         | {"coin": 1, "mechanisms": document["survey"]["attributes"][0]["mechanisms"]},
         {"is": "product", "of": ["score", "direction"], "clip": [1.5, 1.1]}),
    ]  # fmt: skip
    document["survey"]["attributes"] = [attribute for attribute, _ in asked]
    document["derive"] = {attribute["name"]: how for attribute, how in asked}
    document["features"] = [BATTERY, bins, *crosses]
    document["model"] = {"intercept": 0.1, "weights": {
        "battery": 0.3, "battery in bins": [0.2, -0.1, 0.3],
        "bins x theme": [place / 7 for place in range(-4, 5)],
        "power x bins": [0.5, -0.3, 0.1, 0.0, 0.7, -0.6]}}  # fmt: skip
    document["direction"] = {"intercept": -0.2, "weights": {
        "battery": -0.6, "battery in bins": [0.0, 0.4, -0.7],
        "bins x theme": [0.0] * 8 + [0.9], "power x bins": [0.1] * 6}}  # fmt: skip
    return document


def crossed_records() -> list[tuple[dict[str, Any], int | None]]:
    """Numbers at edges of bins and beyond them; and records that lack one or both of a pair."""
    told = [
        {"battery": battery, "theme": THEMES[place % 3], "power": place % 2 == 0}
        for place, battery in enumerate([-5, 0, 20, 20.5, 71, 71.5, 100, 1e9])
    ]
    lacking = [
        {"battery": 50, "theme": "neon", "power": True}, {"battery": 50, "power": None},
        {"battery": None, "theme": "dark", "power": False}, {"theme": "dark", "power": 1},
        {"battery": "full", "theme": None, "power": True}, {},
    ]  # fmt: skip
    return [
        (one | {"charging": place % 3 == 0}, None) for place, one in enumerate(told + lacking)
    ] + [(told[4], None)]


def rounding_step() -> dict[str, Any]:
    """A step whose results depend on the order of the arithmetic, with ranges unlike features'."""
    document = step()
    grid, binned = ({"coin": 1, "mechanisms": document["survey"]["attributes"][place]["mechanisms"]}
                    for place in (0, 2))  # fmt: skip
    unit = {"kind": "numeric", "low": -0.9, "high": 0.7}
    asked: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"name": "label"} | unit | grid, {"is": "label"}),
        ({"name": "mean of battery"} | unit | grid, {"is": "feature", "feature": "battery"}),
        ({"name": "bins of load", "bins": [-0.9, -0.2, 0.1, 0.7]} | unit | binned,
         {"is": "feature", "feature": "load"}),
        ({"name": "gradient of load", "bins": [-0.9, -0.1, 0.1, 0.7]} | unit | binned,
         {"is": "gradient", "feature": "load", "of": "relative", "clip": 0.7, "middle": 0.1,
          "reach": 0.9}),
        ({"name": "gradient of battery"} | unit | grid,
         {"is": "gradient", "feature": "battery", "of": "residual", "clip": 1.7, "middle": -0.1,
          "reach": 1.3}),
        ({"name": "four factors"} | unit | grid,
         {"is": "product", "of": ["label", "score", "direction", "relative"],
          "clip": [1.1, 0.9, 1.3, 1.7]}),
    ]  # fmt: skip
    document["survey"]["attributes"] = [attribute for attribute, _ in asked]
    document["derive"] = {attribute["name"]: how for attribute, how in asked}
    document["features"] = [
        {"name": "battery", "kind": "numeric", "low": -3.0, "high": 1.2},
        {"name": "load", "kind": "numeric", "low": -2.9, "high": 1.3, "missing": 0.3},
        THEME,
    ]
    document["label"] = {"name": "charging", "kind": "numeric", "low": -2.8, "high": 1.6}
    document["model"] = {"intercept": 0.1, "weights": {"battery": 0.7, "load": -0.3,
                                                       "theme": [0.2, -0.1, 0.3]}}  # fmt: skip
    document["direction"] = {"intercept": -0.2, "weights": {"battery": 0.6, "load": 1.1,
                                                            "theme": [0.1, 0.4, -0.7]}}  # fmt: skip
    return document


def rounding_records() -> list[tuple[dict[str, Any], int | None]]:
    """Numbers within the ranges, at their ends and beyond."""
    numbers = [-4.0, -3.0, -2.1, -0.85, -0.3, 0.1, 0.37, 1.1, 1.2, 1.3, 1.6, 7.0]
    return [
        ({"charging": numbers[(place * 5 + 2) % 12], "battery": number,
          "load": numbers[(place * 7 + 3) % 12], "theme": THEMES[place % 3]}, None)
        for place, number in enumerate(numbers)
    ] + [({"battery": 0.37, "theme": "dark"}, None)]  # fmt: skip


def within_ranges(document: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Derived values, numbers clipped to their attributes' own ranges."""
    ranges = {one["name"]: one for one in document["survey"]["attributes"]}
    return {
        name: min(max(value, ranges[name]["low"]), ranges[name]["high"])
        if value is not None and "low" in ranges[name]
        else value
        for name, value in values.items()
    }


def report_vectors(
    document: dict[str, Any], label: str, records: list[tuple[dict[str, Any], int | None]]
) -> list[dict[str, Any]]:
    """Records and random bytes to the values that a step's survey is given, and to reports.

    The first of the random words may be given.
    """
    cases = []
    for number, (record, word) in enumerate(records):
        for draw in range(3):
            device = some_bytes(f"{label} device {number} {draw}", 16)
            random = some_bytes(f"{label} random {number} {draw}", 24)
            random = random if word is None else word.to_bytes(8, "little") + random[8:]
            values = within_ranges(document, derived(document, record, random[:8]))
            seed = bytes.fromhex(document["round"]["seed"])
            report = reported(document["survey"], seed, device, 0, values, random[8:])
            cases.append(
                {
                    "device": device.hex(), "record": record, "random": random.hex(),
                    "values": values, "report": report.hex(),
                }
            )  # fmt: skip
    return cases


def step_vectors() -> dict[str, Any]:
    """Return the vectors: records and random bytes to answers and reports."""
    document, extreme, numeric = step(), extreme_step(), numeric_step()
    rounding, crossed = rounding_step(), crossed_step()
    drawn = [(record, None) for record in RECORDS]
    return {
        "about": "a step, records and random bytes to the values that its survey is given and to "
        "the report; the same for `extreme`, whose scores are infinite, `numeric`, whose label "
        "is a number, `rounding`, where the order of the arithmetic decides, and `crossed`, whose "
        "features have bins and parts; and changes of "
        "the step, the value at a path, that a device must take, or refuse with a message that "
        "names the field. The value of a categorical attribute is the one at its place; a signed "
        "one is its number.",
        "step": document,
        "reports": report_vectors(document, "step", drawn),
        "extreme": extreme,
        "extreme_reports": report_vectors(extreme, "extreme step", drawn),
        "numeric": numeric,
        "numeric_reports": report_vectors(numeric, "numeric step", numeric_records()),
        "rounding": rounding,
        "rounding_reports": report_vectors(rounding, "rounding step", rounding_records()),
        "crossed": crossed,
        "crossed_reports": report_vectors(crossed, "crossed step", crossed_records()),
        "taken": taken(),
        "refused": refused(),
    }
