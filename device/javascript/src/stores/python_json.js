/**
 * JSON, byte for byte as the Python SDK writes it, so that both can use the same directory.
 */

/**
 * Escape what is not ASCII, and mark the numbers that Python keeps as floats.
 *
 * A quote inside of a text is escaped, so the names below are fields wherever they match.
 *
 * @param {string} text
 */
const alike = (text) =>
  text
    .replace(/[\u007f-\uffff]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"))
    .replace(/("(?:at|epsilon|renewed|since)": -?\d+)(?=[,\n}]|$)/g, "$1.0");

/** An object over several lines. @param {object} value */
export const writePage = (value) => alike(JSON.stringify(value, null, 1)) + "\n";

/** An object in one line. @param {object} value */
export const writeLine = (value) => alike(JSON.stringify(value, null, 1).replace(/,\n */g, ", ").replace(/\n */g, "")) + "\n";
