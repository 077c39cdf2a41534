package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether, when and how much a device sends is the same for all people with the same record. */
class SilenceTest extends DeviceRoom {
    private static final int PEOPLE = 300;
    private static final Object[] WRONG = {null, Double.NaN, Double.POSITIVE_INFINITY, "", "71", "true", true, false, 0,
            -0.0, 1, 1.0f, 0.5, 1L << 53, new BigInteger("123456789012345678901234567890"), new BigDecimal("1e400"), -1,
            new byte[] {1}, new ArrayList<>(), new HashMap<>(), new Object(), 'c', "fl", "flu ", "FLU", "\ud800"};

    private final List<Integer> drawn = new ArrayList<>();

    private static Map<String, Object> isOne(String name, String attribute, Object one, Object other) {
        Map<String, Object> mechanism = new LinkedHashMap<>();
        mechanism.put("code", "linear");
        mechanism.put("base", 2);
        mechanism.put("digits", 1);
        mechanism.put("multipliers", Arrays.asList(1));
        mechanism.put("table", 0);
        Map<String, Object> asked = new LinkedHashMap<>();
        asked.put("name", attribute);
        asked.put("kind", "categorical");
        asked.put("values", Arrays.asList(one, other));
        asked.put("coin", 1);
        asked.put("mechanisms", Arrays.asList(mechanism));
        Map<String, Object> table = new LinkedHashMap<>();
        table.put("kind", "circulant");
        table.put("counts", Arrays.asList((1L << 52) + 1, (1L << 52) - 1));
        Map<String, Object> survey = new LinkedHashMap<>();
        survey.put("format", "harmony-survey/1");
        survey.put("name", name);
        survey.put("epsilon", 1e-4);
        survey.put("answers", 1);
        survey.put("attributes", Arrays.asList(asked));
        survey.put("tables", Arrays.asList(table));
        return survey;
    }

    @BeforeEach
    void aServerThatAsksForOneValueAtATime() {
        String[] themes = {"light", "dark", "flu"};
        for (int place = 0; place < themes.length; place++) {
            server.publish(isOne("theme-" + place, "theme", themes[place], "no such thing"), "1");
        }
        server.publish(isOne("age-33", "age", 33, -1), "1");
        server.publish(isOne("wifi", "wifi", false, true), "1");
        server.publish(isOne("wrong-type", "age", "33", "34"), "1");
        server.publish(isOne("outside", "neighbour", 1, 2), "1");
        server.train(Samples.step());
    }

    private Map<String, Object> someone(Random random) {
        Map<String, Object> values = Samples.values();
        values.put("theme", "dark");
        values.put("charging", random.nextBoolean());
        for (String name : new ArrayList<>(values.keySet())) {
            if (random.nextInt(10) < 5) {
                values.put(name, WRONG[random.nextInt(WRONG.length)]);
            } else if (random.nextInt(10) < 2) {
                values.remove(name);
            }
        }
        return values;
    }

    /** All that can be seen of a visit, but the symbols. */
    private String trace(Map<String, Object> values, int person) throws Exception {
        startFromNothing();
        aServerThatAsksForOneValueAtATime();
        directory = temporary.resolve("person" + person);
        drawn.clear();
        SystemRandom system = new SystemRandom();
        Visit visit = builder()
                              .random(count -> {
                                  drawn.add(count);
                                  return system.next(count);
                              })
                              .build()
                              .answer(values);
        StringBuilder trace = new StringBuilder();
        trace.append(server.requests).append(drawn).append(visit.getAnswered()).append(visit.getAccepted());
        trace.append(visit.getSkipped()).append(visit.getTrouble()).append(ledgerEvents());
        for (String report : server.seen) {
            trace.append(report, 0, report.length() - 2).append(report.length());
        }
        return trace.toString();
    }

    @Test
    void everybodyWithTheSameRecordIsSeenToDoTheSame() throws Exception {
        Random random = new Random(15);
        String expected = trace(Samples.values(), 0);
        for (int person = 1; person < PEOPLE; person++) {
            assertEquals(expected, trace(someone(random), person));
        }
        assertEquals(expected, trace(Collections.emptyMap(), PEOPLE));
        assertEquals(7, server.seen.size());
    }
}
