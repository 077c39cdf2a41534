"""The JavaScript SDK in Chromium: every vector, its times, and storage that is full or denied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import harmony as hm
from tests.device.fake_server import serving

from . import sdk
from .pages import Pages, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHECK_VECTORS = """async () => {
    const { check, FILES } = await import("/device/javascript/tests/support/vectors.mjs");
    const read = async (name) => [name, await (await fetch(`/device/vectors/${name}.json`)).json()];
    return check(Object.fromEntries(await Promise.all(FILES.map(read))));
}"""

MEASURE = """async ([text, values, rounds]) => {
    const from = (name) => import(`/device/javascript/src/${name}.js`);
    const [{ parse }, { readSurvey }, { ask, randomise }, { random }] =
        await Promise.all(["json", "survey", "report", "words"].map(from));
    const bytes = new TextEncoder().encode(text);
    const told = new Map(Object.entries(values));
    const seed = random(16), device = random(16);
    const times = { proofs: [], reports: [] };
    for (let round = 0; round < rounds; round++) {
        let start = performance.now();
        const survey = readSurvey(parse(bytes));
        times.proofs.push(performance.now() - start);
        start = performance.now();
        for (let i = 0; i < 200; i++) {
            randomise(survey, device, 0, survey.read(told), ask(survey, 0, seed, device), random);
        }
        times.reports.push((performance.now() - start) / 200);
    }
    return times;
}"""

PAGES, ROUNDS = 5, 10


def phone_survey() -> tuple[hm.Survey, dict[str, Any]]:
    """Return a survey of 23 attributes, and somebody's values."""
    attributes: list[Any] = [hm.Numeric(f"number {i}", 0, 100) for i in range(8)]
    attributes += [
        hm.Categorical(f"choice {i}", [f"level {j}" for j in range(3 + 2 * i)]) for i in range(8)
    ]
    attributes += [hm.Boolean(f"switch {i}") for i in range(7)]
    values: dict[str, Any] = {f"number {i}": 10.5 * i for i in range(8)}
    values |= {f"choice {i}": "level 2" for i in range(8)}
    values |= {f"switch {i}": i % 2 == 0 for i in range(7)}
    return hm.Survey("phones", attributes, epsilon=4.0), values


def test_every_vector_passes(browser: Browser) -> None:
    with serving(Pages(0)) as url:
        context = browser.new_context()
        found = opened(context, url).evaluate(CHECK_VECTORS)
        context.close()
    assert found["failed"] == []
    assert sum(found["counts"].values()) > 1000
    print(f"vectors in Chromium: {sum(found['counts'].values())}")  # noqa: T201  for the note


def test_a_survey_of_23_attributes_is_proved_in_30_ms_and_a_report_takes_100_us(
    browser: Browser,
) -> None:
    survey, values = phone_survey()
    text = survey.document_bytes.decode()
    with serving(Pages(0)) as url:
        found = []
        for _ in range(PAGES):
            context = browser.new_context()
            found.append(opened(context, url).evaluate(MEASURE, [text, values, ROUNDS]))
            context.close()
    # A page proves a survey once, so the first time of each page counts.  The quickest of
    # several: other processes only ever add to it.
    first = min(times["proofs"][0] for times in found)
    again = min(min(times["proofs"]) for times in found)
    report = min(min(times["reports"]) for times in found) * 1000
    print(f"proof {first:.2f} ms, then {again:.2f} ms; report {report:.1f} us")  # noqa: T201
    assert first <= 30
    assert report <= 100


def test_the_bundle_answers(browser: Browser) -> None:
    sdk.build()
    server = Pages(0, losing=0)
    with serving(server) as url:
        context = browser.new_context()
        visit = opened(context, url).evaluate(
            "() => visit('/device/javascript/dist/device.min.js')"
        )
        context.close()
    assert (visit["trouble"], len(visit["accepted"]), visit["warnings"]) == (None, 1, [])


def test_a_full_store_is_trouble_and_nothing_is_reported(browser: Browser) -> None:
    server = Pages(0, losing=0)
    with serving(server) as url:
        context = browser.new_context()
        page = opened(context, url)
        quota = {"origin": url, "quotaSize": 1}
        context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", quota)
        visit = page.evaluate("() => visit()")
        context.close()
    assert visit["trouble"] == "QuotaExceededError"
    assert visit["answered"] == []
    assert server.seen == []


DENIED = """() => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    onmessage = ({ data }) => resolve(data);
    frame.srcdoc = `<script type="module">
        import { Device } from "${location.origin}/device/javascript/src/index.js";
        const options = { record: {}, consent: true, epsilonLimit: 1 };
        const device = new Device("${location.origin}", options);
        const { trouble } = await device.answer({});
        parent.postMessage([trouble, (await device.status()).trouble], "*");
    </` + "script>";
    document.body.append(frame);
})"""


def test_a_denied_store_is_trouble_and_nothing_is_sent(browser: Browser) -> None:
    server = Pages(0)
    with serving(server) as url:
        context = browser.new_context()
        troubles = opened(context, url).evaluate(DENIED)
        context.close()
    assert troubles == ["SecurityError", "SecurityError"]
    assert server.requests == []
