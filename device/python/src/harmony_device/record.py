"""The record: what an app can tell about its device, declared in its code.

Names and types are the same for all users of an app, so what follows from them tells nothing
about any of them.  Whether a device answers a survey follows from the record, never from a value.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Union

    Values = Union[Mapping[str, object], Callable[[str], object]]
    Needs = Iterable[tuple[str, str]]

NUMBER, TEXT, BOOLEAN = "number", "text", "boolean"
DERIVED = "derived answer"
"""What only a training's step can compute: no record has it."""

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
        """Return a warning for each name in `values` that the record does not have."""
        if not hasattr(values, "keys"):
            return []
        given = values.keys()
        return [_not_declared(name, self.types) for name in given if name not in self.types]


def reader(values: Values) -> Callable[[str], object]:
    """Return the function that reads one value by its name; what fails to be read is missing.

    >>> read = reader({"battery": 71}.__getitem__)
    >>> read("battery"), read("theme")
    (71, None)
    """
    if type(values) is dict:
        return values.get  # which never fails
    value_of: Any = getattr(values, "get", values)

    def read(name: str) -> object:
        try:
            return value_of(name)
        except Exception:  # whatever an app's function raises may depend on the value
            return None

    return read


def snapshot(values: Values, needs: Needs) -> dict[str, object]:
    """Return everything that is needed of `values`, each read once."""
    value_of = reader(values)
    return {name: value_of(name) for name, _ in needs}


def _not_declared(name: object, types: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(name), list(types), 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"values: '{name}' is not in the record{hint}"
