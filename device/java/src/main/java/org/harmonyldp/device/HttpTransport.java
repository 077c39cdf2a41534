package org.harmonyldp.device;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * HTTP by the platform's own client, which keeps connections alive and checks TLS as the system does.
 *
 * <p>Plain http is for loopback alone, unless the app says otherwise.
 */
final class HttpTransport implements Transport {
    /** For connecting, and for every wait for more bytes. */
    static final int STEP_MILLIS = 10_000;
    /** For a whole exchange. */
    static final int EXCHANGE_MILLIS = 60_000;

    private static final int CHUNK = 1 << 14;

    private final String server;
    private final int mostBytes;
    private final int exchangeMillis;

    HttpTransport(String server, boolean plainHttp, int mostBytes, int exchangeMillis) {
        URI parts;
        try {
            parts = new URI(server);
        } catch (URISyntaxException error) {
            throw new IllegalArgumentException("'server' must be an https URL such as https://stats.example.org");
        }
        boolean plain = "http".equalsIgnoreCase(parts.getScheme());
        if (!plain && !"https".equalsIgnoreCase(parts.getScheme()) || parts.getHost() == null) {
            throw new IllegalArgumentException("'server' must be an https URL such as https://stats.example.org");
        }
        if (parts.getRawUserInfo() != null || parts.getRawQuery() != null || parts.getRawFragment() != null) {
            throw new IllegalArgumentException("'server' must have no user, query or fragment");
        }
        if (plain && !plainHttp && !Loopback.isLoopback(parts.getHost())) {
            throw new IllegalArgumentException(
                    "'server': plain http sends the credential unprotected; use https, or plainHttp(true) "
                    + "on a network you trust");
        }
        this.server = server;
        this.mostBytes = mostBytes;
        this.exchangeMillis = exchangeMillis;
    }

    @Override
    public Reply request(String method, String path, Map<String, String> headers, byte[] body) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(server + path).openConnection();
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setConnectTimeout(Math.min(STEP_MILLIS, exchangeMillis));
        connection.setReadTimeout(Math.min(STEP_MILLIS, exchangeMillis));
        connection.setRequestProperty("Accept-Encoding", "identity");
        for (Map.Entry<String, String> header : headers.entrySet()) {
            connection.setRequestProperty(header.getKey(), header.getValue());
        }
        boolean read = false;
        try (Deadline deadline = new Deadline(connection, exchangeMillis)) {
            if (body != null) {
                connection.setDoOutput(true);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body);
                }
            }
            int status = connection.getResponseCode();
            if (status < 0) {
                throw new IOException("the reply is not HTTP");
            }
            Reply reply = new Reply(status, headersOf(connection), body(connection, status));
            deadline.refuseIfPassed();
            read = true;
            return reply;
        } finally {
            if (!read) {
                connection.disconnect();
            }
        }
    }

    private static Map<String, String> headersOf(HttpURLConnection connection) {
        Map<String, String> headers = new HashMap<>();
        for (Map.Entry<String, List<String>> header : connection.getHeaderFields().entrySet()) {
            if (header.getKey() != null && !header.getValue().isEmpty()) {
                headers.put(header.getKey(), header.getValue().get(0));
            }
        }
        return headers;
    }

    /** The body, which a hostile server cannot make endless. */
    private byte[] body(HttpURLConnection connection, int status) throws IOException {
        long promised = status == HttpURLConnection.HTTP_NO_CONTENT ? 0 : connection.getContentLengthLong();
        if (promised > mostBytes) {
            throw new IOException("the reply has more than " + mostBytes + " bytes");
        }
        InputStream stream = status >= HttpURLConnection.HTTP_BAD_REQUEST ? connection.getErrorStream()
                                                                          : connection.getInputStream();
        if (stream == null) {
            return new byte[0];
        }
        try (InputStream in = stream) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            byte[] chunk = new byte[CHUNK];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                body.write(chunk, 0, count);
                if (body.size() > mostBytes) {
                    throw new IOException("the reply has more than " + mostBytes + " bytes");
                }
            }
            if (body.size() < promised) { // the platform's client takes a connection that ended for the end of a body
                throw new IOException("the reply ends early");
            }
            return body.toByteArray();
        }
    }
}
