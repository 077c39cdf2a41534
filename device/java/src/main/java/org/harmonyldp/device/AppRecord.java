package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What an app can tell about its device, declared in its code.
 *
 * <p>Names and kinds are the same for all users of an app, so what follows from them tells nothing about any of them.
 * Whether a device answers a survey follows from the record, never from a value.
 */
final class AppRecord {
    /** How many names that the record does not have are told one by one, and how much of each. */
    private static final int MOST_NAMED = 20;
    private static final int MOST_SHOWN = 200;

    private final Map<String, Kind> kinds;

    AppRecord(Map<String, Kind> kinds) {
        this.kinds = new LinkedHashMap<>(kinds);
    }

    /** What is asked for that this record cannot tell, or null. */
    String lack(List<Attribute> needs) {
        for (Attribute need : needs) {
            Kind told = kinds.get(need.reads);
            if (told == null || need.asksFor == null) {
                return "asks for '" + need.reads + "' (" + word(need.asksFor) + "), which is not in this app's record";
            }
            if (told != need.asksFor) {
                return "asks for '" + need.reads + "' as a " + word(need.asksFor) + "; this app's record has it as a "
                        + word(told);
            }
        }
        return null;
    }

    /**
     * Everything that is needed of an app's values, each read once, as a double, text or boolean; null if there is
     * none, or if it cannot be read.
     */
    static Map<String, Object> snapshot(Function<String, ?> values, List<Attribute> needs) {
        Map<String, Object> read = new HashMap<>();
        Map<String, Object> told = new HashMap<>();
        Map<String, Set<Kind>> asked = new HashMap<>();
        for (Attribute need : needs) {
            if (!asked.computeIfAbsent(need.reads, unused -> new HashSet<>()).add(need.asksFor)) {
                continue;
            }
            Object value;
            try {
                if (!read.containsKey(need.reads)) {
                    read.put(need.reads, null);
                    read.put(need.reads, values.apply(need.reads));
                }
                value = Values.told(read.get(need.reads), need.asksFor);
            } catch (Throwable error) {
                value = null; // whatever an app's code throws, undeclared or an Error, may depend on the value
            }
            if (value != null) { // it is of one kind, whichever others are asked for
                told.put(need.reads, value);
            }
        }
        return told;
    }

    /** What the app's developer should know about values that have no answer of their own, without telling them. */
    static List<String> warnings(Map<String, Object> told, List<Attribute> needs) {
        Set<String> warnings = new LinkedHashSet<>();
        for (Attribute need : needs) {
            String warning = need.warning(told.get(need.reads));
            if (warning != null) {
                warnings.add(need.reads + ": " + warning);
            }
        }
        return new ArrayList<>(warnings);
    }

    /** Warnings about names that the record does not have. */
    List<String> unknown(Map<?, ?> values) {
        List<String> unknown = new ArrayList<>();
        try {
            for (Object name : values.keySet()) {
                if (!kinds.containsKey(name)) {
                    unknown.add(String.valueOf(name));
                }
            }
        } catch (Throwable error) {
            return Collections.singletonList("values: their names cannot be read"); // as in snapshot
        }
        List<String> warnings = new ArrayList<>();
        for (String name : unknown.subList(0, Math.min(unknown.size(), MOST_NAMED))) {
            String shown = name.substring(0, Math.min(name.length(), MOST_SHOWN));
            String near = Spelling.nearest(shown, kinds.keySet());
            warnings.add("values: '" + shown + "' is not in the record"
                    + (near == null ? "" : "; did you mean '" + near + "'?"));
        }
        if (unknown.size() > MOST_NAMED) {
            warnings.add("values: " + (unknown.size() - MOST_NAMED) + " more are not in the record");
        }
        return warnings;
    }

    static String word(Kind kind) {
        return kind == null ? "derived answer" : kind.name().toLowerCase(Locale.ROOT);
    }
}
