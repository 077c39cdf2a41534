package org.harmonyldp.device;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads strict JSON of bounded size into maps, lists, text, doubles, booleans and null.
 *
 * <p>The bytes are bounded before anything is parsed, so that a hostile document costs no more than a pass over them. A
 * number that doubles cannot hold becomes infinite; whoever reads the field refuses it there.
 */
final class Json {
    /** The bytes that a document may have unless an app allows more. */
    static final int MOST_BYTES = 1 << 20;

    private static final int BYTES_PER_MARK = 8;
    private static final int MOST_DIGITS_IN_A_ROW = 400;
    private static final int MOST_DEPTH = 64;
    private static final int DIGITS_OF_A_LONG = 18;

    private final char[] text;
    private int at;

    private Json(char[] text) {
        this.text = text;
    }

    /** Reads one JSON value from bytes, at most {@code mostBytes} of them. */
    static Object read(byte[] bytes, int mostBytes) throws Refused {
        bound(bytes, mostBytes);
        Json json = new Json(decode(bytes));
        json.skipSpace();
        Object value = json.value(0);
        json.skipSpace();
        if (json.at < json.text.length) {
            throw json.unusable("something follows the value");
        }
        return value;
    }

    private static void bound(byte[] bytes, int mostBytes) throws Refused {
        if (bytes.length > mostBytes) {
            throw new Refused("the document has more than " + mostBytes + " bytes");
        }
        int marks = 0;
        int digits = 0;
        for (byte one : bytes) {
            digits = one >= '0' && one <= '9' ? digits + 1 : 0;
            if (digits > MOST_DIGITS_IN_A_ROW) {
                throw new Refused("the document has more than " + MOST_DIGITS_IN_A_ROW + " digits in a row");
            }
            if (one == '[' || one == '{' || one == ':' || one == ',') {
                marks++;
            }
        }
        if (marks > mostBytes / BYTES_PER_MARK) {
            throw new Refused(
                    "the document has more than " + mostBytes / BYTES_PER_MARK + " brackets, colons and commas");
        }
    }

    private static char[] decode(byte[] bytes) throws Refused {
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder()
                                         .onMalformedInput(CodingErrorAction.REPORT)
                                         .onUnmappableCharacter(CodingErrorAction.REPORT)
                                         .decode(ByteBuffer.wrap(bytes));
            char[] text = new char[decoded.remaining()];
            decoded.get(text);
            return text;
        } catch (CharacterCodingException error) {
            throw new Refused("the document is not UTF-8");
        }
    }

    private Refused unusable(String problem) {
        return new Refused("the document is not JSON: " + problem + " at character " + at);
    }

    private void skipSpace() {
        while (at < text.length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) {
            at++;
        }
    }

    private char next() throws Refused {
        if (at >= text.length) {
            throw unusable("it ends too early");
        }
        return text[at++];
    }

    private boolean takes(char expected) {
        if (at < text.length && text[at] == expected) {
            at++;
            return true;
        }
        return false;
    }

    private Object value(int depth) throws Refused {
        if (depth > MOST_DEPTH) {
            throw unusable("it is nested too deep");
        }
        char first = next();
        switch (first) {
            case '{':
                return object(depth);
            case '[':
                return list(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                at--;
                return number();
        }
    }

    private Object word(String word, Object value) throws Refused {
        for (int place = 1; place < word.length(); place++) {
            if (next() != word.charAt(place)) {
                throw unusable("an unknown word");
            }
        }
        return value;
    }

    private Map<String, Object> object(int depth) throws Refused {
        Map<String, Object> object = new LinkedHashMap<>();
        skipSpace();
        if (takes('}')) {
            return object;
        }
        while (true) {
            skipSpace();
            if (next() != '"') {
                throw unusable("a name is missing");
            }
            String name = string();
            skipSpace();
            if (next() != ':') {
                throw unusable("a colon is missing");
            }
            skipSpace();
            object.put(name, value(depth + 1));
            skipSpace();
            char end = next();
            if (end == '}') {
                return object;
            }
            if (end != ',') {
                throw unusable("a comma is missing");
            }
        }
    }

    private List<Object> list(int depth) throws Refused {
        List<Object> list = new ArrayList<>();
        skipSpace();
        if (takes(']')) {
            return list;
        }
        while (true) {
            skipSpace();
            list.add(value(depth + 1));
            skipSpace();
            char end = next();
            if (end == ']') {
                return list;
            }
            if (end != ',') {
                throw unusable("a comma is missing");
            }
        }
    }

    private String string() throws Refused {
        int start = at;
        while (true) {
            char one = next();
            if (one == '"') {
                return new String(text, start, at - 1 - start);
            }
            if (one == '\\') {
                at--;
                return escapedString(new StringBuilder().append(text, start, at - start));
            }
            refuseControl(one);
        }
    }

    private String escapedString(StringBuilder read) throws Refused {
        while (true) {
            char one = next();
            if (one == '"') {
                return read.toString();
            }
            if (one == '\\') {
                read.append(escaped());
            } else {
                refuseControl(one);
                read.append(one);
            }
        }
    }

    private void refuseControl(char one) throws Refused {
        if (one < ' ') {
            throw unusable("a control character in text");
        }
    }

    private char escaped() throws Refused {
        char kind = next();
        switch (kind) {
            case '"':
            case '\\':
            case '/':
                return kind;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                int unit = 0;
                for (int place = 0; place < 4; place++) {
                    int digit = Hex.digit(next());
                    if (digit < 0) {
                        throw unusable("an escape without four hexadecimal digits");
                    }
                    unit = unit << 4 | digit;
                }
                return (char) unit;
            default:
                throw unusable("an unknown escape");
        }
    }

    private Double number() throws Refused {
        int start = at;
        boolean negative = takes('-');
        int whole = at;
        if (!takes('0')) {
            digits();
        }
        int afterWhole = at;
        if (takes('.')) {
            digits();
        }
        if (takes('e') || takes('E')) {
            if (!takes('+')) {
                takes('-');
            }
            digits();
        }
        if (at == afterWhole && at - whole <= DIGITS_OF_A_LONG) {
            long read = 0;
            for (int place = whole; place < at; place++) {
                read = read * 10 + (text[place] - '0');
            }
            return negative ? -(double) read : (double) read;
        }
        return Double.valueOf(new String(text, start, at - start));
    }

    private void digits() throws Refused {
        int start = at;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        if (at == start) {
            throw unusable("no value, or a number without digits");
        }
    }
}
