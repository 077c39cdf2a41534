package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS is checked as the platform does: whose certificate it is, and for which host. */
class TlsTest {
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir
    Path temporary;
    private HttpsServer server;
    private KeyStore keys;
    private final AtomicInteger requests = new AtomicInteger();
    private final SSLSocketFactory usual = HttpsURLConnection.getDefaultSSLSocketFactory();

    @BeforeEach
    void serveWithACertificateThatNobodyTrusts() throws Exception {
        Path store = temporary.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Paths.get(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
                "san=dns:localhost", "-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore",
                store.toString())
                                  .inheritIO()
                                  .start();
        assertEquals(true, keytool.waitFor(60, TimeUnit.SECONDS));
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        HttpsURLConnection.setDefaultSSLSocketFactory(usual);
        server.stop(0);
    }

    private int status(String host) throws Exception {
        String url = "https://" + host + ":" + server.getAddress().getPort();
        Transport transport = new HttpTransport(url, false, 1000, 20_000);
        return transport.request("GET", "/v1/surveys", Collections.emptyMap(), null).getStatus();
    }

    private void trustTheCertificate() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
    }

    @Test
    void aCertificateThatNobodyTrustsIsRefused() {
        assertThrows(SSLException.class, () -> status("localhost"));
        assertEquals(0, requests.get());
    }

    @Test
    void aTrustedCertificateIsForItsHostAlone() throws Exception {
        trustTheCertificate();
        assertEquals(204, status("localhost"));
        assertThrows(IOException.class, () -> status("127.0.0.1"));
        assertEquals(1, requests.get());
    }
}
