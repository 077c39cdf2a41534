package org.harmonyldp.device;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Files that a crash or a power cut does not undo once a method here has returned.
 *
 * <p>Callers hold the directory's lock, so a fixed name for the file being written is enough: what a crash leaves
 * behind is overwritten the next time. Streams are used, not channels: an interrupted thread would find its channel
 * closed in mid-write.
 */
final class Durable {
    private static final int CHUNK = 4096;

    private Durable() {
    }

    /** Creates a directory that only its owner may enter, and its parents. */
    static void makeDirectory(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            Files.createDirectories(path, ownerOnly("rwx------"));
        }
    }

    /** Writes a whole file: a reader, and a crash, find all of it or what was there before. */
    static void write(Path path, byte[] content) throws IOException {
        Path unfinished = path.resolveSibling(path.getFileName() + ".new");
        create(unfinished);
        try (FileOutputStream file = new FileOutputStream(unfinished.toFile())) {
            file.write(content);
            file.getFD().sync();
        }
        Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(path.getParent());
    }

    /** Adds a line to a file, first cutting off the unfinished line that a crash may have left. */
    static void appendLine(Path path, byte[] line) throws IOException {
        create(path);
        long end;
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            end = endOfLastLine(file);
            if (end < file.length()) {
                file.setLength(end);
            }
            file.seek(end);
            byte[] ended = new byte[line.length + 1];
            System.arraycopy(line, 0, ended, 0, line.length);
            ended[line.length] = '\n';
            file.write(ended);
            file.getFD().sync();
        }
        if (end == 0) {
            syncDirectory(path.getParent());
        }
    }

    /** Removes a file, and keeps it removed; it may be gone already. */
    static void remove(Path path) throws IOException {
        if (Files.deleteIfExists(path)) {
            syncDirectory(path.getParent());
        }
    }

    /** A file's content, or null where there is none. */
    static byte[] read(Path path) throws IOException {
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException | FileNotFoundException missing) {
            return null;
        }
    }

    /** Creates an empty file that only its owner may read, unless it is there. */
    static void create(Path path) throws IOException {
        if (Files.exists(path)) {
            return;
        }
        try {
            Files.createFile(path, ownerOnly("rw-------"));
        } catch (FileAlreadyExistsException anotherWasFaster) {
            return;
        }
    }

    private static FileAttribute<?>[] ownerOnly(String permissions) {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))};
    }

    private static long endOfLastLine(RandomAccessFile file) throws IOException {
        long end = file.length();
        while (end > 0) {
            long start = Math.max(0, end - CHUNK);
            byte[] chunk = new byte[(int) (end - start)];
            file.seek(start);
            file.readFully(chunk);
            for (int at = chunk.length - 1; at >= 0; at--) {
                if (chunk[at] == '\n') {
                    return start + at + 1;
                }
            }
            end = start;
        }
        return 0;
    }

    /** Makes a new, replaced or removed name durable, where the system can: not every one opens a directory. */
    private static void syncDirectory(Path directory) {
        boolean interrupted = false;
        while (true) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
                break;
            } catch (ClosedByInterruptException interruption) {
                interrupted |= Thread.interrupted();
            } catch (IOException notThisSystem) {
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
