"""The form that makes a survey: from its fields to a survey's definition, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from harmony.errors import SurveyError
from harmony.service.schema import RETENTION_DAYS

from .access import Form, field

KINDS = {
    "mean": "number: its mean",
    "bins": "number: its histogram",
    "distribution": "number: its distribution",
    "categorical": "one of some values",
    "boolean": "yes or no",
}
ANSWERS = {"yes": True, "no": False}
DEVICES = 50_000


@dataclass(frozen=True)
class AttributeFields:
    """One attribute as it stands in the form."""

    name: str = ""
    kind: str = "mean"
    low: str = "0"
    high: str = "100"
    bins: str = "10"
    values: str = ""
    missing: str = ""
    unlisted: str = ""
    question: str = ""

    def to_document(self, where: str) -> dict[str, Any]:
        """Return the attribute's definition.

        >>> theme = AttributeFields("theme", "categorical", values="dark\\nother", unlisted="other")
        >>> theme.to_document("")
        {'name': 'theme', 'kind': 'categorical', 'values': ['dark', 'other'], 'unlisted': 'other'}
        """
        if not self.name:
            raise SurveyError(f"{where}: 'name' is missing")
        if self.kind not in KINDS:
            raise SurveyError(f"{self.name}: 'kind' must be one of {', '.join(KINDS)}")
        return self._asked() | ({"question": self.question} if self.question else {})

    def _asked(self) -> dict[str, Any]:
        if self.kind == "boolean":
            return {"name": self.name, "kind": "boolean"} | self._boolean_missing()
        if self.kind == "categorical":
            values = [value.strip() for value in self.values.split("\n")]
            document: dict[str, Any] = {"name": self.name, "kind": "categorical"}
            stand_ins = {"missing": self.missing, "unlisted": self.unlisted}
            return (
                document
                | {"values": [value for value in values if value]}
                | {part: text for part, text in stand_ins.items() if text}
            )
        kind = "distribution" if self.kind == "distribution" else "numeric"
        document = {"name": self.name, "kind": kind}
        document |= {"low": self._number("low"), "high": self._number("high")}
        if self.kind == "bins":
            document["bins"] = int(self._number("bins"))
        if self.missing:
            document["missing"] = self._number("missing")
        return document

    def _boolean_missing(self) -> dict[str, bool]:
        if self.missing and self.missing not in ANSWERS:
            raise SurveyError(f"{self.name}: 'missing' must be yes or no, or empty")
        return {"missing": ANSWERS[self.missing]} if self.missing else {}

    def _number(self, part: str) -> float:
        return number(getattr(self, part), f"{self.name}: '{part}'")


@dataclass(frozen=True)
class SurveyForm:
    """The whole form."""

    name: str = ""
    epsilon: str = "1"
    devices: str = str(DEVICES)
    schedule: str = ""
    label: str = ""
    purpose: str = ""
    every: str = ""
    memory: str = ""
    retention: str = str(RETENTION_DAYS)
    public: bool = False
    crosstabs: bool = False
    attributes: tuple[AttributeFields, ...] = (AttributeFields(),)

    @classmethod
    def of(cls, form: Form) -> SurveyForm:
        """Read what the form sent."""
        return cls(
            name=field(form, "name"),
            epsilon=field(form, "epsilon"),
            devices=field(form, "devices"),
            schedule=field(form, "schedule"),
            label=field(form, "label"),
            every=field(form, "every"),
            memory=field(form, "memory"),
            purpose=field(form, "purpose"),
            retention=field(form, "retention_days"),
            public=field(form, "public") == "yes",
            crosstabs=field(form, "crosstabs") == "all",
            attributes=attributes_of(form) or (AttributeFields(),),
        )

    def definition(self) -> dict[str, Any]:
        """Return the survey's definition, or raise what is wrong with the form."""
        more: dict[str, Any] = {"purpose": self.purpose} if self.purpose else {}
        if self.every:
            every = number(self.every, "'every'")
            more["every"] = int(every) if every.is_integer() else every
        if self.memory:
            more["memory"] = number(self.memory, "'memory'")
        if self.crosstabs:
            more["crosstabs"] = "all"
        return more | {
            "name": self.name,
            "epsilon": number(self.epsilon, "'epsilon'"),
            "attributes": [
                one.to_document(f"attribute {place}")
                for place, one in enumerate(self.attributes, start=1)
            ],
        }

    def expected_devices(self) -> int:
        """Return how many devices the plan supposes."""
        return devices_of(self.devices)


def attributes_of(form: Form) -> tuple[AttributeFields, ...]:
    """Read the attributes that a form sent."""
    columns = {
        part.name: form.get(f"attribute_{part.name}", []) for part in fields(AttributeFields)
    }
    return tuple(
        AttributeFields(
            **{part: texts[place].strip() for part, texts in columns.items() if texts[place:]}
        )
        for place in range(len(columns["name"]))
    )


def rows_wished(
    rows: tuple[AttributeFields, ...], wish: str, fixed: int = 0
) -> tuple[AttributeFields, ...] | None:
    """Return the rows with one more or one less, if the pressed button wishes for that.

    The `fixed` first ones stay, and one more is always there, if only an empty one.

    >>> [one.name for one in rows_wished((AttributeFields("wifi"),), "another")]
    ['wifi', '']
    """
    if wish == "another":
        return (*rows, AttributeFields())
    word, _, place = wish.partition("-")
    if word != "without" or not place.isdecimal():
        return None
    kept = tuple(one for at, one in enumerate(rows) if at < fixed or str(at) != place)
    return kept if kept[fixed:] else (*kept, AttributeFields())


def devices_of(text: str) -> int:
    """Read how many devices are expected.

    >>> devices_of("50,000")
    50000
    """
    devices = int(number(text.replace(",", ""), "'devices'"))
    if not 1 <= devices <= 10**10:
        raise SurveyError("'devices' must lie between 1 and 10,000,000,000")
    return devices


def number(text: str, where: str) -> float:
    """Read a number.

    >>> number("1.5", "'epsilon'")
    1.5
    """
    try:
        read = float(text)
    except ValueError:
        read = math.nan
    if not math.isfinite(read):
        raise SurveyError(f"{where} must be a number")
    return read
