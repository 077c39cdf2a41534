package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a device does at an honest server. */
class DeviceTest extends DeviceRoom {
    @Test
    void itEnrolsAnswersAndSends() throws Exception {
        Visit visit = answer();
        assertNull(visit.getTrouble(), visit.toString());
        assertEquals("[small 1]", visit.getAnswered().toString());
        assertEquals("[small 1]", visit.getAccepted().toString());
        assertEquals(0, visit.getWaiting());
        assertEquals(Arrays.asList("POST /v1/devices", "GET /v1/surveys", "GET /v1/surveys/small",
                             "POST /v1/surveys/small/reports"),
                server.requests);
        Entry entry = device().ledger().get(0);
        assertEquals("accepted", entry.getState());
        assertEquals(1.0, entry.getEpsilon());
        assertEquals(1, entry.getAsked().size());
        assertEquals(18 * 2, server.seen.get(0).split(" ")[2].length());
        Status status = device().status();
        assertEquals(1.0, status.getSpentIn30Days());
        assertEquals("https://stats.example", status.getServer());
    }

    @Test
    void aRoundIsAnsweredOnceForEver() throws Exception {
        answer();
        clock.now += 400 * Times.DAY;
        assertEquals(0, answer().getAnswered().size());
        assertEquals(1, server.seen.size());
        server.open("small", "2");
        assertEquals(1, answer().getAnswered().size());
        assertEquals(2, device().ledger().size());
        assertEquals(1, server.requests.stream().filter("GET /v1/surveys/small" ::equals).count());
    }

    @Test
    void everyRequestSaysTheProtocol() {
        answer();
        for (Map<String, String> headers : server.headers) {
            assertEquals("1", headers.get("Harmony-Protocol"));
        }
    }

    @Test
    void aListOfAnotherProtocolIsLeft() {
        server.protocol = 2.0;
        Visit visit = answer();
        assertTrue(visit.getTrouble().contains("protocol"), visit.toString());
        assertEquals(0, server.seen.size());
    }

    @Test
    void whatTheRecordLacksIsSkippedAndSaid() {
        Map<String, Kind> record = Samples.record();
        record.remove("wifi");
        Visit visit = builder("https://stats.example", record).build().answer(Samples.values());
        assertEquals("asks for 'wifi' (boolean), which is not in this app's record", visit.getSkipped().get("small"));
        assertTrue(visit.toString().contains("skipped small: asks for 'wifi'"), visit.toString());
        assertTrue(visit.getWarnings().contains("values: 'wifi' is not in the record"));
    }

    @Test
    void aMisspeltNameWarns() {
        Map<String, Object> values = Samples.values();
        values.put("batery", values.remove("battery"));
        Visit visit = device().answer(values);
        assertEquals(1, visit.getAnswered().size());
        assertTrue(visit.getWarnings().contains("values: 'batery' is not in the record; did you mean 'battery'?"));
        assertTrue(visit.getWarnings().contains("battery: no value, or none that is a number"));
    }

    @Test
    void aFunctionThatThrowsHasNoValue() {
        Visit visit = device().answer(name -> { throw new IllegalStateException("secret " + name); });
        assertEquals(1, visit.getAnswered().size());
        assertEquals(3, visit.getWarnings().size());
        assertTrue(visit.getWarnings().stream().noneMatch(one -> one.contains("secret")));
    }

    @Test
    void onlyReviewedDocumentsAreAnswered() {
        server.train(Samples.step());
        String fingerprint = Sha256.hex(server.documents.get("small"));
        Visit visit = builder().surveys(Collections.singletonMap("small", "ab")).build().answer(Samples.values());
        assertEquals(2, visit.getSkipped().size());
        assertEquals(0, server.seen.size());
        visit = builder().surveys(Collections.singletonMap("small", fingerprint)).build().answer(Samples.values());
        assertEquals("[small 1]", visit.getAnswered().toString());
        assertTrue(visit.getSkipped().get("charging").startsWith("not among the documents"));
    }

    @Test
    void lateEnrolmentWaitsForTheNextRound() {
        server.enrolledBefore = "2026-11-01T00:00:00Z";
        assertEquals("this device enrolled after the round opened", answer().getSkipped().get("small"));
        server.enrolledBefore = "2026-11-01T00:00:01Z";
        assertEquals(1, answer().getAnswered().size());
    }

    @Test
    void theLimitChoosesAndIsSaid() {
        Visit visit = builder().epsilonLimit(EpsilonLimit.per30Days(4).perReport(0.5)).build().answer(Samples.values());
        assertEquals("per_report: 0.0 spent and 1.0 asked, the limit is 0.5", visit.getSkipped().get("small"));
        server.publish(Samples.survey("other"), "1");
        visit = builder().epsilonLimit(EpsilonLimit.per30Days(4).perRound(1)).build().answer(Samples.values());
        assertEquals(1, visit.getAnswered().size());
        assertTrue(visit.getSkipped().get("other").startsWith("per_round"));
    }

    @Test
    void enrolmentGivesItsKey() {
        server.faults.add((method, path) -> {
            assertEquals("{\"key\": \"k\\\"\\u00f6\"}", server.lastBody);
            return null;
        });
        assertEquals(1, builder().key("k\"ö").build().answer(Samples.values()).getAnswered().size());
    }

    @Test
    void theCredentialIsRenewedOnceInThirtyDays() throws Exception {
        answer();
        server.requests.clear();
        clock.now += 29 * Times.DAY;
        answer();
        assertEquals(Arrays.asList("GET /v1/surveys"), server.requests);
        clock.now += 2 * Times.DAY;
        answer();
        answer();
        assertEquals(1, server.requests.stream().filter("POST /v1/devices/me" ::equals).count());
    }

    @Test
    void aRenewalForAnotherDeviceIsUnusable() throws Exception {
        answer();
        clock.now += 31 * Times.DAY;
        String body = "{\"device\": \"" + String.format("%032x", 99) + "\", \"credential\": \"x\"}";
        server.faults.add((method, path) -> new Reply(200, Collections.emptyMap(), body.getBytes()));
        assertEquals("renewal: the answer is for another device", answer().getTrouble());
        assertEquals(String.format("%032x", 1), device().status().getDevice());
    }

    @Test
    void aDirectoryBelongsToOneServer() {
        answer();
        Visit visit = builder("https://other.example/", Samples.record()).build().answer(Samples.values());
        assertTrue(visit.getTrouble().contains("belongs to a device of https://stats.example"), visit.toString());
    }

    @Test
    void filesAreTheOwnersAlone() throws Exception {
        server.loseNextRequest();
        answer();
        clock.now += 60;
        server.passNext(3);
        server.loseNextRequest();
        answer();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
        for (String file : Folder.files(directory)) {
            Path path = directory.resolve(file);
            String expected = Files.isDirectory(path) ? "rwx------" : "rw-------";
            assertEquals(expected, PosixFilePermissions.toString(Files.getPosixFilePermissions(path)), file);
        }
        for (String file : files()) {
            String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(file)));
            assertEquals("rw-------", permissions, file);
        }
    }

    @Test
    void toStringHidesTheCredential() throws Exception {
        answer();
        Identity identity = new IdentityFile(directory).read();
        assertTrue(!identity.toString().contains("secret"));
    }

    @Test
    void whatIsMissingInTheBuilderIsSaid() {
        DeviceBuilder empty = Device.builder("https://stats.example", directory);
        assertTrue(
                assertThrows(IllegalStateException.class, empty::build).getMessage().contains("'record' is missing"));
        empty.record(new HashMap<>());
        assertTrue(
                assertThrows(IllegalStateException.class, empty::build).getMessage().contains("'consent' is missing"));
        empty.consent(true);
        assertTrue(assertThrows(IllegalStateException.class, empty::build)
                           .getMessage()
                           .contains("'epsilonLimit' is missing"));
        empty.epsilonLimit(1).build();
        assertThrows(IllegalArgumentException.class, () -> EpsilonLimit.per30Days(-1));
        assertThrows(IllegalArgumentException.class, () -> EpsilonLimit.per30Days(Double.NaN));
    }
}
