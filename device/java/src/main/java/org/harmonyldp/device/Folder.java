package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The names in a folder. */
final class Folder {
    private Folder() {
    }

    /** The names of a folder's files, sorted; none where there is no folder. */
    static List<String> files(Path folder) throws IOException {
        List<String> files = new ArrayList<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder)) {
            for (Path path : paths) {
                files.add(path.getFileName().toString());
            }
        } catch (NoSuchFileException | NotDirectoryException none) {
            return files;
        }
        Collections.sort(files);
        return files;
    }
}
