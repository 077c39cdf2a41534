"""The record: what an app can tell about its device, declared in its code.

Names and types are the same for all users of an app, so what follows from them tells nothing
about any of them.  Whether a device answers a survey follows from the record, never from a value.
"""

from __future__ import annotations

from .protocol import MAX_ATTRIBUTE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Union

    Values = Union[Mapping[str, object], Callable[[str], object]]
    Needs = Iterable[tuple[str, str]]

NUMBER, TEXT, BOOLEAN = "number", "text", "boolean"
DERIVED = "derived answer"
"""What only a training's step can compute: no record has it."""

MOST_NAMED = 20
"""How many names that the record does not have are told one by one."""

_TYPES = {float: NUMBER, int: NUMBER, str: TEXT, bool: BOOLEAN}


class Record:
    """The names that an app can tell, each with its type.

    >>> record = Record({"battery": float, "theme": str})
    >>> record.lack([("battery", "number"), ("theme", "text")])
    >>> record.lack([("wifi", "boolean")])
    "asks for 'wifi' (boolean), which is not in this app's record"
    """

    def __init__(self, types: Mapping[str, type]) -> None:
        if not hasattr(types, "items"):
            raise TypeError("'record' must map names to types: {'battery': float, 'theme': str}")
        for name, kind in types.items():
            if not isinstance(name, str) or not isinstance(kind, type) or kind not in _TYPES:
                raise TypeError(f"'record': the type of {name!r} must be float, int, str or bool")
        self.types = {name: _TYPES[kind] for name, kind in types.items()}

    def lack(self, needs: Needs) -> str | None:
        """Return what a document asks for that this record cannot tell, or None."""
        for name, kind in needs:
            told = self.types.get(name)
            if told is None:
                return f"asks for '{name}' ({kind}), which is not in this app's record"
            if told != kind:
                return f"asks for '{name}' as a {kind}; this app's record has it as a {told}"
        return None

    def unknown(self, values: Values) -> list[str]:
        """Return warnings about names in `values` that the record does not have."""
        try:
            names = list(values.keys()) if hasattr(values, "keys") else []
            unknown = [name for name in names if name not in self.types]
            warnings = [_not_declared(str(name), self.types) for name in unknown[:MOST_NAMED]]
        except Exception:  # as in `reader`
            return ["values: their names cannot be read"]
        if len(unknown) > MOST_NAMED:
            warnings.append(f"values: {len(unknown) - MOST_NAMED} more are not in the record")
        return warnings


def reader(values: Values) -> Callable[[str], object]:
    """Return the function that reads one value by its name; what fails to be read is missing.

    >>> read = reader({"battery": 71}.__getitem__)
    >>> read("battery"), read("theme")
    (71, None)
    """
    try:
        value_of: Any = getattr(values, "get", values)
    except Exception:
        value_of = None

    def read(name: str) -> object:
        try:
            return value_of(name)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # whatever else an app's code raises may depend on a value
            return None

    return read


def snapshot(values: Values, needs: Needs) -> dict[str, object]:
    """Return everything that is needed of `values`, each read once."""
    value_of = reader(values)
    return {name: value_of(name) for name, _ in needs}


def _not_declared(name: str, types: Iterable[str]) -> str:
    from difflib import get_close_matches

    shown = name[:MAX_ATTRIBUTE_NAME]
    near = get_close_matches(shown, list(types), 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"values: '{shown}' is not in the record{hint}"
