#!/bin/bash
# Makes a machine within the namespaces that this runs in: Debian as it is installed, isolated from the rest of the system.
# $1 is a folder for what changes, with its own /srv; $2 is this folder; the rest is the command that is `rollcall` there.
set -euo pipefail
changes=$1 here=$2
shift 2

ip link set lo up
mkdir -p "$changes/upper" "$changes/srv"
mount -t tmpfs tmpfs "$changes/upper"
for folder in etc var usr/local; do
  mkdir -p "$changes/upper/$folder" "$changes/upper/.work/$folder"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$changes/upper/$folder,workdir=$changes/upper/.work/$folder" "/$folder"
done
mount --bind "$changes/srv" /srv
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/apache2
mkdir -p /var/log/nginx /var/log/apache2 /var/log/caddy

printf '127.0.0.1 localhost directory.example.com\n::1 localhost directory.example.com\n' > /etc/hosts
cp "$here/systemctl.sh" /usr/local/bin/systemctl
printf '#!/bin/sh\nexec %s "$@"\n' "$*" > /usr/local/bin/rollcall
chmod 755 /usr/local/bin/systemctl /usr/local/bin/rollcall
