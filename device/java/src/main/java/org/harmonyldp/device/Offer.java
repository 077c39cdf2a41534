package org.harmonyldp.device;

import java.util.List;

/** A survey with an open round, or a running training (without fingerprint and round), as the server lists it. */
final class Offer {
    final String name;
    final double epsilon;
    final String fingerprint;
    final Round round;

    private Offer(String name, double epsilon, String fingerprint, Round round) {
        this.name = name;
        this.epsilon = epsilon;
        this.fingerprint = fingerprint;
        this.round = round;
    }

    static Offer survey(Object listed) throws Refused {
        Fields fields = Fields.of(listed, "survey");
        if (!Names.isFingerprint(fields.get("fingerprint"))) {
            throw fields.refused("fingerprint", "must be 64 hexadecimal digits");
        }
        String name = name(fields);
        return new Offer(
                name, fields.number("epsilon"), (String) fields.get("fingerprint"), Round.listed(fields.fields("round")));
    }

    static Offer training(Object listed) throws Refused {
        Fields fields = Fields.of(listed, "training");
        return new Offer(name(fields), fields.number("epsilon"), null, null);
    }

    private static String name(Fields fields) throws Refused {
        if (!Names.isName(fields.get("name"))) {
            throw fields.refused("name", "must be 1 to 100 letters, digits, '.', '_' or '-'");
        }
        return (String) fields.get("name");
    }

    /** Whether a ledger has this survey's round, or any step of this training. */
    boolean isDone(List<Entry> entries) {
        return isDone(entries, name, round == null ? null : round.label);
    }

    /** Whether a ledger has a round of a survey; any round, where no label is given. */
    static boolean isDone(List<Entry> entries, String name, String label) {
        for (Entry entry : entries) {
            if (entry.getSurvey().equals(name) && (label == null || entry.getRound().equals(label))) {
                return true;
            }
        }
        return false;
    }
}
