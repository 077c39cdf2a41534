"""What the servers of the tests share: everything imported, every kernel loaded."""

from __future__ import annotations

import numpy as np

import harmony.service.server
from harmony.rounds import Round
from harmony.service.ingest.blocks import LiveRound
from harmony.service.stores.device_index import DeviceIndex

from .conftest import SURVEY

assert harmony.service.server

_live = LiveRound(0, SURVEY, Round("none", bytes(16)), 0.0)
_live.locate(np.zeros((1, _live.size), np.uint8))
_index = DeviceIndex()
_index.claim(np.zeros((2, 2000), np.uint64))
_index.find(np.zeros((2, 1), np.uint64))
