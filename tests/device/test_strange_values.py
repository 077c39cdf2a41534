"""Values of any kind, from mappings of any kind: nothing is raised, and nothing looks different."""

from __future__ import annotations

import enum
import random
from asyncio import CancelledError
from collections import ChainMap, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest

from harmony_device import Survey, Visit
from harmony_device.record import MOST_NAMED, Record
from harmony_device.step import Step

from .conftest import Clock, small_survey, vectors
from .hostile import RECORD, Watch, hostile_documents, without_symbols


def fail(*_: object) -> Any:
    raise RuntimeError("it may tell the value")


class Text(str):
    __eq__ = __hash__ = __str__ = __len__ = fail


class Whole(int):
    __float__ = __eq__ = __hash__ = __lt__ = __le__ = __gt__ = __ge__ = fail


class Real(float):
    __float__ = __eq__ = __hash__ = __lt__ = __le__ = __gt__ = __ge__ = fail


class NotANumber(float):
    def __float__(self) -> float:
        return float("nan")


class Claims:
    """Says that it is of another class, as proxies do."""

    __eq__ = __hash__ = __str__ = __float__ = fail  # type: ignore[assignment]

    def __init__(self, kind: type) -> None:
        self._kind = kind

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return self._kind


class NoClass:
    __class__ = property(fail)  # type: ignore[assignment]


class Kind(type):
    __hash__ = __eq__ = __instancecheck__ = fail  # type: ignore[assignment]


class OfAKind(metaclass=Kind):
    pass


class Theme(str, enum.Enum):  # noqa: UP042  # whose str() is not its text
    DARK = "dark"


VALUES: tuple[Any, ...] = (
    Text("flu"), Text("nothing listed"), Whole(3), Real(3.5), NotANumber(3.5), OfAKind(), NoClass(),
    *map(Claims, (str, int, float, bool, Fraction)), Theme.DARK,
    Decimal("sNaN"), Decimal(3), Fraction(1, 3), Fraction(10**5000, 3), 10**5000, -(10**400),
    Mock(spec=str), MagicMock(spec=float), MagicMock(spec=bool), MagicMock(),
    "\ud800", "x" * 1_000_000, b"flu", bytearray(b"flu"), ["flu"], {"flu": 1}, {"flu"}, 1j, int,
    iter([1]), (one for one in "flu"), fail, NotImplemented, ...,
)  # fmt: skip


class KeysRaise(dict[str, object]):
    keys = fail


class KeysOfAnyKind(dict[str, object]):
    def keys(self) -> Any:
        return [Text("battery"), NoClass(), [], 3]


class Growing(dict[str, object]):
    def keys(self) -> Any:
        def names() -> Iterator[str]:
            for name in dict.keys(self):
                self[name * 2] = 1
                yield name

        return names()


class NothingRaises:
    def __getattr__(self, name: str) -> object:
        fail()


class Key:
    """A key that is found where a name is looked for, and cannot be compared."""

    __eq__ = fail

    def __init__(self, name: str) -> None:
        self._name = name

    def __hash__(self) -> int:
        return hash(self._name)


MAPPINGS: dict[str, Any] = {
    "nothing": None, "a list": [1], "a text": "battery", "a number": 3, "a class": dict,
    "a generator": (one for one in "ab"), "no arguments": lambda: 3, "a mock": MagicMock(),
    "keys that raise": KeysRaise(battery=3), "keys of any kind": KeysOfAnyKind(),
    "keys that grow": Growing(battery=3.0, a=1, b=2), "attributes that raise": NothingRaises(),
    "keys that cannot be compared": {Key(name): 1 for name in RECORD},
    "a chain": ChainMap({}, KeysRaise()), "a factory that raises": defaultdict(fail),
    "names that are no text": {1: 2, None: 3, ("a",): 4}, "half of a pair": {"\ud800": 1},
}  # fmt: skip


@pytest.fixture
def visit(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(tmp_path, clock, monkeypatch)


def test_no_value_is_raised_or_seen(visit: Watch) -> None:
    documents = hostile_documents(random.Random(3))
    expected = without_symbols(visit({}, documents))
    for value in VALUES:
        seen = without_symbols(visit(dict.fromkeys(RECORD, value), documents))
        assert seen == expected, type(value)


@pytest.mark.parametrize("kind", MAPPINGS)
def test_no_mapping_is_raised_or_seen(visit: Watch, kind: str) -> None:
    documents = hostile_documents(random.Random(4))
    expected = without_symbols(visit({}, documents))
    assert without_symbols(visit(MAPPINGS[kind], documents)) == expected


def test_what_only_claims_to_be_a_value_is_missing() -> None:
    survey = Survey(small_survey())
    for kind in (str, int, float, bool, Fraction):
        claimed = dict.fromkeys(("battery", "wifi", "age"), Claims(kind))
        assert survey.read(claimed) == survey.read({})
        assert survey.warnings(claimed) == survey.warnings({})


def test_a_text_has_a_place_for_anything() -> None:
    step = Step(vectors("texts")["step"])
    ((name, _),) = step.survey.needs
    for value in VALUES:
        text = str.__str__(value) if issubclass(type(value), str) else None
        assert step.read({name: value}, bytes) == step.read({name: text}, bytes), type(value)
        step.warnings({name: value})


def test_a_reader_may_fail_in_any_way() -> None:
    def cancelled(name: str) -> object:
        raise CancelledError

    survey = Survey(small_survey())
    assert survey.read(cancelled) == survey.read({})


def test_a_number_may_be_of_any_real_type() -> None:
    survey = Survey(small_survey())
    assert survey.read({"battery": Fraction(5, 2)})[0] == 2.5
    assert survey.read({"battery": NotANumber(2.5)})[0] == survey.read({})[0]
    assert survey.read({"battery": True})[0] == survey.read({})[0]


def test_names_that_cannot_be_read_are_one_warning() -> None:
    record = Record({"battery": float})
    for values in (KeysRaise(), KeysOfAnyKind(), Growing(a=1, b=2), NothingRaises()):
        assert record.unknown(values) == ["values: their names cannot be read"]  # type: ignore[arg-type]


def test_only_so_many_names_are_told_and_none_at_full_length() -> None:
    record = Record({"battery": float})
    warnings = record.unknown({f"{place} {'x' * 100_000}": 1 for place in range(MOST_NAMED + 3)})
    assert warnings[-1] == "values: 3 more are not in the record"
    assert len(warnings) == MOST_NAMED + 1
    assert max(map(len, warnings)) < 300
    assert len(record.unknown({str(place): 1 for place in range(MOST_NAMED)})) == MOST_NAMED


def test_warnings_are_told_once_in_order() -> None:
    visit = Visit()
    visit.warn(["b", "a", "b"])
    visit.warn(["c", "a"])
    assert visit.warnings == ["b", "a", "c"]
