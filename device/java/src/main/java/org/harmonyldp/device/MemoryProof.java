package org.harmonyldp.device;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/**
 * The proof of a survey with memory: what is kept keeps {@code memory}, what is sent {@code epsilon}, and what is sent
 * given what is kept {@code change}, each by the part of one answer.
 */
final class MemoryProof {
    /** The most words that a device keeps for a survey. */
    private static final int MOST_WORDS = 8_192;

    private final Fields document;
    private final Tables tables;
    private final int answers;
    private final BigInteger kept;
    private final BigInteger sent;
    private final BigInteger changed;
    private final Map<Table, ReplaceTable> proved = new HashMap<>();

    MemoryProof(Fields document, Tables tables, int answers, double epsilon, OverTime overTime) {
        this.document = document;
        this.tables = tables;
        this.answers = answers;
        this.kept = ExponentialFloor.of(overTime.memory, answers);
        this.sent = ExponentialFloor.of(epsilon, answers);
        this.changed = ExponentialFloor.of(overTime.change, answers);
    }

    /** Refuses the document unless a mechanism keeps all three. Each table is proved once, with the one after it. */
    void check(Survey.Mechanism mechanism) throws Refused {
        Table table = mechanism.table;
        ReplaceTable replace = mechanism.replace;
        if ((long) answers * (1 + table.inputs()) > MOST_WORDS) {
            throw document.refused("memory", "would make a device keep more than 8192 words");
        }
        ReplaceTable before = proved.put(table, replace);
        if (before != null && before != replace) {
            throw document.refused(tables.nameOf(table), "must have the same replace wherever it is used");
        }
        if (before != null) {
            return;
        }
        expect(table.keeps(kept), table, "memory");
        expect(table.keepsBefore(replace, sent), table, "epsilon");
        expect(replace.keeps(changed), table, "change");
    }

    private void expect(boolean keeps, Table table, String promise) throws Refused {
        if (!keeps) {
            throw document.refused(tables.nameOf(table), "does not keep " + promise + " / answers with its replace");
        }
    }
}
