package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A step of a training: a survey over answers that a device derives from its record and a public model. */
final class Step implements Questions {
    final String training;
    final Survey survey;
    final Round round;
    private final List<Attribute> features;
    private final Attribute label;
    private final Score model;
    private final Score direction;
    private final Derivation[] derivations;

    /** {@code derivations} are in the order of the survey's attributes. */
    Step(String training, Survey survey, Round round, List<Attribute> features, Attribute label, Score model, Score direction,
            Derivation[] derivations) {
        this.training = training;
        this.survey = survey;
        this.round = round;
        this.features = features;
        this.label = label;
        this.model = model;
        this.direction = direction;
        this.derivations = derivations;
    }

    @Override
    public List<Attribute> needs() {
        List<Attribute> needs = new ArrayList<>(features);
        needs.add(label);
        return needs;
    }

    /** The answers that the survey's attributes take. Draws 8 random bytes before it reads the record. */
    @Override
    public double[] answers(Map<String, Object> values, RandomBytes random) {
        double chance = (SipHash.littleEndian(random.next(8), 0, 8) >>> 11) * 0x1p-53;
        double[] told = new double[features.size()];
        for (int place = 0; place < told.length; place++) {
            Attribute feature = features.get(place);
            double answer = feature.answer(values.get(feature.name));
            told[place] = feature.shape == Attribute.Shape.NUMBER ? scaled(feature, answer) : answer;
        }
        double answered = label.answer(values.get(label.name));
        double target = label.shape == Attribute.Shape.NUMBER && !Double.isNaN(answered) ? scaled(label, answered) : 2 * answered - 1;
        double score = model.of(told);
        Derived derived = new Derived(told, target, score, direction == null ? score : direction.of(told), chance);
        double[] answers = new double[derivations.length];
        for (int place = 0; place < answers.length; place++) {
            answers[place] = derivations[place].answer(derived);
        }
        return answers;
    }

    /** The number on a scale from -1 to 1; 0 where there is none. */
    private static double scaled(Attribute attribute, double number) {
        if (Double.isNaN(number)) {
            return 0;
        }
        double half = half(attribute);
        return Derived.clip((number - (attribute.low + half)) / half);
    }

    /** Half of a number's range. */
    static double half(Attribute attribute) {
        return (attribute.high - attribute.low) / 2;
    }
}
