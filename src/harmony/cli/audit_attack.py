"""`harmony audit --attack`: what an attacker finds, printed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import typer

from .terminal import FAILED, columns, console, meter, percent, say_json

if TYPE_CHECKING:
    from ..lab.attack import Averaging, DuchiFinding, EpsilonBound, Poisoning
    from ..survey import Survey


AVERAGING = "[bold]Averaging[/]: all reports of a device whose answer never changes, added up"


def attack_one(
    survey: Survey, samples: int, confidence: float, command: str | None, json: bool
) -> None:
    """Attack a survey through the Python SDK, or through any other device program."""
    from ..lab.attack import attack_survey, average_rounds, tried_records

    words = None if command is None else shlex.split(command)
    with meter(f"Attacking {survey.name}") as advance:
        bounds = attack_survey(
            survey, samples=samples, confidence=confidence, command=words, advance=advance
        )
    averaged = [
        average_rounds(
            survey, tried_records(survey)[:2], samples=max(100, samples // 10),
            confidence=confidence,
        )
    ] if words is None and len(survey.tiers) == 1 else []  # fmt: skip
    violated = any(bound.violated for bound in [*bounds, *(one.bound for one in averaged)])
    if json:
        found = [bound.to_dict() for bound in bounds]
        over_rounds = [one.to_dict() for one in averaged]
        said = {"survey": survey.name, "violated": violated, "attacks": found}
        say_json(said | {"averaging": over_rounds})
    else:
        screen = console()
        screen.print(_bounds({survey.name: bounds}))
        if averaged:
            screen.print(f"\n{AVERAGING}")
            screen.print(_averaging(averaged))
        screen.print(f"\n{_verdict(violated)}  {_meaning(bounds[0])}")
    if violated:
        raise typer.Exit(FAILED)


def attack_all(samples: int, confidence: float, json: bool) -> None:
    """Attack everything that ships, and the paper's broken and fixed baseline."""
    from ..lab.attack import attack_everything

    with meter("Attacking") as advance:
        found = attack_everything(samples, confidence, advance)
    if json:
        say_json(found.to_dict())
    else:
        screen = console()
        screen.print("[bold]What ships[/], through the device SDK")
        screen.print(_bounds(found.shipped))
        screen.print(f"\n{AVERAGING}")
        screen.print(_averaging(found.averaging))
        screen.print("\n[bold]Duchi et al.[/]: broken as published for even d, and fixed")
        screen.print(_duchi(found.duchi))
        screen.print("\n[bold]Poisoning[/]: dishonest devices push one of 16 means, truly 0, up")
        screen.print(_poisoning(found.poisoning))
        first = next(iter(found.shipped.values()))[0]
        screen.print(f"\n{_verdict(not found.sound)}  {_meaning(first)}")
    if not found.sound:
        raise typer.Exit(FAILED)


def _meaning(bound: EpsilonBound) -> str:
    return (
        f"each bound holds with {percent(bound.confidence)} confidence, from "
        f"{bound.samples:,} reports of each value; an attack can refute an epsilon, "
        "only the exact audit proves it"
    )


def _bounds(attacks: dict[str, list[EpsilonBound]]) -> Any:
    table = columns("survey", "attribute", ">epsilon", ">at least", "")
    for survey, bounds in attacks.items():
        for place, bound in enumerate(bounds):
            table.add_row(
                survey if place == 0 else "",
                f"[cyan]{bound.name}[/]",
                f"{bound.claimed:g}",
                f"{bound.lower:.4f}",
                "[bold red]VIOLATED[/]" if bound.violated else "[green]kept[/]",
            )
    return table


def _averaging(found: list[Averaging]) -> Any:
    from ..lab.attack import guess_bound

    table = columns("survey", ">rounds", ">reports", ">epsilon", ">at least", "", ">guessed right")
    for one in found:
        most = guess_bound(one.bound.claimed)
        table.add_row(
            one.survey,
            str(one.rounds),
            str(one.reports),
            f"{one.bound.claimed:g}",
            f"{one.bound.lower:.4f}",
            "[bold red]VIOLATED[/]" if one.bound.violated else "[green]kept[/]",
            f"{percent(round(one.right, 3))} (at most {percent(round(most, 3))})",
        )
    return table


def _duchi(found: list[DuchiFinding]) -> Any:
    table = columns(">d", "version", ">epsilon", ">exact", ">at least", "", ">estimate of 1", "")
    for one in found:
        table.add_row(
            str(one.d),
            "fixed" if one.fixed else "published",
            f"{one.attack.claimed:g}",
            f"{one.exact:.4f}",
            f"{one.attack.lower:.4f}",
            "[bold red]VIOLATED[/]" if one.attack.violated else "[green]kept[/]",
            f"{one.measured:.3f} ± {one.stderr:.3f}",
            "[bold red]BIASED[/]" if one.biased else "[green]unbiased[/]",
        )
    return table


def _poisoning(found: list[Poisoning]) -> Any:
    table = columns(">dishonest", "coins", ">bias", ">with the paper's estimator")
    for one in found:
        table.add_row(
            percent(one.dishonest),
            "assigned" if one.assigned else "chosen",
            f"{one.bias:.4f} ± {one.stderr:.4f}",
            f"{one.paper_bias:.4f}",
        )
    return table


def _verdict(violated: bool) -> str:
    return "[bold red]FAIL[/]" if violated else "[green]PASS[/]"
