package org.harmonyldp.device;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A public prefix code for texts: for each context, the last characters, the words of those that may come next.
 *
 * <p>A document brings it. Words are the canonical code of the lengths that a context lists; nothing is asked of
 * Unicode's tables, so every language spells the same bits.
 */
final class TextCode {
    private static final int START = 0x02;
    private static final int END = 0x03;
    private static final int ESCAPE = 0x1b;
    private static final int POINT_BITS = 21;
    private static final int MOST_CONTEXTS = 4096;
    private static final int MOST_CONTEXT = 4;
    private static final int MOST_WORD = 24;

    private final Map<String, Map<Integer, String>> contexts;

    private TextCode(Map<String, Map<Integer, String>> contexts) {
        this.contexts = contexts;
    }

    static TextCode read(Object document, Fields fields) throws Refused {
        if (!(document instanceof Map)) {
            throw fields.refused("code", "must be an object of contexts");
        }
        Map<?, ?> listed = (Map<?, ?>) document;
        if (listed.isEmpty() || listed.size() > MOST_CONTEXTS) {
            throw fields.refused("code", "must have from 1 to " + MOST_CONTEXTS + " contexts");
        }
        Map<String, Map<Integer, String>> contexts = new HashMap<>();
        for (Map.Entry<?, ?> entry : listed.entrySet()) {
            String context = (String) entry.getKey();
            if (!Fields.isWellFormed(context) || context.codePointCount(0, context.length()) > MOST_CONTEXT) {
                throw fields.refused("code", "has a context that is no text of at most 4 characters");
            }
            contexts.put(context, words(entry.getValue(), fields));
        }
        if (!contexts.containsKey("") || !contexts.get("").containsKey(END)) {
            throw fields.refused("code", "must have the context '', which lists the end of a text");
        }
        return new TextCode(contexts);
    }

    /** The words of one context by code point. */
    private static Map<Integer, String> words(Object document, Fields fields) throws Refused {
        if (!(document instanceof List) || ((List<?>) document).isEmpty() || ((List<?>) document).size() > MOST_WORD) {
            throw fields.refused("code", "has a context that does not list 1 to 24 texts");
        }
        Map<Integer, String> words = new HashMap<>();
        long number = 0;
        int length = 0;
        for (Object characters : (List<?>) document) {
            if (!(characters instanceof String) || !Fields.isWellFormed((String) characters)) {
                throw fields.refused("code", "has a context that does not list texts");
            }
            length++;
            number <<= 1;
            for (int point : points((String) characters, Integer.MAX_VALUE)) {
                if (words.put(point, binary(number++, length)) != null) {
                    throw fields.refused("code", "lists a character twice");
                }
            }
            if (number > 1L << length) {
                throw fields.refused("code", "has more words than their lengths allow");
            }
        }
        if (!words.containsKey(ESCAPE)) {
            throw fields.refused("code", "has a context without an escape");
        }
        return words;
    }

    /** The first {@code most} bits of a text's code; a shorter one goes on with zeros. */
    String bits(String text, int most) {
        StringBuilder bits = new StringBuilder();
        StringBuilder before = new StringBuilder().appendCodePoint(START);
        int[] points = normalized(text, most);
        for (int at = 0; at <= points.length && bits.length() < most; at++) {
            int point = at < points.length ? points[at] : END;
            append(bits, contexts.get(context(before)), point);
            before.appendCodePoint(point);
        }
        while (bits.length() < most) {
            bits.append('0');
        }
        return bits.substring(0, most);
    }

    private void append(StringBuilder bits, Map<Integer, String> words, int point) {
        Map<Integer, String> rest = contexts.get("");
        String word = words.get(point);
        if (word == null && words != rest) {
            bits.append(words.get(ESCAPE));
            word = rest.get(point);
        }
        bits.append(word != null ? word : rest.get(ESCAPE) + binary(point, POINT_BITS));
    }

    /** The longest context with which a text ends. */
    private String context(StringBuilder before) {
        int start = before.length();
        for (int points = 0; points < MOST_CONTEXT && start > 0; points++) {
            start = before.offsetByCodePoints(start, -1);
        }
        while (!contexts.containsKey(before.substring(start))) {
            start = before.offsetByCodePoints(start, 1);
        }
        return before.substring(start);
    }

    /** The first {@code most} characters of a text as it is coded: small letters, and spaces at neither end. */
    private static int[] normalized(String text, int most) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (start < end && isSpace(text.charAt(end - 1))) {
            end--;
        }
        int[] points = points(text.substring(start, end), most);
        for (int at = 0; at < points.length; at++) {
            int point = points[at];
            points[at] = point < ' ' || point == 0x7f ? ' ' : point >= 'A' && point <= 'Z' ? point + 32 : point;
        }
        return points;
    }

    /** The first code points of a text, at most so many. */
    private static int[] points(String text, int most) {
        int[] points = new int[Math.min(most, text.codePointCount(0, text.length()))];
        int at = 0;
        for (int place = 0; place < points.length; place++) {
            points[place] = text.codePointAt(at);
            at += Character.charCount(points[place]);
        }
        return points;
    }

    private static boolean isSpace(char unit) {
        return unit <= ' ' || unit == 0x7f;
    }

    private static String binary(long number, int length) {
        StringBuilder digits = new StringBuilder(Long.toBinaryString(number));
        while (digits.length() < length) {
            digits.insert(0, '0');
        }
        return digits.toString();
    }
}
