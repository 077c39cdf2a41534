package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** Survey documents on disk, by fingerprint, so that each is downloaded once. */
final class Documents {
    private static final long MOST_BYTES = 16L << 20;

    private final Path folder;

    Documents(Path directory) {
        folder = directory.resolve("surveys");
    }

    /** A document that is kept and undamaged, else null. */
    byte[] read(String fingerprint) throws IOException {
        byte[] content = Durable.read(folder.resolve(fingerprint));
        return content != null && Sha256.hex(content).equals(fingerprint) ? content : null;
    }

    /** Keeps a document, if there is room; it can be downloaded again. */
    void keep(String fingerprint, byte[] content) throws IOException {
        Durable.makeDirectory(folder);
        long used = content.length;
        for (String file : Folder.files(folder)) {
            used += Files.size(folder.resolve(file));
        }
        if (used <= MOST_BYTES) {
            Durable.write(folder.resolve(fingerprint), content);
        }
    }

    /** Removes every document but these. */
    void keepOnly(Set<String> fingerprints) throws IOException {
        for (String file : Folder.files(folder)) {
            if (!fingerprints.contains(file)) {
                Durable.remove(folder.resolve(file));
            }
        }
    }
}
