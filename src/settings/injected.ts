/** The variables that Kubernetes and Docker inject for a service named `rollcall` or `rollcall-...`: they are no settings. */

/** A variable is one of these when its name fits, and its value where one is given. */
const INJECTED: readonly { name: RegExp; value?: RegExp }[] = [
  // ROLLCALL_SERVICE_HOST=10.0.0.1, ROLLCALL_SERVICE_PORT=80, ROLLCALL_SERVICE_PORT_HTTP=80
  { name: /_SERVICE_(HOST|PORT(_.+)?)$/ },
  // ROLLCALL_PORT_8080_TCP=tcp://10.0.0.1:8080, ROLLCALL_PORT_8080_TCP_ADDR=10.0.0.1
  { name: /_PORT_\d+_(TCP|UDP|SCTP)(_.+)?$/ },
  // ROLLCALL_PORT=tcp://10.0.0.1:80, whose name is also that of a setting
  { name: /_PORT$/, value: /^(tcp|udp|sctp):\/\// },
];

export function isInjected(variable: string, text: string): boolean {
  return INJECTED.some(({ name, value }) => name.test(variable) && (value?.test(text) ?? true));
}
