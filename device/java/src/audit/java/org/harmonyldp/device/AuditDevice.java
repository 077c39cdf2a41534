package org.harmonyldp.device;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/**
 * The program that {@code harmony audit --device} drives: it reports as often as it is asked to, on one set of values.
 *
 * <p>It spends epsilon without counting, so it is no part of the published jar.
 */
public final class AuditDevice {
    private static final int MOST_BYTES = 1 << 26;

    private AuditDevice() {
    }

    /** Reads {"survey", "seed", "device", "tier", "values", "count"} and writes as many reports. */
    public static void main(String[] arguments) throws IOException, Refused {
        Fields asked = Fields.of(Json.read(System.in.readAllBytes(), MOST_BYTES), "");
        Survey survey = SurveyReader.read(asked.get("survey"), "survey");
        byte[] seed = Hex.bytes(asked.text("seed"));
        byte[] device = Hex.bytes(asked.text("device"));
        int tier = asked.integer("tier", 0, survey.epsilons.length - 1);
        Map<?, ?> values = (Map<?, ?>) asked.get("values");
        RandomBytes random = new SystemRandom();
        try (OutputStream out = new BufferedOutputStream(System.out)) {
            for (int left = asked.integer("count", 0, Integer.MAX_VALUE); left > 0; left--) {
                double[][] answers = survey.answers(AppRecord.snapshot(values::get, survey.needs()), random);
                out.write(survey.report(device, tier, answers, survey.asked(seed, device, tier), random, null));
            }
        }
    }
}
