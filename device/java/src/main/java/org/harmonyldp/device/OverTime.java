package org.harmonyldp.device;

/** What a survey says about its rounds together: rotation, memory, both or none. */
final class OverTime {
    private static final int MOST_EVERY = 65_536;

    /** A device answers one of so many rounds; 0 without rotation. */
    final int every;
    /** What all reports spend together while the answer stays; 0 without memory. */
    final double memory;
    /** What a report with memory spends at worst. */
    final double change;

    private OverTime(int every, double memory, double change) {
        this.every = every;
        this.memory = memory;
        this.change = change;
    }

    static OverTime read(Fields document) throws Refused {
        int every = document.get("every") == null ? 0 : document.integer("every", 2, MOST_EVERY);
        if (document.get("memory") == null && document.get("change") == null) {
            return new OverTime(every, 0, 0);
        }
        if (document.get("epsilon") == null) {
            throw document.refused("memory", "needs one epsilon, not tiers");
        }
        return new OverTime(every, SurveyReader.epsilon(document, document.get("memory"), "memory"),
                SurveyReader.epsilon(document, document.get("change"), "change"));
    }

    boolean remembers() {
        return memory > 0;
    }

    boolean rotates() {
        return every > 0;
    }
}
