"""Vectors of the device's arithmetic: coins, codes, pairs of attributes and tables."""

from __future__ import annotations

from typing import Any

from reference import (
    MASK,
    assigned,
    bin_of,
    draws,
    grid_index,
    linear_index,
    placed,
    places,
    siphash,
    walked,
)
from seeds import hex_word, some_bytes

TOTAL = 1 << 53


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
        # Where the order of multiplying and dividing decides.
        (4, 0.1, 0.7, [0.15, 0.25, 0.3, 0.45, 0.55, 0.65]),
        (11, -1.3, 2.9, [-1.2, -0.7, 0.3, 0.9, 1.1, 2.3]),
        # Written as integers, which some languages would compute with.
        (65, 1 - TOTAL, TOTAL - 1, [-TOTAL, 1 - TOTAL, -1, 0, 3, TOTAL - 2, TOTAL - 1]),
        (2, 1, TOTAL + 3, [3, TOTAL // 3, TOTAL - 1, TOTAL + 1, TOTAL + 3]),
    ):
        for value in values:
            span = float(high) - low
            position = (float(min(max(value, low), high)) - low) / span * (points - 1)
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
