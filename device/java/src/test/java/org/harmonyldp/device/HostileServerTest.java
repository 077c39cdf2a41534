package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A server that sends anything at all: a defined result, and nothing is spent on what was not proved. */
class HostileServerTest extends DeviceRoom {
    @Test
    void everyRefusedDocumentIsSkippedWithItsField() throws Exception {
        Vectors refused = VectorsTest.of("refused");
        int place = 0;
        for (Object one : (List<?>) refused.file.get("refused")) {
            startFromNothing();
            directory = temporary.resolve("refused" + place++);
            @SuppressWarnings("unchecked")
            Map<String, Object> document = new LinkedHashMap<>((Map<String, Object>) Vectors.get(one, "survey"));
            server.documents.put("small", JsonText.bytes(document));
            Visit visit = answer();
            String why = visit.getSkipped().get("small");
            assertNotNull(why, Vectors.text(one, "why"));
            assertTrue(why.contains(Vectors.text(one, "field")), why);
            assertEquals(0, server.seen.size());
            assertEquals(0, device().ledger().size());
        }
        assertTrue(place > 80);
    }

    @Test
    void aDocumentOfAnotherFingerprintNameOrEpsilonIsSkipped() throws Exception {
        Map<String, Object> other = Samples.survey("other");
        server.faults.clear();
        server.passNext(2);
        server.faults.add((method, path) -> new Reply(200, Collections.emptyMap(), JsonText.bytes(other)));
        assertEquals("the document does not have the listed fingerprint", answer().getSkipped().get("small"));
        server.documents.put("small", JsonText.bytes(other));
        assertEquals("'name' is not the name under which the survey is listed", answer().getSkipped().get("small"));
        server.publish(Samples.survey("small"), "1");
        server.epsilons.put("small", 0.5);
        assertEquals(
                "'epsilon' is not the epsilon with which the survey is listed", answer().getSkipped().get("small"));
        assertEquals(0, device().ledger().size());
    }

    @Test
    void aLargerDocumentIsTakenIfTheAppAllowsIt() {
        Map<String, Object> large = Samples.survey("small");
        large.put("padding", new String(new char[2 << 20]).replace('\0', 'x'));
        server.publish(large, "1");
        assertEquals("the document has more than 1048576 bytes", answer().getSkipped().get("small"));
        assertEquals(1, builder().mostDocumentBytes(4 << 20).build().answer(Samples.values()).getAnswered().size());
    }

    @Test
    void listsThatAreNoListsAreTrouble() {
        for (String list : new String[] {
                     "", "[]", "7", "{}", "{\"surveys\": 7}", "{\"protocol\": 2, \"surveys\": []}", "nonsense"}) {
            server.list = list.getBytes(StandardCharsets.UTF_8);
            assertTrue(answer().getTrouble().startsWith("the list of surveys"), list);
            clock.now += Times.DAY;
        }
    }

    @Test
    void anEnrolmentThatCannotBeUsedIsTrouble() throws Exception {
        for (String body : new String[] {"", "{}", "[]", "{\"device\": \"00\", \"credential\": \"x\"}",
                     "{\"device\": \"00000000000000000000000000000001\", \"credential\": \"a b\"}",
                     "{\"device\": \"00000000000000000000000000000001\", \"credential\": \"a\\r\\nCookie: x\"}",
                     "{\"device\": \"00000000000000000000000000000001\", \"credential\": \"\"}",
                     "{\"device\": \"0000000000000000 000000000000001\", \"credential\": \"x\"}"}) {
            server.faults.add(
                    (method, path) -> new Reply(201, Collections.emptyMap(), body.getBytes(StandardCharsets.UTF_8)));
            assertTrue(answer().getTrouble().startsWith("enrolment: "), body);
            clock.now += Times.DAY;
        }
        assertEquals(null, device().status().getDevice());
    }

    @Test
    void randomRepliesNeverThrowAndNeverSpendUnproved() throws Exception {
        Random random = new Random(16);
        for (int visit = 0; visit < 400; visit++) {
            for (int request = 0; request < 6; request++) {
                server.faults.add((method, path) -> {
                    if (random.nextInt(4) == 0) {
                        return null;
                    }
                    byte[] body = new byte[random.nextInt(300)];
                    random.nextBytes(body);
                    if (random.nextBoolean()) {
                        byte[] honest = server.answer(method, path, "").getBody();
                        body = honest.length == 0 ? body : honest.clone();
                        body[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    int[] statuses = {200, 201, 204, 301, 404, 500, -1, 999};
                    return new Reply(statuses[random.nextInt(statuses.length)],
                            Collections.singletonMap("Retry-After", "-" + visitText(random)), body);
                });
            }
            Visit said = answer();
            assertTrue(said.toString().startsWith("<Visit"));
            clock.now += Times.DAY;
            server.faults.clear();
        }
        assertTrue(device().ledger().size() <= 1);
    }

    private static String visitText(Random random) {
        return Integer.toString(random.nextInt());
    }
}
