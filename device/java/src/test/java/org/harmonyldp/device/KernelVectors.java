package org.harmonyldp.device;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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

    private void codes() {
        for (Object one : list(file, "grid")) {
            GridCode grid = new GridCode(integer(one, "points"), number(one, "low"), number(one, "high"));
            expect("grid", integer(one, "index"), grid.index(number(one, "value"), 0, word(one, "word")));
        }
        for (Object one : list(file, "linear")) {
            int values = integer(one, "values");
            Code code = Boolean.TRUE.equals(get(one, "signed"))
                    ? new SignedCode(values / 2)
                    : new LinearCode(
                            integer(one, "base"), integer(one, "digits"), integers(one, "multipliers"), values);
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
            Attribute attribute = new Histogram("x", numbers, Double.NaN);
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
}
