package org.harmonyldp.device;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Answers every open survey once, and takes part once in every training. */
final class Answering {
    private static final String NOT_REVIEWED = "not among the documents that this app's authors reviewed";
    /** How long to leave a training alone whose step this device cannot use, in seconds. */
    private static final double UNUSABLE = Times.DAY;
    /** How long to wait for a task if the server does not say, in seconds. */
    private static final double DEFAULT_PAUSE = 60;

    private final DeviceState state;
    private final Enrolment enrolment;
    private final Spending spending;

    Answering(DeviceState state, Enrolment enrolment) {
        this.state = state;
        this.enrolment = enrolment;
        this.spending = new Spending(state);
    }

    void answerAll(Function<String, ?> values, Visit visit) throws IOException, ServerTrouble, NoConsent {
        Identity identity = enrolment.identity();
        Offers offers = state.consentedServer().offers();
        List<Entry> entries = state.ledger.entries();
        Set<String> fingerprints = new HashSet<>();
        for (Offer offer : offers.surveys) {
            fingerprints.add(offer.fingerprint);
            if (!offer.isDone(entries)) {
                answerSurvey(identity, offer, values, visit);
                entries = state.ledger.entries();
            }
        }
        Set<String> running = new HashSet<>();
        for (Offer training : offers.trainings) {
            running.add(training.name);
            if (!training.isDone(entries)) {
                takePart(identity, training, values, visit);
                entries = state.ledger.entries();
            }
        }
        state.surveys.keepOnly(fingerprints);
        try (DirectoryLock.Held held = state.lock.hold()) {
            state.pauses.keepOnly(running);
        }
    }

    /** Answers a survey's open round, unless the document or this app's code forbids it. */
    private void answerSurvey(Identity identity, Offer offer, Function<String, ?> values, Visit visit)
            throws IOException, ServerTrouble, NoConsent {
        if (state.reviewed != null && !offer.fingerprint.equals(state.reviewed.get(offer.name))) {
            visit.skipped.put(offer.name, NOT_REVIEWED);
            return;
        }
        if (!offer.round.isFor(identity.enrolled)) {
            visit.skipped.put(offer.name, "this device enrolled after the round opened");
            return;
        }
        Survey survey;
        try {
            survey = state.surveys.of(offer, name -> state.consentedServer().document(name));
        } catch (Refused problem) {
            visit.skipped.put(offer.name, problem.getMessage());
            return;
        }
        String objection =
                Rotation.objection(survey, identity.device, offer.name, offer.round, state.ledger.entries());
        if (objection != null) {
            visit.skipped.put(offer.name, objection);
            return;
        }
        answerOne(identity, offer.name, offer.round, offer.round.label, survey, survey, values, visit);
    }

    /** Asks for a training's step, and answers it if there is one for this device. */
    private void takePart(Identity identity, Offer training, Function<String, ?> values, Visit visit)
            throws IOException, ServerTrouble, NoConsent {
        Backoff pause = state.pauses.of(training.name);
        double now = state.now();
        String objection = state.limit.objection(new Charge(training.epsilon), "", state.ledger.entries(), now);
        if (state.reviewed != null) {
            objection = NOT_REVIEWED; // a step's document cannot be known before
        }
        if (objection != null) {
            visit.skipped.put(training.name, objection);
            return;
        }
        double wait = pause.remaining(now);
        if (wait == 0) {
            Reply reply = state.consentedServer().task(identity, training.name);
            if (reply.getStatus() == 200) {
                answerStep(identity, training, reply.getBody(), values, visit);
                if (visit.skipped.containsKey(training.name)) {
                    pause(pause, UNUSABLE);
                }
            } else if (reply.getStatus() == 204) {
                double asked = state.server.retryAfter(reply);
                wait = pause(pause, asked > 0 ? asked : DEFAULT_PAUSE);
            } else if (!Server.isGone(reply)) {
                throw state.server.trouble(reply, "training '" + training.name + "'");
            }
        }
        if (wait > 0) {
            visit.skipped.put(training.name, "no task now; to be asked for in " + Math.round(wait) + " seconds");
            visit.nextAttempt = Double.isNaN(visit.nextAttempt) ? wait : Math.min(wait, visit.nextAttempt);
        }
    }

    private double pause(Backoff pause, double seconds) throws IOException {
        try (DirectoryLock.Held held = state.lock.hold()) {
            return pause.told(state.now(), seconds);
        }
    }

    private void answerStep(Identity identity, Offer training, byte[] content, Function<String, ?> values, Visit visit)
            throws IOException, NoConsent {
        visit.skipped.remove(training.name);
        Step step;
        try {
            step = StepReader.read(Json.read(content, state.mostDocumentBytes));
            if (!step.training.equals(training.name)) {
                throw new Refused("'training' is not the training that was asked for");
            }
            if (step.survey.greatestEpsilon() != training.epsilon) {
                throw new Refused("'epsilon' is not the epsilon with which the training is listed");
            }
        } catch (Refused problem) {
            visit.skipped.put(training.name, problem.getMessage());
            return;
        }
        answerOne(identity, step.training, step.round, null, step.survey, step, values, visit);
    }

    /**
     * Spends epsilon on one report and keeps it, or notes why not.
     *
     * <p>Up to the snapshot nothing has looked at a value. After it, nothing that is decided here does: the answers go
     * into the report, and the warnings to the app alone.
     */
    private void answerOne(Identity identity, String name, Round round, String onceFor, Survey survey,
            Questions questions, Function<String, ?> values, Visit visit) throws IOException, NoConsent {
        List<Attribute> needs = questions.needs();
        String objection = state.record.lack(needs);
        if (objection == null) {
            Map<String, Object> told = AppRecord.snapshot(values, needs);
            visit.warn(AppRecord.warnings(told, needs));
            objection = spending.spend(identity, name, round, onceFor, survey, questions.answers(told, state.random));
        }
        if (objection == null) {
            visit.answered.add(new SurveyRound(name, round.label));
        } else {
            visit.skipped.put(name, objection);
        }
    }
}
