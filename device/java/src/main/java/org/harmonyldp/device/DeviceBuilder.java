package org.harmonyldp.device;

import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Describes a {@link Device}. A record, consent and an epsilon limit are required. */
public final class DeviceBuilder {
    private final String server;
    private final Path directory;
    final Map<String, Kind> record = new LinkedHashMap<>();
    private boolean recordGiven;
    BooleanSupplier consent;
    EpsilonLimit epsilonLimit;
    Map<String, String> surveys;
    String key;
    int mostDocumentBytes = Json.MOST_BYTES;
    long mostWaitingBytes = 1L << 20;
    private boolean plainHttp;
    private Transport transport;
    private Clock clock = Clock.systemUTC();
    RandomBytes random = new SystemRandom();
    private Device.Sleeper sleeper = seconds -> Thread.sleep((long) Math.ceil(seconds * 1000));

    DeviceBuilder(String server, Path directory) {
        this.server = Objects.requireNonNull(server, "server");
        this.directory = Objects.requireNonNull(directory, "directory");
    }

    /**
     * Declares that this app can tell a name, the same for all of its users.
     *
     * <p>A survey that asks for something else is skipped; any other is answered, whatever the values are and whether
     * they are there.
     */
    public DeviceBuilder record(String name, Kind kind) {
        record.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(kind, "kind"));
        recordGiven = true;
        return this;
    }

    /** Declares everything that this app can tell. */
    public DeviceBuilder record(Map<String, Kind> kinds) {
        for (Map.Entry<String, Kind> one : kinds.entrySet()) {
            record(one.getKey(), one.getValue());
        }
        recordGiven = true;
        return this;
    }

    /**
     * Says whether the owner consents. It is asked before every request: without consent nothing is sent, and what was
     * kept is deleted here and at the server.
     */
    public DeviceBuilder consent(BooleanSupplier given) {
        consent = Objects.requireNonNull(given, "consent");
        return this;
    }

    /** Says whether the owner consents, for as long as this device lives. */
    public DeviceBuilder consent(boolean given) {
        return consent(() -> given);
    }

    /** Sets what the owner allows to be spent. */
    public DeviceBuilder epsilonLimit(EpsilonLimit limit) {
        epsilonLimit = Objects.requireNonNull(limit, "epsilonLimit");
        return this;
    }

    /** Sets what the owner allows to be spent in every report, round and 30 days alike. */
    public DeviceBuilder epsilonLimit(double epsilon) {
        return epsilonLimit(EpsilonLimit.per30Days(epsilon));
    }

    /** Names the only documents to answer, those that the app's authors reviewed: fingerprints by survey. */
    public DeviceBuilder surveys(Map<String, String> fingerprints) {
        surveys = new HashMap<>(fingerprints);
        return this;
    }

    /** Sets the key that enrolment asks for, if it does. */
    public DeviceBuilder key(String enrolmentKey) {
        key = enrolmentKey;
        return this;
    }

    /** Allows a server without TLS that is not on this machine. */
    public DeviceBuilder plainHttp(boolean allowed) {
        plainHttp = allowed;
        return this;
    }

    /** Sets how many bytes a document, or a reply, may have; 1 MiB unless this is called. */
    public DeviceBuilder mostDocumentBytes(int bytes) {
        mostDocumentBytes = positive(bytes, "mostDocumentBytes");
        return this;
    }

    /** Sets how many bytes of reports may wait; 1 MiB unless this is called. */
    public DeviceBuilder mostWaitingBytes(int bytes) {
        mostWaitingBytes = positive(bytes, "mostWaitingBytes");
        return this;
    }

    /** Sets how the server is reached, in place of the platform's HTTP client. */
    public DeviceBuilder transport(Transport other) {
        transport = Objects.requireNonNull(other, "transport");
        return this;
    }

    /** Sets the clock; for tests. */
    public DeviceBuilder clock(Clock other) {
        clock = Objects.requireNonNull(other, "clock");
        return this;
    }

    DeviceBuilder random(RandomBytes other) {
        random = other;
        return this;
    }

    DeviceBuilder sleeper(Device.Sleeper other) {
        sleeper = other;
        return this;
    }

    /** The device. Nothing is read, written or sent yet. */
    public Device build() {
        if (!recordGiven) {
            throw new IllegalStateException(
                    "'record' is missing: declare what this app can tell, record(\"battery\", Kind.NUMBER)");
        }
        if (consent == null || epsilonLimit == null) {
            throw new IllegalStateException(consent == null ? "'consent' is missing" : "'epsilonLimit' is missing");
        }
        String url = server;
        while (url.endsWith("/")) {
            url = url.substring(0, url.length() - 1);
        }
        HttpTransport http = new HttpTransport(
                url, plainHttp || transport != null, mostDocumentBytes, HttpTransport.EXCHANGE_MILLIS);
        Clock ticking = clock;
        Now now = () -> ticking.millis() / 1000.0;
        Server reached = new Server(url, transport == null ? http : transport, mostDocumentBytes, now);
        return new Device(directory, new DeviceState(this, directory, reached, now), sleeper);
    }

    private static int positive(int bytes, String name) {
        if (bytes < 1) {
            throw new IllegalArgumentException("'" + name + "' must be positive");
        }
        return bytes;
    }
}
