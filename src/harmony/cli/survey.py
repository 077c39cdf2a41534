"""`harmony survey`: check a survey file, show what it will do, write it with its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import SurveyError
from .loading import check_out, load_survey
from .options import Json, SurveyFile
from .terminal import FAILED, busy, columns, console, plural, reporting, say, say_json

if TYPE_CHECKING:
    from ..mechanisms import Mechanism
    from ..questions import Asked
    from ..survey import Survey

SHOWN_VALUES = 5

survey_app = typer.Typer(no_args_is_help=True, help="Check, show and build survey files.")


@survey_app.command()
@reporting
def check(survey: SurveyFile, json: Json = False) -> None:
    """Check a survey file and prove its tables; one line for each problem.

    The exit code is 0 for a valid survey and 1 for any other.

    [bold]Examples[/bold]
    \b
    harmony survey check phones.yaml
    harmony survey check phones.yaml && harmony survey build phones.yaml -o phones.json
    """
    from ..files import read_structured

    problems, asked = _check(read_structured(survey))
    advice = [*size_advice(asked), *stand_in_advice(asked)] if asked is not None else []
    if json:
        valid = {"file": str(survey), "valid": not problems, "problems": problems}
        say_json(valid | {"advice": advice})
    elif asked is not None:
        from ..mechanisms.audit import audit

        spent = audit(asked)
        say(f"{survey}: valid. {_summary(asked)}.")
        say(f"{plural(len(spent.tables), 'table')} proved: a report spends {spent.epsilon!r}.")
        for line in advice:
            say(f"Advice: {line}.")
    else:
        for problem in problems:
            say(f"{survey}: {problem}")
    if problems:
        raise typer.Exit(FAILED)


@survey_app.command()
@reporting
def show(survey: SurveyFile, json: Json = False) -> None:
    """Show what a survey asks, how devices answer, and what an answer is worth.

    [bold]Examples[/bold]
    \b
    harmony survey show phones.yaml
    harmony survey show phones.yaml --json
    """
    asked = load_survey(survey)
    if json:
        say_json(_description(asked))
        return
    screen = console()
    screen.print(f"[bold]{asked.name}[/]: {_summary(asked)}.")
    screen.print(f"[dim]fingerprint {asked.fingerprint}[/]\n")
    screen.print(_attribute_table(asked))
    _print_words(asked)
    screen.print(
        "\n[dim]variance: of one answer, for numbers scaled to -1 .. 1 or one value's frequency. "
        "An estimate from n answers has about 1/n of it.[/]"
    )


@survey_app.command()
@reporting
def build(
    survey: SurveyFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write it (.json, .yaml)")],
    json: Json = False,
) -> None:
    """Write a survey with its tables, as devices download it: quick to load, the same anywhere.

    [bold]Examples[/bold]
    \b
    harmony survey build phones.yaml -o phones.json
    """
    check_out(out, (".json", ".yaml", ".yml"))
    asked = load_survey(survey)
    asked.save(out)
    if json:
        say_json({"survey": asked.name, "fingerprint": asked.fingerprint, "out": str(out)})
        return
    say(f"{asked.name} with its tables -> {out}")


def _check(document: Any) -> tuple[list[str], Survey | None]:
    """Return every problem of a survey document, or the survey."""
    from ..survey import Survey

    if problems := _field_problems(document):
        return problems, None
    with busy("Designing the survey's tables"):
        try:
            return [], Survey.from_document(document)
        except SurveyError as problem:
            return [str(problem)], None


def size_advice(survey: Survey) -> list[str]:
    """Return why devices would skip the survey for its size, if they would.

    >>> import harmony as hm
    >>> size_advice(hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0))
    []
    """
    from harmony_device import RefusedError
    from harmony_device.strict_json import parse_json

    try:
        parse_json(survey.document_bytes)
    except RefusedError as refused:
        return [f"{refused}: devices skip it, unless their app sets 'most_document_bytes'"]
    return []


def stand_in_advice(survey: Survey) -> list[str]:
    """Return what the survey could say of devices whose value is not there, or not listed.

    >>> import harmony as hm
    >>> theme = hm.Categorical("theme", ["light", "dark"], missing="light")
    >>> stand_in_advice(hm.Survey("phones", [theme], epsilon=1.0))
    ["'theme': a value that is not listed is answered at random; 'unlisted' names one to ..."]
    """
    from ..attributes import Categorical

    read = survey.readings
    listed = [one for one in read if isinstance(one, Categorical)]
    open_ended = [one for one in listed if set(one.values) != {False, True}]
    unlisted = [*dict.fromkeys(one.source for one in open_ended if one.unlisted is None)]
    missing = [*dict.fromkeys(one.source for one in read if one.missing is None)]
    return [
        f"{_quoted(names)}: a value that is {what} is answered at random; '{field}' names one to "
        "answer with"
        for names, what, field in (
            (unlisted, "not listed", "unlisted"),
            (missing, "not there", "missing"),
        )
        if names
    ]


def _quoted(names: list[str]) -> str:
    """Return names to read, of many the first few.

    >>> _quoted(["a", "b"]), _quoted(list("abcde"))
    ("'a', 'b'", "'a', 'b', 'c' and 2 more")
    """
    more = f" and {len(names) - 3} more" if len(names) > 4 else ""
    return ", ".join(f"'{name}'" for name in (names[:3] if more else names)) + more


def _field_problems(document: Any) -> list[str]:
    """Try each attribute, and each other field in an otherwise good survey, by itself."""
    from ..questions import question_from_document
    from ..survey import Survey

    if not isinstance(document, dict) or not isinstance(document.get("attributes"), list):
        return []
    problems = []
    good = {"name": "good", "epsilon": 1, "attributes": [{"name": "one", "kind": "boolean"}]}
    for field in ("name", "purpose", "epsilon", "tiers", "mechanism"):
        if field in document:
            rest = {key: value for key, value in good.items() if key != "epsilon"}
            spent = {} if field in ("epsilon", "tiers") else {"epsilon": 1}
            try:
                Survey.from_document(rest | spent | {field: document[field]})
            except SurveyError as problem:
                problems.append(str(problem))
    for place, attribute in enumerate(document["attributes"]):
        try:
            question_from_document(attribute, f"attributes[{place}]")
        except SurveyError as problem:
            problems.append(str(problem))
    return problems


def _summary(survey: Survey) -> str:
    tiers = " or ".join(f"{tier:g}" for tier in survey.tiers)
    return (
        f"{plural(len(survey.attributes), 'attribute')}, epsilon {tiers}, "
        f"{plural(survey.answers, 'answer')} a report, {report_bytes(survey)} bytes a report"
    )


def report_bytes(survey: Survey) -> int:
    """Return the size of a report: the device's id, its tier and its symbols."""
    from harmony_device.coins import ID_BYTES

    return ID_BYTES + 1 + survey.answers * survey.symbol_bytes


def _print_words(survey: Survey) -> None:
    """Print what people are told: the purpose, and the question of each attribute."""
    from rich.text import Text

    told = [("purpose", survey.purpose), *((one.name, one.question) for one in survey.attributes)]
    lines = [Text.assemble((name, "cyan"), f": {words}") for name, words in told if words]
    if lines:
        console().print()
        console().print(*lines, sep="\n")


def _attribute_table(survey: Survey) -> Any:
    from rich.text import Text

    from ..mechanisms.inclusion import inclusion_chances

    tiered = len(survey.tiers) > 1
    tier = (">epsilon",) if tiered else ()
    table = columns("attribute", "takes", ">asked", *tier, "mechanism", ">symbols", ">variance")
    shares = inclusion_chances(survey.weights, survey.answers)
    for place, attribute in enumerate(survey.attributes):
        for number, epsilon in enumerate(survey.tiers):
            mechanism = survey.mechanisms[number][place]
            first = number == 0
            table.add_row(
                Text(attribute.name if first else "", style="cyan"),
                Text(domain(attribute) if first else ""),
                f"{shares[place]:.0%}" if first else "",
                *((f"{epsilon:g}",) if tiered else ()),
                _mechanism(mechanism),
                str(mechanism.table.symbols),
                f"{mechanism.reference_noise:.3g}",
            )
    return table


def domain(attribute: Asked) -> str:
    """Say in a few words which values an attribute takes."""
    from ..attributes import Numeric
    from ..crosstab import Crosstab
    from ..numerals import numerals

    if isinstance(attribute, Crosstab):
        return " times ".join(f"{len(part.values):,}" for part in attribute.parts) + " places"
    if isinstance(attribute, Numeric):
        bins = f" in {len(attribute.values)} bins" if attribute.values else ""
        return f"{' .. '.join(numerals((attribute.low, attribute.high)))}{bins}"
    if len(attribute.values) <= SHOWN_VALUES:
        return ", ".join(map(str, attribute.values))
    return f"{len(attribute.values):,} values"


def _mechanism(mechanism: Mechanism) -> str:
    from ..mechanisms import Grid

    if isinstance(mechanism, Grid):
        return f"grid of {mechanism.code.points}"
    code, window = mechanism.code, _window(mechanism)
    if mechanism.table.kind == "dense":
        return f"subsets of {window * code.base // mechanism.table.symbols} in {code.base}"
    digits = f", {code.digits} digits" if code.digits > 1 else ""
    return f"base {code.base}{digits}, window {window}"


def _window(mechanism: Any) -> int:
    """Return how many symbols are likely for each index."""
    return int(mechanism.support[0].sum())


def _description(survey: Survey) -> dict[str, Any]:
    from ..mechanisms.inclusion import inclusion_chances

    attributes = []
    for place, (attribute, share) in enumerate(
        zip(survey.attributes, inclusion_chances(survey.weights, survey.answers), strict=True)
    ):
        mechanisms = [
            {"epsilon": float(tier[place].epsilon)} | _mechanism_fields(tier[place])
            for tier in survey.mechanisms
        ]
        attributes.append(attribute.to_document() | {"asked": share, "mechanisms": mechanisms})
    return survey.definition() | {
        "fingerprint": survey.fingerprint,
        "report_bytes": report_bytes(survey),
        "attributes": attributes,
    }


def _mechanism_fields(mechanism: Mechanism) -> dict[str, Any]:
    from ..mechanisms import Linear

    fields: dict[str, Any] = mechanism.code.to_document()
    if isinstance(mechanism, Linear):
        fields |= {"rows": mechanism.code.rows, "window": _window(mechanism)}
    return fields | {
        "symbols": mechanism.table.symbols,
        "variance": mechanism.reference_noise,
    }
