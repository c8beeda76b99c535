/** The index.html at the top of a site. */
import { describe, expect, test } from "vitest";
import { sitePage } from "../../src/explorer/overview.js";
import { STATIONS_CONTRACT } from "../support/stations.js";

const baseUrl = "https://shop.example.com";
const listings = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `t${count - at}`, contract: STATIONS_CONTRACT, count: at }));
const namesIn = (page: string) => [...page.matchAll(/<dt><a href="\.\/([^/"]+)\//g)].map(([, name]) => name);

describe("the overview", () => {
  test("is headed by the title and the description of the site, or by the number of its listings", () => {
    const plain = sitePage({ baseUrl }, listings(2), false);
    expect(plain).toContain("<title>Listings at shop.example.com</title>");
    expect(plain).toContain('<h1>2 listings</h1>\n<p class="since">1 record, as of one point in time</p>');
    const named = sitePage({ baseUrl, title: "<b>Shop", description: "All that\nis sold." }, listings(2), false);
    expect(named).toContain("<title>&lt;b&gt;Shop at shop.example.com</title>");
    expect(named).toContain('<h1>&lt;b&gt;Shop</h1>\n<p class="lead">All that is sold.</p>');
    expect(named).toContain('<p class="since">2 listings, 1 record, as of one point in time</p>');
  });

  test("has its listings in natural order, and a script that filters more than 20", () => {
    const few = sitePage({ baseUrl }, listings(20), false);
    expect(namesIn(few)).toEqual(Array.from({ length: 20 }, (_, at) => `t${at + 1}`));
    expect(few).not.toContain("<script");
    const many = sitePage({ baseUrl }, listings(21), false);
    expect(many).toContain('<script type="module" src="./t21/explorer/site.js"></script>');
    expect(many).toContain("script-src &#39;self&#39;");
  });
});
