/** systemd: Rollcall's own server as a service that may do nothing but read releases and answer on the socket it is handed. */
import type { Adapter } from "./rules/adapter.js";
import type { HostedSite } from "./rules/deployment.js";

const SOCKET = "rollcall-serve.socket";
const SERVICE = "rollcall-serve.service";

/** Where a proxy in front, which has the certificate, finds the server by itself. */
const BEHIND = { address: "127.0.0.1", port: 8080 };

/** Connections that wait while the service starts again; as many as the server itself lets wait. */
const BACKLOG = 4096;

export const systemd: Adapter = {
  name: "systemd",
  title: "systemd, for rollcall serve",
  query: "rollcall serve",
  compression: "files",
  tested: "the units by systemd-analyze, and restarts without systemd",
  steps: [
    "Releases change without a reload, since the server looks at the link current itself.",
    "Where the base URL has https, the socket is 127.0.0.1:8080, for a proxy in front.",
    "A setting of your own goes into a drop-in: systemctl edit rollcall-serve.service.",
  ],
  site: (site) => [
    {
      path: SOCKET,
      what: "systemd: the socket of rollcall serve",
      instructions:
        "Goes into /etc/systemd/system. It is kept while the service starts again, so that no connection is refused.\n" +
        `Then: systemctl daemon-reload && systemctl enable --now ${SOCKET} ${SERVICE}`,
      text: writeSocket(site),
    },
    {
      path: SERVICE,
      what: "systemd: rollcall serve as a service",
      instructions: `Goes into /etc/systemd/system, beside ${SOCKET}. rollcall must be in /usr/local/bin or /usr/bin.`,
      text: writeService(site),
    },
  ],
};

function writeSocket({ baseUrl, protocol, listens, ...site }: HostedSite): string {
  const { address, port = BEHIND.port } = protocol === "https:" && !listens ? BEHIND : site;
  return [
    "[Unit]",
    `Description=The socket of ${unitText(baseUrl)}`,
    "",
    "[Socket]",
    `ListenStream=${address === undefined ? port : `${address}:${port}`}`,
    `Backlog=${BACKLOG}`,
    "",
    "[Install]",
    "WantedBy=sockets.target",
    "",
  ].join("\n");
}

function writeService({ baseUrl, root, cacheControl }: HostedSite): string {
  const caching = cacheControl === undefined ? [] : ["--cache-control", commandWord(cacheControl)];
  return [
    "[Unit]",
    `Description=rollcall serve, for ${unitText(baseUrl)}`,
    `Requires=${SOCKET}`,
    `After=${SOCKET}`,
    "# It is tried again and again, since the socket of a service that was given up refuses connections.",
    "StartLimitIntervalSec=0",
    "",
    "[Service]",
    "# Ready once a whole release is served. systemd-notify, a program that the server starts, says so.",
    "Type=notify",
    "NotifyAccess=all",
    `ExecStart=${["rollcall", "serve", commandWord(root), ...caching].join(" ")}`,
    "ExecReload=/bin/kill -HUP $MAINPID",
    "Restart=on-failure",
    "RestartSec=1",
    "# Leaves within 10 seconds, once what was asked is answered.",
    "TimeoutStopSec=20",
    "",
    "# A user of its own, who can read what all users can, and writes nowhere.",
    "DynamicUser=yes",
    "UMask=0077",
    "ProtectSystem=strict",
    "ProtectHome=tmpfs",
    `BindReadOnlyPaths=${unitWord(root)}`,
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "PrivateIPC=yes",
    "PrivateUsers=yes",
    "ProtectProc=invisible",
    "ProcSubset=pid",
    "",
    "# No network but the socket: not even a program that took over the process could ask anybody anything.",
    "# For --admin 127.0.0.1:9090, a drop-in with PrivateNetwork=no, RestrictAddressFamilies=AF_INET and",
    "# IPAddressAllow=localhost.",
    "PrivateNetwork=yes",
    "IPAddressDeny=any",
    "RestrictAddressFamilies=AF_UNIX",
    "",
    "# Nothing of the system can be changed. MemoryDenyWriteExecute= is not here: V8 writes machine code and runs it.",
    "CapabilityBoundingSet=",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "KeyringMode=private",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "RemoveIPC=yes",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service @pkey",
    "SystemCallFilter=~@privileged @resources",
    "SystemCallErrorNumber=EPERM",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
    "",
  ].join("\n");
}

/** Text in which systemd puts no values of its own. */
function unitText(text: string): string {
  return text.replaceAll("%", "%%");
}

/** One word of a list, whatever is in it. */
function unitWord(text: string): string {
  return `"${unitText(text).replace(/["\\]/g, "\\$&")}"`;
}

/** One word of a command, in which variables would also be read. */
function commandWord(text: string): string {
  return unitWord(text).replaceAll("$", "$$$$");
}
