package org.harmonyldp.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Ledgers, limits and clocks. */
final class LedgerVectors extends Vectors {
    private final String name;

    LedgerVectors(String name) throws IOException, Refused {
        super(name);
        this.name = name;
    }

    @Override
    void run() throws Refused {
        switch (name) {
            case "ledgers":
                ledgers();
                break;
            case "over_time":
                overTime();
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private void ledgers() throws Refused {
        for (Object one : list(file, "limits")) {
            expect(text(one, "why"), get(one, "answer"), answer(one));
        }
        for (Object one : list(file, "memory")) {
            Object answer = answer(one);
            expect(text(one, "why"), get(one, "answer"), answer.equals(0.0) ? Boolean.TRUE : answer);
        }
        for (Object line : list(file, "damaged")) {
            expect("damaged: " + line, null, entries(line + "\n", 0));
        }
    }

    private void overTime() throws Refused {
        for (Object one : list(file, "places")) {
            byte[] fingerprint = bytes(one, "fingerprint");
            byte[] seed = Arrays.copyOfRange(fingerprint, 16, 32);
            expect("place", integer(one, "place"), Rotation.place(seed, bytes(one, "device"), integer(one, "every")));
        }
        for (Object one : list(file, "turns")) {
            StringBuilder content = new StringBuilder();
            for (Object line : list(one, "lines")) {
                content.append(line).append('\n');
            }
            Long number = get(one, "number") == null ? null : (long) number(one, "number");
            String objection = Rotation.objection(integer(one, "every"), integer(one, "place"), "phones", number,
                    entries(content.toString(), 0));
            expect(text(one, "why"), get(one, "answers"), objection == null);
        }
        for (Object one : list(file, "reports")) {
            Object written = get(get(file, "surveys"), text(one, "survey"));
            Survey survey = SurveyReader.listed(get(written, "survey"), text(written, "fingerprint"));
            WrittenBytes random = new WrittenBytes(bytes(one, "random"));
            byte[] device = bytes(one, "device");
            long[] words = new long[list(one, "memo").size()];
            for (int place = 0; place < words.length; place++) {
                words[place] = Long.parseUnsignedLong((String) list(one, "memo").get(place), 16);
            }
            Survey.Asked asked = survey.asked(new byte[16], device, 0);
            expect("words", words.length, survey.memoWords(asked));
            double[][] answers = survey.answers(values(get(one, "values")), null);
            byte[] report = survey.report(device, 0, answers, asked, random, words);
            expect("remembered in " + survey.name, text(one, "report"), random.report(report));
        }
    }

    private static Object answer(Object one) throws Refused {
        StringBuilder content = new StringBuilder();
        for (Object line : list(one, "lines")) {
            String text = (String) line;
            content.append(text.endsWith("<cut>") ? text.substring(0, text.length() - 5) : text + "\n");
        }
        double now = Times.seconds(get(one, "now"));
        List<Entry> entries = entries(content.toString(), now);
        if (entries == null) {
            return "damaged";
        }
        Charge[] charges = charges(one);
        EpsilonLimit limit = limit(get(one, "limit"));
        int tier = limit.tier(charges, text(one, "round"), entries, now);
        if (tier >= 0) {
            return (double) tier;
        }
        String objection = limit.objectionToAll(charges, text(one, "round"), entries, now);
        return objection.substring(0, objection.indexOf(':'));
    }

    private static Charge[] charges(Object one) throws Refused {
        if (get(one, "charge") != null) {
            return new Charge[] {Charge.read(Fields.of(get(one, "charge"), ""))};
        }
        Charge[] charges = new Charge[list(one, "tiers").size()];
        for (int tier = 0; tier < charges.length; tier++) {
            charges[tier] = new Charge((Double) list(one, "tiers").get(tier));
        }
        return charges;
    }

    /** What a ledger file of this content says to a device that is about to spend; null if it is damaged. */
    private static List<Entry> entries(String content, double now) {
        try {
            Path directory = Files.createTempDirectory("harmony-ledger");
            Path path = directory.resolve("ledger.jsonl");
            try {
                Files.write(path, content.getBytes(StandardCharsets.UTF_8));
                Ledger ledger = new Ledger(directory);
                ledger.noteClock(now);
                return ledger.entries();
            } catch (LedgerException damage) {
                return null;
            } finally {
                Files.delete(path);
                Files.delete(directory);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static EpsilonLimit limit(Object limits) {
        EpsilonLimit limit = EpsilonLimit.per30Days(number(limits, "per_30_days"));
        limit = get(limits, "per_round") == null ? limit : limit.perRound(number(limits, "per_round"));
        limit = get(limits, "per_report") == null ? limit : limit.perReport(number(limits, "per_report"));
        return Boolean.TRUE.equals(get(limits, "steady")) ? limit.steady() : limit;
    }
}
