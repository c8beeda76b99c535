/** Characters that output for people must not contain. */

/**
 * Controls and invisible characters. A joiner may only be between two letters or emoji that are not ASCII, and only one
 * at a time.
 */
export const DECEIVING =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\u200c\u200d](?![^\p{ASCII}\u200c\u200d])|(?<![^\p{ASCII}\u200c\u200d])[\u200c\u200d]/u;
