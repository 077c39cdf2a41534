package org.harmonyldp.device;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Sends the reports that wait, oldest first, and writes down what became of each. */
final class Sending {
    private static final double TOO_OLD = 90 * Times.DAY;

    private final DeviceState state;
    private final Enrolment enrolment;

    Sending(DeviceState state, Enrolment enrolment) {
        this.state = state;
        this.enrolment = enrolment;
    }

    void sendWaiting(Visit visit) throws IOException, ServerTrouble, NoConsent {
        dropDamaged(visit);
        List<Outbox.Waiting> waiting = state.outbox.waiting();
        if (waiting.isEmpty()) {
            return;
        }
        Identity identity = enrolment.identity();
        for (Outbox.Waiting one : waiting) {
            if (!isOf(one.report, identity.device)) {
                settle(one, Ledger.DROPPED + "its identity is lost", visit);
            } else if (state.now() - one.at > TOO_OLD) {
                settle(one, Ledger.DROPPED + "too old", visit);
            } else {
                send(identity, one, visit);
            }
        }
    }

    private static boolean isOf(byte[] report, byte[] device) {
        return report.length >= device.length && Arrays.equals(Arrays.copyOf(report, device.length), device);
    }

    private void send(Identity identity, Outbox.Waiting one, Visit visit) throws IOException, ServerTrouble, NoConsent {
        Reply reply = state.consentedServer().report(identity, one);
        int status = reply.getStatus();
        if (status == 200 || status == 201) {
            settle(one, Ledger.ACCEPTED, visit);
        } else if (Server.never(status) != null) {
            settle(one, Ledger.DROPPED + Server.never(status), visit);
        } else if (status == 404) {
            visit.trouble = "survey '" + one.survey + "': the server does not know it";
        } else {
            throw state.server.trouble(reply, "the report to '" + one.survey + "'");
        }
    }

    /** Writes down what became of a report, then removes it. */
    private void settle(Outbox.Waiting one, String became, Visit visit) throws IOException {
        try (DirectoryLock.Held held = state.lock.hold()) {
            state.ledger.note(state.now(), one.survey, one.round, became);
            state.outbox.remove(one.file);
        }
        SurveyRound round = new SurveyRound(one.survey, one.round);
        if (became.equals(Ledger.ACCEPTED)) {
            visit.accepted.add(round);
        } else {
            visit.dropped.put(round, became);
        }
    }

    private void dropDamaged(Visit visit) throws IOException {
        for (String file : state.outbox.damaged()) {
            for (Entry entry : state.ledger.entries()) {
                Outbox.Waiting lost = new Outbox.Waiting(entry.getSurvey(), entry.getRound(), new byte[0], 0);
                if (lost.file.equals(file)) {
                    settle(lost, Ledger.DROPPED + "damaged on disk", visit);
                }
            }
            state.outbox.remove(file);
        }
    }
}
