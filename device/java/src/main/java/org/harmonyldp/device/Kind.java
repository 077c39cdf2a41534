package org.harmonyldp.device;

/** What an app can tell about one name of its record. */
public enum Kind {
    /** A finite number. */
    NUMBER,
    /** Text. */
    TEXT,
    /** True or false. */
    BOOLEAN
}
