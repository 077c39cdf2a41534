import { must, ServerError } from "./errors.js";

/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {{get(name: string): string | null}} headers
 * @property {Uint8Array} body
 *
 * @typedef {(method: string, path: string, headers: Record<string, string>, body?: string) => Promise<Reply>} Transport
 *   Sends one request; give a device another one to go through a proxy, say. It throws if nothing comes back.
 */

const LONGEST_EXCHANGE = 60000;

/**
 * The address of a server, checked: https, or http on this machine, or where the app says that plain http is fine.
 *
 * @param {string} server
 * @param {boolean} [plainHttp]
 */
export function checkedAddress(server, plainHttp) {
  must(plainHttp || /^https:|^http:..(localhost|127.0.0.1|\[::1])[:/]/.test(`${server}/`), "server: https", TypeError);
  return server.replace(/\/+$/, "");
}

/**
 * A transport on `fetch`, without cookies, caches or redirects, which could carry the credential away.
 *
 * @param {string} address
 * @param {number} most the most bytes of a reply, so that a hostile server cannot make it endless
 * @returns {Transport}
 */
export const fetchTransport = (address, most) => async (method, path, headers, body) => {
  const chunks = [];
  let size = 0;
  try {
    const response = await fetch(address + path, {
      method,
      headers,
      body,
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(LONGEST_EXCHANGE),
    });
    const reader = response.body?.getReader();
    for (let chunk; size <= most && reader && !(chunk = await reader.read()).done; size += chunk.value.length) chunks.push(chunk.value);
    if (size > most) await reader?.cancel();
    must(size <= most, "too large", ServerError);
    return { status: response.status, headers: response.headers, body: new Uint8Array(await new Blob(chunks).arrayBuffer()) };
  } catch (error) {
    throw new ServerError(`no answer to ${method} ${path}: ${error}`);
  }
};
