"""The record: what an app declares, what a document may ask of it, and how values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harmony_device import Device
from harmony_device.record import Record, reader, snapshot

from .conftest import VALUES
from .fake_server import FakeServer

Start = Callable[..., Device]
APP = Record({"battery": float, "steps": int, "theme": str, "wifi": bool})


@pytest.mark.parametrize("types", [None, 7, "battery", ["battery"], {"battery"}])
def test_a_record_maps_names_to_types(types: Any) -> None:
    with pytest.raises(TypeError, match="'record' must map names to types"):
        Record(types)


@pytest.mark.parametrize("kind", [None, "float", 1.0, [], list, complex, type(None), [float]])
def test_a_type_is_one_of_four(kind: Any) -> None:
    with pytest.raises(TypeError, match="'record': the type of 'battery' must be float, int, str"):
        Record({"wifi": bool, "battery": kind})


@pytest.mark.parametrize("name", [None, 7, b"battery"])
def test_a_name_is_text(name: Any) -> None:
    with pytest.raises(TypeError, match="'record': the type of"):
        Record({name: float})


def test_integers_and_floats_are_numbers() -> None:
    assert APP.types == {
        "battery": "number", "steps": "number", "theme": "text", "wifi": "boolean"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("needs", "lacks"),
    [
        ([], None),
        ([("battery", "number"), ("steps", "number")], None),
        ([("theme", "text"), ("wifi", "boolean")], None),
        ([("wifi", "boolean"), ("nfc", "boolean")],
         "asks for 'nfc' (boolean), which is not in this app's record"),
        ([("wifi", "number"), ("nfc", "boolean")],
         "asks for 'wifi' as a number; this app's record has it as a boolean"),
        ([("battery", "derived answer")],
         "asks for 'battery' as a derived answer; this app's record has it as a number"),
    ],
)  # fmt: skip
def test_what_a_record_lacks_is_named(needs: list[tuple[str, str]], lacks: str | None) -> None:
    assert APP.lack(needs) == lacks


def test_each_name_that_is_not_declared_is_told_in_order() -> None:
    values = {"zebra": 1, "batery": 2, "battery": 3, "Theme": "dark"}
    assert APP.unknown(values) == [
        "values: 'zebra' is not in the record",
        "values: 'batery' is not in the record; did you mean 'battery'?",
        "values: 'Theme' is not in the record; did you mean 'theme'?",
    ]
    assert APP.unknown(dict.fromkeys(APP.types)) == []
    assert APP.unknown(values.__getitem__) == []


class Row:
    """A mapping of another kind, whose names do not subtract as those of a dictionary do."""

    class Names:
        def __iter__(self) -> Iterator[str]:
            return iter(("battery", "tehme"))

        def __sub__(self, other: object) -> None:
            raise TypeError("numbers only")

    def keys(self) -> Names:
        return self.Names()

    def get(self, name: str) -> object:
        return {"battery": 71}.get(name)


def test_the_names_of_any_mapping_are_looked_at() -> None:
    row: Any = Row()
    assert APP.unknown(row) == ["values: 'tehme' is not in the record; did you mean 'theme'?"]
    assert snapshot(row, [("battery", "number"), ("wifi", "boolean")]) == {
        "battery": 71, "wifi": None
    }  # fmt: skip


def test_what_cannot_be_read_is_missing_whatever_was_raised() -> None:
    raised = {"key": KeyError, "value": ValueError, "memory": MemoryError, "os": OSError}

    def value_of(name: str) -> object:
        if name in raised:
            raise raised[name]("it may tell the value")
        return name

    read = reader(value_of)
    assert [read(name) for name in (*raised, "theme")] == [None, None, None, None, "theme"]
    assert reader({"theme": 7})("wifi") is None


def test_each_value_that_is_needed_is_read_once() -> None:
    asked: list[str] = []

    def value_of(name: str) -> object:
        asked.append(name)
        return len(asked)

    needs = [("theme", "text"), ("battery", "number")]
    assert snapshot(value_of, needs) == {"theme": 1, "battery": 2}
    assert asked == ["theme", "battery"]


def test_a_misspelt_name_warns_and_changes_nothing(device: Start, server: FakeServer) -> None:
    visit = device().answer({**VALUES, "wfi": True})
    assert visit.accepted == [("small", "1")]
    assert visit.warnings == ["values: 'wfi' is not in the record; did you mean 'wifi'?"]


def test_a_survey_outside_the_record_is_skipped_whatever_the_values(
    device: Start, server: FakeServer
) -> None:
    for values in (VALUES, {}, {"battery": None}, dict.fromkeys(VALUES, "?")):
        visit = device(record={"battery": float, "wifi": str, "age": int}).answer(values)
        assert visit.skipped == {
            "small": "asks for 'wifi' as a boolean; this app's record has it as a text"
        }
        assert (visit.answered, server.seen) == ([], [])
    assert device().ledger() == []
