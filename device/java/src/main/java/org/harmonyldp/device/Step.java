package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A step of a training, a survey over answers that a device derives from its record and a public model, or one of an
 * exploration, whose survey asks the record itself.
 */
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
    Step(String training, Survey survey, Round round, List<Attribute> features, Attribute label, Score model,
            Score direction, Derivation[] derivations) {
        this.training = training;
        this.survey = survey;
        this.round = round;
        this.features = features;
        this.label = label;
        this.model = model;
        this.direction = direction;
        this.derivations = derivations;
    }

    /** A step whose survey asks the record itself: an exploration's. */
    Step(String training, Survey survey, Round round) {
        this(training, survey, round, null, null, null, null, null);
    }

    @Override
    public List<Attribute> needs() {
        if (derivations == null) {
            return survey.needs();
        }
        List<Attribute> needs = new ArrayList<>();
        for (Attribute feature : features) {
            needs.addAll(feature.parts());
        }
        needs.add(label);
        return needs;
    }

    /** The answers that the survey's attributes take. Draws 8 random bytes for derivations, before it reads the record. */
    @Override
    public double[][] answers(Map<String, Object> values, RandomBytes random) {
        if (derivations == null) {
            return survey.answers(values, random);
        }
        double chance = (SipHash.littleEndian(random.next(8), 0, 8) >>> 11) * 0x1p-53;
        double[] told = new double[features.size()];
        for (int place = 0; place < told.length; place++) {
            told[place] = read(features.get(place), values);
            if (features.get(place).size() == 0 && Double.isNaN(told[place])) {
                told[place] = 0;
            }
        }
        double target = read(label, values);
        target = label.size() > 0 ? 2 * target - 1 : target;
        double score = model.of(told);
        Derived derived = new Derived(told, target, score, direction == null ? score : direction.of(told), chance);
        double[][] answers = new double[derivations.length][];
        for (int place = 0; place < answers.length; place++) {
            answers[place] = new double[] {derivations[place].answer(derived)};
        }
        return answers;
    }

    /** A number on a scale from -1 to 1, or a level, that of a pair from both of its parts; NaN where there is none. */
    private static double read(Attribute variable, Map<String, Object> values) {
        double answer = 0;
        for (Attribute part : variable.parts()) {
            answer = answer * part.size() + part.answer(values.get(part.reads));
        }
        if (variable.size() > 0) {
            return answer;
        }
        NumberAttribute number = (NumberAttribute) variable;
        double half = half(number);
        return Derived.clip((answer - (number.low + half)) / half);
    }

    /** Half of a number's range. */
    static double half(NumberAttribute number) {
        return (number.high - number.low) / 2;
    }
}
