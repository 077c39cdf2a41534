package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Small JSON objects that a directory keeps. */
final class Kept {
    private Kept() {
    }

    /** The fields of a file; null where there is none, or none that is a JSON object. */
    static Fields read(Path path) throws IOException {
        byte[] content = Durable.read(path);
        try {
            return content == null ? null : Fields.of(Json.read(content, Json.MOST_BYTES), path.toString());
        } catch (Refused damage) {
            return null;
        }
    }

    static void write(Path path, Map<String, ?> object) throws IOException {
        Durable.write(path, (JsonText.of(object) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static boolean isThere(Path path) {
        return Files.exists(path);
    }
}
