"""A client's connection: uvicorn's, but it never becomes anything else than HTTP/1.1.

llhttp takes what follows the head of a request with `Upgrade` for another protocol, so its body
would be read as the next request: anyone could write requests into a proxy's connection, and
clients that offer HTTP/2 in passing, as Java's does, would lose the bodies of their reports.  A
server may ignore the header (RFC 9110, section 7.8): the request is read once more without it.
"""

from __future__ import annotations

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class HttpConnection(HttpToolsProtocol):
    """One connection."""

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        self._unset_keepalive_if_required()
        try:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                self._feed_without_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")

    def on_headers_complete(self) -> None:
        """Start on the request, unless it is to be read once more."""
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that the request is whole, unless it is to be read once more."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _feed_without_upgrade(self, rest: bytes) -> None:
        """Read the request that was just read without its Upgrade header, and what follows it."""
        asks_again = True
        while asks_again:
            fed = self._head_without_upgrade() + rest
            try:
                self.parser.feed_data(fed)
                asks_again = False
            except httptools.HttpParserUpgrade as upgrade:  # another, sent right behind it
                rest = fed[upgrade.args[0] :]

    def _head_without_upgrade(self) -> bytes:
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            raise httptools.HttpParserError("this is no proxy")
        lines = [method + b" " + self.url + b" HTTP/" + version.encode()]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])
