package org.harmonyldp.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists of surveys, and steps of trainings. */
final class ServerVectors extends Vectors {
    private final String name;

    ServerVectors(String name) throws IOException, Refused {
        super(name);
        this.name = name;
    }

    @Override
    void run() throws Refused {
        switch (name) {
            case "lists":
                lists();
                break;
            case "steps":
                steps();
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static Map<String, Object> listOf(Object surveys, Object trainings) {
        Map<String, Object> list = new LinkedHashMap<>();
        list.put("protocol", 1.0);
        list.put("surveys", surveys);
        list.put("trainings", trainings);
        return list;
    }

    private void lists() throws Refused {
        for (Object one : list(file, "used")) {
            expect(text(one, "why"), 1, Offers.read(listOf(Arrays.asList(get(one, "listed")), null)).surveys.size());
        }
        for (Object one : list(file, "passed_over")) {
            expect(text(one, "why"), 0, Offers.read(listOf(Arrays.asList(get(one, "listed")), null)).surveys.size());
        }
        List<String> names = new ArrayList<>();
        for (Offer training :
                Offers.read(listOf(new ArrayList<>(), list(get(file, "trainings"), "listed"))).trainings) {
            names.add(training.name);
        }
        expect("trainings", list(get(file, "trainings"), "used"), names);
        for (Object one : list(file, "unusable")) {
            boolean usable = true;
            try {
                Offers.read(get(one, "list"));
            } catch (Refused error) {
                usable = false;
            }
            expect(text(one, "why"), false, usable);
        }
        for (Object one : list(file, "usable")) {
            Offers offers = Offers.read(get(one, "list"));
            expect(text(one, "why"), 1, offers.surveys.size());
            expect(text(one, "why"), 0, offers.trainings.size());
        }
        for (Object one : list(file, "enrolled_before")) {
            Map<String, Object> round = new HashMap<>();
            round.put("label", "a");
            round.put("seed", "00000000000000000000000000000000");
            round.put("enrolled_before", get(one, "enrolled_before"));
            expect("enrolled_before", get(one, "answers"),
                    Round.read(Fields.of(round, "round")).isFor(get(one, "enrolled") == null ? "" : text(one, "enrolled")));
        }
    }

    private void steps() throws Refused {
        reports("step", "reports");
        reports("extreme", "extreme_reports");
        reports("numeric", "numeric_reports");
        reports("rounding", "rounding_reports");
        reports("crossed", "crossed_reports");
        for (Object one : list(file, "refused")) {
            expectRefused(one, refusal(one));
        }
        for (Object one : list(file, "taken")) {
            expect(text(one, "why"), null, refusal(one));
        }
    }

    private void reports(String which, String reports) throws Refused {
        Step step = StepReader.read(get(file, which));
        for (Object one : list(file, reports)) {
            WrittenBytes random = new WrittenBytes(bytes(one, "random"));
            double[][] answers = step.answers(values(get(one, "record")), random);
            for (int place = 0; place < answers.length; place++) {
                String name = step.survey.attributes.get(place).name;
                Object expected = get(get(one, "values"), name);
                if (expected instanceof String) {
                    expected = (double) list(list(get(get(file, which), "survey"), "attributes").get(place), "values")
                                       .indexOf(expected);
                }
                List<?> bins = (List<?>) get(list(get(get(file, which), "survey"), "attributes").get(place), "bins");
                if (bins != null && expected != null) {
                    expected = bin(bins, (Double) expected);
                }
                expect(name, expected, Double.isNaN(answers[place][0]) ? null : answers[place][0]);
            }
            byte[] device = bytes(one, "device");
            Survey.Asked asked = step.survey.asked(step.round.seed, device, 0);
            byte[] report = step.survey.report(device, 0, answers, asked, random, null);
            expect("report", text(one, "report"), random.report(report));
        }
    }

    private static double bin(List<?> edges, double value) {
        int place = 0;
        while (place < edges.size() - 2 && (Double) edges.get(place + 1) <= value) {
            place++;
        }
        return place;
    }

    /** Why the step with a change is refused; null if it is taken. */
    private String refusal(Object change) {
        return refusal(get(file, "step"), change);
    }

    static String refusal(Object step, Object change) {
        try {
            StepReader.read(changed(step, list(change, "path"), get(change, "value")));
            return null;
        } catch (Refused error) {
            return error.getMessage();
        }
    }

    /** A copy of a document in which the value at a path is another. */
    private static Object changed(Object document, List<?> path, Object value) {
        if (path.isEmpty()) {
            return value;
        }
        List<?> rest = path.subList(1, path.size());
        if (document instanceof List) {
            List<Object> copy = new ArrayList<>((List<?>) document);
            int place = ((Double) path.get(0)).intValue();
            copy.set(place, changed(copy.get(place), rest, value));
            return copy;
        }
        Map<Object, Object> copy = new LinkedHashMap<>((Map<?, ?>) document);
        copy.put(path.get(0), changed(copy.get(path.get(0)), rest, value));
        return copy;
    }
}
