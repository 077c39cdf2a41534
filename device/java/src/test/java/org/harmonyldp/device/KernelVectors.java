package org.harmonyldp.device;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Bounds, coins, codes and tables. */
final class KernelVectors extends Vectors {
    private final String name;

    KernelVectors(String name) throws IOException, Refused {
        super(name);
        this.name = name;
    }

    @Override
    void run() throws Refused {
        switch (name) {
            case "bounds":
                bounds();
                break;
            case "coins":
                coins();
                break;
            case "codes":
                codes();
                break;
            case "tables":
                tables();
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private void bounds() {
        for (Object one : list(file, "bounds")) {
            BigInteger floor = ExponentialFloor.of(number(one, "epsilon"), integer(one, "answers"));
            expect("bound", text(one, "floor"), floor.toString(16));
        }
        for (Object one : list(file, "edges")) {
            Table table = new Table(true, new long[][] {counts(list(one, "counts"))});
            expect("edge", get(one, "kept"),
                    table.keeps(ExponentialFloor.of(number(one, "epsilon"), integer(one, "answers"))));
        }
        for (Object one : list(file, "products")) {
            BigInteger floor = ExponentialFloor.of(number(one, "epsilon"), integer(one, "answers"));
            Table table = table(get(one, "table"));
            expect("product", get(one, "kept"), table.keepsBefore(replaceTable(get(one, "replace")), floor));
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
                asked.set(
                        1, (double) coins.below(((Double) list(one, "rows").get(asked.get(0).intValue())).longValue()));
            }
            expect("assignment", list(one, "assigned"), assigned);
        }
    }

    private void codes() throws Refused {
        for (Object one : list(file, "grid")) {
            GridCode grid = new GridCode(integer(one, "points"), number(one, "low"), number(one, "high"));
            expect("grid", integer(one, "index"), grid.index(number(one, "value"), word(one, "word")));
        }
        for (Object one : list(file, "linear")) {
            boolean signed = Boolean.TRUE.equals(get(one, "signed"));
            SignedCode withSign = new SignedCode(integer(one, "values") / 2, null);
            LinearCode linear =
                    new LinearCode(integer(one, "base"), integer(one, "digits"), integers(one, "multipliers"), null);
            expect("rows", (long) integer(one, "rows"), signed ? withSign.rows() : linear.rows());
            for (Object each : list(one, "cases")) {
                int place = integer(each, "value");
                int row = integer(each, "row");
                int index = signed ? withSign.index(place, row) : linear.index(place, row);
                expect("linear", integer(each, "index"), index);
            }
        }
        for (Object one : list(file, "bins")) {
            List<?> edges = list(one, "edges");
            double[] numbers = new double[edges.size()];
            for (int place = 0; place < numbers.length; place++) {
                numbers[place] = (Double) edges.get(place);
            }
            Attribute attribute = new Histogram("x", "x", numbers, Double.NaN);
            expect("bin", number(one, "place"), attribute.answer(number(one, "value")));
        }
        pairs();
    }

    private void pairs() throws Refused {
        for (Object one : list(file, "pairs")) {
            Map<String, Object> document = new HashMap<>();
            document.put("name", "pair");
            document.put("kind", "crosstab");
            document.put("of", list(one, "of"));
            Attribute pair = AttributeReader.read(Fields.of(document, ""));
            expect("places", integer(one, "places"), pair.size());
            for (Object each : list(one, "cases")) {
                double[] answers = new double[2];
                for (int part = 0; part < 2; part++) {
                    Object answer = list(each, "answers").get(part);
                    answers[part] = answer == null ? Double.NaN : (Double) answer;
                }
                expect("pair", (long) integer(each, "place"), pair.place(answers, word(each, "word")));
            }
        }
    }

    private void tables() {
        for (Object one : list(file, "tables")) {
            Object written = get(one, "table");
            boolean replaces = get(written, "kind").equals("replace");
            Table table = replaces ? null : table(written);
            ReplaceTable replace = replaces ? replaceTable(written) : null;
            for (Object each : list(one, "cases")) {
                int index = integer(each, "index");
                long word = word(each, "word");
                int symbol = replaces ? replace.symbol(index, word) : table.symbol(index, word);
                expect("table", integer(each, "symbol"), symbol);
            }
        }
    }
}
