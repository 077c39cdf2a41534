package org.harmonyldp.device;

/** Which hosts are this machine. */
final class Loopback {
    private Loopback() {
    }

    /** Whether a host is this machine, by its name or number alone: nothing is looked up. */
    static boolean isLoopback(String host) {
        if (host.equals("localhost") || host.equals("[::1]") || host.equals("::1")) {
            return true;
        }
        String[] parts = host.split("\\.", -1);
        if (parts.length != 4 || !parts[0].equals("127")) {
            return false;
        }
        for (String part : parts) {
            if (!isByte(part)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isByte(String part) {
        if (part.isEmpty() || part.length() > 3) {
            return false;
        }
        for (int at = 0; at < part.length(); at++) {
            if (part.charAt(at) < '0' || part.charAt(at) > '9') {
                return false;
            }
        }
        return Integer.parseInt(part) <= 255;
    }
}
