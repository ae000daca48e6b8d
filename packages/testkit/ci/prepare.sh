#!/usr/bin/env bash
# Installs, by package name, the programs that tests compare Weir with: kcat, curl and nghttp2's clients,
# and in .weir/venv Confluent's Python client and httpx. Says what it can't install itself. What is there
# already is left alone, so a second run takes no time. It never fails: a test that misses its program
# does, and says so.
set -uo pipefail
cd "$(dirname "$0")/../../.."

venv=.weir/venv
client='confluent-kafka[avro,schemaregistry]==2.*'
http_client='httpx[http2]==0.28.*'

say() { printf '%s\n' "$*"; }

apt_install() {
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  if ! command -v apt-get >/dev/null; then
    say "Missing: $*. There is no apt-get here; please install it with this machine's package manager."
    return
  fi
  say "Installing $* …"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    say "Could not install $*."
}

python_client() {
  [ -e "$venv/ready" ] && return
  command -v python3 >/dev/null || apt_install python3
  say "Installing $client into $venv …"
  rm -rf "$venv"
  if ! python3 -m venv "$venv" 2>/dev/null; then
    apt_install python3-venv
    python3 -m venv "$venv"
  fi
  "$venv/bin/pip" install --quiet "$client" && touch "$venv/ready" ||
    say "Could not install $client into $venv."
}

python_http_client() {
  [ -x "$venv/bin/pip" ] || return
  "$venv/bin/python" -c 'import httpx, h2' 2>/dev/null && return
  say "Installing $http_client into $venv …"
  "$venv/bin/pip" install --quiet "$http_client" || say "Could not install $http_client into $venv."
}

# The same places as packages/devstack/src/jdk.ts looks at on Linux.
has_jdk() {
  local home major
  for home in "${JAVA_HOME:-}" "$(readlink -f "$(command -v java)" | sed 's|/bin/java$||')" /usr/lib/jvm/*; do
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ "${major:-0}" -ge 21 ] && return 0
  done
  return 1
}

mkdir -p .weir
command -v kcat >/dev/null || apt_install kcat
python_client
python_http_client
command -v curl >/dev/null || apt_install curl
command -v h2load >/dev/null || apt_install nghttp2-client
command -v mvn >/dev/null || say 'Missing: Maven, which downloads Kafka. On Debian: apt install maven.'
has_jdk || say 'Missing: a JDK of version 21 or newer, for instance Eclipse Temurin (Debian 12 has only 17).'
exit 0
