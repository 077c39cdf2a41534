"""Write the conformance vectors: `python device/vectors/generate.py`.

Every SDK, in any language, must pass them.  The expected results come from `reference`, which
is no SDK, so that the two check each other.  Survey documents are designed by `harmony`: with
another SciPy their tables may differ in the last digits, which is fine.
"""

from __future__ import annotations

import copy
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from contract import (
    bound_vectors,
    document_vectors,
    ledger_vectors,
    list_vectors,
    record_vectors,
)
from over_time import (
    charge_vectors,
    damaged_lines,
    large_memo,
    memory_refusals,
    over_time_vectors,
    product_vectors,
    taken_surveys,
)
from reference import (
    MASK,
    assigned,
    bin_of,
    draws,
    grid_index,
    linear_index,
    placed,
    places,
    read,
    reported,
    siphash,
    walked,
)
from refusals import (
    REMOVED,
    over_by_one,
    pair_refusals,
    paired_survey,
    refusals,
    remembering_survey,
    small_survey,
)
from silence import people, silent_survey, told
from steps import step_vectors
from texts import text_vectors

from harmony import Boolean, Categorical, Crosstab, Distribution, Integer, Numeric, Survey
from harmony.attributes import Signed
from harmony_device.attributes import is_well_formed

HERE = Path(__file__).parent
TOTAL = 1 << 53


def some_bytes(label: str, count: int) -> bytes:
    """Bytes that look random and are always the same."""
    blocks = (
        sha256(f"harmony vectors {label} {i}".encode()).digest() for i in range(count // 32 + 1)
    )
    return b"".join(blocks)[:count]


def hex_word(word: int) -> str:
    return f"{word:016x}"


def coin_vectors() -> dict[str, Any]:
    hashed = [(bytes(range(16)), bytes(range(length))) for length in (0, 1, 7, 8, 15, 20, 63)]
    hashed += [(some_bytes(f"key {i}", 16), some_bytes(f"message {i}", 20)) for i in range(4)]
    drawn = [(bytes(16), bytes(16)), (b"\xff" * 16, b"\xff" * 16)]
    drawn += [(some_bytes(f"seed {i}", 16), some_bytes(f"device {i}", 16)) for i in range(3)]
    bounds = [1, 2, 3, 23, 100, 255, 65536, 1 << 31]
    shapes = [
        ([1], [1], 1),
        ([1] * 23, [1] * 9 + [15] * 14, 1),
        ([1, 1, 1], [1, 7, 1 << 31], 3),
        ([5, 1, 3, 1], [4, 3, 2, 1], 1),
        ([5, 1, 3, 1], [4, 3, 2, 1], 2),
        ([1, 65536, 2, 9, 1], [1, 2, 3, 4, 5], 5),
        ([1] * 12, [31] * 12, 7),
        ([1 + place % 7 for place in range(200)], [5] * 200, 150),
    ]
    return {
        "about": "SipHash-2-4 words in hexadecimal; draws below each bound, in order; "
        "what a device is asked",
        "siphash": [
            {"key": key.hex(), "message": message.hex(), "word": hex_word(siphash(key, message))}
            for key, message in hashed
        ],
        "draws": [
            {
                "seed": seed.hex(), "device": device.hex(), "bounds": bounds,
                "draws": [draw * bound >> 32 for draw, bound in
                          zip(draws(seed, device, len(bounds)), bounds, strict=True)],
            }
            for seed, device in drawn
        ],
        "assignments": [
            {
                "seed": seed.hex(), "device": device.hex(), "weights": weights, "rows": rows,
                "answers": answers, "assigned": assigned(seed, device, weights, rows, answers),
            }
            for weights, rows, answers in shapes
            for seed, device in drawn
        ],
    }  # fmt: skip


def code_vectors() -> dict[str, Any]:
    grids = []
    for points, low, high, values in (
        (2, 0.0, 100.0, [-5.0, 0.0, 1e-300, 33.3, 50.0, 99.99999999999999, 100.0, 1e308]),
        (3, -1.0, 1.0, [-1.0, -0.5, -0.0, 0.1, 0.9999999999999999, 1.0]),
        (17, -40.0, 85.5, [-41.0, -40.0, 0.1, 20.0, 22.75, 85.49999999999999, 85.5, 86.0]),
        (33, 1e-3, 1e6, [0.0, 0.0011, 31250.5, 999999.9, 1e6]),
    ):
        for value in values:
            position = (min(max(value, low), high) - low) / (high - low) * (points - 1)
            threshold = int((position - min(int(position), points - 2)) * 2.0**53)
            words = {0, MASK, threshold << 11, (threshold << 11) - 1, 1 << 63}
            grids += [
                {
                    "points": points, "low": low, "high": high, "value": value,
                    "word": hex_word(word), "index": grid_index(points, low, high, value, word),
                }
                for word in sorted(words) if 0 <= word <= MASK
            ]  # fmt: skip
    linears = []
    for values_count, base, digits, multipliers in (
        (2, 2, 1, [1]), (4, 2, 2, [1]), (13, 2, 4, [1]), (3, 3, 1, [1]), (16, 17, 1, [1, 3, 9, 10]),
        (25, 5, 2, [1, 2]), (100, 3, 5, [1, 2]), (6, 6, 1, [1, 5]), (1000, 11, 3, [1]),
    ):  # fmt: skip
        rows = len(multipliers) * (base**digits - 1) // (base - 1)
        few_rows = sorted(
            {0, 1, base, base + 1, rows // 3, rows // 2, rows - 2, rows - 1} & set(range(rows))
        )
        few_values = sorted({0, 1, base - 1, values_count // 2, values_count - 1})
        linears.append(
            {
                "values": values_count, "base": base, "digits": digits, "multipliers": multipliers,
                "rows": rows,
                "cases": [
                    {"value": value, "row": row,
                     "index": linear_index(base, digits, multipliers, value, row)}
                    for row in few_rows for value in few_values if value < values_count
                ],
            }
        )  # fmt: skip
    for digits in (2, 3, 5):
        size, rows = 2 ** (digits - 1), 2 ** (digits - 1) - 1
        few_rows = sorted({0, rows // 2, rows - 1})
        linears.append(
            {
                "values": 2 * size, "base": 2, "digits": digits, "multipliers": [1], "signed": True,
                "rows": rows,
                "cases": [
                    {"value": value, "row": row,
                     "index": linear_index(2, digits, [1], value, row, signed=True)}
                    for row in few_rows for value in sorted({0, 1, size - 1, size, 2 * size - 1})
                ],
            }
        )  # fmt: skip
    edges = [0.0, 0.1, 20.0, 50.5, 100.0]
    values = [-3.0, 0.0, 0.09999999999999999, 0.1, 19.999999999999996, 20.0, 50.5, 99.0, 100.0, 1e9]
    return {
        "about": "from a value (a row, a word) to an index; words are 64 bits in hexadecimal; "
        "`pairs`: from the answers of a crosstab's parts (null: drawn) and a word to its place",
        "grid": grids,
        "linear": linears,
        "bins": [{"edges": edges, "value": one, "place": bin_of(edges, one)} for one in values],
        "pairs": pair_vectors(),
    }


def pair_vectors() -> list[dict[str, Any]]:
    """Crosstabs of every kind of part, each with answers and without, at the words' edges."""
    theme = {"name": "theme", "kind": "categorical", "values": ["light", "dark", "auto"]}
    age = {"name": "age", "kind": "numeric", "low": 0.0, "high": 90.0, "bins": [0.0, 18.0, 90.0]}
    screen = {"name": "screen", "kind": "numeric", "low": 0.0, "high": 600.0, "points": 2}
    battery = {"name": "battery", "kind": "numeric", "low": 0.0, "high": 100.0, "points": 5}
    answers = {"theme": [0, 2, None], "age": [0, 1, None], "screen": [0.0, 150.0, 600.0, None],
               "battery": [0.0, 33.3, 75.0, 100.0, None]}  # fmt: skip
    quarter = 1 << 30
    words = [0, MASK, 0xFFFFFFFF, 0xFFFFFFFF << 32, quarter, quarter - 1, quarter << 32,
             (quarter << 32) - 1, 0x5555555655555555, 0xAAAAAAAAAAAAAAAB]  # fmt: skip
    pairs = [(theme, age), (theme, screen), (age, battery), (battery, theme), (screen, battery)]
    return [
        {"of": [first, second], "places": places(first) * places(second), "cases": [
            {"answers": [one, other], "word": hex_word(word),
             "place": placed({"kind": "crosstab", "of": [first, second]}, [one, other], word)}
            for one in answers[first["name"]] for other in answers[second["name"]] for word in words
        ]}
        for first, second in pairs
    ]  # fmt: skip


def table_vectors() -> dict[str, Any]:
    dense = {"kind": "dense", "counts": [
        [TOTAL // 2 - 1, TOTAL // 4, TOTAL // 4 + 1],
        [TOTAL // 4 + 1, TOTAL // 2 - 1, TOTAL // 4],
    ]}  # fmt: skip
    narrow = {"kind": "dense", "counts": [[1, TOTAL - 1], [TOTAL - 1, 1]]}
    circulant = {"kind": "circulant", "counts": [TOTAL - 4 * (TOTAL // 9)] + [TOTAL // 9] * 4}
    window = {"kind": "circulant", "counts": [1 << 51, 1 << 50, 1 << 51, 1 << 50, 1 << 51]}
    window["counts"][4] = TOTAL - sum(window["counts"][:4])
    replace = {"kind": "replace", "counts": [TOTAL // 2 + 3, TOTAL // 4, 1, TOTAL // 4 - 4]}
    vectors = []
    for table in (dense, narrow, circulant, window, replace):
        indices = range(len(table["counts"]) - (table is replace))
        cases = []
        for index in indices:
            row = table["counts"][index] if table["kind"] == "dense" else table["counts"]
            sums = [sum(row[: i + 1]) for i in range(len(row) - 1)]
            edges = {0, TOTAL - 1} | {edge + step for edge in sums for step in (-1, 0)}
            for draw in sorted(edges):
                # The low eleven bits of the word do not matter: set them in half the cases.
                word = draw << 11 | (0x7FF if (draw + index) % 2 else 0)
                symbol = walked(table, index, word)
                cases.append({"index": index, "word": hex_word(word), "symbol": symbol})
        vectors.append({"table": table, "cases": cases})
    about = (
        "the symbol for an index, of a replace table for a kept symbol, and a 64-bit word in "
        "hexadecimal"
    )
    return {"about": about, "tables": vectors}


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
    written = (paper, best, several, tiers, wide, step, pairs, pairs_in_tiers)
    return {one.name: one.to_document() for one in written}


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


def refused_vectors() -> dict[str, Any]:
    cases = []
    bases = [(small_survey(), one) for one in refusals()]
    bases += [(paired_survey(), one) for one in pair_refusals()]
    bases += [(remembering_survey(), one) for one in memory_refusals()]
    for document, (why, field, changes) in bases:
        for path, value in changes:
            *parents, last = path
            place: Any = document
            for step in parents:
                place = place[step]
            if value is REMOVED:
                del place[last]
            else:
                place[last] = value
        cases.append({"why": why, "field": field, "survey": document})
    just_kept = copy.deepcopy(small_survey())
    most, least = over_by_one()
    just_kept["tables"][0]["counts"] = [most - 1, least + 1]
    nulls = paired_survey() | {"tiers": None}
    nulls["attributes"][0] |= {"bins": None, "missing": None, "unlisted": None}
    nulls["attributes"][1] |= {"missing": None, "unlisted": None}
    nulls["attributes"][1]["mechanisms"][0]["signed"] = None
    nulls["attributes"][0]["reads"] = nulls["attributes"][1]["reads"] = None
    nulls["attributes"][3] |= {"missing": None, "unlisted": None, "reads": None}
    nulls["attributes"][3]["of"][1] |= {"missing": None, "bins": None, "reads": None}
    odd = paired_survey()
    odd["attributes"][3] |= {"reads": "what its parts do not", "values": 7, "low": "high"}
    odd["attributes"][3]["of"][0] |= {"coin": 0, "mechanisms": "of parts are not looked at"}
    odd["attributes"][3]["of"][1] |= {"name": "wifi"}
    in_tiers = small_survey() | {"epsilon": None, "tiers": [1.0]}
    return {
        "about": "surveys that a device must refuse, with a message that names the field; "
        "and some that it must take; `bytes` are documents as they arrive, each text so many times",
        "refused": cases,
        "taken": [
            {"why": "the survey that the refused ones are changes of", "survey": small_survey()},
            {"why": "a table that keeps its epsilon by less than one count", "survey": just_kept},
            {"why": "null where a field is optional", "survey": nulls},
            {"why": "null for epsilon beside tiers", "survey": in_tiers},
            {"why": "a survey with a crosstab", "survey": paired_survey()},
            {"why": "a crosstab with fields that it does not have", "survey": odd},
            *({"why": why, "survey": survey} for why, survey in taken_surveys()),
        ],
        "bytes": byte_cases(),
    }


def byte_cases() -> list[dict[str, Any]]:
    """Documents byte by byte: how numbers may be written, and what is refused unparsed."""
    text = json.dumps(small_survey())
    cases: list[tuple[str, bool, list[tuple[str, int]]]] = [
        ("as it should be", True, [(text, 1)]),
        ("white space and unknown fields", True,
         [(" \n\t", 100), (text.replace('"name"', '"colour": {"deep": [[]]}, "name"'), 1)]),
        ("integers written as fractions", True,
         [(text.replace('"answers": 1', '"answers": 1.0').replace('"coin": 1', '"coin": 10e-1'),
           1)]),
        ("numbers written as integers", True,
         [(text.replace("0.0", "0").replace("90.0", "90"), 1)]),
        ("of a name given twice the last counts", True,
         [(text.replace('{"format"', '{"format": "x", "format"', 1), 1)]),
        ("empty", False, []),
        ("not closed", False, [(text[:-1], 1)]),
        ("something after it", False, [(text, 2)]),
        ("a byte order mark", False, [("\ufeff", 1), (text, 1)]),
        ("a number that JSON has not", False, [(text.replace("90.0", "NaN"), 1)]),
        ("a number beyond doubles", False, [(text.replace("90.0", "1e999"), 1)]),
        ("a number beyond doubles that nobody reads", True,
         [(text.replace('"name"', '"colour": 1e999, "name"', 1), 1)]),
        ("a large number of many digits", True,
         [(text.replace('"low": 0.0', '"low": -1' + "0" * 305, 1), 1)]),
        ("a trailing comma", False, [(text.replace("[1]", "[1,]", 1), 1)]),
        ("more than a mebibyte", False, [(" ", 1 << 20), (text, 1)]),
        ("a mebibyte", True, [(" ", (1 << 20) - len(text)), (text, 1)]),
        ("a number of 401 digits", False,
         [('{"x": ', 1), ("9", 401), (", ", 1), (text[1:], 1)]),
        ("a number of 400 digits", True,
         [('{"x": ', 1), ("9", 400), (", ", 1), (text[1:], 1)]),
        ("too many arrays", False,
         [('{"x": [', 1), ("[],", 1 << 16), ("[]], ", 1), (text[1:], 1)]),
        ("a memo of 8,192 words", True, large_memo(8191)),
        ("a memo of too many words", False, large_memo(8192)),
    ]  # fmt: skip
    return [
        {"why": why, "taken": taken, "parts": [list(part) for part in parts]}
        for why, taken, parts in cases
    ]


def write(name: str, vectors: dict[str, Any]) -> None:
    """Write one case a line, so that a difference shows the case."""
    parts = []
    for key, value in vectors.items():
        if isinstance(value, list):
            lines = ",\n  ".join(map(written, value))
            parts.append(f'"{key}": [\n  {lines}\n ]')
        else:
            parts.append(f'"{key}": {written(value)}')
    (HERE / name).write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")


def written(value: Any) -> str:
    """JSON in UTF-8, except where a text is no Unicode."""
    text = json.dumps(value, ensure_ascii=False)
    return text if is_well_formed(text) else json.dumps(value)


if __name__ == "__main__":
    write("bounds.json", bound_vectors() | {"products": product_vectors()})
    write("over_time.json", over_time_vectors(some_bytes))
    write("coins.json", coin_vectors())
    write("codes.json", code_vectors())
    write("tables.json", table_vectors())
    write("reports.json", report_vectors())
    write("refused.json", refused_vectors())
    write("steps.json", step_vectors(some_bytes))
    write("documents.json", document_vectors())
    write("lists.json", list_vectors())
    ledgers = ledger_vectors()
    ledgers["damaged"] += damaged_lines()
    write("ledgers.json", ledgers | {"memory": charge_vectors()})
    write("records.json", record_vectors())
    write("texts.json", text_vectors(some_bytes))
