package org.harmonyldp.device;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many devices in one process, each with a directory of its own (tests/sdks/test_end_to_end.py). */
final class Fleet {
    /** Most of them wait, for the server or for a training's task. */
    private static final int THREADS = 64;

    private Fleet() {
    }

    /**
     * Lets a device visit the server {@code arguments[0]} for each line of values on standard input, with directories
     * under
     * {@code arguments[1]} and the kinds {@code arguments[3...]}, such as {@code battery=NUMBER}; {@code arguments[2]}
     * is the epsilon that each may spend. Prints a JSON line for each device.
     */
    public static void main(String[] arguments) throws Exception {
        Map<String, Kind> record = new LinkedHashMap<>();
        for (int place = 3; place < arguments.length; place++) {
            record.put(arguments[place].split("=")[0], Kind.valueOf(arguments[place].split("=")[1]));
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<String>> visits = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Object values = Json.read(line.getBytes(StandardCharsets.UTF_8), Json.MOST_BYTES);
            Path directory = Paths.get(arguments[1], "jvm-" + visits.size());
            visits.add(threads.submit(()
                                              -> visit(arguments[0], directory, record,
                                                      Double.parseDouble(arguments[2]), (Map<?, ?>) values)));
        }
        for (Future<String> visit : visits) {
            System.out.println(visit.get());
        }
        threads.shutdown();
    }

    private static String visit(String server, Path directory, Map<String, Kind> record, double epsilon,
            Map<?, ?> values) throws Exception {
        try (Device device =
                        Device.builder(server, directory).record(record).consent(true).epsilonLimit(epsilon).build()) {
            Visit visit = device.answer(values::get, Duration.ofSeconds(20));
            Visit again = device.answer(values::get);
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("device", device.status().getDevice());
            told.put("accepted", names(visit.getAccepted(), again.getAccepted()));
            told.put("answered", names(visit.getAnswered(), again.getAnswered()));
            told.put("ledger", names(device.ledger()));
            told.put("visit", visit.toString());
            return JsonText.of(told);
        }
    }

    private static List<String> names(List<?>... lists) {
        List<String> names = new ArrayList<>();
        for (List<?> list : lists) {
            for (Object one : list) {
                names.add(one.toString());
            }
        }
        return names;
    }
}
