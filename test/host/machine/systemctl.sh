#!/bin/bash
# Does what systemd would do for `systemctl start|restart|reload UNIT`, by the unit's own file. Enabling a unit only looks for it.
set -euo pipefail
verb=$1
shift
if [ "${1-}" = --now ]; then shift; fi
name=${1-}
name=${name%.service}
[ "$verb" = daemon-reload ] && exit
for unit in /{etc,lib}/systemd/system/"$1" /{etc,lib}/systemd/system/"$name".service; do [ -f "$unit" ] && break; done
[ "$verb" = enable ] && exec test -f "$unit"
lines() { sed -n "s/^$1=//p" "$unit"; }

while read -r values; do eval "export $values"; done < <(lines Environment)
while read -r file; do
  file=${file#-}
  if [ -f "$file" ]; then set -a; . "$file"; set +a; fi
done < <(lines EnvironmentFile)
main=/run/$name.main
if [ -f "$main" ]; then MAINPID=$(cat "$main"); fi
cd "$(lines WorkingDirectory | grep . || echo /)"

each() { while read -r line; do eval "${line#-}"; done < <(lines "$1"); }
case $verb in
  reload) each ExecReload ;;
  restart)
    pid=$(cat "$(lines PIDFile | grep . || echo "$main")" 2> /dev/null || true)
    if [ -n "$pid" ] && kill "$pid" 2> /dev/null; then
      # It is not waited for, so it may stay a zombie.
      while grep -qs '^State:.[^Z]' "/proc/$pid/status"; do sleep 0.05; done
    fi
    exec "$0" start "$name"
    ;;
  start)
    each ExecStartPre
    case $(lines Type) in
      forking | oneshot) each ExecStart ;;
      *)
        user=$(lines User | grep . || echo root)
        command=$(lines ExecStart)
        setsid bash -c "echo \$\$ > $main; export HOME=/var/lib/$name; exec setpriv --reuid=$user --init-groups --inh-caps=+net_bind_service --ambient-caps=+net_bind_service $command" \
          > "/run/$name.output" 2>&1 < /dev/null &
        ;;
    esac
    ;;
  *) echo "systemctl $verb is not known here" >&2; exit 1 ;;
esac
