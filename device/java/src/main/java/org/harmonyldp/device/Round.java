package org.harmonyldp.device;

/** An open round: its label, its public seed and, if it has one, its number. */
final class Round {
    final String label;
    final byte[] seed;
    /** Only devices that enrolled before this time answer; null where all do. */
    final String enrolledBefore;

    /** Null where the list, or a step, gives none. */
    final Long number;

    private Round(String label, byte[] seed, String enrolledBefore, Long number) {
        this.label = label;
        this.seed = seed;
        this.enrolledBefore = enrolledBefore;
        this.number = number;
    }

    /** Reads a round of the server's list, which may have a number. */
    static Round listed(Fields fields) throws Refused {
        Round round = read(fields);
        return new Round(round.label, round.seed, round.enrolledBefore, number(fields));
    }

    /** The number of a round, in a list or a ledger; null where there is none. */
    static Long number(Fields fields) throws Refused {
        Object number = fields.get("number");
        if (number == null) {
            return null;
        }
        if (!Fields.isInteger(number) || (Double) number < 0) {
            throw fields.refused("number", "must be an integer that is zero or more");
        }
        return ((Double) number).longValue();
    }

    static Round read(Fields fields) throws Refused {
        if (!Names.isLabel(fields.get("label"))) {
            throw fields.refused("label", "must be 1 to 64 letters, digits, '.', '_', '-' or ':'");
        }
        if (!Names.isSeed(fields.get("seed"))) {
            throw fields.refused("seed", "must be 32 hexadecimal digits");
        }
        String enrolledBefore = fields.get("enrolled_before") == null ? null : fields.text("enrolled_before");
        return new Round((String) fields.get("label"), Hex.bytes((String) fields.get("seed")), enrolledBefore, null);
    }

    /** Whether a device that enrolled at a time answers this round; an empty time is as early as can be. */
    boolean isFor(String enrolled) {
        return enrolledBefore == null || enrolled.compareTo(enrolledBefore) < 0;
    }
}
