"""The identity: the id and credential that a server issued, and what is left after withdrawal."""

from __future__ import annotations

import os

from .coins import ID_BYTES
from .durable import read_file, remove_file, write_file
from .errors import ServerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IDENTITY_FILE = "identity.json"
WITHDRAWAL_FILE = "withdrawal.json"

BY_FORGETTING = "forget"
BY_CONSENT = "consent"


class Identity:
    """Who this device is to one server, by a credential that was renewed at a time.

    Its representation hides the credential.
    """

    __slots__ = ("credential", "device", "enrolled", "renewed", "server")

    def __init__(
        self,
        server: str,
        device: bytes,
        credential: str,
        renewed: float = 0.0,
        enrolled: str = "",
    ) -> None:
        self.server = server
        self.device = device
        self.credential = credential
        self.renewed = renewed
        self.enrolled = enrolled
        """When, by the server's clock and in its writing."""

    @classmethod
    def from_document(cls, server: object, document: Any) -> Identity:
        """Read what an enrolment answered, or what a file kept; raise ServerError if neither."""
        try:
            device = bytes.fromhex(document["device"])
            credential = document["credential"]
            renewed = float(document.get("renewed", 0.0))
            if len(device) == ID_BYTES and _fits_a_header(credential):
                enrolled = str(document.get("enrolled", ""))
                return cls(str(server), device, credential, renewed, enrolled)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            pass
        raise ServerError("enrolment: no usable 'device' and 'credential' in the answer")

    def to_document(self) -> dict[str, Any]:
        return {
            "server": self.server,
            "device": self.device.hex(),
            "credential": self.credential,
            "renewed": self.renewed,
            "enrolled": self.enrolled,
        }

    @property
    def authorization(self) -> str:
        """The header with which this device proves itself."""
        return f"Harmony {self.device.hex()}.{self.credential}"

    def __repr__(self) -> str:
        return f"<Identity {self.device.hex()} at {self.server}>"


class IdentityFile:
    """The one identity of a directory, readable by its owner alone."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, IDENTITY_FILE)

    def read(self) -> Identity | None:
        """Return the identity; one that is damaged beyond use counts as none."""
        document = _read_json(self._path)
        try:
            return Identity.from_document(document["server"], document)
        except (ServerError, KeyError, TypeError):
            return None

    def write(self, identity: Identity) -> None:
        """Keep `identity`, durably."""
        _write_json(self._path, identity.to_document())

    def remove(self) -> None:
        """Forget the identity, durably."""
        remove_file(self._path)


class Withdrawal:
    """Whether consent was withdrawn, and which identities the server has yet to delete.

    Only what a deletion request needs is kept, and only until the server has confirmed it.
    A damaged file counts as withdrawn: in doubt, nothing is sent.
    """

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, WITHDRAWAL_FILE)
        self.by: str | None = None
        self.pending: list[tuple[Identity, float]] = []
        self._read()

    def _read(self) -> None:
        document = _read_json(self._path)
        if document is None:
            if os.path.exists(self._path):
                self.by = BY_FORGETTING
            return
        try:
            self.by = document["withdrawn_by"]
            for one in document["pending"]:
                identity = Identity.from_document(one["server"], one)
                self.pending.append((identity, float(one["since"])))
        except (ServerError, KeyError, TypeError, ValueError, OverflowError):
            self.by = BY_FORGETTING

    def write(self) -> None:
        """Keep the state, durably; nothing is kept when there is nothing to keep."""
        if self.by is None and not self.pending:
            remove_file(self._path)
            return
        pending = [{**one.to_document(), "since": since} for one, since in self.pending]
        _write_json(self._path, {"withdrawn_by": self.by, "pending": pending})


def _fits_a_header(credential: str) -> bool:
    """Whether a credential can be sent: text that cannot break out of its header."""
    plain = credential.isascii() and credential.isprintable() and " " not in credential
    return plain and 1 <= len(credential) <= 1000


def _read_json(path: str) -> Any:
    import json

    content = read_file(path)
    try:
        return None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return None


def _write_json(path: str, document: dict[str, Any]) -> None:
    import json

    write_file(path, json.dumps(document, indent=1).encode() + b"\n")
