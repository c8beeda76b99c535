/** Caddy: a site block of the administrator, which imports what each release holds for it. */
import { usageError } from "../../errors.js";
import type { HostedSite } from "../rules/deployment.js";
import type { Host } from "../rules/host.js";
import { PATTERN_LIMITATIONS } from "../rules/patterns.js";
import { answers, failures } from "./answers.js";
import { caddyBlock, caddyWord, indent, quoteCaddy } from "./language.js";

const INCLUDED = "caddy.conf";

export const caddy: Host = {
  name: "caddy",
  title: "Caddy",
  query: "map",
  compression: "files",
  tested: "Caddy of Debian",
  limitations: PATTERN_LIMITATIONS,
  steps: ["Gets its own certificate where the base URL has https, unless --listen-port is given."],
  site: (site) => ({
    path: "rollcall.caddy",
    what: "Caddy, as the host",
    instructions:
      "Goes into a Caddyfile by a line: import rollcall.caddy. It is yours: it is never written again, whatever is built.\n" +
      "After each build, and after rollcall use: systemctl reload caddy.",
    text: writeSite(site),
  }),
  included: (deployment) => [
    {
      path: INCLUDED,
      what: "Caddy, in the block of a site: the answers",
      instructions: "Imported by the site's file.",
      text: [...answers(deployment), ...failures(deployment), ""].join("\n"),
    },
  ],
};

function writeSite(site: HostedSite): string {
  const { base, serverName, address } = site;
  return [
    `${quoteCaddy(addressOf(site))} {`,
    ...indent([
      ...(address === undefined ? [] : [`bind ${quoteCaddy(address.replace(/^\[(.*)\]$/, "$1"))}`]),
      "# With https:// above, Caddy gets a certificate by itself, unless this line names yours:",
      `# tls /etc/ssl/certs/${serverName}.pem /etc/ssl/private/${serverName}.key`,
      ...(base === ""
        ? []
        : ["", "# Other listings of this name may go into this block too, each by a line like this one."]),
      `import ${caddyWord(plainPath(site.included(INCLUDED)))}`,
      ...(base === "" ? [] : ["# What nothing else in this block answers.", ...caddyBlock("handle", ["error 404"])]),
    ]),
    "}",
    "",
  ].join("\n");
}

/** A port that was asked for means that a server in front has the certificate. */
function addressOf({ baseUrl, serverName, port, protocol }: HostedSite): string {
  if (port !== undefined || protocol === "http:") return `http://${serverName}:${port}`;
  const own = new URL(baseUrl).port;
  return `https://${serverName}${own && `:${own}`}`;
}

/** @throws UserError (usage) for what an import takes for a pattern or a variable, and has no escape for. */
function plainPath(path: string): string {
  if (!/[*?[\]{]/.test(path)) return path;
  throw usageError(
    `Caddy cannot import ${JSON.stringify(path)}, of which it would read *, ?, [ or { as a pattern; give another --root.`,
  );
}
