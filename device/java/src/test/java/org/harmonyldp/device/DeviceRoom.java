package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of a device start from: a server with one survey, a clock and an empty directory. */
abstract class DeviceRoom {
    @TempDir
    Path temporary;
    Path directory;
    FakeServer server;
    TestClock clock;

    @BeforeEach
    void startFromNothing() {
        directory = temporary.resolve("app").resolve("harmony");
        server = new FakeServer().publish(Samples.survey("small"), "1");
        clock = new TestClock();
    }

    DeviceBuilder builder() {
        return builder("https://stats.example", Samples.record());
    }

    DeviceBuilder builder(String url, Map<String, Kind> record) {
        return Device.builder(url, directory)
                .record(record)
                .consent(true)
                .epsilonLimit(100)
                .transport(server)
                .clock(clock)
                .sleeper(clock::sleep);
    }

    /** A device started anew, as after a restart. */
    Device device() {
        return builder().build();
    }

    Visit answer() {
        return device().answer(Samples.values());
    }

    List<String> ledgerEvents() throws IOException, Refused {
        List<String> events = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve("ledger.jsonl"))) {
            Object read = Json.read(line.getBytes(StandardCharsets.UTF_8), Json.MOST_BYTES);
            events.add(Fields.of(read, "").text("event"));
        }
        return events;
    }

    List<String> files() throws IOException {
        List<String> files = new ArrayList<>(Folder.files(directory));
        files.removeAll(Arrays.asList("lock", "surveys", "outbox"));
        for (String folder : new String[] {"surveys", "outbox"}) {
            for (String file : Folder.files(directory.resolve(folder))) {
                files.add(folder + "/" + file);
            }
        }
        return files;
    }
}
