package org.harmonyldp.device;

/** The answer of one attribute of a step, from what the step derived; NaN where an index is drawn. */
interface Derivation {
    double answer(Derived derived);

    /** The label itself. */
    static Derivation label() {
        return derived -> derived.label;
    }

    /** A number on its own scale. */
    static Derivation number(int feature, double low, double high) {
        return derived -> low + (derived.told[feature] + 1) / 2 * (high - low);
    }

    /** The level of a feature. */
    static Derivation level(int feature) {
        return derived -> derived.told[feature];
    }

    /** The gradient with respect to the weight of a number. */
    static Derivation gradient(int feature, Derived.Term term, double clip, double middle, double reach) {
        return derived
                -> Derived.clip(derived.term(term) / clip) * Derived.clip((derived.told[feature] - middle) / reach);
    }

    /** The gradient with respect to the weights of levels: the level, and a sign whose mean is the term. */
    static Derivation signedGradient(int feature, Derived.Term term, double clip, int half) {
        return derived -> {
            if (!derived.has(term)) {
                return Double.NaN;
            }
            boolean negative = 2 * derived.chance >= 1 + Derived.clip(derived.term(term) / clip);
            return derived.told[feature] + (negative ? half : 0);
        };
    }

    /** A product of terms, each divided by its clip and clipped. */
    static Derivation product(Derived.Term[] terms, double[] clips) {
        return derived -> {
            double product = 1;
            for (int place = 0; place < terms.length; place++) {
                product *= Derived.clip(derived.term(terms[place]) / clips[place]);
            }
            return product;
        };
    }

    /** The bin of the score, and whether the label is positive. */
    static Derivation curve(double[] edges) {
        return derived
                -> Double.isNaN(derived.label) ? Double.NaN : 2 * derived.reached(edges) + (derived.label > 0 ? 1 : 0);
    }

    /** The bin of the score with the sign of the label. */
    static Derivation surplus(double[] edges, int half) {
        return derived
                -> Double.isNaN(derived.label) ? Double.NaN : derived.reached(edges) + (derived.label <= 0 ? half : 0);
    }
}
