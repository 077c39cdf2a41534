package org.harmonyldp.device;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What a server answered. */
public final class Reply {
    private final int status;
    private final Map<String, String> headers = new HashMap<>();
    private final byte[] body;

    /** A reply; the names of headers may have any case. */
    public Reply(int status, Map<String, String> headers, byte[] body) {
        this.status = status;
        this.body = body;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            this.headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
        }
    }

    /** The status, such as 200. */
    public int getStatus() {
        return status;
    }

    /** A header by its name in lower case, or null. */
    public String getHeader(String name) {
        return headers.get(name);
    }

    /** The body, which nobody has checked; not a copy. */
    public byte[] getBody() {
        return body;
    }
}
