package org.harmonyldp.device;

import java.util.List;

/**
 * Rotation: a device answers one of every T rounds of a survey, at a place that a coin gives it.
 *
 * <p>Privacy: of any T rounds with consecutive numbers a device answers one at most, so they cost one epsilon
 * together. The numbers are the server's, which may lie, so the ledger has the last word: no two rounds of a survey
 * are answered whose numbers differ by less than T.
 */
final class Rotation {
    private Rotation() {
    }

    /** The place of a device among so many rounds, by the survey's own public seed. */
    static int place(byte[] seed, byte[] device, int every) {
        return (int) new Coins(seed, device).below(every);
    }

    /** Why a device does not answer this round of a survey with rotation; null if it does, or there is none. */
    static String objection(Survey survey, byte[] device, String name, Round round, List<Entry> entries) {
        if (!survey.overTime.rotates()) {
            return null;
        }
        return objection(survey.overTime.every, survey.place(device), name, round.number, entries);
    }

    /** Why a device at a place does not answer round {@code number}, which may be null; null if it does. */
    static String objection(int every, int place, String name, Long number, List<Entry> entries) {
        if (number == null) {
            return "the round has no number, which a survey with rotation needs";
        }
        if (number % every != place) {
            return "not this device's turn: it answers the rounds whose number is " + place + " modulo " + every;
        }
        for (Entry entry : entries) {
            boolean near = entry.number != null && Math.abs(entry.number - number) < every;
            if (near && entry.getSurvey().equals(name)) {
                return "round " + entry.number + " was answered, less than " + every + " rounds from this one";
            }
        }
        return null;
    }
}
