package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
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

    private static Map<String, Object> part(String reads, Object one, Object other) {
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("name", "part");
        part.put("reads", reads);
        part.put("kind", "categorical");
        part.put("values", Arrays.asList(one, other));
        return part;
    }

    /** A survey of one crosstab, of a theme and a number: each part may have no answer. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> isBoth(String name, Map<String, Object> theme, String field, Object content) {
        Map<String, Object> age = new LinkedHashMap<>();
        age.put("name", "age");
        age.put("kind", "numeric");
        age.put("low", 0);
        age.put("high", 120);
        age.put(field, content);
        Map<String, Object> survey = isOne(name, name, 0, 1);
        Map<String, Object> asked = (Map<String, Object>) ((List<?>) survey.get("attributes")).get(0);
        asked.put("kind", "crosstab");
        asked.put("of", Arrays.asList(theme, age));
        ((Map<String, Object>) ((List<?>) asked.get("mechanisms")).get(0)).put("digits", 2);
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
        server.publish(isBoth("theme-age", part("theme", "dark", "no such thing"), "points", 2), "1");
        Map<String, Object> missing = part("theme", "dark", "flu");
        missing.put("missing", "flu");
        server.publish(isBoth("theme-bins", missing, "bins", Arrays.asList(0, 33, 120)), "1");
        server.train(Samples.step());
        server.train(Samples.exploring("begins", "theme", "00", "11", "01"));
        server.train(Samples.exploring("is-it", "theme"));
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

    private String trace(Map<String, ?> values, int person) throws Exception {
        return trace(device -> device.answer(values), person);
    }

    /** All that can be seen of a visit, but the symbols. */
    private String trace(Function<Device, Visit> how, int person) throws Exception {
        startFromNothing();
        aServerThatAsksForOneValueAtATime();
        directory = temporary.resolve("person" + person);
        drawn.clear();
        SystemRandom system = new SystemRandom();
        Visit visit = how.apply(builder()
                                        .random(count -> {
                                            drawn.add(count);
                                            return system.next(count);
                                        })
                                        .build());
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
        assertEquals(11, server.seen.size());
    }

    /** Throws whatever it is given, declared or not, as code in Kotlin may. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Object fail(Throwable error) throws E {
        throw (E) error;
    }

    private static final class BadNumber extends Number {
        private static final long serialVersionUID = 1;

        @Override
        public int intValue() {
            throw new IllegalStateException();
        }

        @Override
        public long longValue() {
            throw new IllegalStateException();
        }

        @Override
        public float floatValue() {
            throw new IllegalStateException();
        }

        @Override
        public double doubleValue() {
            throw new IllegalStateException();
        }
    }

    private static final class BadText implements CharSequence {
        private final String text;

        BadText(String text) {
            this.text = text;
        }

        @Override
        public int length() {
            throw new IllegalStateException();
        }

        @Override
        public char charAt(int place) {
            throw new IllegalStateException();
        }

        @Override
        public CharSequence subSequence(int from, int to) {
            throw new IllegalStateException();
        }

        @Override
        public String toString() {
            if (text == null) {
                return null;
            }
            throw new StackOverflowError(text);
        }
    }

    @Test
    void noValueIsThrownOrSeen() throws Exception {
        String expected = trace(Collections.emptyMap(), 0);
        int person = 1;
        for (Object value : new Object[] {new BadNumber(), new BadText("dark"), new BadText(null),
                     new BigDecimal("1e999999"), new BigInteger(new byte[100_000]), new StringBuilder("dark")}) {
            assertEquals(expected, trace(device -> device.answer(name -> value), person++));
        }
        for (Throwable error : new Throwable[] {new IOException(), new InterruptedException(), new AssertionError(),
                     new StackOverflowError(), new NoClassDefFoundError(), new IllegalStateException()}) {
            assertEquals(expected, trace(device -> device.answer(name -> fail(error)), person++));
        }
    }

    /** A map whose names are of any kind, or cannot be listed. */
    private static Map<String, Object> named(Set<?> names) {
        return new AbstractMap<String, Object>() {
            @Override
            @SuppressWarnings("unchecked")
            public Set<String> keySet() {
                if (names == null) {
                    throw new ConcurrentModificationException();
                }
                return (Set<String>) names;
            }

            @Override
            public Set<Map.Entry<String, Object>> entrySet() {
                throw new UnsupportedOperationException();
            }
        };
    }

    @Test
    void noMapIsThrownOrSeen() throws Exception {
        String expected = trace(Collections.emptyMap(), 0);
        Function<String, Object> none = null;
        Map<String, Object> noMap = null;
        assertEquals(expected, trace(device -> device.answer(none), 1));
        assertEquals(expected, trace(device -> device.answer(noMap), 2));
        assertEquals(expected, trace(named(null), 3));
        assertEquals(expected, trace(named(Collections.singleton(7)), 4));
        assertEquals(expected, trace(named(Collections.singleton(null)), 5));
    }

    @Test
    void onlySoManyNamesAreToldAndNoneAtFullLength() {
        AppRecord record = new AppRecord(Collections.singletonMap("battery", Kind.NUMBER));
        Map<String, Object> values = new LinkedHashMap<>();
        char[] letters = new char[100_000];
        for (int place = 0; place < 23; place++) {
            values.put(place + new String(letters), place);
        }
        List<String> warnings = record.unknown(values);
        assertEquals(21, warnings.size());
        assertEquals("values: 3 more are not in the record", warnings.get(20));
        assertEquals(200 + "values: '' is not in the record".length(), warnings.get(0).length());
        assertEquals(Arrays.asList("values: their names cannot be read"), record.unknown(named(null)));
    }
}
