"""Changes of a step: those that a device must refuse, and those that it must take."""

from __future__ import annotations

from typing import Any

from refusals import remembering_survey

THEMES = ["light", "dark", "auto"]
BATTERY = {"name": "battery", "kind": "numeric", "low": 0, "high": 100}
THEME = {"name": "theme", "kind": "categorical", "values": THEMES}


def refused() -> list[dict[str, Any]]:
    """Changes of the step that a device must refuse, and a word that its message contains."""
    changes: list[tuple[str, str, list[str], Any]] = [
        ("another format", "format", ["format"], "harmony-step/2"),
        ("no training", "training", ["training"], None),
        ("a seed that is too short", "seed", ["round", "seed"], "ab"),
        ("no features", "features", ["features"], []),
        ("a label of three values", "label", ["label", "values"], [0, 1, 2]),
        ("a weight too few", "theme", ["model", "weights", "theme"], [0.2, -0.1]),
        ("a weight that is text", "battery", ["model", "weights", "battery"], "1"),
        ("an attribute without derivation", "curve", ["derive", "curve"], None),
        ("a derivation that nobody knows", "is", ["derive", "label", "is"], "record"),
        ("a feature that nobody has", "feature", ["derive", "mean of battery", "feature"], "x"),
        ("no clip", "clip", ["derive", "gradient of theme", "clip"], 0),
        ("no reach", "reach", ["derive", "gradient of battery", "reach"], -1),
        ("no middle", "middle", ["derive", "gradient of battery", "middle"], None),
        ("a gradient of something else", "of", ["derive", "gradient of theme", "of"], ["residual"]),
        ("edges that fall", "edges", ["derive", "curve", "edges"], [0.2, -0.1]),
        ("a curve of more bins than values", "curve", ["derive", "curve", "edges"], [0.1, 0.2, 1]),
        ("a surplus of fewer bins than values", "surplus", ["derive", "surplus", "edges"], [0.1]),
        ("a feature as an attribute of other values", "theme",
         ["derive", "frequency of theme", "feature"], "battery"),
        ("a step with rotation", "every", ["survey", "every"], 4),
        ("a step with memory", "memory", ["survey"], remembering_survey()),
        ("a stand-in for what is derived", "missing",
         ["survey", "attributes", 0, "missing"], 0.5),
        ("a crosstab in a step", "curve", ["survey", "attributes", 7],
         {"name": "curve", "kind": "crosstab", "coin": 1, "of": [
             {"name": "theme", "kind": "categorical", "values": THEMES},
             {"name": "charging", "kind": "categorical", "values": [False, True]}],
          "mechanisms": [{"code": "linear", "base": 2, "digits": 3, "multipliers": [1],
                          "table": 1}]}),
        ("a feature of a number with points", "bins", ["features", 0],
         {"name": "battery", "kind": "crosstab", "of": [THEME, BATTERY | {"points": 2}]}),
        ("a feature of three parts", "of", ["features", 0],
         {"name": "battery", "kind": "crosstab", "of": [THEME, THEME, THEME]}),
        ("a feature with a sign", "kind", ["features", 1, "kind"], "signed"),
        ("a weight too few for a pair", "theme", ["features", 1],
         {"name": "theme", "kind": "crosstab", "of": [THEME, THEME]}),
        ("one weight for bins", "battery", ["features", 0, "bins"], [0, 50, 100]),
        ("a label that is a crosstab", "label", ["label"],
         {"name": "label", "kind": "crosstab", "of": [THEME, THEME]}),
        ("a label with bins", "label", ["label"], BATTERY | {"bins": [0, 50, 100]}),
        ("a feature that is a text", "kind", ["features", 0],
         {"name": "battery", "kind": "text", "length": 8, "prefixes": [], "bits": 0,
          "strings": ["10"], "code": {"": ["\x03", "\x1b"]}}),
        ("a range whose half is 0", "high", ["features", 0],
         {"name": "battery", "kind": "numeric", "low": 0, "high": 5e-324}),
        ("a weight that is null", "theme", ["model", "weights", "theme"],
         [0.2, None, 0.0]),
        ("nine terms", "of", ["derive", "residual x direction"],
         {"is": "product", "of": ["score"] * 9, "clip": [1] * 9}),
        ("no terms", "of", ["derive", "residual x direction"],
         {"is": "product", "of": [], "clip": []}),
        ("a clip too many", "clip", ["derive", "residual x direction", "clip"], [1.2, 0.3, 1]),
        ("a clip too few", "clip", ["derive", "residual x direction", "clip"], [1.2]),
        ("no edges", "edges", ["derive", "curve", "edges"], []),
        ("a round that is text", "round", ["round"], "charging:1"),
        ("a round without a seed", "seed", ["round", "seed"], None),
        ("a label that is a path", "label", ["round", "label"], "../1"),
        ("edges of which two are equal", "edges", ["derive", "curve", "edges"], [0.2, 0.2]),
        ("a stand-in for what is not listed, of what is derived", "unlisted",
         ["survey", "attributes", 2, "unlisted"], "dark"),
        ("a text in a training's step", "curve", ["survey", "attributes", 7],
         {"name": "curve", "kind": "text", "coin": 1, "length": 8, "prefixes": [], "bits": 0,
          "strings": ["10"], "code": {"": ["\x03", "\x1b"]},
          "mechanisms": [{"code": "linear", "base": 2, "digits": 1, "multipliers": [1],
                          "table": 1}]}),
        ("a training whose name is a path", "training", ["training"], "../charging"),
        ("two features of one name", "features", ["features"], [BATTERY, THEME, BATTERY]),
        ("a term that nobody knows", "of", ["derive", "residual x direction", "of"],
         ["residual", "record"]),
    ]  # fmt: skip
    return [
        {"why": why, "field": field, "path": path, "value": value}
        for why, field, path, value in changes
    ]


def exploring_refused() -> list[dict[str, Any]]:
    """Changes of an exploration's step that a device must refuse."""
    changes: list[tuple[str, str, list[str], Any]] = [
        ("an exploration with rotation", "every", ["survey", "every"], 4),
        ("an exploration with memory", "memory", ["survey"], remembering_survey()),
        ("an exploration whose name is a path", "training", ["training"], "../pages"),
        ("an exploration without a round", "round", ["round"], None),
    ]
    return [
        {"why": why, "field": field, "path": path, "value": value}
        for why, field, path, value in changes
    ]


def taken() -> list[dict[str, Any]]:
    """Changes of the step that make no difference to whether a device takes it."""
    changes: list[tuple[str, list[Any], Any]] = [
        ("null for the direction", ["direction"], None),
        ("null for what is derived: a step of an exploration", ["derive"], None),
        ("an attribute of the step that names what it reads",
         ["survey", "attributes", 0, "reads"], "something else"),
        ("null for a stand-in", ["survey", "attributes", 0, "missing"], None),
        ("a weight of a feature that the step does not have", ["model", "weights", "memory"], 1.0),
        ("a derivation of an attribute that the step does not have", ["derive", "memory"], "?"),
        ("a step that is no number", ["step"], "two"),
        ("a label of 64 letters", ["round", "label"], "a" * 64),
        ("a seed in capitals", ["round", "seed"], "AB" * 16),
        ("a numeric label", ["label"], {"name": "load", "kind": "numeric", "low": 0, "high": 1}),
        ("a feature with stand-ins", ["features", 1],
         {"name": "theme", "kind": "categorical", "values": THEMES, "missing": "auto",
          "unlisted": "dark", "reads": "the theme"}),
        ("features with fields of other kinds", ["features"],
         [BATTERY | {"values": 7, "points": 1}, THEME | {"bins": [0, 1], "low": "high"}]),
        ("a label of the name of a feature", ["label", "name"], "battery"),
        ("an attribute with bins", ["survey", "attributes", 0],
         {"name": "label", "kind": "numeric", "low": -1, "high": 1, "bins": [-1, 0, 1], "coin": 1,
          "mechanisms": [{"code": "linear", "base": 2, "digits": 1, "multipliers": [1],
                          "table": 1}]}),
        ("eight terms", ["derive", "residual x direction"],
         {"is": "product", "of": ["score"] * 8, "clip": [5e-324] * 8}),
    ]  # fmt: skip
    return [{"why": why, "path": path, "value": value} for why, path, value in changes]
