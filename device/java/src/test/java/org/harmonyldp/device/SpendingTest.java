package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The order of spending: charged before it is drawn, stored before it is sent, never a second time. */
class SpendingTest extends DeviceRoom {
    /** An end that no code of the device catches. */
    private static final class Crash extends Error { private static final long serialVersionUID = 1L; }

    private int steps;
    private int crashAt = Integer.MAX_VALUE;

    private void step() {
        if (steps++ == crashAt) {
            throw new Crash();
        }
    }

    /** A device that may crash before any request, after it, and before and after it draws. */
    private Device crashing() {
        SystemRandom system = new SystemRandom();
        RandomBytes random = count -> {
            step();
            byte[] drawn = system.next(count);
            step();
            return drawn;
        };
        Transport transport = new Transport() {
            @Override
            public Reply request(String method, String path, Map<String, String> headers, byte[] body)
                    throws IOException {
                step();
                Reply reply = server.request(method, path, headers, body);
                step();
                return reply;
            }
        };
        return builder().random(random).transport(transport).build();
    }

    @Test
    void epsilonIsChargedBeforeTheDrawAndTheReportStoredBeforeItIsSent() throws Exception {
        SystemRandom system = new SystemRandom();
        RandomBytes random = count -> {
            try {
                assertEquals(Arrays.asList("answered"), ledgerEvents());
                assertTrue(Folder.files(directory.resolve("outbox")).isEmpty());
            } catch (IOException | Refused error) {
                throw new AssertionError(error);
            }
            return system.next(count);
        };
        server.passNext(3);
        server.faults.add((method, path) -> {
            assertEquals("POST /v1/surveys/small/reports", method + " " + path);
            assertEquals(Arrays.asList(Outbox.fileOf("small", "1")), Folder.files(directory.resolve("outbox")));
            return null;
        });
        assertEquals(1, builder().random(random).build().answer(Samples.values()).getAccepted().size());
        assertEquals(Arrays.asList("answered", "accepted"), ledgerEvents());
    }

    private void story() throws IOException {
        crashing().answer(Samples.values());
        server.open("small", "2");
        crashing().answer(Samples.values());
        crashing().forget();
    }

    @Test
    void aCrashAtAnyStepIsSurvived() throws Exception {
        boolean crashed = true;
        for (crashAt = 0; crashed; crashAt++) {
            startFromNothing();
            server.train(Samples.step());
            directory = temporary.resolve("crash" + crashAt);
            steps = 0;
            crashed = false;
            try {
                story();
            } catch (Crash crash) {
                crashed = true;
            }
            steps = Integer.MIN_VALUE;
            device().rejoin();
            answer();
            clock.now += Times.DAY;
            answer();
            Set<String> rounds = new HashSet<>();
            for (Entry entry : device().ledger()) {
                assertTrue(rounds.add(entry.getSurvey() + " " + entry.getRound()));
            }
            Set<String> reported = new HashSet<>();
            for (String report : new HashSet<>(server.seen)) {
                String round = report.substring(0, report.lastIndexOf(' '));
                assertTrue(reported.add(round), "two reports for " + round);
                assertTrue(rounds.contains(round), "no charge for " + round);
            }
            assertTrue(rounds.size() - reported.size() <= 1, "more than one report is lost");
            assertEquals(0, device().send().getWaiting());
        }
        assertTrue(crashAt > 20, crashAt + " steps");
    }
}
