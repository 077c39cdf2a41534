package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A clock that jumps frees nothing, and blocks nothing for longer than 30 days after it is noticed. */
class ClockTest extends DeviceRoom {
    private Visit round(String label) {
        server.open("small", label);
        return builder().epsilonLimit(EpsilonLimit.per30Days(2)).build().answer(Samples.values());
    }

    @Test
    void aClockThatRanAheadBlocksThirtyDaysAfterItIsNoticed() throws Exception {
        clock.to("2099-01-01T00:00:00Z");
        round("1");
        round("2");
        clock.to("2026-11-16T12:00:00Z");
        assertTrue(round("3").getSkipped().get("small").startsWith("per_30_days"));
        assertEquals("clock", ledgerEvents().get(ledgerEvents().size() - 1));
        clock.now += 30 * Times.DAY - 1;
        assertTrue(round("4").getSkipped().get("small").startsWith("per_30_days"));
        clock.now += 1;
        assertEquals(1, round("5").getAnswered().size());
        assertEquals(1, ledgerEvents().stream().filter("clock" ::equals).count());
    }

    @Test
    void aClockThatIsSetBackFreesNothing() {
        clock.to("2026-11-16T12:00:00Z");
        round("1");
        round("2");
        clock.to("1970-01-02T00:00:00Z");
        assertTrue(round("3").getSkipped().get("small").startsWith("per_30_days"));
        clock.to("2026-11-20T00:00:00Z");
        assertTrue(round("4").getSkipped().get("small").startsWith("per_30_days"));
        clock.to("2026-12-16T12:00:00Z");
        assertEquals(1, round("5").getAnswered().size());
    }

    @Test
    void whatWasSpentWithAClockSetBackCountsWhenItIsRight() {
        clock.to("2026-11-16T12:00:00Z");
        round("1");
        clock.to("1970-01-02T00:00:00Z");
        assertEquals(1, round("2").getAnswered().size());
        clock.to("2026-11-17T00:00:00Z");
        assertTrue(round("3").getSkipped().get("small").startsWith("per_30_days"));
    }
}
