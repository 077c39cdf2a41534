package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.List;

/**
 * What a server offers: surveys with an open round, and trainings that run. Entries that are not as described are
 * passed over.
 */
final class Offers {
    static final int PROTOCOL = 1;

    private static final int MOST_ENTRIES = 1_000;

    private interface Reading {
        Offer of(Object listed) throws Refused;
    }

    final List<Offer> surveys;
    final List<Offer> trainings;

    private Offers(List<Offer> surveys, List<Offer> trainings) {
        this.surveys = surveys;
        this.trainings = trainings;
    }

    static Offers read(Object document) throws Refused {
        Fields fields = Fields.of(document, "the list");
        Object protocol = fields.get("protocol");
        if (protocol != null && !protocol.equals((double) PROTOCOL)) {
            throw new Refused("the server speaks another protocol, this device " + PROTOCOL);
        }
        List<?> surveys = fields.list("surveys", 0, Integer.MAX_VALUE);
        Object trainings = fields.get("trainings");
        return new Offers(usable(surveys, Offer::survey),
                usable(trainings instanceof List ? (List<?>) trainings : new ArrayList<>(), Offer::training));
    }

    private static List<Offer> usable(List<?> listed, Reading reading) {
        List<Offer> usable = new ArrayList<>();
        for (Object one : listed.subList(0, Math.min(listed.size(), MOST_ENTRIES))) {
            try {
                usable.add(reading.of(one));
            } catch (Refused passedOver) {
                continue;
            }
        }
        return usable;
    }
}
