package org.harmonyldp.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Spends epsilon on one report.
 *
 * <p>The order of {@link #spend} is the privacy argument. Under the directory's lock: the round is looked up in the
 * ledger (never twice, and with rotation never near another), the owner's limits are asked (never too much), a memo
 * that is missing is drawn and kept, the epsilon is charged durably, only then is the report drawn, and it is on disk
 * before it is sent. A crash between any two steps can only lose a report that was charged, or leave a memo that the
 * next report is made of.
 */
final class Spending {
    /** The name of a memo that is not drawn yet; others are hexadecimal. */
    private static final String NEW_MEMO = "new";

    /** Names that a line of the ledger tells: it is kept for ever, and a document may ask thousands. */
    private static final int MOST_TOLD = 20;

    private final DeviceState state;

    Spending(DeviceState state) {
        this.state = state;
    }

    /**
     * Spends epsilon on a report and keeps it, or returns why not. {@code onceFor} is a label, or null for any round
     * of the name.
     */
    String spend(Identity identity, String name, Round round, String onceFor, Survey survey, double[][] answers)
            throws IOException, NoConsent {
        try (DirectoryLock.Held held = state.lock.hold()) {
            Identity kept = state.identities.read();
            if (!state.consent.isGiven() || kept == null || !Arrays.equals(kept.device, identity.device)) {
                throw new NoConsent();
            }
            double now = state.now();
            state.ledger.noteClock(now);
            List<Entry> entries = state.ledger.entries();
            if (Offer.isDone(entries, name, onceFor)) {
                return "already answered";
            }
            String objection = Rotation.objection(survey, identity.device, name, round, entries);
            if (objection != null) {
                return objection;
            }
            if (!state.outbox.hasRoom(name, round.label, survey.reportBytes())) {
                return state.mostWaitingBytes + " bytes of reports are waiting already";
            }
            boolean remembers = survey.overTime.remembers();
            int count = remembers ? survey.memoWords(survey.asked(round.seed, identity.device, 0)) : 0;
            Memos.Memo memo = remembers ? state.memos.read(survey.fingerprint, identity.device, count) : null;
            if (remembers && memo == null && !state.memos.hasRoom(count)) {
                return "memos take " + state.memos.bytes() + " bytes already";
            }
            Charge[] charges = survey.charges(memo == null ? NEW_MEMO : memo.name);
            int tier = state.limit.tier(charges, round.label, entries, now);
            if (tier < 0) {
                return state.limit.objectionToAll(charges, round.label, entries, now);
            }
            Survey.Asked asked = survey.asked(round.seed, identity.device, tier);
            if (remembers && memo == null) {
                memo = state.memos.draw(survey.fingerprint, identity.device, count, state.random);
            }
            Charge charge = survey.charges(memo == null ? null : memo.name)[tier];
            state.ledger.charge(now, name, round, charge, namesOf(survey, asked));
            long[] words = memo == null ? null : memo.words;
            byte[] report = survey.report(identity.device, tier, answers, asked, state.random, words);
            state.outbox.add(name, round.label, report, now);
            return null;
        }
    }

    private static List<String> namesOf(Survey survey, Survey.Asked asked) {
        List<String> names = new ArrayList<>();
        for (int attribute : asked.attributes) {
            if (names.size() == MOST_TOLD) {
                names.add("and " + (asked.attributes.length - MOST_TOLD) + " more");
                break;
            }
            names.add(survey.attributes.get(attribute).name);
        }
        return names;
    }
}
