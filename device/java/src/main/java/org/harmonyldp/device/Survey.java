package org.harmonyldp.device;

import java.util.List;
import java.util.Map;

/** A survey whose document kept every rule. */
final class Survey {
    /** How an attribute is answered in one tier. */
    static final class Mechanism {
        final Code code;
        final Table table;

        Mechanism(Code code, Table table) {
            this.code = code;
            this.table = table;
        }
    }

    final String name;
    /** The epsilons of the tiers, in their order. */
    final double[] epsilons;
    final int answers;
    final List<Attribute> attributes;
    private final int[] coins;
    private final Mechanism[][] mechanisms;
    private final int symbolBytes;

    /** {@code coins} and {@code mechanisms} are by attribute, the mechanisms by tier within it. */
    Survey(String name, double[] epsilons, int answers, List<Attribute> attributes, int[] coins, Mechanism[][] mechanisms) {
        this.name = name;
        this.epsilons = epsilons;
        this.answers = answers;
        this.attributes = attributes;
        this.coins = coins;
        this.mechanisms = mechanisms;
        int symbols = 0;
        for (Mechanism[] tiers : mechanisms) {
            for (Mechanism mechanism : tiers) {
                symbols = Math.max(symbols, mechanism.table.symbols());
            }
        }
        this.symbolBytes = symbols > 256 ? 2 : 1;
    }

    /** The greatest epsilon of a report. */
    double greatestEpsilon() {
        double greatest = 0;
        for (double epsilon : epsilons) {
            greatest = Math.max(greatest, epsilon);
        }
        return greatest;
    }

    /** Whether a record tells everything that this survey asks for. */
    boolean isToldBy(Map<String, Kind> record) {
        for (Attribute attribute : attributes) {
            if (!attribute.isToldBy(record)) {
                return false;
            }
        }
        return true;
    }

    /** The attributes that a device is asked about in a round, in the order of the coin. */
    int[] asked(byte[] seed, byte[] device) {
        return new Coins(seed, device).attributes(coins, answers);
    }

    /** The answers to an app's values, one for each attribute. */
    double[] answers(Map<String, ?> values) {
        double[] answers = new double[attributes.size()];
        for (int place = 0; place < answers.length; place++) {
            answers[place] = attributes.get(place).answer(valueOf(values, attributes.get(place).name));
        }
        return answers;
    }

    /** What the app's map has under a name; a map that cannot be read tells nothing. */
    static Object valueOf(Map<String, ?> values, String name) {
        try {
            return values.get(name);
        } catch (RuntimeException error) {
            return null;
        }
    }

    /** The report: 16 random bytes are read for each answer, whatever the attribute and the answer. */
    byte[] report(byte[] seed, byte[] device, int tier, double[] answers, RandomBytes random) {
        Coins coin = new Coins(seed, device);
        int[] asked = coin.attributes(coins, this.answers);
        byte[] report = new byte[device.length + 1 + asked.length * symbolBytes];
        System.arraycopy(device, 0, report, 0, device.length);
        report[device.length] = (byte) tier;
        long[] rows = new long[asked.length];
        for (int place = 0; place < asked.length; place++) {
            rows[place] = coin.below(mechanisms[asked[place]][tier].code.rows());
        }
        int at = device.length + 1;
        for (int place = 0; place < asked.length; place++) {
            Mechanism mechanism = mechanisms[asked[place]][tier];
            byte[] drawn = random.next(16);
            long roundWord = SipHash.littleEndian(drawn, 0, 8);
            long tableWord = SipHash.littleEndian(drawn, 8, 8);
            int symbol = mechanism.table.symbol(mechanism.code.index(answers[asked[place]], rows[place], roundWord), tableWord);
            for (int part = 0; part < symbolBytes; part++) {
                report[at++] = (byte) (symbol >>> 8 * part);
            }
        }
        return report;
    }
}
