package org.harmonyldp.device;

import java.io.Closeable;
import java.io.IOException;
import java.net.HttpURLConnection;

/**
 * Hangs up when an exchange takes too long, however slowly its bytes trickle in.
 *
 * <p>The platform's client bounds each wait, not their sum: a server that sends a byte of its headers now and then
 * would hold the app's worker, and the directory's lock, for hours. Nothing but another thread can end that; this one
 * lives as long as one exchange, and does nothing else.
 */
final class Deadline implements Closeable {
    private final HttpURLConnection connection;
    private final long end;
    private boolean over;
    private boolean passed;

    Deadline(HttpURLConnection connection, int millis) {
        this.connection = connection;
        this.end = System.nanoTime() + millis * 1_000_000L;
        Thread watch = new Thread(this::watch, "harmony-deadline");
        watch.setDaemon(true);
        watch.start();
    }

    private void watch() {
        synchronized (this) {
            while (!over) {
                long left = (end - System.nanoTime()) / 1_000_000L;
                if (left <= 0) {
                    break;
                }
                try {
                    wait(left);
                } catch (InterruptedException nobodyInterruptsThis) {
                    break;
                }
            }
            if (over) {
                return;
            }
            passed = true;
        }
        connection.disconnect();
    }

    /** An exchange that was cut short must not pass for one that ended early. */
    synchronized void refuseIfPassed() throws IOException {
        if (passed) {
            throw new IOException("the exchange took too long");
        }
    }

    @Override
    public synchronized void close() {
        over = true;
        notifyAll();
    }
}
