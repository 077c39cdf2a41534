package org.harmonyldp.device;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads a survey document, and proves that every table which a tier uses keeps its promise. */
final class SurveyReader {
    static final double LEAST_EPSILON = 0.0001;
    static final double MOST_EPSILON = 20;

    private static final int MOST_TIERS = 16;
    static final int MOST_ATTRIBUTES = 10_000;
    private static final int MOST_COIN = 65_536;

    private final Fields document;
    private final String fingerprint;

    private SurveyReader(Fields document, String fingerprint) {
        this.document = document;
        this.fingerprint = fingerprint;
    }

    /** Reads a survey that has no fingerprint, as that of a step: without rotation and memory it needs none. */
    static Survey read(Object document, String path) throws Refused {
        return new SurveyReader(Fields.of(document, path), null).survey();
    }

    /** Reads a survey that a server lists with a fingerprint. */
    static Survey listed(Object document, String fingerprint) throws Refused {
        return new SurveyReader(Fields.of(document, ""), fingerprint).survey();
    }

    private Survey survey() throws Refused {
        if (!"harmony-survey/1".equals(document.get("format"))) {
            throw document.refused("format", "must be harmony-survey/1");
        }
        if (!Names.isName(document.get("name"))) {
            throw document.refused("name", "must be 1 to 100 letters, digits, '.', '_' or '-'");
        }
        double[] epsilons = epsilons();
        OverTime overTime = OverTime.read(document);
        List<?> listed = document.list("attributes", 1, MOST_ATTRIBUTES);
        int answers = document.integer("answers", 1, listed.size());
        Tables tables = TableReader.read(document);
        List<Attribute> attributes = new ArrayList<>();
        int[] coins = new int[listed.size()];
        Survey.Mechanism[][] mechanisms = new Survey.Mechanism[listed.size()][];
        List<Set<Table>> used = new ArrayList<>();
        for (int tier = 0; tier < epsilons.length; tier++) {
            used.add(new HashSet<>());
        }
        Set<String> names = new HashSet<>();
        for (int place = 0; place < listed.size(); place++) {
            Fields fields = document.fields("attributes", place, listed.get(place));
            Attribute attribute = AttributeReader.read(fields);
            if (!names.add(attribute.name)) {
                throw fields.refused("name", "is another attribute's, too");
            }
            attributes.add(attribute);
            coins[place] = fields.integer("coin", 1, MOST_COIN);
            mechanisms[place] = mechanisms(fields, attribute, tables, epsilons.length, overTime.remembers());
            for (int tier = 0; tier < epsilons.length; tier++) {
                used.get(tier).add(mechanisms[place][tier].table);
            }
        }
        if (overTime.remembers()) {
            MemoryProof proof = new MemoryProof(document, tables, answers, epsilons[0], overTime);
            for (Survey.Mechanism[] each : mechanisms) {
                proof.check(each[0]);
            }
        } else {
            for (int tier = 0; tier < epsilons.length; tier++) {
                prove(epsilons[tier], answers, used.get(tier), tables);
            }
        }
        return new Survey((String) document.get("name"), fingerprint, epsilons, answers, overTime, attributes, coins,
                mechanisms);
    }

    private double[] epsilons() throws Refused {
        boolean tiered = document.get("tiers") != null;
        if (tiered == (document.get("epsilon") != null)) {
            throw document.refused("epsilon", "or tiers must be there, not both");
        }
        if (!tiered) {
            return new double[] {epsilon(document, document.get("epsilon"), "epsilon")};
        }
        List<?> tiers = document.list("tiers", 1, MOST_TIERS);
        Set<Double> different = new HashSet<>();
        double[] epsilons = new double[tiers.size()];
        for (int tier = 0; tier < epsilons.length; tier++) {
            epsilons[tier] = epsilon(document, tiers.get(tier), "tiers");
            if (!different.add(epsilons[tier])) {
                throw document.refused("tiers", "must be different");
            }
        }
        return epsilons;
    }

    static double epsilon(Fields document, Object value, String name) throws Refused {
        double epsilon = document.number(value, name);
        if (epsilon < LEAST_EPSILON || epsilon > MOST_EPSILON) {
            throw document.refused(name, "must be from 0.0001 to 20");
        }
        return epsilon;
    }

    private static Survey.Mechanism[] mechanisms(Fields fields, Attribute attribute, Tables tables, int tiers,
            boolean remembers) throws Refused {
        List<?> listed = fields.list("mechanisms", tiers, tiers);
        Survey.Mechanism[] mechanisms = new Survey.Mechanism[tiers];
        for (int tier = 0; tier < tiers; tier++) {
            Fields each = fields.fields("mechanisms", tier, listed.get(tier));
            mechanisms[tier] = MechanismReader.read(each, attribute, tables, remembers);
        }
        return mechanisms;
    }

    private void prove(double epsilon, int answers, Set<Table> used, Tables tables) throws Refused {
        BigInteger floor = ExponentialFloor.of(epsilon, answers);
        for (Table table : used) {
            if (!table.keeps(floor)) {
                throw document.refused(tables.nameOf(table), "does not keep epsilon / answers");
            }
        }
    }
}
