package org.harmonyldp.device;

/** What a value of the app tells, in the protocol's types. */
final class Values {
    private Values() {
    }

    /** The value as a double, text or boolean if it is of the asked kind (and finite if a number); otherwise null. */
    static Object told(Object value, Kind asked) {
        if (asked == Kind.NUMBER && value instanceof Number) {
            double number = ((Number) value).doubleValue();
            return Double.isNaN(number) || Double.isInfinite(number) ? null : (Object) canonical(number);
        }
        if (asked == Kind.TEXT && value instanceof CharSequence) {
            return value.toString();
        }
        return asked == Kind.BOOLEAN && value instanceof Boolean ? value : null;
    }

    /** A double by which equal numbers are equal keys: -0.0 becomes 0.0. */
    static Double canonical(double number) {
        return number == 0 ? 0.0 : number;
    }
}
