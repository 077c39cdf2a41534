package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** The pauses that a server asked for before this device may have a training's task. */
final class Pauses {
    private static final String PREFIX = "pause-";

    private final Path directory;

    Pauses(Path directory) {
        this.directory = directory;
    }

    Backoff of(String training) {
        return new Backoff(directory.resolve(PREFIX + training));
    }

    /** Forgets the pauses of trainings that no longer run. */
    void keepOnly(Set<String> trainings) throws IOException {
        for (String file : Folder.files(directory)) {
            if (file.startsWith(PREFIX) && !trainings.contains(file.substring(PREFIX.length()))) {
                Durable.remove(directory.resolve(file));
            }
        }
    }
}
