package org.harmonyldp.device;

import java.util.Locale;

/** Finds what a misspelt name was meant to be. */
final class Spelling {
    private static final int MOST_EDITS = 2;

    private Spelling() {
    }

    /** The name that differs least, by at most two letters, or null. */
    static String nearest(String name, Iterable<String> names) {
        String nearest = null;
        int fewest = MOST_EDITS + 1;
        for (String other : names) {
            int edits = edits(name.toLowerCase(Locale.ROOT), other.toLowerCase(Locale.ROOT));
            if (edits < fewest && edits < other.length()) {
                fewest = edits;
                nearest = other;
            }
        }
        return nearest;
    }

    private static int edits(String one, String other) {
        int[] above = new int[other.length() + 1];
        for (int column = 0; column < above.length; column++) {
            above[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            int[] current = new int[above.length];
            current[0] = row;
            for (int column = 1; column < current.length; column++) {
                int replaced = above[column - 1] + (one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, 1 + Math.min(above[column], current[column - 1]));
            }
            above = current;
        }
        return above[other.length()];
    }
}
