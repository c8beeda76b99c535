/** The syntax of the Host header (RFC 9112, 3.2; RFC 3986, 3.2.2). */

const IP_LITERAL = /\[[\da-f:.]+\]|\[v[\da-f]+\.[\w.~!$&'()*+,;=:-]+\]/;
const NAME = /(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*/;
const HOST = new RegExp(`^(?:${IP_LITERAL.source}|${NAME.source})(?::\\d*)?$`, "i");

/** Whether a value of Host is a name or address, with or without a port. A name may be empty. */
export function isHost(value: string): boolean {
  return HOST.test(value);
}
