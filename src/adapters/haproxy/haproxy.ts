/** HAProxy before a host that can only serve paths: a backend in each release, and the lines by which a frontend uses it. */
import { CONTENT_TYPE, commonHeaders, NO_STORE } from "../../contract/headers.js";
import type { Adapter, FileSource } from "../rules/adapter.js";
import { type HostedSite, tagLines } from "../rules/deployment.js";
import { literal, PATTERN_LIMITATIONS } from "../rules/patterns.js";
import { writeBackend } from "./backend.js";
import { httpError, oneWord } from "./language.js";

const BACKEND = "haproxy.cfg";
const TAGS = "haproxy-tags.map";

export const haproxy: Adapter = {
  name: "haproxy",
  title: "HAProxy, before any host",
  query: "set-path",
  compression: "files",
  tested: "HAProxy of Debian, before nginx without configuration",
  limitations: PATTERN_LIMITATIONS,
  steps: [
    "Whatever serves files can be the host behind it: --origin is where it has the folder of the releases. Its headers do not matter.",
    "With --listen-port or --address, rollcall.cfg is a frontend; without them, it is a line for a frontend that has the port.",
  ],
  site: (site) => (site.listens ? ownFrontend(site) : joining(site)),
  included: (deployment) => [
    {
      path: BACKEND,
      what: "HAProxy, as a file of its own after haproxy.cfg: the backend",
      instructions: "The only file that HAProxy reads through the link to the current release.",
      text: writeBackend(deployment, deployment.included(TAGS)),
    },
    { path: TAGS, instructions: `The digests, which ${BACKEND} reads.`, text: tagLines(deployment) },
  ],
};

const YOURS =
  "It is yours: it is never written again, whatever is built. After each build, and after rollcall use: systemctl reload haproxy.";

/** Two frontends with one port would get its connections at random, so a frontend that is there is joined. */
function joining({ base, serverName, key, included }: HostedSite): FileSource {
  const name = `{ req.hdr(host),host_only -i ${oneWord(serverName)} }`;
  const path = base === "" ? "" : ` { path -m reg ${oneWord(`^${literal(base)}(?:/|$)`)} }`;
  return {
    path: "rollcall.cfg",
    what: "HAProxy: a line for the frontend that has the port",
    instructions: `Goes into that frontend of haproxy.cfg, before its default_backend. HAProxy reads the backend by -f ${included(BACKEND)}\n${YOURS}`,
    text: `  use_backend ${key} if ${name}${path}\n`,
  };
}

function ownFrontend({ address, port, key, serverName, included }: HostedSite): FileSource {
  const on = (number: number) => (address === undefined ? `:::${number} v4v6` : `${address}:${number}`);
  const headers = { ...commonHeaders([]), "Content-Type": CONTENT_TYPE, "Cache-Control": NO_STORE };
  return {
    path: "rollcall.cfg",
    what: "HAProxy, as the host: a frontend with a port of its own",
    instructions: `HAProxy reads it, and then the backend, by -f: ${included(BACKEND)}\n${YOURS}`,
    text: [
      `frontend ${key}`,
      "  mode http",
      `  bind ${on(port ?? 80)}`,
      "  # For https, a certificate and its key in one file, and this line:",
      `  # bind ${on(443)} ssl crt /etc/haproxy/${serverName}.pem`,
      "  timeout client 30s",
      "  timeout http-request 10s",
      "  # A reload closes no connection on which the next request may be on its way.",
      "  option idle-close-on-response",
      "  # What its parser refuses before it chooses a backend.",
      ...[400, 408].map((status) => `  ${httpError(status, headers)}`),
      "  # Other sites go here, each by a use_backend line.",
      `  default_backend ${key}`,
      "",
    ].join("\n"),
  };
}
