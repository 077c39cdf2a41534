"""What one phone revealed: the symbols that it sent, and how likely they were for any value."""

from __future__ import annotations

from dataclasses import dataclass

from harmony_device.coins import assign
from harmony_device.tables import TOTAL, DenseTable

from ..mechanisms import Grid, Mechanism
from ..rounds import Round
from ..survey import Survey


@dataclass(frozen=True)
class RevealedAnswer:
    """What one phone sent about one attribute, and how likely that was.

    Whatever its value, the phone sent this symbol with a chance between `least` and `most`.
    """

    attribute: str
    symbol: int
    symbols: int
    least: float
    most: float


def read_report(survey: Survey, round: Round, report: bytes) -> list[RevealedAnswer]:
    """Return what a report says to whoever reads it."""
    device, sent = report[:16], report[17:]
    size = survey.symbol_bytes
    asked = assign(round.seed, device, survey.weights, survey.rows(), survey.answers)
    answers = []
    for number, (place, row) in enumerate(asked):
        symbol = int.from_bytes(sent[number * size : (number + 1) * size], "little")
        mechanism = survey.mechanisms[0][place]
        chances = [_chance(mechanism, index, symbol) for index in _indices(mechanism, row)]
        name, symbols = survey.attributes[place].name, mechanism.table.symbols
        answers.append(RevealedAnswer(name, symbol, symbols, min(chances), max(chances)))
    return answers


def _indices(mechanism: Mechanism, row: int) -> set[int]:
    """Return the table's inputs that some value leads to."""
    if isinstance(mechanism, Grid):
        return set(range(mechanism.code.points))
    return {mechanism.code.index(value, row) for value in range(mechanism.values)}


def _chance(mechanism: Mechanism, index: int, symbol: int) -> float:
    table = mechanism.table
    if isinstance(table, DenseTable):
        return table.counts[index][symbol] / TOTAL
    return table.counts[(symbol - index) % table.symbols] / TOTAL
