package org.harmonyldp.device;

/** An open round: its label and its public seed. */
final class Round {
    final String label;
    final byte[] seed;
    /** Only devices that enrolled before this time answer; null where all do. */
    final String enrolledBefore;

    private Round(String label, byte[] seed, String enrolledBefore) {
        this.label = label;
        this.seed = seed;
        this.enrolledBefore = enrolledBefore;
    }

    static Round read(Fields fields) throws Refused {
        if (!Names.isLabel(fields.get("label"))) {
            throw fields.refused("label", "must be 1 to 64 letters, digits, '.', '_', '-' or ':'");
        }
        if (!Names.isSeed(fields.get("seed"))) {
            throw fields.refused("seed", "must be 32 hexadecimal digits");
        }
        String enrolledBefore = fields.get("enrolled_before") == null ? null : fields.text("enrolled_before");
        return new Round((String) fields.get("label"), Hex.bytes((String) fields.get("seed")), enrolledBefore);
    }

    /** Whether a device that enrolled at a time answers this round; an empty time is as early as can be. */
    boolean isFor(String enrolled) {
        return enrolledBefore == null || enrolled.compareTo(enrolledBefore) < 0;
    }
}
