"""Tabs and workers of one browser are one participant, also when they are closed in mid-visit."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from tests.device.fake_server import serving

from .honest import check_honest
from .pages import Pages, ledger_of, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TABS = int(os.environ.get("HARMONY_TABS", "20"))
TIMED_VISIT = """async () => {
    const start = performance.now();
    await visit();
    return performance.now() - start;
}"""
"""How many milliseconds a visit takes on this machine: a tab is closed after so many, or sooner."""

WORKERS = """async (workers) => {
    const visits = Array.from({ length: workers }, () => new Promise((resolve) => {
        const worker = new Worker("/worker.js");
        worker.onmessage = ({ data }) => resolve(data);
        worker.postMessage(null);
    }));
    return Promise.all([visit(), visit(), ...visits]);
}"""

WITHOUT_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"


@pytest.mark.parametrize("remembers", [False, True], ids=["plain", "memory"])
@pytest.mark.parametrize("has_locks", [True, False], ids=["Web Locks", "transactions alone"])
def test_tabs_and_workers_answer_a_round_once(
    browser: Browser, has_locks: bool, remembers: bool
) -> None:
    server = Pages(1, opening=0, losing=0, remembers=remembers)
    with serving(server) as url:
        context = browser.new_context()
        pages = [opened(context, url) for _ in range(3)]
        for page in pages:
            if not has_locks:
                page.evaluate(WITHOUT_LOCKS)
            page.evaluate("() => { globalThis.first = visit(); }")
        visits = [page.evaluate("() => first") for page in pages]
        server.open_round("small", "next")
        for page in pages[1:]:
            page.evaluate("() => { globalThis.second = visit(); }")
        visits += pages[0].evaluate(WORKERS, 2)
        visits += [page.evaluate("() => second") for page in pages[1:]]
        found = check_honest(server, ledger_of(pages[0]))
        context.close()
    assert [visit["trouble"] for visit in visits] == [None] * len(visits)
    answered = [one["round"] for visit in visits for one in visit["answered"]]
    assert sorted(answered) == ["1", "next"]
    assert (found["charged"], found["seen"]) == (2, 2)
    if has_locks:
        assert server.enrolments == 1


@pytest.mark.parametrize("remembers", [False, True], ids=["plain", "memory"])
def test_tabs_that_are_closed_in_mid_visit_never_report_twice(
    browser: Browser, remembers: bool
) -> None:
    rng = random.Random(16)
    server = Pages(2, remembers=remembers)
    with serving(server) as url:
        context = browser.new_context()
        last = opened(context, url)
        longest = last.evaluate(TIMED_VISIT)
        for _ in range(TABS):
            page = opened(context, url)
            page.evaluate("() => { visit(); }")
            page.wait_for_timeout(rng.random() * longest)  # the random point
            page.close()
        for _ in range(3):
            last.evaluate("() => visit()")
        found = check_honest(server, ledger_of(last))
        context.close()
    assert found["charged"] > 1
    print(f"{TABS} tabs closed: {dict(found)}")  # noqa: T201  for whoever closes more
