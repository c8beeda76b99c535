/** Which values of Host are valid. */
import { expect, test } from "vitest";
import { isHost } from "../../src/serve/host-header.js";

test.each([
  "",
  "a",
  "a.example",
  "A_b-c.example:8080",
  "a:",
  "127.0.0.1:1",
  "[::1]",
  "[::1]:443",
  "[v1.a:b]",
  "%C3%A4",
])("%j is a host", (value) => expect(isHost(value)).toBe(true));

test.each(["a/b", "u@a", "a b", "a,b/", "a:1:2", "a:x", "::1", "[::1", "[::1]x", "[x]", "%4", "a?b", "a#b", "\xe4"])(
  "%j is not",
  (value) => expect(isHost(value)).toBe(false),
);
