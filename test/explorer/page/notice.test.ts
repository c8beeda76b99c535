/** What the explorer says when something cannot be shown. */
import { expect, onTestFinished, test, vi } from "vitest";
import { ListingError, type ListingErrorCode, tooLarge } from "../../../src/client/errors.js";
import { describeError } from "../../../src/explorer/page/notice.js";

const URL_OF_PAGE = "https://directory.example.com/api/users/?page=1";

test.each<[Error, string, boolean]>([
  [tooLarge(URL_OF_PAGE, "8388608 bytes"), "A page is too large to read here.", false],
  [listingError("mismatch"), "The host sent data that was not published, so it is not shown.", true],
  [listingError("network"), "The host does not answer. The page shows what was loaded before.", false],
  [listingError("usage"), "The published files do not answer this.", false],
  [listingError("status"), "The host does not have the requested data.", false],
])("%s", (error, text, isUnproved) => {
  vi.stubGlobal("navigator", { onLine: true });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(describeError(error)).toEqual({ text, details: error.message, isUnproved });
});

function listingError(code: ListingErrorCode): ListingError {
  return new ListingError(code, URL_OF_PAGE, "cannot be read");
}
