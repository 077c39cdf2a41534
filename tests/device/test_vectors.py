"""The Python SDK passes the vectors that every SDK must pass."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest

from harmony_device import EpsilonLimit, LedgerError, RefusedError, Survey, make_report
from harmony_device.attributes import Histogram, Number
from harmony_device.codes import GridCode, LinearCode
from harmony_device.coins import Draws, assign, siphash24
from harmony_device.crosstab import Crosstab
from harmony_device.documents import matches
from harmony_device.errors import ServerError
from harmony_device.exact import exp_floor
from harmony_device.identity import Identity
from harmony_device.ledger import Ledger, read_timestamp
from harmony_device.limits import Charge
from harmony_device.record import Record
from harmony_device.report import ask, randomise
from harmony_device.rotation import place_of, turn_objection
from harmony_device.server import Offer, Server, TrainingOffer
from harmony_device.step import Step
from harmony_device.tables import CirculantTable, Promise, check_table, table_from_document
from harmony_device.transport import Reply

from .conftest import vectors

COINS, CODES, TABLES = vectors("coins"), vectors("codes"), vectors("tables")
REPORTS, REFUSED, STEPS = vectors("reports"), vectors("refused"), vectors("steps")
BOUNDS, DOCUMENTS, LISTS = vectors("bounds"), vectors("documents"), vectors("lists")
LEDGERS, RECORDS, OVER_TIME = vectors("ledgers"), vectors("records"), vectors("over_time")
TEXTS = vectors("texts")

SPECIAL = {"nan": math.nan, "infinity": math.inf}


def told(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as a program holds them: JSON cannot write all of them."""
    absent = {"special": "absent"}
    return {
        name: SPECIAL[value["special"]] if isinstance(value, dict) and value else value
        for name, value in values.items()
        if value != absent
    }


class Says:
    """A transport to a server that always answers the same."""

    def __init__(self, document: Any) -> None:
        self._body = json.dumps(document).encode()

    def request(self, *_: object) -> Reply:
        return Reply(200, {}, self._body)

    def close(self) -> None:
        """Nothing is open."""


def listed(surveys: list[Any], trainings: Any = ()) -> tuple[list[Offer], list[TrainingOffer]]:
    document = {"protocol": 1, "surveys": surveys, "trainings": list(trainings)}
    return Server("", Says(document)).offers()


@pytest.mark.parametrize("case", COINS["siphash"])
def test_siphash_words(case: dict[str, Any]) -> None:
    word = siphash24(bytes.fromhex(case["key"]), bytes.fromhex(case["message"]))
    assert f"{word:016x}" == case["word"]


@pytest.mark.parametrize("case", COINS["draws"])
def test_draws_come_in_order(case: dict[str, Any]) -> None:
    draws = Draws(bytes.fromhex(case["seed"]), bytes.fromhex(case["device"]))
    assert [draws.below(bound) for bound in case["bounds"]] == case["draws"]


@pytest.mark.parametrize("case", COINS["assignments"])
def test_a_device_is_asked_what_the_coin_says(case: dict[str, Any]) -> None:
    seed, device = bytes.fromhex(case["seed"]), bytes.fromhex(case["device"])
    assigned = assign(seed, device, case["weights"], case["rows"], case["answers"])
    assert [list(pair) for pair in assigned] == case["assigned"]


@pytest.mark.parametrize("case", CODES["grid"])
def test_numbers_round_to_grid_points(case: dict[str, Any]) -> None:
    attribute = Number({"name": "n", "low": case["low"], "high": case["high"]})
    number, word = attribute.read(case["value"]), int(case["word"], 16)
    index = GridCode(case["points"]).index(number, attribute.low, attribute.high, word)
    assert index == case["index"]


@pytest.mark.parametrize("code", CODES["linear"])
def test_values_hash_to_indices(code: dict[str, Any]) -> None:
    shape = code["values"], code["base"], code["digits"], code["multipliers"]
    linear = LinearCode(*shape, signed=code.get("signed", False))
    assert linear.rows == code["rows"]
    for case in code["cases"]:
        assert linear.index(case["value"], case["row"]) == case["index"], case


@pytest.mark.parametrize("case", CODES["bins"])
def test_numbers_fall_into_bins(case: dict[str, Any]) -> None:
    edges = case["edges"]
    attribute = Histogram({"name": "n", "low": edges[0], "high": edges[-1], "bins": edges})
    assert attribute.read(case["value"]) == case["place"]


@pytest.mark.parametrize("case", CODES["pairs"])
def test_pairs_have_their_place_in_a_joint_table(case: dict[str, Any]) -> None:
    pair = Crosstab({"name": "pair", "of": case["of"]})
    assert pair.values == case["places"]
    for one in case["cases"]:
        assert pair.place(one["answers"], int(one["word"], 16)) == one["place"], one


@pytest.mark.parametrize("case", TABLES["tables"])
def test_words_walk_to_symbols(case: dict[str, Any]) -> None:
    table = table_from_document(case["table"])
    for one in case["cases"]:
        assert table.walk(one["index"], int(one["word"], 16) >> 11) == one["symbol"], one


@pytest.mark.parametrize("case", REPORTS["reports"])
def test_whole_reports(case: dict[str, Any]) -> None:
    random = bytes.fromhex(case["random"])
    survey = Survey(REPORTS["surveys"][case["survey"]])
    report = make_report(
        survey, bytes.fromhex(case["seed"]), bytes.fromhex(case["device"]), case["tier"],
        case["values"], lambda count: random[:count],
    )  # fmt: skip
    assert report.hex() == case["report"]
    assert len(report) == survey.report_bytes


@pytest.mark.parametrize("case", REPORTS["silence"])
def test_whatever_the_values_are_there_is_a_report(case: dict[str, Any]) -> None:
    survey = Survey(REPORTS["surveys"]["silence"])
    random, values = bytes.fromhex(case["random"]), told(case["values"])
    drawn = []

    def random_bytes(count: int) -> bytes:
        drawn.append(count)
        return random[:count]

    assert survey.read(values) == case["answers"]
    seed, device = bytes.fromhex(case["seed"]), bytes.fromhex(case["device"])
    report = make_report(survey, seed, device, 0, values, random_bytes)
    assert report.hex() == case["report"]
    assert drawn == [16 * survey.answers]


@pytest.mark.parametrize("case", BOUNDS["bounds"])
def test_the_bound_of_the_exponential(case: dict[str, Any]) -> None:
    assert f"{exp_floor(case['epsilon'], case['answers']):x}" == case["floor"]


@pytest.mark.parametrize("case", BOUNDS["edges"])
def test_tables_at_the_edge_of_their_promise(case: dict[str, Any]) -> None:
    table = CirculantTable(case["counts"])
    if case["kept"]:
        check_table(table, case["epsilon"], case["answers"])
    else:
        with pytest.raises(RefusedError, match="epsilon"):
            check_table(table, case["epsilon"], case["answers"])


@pytest.mark.parametrize("case", BOUNDS["products"])
def test_two_tables_at_the_edge_of_their_promise(case: dict[str, Any]) -> None:
    table, replace = table_from_document(case["table"]), table_from_document(case["replace"])
    promise = Promise(case["epsilon"], case["answers"])
    if case["kept"]:
        promise.check(table, replace)
    else:
        with pytest.raises(RefusedError, match="epsilon"):
            promise.check(table, replace)


@pytest.mark.parametrize("case", OVER_TIME["places"])
def test_places_in_a_rotation(case: dict[str, Any]) -> None:
    seed, device = bytes.fromhex(case["fingerprint"])[16:], bytes.fromhex(case["device"])
    assert place_of(seed, device, case["every"]) == case["place"]


@pytest.mark.parametrize("case", OVER_TIME["turns"], ids=lambda case: case["why"])
def test_whose_turn_it_is(case: dict[str, Any], tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    Path(ledger.path).write_text("".join(line + "\n" for line in case["lines"]))
    objection = turn_objection(
        "phones", case["number"], case["every"], case["place"], ledger.entries()
    )
    assert (objection is None) == case["answers"]


@pytest.mark.parametrize("case", OVER_TIME["reports"])
def test_reports_of_memos(case: dict[str, Any]) -> None:
    written = OVER_TIME["surveys"][case["survey"]]
    survey = Survey(written["survey"], written["fingerprint"])
    memo, random = [int(word, 16) for word in case["memo"]], bytes.fromhex(case["random"])
    for seed in (bytes(16), b"\xff" * 16):
        report = make_report(
            survey, seed, bytes.fromhex(case["device"]), 0, case["values"],
            lambda count: random[:count], memo,
        )  # fmt: skip
        assert report.hex() == case["report"]


@pytest.mark.parametrize("case", LEDGERS["memory"], ids=lambda case: case["why"])
def test_what_reports_of_memos_leave_of_limits(case: dict[str, Any], tmp_path: Path) -> None:
    ledger, now = Ledger(str(tmp_path)), read_timestamp(case["now"])
    Path(ledger.path).write_text("".join(line + "\n" for line in case["lines"]))
    limit, charge = EpsilonLimit(**case["limit"]), Charge(**case["charge"])
    _, objection = limit.choose([charge], case["round"], ledger.entries(), now)
    if case["answer"] is True:
        assert objection is None
    else:
        assert (objection or "").startswith(case["answer"])


@pytest.mark.parametrize("case", REFUSED["bytes"], ids=lambda case: case["why"])
def test_documents_as_they_arrive(case: dict[str, Any]) -> None:
    content = b"".join(
        (bytes.fromhex(text) if "hex" in how else text.encode()) * times
        for text, times, *how in case["parts"]
    )
    if case["taken"]:
        assert Survey.from_json(content).name == "small"
    else:
        with pytest.raises(RefusedError):
            Survey.from_json(content)


@pytest.mark.parametrize("case", DOCUMENTS["documents"])
def test_fingerprints_are_hashes_of_canonical_bytes(case: dict[str, Any]) -> None:
    assert matches(case["canonical"].encode(), case["fingerprint"])
    assert not matches(case["canonical"].encode() + b" ", case["fingerprint"])


@pytest.mark.parametrize("case", LISTS["used"], ids=lambda case: case["why"])
def test_listed_surveys_are_used(case: dict[str, Any]) -> None:
    offers, _ = listed([case["listed"]])
    assert [offer.name for offer in offers] == ["phones"]


@pytest.mark.parametrize("case", LISTS["passed_over"], ids=lambda case: case["why"])
def test_what_is_listed_wrongly_is_passed_over(case: dict[str, Any]) -> None:
    offers, _ = listed([case["listed"], LISTS["used"][0]["listed"]])
    assert len(offers) == 1


def test_trainings_are_listed() -> None:
    _, trainings = listed([], LISTS["trainings"]["listed"])
    assert [one.name for one in trainings] == LISTS["trainings"]["used"]


@pytest.mark.parametrize("case", LISTS["unusable"], ids=lambda case: case["why"])
def test_a_list_that_cannot_be_used_is_trouble(case: dict[str, Any]) -> None:
    with pytest.raises(ServerError):
        Server("", Says(case["list"])).offers()


@pytest.mark.parametrize("case", LISTS["usable"], ids=lambda case: case["why"])
def test_a_list_that_can_be_used_is(case: dict[str, Any]) -> None:
    offers, trainings = Server("", Says(case["list"])).offers()
    assert [offer.name for offer in offers] == ["phones"]
    assert trainings == []


@pytest.mark.parametrize("case", LISTS["enrolled_before"])
def test_who_answers_a_round_that_asks_for_earlier_enrolment(case: dict[str, Any]) -> None:
    survey = copy.deepcopy(LISTS["used"][0]["listed"])
    survey["round"]["enrolled_before"] = case["enrolled_before"]
    identity = Identity("", bytes(16), "x", enrolled=case["enrolled"] or "")
    assert Offer(survey).is_for(identity) == case["answers"]


@pytest.mark.parametrize("case", LEDGERS["limits"], ids=lambda case: case["why"])
def test_what_an_owners_limits_leave(case: dict[str, Any], tmp_path: Path) -> None:
    content = "".join(line + "\n" for line in case["lines"]).replace("<cut>\n", "")
    ledger, now = Ledger(str(tmp_path)), read_timestamp(case["now"])
    Path(ledger.path).write_text(content)
    ledger.note_clock(now)
    limit = EpsilonLimit(**case["limit"])
    tier, objection = limit.choose(
        [*map(Charge, case["tiers"])], case["round"], ledger.entries(), now
    )
    if isinstance(case["answer"], int):
        assert (tier, objection) == (case["answer"], None)
    else:
        assert objection is not None
        assert objection.startswith(case["answer"])


@pytest.mark.parametrize("line", LEDGERS["damaged"])
def test_a_damaged_ledger_forbids_everything(line: str, tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    Path(ledger.path).write_text(line + "\n")
    with pytest.raises(LedgerError, match="line 1: damaged"):
        ledger.entries()


@pytest.mark.parametrize(
    ("survey", "case"),
    [("survey", case) for case in RECORDS["records"]]
    + [("reading", case) for case in RECORDS["reads"]],
    ids=lambda one: one["why"] if isinstance(one, dict) else one,
)
def test_which_records_can_answer(survey: str, case: dict[str, Any]) -> None:
    types = {"number": float, "text": str, "boolean": bool}
    record = Record({name: types[kind] for name, kind in case["record"].items()})
    assert (record.lack(Survey(RECORDS[survey]).needs) is None) == case["answers"]
    assert record.lack(Survey(RECORDS["signed"]).needs) is not None
    assert record.lack(Survey(RECORDS["two_types"]).needs) is not None


@pytest.mark.parametrize("case", REFUSED["refused"], ids=lambda case: case["why"])
def test_surveys_that_break_their_promise_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refusal:
        Survey(case["survey"])
    assert case["field"] in str(refusal.value)


@pytest.mark.parametrize("case", REFUSED["taken"], ids=lambda case: case["why"])
def test_surveys_that_keep_it_are_taken(case: dict[str, Any]) -> None:
    assert Survey(case["survey"]).name == case["survey"]["name"]


@pytest.mark.parametrize(
    ("which", "case"),
    [("step", case) for case in STEPS["reports"]]
    + [("extreme", case) for case in STEPS["extreme_reports"]]
    + [("numeric", case) for case in STEPS["numeric_reports"]]
    + [("rounding", case) for case in STEPS["rounding_reports"]]
    + [("crossed", case) for case in STEPS["crossed_reports"]],
)
def test_a_step_is_derived_and_reported(which: str, case: dict[str, Any]) -> None:
    step = Step(STEPS[which])
    device, random = bytes.fromhex(case["device"]), bytes.fromhex(case["random"])
    answers = step.read(case["record"], lambda count: random[:count])
    assert answers == step.survey.read(case["values"])
    asked = ask(step.survey, step.seed, device, 0)
    report = randomise(step.survey, device, 0, answers, asked, lambda count: random[8:][:count])
    assert report.hex() == case["report"]


def changed_step(case: dict[str, Any], step: Any = STEPS["step"]) -> dict[str, Any]:
    """Return the step with another value at a path."""
    document = place = copy.deepcopy(step)
    for one in case["path"][:-1]:
        place = place[one]
    place[case["path"][-1]] = case["value"]
    return document  # type: ignore[no-any-return]  # it was read from JSON


@pytest.mark.parametrize(
    ("step", "case"),
    [(STEPS["step"], case) for case in STEPS["refused"]]
    + [(TEXTS["step"], case) for case in TEXTS["steps_refused"]],
    ids=lambda one: one.get("why", one.get("training")),
)
def test_a_step_that_must_be_refused_is(step: Any, case: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refusal:
        Step(changed_step(case, step))
    assert case["field"] in str(refusal.value)


@pytest.mark.parametrize("case", STEPS["taken"], ids=lambda case: case["why"])
def test_a_step_that_must_be_taken_is(case: dict[str, Any]) -> None:
    assert Step(changed_step(case)).name == "charging"
