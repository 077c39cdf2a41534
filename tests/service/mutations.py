"""Requests that a server understands, and what becomes of them in bad hands.

A request is changed where its meaning is (a field, a parameter, a header, who sends it) and then,
at times, byte by byte.  The same generator makes the same changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

METHODS = ("GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND")

TEXTS = (
    "", " ", "0", "-1", "1e999", "NaN", "latest", "null", "true", "=1+1", "@x", "hourly", "admin",
    "9" * 5000, "without-" + "9" * 5000, "a" * 70_000, "\u0665", "1_000", "0x10", "categorical",
    "\0", "\n\r\t", "\x7f\x80", "\ud800", "\udfff\ud800", "\U0001f600", "\u202e\u0130\u1e9e\ufeff",
    "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "2026-02-30T00:00:00Z", "2026-01-01",
    "../../etc/passwd", "<script>alert(1)</script>", "{{7*7}}", "%00%ff%zz", "' OR 1=1 --",
    "00" * 16, "zz" * 16, "boolean", "hmy_00_00",
)  # fmt: skip
NUMBERS = (
    "0", "-0.0", "-1", "1e308", "-1e308", "1e309", "5e-324", "9007199254740993", "1" + "0" * 400,
    "NaN", "Infinity", "-Infinity", "0.1", "65536", "4294967296", "3.0000000000000001",
)  # fmt: skip
OTHERS = ("null", "true", "[]", "{}", "[[]]", '[{"name": null}]', "[" * 900 + "]" * 900)

HEADERS = (
    ("Accept", "text/html;q=x"), ("Accept-Encoding", "gzip, br"), ("Accept-Language", "*;q=-1"),
    ("Authorization", "Basic Og=="), ("Authorization", "Bearer hmy__"),
    ("Authorization", "Harmony ."), ("Connection", "close"), ("Content-Encoding", "gzip"),
    ("Content-Length", "1"), ("Content-Type", "text/plain"),
    ("Content-Type", "application/json; charset=utf-7"),
    ("Content-Type", "application/x-www-form-urlencoded"),
    ("Content-Type", "multipart/form-data; boundary=x"),
    ("Content-Type", "application/vnd.harmony.reports"),
    ("Cookie", "harmony_session=; harmony_session=\xe9"), ("Cookie", 'a="\\777"; =; ;;'),
    ("Expect", "100-continue"), ("Forwarded", "for=unknown"), ("Harmony-Protocol", "2"),
    ("Host", "[::"), ("Host", "evil.example"), ("If-Modified-Since", "never"),
    ("If-None-Match", '"' + "a" * 64 + '", W/"b", *'), ("Last-Event-ID", "\t"),
    ("Origin", "http://[evil"), ("Range", "bytes=0-0,5-,-1"), ("Referer", "\xff"),
    ("Sec-Fetch-Site", "cross-site"), ("Transfer-Encoding", "chunked"), ("Upgrade", "h2c"),
    ("X-Forwarded-For", "1.2.3.4, x, ::1%"), ("X-Forwarded-Proto", "gopher"),
    ("X-HTTP-Method-Override", "DELETE"),
)  # fmt: skip


@dataclass(frozen=True)
class Request:
    """A request in its parts; `document` or `form` is its body, or `content` as it is."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    parameters: tuple[str, ...] = ()
    """The names of what the route reads from the query."""
    document: Any = None
    form: tuple[tuple[str, str], ...] | None = None
    content: bytes = b""
    escapes: bool = True
    """Whether JSON has letters beyond ASCII escaped, half surrogate pairs too."""

    def body(self) -> bytes:
        """Return the body's bytes."""
        if self.document is not None:
            return _json_of(self.document, self.escapes).encode("utf-8", "surrogatepass")
        if self.form is not None:
            return urlencode(self.form, errors="surrogatepass").encode()
        return self.content

    def to_bytes(self) -> bytes:
        """Return the request as it goes over the wire."""
        body = self.body()
        query = "?" + urlencode(self.query, errors="surrogatepass") if self.query else ""
        lines = [f"{self.method} {self.path}{query} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if body or self.method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


@dataclass(frozen=True)
class Raw:
    """A number as JSON's text, which Python would write otherwise or not at all."""

    text: str


def _json_of(document: Any, escapes: bool) -> str:
    """Write JSON, with the raw parts as they are."""
    kept: list[str] = []

    def mark(raw: Raw) -> str:
        kept.append(raw.text)
        return f"<raw {len(kept) - 1}>"

    text = json.dumps(document, default=mark, ensure_ascii=escapes)
    for number, raw in enumerate(kept):
        text = text.replace(f'"<raw {number}>"', raw)
    return text


@dataclass
class Mutator:
    """Changes requests by a generator; `authorizations` are what one may send as whom."""

    random: Random
    authorizations: tuple[tuple[str, str], ...] = ()
    _changes: list[Callable[[Request], Request]] = field(init=False)

    def __post_init__(self) -> None:
        changes = [self._segment, self._query, self._header, self._sender, self._method]
        self._changes = [*changes, *[self._body] * 3]

    def mutate(self, request: Request) -> bytes:
        """Return a request's bytes after some changes."""
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3, 5))):
            request = self.random.choice(self._changes)(request)
        request = replace(request, escapes=self.random.random() < 0.5)
        sent = request.to_bytes()
        for _ in range(self.random.choice((0, 0, 0, 0, 0, 0, 1, 4))):
            sent = self._bytes(sent)
        return sent

    def text(self) -> str:
        """Return an odd text."""
        return self.random.choice(TEXTS)

    def _value(self) -> Any:
        kind = self.random.randrange(3)
        if kind == 0:
            return self.text()
        return Raw(self.random.choice(NUMBERS if kind == 1 else OTHERS))

    def _body(self, request: Request) -> Request:
        if request.document is not None:
            return replace(request, document=self._document(request.document))
        if request.form:
            place = self.random.randrange(len(request.form))
            name, _ = request.form[place]
            changed = self.random.choice(
                ([], [(name, self.text())], [request.form[place]] * 2, [(self.text(), "x")])
            )
            return replace(
                request, form=(*request.form[:place], *changed, *request.form[place + 1 :])
            )
        if request.content:
            return replace(request, content=self._bytes(request.content))
        return self._query(request)

    def _document(self, node: Any) -> Any:
        """Change one place of a document, the deeper ones as likely as the others."""
        if not isinstance(node, dict | list) or not node or self.random.random() < 0.2:
            return self._value()
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key, wish = self.random.choice(keys), self.random.random()
        copy = dict(node) if isinstance(node, dict) else list(node)
        if wish < 0.1:
            del copy[key]
        elif wish < 0.2 and isinstance(copy, dict):
            copy[self.text()] = self._value()
        elif wish < 0.3 and isinstance(copy, list):
            copy += copy * self.random.choice((1, 20))
        else:
            copy[key] = self._document(node[key])
        return copy

    def _segment(self, request: Request) -> Request:
        segments = request.path.split("/")
        place = self.random.randrange(1, len(segments))
        odd = quote(
            self.text()[:3000], safe=self.random.choice(("", "/%?#=")), errors="surrogatepass"
        )
        segments[place : place + self.random.randrange(2)] = [odd]
        return replace(request, path="/".join(segments).encode("ascii", "replace").decode())

    def _query(self, request: Request) -> Request:
        name = self.random.choice((*request.parameters, "x", self.text()[:100]))
        return replace(request, query=(*request.query, (name, self.text()[:3000])))

    def _header(self, request: Request) -> Request:
        headers, wish = list(request.headers), self.random.random()
        if headers and wish < 0.3:
            place = self.random.randrange(len(headers))
            headers[place : place + 1] = self.random.choice(
                ([], [headers[place]] * 2, [(headers[place][0], self.text())])
            )
        else:
            headers.insert(self.random.randrange(len(headers) + 1), self.random.choice(HEADERS))
        return replace(request, headers=tuple(headers))

    def _sender(self, request: Request) -> Request:
        kept = [one for one in request.headers if one[0] not in ("Authorization", "Cookie")]
        return replace(request, headers=(*kept, self.random.choice(self.authorizations)))

    def _method(self, request: Request) -> Request:
        return replace(request, method=self.random.choice(METHODS))

    def _bytes(self, whole: bytes) -> bytes:
        """Change bytes: turn over, leave out, add, repeat, move, cut off."""
        random = self.random
        start = random.randrange(len(whole) + 1)
        end = min(len(whole), start + random.choice((1, 1, 2, 8, 64)))
        part = whole[start:end]
        ends = (b"\r\n", b"\r\n\r\n", b"\0", b"\n", b" ", b"\xff", b'"', b"}")
        kinds = (
            lambda: bytes(byte ^ 1 << random.randrange(8) for byte in part),
            lambda: b"",
            lambda: part + random.randbytes(random.choice((1, 3, 40))),
            lambda: part * random.choice((2, 300)),
            lambda: part[::-1],
            lambda: part + random.choice(ends),
        )
        changed = random.choice(kinds)()
        return whole[:start] + changed + (whole[end:] if random.random() < 0.9 else b"")
