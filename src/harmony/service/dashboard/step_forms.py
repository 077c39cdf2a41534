"""The forms that make a training or an exploration: from their fields to a definition."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from harmony.exploration.definition import WANTED
from harmony.learn.training import EVALUATION
from harmony.service.schema import RETENTION_DAYS

from .access import Form, field
from .forms import DEVICES, AttributeFields, attributes_of, devices_of, number
from .governance import retention_of

KINDS = {
    "mean": "a number",
    "bins": "a number in bins",
    "categorical": "one of some values",
    "boolean": "yes or no",
}
LOSSES = {
    "logistic": "logistic: a value, with its chance",
    "hinge": "hinge: a value (a support vector machine)",
    "squared": "squared: a number",
}
TARGET = AttributeFields(kind="boolean")


@dataclass(frozen=True)
class StepsForm:
    """What both forms ask for."""

    name: str = ""
    epsilon: str = "1"
    devices: str = str(DEVICES)
    hours: str = "1"
    least: str = ""
    retention: str = str(RETENTION_DAYS)
    public: bool = False

    @classmethod
    def of(cls, form: Form) -> Self:
        """Read what the form sent."""
        texts = {
            one.name: field(form, one.name)
            for one in fields(cls)
            if one.name not in ("retention", "public", "attributes")
        }
        return cls(
            **texts,
            retention=field(form, "retention_days"),
            public=field(form, "public") == "yes",
        )

    @abstractmethod
    def definition(self) -> dict[str, Any]:
        """Return the definition, or raise what is wrong with the form."""

    def run(self) -> dict[str, Any]:
        """Return how it is to run, as the API takes it."""
        least = int(number(self.least.replace(",", ""), "'least'")) if self.least else None
        return {
            "step_seconds": 3600 * number(self.hours, "'hours'"),
            "least": least,
            "retention_days": retention_of(self.retention),
            "public": self.public,
        }

    def _common(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "epsilon": number(self.epsilon, "'epsilon'"),
            "devices": devices_of(self.devices),
        }


@dataclass(frozen=True)
class TrainingForm(StepsForm):
    """The form of a training; the first attribute is what is predicted, the others predict it."""

    loss: str = "logistic"
    evaluation: str = f"{100 * EVALUATION:g}"
    crosses: str = ""
    attributes: tuple[AttributeFields, ...] = (TARGET, AttributeFields())

    @classmethod
    def of(cls, form: Form) -> Self:
        """Read what the form sent."""
        sent = attributes_of(form)
        rows = (sent[:1] or (TARGET,)) + (sent[1:] or (AttributeFields(),))
        return replace(super().of(form), attributes=rows)

    def definition(self) -> dict[str, Any]:
        """Return the training's definition, or raise what is wrong with the form.

        >>> rows = (AttributeFields("charging", "boolean"), AttributeFields("battery"))
        >>> TrainingForm("charging", attributes=rows).definition()["features"]
        [{'name': 'battery', 'kind': 'numeric', 'low': 0.0, 'high': 100.0}]
        """
        label, *features = self.attributes
        return self._common() | {
            "loss": self.loss,
            "evaluation": number(self.evaluation, "'evaluation'") / 100,
            "label": label.to_document("what is predicted"),
            "features": [
                one.to_document(f"feature {place}") for place, one in enumerate(features, start=1)
            ],
            "crosses": [
                [part.strip() for part in line.split(" x ")]
                for line in self.crosses.splitlines()
                if line.strip()
            ],
        }


@dataclass(frozen=True)
class ExplorationForm(StepsForm):
    """The form of an exploration."""

    text: str = ""
    wanted: str = str(WANTED)

    def definition(self) -> dict[str, Any]:
        """Return the exploration's definition, or raise what is wrong with the form."""
        wanted = number(self.wanted, "'wanted'")
        return self._common() | {
            "text": self.text,
            "wanted": int(wanted) if wanted.is_integer() else wanted,
        }
