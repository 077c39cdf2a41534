package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A survey whose document kept every rule. */
final class Survey implements Questions {
    /** Drawn for each answer: a word to round with, and a word to walk the table with. */
    private static final int RANDOM_BYTES = 16;

    /** How an attribute is answered in one tier. */
    static final class Mechanism {
        final Code code;
        final Table table;
        /** With memory: what each round sends for the symbol that is kept; else null. */
        final ReplaceTable replace;

        Mechanism(Code code, Table table, ReplaceTable replace) {
            this.code = code;
            this.table = table;
            this.replace = replace;
        }
    }

    /** The attributes that a device is asked about, in the order of the coin, and the rows of their codes. */
    static final class Asked {
        final int[] attributes;
        final long[] rows;

        Asked(int[] attributes, long[] rows) {
            this.attributes = attributes;
            this.rows = rows;
        }
    }

    final String name;
    /** Of the document: its halves are two public seeds, of what is asked with memory, and of whose turn it is. */
    final String fingerprint;
    final OverTime overTime;
    /** The epsilons of the tiers, in their order. */
    final double[] epsilons;
    final int answers;
    final List<Attribute> attributes;
    private final int[] coins;
    private final Mechanism[][] mechanisms;
    private final int symbolBytes;

    /** {@code coins} and {@code mechanisms} are by attribute, the mechanisms by tier within it. */
    Survey(String name, String fingerprint, double[] epsilons, int answers, OverTime overTime,
            List<Attribute> attributes, int[] coins, Mechanism[][] mechanisms) {
        this.name = name;
        this.fingerprint = fingerprint;
        this.overTime = overTime;
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

    /** What a report of each tier spends; {@code memo} is the name of what it is made of, with memory. */
    Charge[] charges(String memo) {
        Charge[] charges = new Charge[epsilons.length];
        for (int tier = 0; tier < charges.length; tier++) {
            charges[tier] = overTime.remembers() ? new Charge(epsilons[tier], overTime.memory, overTime.change, memo)
                                                 : new Charge(epsilons[tier]);
        }
        return charges;
    }

    /** One of the survey's own public seeds. */
    private byte[] seed(int half) {
        if (fingerprint == null) {
            throw new IllegalStateException("a survey with 'every' or 'memory' needs its fingerprint");
        }
        byte[] both = Hex.bytes(fingerprint);
        return Arrays.copyOfRange(both, half * both.length / 2, (half + 1) * both.length / 2);
    }

    /** Which of every so many rounds a device answers. */
    int place(byte[] device) {
        return Rotation.place(seed(1), device, overTime.every);
    }

    /** How many words a device keeps that is asked this, in a survey with memory. */
    int memoWords(Asked asked) {
        int words = 0;
        for (int attribute : asked.attributes) {
            words += 1 + mechanisms[attribute][0].table.inputs();
        }
        return words;
    }

    /** The bytes of every report: they depend on the survey alone. */
    int reportBytes() {
        return Names.ID_BYTES + 1 + answers * symbolBytes;
    }

    /** What a device is asked in a round by its public coin; with memory it is the same in every round. */
    Asked asked(byte[] seed, byte[] device, int tier) {
        Coins coin = new Coins(overTime.remembers() ? seed(0) : seed, device);
        int[] chosen = coin.attributes(coins, answers);
        long[] rows = new long[chosen.length];
        for (int place = 0; place < chosen.length; place++) {
            rows[place] = coin.below(mechanisms[chosen[place]][tier].code.rows());
        }
        return new Asked(chosen, rows);
    }

    @Override
    public List<Attribute> needs() {
        List<Attribute> needs = new ArrayList<>();
        for (Attribute attribute : attributes) {
            needs.addAll(attribute.parts());
        }
        return needs;
    }

    /** The answers to a record's values, for each attribute, asked or not, one for each of its parts. */
    @Override
    public double[][] answers(Map<String, Object> told, RandomBytes random) {
        double[][] answers = new double[attributes.size()][];
        for (int place = 0; place < answers.length; place++) {
            List<Attribute> parts = attributes.get(place).parts();
            answers[place] = new double[parts.size()];
            for (int part = 0; part < parts.size(); part++) {
                answers[place][part] = parts.get(part).answer(told.get(parts.get(part).reads));
            }
        }
        return answers;
    }

    /**
     * The report: 16 random bytes are drawn for each answer, whatever the attribute and the answer. {@code memo} has
     * the words that are kept in a survey with memory, for each answer one to round with and one for each index.
     */
    byte[] report(byte[] device, int tier, double[][] answers, Asked asked, RandomBytes random, long[] memo) {
        byte[] report = new byte[reportBytes()];
        System.arraycopy(device, 0, report, 0, Names.ID_BYTES);
        report[Names.ID_BYTES] = (byte) tier;
        byte[] drawn = random.next(RANDOM_BYTES * asked.attributes.length);
        int at = Names.ID_BYTES + 1;
        int start = 0;
        for (int place = 0; place < asked.attributes.length; place++) {
            int attribute = asked.attributes[place];
            Mechanism mechanism = mechanisms[attribute][tier];
            long roundWord = SipHash.littleEndian(drawn, RANDOM_BYTES * place, 8);
            long tableWord = SipHash.littleEndian(drawn, RANDOM_BYTES * place + 8, 8);
            boolean kept = mechanism.replace != null;
            int index = mechanism.code.index(answers[attribute], asked.rows[place], kept ? memo[start] : roundWord);
            int symbol = mechanism.table.symbol(index, kept ? memo[start + 1 + index] : tableWord);
            if (kept) {
                symbol = mechanism.replace.symbol(symbol, tableWord);
                start += 1 + mechanism.table.inputs();
            }
            for (int part = 0; part < symbolBytes; part++) {
                report[at++] = (byte) (symbol >>> 8 * part);
            }
        }
        return report;
    }
}
