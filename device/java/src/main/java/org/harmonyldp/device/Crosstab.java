package org.harmonyldp.device;

import java.util.Arrays;
import java.util.List;

/**
 * The pair of two attributes, whose place is that of the pair in their joint table.
 *
 * <p>The parts share the answer's random word, which every device draws: the first takes it as it is, the second its
 * low half.
 */
final class Crosstab extends Attribute {
    private final Attribute first;
    private final Attribute second;

    Crosstab(String name, Attribute first, Attribute second) {
        super(name, name, null);
        this.first = first;
        this.second = second;
    }

    @Override
    String code() {
        return "linear";
    }

    @Override
    int size() {
        return first.size() * second.size();
    }

    @Override
    List<Attribute> parts() {
        return Arrays.asList(first, second);
    }

    @Override
    double answer(Object value) {
        throw new IllegalStateException("the parts of a crosstab answer");
    }

    @Override
    long place(double[] answers, long word) {
        return first.place(answers[0], word) * second.size() + second.place(answers[1], word << 32);
    }
}
