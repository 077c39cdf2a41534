package org.harmonyldp.device;

import java.util.List;
import java.util.Map;

/** Reads how an attribute of a step is derived. */
final class DerivationReader {
    private static final int MOST_TERMS = 8;
    private static final int MOST_EDGES = 65_536;

    private final Fields fields;
    private final Attribute attribute;
    private final List<Attribute> features;
    private final Map<String, Integer> places;

    DerivationReader(Fields fields, Attribute attribute, List<Attribute> features, Map<String, Integer> places) {
        this.fields = fields;
        this.attribute = attribute;
        this.features = features;
        this.places = places;
    }

    Derivation read() throws Refused {
        Object is = fields.get("is");
        if ("label".equals(is)) {
            return number(Derivation.label());
        }
        if ("feature".equals(is)) {
            return feature();
        }
        if ("gradient".equals(is)) {
            return gradient();
        }
        if ("product".equals(is)) {
            return product();
        }
        if ("curve".equals(is)) {
            double[] edges = fields.rising("edges", 1, MOST_EDGES);
            demand(attribute instanceof Category, 2 * (edges.length + 1));
            return Derivation.curve(edges);
        }
        if ("surplus".equals(is)) {
            double[] edges = fields.rising("edges", 1, MOST_EDGES);
            demand(attribute instanceof SignedAttribute, edges.length + 1);
            return Derivation.surplus(edges, SignedCode.half(edges.length + 1));
        }
        throw fields.refused("is", "must be label, feature, gradient, product, curve or surplus");
    }

    private Derivation feature() throws Refused {
        int place = featurePlace();
        Attribute feature = features.get(place);
        if (feature.size() == 0) {
            NumberAttribute number = (NumberAttribute) feature;
            return number(Derivation.number(place, number.low, number.high));
        }
        demand(attribute instanceof Category, feature.size());
        return Derivation.level(place);
    }

    private Derivation gradient() throws Refused {
        int place = featurePlace();
        Attribute feature = features.get(place);
        Derived.Term term = term(fields.get("of"));
        double clip = positive(fields.get("clip"), "clip");
        if (feature.size() == 0) {
            return number(Derivation.gradient(
                    place, term, clip, fields.number("middle"), positive(fields.get("reach"), "reach")));
        }
        demand(attribute instanceof SignedAttribute, feature.size());
        return Derivation.signedGradient(place, term, clip, SignedCode.half(feature.size()));
    }

    private Derivation product() throws Refused {
        List<?> listed = fields.list("of", 1, MOST_TERMS);
        List<?> clipped = fields.list("clip", listed.size(), listed.size());
        Derived.Term[] terms = new Derived.Term[listed.size()];
        double[] clips = new double[terms.length];
        for (int place = 0; place < terms.length; place++) {
            terms[place] = term(listed.get(place));
            clips[place] = positive(clipped.get(place), "clip");
        }
        return number(Derivation.product(terms, clips));
    }

    private int featurePlace() throws Refused {
        Integer place = places.get(fields.get("feature"));
        if (place == null) {
            throw fields.refused("feature", "must be the name of a feature");
        }
        return place;
    }

    private Derived.Term term(Object name) throws Refused {
        if ("label".equals(name)) {
            return Derived.Term.LABEL;
        }
        if ("score".equals(name)) {
            return Derived.Term.SCORE;
        }
        if ("residual".equals(name)) {
            return Derived.Term.RESIDUAL;
        }
        if ("relative".equals(name)) {
            return Derived.Term.RELATIVE;
        }
        if ("direction".equals(name)) {
            return Derived.Term.DIRECTION;
        }
        throw fields.refused("of", "must be label, score, residual, relative or direction");
    }

    private double positive(Object value, String name) throws Refused {
        double number = fields.number(value, name);
        if (number <= 0) {
            throw fields.refused(name, "must be positive");
        }
        return number;
    }

    /** A number is answered as the attribute reads numbers: clipped, and in bins if it has them. */
    private Derivation number(Derivation derivation) throws Refused {
        if (!(attribute instanceof NumberAttribute)) {
            throw fields.refused("is", "needs a numeric attribute");
        }
        return derived -> attribute.answer(derivation.answer(derived));
    }

    private void demand(boolean rightKind, int size) throws Refused {
        if (!rightKind || attribute.size() != size) {
            throw fields.refused("is", "does not fit this attribute's kind, or the number of its values");
        }
    }
}
