package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Without consent nothing is sent but a deletion, and nothing is kept but the ledger. */
class ConsentTest extends DeviceRoom {
    @Test
    void withoutConsentNothingIsWrittenOrSent() {
        Visit visit = builder().consent(false).build().answer(Samples.values());
        assertEquals("consent is not given", visit.getTrouble());
        assertFalse(Files.exists(directory));
        assertEquals(0, server.requests.size());
    }

    @Test
    void consentThatEndsErasesHereAndThere() throws Exception {
        AtomicBoolean consent = new AtomicBoolean(true);
        Device device = builder().consent(consent::get).build();
        server.passNext(3);
        server.answerNext(404);
        device.answer(Samples.values());
        assertEquals(1, device.status().getReportsWaiting());
        consent.set(false);
        server.requests.clear();
        assertEquals("consent is not given", device.answer(Samples.values()).getTrouble());
        assertEquals(Arrays.asList("DELETE /v1/devices/me"), server.requests);
        assertEquals(Arrays.asList("ledger.jsonl"), files());
        assertTrue(server.devices.isEmpty());
        consent.set(true);
        device.answer(Samples.values());
        assertEquals(1, device.ledger().size());
        assertEquals(0, server.seen.size());
    }

    @Test
    void consentIsAskedBeforeEveryRequest() {
        AtomicInteger asked = new AtomicInteger();
        Device device = builder().consent(() -> asked.incrementAndGet() < 4).build();
        assertEquals("consent is not given", device.answer(Samples.values()).getTrouble());
        assertTrue(server.requests.size() < 4);
        assertEquals(0, server.seen.size());
    }

    @Test
    void forgetIsRepeatedUntilTheServerConfirms() throws Exception {
        answer();
        server.answerNext(503);
        assertFalse(device().forget());
        assertEquals(Arrays.asList("ledger.jsonl", "withdrawal.json"), files());
        server.loseNextRequest();
        assertFalse(device().forget());
        assertTrue(device().forget());
        assertTrue(server.devices.isEmpty());
        assertEquals(1, device().ledger().size());
        assertEquals(Arrays.asList("answered", "accepted", "forgotten"), ledgerEvents());
    }

    @Test
    void theForgottenStayForgottenUntilTheyRejoin() throws Exception {
        answer();
        device().forget();
        server.requests.clear();
        assertEquals("consent is not given", answer().getTrouble());
        assertEquals(0, server.requests.size());
        assertTrue(device().status().isWithdrawn());
        device().rejoin();
        Visit visit = answer();
        assertEquals(0, visit.getAnswered().size());
        assertEquals(1, device().ledger().size());
        server.open("small", "2");
        assertEquals(1, answer().getAnswered().size());
    }

    @Test
    void aDeletionThatIsUnauthorizedIsGivenUpAfterNinetyDays() throws Exception {
        answer();
        server.devices.clear();
        assertFalse(device().forget());
        clock.now += 91 * Times.DAY;
        assertTrue(device().forget());
        assertEquals(Arrays.asList("ledger.jsonl", "withdrawal.json"), files());
        device().rejoin();
        assertEquals(Arrays.asList("ledger.jsonl"), files());
    }

    @Test
    void aDamagedWithdrawalSendsNothing() throws Exception {
        answer();
        Files.write(directory.resolve("withdrawal.json"), new byte[] {'{'});
        server.requests.clear();
        assertEquals("consent is not given", answer().getTrouble());
        assertEquals(Arrays.asList("DELETE /v1/devices/me"), server.requests);
    }

    @Test
    void consentThatEndsInMidVisitSpendsNothing() throws IOException {
        AtomicBoolean consent = new AtomicBoolean(true);
        Device device = builder().consent(consent::get).build();
        Visit visit = device.answer(name -> {
            consent.set(false);
            return 1;
        });
        assertEquals("consent is not given", visit.getTrouble());
        assertEquals(0, device.ledger().size());
    }
}
