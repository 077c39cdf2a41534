package org.harmonyldp.device;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One answered round of the ledger: how much epsilon was spent, on what, and what became of the report. */
public final class Entry {
    /** Entries count towards the owner's limit for so many seconds. */
    static final long DAYS_30 = 30 * Times.DAY;

    private final long at;
    private final String survey;
    private final String round;
    private final List<String> asked;
    final Charge charge;
    /** The number of the round; null if it has none. */
    final Long number;
    /** The times at which it may have been, as far as the device's clock can be trusted. */
    final List<Long> dates = new ArrayList<>();
    private String state = "waiting";

    Entry(long at, String survey, String round, Charge charge, List<String> asked, Long number) {
        this.at = at;
        this.survey = survey;
        this.round = round;
        this.charge = charge;
        this.asked = Collections.unmodifiableList(asked);
        this.number = number;
        dates.add(at);
    }

    /** When the round was answered, by the device's clock. */
    public Instant getAt() {
        return Instant.ofEpochSecond(at);
    }

    /** The survey, or the training. */
    public String getSurvey() {
        return survey;
    }

    /** The label of the round. */
    public String getRound() {
        return round;
    }

    /** The epsilon that was spent, for itself. */
    public double getEpsilon() {
        return charge.epsilon;
    }

    /** The most that was spent, whatever the answers did: more than its epsilon in a survey with memory. */
    public double getWorstEpsilon() {
        return charge.change;
    }

    /** Whether the report is one of a survey with memory. */
    public boolean hasMemory() {
        return charge.memo != null;
    }

    /** The attributes that were asked. */
    public List<String> getAsked() {
        return asked;
    }

    /** What became of the report: "waiting", "accepted", or "dropped: " and why. */
    public String getState() {
        return state;
    }

    void became(String newState) {
        state = newState;
    }

    /** Whether the entry may lie within 30 days of now: before, or by a wrong clock, after. */
    boolean isRecent(double now) {
        for (long date : dates) {
            if (Math.abs(now - date) < DAYS_30) {
                return true;
            }
        }
        return false;
    }

    /** Whether all dates lie 30 days or more after a time. */
    boolean isFarAfter(double time) {
        return Collections.min(dates) >= time + DAYS_30;
    }

    @Override
    public String toString() {
        return Times.text(at) + " " + survey + " " + round + ": epsilon " + charge.epsilon + " on " + String.join(", ", asked)
                + ", " + state;
    }
}
