"""`python -m harmony_device`: what a device's owner may ask of it."""
# ruff: noqa: T201  its owner reads what this prints; no value ever comes here

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from .consent import Consent
from .device import Device
from .errors import DeviceError
from .identity import IdentityFile, Withdrawal
from .ledger import Ledger, timestamp
from .status import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    directory = os.path.expanduser(options.directory)
    if not os.path.isdir(directory):
        print(f"--directory {directory}: there is no such directory", file=sys.stderr)
        return 2
    try:
        return {"ledger": _ledger, "status": _status, "forget": _forget}[options.command](
            directory, options
        )
    except (DeviceError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m harmony_device", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("ledger", "what was asked, when, and how much epsilon it spent"),
        ("status", "who this device is, what waits, and what was spent"),
        ("forget", "withdraw consent: delete everything here but the ledger, and at the server"),
    ):
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("--directory", required=True, help="the device's directory")
        if name == "forget":
            command.add_argument(
                "--plain-http", action="store_true", help="allow a server without TLS"
            )
        else:
            command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _ledger(directory: str, options: argparse.Namespace) -> int:
    entries = Ledger(directory).entries()
    if options.json:
        fields = ("survey", "round", "epsilon", "asked", "state")
        for one in entries:
            line = {field: getattr(one, field) for field in fields}
            print(json.dumps({"at": timestamp(one.at), **line}))
        return 0
    for one in entries:
        print(
            f"{timestamp(one.at)}  {one.survey}  {one.round}  epsilon {one.epsilon:g}  "
            f"asked {', '.join(one.asked)}  {one.state}"
        )
    spent = status(directory, time.time())
    print(f"epsilon {spent['spent in 30 days']:g} in 30 days, {spent['spent in all']:g} in all")
    return 0


def _status(directory: str, options: argparse.Namespace) -> int:
    found = status(directory, time.time())
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        for name, value in found.items():
            print(f"{name}: {value}")
    return 0


def _forget(directory: str, options: argparse.Namespace) -> int:
    identity = IdentityFile(directory).read()
    servers = {one.server for one, _ in Withdrawal(directory).pending}
    if identity is not None:
        servers.add(identity.server)
    if not servers:
        Consent(directory, False).forget(time.time())
    for server in sorted(servers):
        with Device(
            server,
            directory,
            record={},
            consent=False,
            epsilon_limit=0,
            plain_http=options.plain_http,
        ) as device:
            device.forget()
    if not Withdrawal(directory).pending:
        print("forgotten, here and at the server")
        return 0
    print("forgotten here; the server has not confirmed yet: run this again, or start the app")
    return 3


if __name__ == "__main__":
    sys.exit(main())
