package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads a step of a training, or of an exploration. */
final class StepReader {
    private final Fields document;
    private final List<Attribute> features = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    private StepReader(Fields document) {
        this.document = document;
    }

    static Step read(Object document) throws Refused {
        return new StepReader(Fields.of(document, "")).step();
    }

    private Step step() throws Refused {
        if (!"harmony-step/1".equals(document.get("format"))) {
            throw document.refused("format", "must be harmony-step/1");
        }
        if (!Names.isName(document.get("training"))) {
            throw document.refused("training", "must be the name of a training");
        }
        Survey survey = SurveyReader.read(document.get("survey"), "survey");
        if (survey.overTime.rotates() || survey.overTime.remembers()) {
            throw document.refused("survey", "must not have every or memory in a step");
        }
        Round round = Round.read(document.fields("round"));
        if (document.get("derive") == null) {
            return new Step((String) document.get("training"), survey, round);
        }
        readFeatures();
        Attribute label = variable(document.fields("label"));
        if (label.size() != 0 && !(label instanceof Category && label.size() == 2)) {
            throw document.refused("label", "must be numeric, without bins, or have two values");
        }
        Score model = score(document.fields("model"));
        Score direction = document.get("direction") == null ? null : score(document.fields("direction"));
        Derivation[] derivations = new Derivation[survey.attributes.size()];
        Fields derive = document.fields("derive");
        for (int place = 0; place < derivations.length; place++) {
            Attribute attribute = survey.attributes.get(place);
            refuseStandIns(place);
            derivations[place] =
                    new DerivationReader(derive.fields(attribute.name), attribute, features, places).read();
        }
        return new Step(
                (String) document.get("training"), survey, round, features, label, model, direction, derivations);
    }

    private void readFeatures() throws Refused {
        List<?> listed = document.list("features", 1, SurveyReader.MOST_ATTRIBUTES);
        for (int place = 0; place < listed.size(); place++) {
            Fields fields = document.fields("features", place, listed.get(place));
            Attribute feature = variable(fields);
            if (places.put(feature.name, place) != null) {
                throw fields.refused("name", "is another feature's, too");
            }
            features.add(feature);
        }
    }

    /** A feature or a label: a number, or what has levels: values, bins or pairs of them. */
    private static Attribute variable(Fields fields) throws Refused {
        Attribute variable = AttributeReader.read(fields);
        for (Attribute part : variable.parts()) {
            if (part.asksFor == null || part instanceof TextAttribute) {
                throw fields.refused("kind", "must be numeric, categorical or crosstab");
            }
            if (part instanceof RoundedNumber) {
                throw fields.refused("of", "must have values or bins in a feature");
            }
        }
        if (variable.size() == 0 && Step.half((NumberAttribute) variable) == 0) {
            throw fields.refused("high", "is too near low");
        }
        return variable;
    }

    private Score score(Fields fields) throws Refused {
        Fields weights = fields.fields("weights");
        double[][] read = new double[features.size()][];
        boolean[] levels = new boolean[features.size()];
        for (int place = 0; place < read.length; place++) {
            Attribute feature = features.get(place);
            levels[place] = feature.size() > 0;
            if (!levels[place]) {
                read[place] = new double[] {weights.number(feature.name)};
                continue;
            }
            List<?> listed = weights.list(feature.name, feature.size(), feature.size());
            read[place] = new double[listed.size()];
            for (int level = 0; level < listed.size(); level++) {
                read[place][level] = weights.number(listed.get(level), feature.name);
            }
        }
        return new Score(fields.number("intercept"), read, levels);
    }

    /** An attribute that is derived has no value of its own, so nothing may stand in for one. */
    private void refuseStandIns(int place) throws Refused {
        Fields survey = document.fields("survey");
        Object listed = survey.list("attributes", 1, SurveyReader.MOST_ATTRIBUTES).get(place);
        Fields fields = survey.fields("attributes", place, listed);
        for (String field : new String[] {"missing", "unlisted"}) {
            if (fields.get(field) != null) {
                throw fields.refused(field, "is not for derived attributes");
            }
        }
    }
}
