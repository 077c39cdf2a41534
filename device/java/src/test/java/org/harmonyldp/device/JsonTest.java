package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** JSON is read strictly, and bounded before it is read. */
class JsonTest {
    private static Object read(String text) throws Refused {
        return Json.read(text.getBytes(StandardCharsets.UTF_8), Json.MOST_BYTES);
    }

    private static String times(String text, int count) {
        StringBuilder repeated = new StringBuilder();
        for (int time = 0; time < count; time++) {
            repeated.append(text);
        }
        return repeated.toString();
    }

    @Test
    void valuesAreReadAsTheyAre() throws Refused {
        assertEquals(Arrays.asList(1.0, -0.5, 1e21, true, false, null, "a\"\\/\b\f\n\r\tß😀"),
                read(" [1, -5e-1, 1E+21, true, false, null, \"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00df\\ud83d\\ude00\"] "));
        assertEquals(2.0, ((Map<?, ?>) read("{\"a\": 1, \"a\": 2}")).get("a"));
        assertEquals(Double.POSITIVE_INFINITY, read("1e999"));
        assertEquals(9007199254740993.0, read("9007199254740993"));
        assertEquals(0.1, read("0.1000000000000000055511151231257827"));
        assertEquals("-0.0", read("-0").toString());
    }

    @Test
    void numbersAreThoseOfThePlatform() throws Refused {
        Random random = new Random(7);
        for (int count = 0; count < 20_000; count++) {
            double number = Double.longBitsToDouble(random.nextLong());
            if (!Double.isNaN(number) && !Double.isInfinite(number)) {
                assertEquals(number, read(Double.toString(number)));
            }
            long integer = random.nextLong() >> random.nextInt(64);
            assertEquals((double) integer, read(Long.toString(integer)));
        }
    }

    @Test
    void whatIsNotJsonIsRefused() {
        List<String> texts = Arrays.asList("", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
                "{a:1}", "01", "1.", ".5", "+1", "-", "1e", "1e+", "--1", "0x1", "1d", "NaN", "-Infinity", "Infinity",
                "nul", "tru", "True", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u+123\"", "\"\\u12", "\"\n\"",
                "\"\u0001\"", "1 2", "[] []", "//", "\uFEFF{}", "\u00a01", "[1\u000b]", "nullx");
        for (String text : texts) {
            assertThrows(Refused.class, () -> read(text), text);
        }
        for (byte[] bytes : new byte[][] {{'"', (byte) 0xff, '"'}, {'"', (byte) 0xc0, (byte) 0x80, '"'},
                     {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}}) {
            assertThrows(Refused.class, () -> Json.read(bytes, 100));
        }
    }

    @Test
    void boundsComeFirst() throws Refused {
        assertThrows(Refused.class, () -> Json.read("[1]".getBytes(StandardCharsets.UTF_8), 2));
        read(times("[", 16) + times("]", 16));
        read(times("{\"a\":", 16) + "1" + times("}", 16));
        assertThrows(Refused.class, () -> read(times("[", 30_000) + times("]", 30_000)));
        assertThrows(Refused.class, () -> read("[" + times("[],", 65_536) + "1]"));
        assertThrows(Refused.class, () -> read(times("9", 401)));
        assertEquals(Double.POSITIVE_INFINITY, read(times("9", 400)));
    }

    @Test
    void whatIsWrittenIsReadAgain() throws Refused {
        String text =
                "{\"a\": [1.5, true, null, \"\\\"\\\\\\u0000\\u007f\\u20ac\\ud83d\\ude00\"], \"b\": {}, \"c\": []}";
        assertEquals(text, JsonText.of(read(text)));
    }

    @Test
    void aHostileDocumentIsRefusedAtOnce() throws Refused {
        String counts = times("1,", 500_000);
        String document = "{\"format\": \"harmony-survey/1\", \"name\": \"x\", \"epsilon\": 1, \"answers\": 1, "
                + "\"attributes\": [{}], \"tables\": [{\"kind\": \"circulant\", \"counts\": [" + counts + "1]}]}";
        double leastMillis = Double.MAX_VALUE;
        for (int time = 0; time < 20; time++) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            assertThrows(Refused.class, () -> SurveyReader.read(read(document), ""));
            leastMillis = Math.min(
                    leastMillis, (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) / 1e6);
        }
        System.out.println("a hostile mebibyte is refused in " + Math.round(leastMillis) + " ms of processor time");
        assertTrue(leastMillis < 100, leastMillis + " ms");
    }
}
