package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Documents and values that the tests share; the documents come from device/vectors. */
final class Samples {
    private Samples() {
    }

    private static Map<?, ?> file(String name) {
        try {
            byte[] content = Files.readAllBytes(Paths.get(System.getProperty("harmony.vectors"), name + ".json"));
            return (Map<?, ?>) Json.read(content, Vectors.MOST_BYTES);
        } catch (IOException | Refused error) {
            throw new AssertionError(error);
        }
    }

    /** A survey of battery (a number), wifi (a boolean) and age (a number in bins), at epsilon 1. */
    static Map<String, Object> survey(String name) {
        Map<String, Object> survey = copy(((Map<?, ?>) ((List<?>) file("refused").get("taken")).get(0)).get("survey"));
        survey.put("name", name);
        return survey;
    }

    /** A step of the training "charging", with every derivation. */
    static Map<String, Object> step() {
        return copy(file("steps").get("step"));
    }

    /** A step of an exploration that asks for this text of the record. */
    static Map<String, Object> exploring(String name, String text, String... prefixes) {
        Map<String, Object> step = copy(file("texts").get("step"));
        Map<String, Object> survey = copy(step.get("survey"));
        Map<String, Object> asked = copy(((List<?>) survey.get("attributes")).get(0));
        asked.put("reads", text);
        asked.put("prefixes", Arrays.asList(prefixes));
        survey.put("attributes", Arrays.asList(asked));
        step.put("training", name);
        step.put("survey", survey);
        return step;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> copy(Object document) {
        return new LinkedHashMap<>((Map<String, Object>) document);
    }

    static Map<String, Object> values() {
        Map<String, Object> values = new HashMap<>();
        values.put("battery", 71.5);
        values.put("wifi", true);
        values.put("age", 33);
        return values;
    }

    static Map<String, Kind> record() {
        Map<String, Kind> record = new LinkedHashMap<>();
        record.put("battery", Kind.NUMBER);
        record.put("wifi", Kind.BOOLEAN);
        record.put("age", Kind.NUMBER);
        record.put("theme", Kind.TEXT);
        record.put("charging", Kind.BOOLEAN);
        return record;
    }
}
