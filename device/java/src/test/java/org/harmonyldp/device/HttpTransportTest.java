package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The platform's HTTP client, bounded in bytes and time. */
class HttpTransportTest {
    private static final int MOST_BYTES = 100_000;

    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private interface Talk {
        void with(OutputStream out) throws IOException, InterruptedException;
    }

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<byte[]> bodies = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private ServerSocket raw;
    private volatile Answer answer;

    @BeforeEach
    void start() throws IOException {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = HttpServer.create(loopback, 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().keySet());
            bodies.add(exchange.getRequestBody().readAllBytes());
            answer.to(exchange);
            exchange.close();
        });
        server.start();
        raw = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        server.stop(0);
        raw.close();
        threads.shutdownNow();
    }

    private HttpTransport transport(int exchangeMillis) {
        return new HttpTransport(
                "http://127.0.0.1:" + server.getAddress().getPort() + "/under", false, MOST_BYTES, exchangeMillis);
    }

    private HttpTransport rawTransport(int exchangeMillis, Talk talk) {
        threads.submit(() -> {
            while (true) {
                Socket socket = raw.accept();
                threads.submit(() -> {
                    try (Socket talking = socket; InputStream in = socket.getInputStream()) {
                        in.read(new byte[4096]);
                        talk.with(socket.getOutputStream());
                    }
                    return null;
                });
            }
        });
        return new HttpTransport("http://127.0.0.1:" + raw.getLocalPort(), false, MOST_BYTES, exchangeMillis);
    }

    private static Reply get(Transport transport) throws IOException {
        return transport.request("GET", "/v1/surveys", Collections.emptyMap(), null);
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Test
    void requestsArriveAsTheyAreAndRepliesComeBack() throws IOException {
        answer = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            send(exchange, 200, new byte[] {1, 2, 3});
        };
        Reply reply = transport(5000).request(
                "POST", "/v1/devices", Collections.singletonMap("Harmony-Protocol", "1"), new byte[] {4});
        assertEquals(200, reply.getStatus());
        assertEquals("7", reply.getHeader("retry-after"));
        assertArrayEquals(new byte[] {1, 2, 3}, reply.getBody());
        assertArrayEquals(new byte[] {4}, bodies.get(0));
        assertTrue(requests.get(0).startsWith("POST /under/v1/devices "), requests.get(0));
        String sent = requests.get(0).toLowerCase(Locale.ROOT);
        assertTrue(sent.contains("harmony-protocol"));
        for (String header : new String[] {"upgrade", "cookie", "referer", "if-none-match"}) {
            assertFalse(sent.contains(header), requests.get(0));
        }
    }

    @Test
    void everyStatusIsAReply() throws IOException {
        for (int status : new int[] {200, 201, 204, 400, 401, 403, 404, 408, 409, 410, 413, 422, 429, 500, 503}) {
            answer = exchange
                    -> send(exchange, status, status == 204 ? new byte[0] : "problem".getBytes(StandardCharsets.UTF_8));
            for (String method : new String[] {"GET", "POST", "DELETE"}) {
                byte[] body = method.equals("POST") ? new byte[] {'{', '}'} : null;
                Reply reply = transport(5000).request(
                        method, "/v1/devices/me", Collections.singletonMap("Authorization", "Harmony x.y"), body);
                assertEquals(status, reply.getStatus(), method);
            }
        }
    }

    @Test
    void redirectsAreNotFollowed() throws IOException {
        answer = exchange -> {
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            send(exchange, 302, new byte[0]);
        };
        assertEquals(302, get(transport(5000)).getStatus());
        assertEquals(1, requests.size());
    }

    @Test
    void aBodyHasABound() throws IOException {
        answer = exchange -> send(exchange, 200, new byte[MOST_BYTES]);
        assertEquals(MOST_BYTES, get(transport(5000)).getBody().length);
        answer = exchange -> send(exchange, 200, new byte[MOST_BYTES + 1]);
        assertThrows(IOException.class, () -> get(transport(5000)));
        answer = exchange -> send(exchange, 500, new byte[MOST_BYTES + 1]);
        assertThrows(IOException.class, () -> get(transport(5000)));
        answer = exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] chunk = new byte[8192];
            for (int count = 0; count < 100_000; count++) {
                exchange.getResponseBody().write(chunk);
            }
        };
        assertThrows(IOException.class, () -> get(transport(5000)));
    }

    private static void drip(OutputStream out, String start, String drop) throws IOException, InterruptedException {
        out.write(start.getBytes(StandardCharsets.UTF_8));
        for (int count = 0; count < 10_000; count++) {
            out.write(drop.getBytes(StandardCharsets.UTF_8));
            out.flush();
            Thread.sleep(20);
        }
    }

    @Test
    void anExchangeHasADeadlineHoweverItsBytesTrickle() {
        List<Talk> talks = Arrays.asList(out
                -> Thread.sleep(60_000),
                out
                -> drip(out, "", "H"),
                out
                -> drip(out, "HTTP/1.1 200 OK\r\nX: ", "y"),
                out
                -> drip(out, "HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n", "y"),
                out -> drip(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\ny\r\n"));
        for (Talk talk : talks) {
            HttpTransport transport = rawTransport(700, talk);
            long start = System.nanoTime();
            assertThrows(IOException.class, () -> get(transport));
            double seconds = (System.nanoTime() - start) / 1e9;
            assertTrue(seconds < 10, seconds + " seconds");
        }
    }

    @Test
    void whatIsNotHttpIsAnError() {
        assertThrows(IOException.class,
                () -> get(rawTransport(2000, out -> out.write("SSH-2.0-x\r\n".getBytes(StandardCharsets.UTF_8)))));
    }

    @Test
    void aBodyThatEndsEarlyIsAnError() {
        String half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
        assertThrows(IOException.class,
                () -> get(rawTransport(2000, out -> out.write(half.getBytes(StandardCharsets.UTF_8)))));
    }

    @Test
    void nobodyThereIsAnError() throws IOException {
        int port = raw.getLocalPort();
        raw.close();
        assertThrows(
                IOException.class, () -> get(new HttpTransport("http://localhost:" + port, false, MOST_BYTES, 2000)));
    }

    @Test
    void noThreadIsLeft() throws Exception {
        answer = exchange -> send(exchange, 200, new byte[10]);
        for (int count = 0; count < 50; count++) {
            get(transport(60_000));
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("harmony-deadline")) {
                thread.join(5_000);
                assertFalse(thread.isAlive());
            }
        }
    }

    @Test
    void plainHttpIsForLoopbackAlone() {
        for (String url : new String[] {"http://stats.example.org", "http://127.evil.example",
                     "http://127.0.0.1.example.org", "http://10.0.0.1", "ftp://x", "stats.example.org", "https://",
                     "https://u@x", "https://x?y", "https://x#y", "https:// x"}) {
            assertThrows(IllegalArgumentException.class, () -> new HttpTransport(url, false, 1, 1), url);
        }
        for (String url : new String[] {"https://stats.example.org", "https://x:8443/under", "http://localhost:1",
                     "http://127.0.0.1", "http://[::1]:80"}) {
            new HttpTransport(url, false, 1, 1);
        }
        new HttpTransport("http://10.0.0.1", true, 1, 1);
    }
}
