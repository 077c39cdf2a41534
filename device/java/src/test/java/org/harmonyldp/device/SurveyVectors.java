package org.harmonyldp.device;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whole reports, documents that are taken or refused, and records. */
final class SurveyVectors extends Vectors {
    private final String name;

    SurveyVectors(String name) throws IOException, Refused {
        super(name);
        this.name = name;
    }

    @Override
    void run() throws Refused {
        switch (name) {
            case "reports":
                reports();
                break;
            case "refused":
                refused();
                break;
            case "documents":
                documents();
                break;
            case "texts":
                texts();
                break;
            case "records":
                records();
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private void reports() throws Refused {
        Map<String, Survey> surveys = new HashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) get(file, "surveys")).entrySet()) {
            surveys.put((String) entry.getKey(), SurveyReader.read(entry.getValue(), ""));
        }
        for (Object one : list(file, "reports")) {
            Survey survey = surveys.get(text(one, "survey"));
            Map<String, Object> values = values(get(one, "values"));
            expectReport(survey, one, integer(one, "tier"), survey.answers(values, null));
        }
        Survey survey = surveys.get("silence");
        for (Object one : list(file, "silence")) {
            double[][] answers = survey.answers(values(get(one, "values")), null);
            expect("answers", list(one, "answers"), nullable(answers));
            expectReport(survey, one, 0, answers);
        }
    }

    /** Answers as the vectors write them: null for none, and a list for a crosstab's. */
    private static List<Object> nullable(double[][] answers) {
        List<Object> list = new ArrayList<>();
        for (double[] parts : answers) {
            List<Object> each = new ArrayList<>();
            for (double answer : parts) {
                each.add(Double.isNaN(answer) ? null : answer);
            }
            list.add(parts.length == 1 ? each.get(0) : each);
        }
        return list;
    }

    private void expectReport(Survey survey, Object one, int tier, double[][] answers) {
        WrittenBytes random = new WrittenBytes(bytes(one, "random"));
        byte[] device = bytes(one, "device");
        Survey.Asked asked = survey.asked(bytes(one, "seed"), device, tier);
        byte[] report = survey.report(device, tier, answers, asked, random, null);
        expect("report of " + survey.name, text(one, "report"), random.report(report));
    }

    private void refused() {
        for (Object one : list(file, "refused")) {
            expectRefused(one, refusal(get(one, "survey")));
        }
        for (Object one : list(file, "taken")) {
            expect(text(one, "why"), null, refusal(get(one, "survey")));
        }
        for (Object one : list(file, "bytes")) {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (Object part : list(one, "parts")) {
                List<?> fields = (List<?>) part;
                String text = (String) fields.get(0);
                byte[] bytes = fields.size() > 2 ? Hex.bytes(text) : text.getBytes(StandardCharsets.UTF_8);
                for (int time = 0; time < (Double) fields.get(1); time++) {
                    content.write(bytes, 0, bytes.length);
                }
            }
            String refusal;
            try {
                refusal = refusal(Json.read(content.toByteArray(), Json.MOST_BYTES));
            } catch (Refused error) {
                refusal = error.getMessage();
            }
            expect(text(one, "why") + " (" + refusal + ")", get(one, "taken"), refusal == null);
        }
    }

    private static String refusal(Object survey) {
        try {
            SurveyReader.read(survey, "");
            return null;
        } catch (Refused error) {
            return error.getMessage();
        }
    }

    private void documents() throws Refused {
        for (Object one : list(file, "documents")) {
            byte[] canonical = text(one, "canonical").getBytes(StandardCharsets.UTF_8);
            expect("fingerprint", text(one, "fingerprint"), Sha256.hex(canonical));
            expect("document", signless(get(one, "document")), signless(Json.read(canonical, MOST_BYTES)));
        }
    }

    /** The document with 0 for -0.0, which the canonical form does not keep. */
    private static Object signless(Object document) {
        if (document instanceof Double) {
            return Values.canonical((Double) document);
        }
        if (document instanceof List) {
            List<Object> list = new ArrayList<>();
            for (Object each : (List<?>) document) {
                list.add(signless(each));
            }
            return list;
        }
        if (document instanceof Map) {
            Map<Object, Object> map = new HashMap<>();
            for (Map.Entry<?, ?> each : ((Map<?, ?>) document).entrySet()) {
                map.put(each.getKey(), signless(each.getValue()));
            }
            return map;
        }
        return document;
    }

    private void texts() throws Refused {
        Fields codes = Fields.of(get(file, "codes"), "codes");
        for (Object one : list(file, "spelled")) {
            TextCode code = TextCode.read(codes.get(text(one, "code")), codes);
            int length = ((Double) get(one, "length")).intValue();
            expect(text(one, "text"), text(one, "bits"), code.bits(text(one, "text"), length));
        }
        for (Object one : list(file, "places")) {
            Map<String, Object> document = new HashMap<>(values(get(one, "attribute")));
            document.put("code", codes.get((String) document.get("code")));
            Attribute attribute = AttributeReader.read(Fields.of(document, "attribute"));
            Object value = values(Collections.singletonMap("text", get(one, "value"))).get("text");
            expect("place of " + value, get(one, "place"), attribute.answer(value));
        }
        Step step = StepReader.read(get(file, "step"));
        for (Object one : list(file, "reports")) {
            WrittenBytes random = new WrittenBytes(bytes(one, "random"));
            double[][] answers = step.answers(values(get(one, "values")), random);
            byte[] device = bytes(one, "device");
            Survey.Asked asked = step.survey.asked(step.round.seed, device, 0);
            byte[] report = step.survey.report(device, 0, answers, asked, random, null);
            expect("report", text(one, "report"), random.report(report));
        }
        Object asked = list(get(get(file, "step"), "survey"), "attributes").get(0);
        for (Object one : list(file, "refused")) {
            Map<String, Object> changed = new HashMap<>(values(asked));
            changed.putAll(values(get(one, "change")));
            String refusal = null;
            try {
                AttributeReader.read(Fields.of(changed, "attribute"));
            } catch (Refused error) {
                refusal = error.getMessage();
            }
            expectRefused(one, refusal);
        }
    }

    private void records() throws Refused {
        records("survey", "records");
        records("reading", "reads");
    }

    private void records(String document, String cases) throws Refused {
        Survey survey = SurveyReader.read(get(file, document), "");
        for (Object one : list(file, cases)) {
            Map<String, Kind> record = new HashMap<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) get(one, "record")).entrySet()) {
                record.put((String) entry.getKey(), Kind.valueOf(((String) entry.getValue()).toUpperCase(Locale.ROOT)));
            }
            AppRecord app = new AppRecord(record);
            expect(text(one, "why"), get(one, "answers"), app.lack(survey.needs()) == null);
            for (String none : new String[] {"signed", "two_types"}) {
                Survey unanswerable = SurveyReader.read(get(file, none), "");
                expect(none, false, app.lack(unanswerable.needs()) == null);
            }
        }
    }
}
