"""Text attributes: texts that nobody listed, and what one step of an exploration asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harmony_device.errors import RefusedError
from harmony_device.fields import is_well_formed
from harmony_device.protocol import MAX_TEXT_BITS
from harmony_device.record import TEXT
from harmony_device.text import Text as DeviceText

from .attributes import check_naming, options_of
from .errors import SurveyError
from .near_names import did_you_mean
from .text_code import TextCode

BITS = 48
"""How many bits of a text's code are told apart, unless said otherwise."""


STEP_FIELDS = ("length", "prefixes", "bits", "strings", "code")
"""What a step's attribute of kind `text` says beside its name."""

_FIELDS = ("name", "bits", "missing", "question", "reads")


@dataclass(frozen=True)
class Text:
    """A text whose values nobody listed: what an exploration finds.

    Texts that agree in the first `bits` of their code are not told apart.  A device without a
    usable text answers `missing`, or "(other)" where that is not named.  Devices spell texts in the
    public `code`; `reads` names what they read, where that is not the text's own name, and
    `question` says to people what is asked of them, and why.

    >>> Text("home page", bits=64).to_document() | {"code": ...}
    {'name': 'home page', 'kind': 'text', 'bits': 64, 'code': Ellipsis}
    """

    name: str
    bits: int = BITS
    missing: str | None = None
    question: str | None = None
    reads: str | None = None
    code: TextCode = field(default_factory=lambda: TextCode.common())

    weight = 1

    def __post_init__(self) -> None:
        check_naming(self)
        if type(self.bits) is not int or not 1 <= self.bits <= MAX_TEXT_BITS:
            raise SurveyError(f"{self.name}: 'bits' must be an integer from 1 to {MAX_TEXT_BITS}")
        missing = self.missing
        if missing is not None and not (isinstance(missing, str) and is_well_formed(missing)):
            raise SurveyError(f"{self.name}: 'missing' must be a text")
        if not isinstance(self.code, TextCode):
            raise SurveyError(f"{self.name}: 'code' must be a TextCode")

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name, "kind": "text", "bits": self.bits}
        return document | options_of(self) | {"code": self.code.contexts}

    @property
    def source(self) -> str:
        """What it reads, of a record or a table."""
        return self.name if self.reads is None else self.reads

    @classmethod
    def from_document(cls, document: Any) -> Text:
        """Read a text attribute as a person writes it, or as it was stored."""
        if not isinstance(document, dict) or document.get("kind", "text") != "text":
            raise SurveyError("'text' must be a mapping with 'name', and the kind 'text'")
        if unknown := document.keys() - {"kind", "code", *_FIELDS}:
            field = min(map(str, unknown))
            raise SurveyError(f"'text': unknown field '{field}'{did_you_mean(field, _FIELDS)}")
        if "name" not in document:
            raise SurveyError("'text': 'name' is missing")
        given = {key: document[key] for key in _FIELDS if key in document}
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
    asks = TEXT

    def __post_init__(self) -> None:
        _check(self.to_document())

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def question(self) -> str | None:
        return self.text.question

    @property
    def reads(self) -> str | None:
        return self.text.reads

    @property
    def source(self) -> str:
        """What it reads, of a record or a table."""
        return self.text.source

    @cached_property
    def values(self) -> range:
        """The numbers of the places; the last is every other text, and none at all."""
        return range((len(self.prefixes) << self.bits) + len(self.strings) + 1)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name, "kind": "text"} | options_of(self.text)
        listed = self.text.bits, list(self.prefixes), self.bits, list(self.strings)
        asked = (*listed, self.text.code.contexts)
        return document | dict(zip(STEP_FIELDS, asked, strict=True))

    @classmethod
    def of(cls, **document: Any) -> TextPlaces:
        """Read what a step's survey asks, as its document has it."""
        _check(document)
        length, prefixes, bits, strings, code = (document[key] for key in STEP_FIELDS)
        words = {key: document.get(key) for key in ("missing", "question", "reads")}
        text = Text(document["name"], length, code=TextCode(code), **words)
        return text.places(prefixes, bits, strings)


def _check(document: dict[str, Any]) -> None:
    """Refuse what a device would refuse."""
    try:
        DeviceText(document)
    except RefusedError as problem:
        raise SurveyError(f"text: {problem}") from None
