/** Shows how the records are verified, with a form for the publisher's public key. */
import { parsePublicKey, SignatureError } from "../../client/signature.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";
import type { SnapshotFacts } from "./reader.js";

/** Makes the section. @param onKey called with a new key, or with undefined when the user removes it. */
export function createProof(base: URL, onKey: (key: string | undefined) => void) {
  const line = element("p", { class: "proof", role: "status" }, "Not verified yet.");
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
    const why = whyNotKey(field.value);
    wrong.textContent = why ?? "";
    if (why !== undefined) return;
    keepKey(base, field.value.trim());
    line.className = "proof";
    line.replaceChildren("Checking the signature…");
    onKey(field.value.trim());
  });
  form.addEventListener("reset", () => {
    wrong.textContent = "";
    keepKey(base, undefined);
    onKey(undefined);
  });
  const how = element("p", {}, HOW);
  const details = element("details", {}, element("summary", {}, "How it is verified"), how, form);
  return {
    element: element("section", { class: "proved", "aria-label": "Verification" }, line, details),
    /** Shows that the data was verified, by digests or by a signature. */
    show({ view: { proof, snapshot } }: SnapshotFacts): void {
      const by = proof === "signature" ? `by the signature of key ${parsePublicKey(field.value).id}` : "by digests";
      line.className = "proof good";
      line.replaceChildren(
        `Verified ${by}: records and facets of snapshot `,
        element("code", {}, visibleText(snapshot.id)),
        ".",
      );
    },
    /** Shows that the data could not be verified. */
    fail(why: string): void {
      line.className = "proof bad";
      line.replaceChildren("Not verified: ", visibleText(why));
    },
  };
}

const HOW =
  "All records and facet counts shown here match their digests in SHA256SUMS. This detects damage and files of different snapshots. " +
  "The overview below is part of this page and not verified. It is shown only with the snapshot that it was written for. " +
  "To verify the publisher, paste their public key. It is stored only in this browser.";

/** Reads the stored public key for this listing. */
export function keptKey(base: URL): string | undefined {
  try {
    return localStorage.getItem(nameFor(base)) ?? undefined;
  } catch {
    // Storage is not allowed.
    return undefined;
  }
}

function keepKey(base: URL, key: string | undefined): void {
  try {
    if (key === undefined) localStorage.removeItem(nameFor(base));
    else localStorage.setItem(nameFor(base), key);
  } catch {
    // Storage is not allowed, so the key is not kept.
  }
}

/** The storage key: one host may have several listings. */
const nameFor = (base: URL) => `rollcall public key ${base.pathname}`;

function whyNotKey(text: string): string | undefined {
  try {
    parsePublicKey(text);
    return undefined;
  } catch (error) {
    if (error instanceof SignatureError) return `This ${error.message}.`;
    throw error;
  }
}
