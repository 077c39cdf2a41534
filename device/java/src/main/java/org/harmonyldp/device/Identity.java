package org.harmonyldp.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** Who this device is to one server, by a credential that was renewed at a time. */
final class Identity {
    private static final int MOST_CREDENTIAL = 1_000;

    final String server;
    final byte[] device;
    final String credential;
    /** When this device asked for the credential, by its own clock, in seconds. */
    final double renewed;
    /** When the device enrolled, by the server's clock and in its writing; empty is as early as can be. */
    final String enrolled;

    private Identity(String server, byte[] device, String credential, double renewed, String enrolled) {
        this.server = server;
        this.device = device;
        this.credential = credential;
        this.renewed = renewed;
        this.enrolled = enrolled;
    }

    /** Reads what an enrolment answered, or what a file kept. */
    static Identity read(String server, Fields fields) throws Refused {
        Object credential = fields.get("credential");
        if (!Names.isSeed(fields.get("device")) || !fitsAHeader(credential)) {
            throw new Refused("no usable 'device' and 'credential' in the answer");
        }
        double renewed = fields.get("renewed") == null ? 0 : fields.number("renewed");
        String enrolled = fields.get("enrolled") == null ? "" : fields.text("enrolled");
        return new Identity(server, Hex.bytes((String) fields.get("device")), (String) credential, renewed, enrolled);
    }

    /** The same identity, whose credential was asked for at a time. */
    Identity renewedAt(double now) {
        return new Identity(server, device, credential, now, enrolled);
    }

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("server", server);
        document.put("device", Hex.text(device));
        document.put("credential", credential);
        document.put("renewed", renewed);
        document.put("enrolled", enrolled);
        return document;
    }

    /** The header with which this device proves itself. */
    String authorization() {
        return "Harmony " + Hex.text(device) + "." + credential;
    }

    /** Whether a credential can be sent: text that cannot break out of its header. */
    private static boolean fitsAHeader(Object credential) {
        if (!(credential instanceof String) || ((String) credential).isEmpty()
                || ((String) credential).length() > MOST_CREDENTIAL) {
            return false;
        }
        for (int at = 0; at < ((String) credential).length(); at++) {
            char unit = ((String) credential).charAt(at);
            if (unit <= ' ' || unit > '~') {
                return false;
            }
        }
        return true;
    }

    /** The id alone: the credential is nobody's to see. */
    @Override
    public String toString() {
        return "Identity " + Hex.text(device) + " at " + server;
    }
}
