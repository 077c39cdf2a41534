package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** Files that a crash or a hand has damaged: a defined result, and never a second report. */
class DamageTest extends DeviceRoom {
    private void append(String text) throws IOException {
        Files.write(
                directory.resolve("ledger.jsonl"), text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
    }

    @Test
    void aDamagedLedgerStopsAnswering() throws Exception {
        answer();
        append("garbage\n");
        server.open("small", "2");
        Visit visit = answer();
        assertTrue(visit.getTrouble().contains("line 3: damaged"), visit.toString());
        assertEquals(1, server.seen.size());
        assertThrows(LedgerException.class, () -> device().ledger());
    }

    @Test
    void anUnfinishedLineIsCutOff() throws Exception {
        answer();
        append("{\"at\": \"2027-01-");
        server.open("small", "2");
        assertEquals(1, answer().getAnswered().size());
        assertEquals(2, device().ledger().size());
    }

    @Test
    void aLongUnfinishedLineIsCutOff() throws Exception {
        answer();
        StringBuilder lineOfBlanks = new StringBuilder();
        for (int count = 0; count < 20_000; count++) {
            lineOfBlanks.append(' ');
        }
        append(lineOfBlanks.toString());
        server.open("small", "2");
        assertEquals(1, answer().getAnswered().size());
        assertEquals(2, device().ledger().size());
    }

    @Test
    void aLineMayBeLongerThanADocument() throws Exception {
        answer();
        StringBuilder asked = new StringBuilder("\"battery\"");
        while (asked.length() <= Json.MOST_BYTES) {
            asked.append(", \"\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\\u00e4\"");
        }
        append("{\"at\": \"2027-01-15T08:00:00Z\", \"event\": \"answered\", \"survey\": \"large\", \"round\": \"1\", "
                + "\"epsilon\": 1, \"asked\": [" + asked + "]}\n");
        server.open("small", "2");
        assertEquals(1, answer().getAnswered().size());
        assertEquals(3, device().ledger().size());
    }

    @Test
    void aDamagedReportIsDroppedAndItsRoundStaysAnswered() throws Exception {
        server.passNext(3);
        server.loseNextRequest();
        answer();
        Path report = directory.resolve("outbox").resolve(Outbox.fileOf("small", "1"));
        Files.write(report, new byte[] {1, 2, 3});
        clock.now += 60;
        Visit visit = answer();
        assertEquals("dropped: damaged on disk", visit.getDropped().get(new SurveyRound("small", "1")));
        assertEquals(0, server.seen.size());
        assertEquals(1, device().ledger().size());
    }

    @Test
    void aDamagedIdentityEnrolsAgain() throws Exception {
        answer();
        Files.write(directory.resolve("identity.json"), new byte[0]);
        server.open("small", "2");
        assertEquals(1, answer().getAccepted().size());
        assertEquals(2, server.devices.size());
    }

    @Test
    void aDamagedDocumentIsDownloadedAgain() throws Exception {
        answer();
        Path document = directory.resolve("surveys").resolve(Sha256.hex(server.documents.get("small")));
        Files.write(document, new byte[] {'{'});
        server.open("small", "2");
        assertEquals(1, answer().getAccepted().size());
    }

    @Test
    void aDamagedPauseIsNone() throws Exception {
        Files.createDirectories(directory);
        for (String content : new String[] {"", "x y z", "1 nan nan", "-1 9e99 9e99", "1 2"}) {
            Files.write(directory.resolve("backoff.txt"), content.getBytes(StandardCharsets.UTF_8));
            assertEquals(0, Backoff.of(directory).remaining(1.8e9), content);
        }
    }

    @Test
    void aFileInPlaceOfTheDirectoryIsTrouble() throws Exception {
        Files.createDirectories(directory.getParent());
        Files.write(directory, new byte[0]);
        Visit visit = answer();
        assertTrue(visit.getTrouble().startsWith("the directory cannot be used"), visit.toString());
        assertEquals(0, server.requests.size());
    }

    @Test
    void aDirectoryInPlaceOfTheLedgerIsTrouble() throws Exception {
        Files.createDirectories(directory.resolve("ledger.jsonl"));
        Visit visit = answer();
        assertTrue(visit.getTrouble().startsWith("the directory cannot be used"), visit.toString());
        assertEquals(0, server.seen.size());
    }

    @Test
    void filesOfThePythonSdkAreRead() throws Exception {
        Files.createDirectories(directory);
        String identity =
                "{\n \"server\": \"https://stats.example\",\n \"device\": \"000000000000000000000000000000aa\",\n"
                + " \"credential\": \"secretaa\",\n \"renewed\": 1800000000.0,\n \"enrolled\": \"\"\n}\n";
        Files.write(directory.resolve("identity.json"), identity.getBytes(StandardCharsets.UTF_8));
        Files.createFile(directory.resolve("ledger.jsonl"));
        append("{\"at\": \"2027-01-14T08:00:00Z\", \"event\": \"answered\", \"survey\": \"small\", \"round\": \"1\", "
                + "\"epsilon\": 1.0, \"asked\": [\"gr\\u00f6\\u00dfer\"]}\n");
        server.devices.put("000000000000000000000000000000aa", "secretaa");
        assertEquals(0, answer().getAnswered().size());
        assertEquals("größer", device().ledger().get(0).getAsked().get(0));
        server.open("small", "2");
        assertEquals(1, answer().getAccepted().size());
    }
}
