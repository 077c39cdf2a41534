package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.List;

/** What a server offers: surveys with an open round, and trainings. Entries that are not as described are passed over. */
final class SurveyList {
    static final int PROTOCOL = 1;

    private static final int MOST_ENTRIES = 1_000;

    /** A survey, or a training (without fingerprint and round). */
    static final class Entry {
        final String name;
        final double epsilon;
        final String fingerprint;
        final Round round;

        Entry(String name, double epsilon, String fingerprint, Round round) {
            this.name = name;
            this.epsilon = epsilon;
            this.fingerprint = fingerprint;
            this.round = round;
        }
    }

    final List<Entry> surveys = new ArrayList<>();
    final List<Entry> trainings = new ArrayList<>();

    static SurveyList read(Object document) throws Refused {
        Fields fields = Fields.of(document, "the list");
        fields.integer("protocol", PROTOCOL, PROTOCOL);
        SurveyList list = new SurveyList();
        for (Object listed : first(fields.list("surveys", 0, Integer.MAX_VALUE))) {
            Entry entry = survey(listed);
            if (entry != null) {
                list.surveys.add(entry);
            }
        }
        if (fields.get("trainings") != null) {
            for (Object listed : first(fields.list("trainings", 0, Integer.MAX_VALUE))) {
                Entry entry = training(listed);
                if (entry != null) {
                    list.trainings.add(entry);
                }
            }
        }
        return list;
    }

    private static List<?> first(List<?> listed) {
        return listed.subList(0, Math.min(listed.size(), MOST_ENTRIES));
    }

    private static Entry survey(Object listed) {
        try {
            Fields fields = Fields.of(listed, "survey");
            if (!Names.isName(fields.get("name")) || !Names.isFingerprint(fields.get("fingerprint"))) {
                return null;
            }
            return new Entry((String) fields.get("name"), fields.number("epsilon"), (String) fields.get("fingerprint"),
                    Round.read(fields.fields("round")));
        } catch (Refused passedOver) {
            return null;
        }
    }

    private static Entry training(Object listed) {
        try {
            Fields fields = Fields.of(listed, "training");
            return Names.isName(fields.get("name")) ? new Entry((String) fields.get("name"), fields.number("epsilon"), null, null) : null;
        } catch (Refused passedOver) {
            return null;
        }
    }
}
