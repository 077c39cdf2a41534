package org.harmonyldp.device;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;

/** Compares reports with those that another SDK made of the same random cases (tests/device/differential.py). */
final class Differential {
    private Differential() {
    }

    /** Reads a file of cases and prints how many give the same bytes; ends with 1 if any does not. */
    public static void main(String[] arguments) throws IOException, Refused {
        int same = 0;
        int all = 0;
        Survey survey = null;
        Step step = null;
        try (BufferedReader lines = Files.newBufferedReader(Paths.get(arguments[0]), StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Object read = Json.read(line.getBytes(StandardCharsets.UTF_8), Vectors.MOST_BYTES);
                if (Vectors.get(read, "survey") != null) {
                    survey = SurveyReader.read(Vectors.get(read, "survey"), "");
                    step = null;
                } else if (Vectors.get(read, "step") != null) {
                    step = StepReader.read(Vectors.get(read, "step"));
                    survey = step.survey;
                } else {
                    all++;
                    String report = report(survey, step, read);
                    boolean isSame = report.equals(Vectors.text(read, "report"));
                    same += isSame ? 1 : 0;
                    if (!isSame) {
                        System.out.println("another report, " + report + ": " + line);
                    }
                }
            }
        }
        System.out.println(same + " of " + all);
        System.exit(same == all ? 0 : 1);
    }

    private static String report(Survey survey, Step step, Object read) {
        byte[] device = Vectors.bytes(read, "device");
        byte[] seed = step == null ? Vectors.bytes(read, "seed") : step.round.seed;
        int tier = Vectors.integer(read, "tier");
        Map<String, Object> values = Vectors.values(Vectors.get(read, "values"));
        WrittenBytes random = new WrittenBytes(Vectors.bytes(read, "random"));
        Questions questions = step == null ? survey : step;
        double[][] answers = questions.answers(AppRecord.snapshot(values::get, questions.needs()), random);
        return random.report(survey.report(device, tier, answers, survey.asked(seed, device, tier), random, null));
    }
}
