package org.harmonyldp.device;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock on a device's directory: one process, and one thread, changes it at a time.
 *
 * <p>The file's lock excludes other processes, and is released by the system when this one dies; it does not exclude
 * threads of one process, and closing any stream of the file would release it. So threads first take turns at a lock of
 * their own.
 */
final class DirectoryLock {
    private static final Map<Path, ReentrantLock> TURNS = new HashMap<>();

    private final Path directory;

    DirectoryLock(Path directory) {
        this.directory = directory;
    }

    /** Held until it is closed; others wait. */
    static final class Held implements Closeable {
        private final ReentrantLock turn;
        private final RandomAccessFile file;

        private Held(ReentrantLock turn, RandomAccessFile file) {
            this.turn = turn;
            this.file = file;
        }

        @Override
        public void close() throws IOException {
            try {
                file.close();
            } finally {
                turn.unlock();
            }
        }
    }

    Held hold() throws IOException {
        Durable.makeDirectory(directory);
        ReentrantLock turn = turn(directory.toRealPath());
        turn.lock();
        try {
            if (turn.getHoldCount() > 1) {
                throw new IllegalStateException("the lock is held already");
            }
            return new Held(turn, lockedFile());
        } catch (IOException | RuntimeException error) {
            turn.unlock();
            throw error;
        }
    }

    private static ReentrantLock turn(Path canonical) {
        synchronized (TURNS) {
            ReentrantLock turn = TURNS.get(canonical);
            if (turn == null) {
                turn = new ReentrantLock();
                TURNS.put(canonical, turn);
            }
            return turn;
        }
    }

    private RandomAccessFile lockedFile() throws IOException {
        Path path = directory.resolve("lock");
        Durable.create(path);
        boolean interrupted = false;
        try {
            while (true) {
                RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                try {
                    file.getChannel().lock();
                    return file;
                } catch (FileLockInterruptionException | ClosedByInterruptException interruption) {
                    file.close();
                    interrupted |= Thread.interrupted();
                } catch (OverlappingFileLockException error) {
                    file.close();
                    throw new IOException("another copy of this library in this process uses " + directory, error);
                } catch (IOException | RuntimeException error) {
                    file.close();
                    throw error;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
