package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** What a device does when the server, or the way to it, fails. */
class SendingTest extends DeviceRoom {
    @Test
    void offlineIsNoError() {
        server.loseNextRequest();
        Visit visit = answer();
        assertEquals("no answer to POST /v1/devices: IOException (nobody is there)", visit.getTrouble());
        assertTrue(visit.getNextAttempt().compareTo(Duration.ofSeconds(2)) <= 0);
        assertTrue(visit.getNextAttempt().compareTo(Duration.ofSeconds(1)) >= 0);
        assertEquals("the server is left alone for a while", answer().getTrouble());
        clock.now += 2;
        assertNull(answer().getTrouble());
    }

    @Test
    void offlineForARoundLosesNothingThatWasPaid() throws Exception {
        answer();
        server.open("small", "2");
        server.passNext(1);
        server.loseNextRequest();
        Visit visit = answer();
        assertEquals(1, visit.getWaiting());
        server.open("small", "3");
        clock.now += Times.DAY;
        server.answerNext(410);
        visit = answer();
        assertEquals("dropped: closed", visit.getDropped().get(new SurveyRound("small", "2")));
        assertEquals("[small 3]", visit.getAccepted().toString());
        assertEquals(3, device().ledger().size());
    }

    @Test
    void aLostReplyIsSentAgainAsTheSameBytes() {
        server.passNext(3);
        server.faults.add((method, path) -> {
            server.answer(method, path, server.headers.get(server.headers.size() - 1).get("Authorization"));
            throw new IOException("lost");
        });
        assertEquals(1, answer().getWaiting());
        clock.now += 60;
        assertEquals("[small 1]", device().send().getAccepted().toString());
        assertEquals(2, server.seen.size());
        assertEquals(1, new HashSet<>(server.seen).size());
    }

    @Test
    void somePermanentRefusalsDropAReport() throws Exception {
        int[] statuses = {403, 409, 410, 413, 422};
        for (int place = 0; place < statuses.length; place++) {
            server.open("small", "r" + place);
            server.passNext(place == 0 ? 3 : 1);
            server.answerNext(statuses[place]);
            assertEquals(1, answer().getDropped().size(), "status " + statuses[place]);
        }
        assertEquals(0, device().status().getReportsWaiting());
        assertEquals(5, device().ledger().size());
    }

    @Test
    void otherRefusalsKeepAReport() throws Exception {
        server.passNext(3);
        server.answerNext(503);
        answer();
        int[] statuses = {401, 404, 408, 429, 500, 503, 302, 418};
        for (int status : statuses) {
            clock.now += Times.DAY;
            server.answerNext(status);
            Visit visit = device().send();
            assertEquals(1, visit.getWaiting(), "status " + status);
            assertTrue(visit.getTrouble() != null);
        }
        clock.now += Times.DAY;
        assertEquals("[small 1]", device().send().getAccepted().toString());
        assertEquals(1, new HashSet<>(server.seen).size());
    }

    @Test
    void anOldReportIsGivenUp() throws Exception {
        server.passNext(3);
        server.loseNextRequest();
        answer();
        clock.now += 91 * Times.DAY;
        server.faults.clear();
        assertEquals("dropped: too old", device().send().getDropped().get(new SurveyRound("small", "1")));
    }

    @Test
    void aReportOfALostIdentityIsDropped() throws Exception {
        server.passNext(3);
        server.loseNextRequest();
        answer();
        Files.delete(directory.resolve("identity.json"));
        clock.now += 60;
        assertEquals("dropped: its identity is lost", answer().getDropped().get(new SurveyRound("small", "1")));
        assertEquals(0, server.seen.size());
    }

    @Test
    void pausesDoubleToAnHourAndEndWithSuccess() throws Exception {
        double longest = 2;
        for (int failure = 0; failure < 15; failure++) {
            server.answerNext(500);
            double pause = answer().nextAttempt;
            assertTrue(pause <= longest && pause >= longest / 2, failure + ": " + pause);
            longest = Math.min(3600, longest * 2);
            clock.now += pause + 0.001; // a clock of milliseconds
        }
        assertNull(answer().getTrouble());
        assertEquals(Duration.ZERO, device().status().getPause());
    }

    @Test
    void retryAfterIsHeededUpToADay() {
        server.answerNext(503, "Retry-After", "7200");
        assertEquals(Duration.ofSeconds(7200), answer().getNextAttempt());
        clock.now += 7200;
        server.answerNext(503, "Retry-After", "99999999999999");
        assertEquals(Duration.ofDays(1), answer().getNextAttempt());
        clock.now += Times.DAY;
        server.answerNext(429, "Retry-After", "Sun, 06 Nov 2044 08:49:37 GMT", "Date", "Sun, 06 Nov 2044 07:49:37 GMT");
        assertEquals(Duration.ofHours(1), answer().getNextAttempt());
        clock.now += 3600;
        server.answerNext(429, "Retry-After", "soon");
        assertTrue(answer().getNextAttempt().compareTo(Duration.ofSeconds(20)) < 0);
    }

    @Test
    void aClockThatIsSetBackDoesNotProlongAPause() {
        server.answerNext(503, "Retry-After", "3600");
        answer();
        clock.now -= 1000 * Times.DAY;
        assertEquals(Duration.ofSeconds(3600), answer().getNextAttempt());
    }

    @Test
    void patienceWaitsForAnotherAttempt() {
        server.answerNext(503, "Retry-After", "30");
        Visit visit = device().answer(Samples.values(), Duration.ofSeconds(60));
        assertNull(visit.getTrouble());
        assertEquals(30, clock.slept);
        assertEquals(1, visit.getAccepted().size());
    }

    @Test
    void anInterruptedWorkerStopsWaitingAndStaysInterrupted() {
        server.answerNext(503, "Retry-After", "30");
        Device device = builder().sleeper(seconds -> { throw new InterruptedException(); }).build();
        Visit visit = device.answer(Samples.values(), Duration.ofSeconds(60));
        assertTrue(Thread.interrupted());
        assertEquals(1, server.requests.size());
        assertTrue(visit.getTrouble() != null);
    }

    @Test
    void anInterruptedThreadStillWritesWhole() throws Exception {
        Thread.currentThread().interrupt();
        Visit visit = answer();
        assertTrue(Thread.interrupted());
        assertEquals(1, visit.getAccepted().size(), visit.toString());
        assertEquals(1, device().ledger().size());
    }

    @Test
    void aFullOutboxSpendsNothing() throws Exception {
        server.passNext(3);
        server.loseNextRequest();
        answer();
        clock.now += 60;
        server.publish(Samples.survey("other"), "1");
        server.faults.clear();
        server.answerNext(404);
        Visit visit = builder().mostWaitingBytes(200).build().answer(Samples.values());
        assertEquals("200 bytes of reports are waiting already", visit.getSkipped().get("other"));
        assertEquals(1, device().ledger().size());
    }

    @Test
    void aTransportThatThrowsAnythingIsTrouble() {
        server.faults.add((method, path) -> { throw new SecurityException("no permission"); });
        assertEquals("no answer to POST /v1/devices: SecurityException", answer().getTrouble());
    }
}
