import { expect, test } from "vitest";
import { describeApi } from "../../../../src/build/artifacts/openapi/openapi.js";
import { contractOf } from "../../../../src/core/contract/contract.js";
import { viewsOf } from "../../../../src/core/contract/views.js";
import { PLACE_VIEWS, PLACES } from "../../../support/places.js";

test("a view is two paths, with a parameter for its values", () => {
  const contract = contractOf(PLACES);
  const compiled = viewsOf(contract, { ...PLACE_VIEWS, _height: { order: ["height"] } });
  if (!("views" in compiled)) throw new Error(compiled.mistakes.join());
  const files = ["views.json"];
  const described = { baseUrl: "https://data.example.com", links: "query", encodings: [], files } as const;
  const { paths, components } = JSON.parse(describeApi(contract, { ...described, views: compiled.views }));
  expect(Object.keys(paths).filter((path) => path.startsWith("/views"))).toEqual(
    [
      ...["-height/", "-height/pages/{page}.json", "_height/", "_height/pages/{page}.json"],
      ...["kind-highest", "month", "open", "size", "tag", "topics"].flatMap((name) => [
        `${name}/{value}/`,
        `${name}/{value}/pages/{page}.json`,
      ]),
    ]
      .map((path) => `/views/${path}`)
      .concat("/views.json", "/views/{view}.json", "/views/{view}.sha256"),
  );
  const ids = Object.values<{ get: { operationId: string } }>(paths).map(({ get }) => get.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const { get } = paths["/views/kind-highest/{value}/"];
  expect(get.parameters[0]).toMatchObject({
    name: "value",
    in: "path",
    schema: { examples: ["castle", "lake", "ruin"] },
  });
  expect(get.responses["200"]).toEqual({ $ref: "#/components/responses/Page" });
  expect(components.schemas.Views.properties.views.items.properties.name.type).toBe("string");
  const without = describeApi(contract, { ...described, files: [] });
  expect(without).not.toContain("views");
});
