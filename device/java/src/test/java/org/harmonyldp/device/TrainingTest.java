package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A device takes part in a training once, in whichever step is open. */
class TrainingTest extends DeviceRoom {
    @BeforeEach
    void onlyATraining() {
        server = new FakeServer().train(Samples.step());
    }

    private static Map<String, Object> next(int step) {
        Map<String, Object> next = Samples.step();
        @SuppressWarnings("unchecked")
        Map<String, Object> round = new HashMap<>((Map<String, Object>) next.get("round"));
        round.put("label", "charging:" + step);
        next.put("round", round);
        return next;
    }

    @Test
    void itTakesPartOnce() throws Exception {
        Map<String, Object> values = new HashMap<>();
        values.put("charging", true);
        values.put("battery", 20);
        values.put("theme", "dark");
        Visit visit = device().answer(values);
        assertEquals("[charging charging:1]", visit.getAccepted().toString(), visit.toString());
        server.train(next(2));
        server.requests.clear();
        assertEquals(0, device().answer(values).getAnswered().size());
        assertEquals("[GET /v1/surveys]", server.requests.toString());
        assertEquals(1, device().ledger().size());
    }

    @Test
    void withoutATaskItWaitsAsLongAsItIsTold() {
        server.passNext(2);
        server.answerNext(204, "Retry-After", "600");
        Visit visit = answer();
        assertEquals(Duration.ofSeconds(600), visit.getNextAttempt());
        assertEquals("no task now; to be asked for in 600 seconds", visit.getSkipped().get("charging"));
        server.publish(Samples.survey("small"), "1");
        visit = answer();
        assertEquals("[small 1]", visit.getAnswered().toString());
        clock.now += 600;
        assertEquals("[charging charging:1]", answer().getAnswered().toString());
    }

    @Test
    void withoutAWordItWaitsAMinute() {
        server.passNext(2);
        server.answerNext(204);
        assertEquals(Duration.ofSeconds(60), answer().getNextAttempt());
    }

    @Test
    void patienceWaitsForATask() {
        server.passNext(2);
        server.answerNext(204, "Retry-After", "5");
        Visit visit = device().answer(Samples.values(), Duration.ofSeconds(10));
        assertEquals("[charging charging:1]", visit.getAccepted().toString());
        assertTrue(visit.getSkipped().isEmpty());
    }

    @Test
    void anUnusableStepIsLeftForADay() {
        Map<String, Object> step = Samples.step();
        step.put("format", "harmony-step/9");
        server.steps.put("charging", step);
        assertEquals("format must be harmony-step/1", answer().getSkipped().get("charging"));
        server.train(Samples.step());
        assertTrue(answer().getSkipped().get("charging").startsWith("no task now"));
        clock.now += Times.DAY;
        assertEquals(1, answer().getAnswered().size());
    }

    @Test
    void aStepOfAnotherTrainingOrEpsilonIsUnusable() {
        Map<String, Object> step = Samples.step();
        step.put("training", "income");
        server.steps.put("charging", step);
        assertEquals("'training' is not the training that was asked for", answer().getSkipped().get("charging"));
        clock.now += Times.DAY;
        server.train(Samples.step());
        server.epsilons.put("charging", 1.0);
        assertEquals("'epsilon' is not the epsilon with which the training is listed",
                answer().getSkipped().get("charging"));
    }

    @Test
    void aTrainingThatIsOverIsNoTrouble() {
        server.passNext(2);
        server.answerNext(410);
        Visit visit = answer();
        assertEquals(null, visit.getTrouble());
        assertTrue(visit.getSkipped().isEmpty());
    }

    @Test
    void theLimitForbidsBeforeATaskIsAskedFor() {
        Visit visit = builder().epsilonLimit(0.5).build().answer(Samples.values());
        assertTrue(visit.getSkipped().get("charging").startsWith("per_report"));
        assertEquals("[POST /v1/devices, GET /v1/surveys]", server.requests.toString());
    }

    @Test
    void theRecordMustTellFeaturesAndLabel() {
        Map<String, Kind> record = Samples.record();
        record.remove("charging");
        Device device = builder("https://stats.example", record).build();
        assertEquals("asks for 'charging' (boolean), which is not in this app's record",
                device.answer(Samples.values()).getSkipped().get("charging"));
    }
}
