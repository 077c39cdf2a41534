package org.harmonyldp.device;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/**
 * How a device reaches its server. Give the builder another to go through an HTTP library of your own.
 *
 * <p>A transport must not follow redirects (they could carry the credential away), must keep no cookies (they could
 * link a device to the one it was before {@link Device#forget}), must bound the body and the time of an exchange, and
 * may repeat a request that got no answer.
 */
public interface Transport extends Closeable {
    /**
     * Sends one request and returns what came back.
     *
     * @param method GET, POST or DELETE
     * @param path a path under the server's URL, such as {@code /v1/surveys}
     * @param headers the headers to send, besides those that HTTP needs
     * @param body the body to send, or null
     * @throws IOException if nothing usable came back; its message must not contain headers
     */
    Reply request(String method, String path, Map<String, String> headers, byte[] body) throws IOException;

    /** Closes connections; a later request may open others. */
    @Override
    default void close() throws IOException {
    }
}
