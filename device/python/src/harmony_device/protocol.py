"""What the protocol fixes for everyone: formats, and the limits of what a device takes.

The aggregator and the service use these, too; docs/protocol.md says what each is about.
"""

from __future__ import annotations

PROTOCOL = 1
"""The number of the protocol; both sides say it, and neither goes on with another."""

SURVEY_FORMAT = "harmony-survey/1"
STEP_FORMAT = "harmony-step/1"
MODEL_FORMAT = "harmony-model/1"

LEAST_EPSILON, MOST_EPSILON = 1e-4, 20.0

MAX_NAME = 100
MAX_ATTRIBUTE_NAME = 200
MAX_ATTRIBUTES = 10_000
MAX_VALUES = 1 << 20
MAX_TIERS = 16
MAX_COIN = 1 << 16
MAX_SYMBOLS = 1 << 16
MAX_COUNTS = 1 << 20
"""Counts in all tables together; a rich survey has a few thousand."""

MAX_EVERY = 1 << 16
"""Rounds of which a device answers one, at most."""
MAX_MEMO_WORDS = 1 << 13
"""Random words that a survey with memory lets a device keep: as many as browsers draw at once."""

MAX_FEATURES = 10_000
MAX_EDGES = 1 << 16
MAX_TERMS = 8

MAX_TEXT_BITS = 64
"""Of a text's code: what comes after them is cut off."""
MAX_CONTEXTS = 4096
MAX_CONTEXT = 4
MAX_WORD = 24
MAX_KEPT = 4096
"""Prefixes, and strings, that a text attribute lists."""
MAX_EXTENSION = 20
MAX_PLACES = 1 << 21

MOST_BYTES = 1 << 20
"""Of a document, unless the app allows more."""
MARKS = b"[{:,"
BYTES_A_MARK = 8
"""Of what an app allows, for each of these in a document: what they begin is large once parsed."""
MAX_DIGITS = 400
"""In a row, anywhere in a document: no double needs as many."""
MAX_SAFE_INTEGER = (1 << 53) - 1
"""The greatest integer up to which every language's numbers are exact."""
MAX_SURVEYS = 1000
