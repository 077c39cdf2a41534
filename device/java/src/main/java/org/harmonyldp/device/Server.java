package org.harmonyldp.device;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The server, as a device speaks to it: the requests of docs/protocol.md, and nothing else.
 *
 * <p>Nothing that a server sends is believed: each reply is checked for shape before it is used.
 */
final class Server {
    final String url;
    private final Transport transport;
    private final int mostBytes;
    private final Now now;

    Server(String url, Transport transport, int mostBytes, Now now) {
        this.url = url;
        this.transport = transport;
        this.mostBytes = mostBytes;
        this.now = now;
    }

    /** Asks for an id and a credential. */
    Identity enrol(String key) throws ServerTrouble {
        Map<String, String> body =
                key == null ? Collections.<String, String>emptyMap() : Collections.singletonMap("key", key);
        Reply reply = send("POST", "/v1/devices", body, null);
        if (reply.getStatus() != 201) {
            throw trouble(reply, "enrolment");
        }
        return identity(reply, "enrolment");
    }

    /** Asks for a credential under the server's newest key; without one, the old is kept. */
    Identity renew(Identity identity) throws ServerTrouble {
        Reply reply = send("POST", "/v1/devices/me", Collections.emptyMap(), identity);
        if (reply.getStatus() != 200) {
            return identity;
        }
        Identity renewed = identity(reply, "renewal");
        if (!Arrays.equals(renewed.device, identity.device)) {
            throw new ServerTrouble("renewal: the answer is for another device");
        }
        return renewed;
    }

    /** The surveys that have an open round, and the trainings that run. */
    Offers offers() throws ServerTrouble {
        Reply reply = send("GET", "/v1/surveys", null, null);
        if (reply.getStatus() != 200) {
            throw trouble(reply, "the list of surveys");
        }
        try {
            return Offers.read(Json.read(reply.getBody(), mostBytes));
        } catch (Refused problem) {
            throw new ServerTrouble("the list of surveys: " + problem.getMessage());
        }
    }

    /** A survey document, as bytes that nobody has checked yet. */
    byte[] document(String name) throws ServerTrouble, Refused {
        Reply reply = send("GET", "/v1/surveys/" + name, null, null);
        if (isGone(reply)) {
            throw new Refused("the server lists it, but answers " + reply.getStatus() + " for its document");
        }
        if (reply.getStatus() != 200) {
            throw trouble(reply, "survey '" + name + "'");
        }
        return reply.getBody();
    }

    /** Asks for a training's step. The reply has it, or says when to ask again. */
    Reply task(Identity identity, String training) throws ServerTrouble {
        return send("GET", "/v1/trainings/" + training + "/task", null, identity);
    }

    /** Hands in a report. The reply says whether it was accepted, now or before. */
    Reply report(Identity identity, Outbox.Waiting one) throws ServerTrouble {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("round", one.round);
        body.put("report", Hex.text(one.report));
        return send("POST", "/v1/surveys/" + one.survey + "/reports", body, identity);
    }

    /** Asks for a device's enrolment and reports to be deleted. */
    Reply delete(Identity identity) throws ServerTrouble {
        return send("DELETE", "/v1/devices/me", null, identity);
    }

    void close() throws IOException {
        transport.close();
    }

    /** Whether what was asked for is not there, or not any more. */
    static boolean isGone(Reply reply) {
        return reply.getStatus() == 404 || reply.getStatus() == 410;
    }

    /** Why no second attempt will change a refusal of a report, or null if one may. */
    static String never(int status) {
        switch (status) {
            case 403:
                return "forbidden";
            case 409:
                return "conflict";
            case 410:
                return "closed";
            case 413:
                return "too-large";
            case 422:
                return "malformed";
            default:
                return null;
        }
    }

    /** How many seconds a reply asks to be left alone; NaN if it does not. */
    double retryAfter(Reply reply) {
        return RetryAfter.of(reply, now.seconds());
    }

    /** The error for a reply that asks to come back later, with when to. */
    ServerTrouble trouble(Reply reply, String what) {
        return new ServerTrouble(what + ": the server answered " + reply.getStatus(), retryAfter(reply));
    }

    private Identity identity(Reply reply, String what) throws ServerTrouble {
        try {
            return Identity.read(url, Fields.of(Json.read(reply.getBody(), mostBytes), "the answer"));
        } catch (Refused problem) {
            throw new ServerTrouble(what + ": " + problem.getMessage());
        }
    }

    private Reply send(String method, String path, Map<String, ?> body, Identity identity) throws ServerTrouble {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", "application/json");
        headers.put("Harmony-Protocol", String.valueOf(Offers.PROTOCOL));
        headers.put("User-Agent", "harmony-ldp-device-java");
        if (identity != null) {
            headers.put("Authorization", identity.authorization());
        }
        if (body != null) {
            headers.put("Content-Type", "application/json");
        }
        try {
            return transport.request(method, path, headers, body == null ? null : JsonText.bytes(body));
        } catch (IOException
                | RuntimeException problem) { // Android throws SecurityException where an app may not use the network
            throw new ServerTrouble("no answer to " + method + " " + path + ": " + problem.getClass().getSimpleName()
                    + (problem.getClass() == IOException.class ? " (" + problem.getMessage() + ")" : ""));
        }
    }
}
