package org.harmonyldp.device;

import java.util.List;

/** Reads how an attribute is answered in one tier. */
final class MechanismReader {
    private static final int MOST_INPUTS = 65_536;
    private static final int MOST_DIGITS = 32;
    private static final long MOST_ROWS = 1L << 31;
    private static final long LEAST_TOO_LARGE_POWER = 1L << 32;

    private final Fields fields;
    private final Attribute attribute;

    private MechanismReader(Fields fields, Attribute attribute) {
        this.fields = fields;
        this.attribute = attribute;
    }

    static Survey.Mechanism read(Fields fields, Attribute attribute, Tables tables, boolean remembers) throws Refused {
        MechanismReader reader = new MechanismReader(fields, attribute);
        reader.refuseAnotherSign();
        if (!attribute.code().equals(fields.get("code"))) {
            throw fields.refused("code", "must be " + attribute.code() + " for this attribute");
        }
        Table table = tables.table(fields);
        Code code = attribute.code().equals("grid") ? reader.grid(table) : reader.linear(table);
        if (!remembers && fields.get("replace") != null) {
            throw fields.refused("replace", "needs memory");
        }
        ReplaceTable replace = remembers ? tables.replace(fields) : null;
        if (replace != null && replace.symbols() != table.symbols()) {
            throw fields.refused("replace", "must have as many symbols as the table");
        }
        return new Survey.Mechanism(code, table, replace);
    }

    private void refuseAnotherSign() throws Refused {
        Object mark = fields.get("signed");
        boolean signed = attribute instanceof SignedAttribute;
        if (signed ? !Boolean.TRUE.equals(mark) : mark != null && !Boolean.FALSE.equals(mark)) {
            throw fields.refused("signed", "must be true exactly in signed attributes");
        }
    }

    private Code grid(Table table) throws Refused {
        if (table.isCirculant()) {
            throw fields.refused("table", "must be dense for a grid");
        }
        int points = fields.integer("points", 2, MOST_INPUTS);
        if (points != table.inputs()) {
            throw fields.refused("points", "must be the inputs of the table");
        }
        NumberAttribute number = (NumberAttribute) attribute;
        return new GridCode(points, number.low, number.high);
    }

    private Code linear(Table table) throws Refused {
        int base = fields.integer("base", 2, MOST_INPUTS);
        int digits = fields.integer("digits", 1, MOST_DIGITS);
        int[] multipliers = multipliers(base);
        Code code = attribute instanceof SignedAttribute ? signed(base, digits, multipliers)
                                                         : linear(base, digits, multipliers);
        if (base != table.inputs()) {
            throw fields.refused("base", "must be the inputs of the table");
        }
        return code;
    }

    private Code linear(int base, int digits, int[] multipliers) throws Refused {
        long power = 1;
        for (int place = 1; place < digits; place++) {
            power *= base;
            if (power >= LEAST_TOO_LARGE_POWER) {
                throw fields.refused("digits", "must keep base^(digits - 1) below 2^32");
            }
        }
        if (power * base < attribute.size()) {
            throw fields.refused("digits", "are too few for the values");
        }
        if (LinearCode.points(base, digits) * multipliers.length > MOST_ROWS) {
            throw fields.refused("digits", "and multipliers make more than 2^31 rows");
        }
        return new LinearCode(base, digits, multipliers, attribute);
    }

    private Code signed(int base, int digits, int[] multipliers) throws Refused {
        if (base != 2) {
            throw fields.refused("base", "must be 2 in a signed code");
        }
        if (multipliers.length != 1) {
            throw fields.refused("multipliers", "must be [1] in a signed code");
        }
        if (digits != SignedCode.digits(attribute.size())) {
            throw fields.refused("digits", "must be " + SignedCode.digits(attribute.size()) + " for these values");
        }
        return new SignedCode(attribute.size(), attribute);
    }

    private int[] multipliers(int base) throws Refused {
        List<?> listed = fields.list("multipliers", 1, Integer.MAX_VALUE);
        int[] multipliers = new int[listed.size()];
        for (int place = 0; place < multipliers.length; place++) {
            multipliers[place] = fields.integer(listed.get(place), "multipliers", 1, base - 1);
        }
        return multipliers;
    }
}
