package org.harmonyldp.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private void ledgers() throws Refused {
        for (Object one : list(file, "limits")) {
            expect(text(one, "why"), get(one, "answer"), answer(one));
        }
        for (Object line : list(file, "damaged")) {
            expect("damaged: " + line, null, entries(line + "\n", 0));
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
        double[] epsilons = new double[list(one, "tiers").size()];
        for (int tier = 0; tier < epsilons.length; tier++) {
            epsilons[tier] = (Double) list(one, "tiers").get(tier);
        }
        EpsilonLimit limit = limit(get(one, "limit"));
        int tier = limit.tier(epsilons, text(one, "round"), entries, now);
        if (tier >= 0) {
            return (double) tier;
        }
        String objection = limit.objection(epsilons[0], text(one, "round"), entries, now);
        return objection.substring(0, objection.indexOf(':'));
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
        return get(limits, "per_report") == null ? limit : limit.perReport(number(limits, "per_report"));
    }
}
