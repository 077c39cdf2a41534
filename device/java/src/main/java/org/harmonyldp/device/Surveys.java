package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Checked surveys by fingerprint, in memory; their documents are on disk. */
final class Surveys {
    /** Where a document comes from that is not kept. */
    interface Download {
        byte[] of(String survey) throws IOException, Refused, ServerTrouble, NoConsent;
    }

    private final Documents documents;
    private final int mostBytes;
    private final DirectoryLock lock;
    private final Map<String, Survey> checked = new HashMap<>();

    Surveys(Path directory, int mostBytes) {
        this.documents = new Documents(directory);
        this.mostBytes = mostBytes;
        this.lock = new DirectoryLock(directory);
    }

    /** The offered survey; it is downloaded only if it is not kept. */
    Survey of(Offer offer, Download download) throws IOException, Refused, ServerTrouble, NoConsent {
        Survey survey = checked.get(offer.fingerprint);
        if (survey == null) {
            survey = SurveyReader.listed(Json.read(document(offer, download), mostBytes), offer.fingerprint);
            checked.put(offer.fingerprint, survey);
        }
        if (!survey.name.equals(offer.name)) {
            throw new Refused("'name' is not the name under which the survey is listed");
        }
        if (survey.greatestEpsilon() != offer.epsilon) {
            throw new Refused("'epsilon' is not the epsilon with which the survey is listed");
        }
        return survey;
    }

    /** Drops every survey but these. */
    void keepOnly(Set<String> fingerprints) throws IOException {
        try (DirectoryLock.Held held = lock.hold()) {
            documents.keepOnly(fingerprints);
        }
        checked.keySet().retainAll(fingerprints);
    }

    private byte[] document(Offer offer, Download download) throws IOException, Refused, ServerTrouble, NoConsent {
        byte[] content = documents.read(offer.fingerprint);
        if (content == null) {
            content = download.of(offer.name);
            if (!Sha256.hex(content).equals(offer.fingerprint)) {
                throw new Refused("the document does not have the listed fingerprint");
            }
            try (DirectoryLock.Held held = lock.hold()) {
                documents.keep(offer.fingerprint, content);
            }
        }
        return content;
    }
}
