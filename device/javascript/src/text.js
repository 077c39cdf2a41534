import { must } from "./errors.js";
import { distinct, integer, isText, list, object } from "./rules.js";

/**
 * Texts: a public code that spells a text in bits, and a text's place among prefixes that were kept.
 *
 * A step of an exploration asks for one. The code comes with the document; nothing is asked of Unicode's tables.
 */

const [START, END, ESCAPE] = "\x02\x03\x1b";

/** The words of each context, by character. @typedef {Map<string, Map<string, string>>} TextCode */

/** The words of one context: the canonical code of the lengths that it lists. @param {any} lists */
function readWords(lists) {
  /** @type {Map<string, string>} */
  const words = new Map();
  let number = 0;
  list(lists, 1, 24, "code", (characters, i) => {
    must(isText(characters), "text");
    number *= 2;
    for (const one of characters) {
      must(!words.has(one), "once");
      words.set(one, (number++).toString(2).padStart(i + 1, "0"));
    }
    must(number <= 2 ** (i + 1), "lengths");
  });
  must(words.has(ESCAPE), "code: escape");
  return words;
}

/** @param {any} value @returns {TextCode} */
export function readCode(value) {
  const contexts = Object.entries(object(value, "code"));
  must(contexts.length >= 1 && contexts.length <= 4096, "code: contexts");
  const code = new Map(
    contexts.map(([context, lists]) => {
      must(isText(context) && [...context].length <= 4, "code: a context");
      return [context, readWords(lists)];
    }),
  );
  must(code.get("")?.has(END), "code: ''");
  return code;
}

/** The first characters of a text as it is coded. @param {string} text @param {number} most */
function normalized(text, most) {
  let start = 0;
  let end = text.length;
  const isSpace = (/** @type {number} */ at) => /[\0-\x20\x7f]/.test(text[at]);
  while (start < end && isSpace(start)) start++;
  while (start < end && isSpace(end - 1)) end--;
  // A character has one code unit or two.
  const first = [...text.slice(start, Math.min(end, start + 2 * most))].slice(0, most);
  return first.map((one) => (one < " " || one === "\x7f" ? " " : one >= "A" && one <= "Z" ? one.toLowerCase() : one));
}

/** The first bits of a text's code; a shorter one goes on with zeros. @param {TextCode} code @param {string} text @param {number} most */
export function spell(code, text, most) {
  const rest = /** @type {Map<string, string>} */ (code.get(""));
  let before = [START];
  let bits = "";
  for (const one of [...normalized(text, most), END]) {
    let looked = before.slice(-4);
    while (!code.has(looked.join(""))) looked = looked.slice(1);
    const words = /** @type {Map<string, string>} */ (code.get(looked.join("")));
    bits +=
      words.get(one) ??
      (words === rest ? "" : words.get(ESCAPE)) +
        (rest.get(one) ?? rest.get(ESCAPE) + /** @type {number} */ (one.codePointAt(0)).toString(2).padStart(21, "0"));
    if (bits.length >= most) break;
    before = [...before, one];
  }
  return bits.slice(0, most).padEnd(most, "0");
}

/**
 * Read an attribute of kind `text`: what it asks, without its mechanisms. Every value has a place; the last is that of all others.
 *
 * @param {any} value
 */
export function readText({ code: contexts, length, bits, prefixes, strings, missing, unlisted }) {
  const code = readCode(contexts);
  integer(length, 1, 64, "length");
  integer(bits, 0, 20, "bits");
  const isBits = (/** @type {any} */ each) => must(/^[01]{0,64}$/.test(each) && typeof each === "string", "bits") ?? each;
  const depth = list(prefixes, 0, 4096, "prefixes", isBits)[0]?.length ?? 0;
  for (const { length } of prefixes) must(length === depth, "prefixes");
  must(depth + bits <= length, "prefixes: length");
  const padded = list(strings, 0, 4096, "strings", isBits).map((/** @type {string} */ each) => each.padEnd(length, "0"));
  for (const each of padded) must(each.length <= length, "strings: length");
  distinct(prefixes, "prefixes");
  distinct(padded, "strings");
  must(missing == null || isText(missing), "missing");
  must(unlisted == null, "unlisted");
  const first = prefixes.length * 2 ** bits;
  const answers = first + padded.length + 1;
  must(answers >= 2 && answers <= 2 ** 21, "prefixes, bits or strings");
  const after = new Map(prefixes.map((/** @type {string} */ each, /** @type {number} */ i) => [each, i * 2 ** bits]));
  const whole = new Map(padded.map((each, i) => [each, first + i]));
  /** The place of a value. @param {unknown} value */
  const get = (value) => {
    const text = isText(value) ? value : missing;
    if (text == null) return answers - 1;
    const spelled = spell(code, text, length);
    const start = after.get(spelled.slice(0, depth));
    return whole.get(spelled) ?? (start === undefined ? answers - 1 : start + parseInt(`0${spelled.slice(depth, depth + bits)}`, 2));
  };
  return {
    answers,
    places: { size: answers, has: isText, get },
    // A feature of a step has none.
    bins: [],
  };
}
