package org.harmonyldp.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Spends epsilon on one report.
 *
 * <p>The order of {@link #spend} is the privacy argument. Under the directory's lock: the round is looked up in the
 * ledger (never twice), the owner's limits are asked (never too much), the epsilon is charged durably, only then is the
 * report drawn, and it is on disk before it is sent. A crash between any two steps can only lose a report that was
 * charged.
 */
final class Spending {
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
            if (!state.outbox.hasRoom(name, round.label, survey.reportBytes())) {
                return state.mostWaitingBytes + " bytes of reports are waiting already";
            }
            int tier = state.limit.tier(survey.epsilons, round.label, entries, now);
            if (tier < 0) {
                return state.limit.objection(survey.leastEpsilon(), round.label, entries, now);
            }
            Survey.Asked asked = survey.asked(round.seed, identity.device, tier);
            state.ledger.charge(now, name, round.label, survey.epsilons[tier], namesOf(survey, asked));
            byte[] report = survey.report(identity.device, tier, answers, asked, state.random);
            state.outbox.add(name, round.label, report, now);
            return null;
        }
    }

    private static List<String> namesOf(Survey survey, Survey.Asked asked) {
        List<String> names = new ArrayList<>();
        for (int attribute : asked.attributes) {
            names.add(survey.attributes.get(attribute).name);
        }
        return names;
    }
}
