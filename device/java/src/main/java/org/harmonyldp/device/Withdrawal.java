package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether consent was withdrawn, and which identities the server has yet to delete.
 *
 * <p>Only what a deletion request needs is kept, and only until the server has confirmed it. A damaged file counts as
 * withdrawn: in doubt, nothing is sent.
 */
final class Withdrawal {
    static final String BY_FORGETTING = "forget";
    static final String BY_CONSENT = "consent";

    /** An identity that the server has yet to delete, since a time. */
    static final class Pending {
        final Identity identity;
        final double since;

        Pending(Identity identity, double since) {
            this.identity = identity;
            this.since = since;
        }
    }

    /** How consent was withdrawn; null where it was not. */
    String by;
    final List<Pending> pending = new ArrayList<>();
    private final Path path;

    private Withdrawal(Path path) {
        this.path = path;
    }

    static Withdrawal read(Path directory) throws IOException {
        Withdrawal withdrawal = new Withdrawal(directory.resolve("withdrawal.json"));
        Fields fields = Kept.read(withdrawal.path);
        if (fields == null) {
            withdrawal.by = Kept.isThere(withdrawal.path) ? BY_FORGETTING : null;
            return withdrawal;
        }
        try {
            withdrawal.by = fields.get("withdrawn_by") == null ? null : fields.text("withdrawn_by");
            List<?> listed = fields.list("pending", 0, Integer.MAX_VALUE);
            for (int place = 0; place < listed.size(); place++) {
                Fields one = fields.fields("pending", place, listed.get(place));
                withdrawal.pending.add(new Pending(Identity.read(one.text("server"), one), one.number("since")));
            }
        } catch (Refused damage) {
            withdrawal.by = BY_FORGETTING;
        }
        return withdrawal;
    }

    boolean isPending(byte[] device) {
        for (Pending one : pending) {
            if (Arrays.equals(one.identity.device, device)) {
                return true;
            }
        }
        return false;
    }

    void confirmed(byte[] device) {
        List<Pending> left = new ArrayList<>();
        for (Pending one : pending) {
            if (!Arrays.equals(one.identity.device, device)) {
                left.add(one);
            }
        }
        pending.clear();
        pending.addAll(left);
    }

    /** Keeps the state, durably; nothing is kept when there is nothing to keep. */
    void write() throws IOException {
        if (by == null && pending.isEmpty()) {
            Durable.remove(path);
            return;
        }
        List<Object> listed = new ArrayList<>();
        for (Pending one : pending) {
            Map<String, Object> document = one.identity.document();
            document.put("since", one.since);
            listed.add(document);
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("withdrawn_by", by);
        document.put("pending", listed);
        Kept.write(path, document);
    }
}
