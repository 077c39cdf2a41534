package org.harmonyldp.device;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A text by its place: which kept prefix its bits begin with and how they go on, or which string it is.
 *
 * <p>Every value has a place; the last is that of all other texts, and of none at all.
 */
final class TextAttribute extends Attribute {
    private static final int MOST_BITS = 64;
    private static final int MOST_EXTENSION = 20;
    private static final int MOST_KEPT = 4096;
    private static final int MOST_PLACES = 1 << 21;

    private final TextCode code;
    private final int length;
    private final int bits;
    private final int depth;
    private final Map<String, Integer> prefixes = new HashMap<>();
    private final Map<String, Integer> strings = new HashMap<>();
    private final String missing;
    private final int size;

    TextAttribute(String name, String reads, Fields fields) throws Refused {
        super(name, reads, Kind.TEXT);
        code = TextCode.read(fields.get("code"), fields);
        length = fields.integer("length", 1, MOST_BITS);
        bits = fields.integer("bits", 0, MOST_EXTENSION);
        List<?> kept = bitsOf(fields, "prefixes");
        List<?> whole = bitsOf(fields, "strings");
        depth = kept.isEmpty() ? 0 : ((String) kept.get(0)).length();
        if (depth + bits > length) {
            throw fields.refused("prefixes", "and bits must fit into length");
        }
        for (Object prefix : kept) {
            if (((String) prefix).length() != depth) {
                throw fields.refused("prefixes", "must have the same number of bits");
            }
            put(prefixes, (String) prefix, prefixes.size() << bits, fields, "prefixes");
        }
        // The number of places is looked at first: that of a string may be beyond all integers.
        long places = ((long) kept.size() << bits) + whole.size() + 1;
        if (places < 2 || places > MOST_PLACES) {
            throw fields.refused("prefixes", "bits and strings must make from 2 to " + MOST_PLACES + " places");
        }
        size = (int) places;
        for (Object string : whole) {
            StringBuilder padded = new StringBuilder((String) string);
            if (padded.length() > length) {
                throw fields.refused("strings", "must fit into length");
            }
            while (padded.length() < length) {
                padded.append('0');
            }
            put(strings, padded.toString(), (kept.size() << bits) + strings.size(), fields, "strings");
        }
        missing = fields.get("missing") == null ? null : fields.text("missing");
        if (fields.get("unlisted") != null) {
            throw fields.refused("unlisted", "is not for texts: others have a place of their own");
        }
    }

    private static List<?> bitsOf(Fields fields, String field) throws Refused {
        List<?> listed = fields.list(field, 0, MOST_KEPT);
        for (Object one : listed) {
            if (!(one instanceof String) || !((String) one).matches("[01]{0,64}")) {
                throw fields.refused(field, "must list texts of 0 and 1");
            }
        }
        return listed;
    }

    private static void put(Map<String, Integer> places, String bits, int place, Fields fields, String field)
            throws Refused {
        if (places.put(bits, place) != null) {
            throw fields.refused(field, "must be different");
        }
    }

    @Override
    String code() {
        return "linear";
    }

    @Override
    int size() {
        return size;
    }

    @Override
    double answer(Object value) {
        Object told = Values.told(value, Kind.TEXT);
        String text = told instanceof String && Fields.isWellFormed((String) told) ? (String) told : missing;
        if (text == null) {
            return size - 1;
        }
        String spelled = code.bits(text, length);
        Integer string = strings.get(spelled);
        if (string != null) {
            return string;
        }
        Integer first = prefixes.get(spelled.substring(0, depth));
        return first == null ? size - 1 : first + Integer.parseInt("0" + spelled.substring(depth, depth + bits), 2);
    }
}
