package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server that speaks docs/protocol.md, in memory, and fails when a test asks it to. */
final class FakeServer implements Transport {
    /** Takes the next request: null lets it pass. */
    interface Fault {
        Reply instead(String method, String path) throws IOException;
    }

    final Map<String, String> devices = new LinkedHashMap<>();
    /** What was accepted, by "device survey". */
    final Map<String, String> reports = new LinkedHashMap<>();
    /** Every report that ever arrived, as "survey round report". */
    final List<String> seen = new ArrayList<>();
    /** Every request, as "METHOD path". */
    final List<String> requests = new ArrayList<>();
    final List<Map<String, String>> headers = new ArrayList<>();
    final Deque<Fault> faults = new ArrayDeque<>();
    final Map<String, Object> rounds = new LinkedHashMap<>();
    final Map<String, Map<String, Object>> steps = new LinkedHashMap<>();
    final Map<String, byte[]> documents = new HashMap<>();
    final Map<String, Double> epsilons = new HashMap<>();
    Object protocol = 1.0;
    String enrolled = "2026-11-01T00:00:00Z";
    String enrolledBefore;
    byte[] list;
    String lastBody;

    /** Publishes a survey and opens a round of it. */
    FakeServer publish(Map<String, Object> document, String label) {
        String name = (String) document.get("name");
        documents.put(name, JsonText.bytes(document));
        epsilons.put(name, (Double) document.get("epsilon"));
        return open(name, label);
    }

    FakeServer open(String name, String label) {
        Map<String, Object> round = new LinkedHashMap<>();
        round.put("label", label);
        round.put("seed", Sha256.hex((name + label).getBytes(StandardCharsets.UTF_8)).substring(0, 32));
        rounds.put(name, round);
        return this;
    }

    /** Opens a step of a training. */
    FakeServer train(Map<String, Object> step) {
        String name = (String) step.get("training");
        steps.put(name, step);
        epsilons.put(name, (Double) ((Map<?, ?>) step.get("survey")).get("epsilon"));
        return this;
    }

    /** The next request gets this status. */
    void answerNext(int status, String... headers) {
        Map<String, String> told = new HashMap<>();
        for (int at = 0; at < headers.length; at += 2) {
            told.put(headers[at], headers[at + 1]);
        }
        faults.add((method, path) -> new Reply(status, told, new byte[0]));
    }

    void passNext(int count) {
        for (int time = 0; time < count; time++) {
            faults.add((method, path) -> null);
        }
    }

    void loseNextRequest() {
        faults.add((method, path) -> { throw new IOException("nobody is there"); });
    }

    @Override
    public Reply request(String method, String path, Map<String, String> sent, byte[] body) throws IOException {
        requests.add(method + " " + path);
        headers.add(sent);
        lastBody = body == null ? null : new String(body, StandardCharsets.UTF_8);
        Reply instead = faults.isEmpty() ? null : faults.remove().instead(method, path);
        return instead == null ? answer(method, path, sent.get("Authorization")) : instead;
    }

    /** The answer of a server to which nothing happened. */
    Reply answer(String method, String path, String authorization) {
        if (path.equals("/v1/surveys")) {
            return new Reply(200, Collections.emptyMap(), list == null ? JsonText.bytes(listing()) : list);
        }
        if (method.equals("GET") && path.startsWith("/v1/surveys/")) {
            byte[] document = documents.get(path.substring("/v1/surveys/".length()));
            return document == null ? status(404) : new Reply(200, Collections.emptyMap(), document);
        }
        if (path.equals("/v1/devices")) {
            String id = String.format("%032x", devices.size() + 1);
            devices.put(id, "secret" + id);
            return identity(201, id);
        }
        String id = authorization == null ? "" : authorization.substring("Harmony ".length()).split("\\.")[0];
        if (!("Harmony " + id + "." + devices.get(id)).equals(authorization)) {
            return status(401);
        }
        if (path.equals("/v1/devices/me")) {
            if (method.equals("POST")) {
                return identity(200, id);
            }
            devices.remove(id);
            return status(204);
        }
        String name = path.split("/")[3];
        return path.startsWith("/v1/trainings/") ? task(name) : report(id, name);
    }

    private Reply task(String name) {
        Map<String, Object> step = steps.get(name);
        return step == null ? status(410) : new Reply(200, Collections.emptyMap(), JsonText.bytes(step));
    }

    private Reply report(String id, String name) {
        try {
            Fields fields = Fields.of(Json.read(lastBody.getBytes(StandardCharsets.UTF_8), Json.MOST_BYTES), "");
            String report = fields.text("report");
            seen.add(name + " " + fields.text("round") + " " + report);
            String before = reports.put(id + " " + name + " " + fields.text("round"), report);
            return status(before == null ? 201 : before.equals(report) ? 200 : 409);
        } catch (Refused error) {
            return status(422);
        }
    }

    private Reply identity(int status, String id) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("device", id);
        body.put("credential", devices.get(id));
        body.put("enrolled", enrolled);
        return new Reply(status, Collections.emptyMap(), JsonText.bytes(body));
    }

    private Map<String, Object> listing() {
        List<Object> surveys = new ArrayList<>();
        for (Map.Entry<String, Object> one : rounds.entrySet()) {
            @SuppressWarnings("unchecked")
            Map<String, Object> round = new LinkedHashMap<>((Map<String, Object>) one.getValue());
            round.put("enrolled_before", enrolledBefore);
            Map<String, Object> listed = new LinkedHashMap<>();
            listed.put("name", one.getKey());
            listed.put("fingerprint", Sha256.hex(documents.get(one.getKey())));
            listed.put("epsilon", epsilons.get(one.getKey()));
            listed.put("round", round);
            surveys.add(listed);
        }
        List<Object> trainings = new ArrayList<>();
        for (String name : steps.keySet()) {
            Map<String, Object> listed = new LinkedHashMap<>();
            listed.put("name", name);
            listed.put("epsilon", epsilons.get(name));
            trainings.add(listed);
        }
        Map<String, Object> listing = new LinkedHashMap<>();
        listing.put("protocol", protocol);
        listing.put("surveys", surveys);
        listing.put("trainings", trainings);
        return listing;
    }

    static Reply status(int status) {
        return new Reply(status, Collections.emptyMap(), new byte[0]);
    }
}
