"""Text attributes: texts that nobody listed, and what one step of an exploration asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harmony_device.attributes import checked_attribute_name, is_well_formed
from harmony_device.errors import RefusedError
from harmony_device.protocol import MAX_TEXT_BITS
from harmony_device.text import Text as DeviceText

from .errors import SurveyError
from .text_code import TextCode
from .wording import checked_words

BITS = 48
"""How many bits of a text's code are told apart, unless said otherwise."""


@dataclass(frozen=True)
class Text:
    """A text whose values nobody listed: what an exploration finds.

    Texts that agree in the first `bits` of their code are not told apart.  A device without a
    usable text answers `missing`, or "(other)" where that is not named.  Devices spell texts in the
    public `code`.

    >>> Text("home page", bits=64).to_document() | {"code": ...}
    {'name': 'home page', 'kind': 'text', 'bits': 64, 'code': Ellipsis}
    """

    name: str
    bits: int = BITS
    missing: str | None = None
    question: str | None = None
    code: TextCode = field(default_factory=lambda: TextCode.common())

    def __post_init__(self) -> None:
        try:
            checked_attribute_name({"name": self.name})
        except RefusedError as problem:
            raise SurveyError(f"text: {problem}") from None
        if type(self.bits) is not int or not 1 <= self.bits <= MAX_TEXT_BITS:
            raise SurveyError(f"{self.name}: 'bits' must be an integer from 1 to {MAX_TEXT_BITS}")
        checked_words(self.question, f"{self.name}: 'question'")
        missing = self.missing
        if missing is not None and not (isinstance(missing, str) and is_well_formed(missing)):
            raise SurveyError(f"{self.name}: 'missing' must be a text")
        if not isinstance(self.code, TextCode):
            raise SurveyError(f"{self.name}: 'code' must be a TextCode")

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name, "kind": "text", "bits": self.bits}
        return document | self.options() | {"code": self.code.contexts}

    def options(self) -> dict[str, Any]:
        """Return the fields that may be left out, as documents have them."""
        given = {"missing": self.missing, "question": self.question}
        return {key: value for key, value in given.items() if value is not None}

    @classmethod
    def from_document(cls, document: Any) -> Text:
        """Read a text attribute as a person writes it, or as it was stored."""
        if not isinstance(document, dict) or document.get("kind", "text") != "text":
            raise SurveyError("'text' must be a mapping with 'name', and the kind 'text'")
        known = {"name", "kind", "bits", "missing", "question", "code"}
        if unknown := document.keys() - known:
            raise SurveyError(f"'text': unknown field '{min(map(str, unknown))}'")
        if "name" not in document:
            raise SurveyError("'text': 'name' is missing")
        given = {
            key: document[key] for key in ("name", "bits", "missing", "question") if key in document
        }
        if document.get("code") is not None:
            if not isinstance(document["code"], dict):
                raise SurveyError("'text': 'code' must be an object of contexts")
            given["code"] = TextCode(document["code"])
        return cls(**given)

    def places(self, prefixes: Sequence[str], bits: int, strings: Sequence[str]) -> TextPlaces:
        """Return what a step asks: how these prefixes go on, and which of these strings it is."""
        return TextPlaces(self, tuple(prefixes), bits, tuple(strings))


@dataclass(frozen=True)
class TextPlaces:
    """A text by its place among kept prefixes, each extended by so many bits, and strings.

    >>> asked = Text("word", code=TextCode.uniform("abc")).places(["", ], 2, ["00"])
    >>> len(asked.values)
    6
    """

    text: Text
    prefixes: tuple[str, ...]
    bits: int
    strings: tuple[str, ...]

    weight = 1
    missing = None

    def __post_init__(self) -> None:
        try:
            DeviceText(self.to_document())
        except RefusedError as problem:
            raise SurveyError(f"{self.name}: {problem}") from None

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def question(self) -> str | None:
        return self.text.question

    @cached_property
    def values(self) -> range:
        """The numbers of the places; the last is every other text, and none at all."""
        return range((len(self.prefixes) << self.bits) + len(self.strings) + 1)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.text.name, "kind": "text"}
        return (
            document
            | self.text.options()
            | {
                "length": self.text.bits,
                "prefixes": list(self.prefixes),
                "bits": self.bits,
                "strings": list(self.strings),
                "code": self.text.code.contexts,
            }
        )

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> TextPlaces:
        """Read what a step's survey asks, as its document has it."""
        known = {"name", "missing", "question", "length", "prefixes", "bits", "strings", "code"}
        if unknown := document.keys() - known:
            raise SurveyError(f"unknown field '{min(map(str, unknown))}'")
        try:
            DeviceText(document)
        except RefusedError as problem:
            raise SurveyError(str(problem)) from None
        code = TextCode(document["code"])
        stand_in, question = document.get("missing"), document.get("question")
        text = Text(document["name"], document["length"], stand_in, question, code)
        return text.places(document["prefixes"], document["bits"], document["strings"])
