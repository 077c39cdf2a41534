package org.harmonyldp.device;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes the JSON that a device sends and keeps, in ASCII. */
final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {
    }

    /** Text, numbers, booleans, null, lists and maps as JSON. */
    static String of(Object value) {
        JsonText json = new JsonText();
        json.write(value);
        return json.text.toString();
    }

    static byte[] bytes(Object value) {
        return of(value).getBytes(StandardCharsets.UTF_8);
    }

    private void write(Object value) {
        if (value instanceof Map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                text.append(separator);
                string((String) entry.getKey());
                text.append(": ");
                write(entry.getValue());
                separator = ", ";
            }
            text.append(separator.equals("{") ? "{}" : "}");
        } else if (value instanceof Iterable) {
            String separator = "[";
            for (Object each : (Iterable<?>) value) {
                text.append(separator);
                write(each);
                separator = ", ";
            }
            text.append(separator.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            string((String) value);
        } else {
            text.append(value);
        }
    }

    private void string(String written) {
        text.append('"');
        for (int at = 0; at < written.length(); at++) {
            char unit = written.charAt(at);
            if (unit == '"' || unit == '\\') {
                text.append('\\').append(unit);
            } else if (unit >= ' ' && unit <= '~') {
                text.append(unit);
            } else {
                text.append("\\u").append(Hex.text(new byte[] {(byte) (unit >> 8), (byte) unit}));
            }
        }
        text.append('"');
    }
}
