/** Paths of page files, for listings at any path. */
import { describe, expect, test } from "vitest";
import { PagePaths } from "../../../src/core/release/layout.js";

describe.each(["/api/users/", "/v1/stations/", "/v1.0/a~b-c_d/x/", "/pages/"])("%s", (listing) => {
  const paths = new PagePaths(listing);

  test.each(["identity", "br", "gzip"] as const)("finds page files in %s by their paths", (variant) => {
    for (const page of [1, 9, 10, 123_456_789]) {
      const path = paths.path(page, variant);
      expect(path.startsWith(`${listing.slice(1)}pages/${page}.json`)).toBe(true);
      expect(paths.find(path)).toEqual({ page, variant });
    }
  });

  test.each(["0.json", "01.json", "1.json.zst", "x.json", "1.json/", "a/1.json", "1234567890.json", "", ".json"])(
    "%j is not a page",
    (name) => expect(paths.find(`${paths.folder}/${name}`)).toBe(undefined),
  );

  test("a page of another listing is not a page", () => {
    for (const other of [
      "/other/",
      `${listing}more/`,
      `/above${listing}`,
      listing.replace(".", "x").replace("s/", "z/"),
    ])
      expect(paths.find(new PagePaths(other).path(1)), other).toBe(undefined);
  });
});
