package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Threads of one process exclude each other, also where the file's lock does not. */
class ThreadsTest extends DeviceRoom {
    @Test
    void manyDevicesOfOneDirectoryAnswerEachRoundOnce() throws Exception {
        for (int survey = 0; survey < 5; survey++) {
            server.publish(Samples.survey("s" + survey), "1");
        }
        Transport oneAtATime = new Transport() {
            @Override
            public Reply request(String method, String path, Map<String, String> headers, byte[] body)
                    throws java.io.IOException {
                synchronized (server) {
                    return server.request(method, path, headers, body);
                }
            }
        };
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<Visit>> visits = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            Device device = builder().transport(oneAtATime).build();
            visits.add(threads.submit(() -> device.answer(Samples.values())));
        }
        int answered = 0;
        for (Future<Visit> visit : visits) {
            answered += visit.get(60, TimeUnit.SECONDS).getAnswered().size();
        }
        threads.shutdown();
        assertEquals(6, answered);
        assertEquals(6, new HashSet<>(server.seen).size());
        assertEquals(6, device().ledger().size());
        assertEquals(1, server.devices.size());
    }

    @Test
    void theLockIsNotHeldTwiceByOneThread() throws Exception {
        DirectoryLock lock = new DirectoryLock(directory);
        try (DirectoryLock.Held held = lock.hold()) {
            assertThrows(IllegalStateException.class, lock::hold);
        }
        lock.hold().close();
    }
}
