"""Harmony on a device: answer surveys without anyone ever seeing the answers.

Each report is randomised here, by tables whose epsilon this package proves for itself before
it answers.  The aggregator only ever holds randomised symbols.

    from harmony_device import Device

    record = {"battery": float, "theme": str}
    device = Device("https://stats.example.org", "~/.harmony", record=record, consent=True,
                    epsilon_limit=4.0)
    device.answer({"battery": 71, "theme": "dark"})

Importing this package loads nothing else: every public name is fetched when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take the branch; importing `typing` would cost milliseconds
if TYPE_CHECKING:
    from .device import Device
    from .errors import DeviceError, LedgerError, RefusedError, ServerError
    from .ledger import Entry
    from .limits import EpsilonLimit
    from .model import Model
    from .report import make_report
    from .step import Step
    from .survey import Survey
    from .visit import Visit

__version__ = "0.1.0"

__all__ = [
    "Device",
    "DeviceError",
    "Entry",
    "EpsilonLimit",
    "LedgerError",
    "Model",
    "RefusedError",
    "ServerError",
    "Step",
    "Survey",
    "Visit",
    "make_report",
]

_HOMES = {
    "Device": "device",
    "DeviceError": "errors",
    "Entry": "ledger",
    "EpsilonLimit": "limits",
    "LedgerError": "errors",
    "Model": "model",
    "RefusedError": "errors",
    "ServerError": "errors",
    "Step": "step",
    "Survey": "survey",
    "Visit": "visit",
    "make_report": "report",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not importlib.import_module: importing importlib would take half a millisecond.
    home = __import__(f"{__name__}.{_HOMES[name]}", fromlist=[name])
    found: object = getattr(home, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
