package org.harmonyldp.device;

import java.util.List;
import java.util.Map;

/** The fields of a JSON object, read by name and type; what is not as asked is refused with the path of the field. */
final class Fields {
    /** The largest integer that doubles and therefore documents hold exactly. */
    static final long MOST_INTEGER = (1L << 53) - 1;

    private final Map<?, ?> object;
    private final String path;

    private Fields(Map<?, ?> object, String path) {
        this.object = object;
        this.path = path;
    }

    static Fields of(Object value, String path) throws Refused {
        if (!(value instanceof Map)) {
            throw new Refused(path + " must be an object");
        }
        return new Fields((Map<?, ?>) value, path);
    }

    /** The path of a field, as messages name it. */
    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    Refused refused(String name, String problem) {
        return new Refused(path(name) + " " + problem);
    }

    /** The field as it is; null where it is absent. */
    Object get(String name) {
        return object.get(name);
    }

    Fields fields(String name) throws Refused {
        return of(get(name), path(name));
    }

    Fields fields(String name, int place, Object element) throws Refused {
        return of(element, path(name) + "[" + place + "]");
    }

    List<?> list(String name, int least, int most) throws Refused {
        Object value = get(name);
        if (!(value instanceof List)) {
            throw refused(name, "must be a list");
        }
        List<?> list = (List<?>) value;
        if (list.size() < least || list.size() > most) {
            throw refused(name, "must have from " + least + " to " + most + " elements");
        }
        return list;
    }

    String text(String name) throws Refused {
        Object value = get(name);
        if (!(value instanceof String) || !isWellFormed((String) value)) {
            throw refused(name, "must be text");
        }
        return (String) value;
    }

    double number(String name) throws Refused {
        return number(get(name), name);
    }

    double number(Object value, String name) throws Refused {
        if (!(value instanceof Double) || ((Double) value).isNaN() || ((Double) value).isInfinite()) {
            throw refused(name, "must be a finite number");
        }
        return (Double) value;
    }

    /** Finite numbers, each greater than the one before. */
    double[] rising(String name, int least, int most) throws Refused {
        List<?> list = list(name, least, most);
        double[] numbers = new double[list.size()];
        for (int place = 0; place < numbers.length; place++) {
            numbers[place] = number(list.get(place), name);
            if (place > 0 && numbers[place] <= numbers[place - 1]) {
                throw refused(name, "must rise");
            }
        }
        return numbers;
    }

    int integer(String name, int least, int most) throws Refused {
        return integer(get(name), name, least, most);
    }

    int integer(Object value, String name, int least, int most) throws Refused {
        if (!isInteger(value) || (Double) value < least || (Double) value > most) {
            throw refused(name, "must be an integer from " + least + " to " + most);
        }
        return ((Double) value).intValue();
    }

    /** Whether a value is a number without a fraction that doubles hold exactly. */
    static boolean isInteger(Object value) {
        if (!(value instanceof Double)) {
            return false;
        }
        double number = (Double) value;
        return Math.abs(number) <= MOST_INTEGER && number == Math.rint(number);
    }

    /** Whether no half of a surrogate pair stands alone. */
    static boolean isWellFormed(String text) {
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            if (Character.isHighSurrogate(unit) && at + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(at + 1))) {
                at++;
            } else if (Character.isSurrogate(unit)) {
                return false;
            }
        }
        return true;
    }
}
