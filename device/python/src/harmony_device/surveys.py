"""The surveys that a server offers: each is downloaded once, and checked before it is used."""

from __future__ import annotations

from .documents import Documents, matches
from .errors import RefusedError
from .lock import DirectoryLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .server import Offer
    from .survey import Survey


class Surveys:
    """Checked surveys by fingerprint, in memory; their documents are on disk."""

    def __init__(self, directory: str, most_bytes: int) -> None:
        self._documents = Documents(directory)
        self._most_bytes = most_bytes
        self._lock = DirectoryLock(directory)
        self._checked: dict[str, Survey] = {}

    def of(self, offer: Offer, download: Callable[[str], bytes]) -> Survey:
        """Return the offered survey; `download` is asked for it only if it is not kept."""
        survey = self._checked.get(offer.fingerprint)
        if survey is None:
            from .survey import Survey

            survey = Survey.from_json(self._document(offer, download), self._most_bytes)
            self._checked[offer.fingerprint] = survey
        if survey.name != offer.name:
            raise RefusedError("'name' is not the name under which the survey is listed")
        if max(survey.tiers) != offer.epsilon:
            raise RefusedError("'epsilon' is not the epsilon with which the survey is listed")
        return survey

    def keep_only(self, fingerprints: set[str]) -> None:
        """Drop every survey but these."""
        with self._lock:
            self._documents.keep_only(fingerprints)
        for fingerprint in self._checked.keys() - fingerprints:
            del self._checked[fingerprint]

    def _document(self, offer: Offer, download: Callable[[str], bytes]) -> bytes:
        content = self._documents.read(offer.fingerprint)
        if content is None:
            content = download(offer.name)
            if not matches(content, offer.fingerprint):
                raise RefusedError("the document does not have the listed fingerprint")
            with self._lock:
                self._documents.keep(offer.fingerprint, content)
        return content
