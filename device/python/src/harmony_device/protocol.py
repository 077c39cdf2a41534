"""What the protocol fixes for everyone: formats, and the limits of what a device takes.

The aggregator and the service use these, too; docs/protocol.md says what each is about.
"""

from __future__ import annotations

SURVEY_FORMAT = "harmony-survey/1"
STEP_FORMAT = "harmony-step/1"

LEAST_EPSILON, MOST_EPSILON = 1e-4, 20.0

MAX_NAME = 100
MAX_ATTRIBUTES = 10_000
MAX_VALUES = 1 << 20
MAX_TIERS = 16
MAX_COIN = 1 << 16
MAX_SYMBOLS = 1 << 16
MAX_COUNTS = 1 << 20
"""Counts in all tables together; a rich survey has a few thousand."""

MAX_FEATURES = 10_000
MAX_EDGES = 1 << 16
MAX_TERMS = 8

MAX_DOCUMENT_BYTES = 16 << 20
MAX_DIGITS = 20
"""Digits of an integer in a document; the largest that means anything is 2**53."""
MAX_SURVEYS = 1000
