package org.harmonyldp.device;

import java.util.List;

/** The tables of a survey document, by their places. */
final class Tables {
    /** Each is a {@link Table} or a {@link ReplaceTable}. */
    private final List<Object> tables;

    Tables(List<Object> tables) {
        this.tables = tables;
    }

    /** The table that a mechanism names. */
    Table table(Fields mechanism) throws Refused {
        Object table = at(mechanism, "table");
        if (!(table instanceof Table)) {
            throw mechanism.refused("table", "must be the place of a dense or circulant table");
        }
        return (Table) table;
    }

    /** The replace table that a mechanism names. */
    ReplaceTable replace(Fields mechanism) throws Refused {
        Object table = at(mechanism, "replace");
        if (!(table instanceof ReplaceTable)) {
            throw mechanism.refused("replace", "must be the place of a replace table");
        }
        return (ReplaceTable) table;
    }

    private Object at(Fields mechanism, String field) throws Refused {
        return tables.get(mechanism.integer(field, 0, tables.size() - 1));
    }

    /** The name of a table, as messages give it. */
    String nameOf(Table table) {
        return "tables[" + tables.indexOf(table) + "]";
    }
}
