package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The memos of a device's directory: what it keeps between the rounds of a survey with memory.
 *
 * <p>A memo holds, for each answer that the survey's coin asks, one random word to round with and one for each index
 * of its table. They stand for the permanent symbol of each index, whatever the value is or will be: how many words are
 * drawn and kept depends on the survey alone.
 *
 * <p>Privacy: a memo is drawn once, and on disk before anything is made of it. Under the directory's lock nobody draws
 * a second one, and only withdrawn consent removes it: a survey that is no longer listed may be listed again.
 */
final class Memos {
    private static final long MOST_BYTES = 1 << 20;
    private static final int NAME_BYTES = 8;
    private static final int WORD_BYTES = 8;

    /** The random words that a device keeps for one survey, under a name for the ledger. */
    static final class Memo {
        final String name;
        final long[] words;

        /** Reads the device's id, the name and the words. */
        private Memo(byte[] content) {
            int start = Names.ID_BYTES + NAME_BYTES;
            name = Hex.text(Arrays.copyOfRange(content, Names.ID_BYTES, start));
            words = new long[(content.length - start) / WORD_BYTES];
            for (int place = 0; place < words.length; place++) {
                words[place] = SipHash.littleEndian(content, start + WORD_BYTES * place, WORD_BYTES);
            }
        }
    }

    private final Path folder;

    Memos(Path directory) {
        folder = directory.resolve("memos");
    }

    /** A device's memo for a survey, or null if it has none that is whole. */
    Memo read(String fingerprint, byte[] device, int words) throws IOException {
        byte[] file = Durable.read(folder.resolve(fingerprint));
        String text = file == null ? "" : new String(file, StandardCharsets.US_ASCII);
        if (text.length() != 2 * bytes(words) || !text.matches("[0-9a-f]*")) {
            return null;
        }
        byte[] content = Hex.bytes(text);
        return Arrays.equals(Arrays.copyOf(content, Names.ID_BYTES), device) ? new Memo(content) : null;
    }

    /** Whether one more memo of so many words may be kept. */
    boolean hasRoom(int words) throws IOException {
        return bytes() + 2L * bytes(words) <= MOST_BYTES;
    }

    /** Draws a memo and keeps it, durably, before anything is made of it. */
    Memo draw(String fingerprint, byte[] device, int words, RandomBytes random) throws IOException {
        byte[] content = Arrays.copyOf(device, bytes(words));
        byte[] drawn = random.next(NAME_BYTES + WORD_BYTES * words);
        System.arraycopy(drawn, 0, content, Names.ID_BYTES, drawn.length);
        Durable.makeDirectory(folder);
        Durable.write(folder.resolve(fingerprint), Hex.text(content).getBytes(StandardCharsets.US_ASCII));
        return new Memo(content);
    }

    /** How many bytes the memos take. */
    long bytes() throws IOException {
        long bytes = 0;
        for (String file : Folder.files(folder)) {
            bytes += Files.size(folder.resolve(file));
        }
        return bytes;
    }

    /** Removes everything, what a crash left unfinished as well. */
    void clear() throws IOException {
        for (String file : Folder.files(folder)) {
            Durable.remove(folder.resolve(file));
        }
    }

    private static int bytes(int words) {
        return Names.ID_BYTES + NAME_BYTES + WORD_BYTES * words;
    }
}
