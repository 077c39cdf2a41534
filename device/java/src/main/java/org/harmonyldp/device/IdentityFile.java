package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Path;

/** The one identity of a directory, readable by its owner alone. */
final class IdentityFile {
    private final Path path;

    IdentityFile(Path directory) {
        path = directory.resolve("identity.json");
    }

    /** The identity, or null; one that is damaged beyond use counts as none. */
    Identity read() throws IOException {
        Fields fields = Kept.read(path);
        try {
            return fields == null ? null : Identity.read(fields.text("server"), fields);
        } catch (Refused damage) {
            return null;
        }
    }

    void write(Identity identity) throws IOException {
        Kept.write(path, identity.document());
    }

    void remove() throws IOException {
        Durable.remove(path);
    }
}
