package org.harmonyldp.device;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads what an attribute asks for: of a survey, or a feature or label of a step. */
final class AttributeReader {
    private static final int MOST_NAME = 200;
    private static final int MOST_VALUES = 1 << 20;
    private static final int MOST_POINTS = 65_536;

    private final Fields fields;
    private final String name;
    private final String reads;

    private AttributeReader(Fields fields) throws Refused {
        this.fields = fields;
        this.name = name("name");
        this.reads = fields.get("reads") == null ? name : name("reads");
    }

    static Attribute read(Fields fields) throws Refused {
        AttributeReader reader = new AttributeReader(fields);
        Object kind = fields.get("kind");
        if ("numeric".equals(kind)) {
            return reader.number();
        }
        if ("categorical".equals(kind)) {
            return reader.values();
        }
        if ("signed".equals(kind)) {
            return reader.signed();
        }
        if ("crosstab".equals(kind)) {
            return reader.crosstab();
        }
        if ("text".equals(kind)) {
            return new TextAttribute(reader.name, reader.reads, fields);
        }
        throw fields.refused("kind", "must be numeric, categorical, signed, crosstab or text");
    }

    private String name(String field) throws Refused {
        String name = fields.text(field);
        if (name.isEmpty() || name.codePointCount(0, name.length()) > MOST_NAME) {
            throw fields.refused(field, "must have 1 to 200 characters");
        }
        return name;
    }

    private Attribute number() throws Refused {
        double low = fields.number("low");
        double high = fields.number("high");
        if (low >= high) {
            throw fields.refused("low", "must be below high");
        }
        if (Double.isInfinite(high - low)) {
            throw fields.refused("high", "is too far above low");
        }
        double missing = Double.NaN;
        if (fields.get("missing") != null) {
            missing = fields.number("missing");
            if (missing < low || missing > high) {
                throw fields.refused("missing", "must be from low to high");
            }
        }
        if (fields.get("unlisted") != null) {
            throw fields.refused("unlisted", "is for categorical attributes only");
        }
        return fields.get("bins") == null ? new NumberAttribute(name, reads, low, high, missing)
                                          : histogram(low, high, missing);
    }

    private Attribute histogram(double low, double high, double missing) throws Refused {
        double[] edges = fields.rising("bins", 3, MOST_VALUES + 1);
        if (edges[0] != low || edges[edges.length - 1] != high) {
            throw fields.refused("bins", "must reach from low to high");
        }
        return new Histogram(name, reads, edges, missing);
    }

    private Attribute values() throws Refused {
        List<?> listed = fields.list("values", 2, MOST_VALUES);
        Kind kind = kindOf(listed.get(0));
        Map<Object, Integer> places = new HashMap<>();
        for (int place = 0; place < listed.size(); place++) {
            Object value = listed.get(place);
            if (kind == null || kindOf(value) != kind) {
                throw fields.refused("values", "must be all text, all integers or all booleans");
            }
            if (places.put(Values.told(value, kind), place) != null) {
                throw fields.refused("values", "must be different");
            }
        }
        return new Category(
                name, reads, kind, places, standIn("missing", places, kind), standIn("unlisted", places, kind));
    }

    private Attribute signed() throws Refused {
        refuseStandIns();
        return new SignedAttribute(name, values().size());
    }

    private Attribute crosstab() throws Refused {
        refuseStandIns();
        List<?> parts = fields.list("of", 2, 2);
        Attribute first = part(fields.fields("of", 0, parts.get(0)));
        Attribute second = part(fields.fields("of", 1, parts.get(1)));
        if ((long) first.size() * second.size() > MOST_VALUES) {
            throw fields.refused("of", "must have at most " + MOST_VALUES + " places together");
        }
        return new Crosstab(name, first, second);
    }

    private static Attribute part(Fields fields) throws Refused {
        Attribute part = read(fields);
        if (part.asksFor == null || part instanceof TextAttribute) {
            throw fields.refused("kind", "must be numeric or categorical in a crosstab");
        }
        if (part.size() > 0) {
            return part;
        }
        return new RoundedNumber((NumberAttribute) part, fields.integer("points", 2, MOST_POINTS));
    }

    private void refuseStandIns() throws Refused {
        for (String field : new String[] {"missing", "unlisted"}) {
            if (fields.get(field) != null) {
                throw fields.refused(field, "is not for signed attributes and crosstabs");
            }
        }
    }

    private static Kind kindOf(Object value) {
        if (value instanceof String && Fields.isWellFormed((String) value)) {
            return Kind.TEXT;
        }
        if (value instanceof Boolean) {
            return Kind.BOOLEAN;
        }
        return Fields.isInteger(value) ? Kind.NUMBER : null;
    }

    private double standIn(String field, Map<Object, Integer> places, Kind kind) throws Refused {
        Object value = fields.get(field);
        if (value == null) {
            return Double.NaN;
        }
        Integer place = places.get(Values.told(value, kind));
        if (place == null) {
            throw fields.refused(field, "must be one of the values");
        }
        return place;
    }
}
