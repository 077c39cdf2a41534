package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One file of device/vectors: its cases, and those of them that failed. */
abstract class Vectors {
    static final int MOST_BYTES = 1 << 26;

    final List<String> failures = new ArrayList<>();
    int cases;
    final Map<?, ?> file;

    Vectors(String name) throws IOException, Refused {
        Path path = Paths.get(System.getProperty("harmony.vectors"), name + ".json");
        file = (Map<?, ?>) Json.read(Files.readAllBytes(path), MOST_BYTES);
    }

    /** Runs every case. */
    abstract void run() throws Refused;

    void expect(String what, Object expected, Object found) {
        cases++;
        boolean same = expected == null ? found == null : expected.equals(found);
        if (!same) {
            failures.add(what + ": expected " + expected + ", found " + found);
        }
    }

    static List<?> list(Object of, String name) {
        return (List<?>) ((Map<?, ?>) of).get(name);
    }

    static Object get(Object of, String name) {
        return ((Map<?, ?>) of).get(name);
    }

    static String text(Object of, String name) {
        return (String) get(of, name);
    }

    static double number(Object of, String name) {
        return (Double) get(of, name);
    }

    static int integer(Object of, String name) {
        return (int) number(of, name);
    }

    static long word(Object of, String name) {
        return Long.parseUnsignedLong(text(of, name), 16);
    }

    static byte[] bytes(Object of, String name) {
        return Hex.bytes(text(of, name));
    }

    static int[] integers(Object of, String name) {
        List<?> list = list(of, name);
        int[] integers = new int[list.size()];
        for (int place = 0; place < integers.length; place++) {
            integers[place] = ((Double) list.get(place)).intValue();
        }
        return integers;
    }

    static long[] counts(List<?> list) {
        long[] counts = new long[list.size()];
        for (int place = 0; place < counts.length; place++) {
            counts[place] = ((Double) list.get(place)).longValue();
        }
        return counts;
    }

    static ReplaceTable replaceTable(Object of) {
        return new ReplaceTable(counts(list(of, "counts")));
    }

    static Table table(Object of) {
        List<?> rows = list(of, "counts");
        if (get(of, "kind").equals("circulant")) {
            return new Table(true, new long[][] {counts(rows)});
        }
        long[][] counts = new long[rows.size()][];
        for (int row = 0; row < counts.length; row++) {
            counts[row] = counts((List<?>) rows.get(row));
        }
        return new Table(false, counts);
    }

    /** Values as an app gives them; {@code {"special": ...}} stands for what JSON cannot write. */
    static Map<String, Object> values(Object written) {
        Map<String, Object> values = new HashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) written).entrySet()) {
            Object value = entry.getValue();
            if (value instanceof Map && ((Map<?, ?>) value).containsKey("special")) {
                String special = text(value, "special");
                if (special.equals("absent")) {
                    continue;
                }
                value = special.equals("nan") ? Double.NaN : Double.POSITIVE_INFINITY;
            }
            values.put((String) entry.getKey(), value);
        }
        return values;
    }

    void expectRefused(Object one, String refusal) {
        boolean named = refusal != null && refusal.contains(text(one, "field"));
        expect(text(one, "why") + " (" + refusal + ")", true, named);
    }
}
