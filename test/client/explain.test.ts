/** What verbs say about errors of a published listing. */
import { expect, test } from "vitest";
import { tooLarge } from "../../src/client/errors.js";
import { explainListing } from "../../src/client/explain.js";

test("a page that is too large is not taken for a wrong base URL", () => {
  const baseUrl = "https://directory.example.com";
  const error = tooLarge(`${baseUrl}/api/users/?page=1`, "8388608 bytes", "raise memoryBytes");
  expect(explainListing(error, { baseUrl }, {})).toMatchObject({
    message:
      "https://directory.example.com/api/users/?page=1 is too large to read here: expected at most 8388608 bytes. If it is a page, its publisher can build with a smaller --page-size.",
  });
});
