"""What clients do to a connection, by kind: each case has one outcome, whichever way it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harmony.service.asgi import SMALL_BODY
from harmony.service.http.connection import MOST_HEADERS, MOST_PIPELINED

from .conftest import SURVEY
from .raw import HALF_CLOSE, HEALTH, PATH, Case, Pause, Piece, Site

HASTY = 1.0
"""The deadlines of the servers that slow clients meet, in seconds."""

HEADER_BYTES = 16 << 10

JAVA = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
WEBSOCKET = ("Connection: keep-alive, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x")

Pieces = Callable[[Site], Sequence[Piece]]


def cut(*places: int | bytes) -> Pieces:
    """A report that comes in pieces, cut at these places or after these bytes."""

    def pieces(site: Site) -> list[Piece]:
        whole = site.request()
        ends = [one if isinstance(one, int) else whole.index(one) + len(one) for one in places]
        starts = [0, *ends]
        return [whole[a:b] for a, b in zip(starts, [*ends, len(whole)], strict=True)]

    return pieces


def one(*lines: str, start: str = f"POST {PATH} HTTP/1.1", body: bytes | None = None) -> Pieces:
    """A report in one piece, with these headers, this start or this body."""

    def pieces(site: Site) -> list[Piece]:
        changes = {} if body is None else {"body": body}
        return [site.request(*lines, start=start, **changes)]

    return pieces


def raw(*sent: bytes) -> Pieces:
    """These bytes, whoever reads them."""
    return lambda site: sent


def accepted(pieces: Pieces) -> Case:
    return Case(pieces, [201])


def refused(pieces: Pieces, status: int = 400, says: str = "bad-request") -> Case:
    """A case that ends the connection with a refusal."""
    return Case(pieces, [status], stays=False, says=says)


SPLIT = {
    "whole": accepted(cut()),
    "in the method": accepted(cut(2)),
    "in the path": accepted(cut(b"/v1/sur")),
    "in the version": accepted(cut(b"HTTP/1")),
    "in a header's name": accepted(cut(b"Author")),
    "in a header's value": accepted(cut(b"Harmony 0"[:8])),
    "between CR and LF": accepted(cut(b"HTTP/1.1\r")),
    "within the end of the head": accepted(cut(b"\r\n\r")),
    "between head and body": accepted(cut(b"\r\n\r\n")),
    "in the body": accepted(cut(b"week1")),
    "before the last byte": accepted(cut(-1)),
    "in three": accepted(cut(b"HTTP/1.1", b"week1")),
    "byte by byte": accepted(
        lambda site: [bytes([byte]) for byte in site.request()],
    ),
    "after empty lines": accepted(lambda site: [b"\r\n\r\n", site.request()]),
    "half-closed after it": Case(lambda site: [site.request(), HALF_CLOSE], [201], stays=False),
    "half-closed after two": Case(
        lambda site: [site.request() + site.request(), HALF_CLOSE], [201, 201], stays=False
    ),
    "half-closed within the body": Case(
        lambda site: [site.request()[:-5], HALF_CLOSE], [], stays=False
    ),
    "half-closed within the head": Case(raw(b"POST /v1", HALF_CLOSE), [], stays=False),  # type: ignore[arg-type]
}


def same_device_pipelined(site: Site) -> list[Piece]:
    device = site.device()
    same = site.request(device=device)
    return [same + same + site.request(device=device, symbol=1) + site.request()]


def two_cut_in_the_second(site: Site) -> list[Piece]:
    first, second = site.request(), site.request()
    return [first + second[:-9], second[-9:]]


PIPELINED = {
    "two": Case(lambda site: [site.request() + site.request()], [201, 201]),
    "two, cut at the border": Case(
        lambda site: [site.request() + b"PO", site.request()[2:]], [201, 201]
    ),
    "two, cut in the second's body": Case(two_cut_in_the_second, [201, 201]),
    "the same, and another": Case(same_device_pipelined, [201, 200, 409, 201]),
    "mixed routes": Case(
        lambda site: [HEALTH + site.request() + HEALTH + site.request()], [200, 201, 200, 201]
    ),
    "a refusal in between": Case(
        lambda site: [site.request() + site.request(body=b"{}") + site.request()], [201, 422, 201]
    ),
    "after one that closes": Case(
        lambda site: [site.request("Connection: close") + site.request()], [201], stays=False
    ),
    "then no HTTP": Case(
        lambda site: [site.request() + b"\0\1\2\r\n\r\n"], [201, 400], stays=False
    ),
    "then a broken chunk": Case(
        lambda site: [site.request() + site.request() + site.chunked(b"zz\r\n")],
        [201, 201, 400],
        stays=False,
    ),
    "then too long a head": Case(
        lambda site: [site.request() + site.request("X-Long: " + "y" * HEADER_BYTES)],
        [201, 431],
        stays=False,
    ),
    "many": Case(lambda site: [HEALTH * MOST_PIPELINED], [200] * MOST_PIPELINED),
    "too many": Case(
        lambda site: [HEALTH * 10 * MOST_PIPELINED],
        [200] * (MOST_PIPELINED + 1) + [429],
        stays=False,
        says="too-many-requests",
    ),
    "too many after a report": Case(
        lambda site: [site.request() + HEALTH * 10 * MOST_PIPELINED],
        [201] + [200] * MOST_PIPELINED + [429],
        stays=False,
    ),
}


def chunk(part: bytes, extension: bytes = b"") -> bytes:
    """A part of a body as a chunk."""
    return b"%x%s\r\n%s\r\n" % (len(part), extension, part)


PADDED = chunk(b"a", b";" + b"x" * 600)


def chunks(*sizes: int, end: bytes = b"0\r\n\r\n", extension: bytes = b"") -> Pieces:
    """A report in chunks of these sizes; the last takes what is left."""

    def pieces(site: Site) -> list[Piece]:
        device = site.device()
        left, sent = site.report(device), b""
        for size in (*sizes, 1 << 20):
            part, left = left[:size], left[size:]
            if part:
                sent += chunk(part, extension)
        return [site.chunked(sent + end, device=device)]

    return pieces


def chunks_apart(site: Site) -> list[Piece]:
    device = site.device()
    body = site.report(device)
    head = site.head("Transfer-Encoding: chunked", device=device)
    return [head, b"%x" % len(body), b"\r", b"\n" + body[:3], body[3:] + b"\r\n0", b"\r\n\r\n"]


CHUNKED = {
    "one chunk": accepted(chunks()),
    "two chunks": accepted(chunks(10)),
    "chunks of a byte": accepted(chunks(*[1] * 200)),
    "cut within": accepted(chunks_apart),
    "with an extension": accepted(chunks(extension=b";a=b")),
    "with a trailer": accepted(chunks(end=b"0\r\nX-Late: yes\r\n\r\n")),
    "whose trailer would be another's": accepted(
        chunks(end=b"0\r\nAuthorization: Harmony 00.1-0-00\r\nHost: y\r\n\r\n")
    ),
    "then another": Case(lambda site: [*chunks(5)(site), site.request()], [201, 201]),
    "empty": Case(lambda site: [site.chunked(b"0\r\n\r\n")], [422], says="malformed"),
    "no hex": refused(lambda site: [site.chunked(b"zz\r\n")]),
    "a negative size": refused(lambda site: [site.chunked(b"-1\r\n")]),
    "a size beyond all bounds": refused(lambda site: [site.chunked(b"f" * 20 + b"\r\n")]),
    "a chunk without its end": refused(lambda site: [site.chunked(b"2\r\n{}{}\r\n0\r\n\r\n")]),
    "with a length as well": refused(lambda site: [site.chunked(lines=["Content-Length: 5"])]),
    "twice chunked": refused(
        lambda site: [site.chunked(lines=["Transfer-Encoding: chunked"])], 400
    ),
    "and compressed": refused(one("Transfer-Encoding: gzip, chunked")),
    "identity": refused(one("Transfer-Encoding: identity")),
    "an unknown encoding": refused(one("Transfer-Encoding: xchunked")),
    "too long": Case(
        lambda site: [site.chunked(chunk(bytes(SMALL_BODY + 1)) + b"0\r\n\r\n")],
        [413],
        says="too-large",
    ),
    "a trailer without end": refused(
        lambda site: [site.chunked(b"2\r\n{}\r\n0\r\nX: "), *[b"a" * 4096] * 16],
        431,
        "header-too-large",
    ),
    "an extension without end": refused(
        lambda site: [site.chunked(b"2;"), *[b"a" * 4096] * 16], 431, "header-too-large"
    ),
    "more framing than body": refused(
        lambda site: [site.chunked(PADDED), *[PADDED] * 100],
        431,
        "header-too-large",
    ),
}  # fmt: skip


def length(value: str) -> Pieces:
    """A report whose only Content-Length is this."""

    def pieces(site: Site) -> list[Piece]:
        device = site.device()
        return [site.head(f"Content-Length: {value}", device=device) + site.report(device)]

    return pieces


LENGTHS = {
    "twice the same": refused(one("Content-Length: 5")),
    "signed": refused(length("+5")),
    "negative": refused(length("-5")),
    "in hex": refused(length("0x56")),
    "with a blank within": refused(length("5 6")),
    "a list": refused(length("86, 86")),
    "beyond all bounds": refused(length("9" * 30)),
    "empty": refused(length("")),
    "with a blank before the colon": refused(one("Content-Length : 5")),
    "under a name that looks like it": accepted(one("Content_Length: 5")),
    "none": Case(
        lambda site: [site.head(device=site.device()) + b"\0"], [422, 400], stays=False
    ),
    "too small": Case(length("2"), [422, 400], stays=False),
    "zero": Case(length("0"), [422, 400], stays=False),
    "of a device larger than its own": Case(
        lambda site: [site.request(body=bytes(SMALL_BODY + 1))], [413], says="too-large"
    ),
}  # fmt: skip

SMUGGLED = b"GET /v1/surveys HTTP/1.1\r\nHost: x\r\n\r\n"

UPGRADES = {
    "as Java's client": accepted(one(*JAVA)),
    "to a websocket": accepted(one(*WEBSOCKET)),
    "with a body that is a request": Case(one(*JAVA, body=SMUGGLED), [422], says="malformed"),
    "cut before the body": accepted(
        lambda site: list(_cut_after_head(site.request(*JAVA))),
    ),
    "cut in the head": accepted(
        lambda site: [(whole := site.request(*JAVA))[:40], whole[40:90], whole[90:]],
    ),
    "in chunks": accepted(lambda site: [site.chunked(lines=JAVA)]),
    "twice": Case(lambda site: [site.request(*JAVA) + site.request(*WEBSOCKET)], [201, 201]),
    "then none": Case(lambda site: [site.request(*JAVA) + site.request()], [201, 201]),
    "of a page": Case(
        lambda site: [site.head(*WEBSOCKET, start="GET /healthz HTTP/1.1")], [200]
    ),
    "without saying to what": accepted(one("Connection: Upgrade")),
    "a tunnel": refused(raw(b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n")),
    "HTTP/2 without asking": refused(raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
}  # fmt: skip


def _cut_after_head(whole: bytes) -> tuple[bytes, bytes]:
    head, body = whole.split(b"\r\n\r\n", 1)
    return head + b"\r\n\r\n", body


def blanks_after_the_credential(site: Site) -> list[Piece]:
    """A report whose sender is written with blanks behind it, which are none of it."""
    head, _, body = site.request().partition(b"\r\nContent-Length")
    return [head + b" \t\r\nContent-Length" + body]


HEADS = {
    "without a host": refused(raw(b"GET /healthz HTTP/1.1\r\n\r\n")),
    "two hosts": refused(one("Host: y")),
    "two credentials": refused(one("Authorization: Harmony 00.1-0-00")),
    "two content types": refused(one("Content-Type: a/b", "Content-Type: c/d")),
    "names in small letters": accepted(
        lambda site: [site.request().replace(b"Authorization", b"authorization")],
    ),
    "many headers": accepted(one(*[f"X-{number}: y" for number in range(MOST_HEADERS - 3)])),
    "too many headers": refused(
        one(*[f"X-{number}: y" for number in range(MOST_HEADERS - 2)]), 431, "header-too-large"
    ),
    "a long header": accepted(one("X-Long: " + "y" * (HEADER_BYTES - 1000))),
    "too long a header": refused(
        one("X-Long: " + "y" * HEADER_BYTES), 431, "header-too-large"
    ),
    "a header without end": refused(
        lambda site: [b"GET / HTTP/1.1\r\nHost: x\r\nX: ", *[b"y" * 4096] * 16],
        431,
        "header-too-large",
    ),
    "headers without end": refused(
        lambda site: [b"GET / HTTP/1.1\r\nHost: x\r\n", *[b"X: y\r\n" * 50] * 16],
        431,
        "header-too-large",
    ),
    "a request line without end": refused(
        lambda site: [b"GET /", *[b"y" * 4096] * 16], 431, "header-too-large"
    ),
    "too long a query": refused(
        one(start=f"POST {PATH}?{'y' * HEADER_BYTES} HTTP/1.1"), 431, "header-too-large"
    ),
    "a folded header": refused(one("X-A: a\r\n  b")),
    "a header without a name": refused(one(": y")),
    "a header without a colon": refused(one("nothing")),
    "a byte of zero in a header": refused(one("X-A: a\0b")),
    "a line feed alone": refused(one("X-A: a\nX-B: b")),
    "bytes that are no ASCII": accepted(one("X-A: \xe9\xff")),
    "an answer that is expected": Case(one("Expect: 100-continue"), [201], stays=False),
    "an answer that comes before the body": Case(
        lambda site: [site.head("Expect: 100-continue", "Content-Length: 5")], [401], stays=False
    ),
    "another expectation": accepted(one("Expect: something")),
    "our protocol, and blanks after it": accepted(one("Harmony-Protocol: 1 \t ")),
    "a credential and blanks after it": accepted(blanks_after_the_credential),
    "another protocol of ours": Case(one("Harmony-Protocol: 7"), [400], says="protocol"),
    "addresses of others": accepted(one("X-Forwarded-For: 192.0.2.1, 10.0.0.1")),
}  # fmt: skip

TARGETS = {
    "HTTP/1.0": Case(one(start=f"POST {PATH} HTTP/1.0"), [201], stays=False),
    "HTTP/1.0 that would stay": Case(
        one("Connection: keep-alive", start=f"POST {PATH} HTTP/1.0"), [201], stays=False
    ),
    "HTTP/1.0 without a host": Case(raw(b"GET /healthz HTTP/1.0\r\n\r\n"), [200], stays=False),
    "HTTP/1.1 that closes": Case(one("Connection: close"), [201], stays=False),
    "HTTP/9.9": refused(one(start=f"POST {PATH} HTTP/9.9")),
    "HTTP/1.1 in small letters": refused(one(start=f"POST {PATH} http/1.1")),
    "no version": refused(raw(b"GET /healthz\r\n\r\n")),
    "absolute": accepted(one(start=f"POST http://x{PATH} HTTP/1.1")),
    "absolute and elsewhere": accepted(one(start=f"POST https://y:1{PATH} HTTP/1.1")),
    "absolute without a path": Case(one(start="POST http://x HTTP/1.1"), [400], stays=False),
    "with a query": accepted(one(start=f"POST {PATH}?a=b HTTP/1.1")),
    "with a fragment": accepted(one(start=f"POST {PATH}#a HTTP/1.1")),
    "encoded": accepted(one(start=f"POST {PATH.replace('surveys', '%73urveys')} HTTP/1.1")),
    "with an encoded slash": accepted(
        one(start=f"POST {PATH.replace('/reports', '%2freports')} HTTP/1.1")
    ),
    "badly encoded": Case(one(start=f"POST {PATH}%zz HTTP/1.1"), [404], says="not-found"),
    "with dots": Case(
        one(start=f"POST /v1/surveys/../surveys/{SURVEY.name}/reports HTTP/1.1"),
        [404],
        says="unknown-survey",
    ),
    "with a byte of zero": Case(
        one(start=f"POST /v1/surveys/%00{SURVEY.name}/reports HTTP/1.1"),
        [404],
        says="unknown-survey",
    ),
    "not ASCII": refused(one(start="POST /v1/surveys/\xff/reports HTTP/1.1")),
    "no path": refused(one(start="POST v1 HTTP/1.1")),
    "blanks within": refused(one(start=f"POST {PATH} x HTTP/1.1")),
    "an unknown method": refused(one(start=f"BREW {PATH} HTTP/1.1")),
    "a method in small letters": refused(one(start=f"post {PATH} HTTP/1.1")),
    "another method": Case(one(start=f"PUT {PATH} HTTP/1.1"), [404], says="not-found"),
    "TLS": refused(raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100))),
}


def deep(depth: int) -> bytes:
    """A body of brackets within brackets."""
    nested = b"[" * depth + b"]" * depth
    return b'{"round": "week1", "report": "00", "more": %s}' % nested


REFUSALS = {
    "no JSON": Case(one(body=b"{"), [422], says="malformed"),
    "no fields": Case(one(body=b"{}"), [422], says="malformed"),
    "a list": Case(one(body=b"[]"), [422], says="malformed"),
    "half a surrogate pair": Case(
        one(body=b'{"round": "\\ud800", "report": "00"}'), [422], says="malformed"
    ),
    "not UTF-8": Case(one(body=b'{"round": "\xff", "report": "00"}'), [422], says="malformed"),
    "brackets within brackets": Case(one(body=deep(30_000)), [422], says="malformed"),
    "a round that is none": Case(
        one(body=b'{"round": "none", "report": "00"}'), [410], says="closed"
    ),
    "an unknown survey": Case(
        one(start="POST /v1/surveys/none/reports HTTP/1.1"), [404], says="unknown-survey"
    ),
    "somebody else": Case(
        lambda site: [site.request(body=site.report(site.device()))], [403], says="forbidden"
    ),
    "a credential that is none": Case(
        lambda site: [site.head("Authorization: Harmony 00.1-0-00", "Content-Length: 2") + b"{}"],
        [401],
        says="unauthorized",
    ),
    "a credential of other letters": Case(
        lambda site: [site.request().replace(b"Authorization: Harmony", b"Authorization: harmony")],
        [401],
        says="unauthorized",
    ),
    "nobody": Case(
        lambda site: [site.head("Content-Length: 2") + b"{}"], [401], says="unauthorized"
    ),
}


def trickle(start: Callable[[Site], bytes], byte: bytes, seconds: float = 4 * HASTY) -> Pieces:
    """A start, and then a byte every now and then for longer than there is time."""

    def pieces(site: Site) -> list[Piece]:
        gap = HASTY / 4
        return [start(site), *[Pause(gap), byte] * round(seconds / gap)]

    return pieces


def late(pieces: Pieces, status: int = 408, says: str = "too-slow") -> Case:
    """A case that ends when the time for it is up."""
    return Case(pieces, [status] if status else [], stays=False, says=says if status else "")


SLOW = {
    "no first byte": late(raw(), 0),
    "half a request line": late(raw(b"POST /v1/sur")),
    "no end of the head": late(lambda site: [site.request().split(b"\r\n\r\n")[0]]),
    "no body": late(lambda site: [site.head("Content-Length: 9", device=site.device())]),
    "half a body": late(lambda site: [site.request()[:-3]]),
    "half a chunk": late(lambda site: [site.chunked(b"9\r\nabc")]),
    "no last chunk": late(lambda site: [site.chunked(b"2\r\n{}\r\n")]),
    "a gateway's body": late(
        lambda site: [site.head(f"Authorization: Bearer {site.gateway}", "Content-Length: 99")]
    ),
    "a form": late(
        lambda site: [site.head("Content-Length: 99", start="POST /sign-in HTTP/1.1") + b"code="]
    ),
    "empty lines": late(trickle(lambda site: b"\r\n", b"\r\n"), 0),
    "a request line": late(trickle(lambda site: b"GET /", b"a")),
    "a header": late(trickle(lambda site: b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"a")),
    "a body": late(
        trickle(lambda site: site.head("Content-Length: 999", device=site.device()), b" ")
    ),
    "chunks": late(
        trickle(
            lambda site: site.head("Transfer-Encoding: chunked", device=site.device()),
            b"1\r\n \r\n",
        )
    ),
    "the rest of what was refused": late(
        trickle(lambda site: site.head("Content-Length: 999"), b" "), 401, "unauthorized"
    ),
    "no body, larger than anyone's": Case(
        length(str(9 << 20)), [413], stays=False, says="too-large"
    ),
    "no body, of nobody": Case(
        lambda site: [site.head("Content-Length: 2")], [401], stays=False, says="unauthorized"
    ),
    "the next request": Case(lambda site: [site.request(), Pause(3 * HASTY)], [201], stays=False),
    "half of the next request": Case(
        lambda site: [site.request() + b"GET / HT", Pause(3 * HASTY)],
        [201, 408],
        stays=False,
        says="too-slow",
    ),
}

KINDS = {
    "split": SPLIT,
    "pipelined": PIPELINED,
    "chunked": CHUNKED,
    "length": LENGTHS,
    "upgrade": UPGRADES,
    "head": HEADS,
    "target": TARGETS,
    "refusal": REFUSALS,
}
CASES = {f"{kind}: {name}": case for kind, cases in KINDS.items() for name, case in cases.items()}
