/** Says how the records are proved, and takes a public key to check the signature with. */
import { parsePublicKey, SignatureError } from "../../client/signature.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";
import type { Basis } from "./reader.js";

/** @param onKey called with another key, or with undefined when the reader removes it. */
export function createProof(base: URL, onKey: (key: string | undefined) => void) {
  const line = element("p", { class: "proof", role: "status" }, "Nothing is proved yet.");
  const field = element("input", { id: "key", class: "field", name: "key", autocomplete: "off", spellcheck: "false" });
  const wrong = element("p", { id: "key-wrong", class: "wrong", role: "status" });
  const form = element(
    "form",
    { class: "key" },
    element("label", { class: "label", for: field.id }, "Public key of the publisher (minisign, RW…)"),
    field,
    element("button", { class: "button" }, "Check the signature"),
    element("button", { type: "reset", class: "button" }, "Forget the key"),
    wrong,
  );
  field.setAttribute("aria-describedby", wrong.id);
  field.value = keptKey(base) ?? "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const why = whyNoKey(field.value);
    wrong.textContent = why ?? "";
    if (why !== undefined) return;
    keepKey(base, field.value.trim());
    line.className = "proof";
    line.replaceChildren("The signature is being checked…");
    onKey(field.value.trim());
  });
  form.addEventListener("reset", () => {
    wrong.textContent = "";
    keepKey(base, undefined);
    onKey(undefined);
  });
  const how = element("p", {}, HOW);
  const details = element("details", {}, element("summary", {}, "How it is proved"), how, form);
  return {
    element: element("section", { class: "proved", "aria-label": "Proof" }, line, details),
    /** Says by what it was proved. */
    show({ snapshot }: Basis, proof: string | undefined): void {
      const by = proof === "signature" ? `by the signature of key ${parsePublicKey(field.value).id}` : "by digests";
      line.className = "proof good";
      line.replaceChildren(
        `Proved ${by}: records and facets of snapshot `,
        element("code", {}, visibleText(snapshot.id)),
        ".",
      );
    },
    /** Says what is wrong with it. */
    fail(why: string): void {
      line.className = "proof bad";
      line.replaceChildren("Not proved: ", visibleText(why));
    },
  };
}

const HOW =
  "Every record and every count of a facet that is shown here was compared with its digest in SHA256SUMS. That tells damage, and files that " +
  "do not belong together. The overview below is part of this page, which is not compared: it is shown only with the snapshot that it was written for. " +
  "Who published them is told by a signature: paste the publisher's public key, which is kept in this browser only.";

/** The key that the reader gave for this listing before. */
export function keptKey(base: URL): string | undefined {
  try {
    return localStorage.getItem(nameFor(base)) ?? undefined;
  } catch {
    // The reader lets pages keep nothing.
    return undefined;
  }
}

function keepKey(base: URL, key: string | undefined): void {
  try {
    if (key === undefined) localStorage.removeItem(nameFor(base));
    else localStorage.setItem(nameFor(base), key);
  } catch {
    // Then it is not kept.
  }
}

/** Several listings may be below one host. */
const nameFor = (base: URL) => `rollcall public key ${base.pathname}`;

function whyNoKey(text: string): string | undefined {
  try {
    parsePublicKey(text);
    return undefined;
  } catch (error) {
    if (error instanceof SignatureError) return `This ${error.message}.`;
    throw error;
  }
}
