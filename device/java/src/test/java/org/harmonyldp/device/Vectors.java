package org.harmonyldp.device;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs the files of device/vectors and counts the cases of each that pass, and those that do not. */
final class Vectors {
    private static final int MOST_BYTES = 1 << 26;

    final List<String> failures = new ArrayList<>();
    int cases;
    private final Map<?, ?> file;

    Vectors(String name) throws IOException, Refused {
        Path path = Paths.get(System.getProperty("harmony.vectors"), name + ".json");
        file = (Map<?, ?>) Json.read(Files.readAllBytes(path), MOST_BYTES);
    }

    /** Runs one file and returns its counts. */
    static Vectors run(String name) throws IOException, Refused {
        Vectors vectors = new Vectors(name);
        switch (name) {
            case "bounds":
                vectors.bounds();
                break;
            case "coins":
                vectors.coins();
                break;
            case "codes":
                vectors.codes();
                break;
            case "tables":
                vectors.tables();
                break;
            case "reports":
                vectors.reports();
                break;
            case "refused":
                vectors.refused();
                break;
            case "documents":
                vectors.documents();
                break;
            case "lists":
                vectors.lists();
                break;
            case "records":
                vectors.records();
                break;
            case "ledgers":
                vectors.ledgers();
                break;
            case "steps":
                vectors.steps();
                break;
            default:
                throw new IllegalArgumentException(name);
        }
        return vectors;
    }

    public static void main(String[] arguments) throws Exception {
        for (String name : new String[] {"bounds", "coins", "codes", "tables", "reports", "refused", "documents", "lists", "records",
            "ledgers", "steps"}) {
            Vectors vectors = run(name);
            System.out.println(name + ": " + (vectors.cases - vectors.failures.size()) + " of " + vectors.cases);
            for (String failure : vectors.failures) {
                System.out.println("  " + failure);
            }
        }
    }

    private void expect(String what, Object expected, Object found) {
        cases++;
        boolean same = expected == null ? found == null : expected.equals(found);
        if (!same) {
            failures.add(what + ": expected " + expected + ", found " + found);
        }
    }

    private static List<?> list(Object of, String name) {
        return (List<?>) ((Map<?, ?>) of).get(name);
    }

    private static Object get(Object of, String name) {
        return ((Map<?, ?>) of).get(name);
    }

    private static String text(Object of, String name) {
        return (String) get(of, name);
    }

    private static double number(Object of, String name) {
        return (Double) get(of, name);
    }

    private static int integer(Object of, String name) {
        return (int) number(of, name);
    }

    private static long word(Object of, String name) {
        return Long.parseUnsignedLong(text(of, name), 16);
    }

    private static byte[] bytes(Object of, String name) {
        return Hex.bytes(text(of, name));
    }

    private static int[] integers(Object of, String name) {
        List<?> list = list(of, name);
        int[] integers = new int[list.size()];
        for (int place = 0; place < integers.length; place++) {
            integers[place] = ((Double) list.get(place)).intValue();
        }
        return integers;
    }

    private static long[] counts(List<?> list) {
        long[] counts = new long[list.size()];
        for (int place = 0; place < counts.length; place++) {
            counts[place] = ((Double) list.get(place)).longValue();
        }
        return counts;
    }

    private static Table table(Object of) {
        List<?> rows = list(of, "counts");
        if (get(of, "kind").equals("circulant")) {
            return new Table(true, new long[][] {counts(rows)});
        }
        long[][] counts = new long[rows.size()][];
        for (int row = 0; row < counts.length; row++) {
            counts[row] = counts((List<?>) rows.get(row));
        }
        return new Table(false, counts);
    }

    private void bounds() {
        for (Object one : list(file, "bounds")) {
            BigInteger floor = ExponentialFloor.of(number(one, "epsilon"), integer(one, "answers"));
            expect("bound", text(one, "floor"), floor.toString(16));
        }
        for (Object one : list(file, "edges")) {
            Table table = new Table(true, new long[][] {counts(list(one, "counts"))});
            expect("edge", get(one, "kept"), table.keeps(ExponentialFloor.of(number(one, "epsilon"), integer(one, "answers"))));
        }
    }

    private void coins() {
        for (Object one : list(file, "siphash")) {
            expect("siphash", word(one, "word"), SipHash.word(bytes(one, "key"), bytes(one, "message")));
        }
        for (Object one : list(file, "draws")) {
            Coins coins = new Coins(bytes(one, "seed"), bytes(one, "device"));
            List<Double> draws = new ArrayList<>();
            for (Object bound : list(one, "bounds")) {
                draws.add((double) coins.below(((Double) bound).longValue()));
            }
            expect("draws", list(one, "draws"), draws);
        }
        for (Object one : list(file, "assignments")) {
            Coins coins = new Coins(bytes(one, "seed"), bytes(one, "device"));
            List<Object> assigned = new ArrayList<>();
            for (int attribute : coins.attributes(integers(one, "weights"), integer(one, "answers"))) {
                assigned.add(new ArrayList<>(Arrays.asList((double) attribute, null)));
            }
            for (Object pair : assigned) {
                @SuppressWarnings("unchecked")
                List<Double> asked = (List<Double>) pair;
                asked.set(1, (double) coins.below(((Double) list(one, "rows").get(asked.get(0).intValue())).longValue()));
            }
            expect("assignment", list(one, "assigned"), assigned);
        }
    }

    private void codes() {
        for (Object one : list(file, "grid")) {
            Grid grid = new Grid(integer(one, "points"), number(one, "low"), number(one, "high"));
            expect("grid", integer(one, "index"), grid.index(number(one, "value"), 0, word(one, "word")));
        }
        for (Object one : list(file, "linear")) {
            int values = integer(one, "values");
            Code code = Boolean.TRUE.equals(get(one, "signed")) ? new Signed(values / 2)
                    : new Linear(integer(one, "base"), integer(one, "digits"), integers(one, "multipliers"), values);
            expect("rows", (long) integer(one, "rows"), code.rows());
            for (Object each : list(one, "cases")) {
                expect("linear", integer(each, "index"), code.index(number(each, "value"), integer(each, "row"), 0));
            }
        }
        for (Object one : list(file, "bins")) {
            List<?> edges = list(one, "edges");
            double[] numbers = new double[edges.size()];
            for (int place = 0; place < numbers.length; place++) {
                numbers[place] = (Double) edges.get(place);
            }
            Attribute attribute = Attribute.number("x", numbers[0], numbers[numbers.length - 1], numbers, Double.NaN);
            expect("bin", number(one, "place"), attribute.answer(number(one, "value")));
        }
    }

    private void tables() {
        for (Object one : list(file, "tables")) {
            Table table = table(get(one, "table"));
            for (Object each : list(one, "cases")) {
                expect("table", integer(each, "symbol"), table.symbol(integer(each, "index"), word(each, "word")));
            }
        }
    }

    /** Values as an app gives them; {@code {"special": ...}} stands for what JSON cannot write. */
    private static Map<String, Object> values(Object written) {
        Map<String, Object> values = new HashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) written).entrySet()) {
            Object value = entry.getValue();
            if (value instanceof Map && ((Map<?, ?>) value).containsKey("special")) {
                String special = text(value, "special");
                if (special.equals("absent")) {
                    continue;
                }
                value = special.equals("nan") ? Double.NaN : Double.POSITIVE_INFINITY;
            }
            values.put((String) entry.getKey(), value);
        }
        return values;
    }

    /** Random bytes that were written down, and that must all be read. */
    private static final class Written implements RandomBytes {
        private final byte[] bytes;
        private int at;

        Written(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public byte[] next(int count) {
            at += count;
            return Arrays.copyOfRange(bytes, at - count, at);
        }

        String report(byte[] report) {
            return at == bytes.length ? Hex.text(report) : "read " + at + " random bytes of " + bytes.length;
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
            double[] answers = survey.answers(values);
            for (int place = 0; place < answers.length; place++) {
                if (survey.attributes.get(place).shape == Attribute.Shape.SIGNED) {
                    answers[place] = (Double) values.get(survey.attributes.get(place).name);
                }
            }
            expectReport(survey, one, integer(one, "tier"), answers);
        }
        Survey survey = surveys.get("silence");
        for (Object one : list(file, "silence")) {
            double[] answers = survey.answers(values(get(one, "values")));
            expect("answers", list(one, "answers"), nullable(answers));
            expectReport(survey, one, 0, answers);
        }
    }

    private static List<Double> nullable(double[] answers) {
        List<Double> list = new ArrayList<>();
        for (double answer : answers) {
            list.add(Double.isNaN(answer) ? null : answer);
        }
        return list;
    }

    private void expectReport(Survey survey, Object one, int tier, double[] answers) {
        Written random = new Written(bytes(one, "random"));
        byte[] report = survey.report(bytes(one, "seed"), bytes(one, "device"), tier, answers, random);
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
            StringBuilder text = new StringBuilder();
            for (Object part : list(one, "parts")) {
                for (int time = 0; time < (Double) ((List<?>) part).get(1); time++) {
                    text.append(((List<?>) part).get(0));
                }
            }
            String refusal;
            try {
                refusal = refusal(Json.read(text.toString().getBytes(StandardCharsets.UTF_8), Json.MOST_BYTES));
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

    private void expectRefused(Object one, String refusal) {
        boolean named = refusal != null && refusal.contains(text(one, "field"));
        expect(text(one, "why") + " (" + refusal + ")", true, named);
    }

    private void documents() throws Refused {
        for (Object one : list(file, "documents")) {
            byte[] canonical = text(one, "canonical").getBytes(StandardCharsets.UTF_8);
            expect("fingerprint", text(one, "fingerprint"), sha256(canonical));
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

    private static String sha256(byte[] bytes) {
        try {
            return Hex.text(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException error) {
            throw new AssertionError(error);
        }
    }

    private static Map<String, Object> listOf(Object surveys, Object trainings) {
        Map<String, Object> list = new LinkedHashMap<>();
        list.put("protocol", 1.0);
        list.put("surveys", surveys);
        list.put("trainings", trainings);
        return list;
    }

    private void lists() throws Refused {
        for (Object one : list(file, "used")) {
            expect(text(one, "why"), 1, SurveyList.read(listOf(Arrays.asList(get(one, "listed")), null)).surveys.size());
        }
        for (Object one : list(file, "passed_over")) {
            expect(text(one, "why"), 0, SurveyList.read(listOf(Arrays.asList(get(one, "listed")), null)).surveys.size());
        }
        List<String> names = new ArrayList<>();
        for (SurveyList.Entry training : SurveyList.read(listOf(new ArrayList<>(), list(get(file, "trainings"), "listed"))).trainings) {
            names.add(training.name);
        }
        expect("trainings", list(get(file, "trainings"), "used"), names);
        for (Object one : list(file, "unusable")) {
            boolean usable = true;
            try {
                SurveyList.read(get(one, "list"));
            } catch (Refused error) {
                usable = false;
            }
            expect(text(one, "why"), false, usable);
        }
        for (Object one : list(file, "enrolled_before")) {
            Map<String, Object> round = new HashMap<>();
            round.put("label", "a");
            round.put("seed", "00000000000000000000000000000000");
            round.put("enrolled_before", get(one, "enrolled_before"));
            expect("enrolled_before", get(one, "answers"), Round.read(Fields.of(round, "round")).isFor(text(one, "enrolled")));
        }
    }

    private void records() throws Refused {
        Survey survey = SurveyReader.read(get(file, "survey"), "");
        for (Object one : list(file, "records")) {
            Map<String, Kind> record = new HashMap<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) get(one, "record")).entrySet()) {
                record.put((String) entry.getKey(), Kind.valueOf(((String) entry.getValue()).toUpperCase(Locale.ROOT)));
            }
            expect(text(one, "why"), get(one, "answers"), survey.isToldBy(record));
        }
    }

    private static double limit(Object limits, String name) {
        return get(limits, name) == null ? Double.NaN : number(limits, name);
    }

    private void ledgers() throws Refused {
        for (Object one : list(file, "limits")) {
            List<LedgerLine> lines = new ArrayList<>();
            for (Object line : list(one, "lines")) {
                if (!((String) line).endsWith("<cut>")) {
                    lines.add(LedgerLine.read((String) line));
                }
            }
            long now = Times.seconds(get(one, "now"));
            Spending spent = new Spending(lines);
            if (spent.isAhead(now)) {
                lines.add(LedgerLine.read("{\"at\": \"" + Times.text(now) + "\", \"event\": \"clock\"}"));
                spent = new Spending(lines);
            }
            Object limits = get(one, "limit");
            EpsilonLimit limit = new EpsilonLimit(limit(limits, "per_report"), limit(limits, "per_round"), limit(limits, "per_30_days"));
            List<?> tiers = list(one, "tiers");
            double[] epsilons = new double[tiers.size()];
            for (int tier = 0; tier < epsilons.length; tier++) {
                epsilons[tier] = (Double) tiers.get(tier);
            }
            int tier = limit.tier(epsilons, text(one, "round"), spent, now);
            Object answer = tier >= 0 ? (Object) (double) tier : limit.forbids(epsilons[0], text(one, "round"), spent, now);
            expect(text(one, "why"), get(one, "answer"), answer);
        }
        for (Object line : list(file, "damaged")) {
            boolean damaged = false;
            try {
                LedgerLine.read((String) line);
            } catch (Refused error) {
                damaged = true;
            }
            expect("damaged: " + line, true, damaged);
        }
    }

    private void steps() throws Refused {
        Step step = StepReader.read(get(file, "step"));
        for (Object one : list(file, "reports")) {
            Written random = new Written(bytes(one, "random"));
            double[] answers = step.answers(values(get(one, "record")), random);
            for (int place = 0; place < answers.length; place++) {
                String name = step.survey.attributes.get(place).name;
                Object expected = get(get(one, "values"), name);
                if (expected instanceof String) {
                    expected = (double) list(list(get(get(file, "step"), "survey"), "attributes").get(place), "values").indexOf(expected);
                }
                expect(name, expected, Double.isNaN(answers[place]) ? null : answers[place]);
            }
            byte[] report = step.survey.report(step.round.seed, bytes(one, "device"), 0, answers, random);
            expect("report", text(one, "report"), random.report(report));
        }
        for (Object one : list(file, "refused")) {
            String refusal = null;
            try {
                StepReader.read(changed(get(file, "step"), list(one, "path"), get(one, "value")));
            } catch (Refused error) {
                refusal = error.getMessage();
            }
            expectRefused(one, refusal);
        }
    }

    /** A copy of a document in which the value at a path is another. */
    private static Object changed(Object document, List<?> path, Object value) {
        if (path.isEmpty()) {
            return value;
        }
        List<?> rest = path.subList(1, path.size());
        if (document instanceof List) {
            List<Object> copy = new ArrayList<>((List<?>) document);
            int place = ((Double) path.get(0)).intValue();
            copy.set(place, changed(copy.get(place), rest, value));
            return copy;
        }
        Map<Object, Object> copy = new LinkedHashMap<>((Map<?, ?>) document);
        copy.put(path.get(0), changed(copy.get(path.get(0)), rest, value));
        return copy;
    }
}
