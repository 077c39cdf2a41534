package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.List;

/** Reads the tables of a survey document. */
final class TableReader {
    private static final int MOST_TABLES = 160_000;
    private static final int MOST_COUNTS = 1 << 20;
    private static final int MOST_SYMBOLS = 65_536;

    private int counts;

    static Tables read(Fields document) throws Refused {
        List<?> listed = document.list("tables", 1, MOST_TABLES);
        TableReader reader = new TableReader();
        List<Object> tables = new ArrayList<>(listed.size());
        for (int place = 0; place < listed.size(); place++) {
            tables.add(reader.table(document.fields("tables", place, listed.get(place))));
        }
        return new Tables(tables);
    }

    private Object table(Fields fields) throws Refused {
        if ("replace".equals(fields.get("kind"))) {
            long[] row = row(fields, fields.get("counts"));
            if (row.length < 3) {
                throw fields.refused("counts", "must have one to keep, and one for each symbol");
            }
            return new ReplaceTable(row);
        }
        if ("circulant".equals(fields.get("kind"))) {
            return new Table(true, new long[][] {row(fields, fields.get("counts"))});
        }
        if (!"dense".equals(fields.get("kind"))) {
            throw fields.refused("kind", "must be dense, circulant or replace");
        }
        List<?> listed = fields.list("counts", 2, MOST_COUNTS);
        long[][] rows = new long[listed.size()][];
        for (int place = 0; place < rows.length; place++) {
            rows[place] = row(fields, listed.get(place));
            if (rows[place].length != rows[0].length) {
                throw fields.refused("counts", "must have rows of one length");
            }
        }
        return new Table(false, rows);
    }

    private long[] row(Fields fields, Object listed) throws Refused {
        if (!(listed instanceof List) || ((List<?>) listed).size() < 2 || ((List<?>) listed).size() > MOST_SYMBOLS) {
            throw fields.refused("counts", "must have rows of 2 to 65536 counts");
        }
        List<?> list = (List<?>) listed;
        counts += list.size();
        if (counts > MOST_COUNTS) {
            throw fields.refused("counts", "are more than 2^20 in all tables");
        }
        long[] row = new long[list.size()];
        long sum = 0;
        for (int place = 0; place < row.length; place++) {
            Object count = list.get(place);
            if (!Fields.isInteger(count) || (Double) count < 1) {
                throw fields.refused("counts", "must be positive integers");
            }
            row[place] = ((Double) count).longValue();
            sum += row[place];
            if (sum > Table.TOTAL) {
                break;
            }
        }
        if (sum != Table.TOTAL) {
            throw fields.refused("counts", "must sum to 2^53 in each row");
        }
        return row;
    }
}
