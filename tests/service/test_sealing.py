"""Sealed ids: threads that seal under one key do not disturb each other."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from harmony.service.sealing import marks_of, new_key, seal, sealer, unsealer

IDS = 16 * 2000
"""Bytes of so many ids that the cipher lets other threads run meanwhile."""


def test_several_threads_may_seal_under_one_key_at_once():
    key = new_key()
    sealed, opened = sealer(key), unsealer(key)

    def seals_as_if_alone(ids: bytes) -> bool:
        return sealed(ids) == seal(ids, key) and opened(sealed(ids)) == ids

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(seals_as_if_alone, [os.urandom(IDS) for _ in range(200)]))


def test_several_threads_may_ask_for_marks_at_once():
    ids = os.urandom(IDS)
    alone = marks_of(ids)
    with ThreadPoolExecutor(4) as pool:
        assert all(marks == alone for marks in pool.map(marks_of, [ids] * 200))
