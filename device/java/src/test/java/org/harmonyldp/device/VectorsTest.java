package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every file of device/vectors passes, whole. */
class VectorsTest {
    private static final String[] KERNEL = {"bounds", "coins", "codes", "tables"};
    private static final String[] SURVEY = {"reports", "refused", "documents", "records", "texts"};
    private static final String[] SERVER = {"lists", "steps"};
    private static final String[] LEDGER = {"ledgers", "over_time"};

    static Vectors of(String name) throws IOException, Refused {
        if (Arrays.asList(KERNEL).contains(name)) {
            return new KernelVectors(name);
        }
        if (Arrays.asList(SURVEY).contains(name)) {
            return new SurveyVectors(name);
        }
        return Arrays.asList(SERVER).contains(name) ? new ServerVectors(name) : new LedgerVectors(name);
    }

    private static Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (String file : new File(System.getProperty("harmony.vectors")).list()) {
            if (file.endsWith(".json")) {
                names.add(file.substring(0, file.length() - 5));
            }
        }
        return names;
    }

    @TestFactory
    Iterable<DynamicTest> everyCasePasses() {
        Set<DynamicTest> tests = new java.util.LinkedHashSet<>();
        for (String name : names()) {
            tests.add(DynamicTest.dynamicTest(name, () -> {
                Vectors vectors = of(name);
                vectors.run();
                System.out.println("vectors of " + name + ": " + vectors.cases);
                assertEquals(Collections.emptyList(), vectors.failures);
            }));
        }
        return tests;
    }

    @Test
    void thereAreAsManyFilesAsTheRunnerKnows() {
        assertEquals(KERNEL.length + SURVEY.length + SERVER.length + LEDGER.length, names().size());
    }
}
