"""What a device may raise.  No message ever contains a private value."""

from __future__ import annotations


class DeviceError(Exception):
    """Anything the device side of Harmony raises on purpose."""


class RefusedError(DeviceError, ValueError):
    """A survey, table or code does not keep its promise, so the device will not answer it."""


class LedgerError(DeviceError):
    """The ledger cannot be read, so nothing more may be spent until its owner repairs it."""


class ServerError(DeviceError):
    """The server could not be reached, or answered something a device cannot use.

    `retry_after` is how many seconds the server asked to be left alone, if it did.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
