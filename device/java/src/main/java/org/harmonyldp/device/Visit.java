package org.harmonyldp.device;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What one visit to the server did. */
public final class Visit {
    final List<SurveyRound> answered = new ArrayList<>();
    final List<SurveyRound> accepted = new ArrayList<>();
    final Map<SurveyRound, String> dropped = new LinkedHashMap<>();
    final Map<String, String> skipped = new LinkedHashMap<>();
    final Set<String> warnings = new LinkedHashSet<>();
    int waiting;
    String trouble;
    /** Seconds; NaN where the app may come back whenever it likes. */
    double nextAttempt = Double.NaN;

    Visit() {
    }

    /** The rounds that were answered: their epsilon is spent, their reports are on disk or sent. */
    public List<SurveyRound> getAnswered() {
        return Collections.unmodifiableList(answered);
    }

    /** The rounds whose reports the server has acknowledged. */
    public List<SurveyRound> getAccepted() {
        return Collections.unmodifiableList(accepted);
    }

    /** The rounds whose reports were given up, and why. */
    public Map<SurveyRound, String> getDropped() {
        return Collections.unmodifiableMap(dropped);
    }

    /** The surveys and trainings that were not answered, and why. */
    public Map<String, String> getSkipped() {
        return Collections.unmodifiableMap(skipped);
    }

    /**
     * What the app's developer should know: values that have no answer of their own, names that nobody asks for.
     *
     * <p>They follow from the values, so they must not leave the device.
     */
    public List<String> getWarnings() {
        return Collections.unmodifiableList(new ArrayList<>(warnings));
    }

    /** How many reports are still to be acknowledged. */
    public int getWaiting() {
        return waiting;
    }

    /** What kept the visit from ending well; null if nothing did. */
    public String getTrouble() {
        return trouble;
    }

    /** In how long another visit makes sense; null where it may be at any time. */
    public Duration getNextAttempt() {
        return Double.isNaN(nextAttempt) ? null : Duration.ofMillis((long) Math.ceil(nextAttempt * 1000));
    }

    void warn(List<String> more) {
        warnings.addAll(more);
    }

    @Override
    public String toString() {
        StringBuilder said = new StringBuilder("<Visit: answered " + answered.size() + ", accepted " + accepted.size());
        said.append(", waiting ").append(waiting);
        for (Map.Entry<String, String> one : skipped.entrySet()) {
            said.append(", skipped ").append(one.getKey()).append(": ").append(one.getValue());
        }
        for (Map.Entry<SurveyRound, String> one : dropped.entrySet()) {
            said.append(", dropped ").append(one.getKey()).append(": ").append(one.getValue());
        }
        if (trouble != null) {
            said.append(", trouble: ").append(trouble);
        }
        if (!warnings.isEmpty()) {
            said.append(", ").append(warnings.size()).append(" in getWarnings()");
        }
        return said.append('>').toString();
    }
}
